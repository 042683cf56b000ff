// Records what this origin has written to each target and how much of it is known to have taken effect.
//
//   per server:  unsent writes | numbers issued | numbers applied      dirty: issued > applied or unsent,
//                unanswered atomics                                    unanswered, or mirrors lack some
//   per target:  unsent writes | highest number issued | refused writes not yet reported
//
// It is sparse: only servers and targets that were written to have entries. An operation touches two of them;
// fence_all walks the dirty servers only. Clean targets are forgotten. If too many are dirty, their numbers
// are forgotten as well: until the highest of them is applied, all targets of that server count as dirty. A
// refused write is reported once, by the next fence, barrier or finalize that covers its target. Callers hold
// the engine lock. Owned by op/remote.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ids.h"
#include "nb/cleanup_threshold.h"

namespace comex::nb {

class FenceLedger {
 public:
  // A write was accepted but has no number yet. One call counts once, however many messages it takes.
  void queue(TransportRank server, Gpid target);
  // Returns the number that the next message of a write carries.
  std::uint64_t issue(TransportRank server, Gpid target) {
    return target_of(server, target).last = ++server_of(server).issued;
  }
  // For a write that gets its number at once.
  std::uint64_t issue_at_once(TransportRank server, Gpid target) {
    list(server_of(server));
    return issue(server, target);
  }
  // All messages of a queued write have their numbers now.
  void unqueue(TransportRank server, Gpid target);
  void applied(TransportRank server, std::uint64_t number);

  // A non-blocking atomic changes memory and has no number: its server is dirty until the answer.
  void begin_atomic(TransportRank rank) {
    ServerWrites& server = server_of(rank);
    ++server.atomics;
    list(server);
  }
  void end_atomic(TransportRank rank) { --server_of(rank).atomics; }
  bool has_atomics(TransportRank server) const;

  // The server says whether mirrors of kept memory lack what this origin wrote; it is dirty while they do.
  void note_unmirrored(TransportRank rank, bool is_unmirrored) {
    ServerWrites& server = server_of(rank);
    server.is_unmirrored = is_unmirrored;
    if (is_unmirrored) [[unlikely]]
      list(server);
  }
  bool is_unmirrored(TransportRank server) const;

  std::uint64_t issued(TransportRank server) const;
  std::uint64_t applied(TransportRank server) const;
  bool dirty() const { return !dirty_.empty(); }  // may stay true until for_each_dirty() looks
  bool dirty(TransportRank server) const;
  bool dirty(TransportRank server, Gpid target) const;

  // Calls f(server) for each server with writes that are not known to be applied. f must not add servers.
  template <class F>
  void for_each_dirty(F&& f) {
    std::erase_if(dirty_, [&](ServerWrites* server) {
      server->listed = is_dirty(*server);
      if (server->listed) f(server->rank);
      return !server->listed;
    });
  }

  // Forgets a server that for_each_dirty() has seen clean. Returns the number issued to it, which the caller
  // must give to resume() before any other call about this server.
  std::uint64_t forget_server(TransportRank server);
  void resume(TransportRank server, std::uint64_t issued);
  // The server is lost: each target with a write that is not known to be applied has a failure. The server as
  // a whole has one if mirrors lack something, or if it is not known which targets have such writes.
  void give_up(TransportRank server);
  // Call it after a fence of all: it gives back the memory that many targets took.
  void tidy() {
    if (sweep_.is_over(targets_.size())) [[unlikely]]
      forget_targets();
    give_back_buckets(servers_);
    give_back_capacity(dirty_);
  }
  std::size_t targets() const { return targets_.size(); }  // for tests
  static constexpr std::size_t kept = 512;                 // up to so many targets, none are searched
  // The size of an entry, for estimates of the runtime's memory.
  static constexpr std::size_t server_bytes() { return sizeof(ServerWrites); }
  static constexpr std::size_t target_bytes() { return sizeof(TargetWrites); }

  void add_failure(Gpid target) { failures_[target] += 1; }
  bool has_failures() const { return !failures_.empty() || !given_up_.empty(); }
  // Returns how many writes to this target of a server, or to all, were refused since the last call.
  std::uint64_t take_failures(TransportRank server, Gpid target);
  std::uint64_t take_failures();

 private:
  struct ServerWrites {
    TransportRank rank = no_rank;
    bool listed = false;
    bool is_unmirrored = false;
    std::uint64_t unsent = 0;
    std::uint64_t issued = 0;
    std::uint64_t applied = 0;
    std::uint32_t atomics = 0;  // unanswered
    std::uint64_t blurred = 0;  // highest number of the targets forgotten while dirty
  };
  struct TargetWrites {
    TransportRank server = no_rank;
    std::uint32_t unsent = 0;
    std::uint64_t last = 0;
  };
  struct Hash {
    std::size_t operator()(const Gpid& gpid) const {
      return std::hash<std::uint64_t>{}((std::uint64_t{gpid.world} << 32) | gpid.rank);
    }
  };

  static bool is_dirty(const ServerWrites& server) {
    return server.unsent != 0 || server.issued > server.applied || server.is_unmirrored ||
           server.atomics != 0;
  }
  void list(ServerWrites& server) {
    if (server.listed) return;
    server.listed = true;
    dirty_.push_back(&server);
  }
  ServerWrites& server_of(TransportRank rank) {
    if (last_server_ != nullptr && last_server_->rank == rank) [[likely]]
      return *last_server_;
    return look_up(rank);
  }
  TargetWrites& target_of(TransportRank server, Gpid gpid) {
    if (last_target_ != nullptr && last_gpid_ == gpid) [[likely]]
      return *last_target_;
    return look_up(server, gpid);
  }
  ServerWrites& look_up(TransportRank rank);
  TargetWrites& look_up(TransportRank server, Gpid gpid);
  void forget_targets();
  const ServerWrites* find(TransportRank rank) const;

  std::unordered_map<TransportRank, ServerWrites> servers_;
  std::unordered_map<Gpid, TargetWrites, Hash> targets_;
  std::unordered_map<Gpid, std::uint64_t, Hash> failures_;
  std::unordered_set<TransportRank> given_up_;  // lost servers with a failure of their own
  std::vector<ServerWrites*> dirty_;
  CleanupThreshold sweep_{kept};
  // The entries of the last operation, which the next one often needs again.
  ServerWrites* last_server_ = nullptr;
  TargetWrites* last_target_ = nullptr;
  Gpid last_gpid_;
};

}  // namespace comex::nb
