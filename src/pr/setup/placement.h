// Where a process runs, and what memory the machine has. This is the only user of hwloc.
//
// libhwloc is opened at run time, so that neither libcomex nor its clients link to it. Without it, or if the
// machine hides its topology, everything still works: cores() is empty, nothing is bound, and notice() says
// why. The decisions (choose_cores, nodes_of_kind) are pure. Used at init, by memory calls with a named
// device, and by comex_info.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "pr/setup/world_split.h"
#include "shm/os.h"

namespace comex::pr {

using shm::CpuMask;
std::string text_of(const CpuMask& cpus);  // such as "0-3,8"

struct MemoryNode {
  unsigned number = 0;
  std::string kind;  // hwloc's subtype: "HBM", "MCDRAM", "NVM", ...; usually empty, which means plain memory
  std::uint64_t bytes = 0;
  CpuMask near_cpus;
};

class Topology {
 public:
  static constexpr std::array<const char*, 2> usual_names = {"libhwloc.so.15", "libhwloc.so"};
  // Tests pass other library names, or a machine in hwloc's synthetic form, "pack:2 core:4".
  static Topology load(std::span<const char* const> library_names = usual_names,
                       const char* synthetic = nullptr);

  Topology(Topology&&) noexcept;
  Topology& operator=(Topology&&) noexcept;
  ~Topology();

  bool available() const { return loaded_ != nullptr; }
  const std::string& notice() const { return notice_; }  // empty if hwloc is available

  const std::vector<CpuMask>& cores() const { return cores_; }  // those that this process may use
  const std::vector<MemoryNode>& memory() const { return memory_; }
  std::string summary() const;  // some lines for users

  // Of the calling thread. An empty mask: not known.
  CpuMask binding() const;
  Status bind(const CpuMask& cpus) const;

  // Asks that the pages of a range, existing or allocated later, lie on the given nodes.
  Status place_memory(void* address, std::size_t bytes, std::span<const unsigned> nodes) const;
  // Asks that the pages of a range which nobody has touched yet lie on these nodes, whoever touches them, as
  // far as there is room.
  Status prefer_memory(void* address, std::size_t bytes, std::span<const unsigned> nodes) const;
  // Ends the effect of place_memory: pages lie again where they are touched.
  Status release_memory(void* address, std::size_t bytes) const;

 private:
  struct Loaded;
  Topology() = default;
  void read();
  Status set_policy(void* address, std::size_t bytes, std::span<const unsigned> nodes, int policy,
                    int flags = 0) const;

  std::unique_ptr<Loaded> loaded_;
  std::string notice_;
  std::vector<CpuMask> cores_;
  std::vector<MemoryNode> memory_;
};

// The core for one progress rank.
struct CoreChoice {
  std::size_t core = 0;  // an index into the given cores
  bool shared = false;   // a worker is bound to it, another progress rank has it, or there are too few
};

// For each progress rank of a host, chooses a core to which no worker is bound, if there is one: first among
// the cores it may already run on. A worker that may run on every core counts as bound to none. Empty if no
// cores are known. Every rank of the host computes the same choices.
std::vector<CoreChoice> choose_cores(std::span<const CpuMask> cores, std::span<const CpuMask> workers,
                                     std::span<const CpuMask> progress_ranks);

// For each rank of a host, cores of its own in the order of ranks: one for a progress rank, and for each
// worker an equal share of the others; what is left over stays unused. Empty if ranks outnumber cores.
std::vector<CpuMask> share_cores(std::span<const CpuMask> cores, std::span<const Role> ranks);

// The ordinary memory nodes next to all processors to which a process is bound; none if it is not bound to a
// part, or if nothing is known.
std::vector<unsigned> nodes_near(const CpuMask& bound, std::span<const MemoryNode> memory);

// The memory nodes of "dram", "hbm" or "numa:N"; none for an empty device. An unknown kind, or one that the
// machine lacks, is a Failure that lists those present.
Result<std::vector<unsigned>> nodes_of_kind(std::string_view device, std::span<const MemoryNode> memory);

}  // namespace comex::pr
