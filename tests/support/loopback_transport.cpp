#include "support/loopback_transport.h"

#include <algorithm>
#include <atomic>

#include "support/loopback_mailbox.h"
#include "transport/slot_table.h"

namespace comex::transport {
namespace {

// Detects two threads in one endpoint, which the owner's engine lock must prevent. The memory order is
// relaxed on purpose: this check must not add an ordering that the engine lock failed to give.
class OneThreadAtATime {
 public:
  explicit OneThreadAtATime(std::atomic<bool>& busy) : busy_(busy) {
    const bool two_threads_in_one_endpoint = busy_.exchange(true, std::memory_order_relaxed);
    COMEX_BUG_IF(two_threads_in_one_endpoint);
  }
  ~OneThreadAtATime() { busy_.store(false, std::memory_order_relaxed); }
  OneThreadAtATime(const OneThreadAtATime&) = delete;
  OneThreadAtATime& operator=(const OneThreadAtATime&) = delete;

 private:
  std::atomic<bool>& busy_;
};

}  // namespace

class LoopbackEndpoint final : public Transport {
 public:
  LoopbackEndpoint(LoopbackFabric& fabric, TransportRank rank, TransportRank size)
      : mailbox(size), fabric_(fabric), rank_(rank), size_(size) {}

  TransportRank rank() const override { return rank_; }
  TransportRank size() const override { return size_; }

  std::byte* stage() override {
    const OneThreadAtATime guard(busy_);
    if (staged_.empty()) staged_.resize(protocol::message_bytes);
    return staged_.data();
  }

  // Every message arrives on its own. This only checks that the next one goes to the rank that was announced.
  void post(TransportRank to, std::size_t bytes, bool has_next) override {
    {
      const OneThreadAtATime guard(busy_);
      COMEX_BUG_IF(staged_.empty() || bytes > staged_.size());
      COMEX_BUG_IF(next_is_to_ != no_rank && next_is_to_ != to);
      next_is_to_ = has_next ? to : no_rank;
      staged_.resize(bytes);
      staged_.shrink_to_fit();
      fabric_.at(to).mailbox.put_letter({rank_, std::exchange(staged_, {})});
    }
    if (observer_ != nullptr) observer_->sent(to);
  }

  bool receive(Message& message) override {
    {
      const OneThreadAtATime guard(busy_);
      COMEX_BUG_IF(next_is_to_ != no_rank);
      mailbox.land();
      current_ = {};  // frees the message handed out before, so that sanitizers see its use
      if (!mailbox.take_letter(current_)) return false;
      message = {current_.from, current_.data};
    }
    if (observer_ != nullptr) observer_->received(message.from);
    return true;
  }

  Ticket start_send(TransportRank to, int tag, std::span<const std::byte> body) override {
    return send(to, tag, body, body.size() <= fabric_.eager_limit_bytes_);
  }
  Ticket start_synchronous_send(TransportRank to, int tag, std::span<const std::byte> body) override {
    return send(to, tag, body, false);
  }

  Ticket start_receive(TransportRank from, int tag, std::span<std::byte> body) override {
    const OneThreadAtATime guard(busy_);
    COMEX_BUG_IF(tag <= protocol::header_tag || body.size() > body_limit_bytes);
    COMEX_BUG_IF(from < 0 || from >= size_);
    auto landing = std::make_shared<LoopbackLanding>();
    landing->bytes = body;
    mailbox.expect(from, tag, landing);
    return Ticket{bodies_.take({nullptr, std::move(landing)})};
  }

  bool done(Ticket ticket, std::size_t* received_bytes) override {
    const OneThreadAtATime guard(busy_);
    mailbox.land();
    const Body& body = bodies_.at(ticket.index);
    if (body.flight && !body.flight->taken.load(std::memory_order_acquire)) return false;
    if (body.landing && !body.landing->complete) return false;
    if (body.landing && received_bytes != nullptr) *received_bytes = body.landing->received_bytes;
    bodies_.give_back(ticket.index);
    return true;
  }

  bool give_up(Ticket ticket) override {
    const OneThreadAtATime guard(busy_);
    mailbox.withdraw(bodies_.at(ticket.index).landing);
    bodies_.give_back(ticket.index);
    return true;
  }

  void progress() override {
    const OneThreadAtATime guard(busy_);
    mailbox.land();
  }

  std::size_t unsent() const override {
    std::size_t held = 0;
    for (TransportRank to = 0; to < size_; ++to) held += fabric_.at(to).mailbox.held_messages(rank_);
    return held;
  }
  bool has_unsent_to(TransportRank to, std::uint64_t before) const override {
    return before != 0 && fabric_.at(to).mailbox.held_messages(rank_) != 0;
  }
  std::uint64_t posted() const override { return 1; }

  LoopbackMailbox mailbox;

 private:
  struct Body {
    std::shared_ptr<LoopbackFlight> flight;    // set for a send that is not eager
    std::shared_ptr<LoopbackLanding> landing;  // set for a receive
  };

  Ticket send(TransportRank to, int tag, std::span<const std::byte> body, bool eager) {
    const OneThreadAtATime guard(busy_);
    COMEX_BUG_IF(tag <= protocol::header_tag || body.size() > body_limit_bytes);
    COMEX_BUG_IF(next_is_to_ != no_rank && next_is_to_ != to);
    next_is_to_ = no_rank;
    auto flight = std::make_shared<LoopbackFlight>();
    flight->from = rank_;
    flight->tag = tag;
    flight->bytes = body;
    if (eager) {
      flight->copy.assign(body.begin(), body.end());
      flight->bytes = flight->copy;
    }
    const Ticket ticket{bodies_.take({eager ? nullptr : flight, nullptr})};
    fabric_.at(to).mailbox.put_flight(std::move(flight));
    return ticket;
  }

  LoopbackFabric& fabric_;
  const TransportRank rank_;
  const TransportRank size_;
  std::atomic<bool> busy_{false};
  std::vector<std::byte> staged_;
  TransportRank next_is_to_ = no_rank;  // receiver of the next message; no_rank: anybody
  LoopbackLetter current_;
  SlotTable<Body> bodies_;
};

LoopbackFabric::LoopbackFabric(TransportRank size, std::size_t eager_limit_bytes)
    : eager_limit_bytes_(eager_limit_bytes) {
  COMEX_BUG_IF(size < 1);
  for (TransportRank rank = 0; rank < size; ++rank) {
    endpoints_.push_back(std::make_unique<LoopbackEndpoint>(*this, rank, size));
  }
}

LoopbackFabric::~LoopbackFabric() = default;

LoopbackEndpoint& LoopbackFabric::at(TransportRank rank) const {
  COMEX_BUG_IF(rank < 0 || rank >= size());
  return *endpoints_[static_cast<std::size_t>(rank)];
}

Transport& LoopbackFabric::endpoint(TransportRank rank) {
  return at(rank);
}

void LoopbackFabric::hold_messages(TransportRank from, TransportRank to) {
  at(to).mailbox.hold_messages(from, true);
}
void LoopbackFabric::release_messages(TransportRank from, TransportRank to) {
  at(to).mailbox.hold_messages(from, false);
}
void LoopbackFabric::hold_bodies(TransportRank from, TransportRank to) {
  at(to).mailbox.hold_bodies(from, true);
}
void LoopbackFabric::release_bodies(TransportRank from, TransportRank to) {
  at(to).mailbox.hold_bodies(from, false);
}

std::uint64_t LoopbackFabric::messages(TransportRank from, TransportRank to) const {
  return at(to).mailbox.counts(from).messages;
}
std::uint64_t LoopbackFabric::bodies(TransportRank from, TransportRank to) const {
  return at(to).mailbox.counts(from).bodies;
}
std::uint64_t LoopbackFabric::body_bytes(TransportRank from, TransportRank to) const {
  return at(to).mailbox.counts(from).body_bytes;
}

bool LoopbackFabric::drained() const {
  return std::all_of(endpoints_.begin(), endpoints_.end(),
                     [](const auto& endpoint) { return endpoint->mailbox.empty(); });
}

}  // namespace comex::transport
