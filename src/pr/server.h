// Serves the requests of many origins in the arenas of one or more worlds, and never blocks.
//
// An inline request is executed straight from its message. A request is queued if an earlier one of its
// origin is in its way or if its body has chunks; a message that has overtaken an earlier one is kept.
// advance() goes round the origins that have work and returns after about one chunk. The server promises
// order per origin and target (order.h), bounded memory (credits.h) and an answer to everything, even when it
// refuses. A progress rank owns it, or a worker that serves itself; all calls are under the engine lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/pieces.h"
#include "core/protocol.h"
#include "core/staging.h"
#include "core/trace.h"
#include "pr/batch.h"
#include "pr/credits.h"
#include "pr/mirror_rounds.h"
#include "pr/mutexes.h"
#include "pr/origin.h"
#include "pr/payload.h"
#include "pr/refusal.h"
#include "pr/service_report.h"
#include "shm/arena.h"
#include "transport/transport.h"

namespace comex::pr {

struct ServerOptions {
  WorldId world = 0;
  std::uint32_t chunk_bytes = 256 * 1024;                   // COMEX_CHUNK_BYTES
  std::uint64_t pool_bytes = 16 * 1024 * 1024;              // COMEX_SERVER_BUFFER: credits beyond one each
  std::uint64_t staging_bytes = 8 * 1024 * 1024;            // pieces beyond one each
  std::uint64_t staging_reserve = default_staging_reserve;  // COMEX_STAGING_RESERVE: for one each
  std::uint32_t max_window = 64;                            // messages of one origin

  // Returns the host slot of a worker, or no_host_slot for another host. Empty: all are on other hosts.
  std::function<shm::HostSlot(Worker)> slot_of;
  // Called at once for each refused request.
  std::function<void(const RefusedRequest&)> report;
  // Called when this request took over a lock of a dead holder: what it guards may be half updated. `dead` is
  // the holder of a mutex, if that is known.
  std::function<void(const protocol::RequestHeader&, const std::optional<Worker>& dead)> recovered;
  Mutexes::Stall stall;             // of locks that wait here
  MirrorRounds* mirrors = nullptr;  // null: fences do not wait for mirrors
  trace::Log* log = nullptr;        // of what is served, with COMEX_TRACE
};

class Server final : public transport::Sink {
 public:
  Server(transport::Transport& transport, shm::Arena& arena, ServerOptions options);

  // Adds a world whose arena on this host is served as well. Call it before the first request of that world.
  void add_world(WorldId world, shm::Arena& arena, std::function<shm::HostSlot(Worker)> slot_of);

  void on_message(const transport::Message& message) override;
  unsigned advance() override;
  bool quiet() const;  // nothing is queued, in flight or awaited, so the owner may sleep
  // The others go on without this rank of the first world. If it is alive, as one may be whose host is lost,
  // nothing that it sends from now on is executed, nor what waits or is under way, but for chunks that MPI
  // has matched: others may do its work again, or have its memory.
  void give_up(TransportRank origin);
  // Gives up a worker that has died on another host: from here on it waits for no mutex and holds none of
  // these owners. They have to be owners that this server alone serves: while another process takes a mutex
  // over, no server may execute an unlock that the dead worker has sent.
  void forget_dead(TransportRank origin, Worker worker, std::span<const shm::HostSlot> owners);

  // Counts the origins that have left and have no requests here any more.
  std::size_t departed() const { return departed_.size(); }
  std::optional<protocol::Leaving> departed(TransportRank origin) const;  // how it left, if it has
  bool has_any_left(protocol::Leaving how) const {
    return std::ranges::any_of(departed_, [how](const auto& each) { return each.second == how; });
  }
  const ServerCounters& counters() const { return counters_; }
  std::uint32_t staging_peak() const { return staging_.peak(); }  // for tests

  struct OldestRequest {
    TransportRank from;
    const protocol::RequestHeader* header;  // until the next call of the server
    activity::Obstacle obstacle;
  };
  // The first request of some origin, and why it is not done. `origin` counts those that have any, from 0;
  // empty: there are no more.
  std::optional<OldestRequest> oldest_request(std::size_t origin) const;

 private:
  using Header = protocol::RequestHeader;
  // A request without a transfer, executed from its message or from the queue.
  struct InlineRequest {
    Origin& origin;
    const Header& header;
    const Payload& payload;
    Progress& progress;
  };

  // The memory of a world's workers on this host.
  struct ServedWorld {
    WorldId world;
    TransferPlace place;
    Mutexes mutexes;

    shm::Arena& arena() const { return place.arena; }
  };

  // server.cpp: finds the world of a request, and gives turns to origins
  ServedWorld* find_served(WorldId world);
  ServedWorld& served_world_of(const Header& header);
  std::uint64_t pool_credits() const { return options_.pool_bytes / message_bytes_; }
  Origin& origin_of(TransportRank rank);
  void recheck_credits(Origin& origin);
  void start_waiting(Origin& origin, unsigned& moved);
  void step_running(Origin& origin, unsigned& moved, std::uint64_t& room);
  bool step_small(Origin& origin, Entry& entry);
  void end_pass(unsigned& moved);
  void forget(Origin& origin);

  // server_admit.cpp: executes, queues, holds or refuses a message
  bool handle_uncredited(TransportRank from, const Header& header);
  void admit(Origin& origin, const Header& header);
  void hold(Origin& origin, const Header& header, std::span<const std::byte> message);
  void take(Origin& origin, const Header& header, std::span<const std::byte> message);
  void begin_event(const Origin& origin, const Header& header);
  void take_early(Origin& origin);
  void handle_lock(Origin& origin, const Header& header, std::span<const std::byte> message);
  void handle(Origin& origin, const Header& header, std::span<const std::byte> message);
  EntryList::iterator enqueue(Origin& origin, const Header& header, const Footprint& footprint,
                              std::span<const std::byte> message);
  void place_queued(Origin& origin, EntryList::iterator entry, bool is_running);
  void note_unqueued(const Entry& entry);
  void remove(Origin& origin, EntryList::iterator entry);

  // server_execute.cpp: executes inline requests, starts and ends large ones
  BadAccess check(const Header& header, const Payload& payload);
  static BadAccess check_data(const shm::Extents& extents, const Header& header, const Payload& payload);
  bool execute(const InlineRequest& small);
  void put(const InlineRequest& small);
  void store(const Header& header);
  BadAccess release(const Header& header);
  BadAccess no_such_mutex(const Header& header);
  bool accumulate(const InlineRequest& small);
  bool may_write_kept(const Header& header);
  void note_written(Origin& origin, const Header& header, const Payload& payload);
  void note_written(Origin& origin, const shm::Extents& extents, std::uint64_t offset, std::uint64_t bytes);
  bool ask_for_mirrors_once(const InlineRequest& fence);
  void mark_applied(const InlineRequest& small);
  void mark_applied(Origin& origin, const Header& header);
  void start_transfer(Origin& origin, Entry& entry);
  void finish_transfer(Origin& origin, Entry& entry);

  // server_batch.cpp: executes the items of a batch
  void handle_batch(Origin& origin, const Header& header, std::span<const std::byte> message);
  struct BatchRun {
    const Header& header;
    std::span<const std::byte> message;
    Progress& progress;
    Item& item;
    std::byte* answers;  // space for all of them
    bool is_queued = false;
  };
  static BatchRun batch_of(Entry& entry);
  void fetch_ahead(const BatchRun& batch);
  bool run_batch(Origin& origin, const BatchRun& batch);
  bool execute_item(const BatchRun& batch, const Item& item, BadAccess& fault);
  bool accumulate_item(const BatchRun& batch, const Item& item);

  // server_reply.cpp: sends replies
  void post(Origin& origin, protocol::ReplyHeader reply, std::byte* staged);
  void reply(Origin& origin, const Header& header, protocol::Verb verb, std::uint64_t value = 0);
  void reply_data(const InlineRequest& small);
  void reply_batch(Origin& origin, const BatchRun& batch);
  void refuse(Origin& origin, const Header& header, const BadAccess& fault);

  transport::Transport& transport_;
  ServerOptions options_;
  const WireLimits limits_;
  const std::uint32_t message_bytes_;  // the most that a message may have
  ServerCounters counters_;
  Credits credits_;
  StagingPool staging_;
  std::list<ServedWorld> served_worlds_;  // mostly one
  std::list<Origin> idle_;
  std::list<Origin> active_;  // origins with entries; the front one has the next turn
  std::unordered_map<TransportRank, std::list<Origin>::iterator> origins_;
  std::vector<Origin*> touched_;
  // The answers of a batch that is executed straight from its message.
  alignas(16) std::byte answers_[protocol::message_bytes];
  std::unordered_map<TransportRank, protocol::Leaving> departed_;
  std::vector<TransportRank> given_up_;
  EntryList lost_;           // of these; MPI may still use their memory
  std::uint32_t event_ = 0;  // in the log, of the message that is being taken
  unsigned early_ = 0;       // messages, of all origins
};

}  // namespace comex::pr
