// Serves one-sided requests of many origins against the arenas of one or more worlds, without ever blocking.
//
// InlineRequest requests are executed straight from their message; what must wait for an earlier one of the
// same origin, or has a body in chunks, is queued; what has overtaken an earlier message of it is held.
// advance() goes round the origins that have work and returns after about one chunk of it. Promises order per
// origin and target (order.h), bounded memory (credits.h) and an answer to everything, refused requests
// included. Owned by a progress rank or, without progress ranks, by a worker; all calls under the engine
// lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/pieces.h"
#include "core/protocol.h"
#include "pr/batch.h"
#include "pr/credits.h"
#include "pr/mutexes.h"
#include "pr/origin.h"
#include "pr/payload.h"
#include "pr/refusal.h"
#include "pr/server_counters.h"
#include "pr/staging.h"
#include "shm/arena.h"
#include "transport/sink.h"

namespace comex::pr {

struct ServerOptions {
  WorldId world = 0;
  std::uint32_t chunk_bytes = 256 * 1024;                   // COMEX_CHUNK_BYTES
  std::uint64_t pool_bytes = 16 * 1024 * 1024;              // COMEX_SERVER_BUFFER: credits beyond one each
  std::uint64_t staging_bytes = 8 * 1024 * 1024;            // pieces beyond one each
  std::uint64_t staging_reserve = default_staging_reserve;  // COMEX_STAGING_RESERVE: for one each
  std::uint32_t max_window = 64;                            // messages of one origin

  // Host slot of a worker, no_host_slot for one of another host. Empty: all are elsewhere.
  std::function<shm::HostSlot(Worker)> slot_of;
  // At once, for each refused request.
  std::function<void(const RefusedRequest&)> report;
  // A lock of a dead holder was taken over for this request: what it guards may be half updated.
  // Who died with it, where that is known: of a mutex.
  std::function<void(const protocol::RequestHeader&, const std::optional<Worker>& dead)> recovered;
  Mutexes::Stall stall;  // of locks that wait here
};

class Server final : public transport::Sink {
 public:
  Server(transport::Transport& transport, shm::Arena& arena, ServerOptions options);
  ~Server() override;

  // One more world, whose arena of this host is served as well; before its first request.
  void add_world(WorldId world, shm::Arena& arena, std::function<shm::HostSlot(Worker)> slot_of);

  void on_message(const transport::Message& message) override;
  void on_all_taken() override { chunks_at_look_ = counters_.chunks; }
  unsigned advance() override;
  bool quiet() const override;

  // Origins that left and have nothing here any more.
  std::size_t departed() const { return departed_.size(); }
  std::optional<protocol::Leaving> departed(TransportRank origin) const;  // how; nothing: it has not
  const ServerCounters& counters() const { return counters_; }
  std::uint32_t staging_peak() const { return staging_.peak(); }

 private:
  using Header = protocol::RequestHeader;
  // A request that needs no transfer, straight from its message or from the queue.
  struct InlineRequest {
    Origin& origin;
    const Header& header;
    const Payload& payload;
    Progress& progress;
    Entry* entry = nullptr;  // when it comes from the queue
  };

  // The memory of a world's workers on this host.
  struct Home {
    Home(WorldId served, TransferPlace its_place, std::function<shm::HostSlot(Worker)> slot,
         const Mutexes::Stall& stall);
    WorldId world;
    TransferPlace place;
    std::function<shm::HostSlot(Worker)> slot_of;
    Mutexes mutexes;

    shm::Arena& arena() const { return place.arena; }
  };

  // server.cpp: which world is meant, and who gets a turn
  Home* find_home(WorldId world);
  Home& home_of(const Header& header);
  WireLimits limits_for(const Header& header);
  std::uint64_t pool_credits() const { return options_.pool_bytes / message_bytes_; }
  Origin& origin_of(TransportRank rank);
  void recheck_credits(Origin& origin);
  Step serve(Origin& origin, unsigned& moved);
  void start_waiting(Origin& origin, unsigned& moved);
  Step step_running(Origin& origin, unsigned& moved);
  bool step_small(Origin& origin, Entry& entry);
  void end_pass(unsigned& moved);
  void forget(Origin& origin);

  // server_admit.cpp: what becomes of a message
  bool handle_uncredited(TransportRank from, const Header& header);
  void admit(Origin& origin, const Header& header);
  void hold(Origin& origin, const Header& header, std::span<const std::byte> message);
  void take(Origin& origin, const Header& header, std::span<const std::byte> message);
  void take_held(Origin& origin);
  void handle_riding_fence(Origin& origin, const Header& write);
  MessageCopy copy_of(std::span<const std::byte> message);
  void give_back(MessageCopy copy);
  void handle_lock(Origin& origin, const Header& header, std::span<const std::byte> message);
  void handle(Origin& origin, const Header& header, std::span<const std::byte> message);
  EntryList::iterator enqueue(Origin& origin, const Header& header, const Footprint& footprint,
                              std::span<const std::byte> message);
  void place_queued(Origin& origin, EntryList::iterator entry, bool is_running);
  void remove(Origin& origin, EntryList::iterator entry);

  // server_execute.cpp: small requests, and the ends of large ones
  Fault check(const Header& header, const Payload& payload);
  static Fault check_data(const shm::Extents& extents, const Header& header, const Payload& payload);
  bool execute(const InlineRequest& small);
  void put(const InlineRequest& small);
  void store(const Header& header);
  Fault unlock(const Header& header);
  Fault no_such_mutex(const Header& header);
  bool accumulate(const InlineRequest& small);
  void mark_applied(const InlineRequest& small);
  void mark_applied(Origin& origin, const Header& header);
  void start_transfer(Origin& origin, Entry& entry);
  void finish_transfer(Origin& origin, Entry& entry);

  // server_batch.cpp: many small operations in one message
  void handle_batch(Origin& origin, const Header& header, std::span<const std::byte> message);
  struct Batch {
    const Header& header;
    std::span<const std::byte> message;
    Progress& progress;
    Item& item;
    std::byte* answers;  // room for all of them
    bool is_queued = false;
  };
  static Batch batch_of(Entry& entry);
  void fetch_ahead(const Batch& batch);
  bool run_batch(Origin& origin, const Batch& batch);
  bool execute_item(const Batch& batch, const Item& item, Fault& fault);
  bool accumulate_item(const Batch& batch, const Item& item);

  // server_reply.cpp
  void post(Origin& origin, protocol::ReplyHeader reply, std::byte* staged);
  void say(Origin& origin, protocol::Verb verb);
  void reply(Origin& origin, const Header& header, protocol::Verb verb, std::uint64_t value = 0);
  void reply_data(const InlineRequest& small);
  // All of its call, which waits for it: the thread that asks has had the answer to the one before. Where
  // several threads of an origin ask at once, what is counted between them may be too little.
  static bool is_lone_get(const Header& header) {
    return header.verb == protocol::Verb::get && header.call == 0 &&
           (header.flags & protocol::non_blocking) == 0;
  }
  void count_small_gets(std::uint64_t gets, std::uint64_t arrived_at);
  void reply_batch(Origin& origin, const Batch& batch);
  void refuse(Origin& origin, const Header& header, const Fault& fault);

  transport::Transport& transport_;
  ServerOptions options_;
  const std::uint32_t piece_bytes_;    // of what is staged
  const std::uint32_t message_bytes_;  // at most
  ServerCounters counters_;
  Credits credits_;
  StagingPool staging_;
  std::list<Home> homes_;  // mostly one
  std::list<Origin> idle_;
  std::list<Origin> active_;  // those with entries; the front has its turn next
  std::unordered_map<TransportRank, std::list<Origin>::iterator> origins_;
  std::vector<Origin*> touched_;
  // Of the batch being executed straight from its message.
  alignas(16) std::byte answers_[protocol::message_bytes];
  EntryList spare_entries_;
  std::vector<MessageCopy> spare_copies_;
  std::unordered_map<TransportRank, protocol::Leaving> departed_;
  unsigned held_ = 0;                 // messages, of all origins
  std::uint64_t chunks_at_look_ = 0;  // moved by the last look that found no message
};

}  // namespace comex::pr
