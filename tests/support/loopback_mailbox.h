// The messages to one rank of a LoopbackFabric that have not arrived yet, and its posted receives.
//
// It is thread safe: senders add, and the receiving endpoint takes. Messages of a held pair stay in place and
// so keep their order. Used by the loopback transport only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "core/ids.h"

namespace comex::transport {

// A body under way. `bytes` is the sender's memory, or `copy` if it was sent eagerly.
struct LoopbackFlight {
  TransportRank from = no_rank;
  int tag = 0;
  std::span<const std::byte> bytes;
  std::vector<std::byte> copy;
  std::atomic<bool> taken{false};
};

// A posted receive. Only calls of its own endpoint touch it.
struct LoopbackLanding {
  std::span<std::byte> bytes;
  std::size_t received_bytes = 0;
  bool complete = false;
};

struct LoopbackLetter {
  TransportRank from = no_rank;
  std::vector<std::byte> data;  // exactly as long as the posted message, so that sanitizers see overreads
};

struct LoopbackCounts {
  std::uint64_t messages = 0;
  std::uint64_t bodies = 0;
  std::uint64_t body_bytes = 0;
};

class LoopbackMailbox {
 public:
  explicit LoopbackMailbox(TransportRank size);

  void put_letter(LoopbackLetter letter);
  bool take_letter(LoopbackLetter& letter);
  void put_flight(std::shared_ptr<LoopbackFlight> flight);
  void expect(TransportRank from, int tag, std::shared_ptr<LoopbackLanding> landing);
  void withdraw(const std::shared_ptr<LoopbackLanding>& landing);
  // Copies every body that has arrived into the receive that waits for it.
  void land();

  void hold_messages(TransportRank from, bool held);
  void hold_bodies(TransportRank from, bool held);
  std::size_t held_messages(TransportRank from) const;
  LoopbackCounts counts(TransportRank from) const;
  bool empty() const;

 private:
  using LaneName = std::pair<TransportRank, int>;  // source and tag
  struct Lane {                                    // after match(), at least one side is empty
    std::deque<std::shared_ptr<LoopbackFlight>> flights;
    std::deque<std::shared_ptr<LoopbackLanding>> landings;
  };
  struct Source {
    bool messages_held = false;
    bool bodies_held = false;
    LoopbackCounts counts;
  };

  void match(LaneName name);

  mutable std::mutex mutex_;
  std::vector<Source> sources_;
  std::deque<LoopbackLetter> letters_;                      // in order of arrival
  std::deque<std::shared_ptr<LoopbackFlight>> on_the_way_;  // not in their lane yet
  std::map<LaneName, Lane> lanes_;
};

}  // namespace comex::transport
