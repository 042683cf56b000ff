// The bodies in flight of one transport: a table whose free entries are reused.
//
// It grows to the largest number ever in flight and then allocates no more. To use a ticket that was never
// taken or is already spent is a bug. Used by both transports.
#pragma once

#include <cstdint>
#include <vector>

#include "core/status.h"
#include "transport/transport.h"

namespace comex::transport {

template <class Body>
class TicketTable {
 public:
  Ticket take(Body body) {
    ++taken_;
    if (first_free_ == none) {
      COMEX_BUG_IF(entries_.size() >= none);
      entries_.push_back({std::move(body), in_use});
      return {static_cast<std::uint32_t>(entries_.size() - 1)};
    }
    const Ticket ticket{first_free_};
    Entry& entry = entries_[first_free_];
    first_free_ = entry.next_free;
    entry = {std::move(body), in_use};
    return ticket;
  }

  Body& at(Ticket ticket) {
    COMEX_BUG_IF(ticket.index >= entries_.size() || entries_[ticket.index].next_free != in_use);
    return entries_[ticket.index].body;
  }

  void spend(Ticket ticket) {
    at(ticket) = Body{};
    entries_[ticket.index].next_free = first_free_;
    first_free_ = ticket.index;
    --taken_;
  }

  std::size_t taken() const { return taken_; }

  template <class Visit>
  void for_each_taken(Visit visit) {
    for (Entry& entry : entries_) {
      if (entry.next_free == in_use) visit(entry.body);
    }
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr std::uint32_t in_use = UINT32_MAX - 1;

  struct Entry {
    Body body;
    std::uint32_t next_free;
  };

  std::vector<Entry> entries_;
  std::uint32_t first_free_ = none;
  std::size_t taken_ = 0;
};

}  // namespace comex::transport
