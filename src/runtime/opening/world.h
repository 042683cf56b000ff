// An open world: what workers and progress ranks of one communicator share from init to finalize.
//
// open_world makes it collectively on every rank of a communicator: it agrees on settings, finds and verifies
// hosts, splits the roles, and makes one arena for each host and a transport over the wire. Every rank of
// the wire closes its own, and frees its communicators then. Owned by a Runtime (worker) or by Launch
// (progress rank).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/activity.h"
#include "core/settings.h"
#include "groups/directory.h"
#include "groups/failures.h"
#include "groups/world_description.h"
#include "groups/world_identity.h"
#include "mpi/library.h"
#include "pr/setup/placement.h"
#include "pr/setup/world_split.h"
#include "runtime/communicator.h"
#include "runtime/other_worlds.h"
#include "runtime/report.h"
#include "shm/arena.h"
#include "shm/idle.h"
#include "transport/transport.h"

namespace comex::runtime {

// The head of each worker's board: notices for the workers of its host and, on the lowest worker, their
// barriers (runtime/host_collectives). What follows is described in runtime/opening/boards.
struct BoardLayout {
  struct alignas(64) Notice {
    std::atomic<std::uint64_t> gathering;  // number of the gathering, from 1
    std::byte said[56];
  };
  shm::HostBarrierBlock enter;
  shm::HostBarrierBlock leave;
  shm::HostBarrierBlock gather;
  Notice notices[2];
  alignas(64) std::atomic<std::uint64_t> entered;  // counts, for lines about long waits
  std::atomic<std::uint64_t> left;
};
inline constexpr std::uint32_t board_layout_bytes = 4096;
static_assert(sizeof(BoardLayout) <= board_layout_bytes);

// Rings the doorbell of a receiver on the same host after each message, and counts what came from there.
//
// Messages from other hosts ring no doorbell. So a process whose world has other hosts never sleeps without
// limit.
class HostDoorbells final : public transport::MessageObserver {
 public:
  HostDoorbells(shm::Arena& arena, const groups::Directory& directory)
      : arena_(&arena), slot_of_rank_(directory.slots()) {}

  void sent(TransportRank to) override {
    const std::int32_t slot = slot_of_rank_[static_cast<std::size_t>(to)];
    if (slot != groups::Directory::elsewhere)
      arena_->doorbell(static_cast<shm::HostSlot>(slot)).ring_message();
  }
  void received(TransportRank from) override {
    if (slot_of_rank_[static_cast<std::size_t>(from)] != groups::Directory::elsewhere) ++received_;
  }
  // True if every message that rang has been received.
  bool is_drained() const { return received_ == arena_->doorbell(arena_->slot()).messages(); }

 private:
  shm::Arena* arena_;
  std::span<const std::int32_t> slot_of_rank_;
  std::uint64_t received_ = 0;
};

// Where a worker's memory shall lie, whichever process touches it first.
struct NearMemory {
  pr::Topology topology;
  std::vector<unsigned> nodes;
};

struct World {
  World(std::unique_ptr<shm::Os> system, Settings agreed)
      : os(std::move(system)), settings(std::move(agreed)) {}

  std::unique_ptr<shm::Os> os;
  Settings settings;
  WorldId id = 0;
  std::int32_t node_rank = groups::unknown_rank;  // of this rank
  std::int32_t app_rank = groups::unknown_rank;   // of this rank in its program, progress ranks included
  bool is_first_job = false;                      // the world is the whole first job of its launch
  std::optional<Parents> parents;                 // empty: it was not spawned by the runtime
  groups::WorldDescription description;
  pr::SplitShare share;
  pr::RankPlace place;   // of this rank
  Communicator wire;     // all ranks
  Communicator workers;  // by worker number; null on progress ranks
  Communicator self;     // this rank alone
  std::optional<shm::Arena> arena;
  std::optional<pr::CpuMask> launched_on;            // where this rank ran before COMEX_BIND bound it
  std::optional<NearMemory> near_memory;             // of a worker bound to a part of a machine with several
  std::atomic<bool> has_refused_near_memory{false};  // the kernel has, as a container may make it
  std::optional<groups::Directory> group;
  groups::Failures failures;  // watched with COMEX_ON_FAILURE=continue
  std::optional<HostDoorbells> doorbells;
  std::shared_ptr<transport::Transport> transport;
  shm::WaitPolicy wait_policy;
  std::unique_ptr<trace::Log> log;  // of this rank, with COMEX_TRACE
  activity::Recorder activity;      // of this rank, in its board
  bool has_threads = false;         // MPI_THREAD_MULTIPLE
  bool spans_machines = false;
  mpi::EagerBytes eager;                  // of this process's MPI
  std::vector<TransportRank> neighbours;  // ranks of this machine, ascending, if there are other machines

  bool is_worker() const { return place.role == pr::Role::worker; }
  bool serves_itself() const { return is_worker() && place.server < 0; }
  const pr::Host& own_host() const { return share.host; }
  // The file that a setting names, as this world writes it: spawned worlds have the settings of their
  // parents.
  std::string output_file(const std::string& setting) const {
    const std::uint32_t number = groups::number_in_launch(id);
    return number == 0 ? setting : setting + "." + std::to_string(number);
  }
};

struct FirstOpening {
  Settings settings;
  pr::RankPlace place;
};
// Prints any failure and ends the job. `number`: of worlds that this process has opened before.
// `first_opening`: of the same communicator, whose roles stay.
std::unique_ptr<World> open_world(MPI_Comm comm, Reporter& reporter, std::uint32_t number,
                                  const std::optional<Parents>& parents, const FirstOpening* first_opening);

// COMEX_TRACE: writes what all ranks of a world have logged into one file. Collective over the wire, at
// finalize, when nobody has anything to do any more. Each rank writes FILE.WORLD-RANK, worker 0 joins them in
// FILE and removes them. Those of machines with another file system stay there, with a line.
void write_trace(World& world, const Reporter& reporter);

}  // namespace comex::runtime
