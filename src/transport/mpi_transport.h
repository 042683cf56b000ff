// The Transport over two-sided messages of an MPI communicator, the wire.
//
// The caller owns the wire: it duplicates it for this transport alone and frees it afterwards. Small messages
// arrive in a ring of posted receives. Only the oldest is tested, so messages are seen in the order in which
// MPI matched them. If all ranks of a wire take bundles, messages posted in a row for one receiver travel as
// one, together with the short body that comes next. All calls are PMPI_*, so no profiling wrapper sees them.
// runtime and worlds create it; MPI must still be initialised when it is destroyed.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mpi/yield.h"
#include "transport/bundle.h"
#include "transport/mpi_bodies.h"
#include "transport/mpi_check.h"
#include "transport/send_pool.h"
#include "transport/transport.h"

namespace comex::transport {

// How bundles are used on this wire and by this rank.
struct Bundles {
  bool are_taken = false;  // all ranks take bundles, and all know it
  bool are_sent = false;   // no effect unless they are taken
  // Answers to a bundle are bundled as well. This is for ranks that never stop receiving: progress ranks.
  bool are_answered = false;
  // Ranks that MPI does not reach over the network, ascending. Their messages travel singly, because a longer
  // one would wait, with all that follow it, until its sender calls MPI again.
  std::vector<TransportRank> same_machine = {};
};

class MpiTransport final : public Transport {
 public:
  MpiTransport(MPI_Comm wire, MpiFailureHandler on_failure, Bundles bundles = {},
               mpi::YieldSwitch yield = {});
  // Waits for the sends and bodies still under way to others, and cancels the receives posted here.
  ~MpiTransport() override;
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  TransportRank rank() const override { return rank_; }
  TransportRank size() const override { return size_; }
  std::byte* stage() override;
  void post(TransportRank to, std::size_t bytes, bool has_next = false) override;
  bool receive(Message& message) override;
  void flush() override {
    if (has_bundle()) launch_bundle();
  }
  // `call` is made before MPI gets a body, to send or to receive.
  void before_bodies(std::function<void()> call) { before_body_ = std::move(call); }
  Ticket start_send(TransportRank to, int tag, std::span<const std::byte> body) override;
  Ticket start_synchronous_send(TransportRank to, int tag, std::span<const std::byte> body) override;
  Ticket start_receive(TransportRank from, int tag, std::span<std::byte> body) override;
  bool done(Ticket ticket, std::size_t* received_bytes) override {
    return bodies_.done(ticket, received_bytes);
  }
  bool give_up(Ticket ticket) override { return bodies_.give_up(ticket); }
  void progress() override;
  std::size_t unsent() const override { return pending_.size(); }
  bool has_unsent_to(TransportRank to, std::uint64_t before) const override {
    return std::ranges::any_of(pending_,
                               [&](const Outgoing& each) { return each.to == to && each.number < before; });
  }
  std::uint64_t posted() const override { return posted_; }

  bool abandon() override;

 private:
  struct Outgoing {  // being filled, or given to MPI
    SendPool::Buffer bytes;
    SendPool* pool = nullptr;
    MPI_Request request = MPI_REQUEST_NULL;
    TransportRank to = no_rank;
    std::uint64_t number = 0;
  };
  // Lies in the bundle at head_, or in a copy of its own once that buffer is posted again.
  struct Arrived {
    TransportRank from = no_rank;
    int tag = 0;
    std::span<const std::byte> bytes;
    std::unique_ptr<std::byte[]> copy;
  };

  using SendCall = int(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  Ticket send(SendCall* call, const char* name, TransportRank to, int tag, std::span<const std::byte> body);
  std::byte* slot_bytes(unsigned slot) const { return ring_.get() + slot * slot_capacity_; }
  static Outgoing taken_from(SendPool& pool) { return {pool.take(), &pool}; }
  bool has_bundle() const { return bundle_.bytes != nullptr; }
  void launch(Outgoing& filled, TransportRank to, std::size_t bytes);
  void launch_bundle();
  void bundle(TransportRank to, std::size_t bytes);
  void add_to_bundle(TransportRank to, std::size_t bytes);
  bool bundles_answers() const { return use_.are_answered && !unpacked_.empty(); }
  bool may_close_bundle(TransportRank to, std::size_t bytes) const;
  std::span<const std::byte> unpack();
  void keep_arrived();
  std::optional<std::size_t> take_arrived(TransportRank from, int tag, std::span<std::byte> body);
  void reap_pending();
  bool takes_bundle(TransportRank to) const;
  bool is_rank(TransportRank rank) const { return rank >= 0 && rank < size_; }

  const MPI_Comm wire_;
  const MpiCheck check_;
  const mpi::YieldSwitch yield_;  // polls never give the processor away
  TransportRank rank_ = no_rank;
  TransportRank size_ = 0;

  const Bundles use_;
  // Slots head_, head_ + 1, ... (mod ring_slots) are posted, in this order. While handed_out_ is set, the
  // slot at head_ is not posted: it holds the caller's current message, alone or in a bundle.
  const std::size_t slot_capacity_;
  std::unique_ptr<std::byte[]> ring_;
  std::array<MPI_Request, ring_slots> ring_requests_;
  unsigned head_ = 0;
  bool handed_out_ = false;
  TransportRank unpacked_from_ = no_rank;
  BundleReader unpacked_;         // the rest of the bundle at head_
  std::vector<Arrived> arrived_;  // bodies that came with their messages and were not asked for yet
  bool has_polled_ = false;       // a receive() that found nothing has let MPI work

  SendPool messages_{protocol::message_bytes, 0};
  SendPool bundles_{protocol::bundle_bytes, kept_bundles};
  Outgoing staged_;
  Outgoing bundle_;  // the open bundle, if it has bytes; sent with the next post
  BundleWriter packed_;
  bool holds_answers_ = false;    // answers to messages of unpacked_; sent when that ends, or before others
  std::deque<Outgoing> pending_;  // MPI has not sent them yet
  std::uint64_t posted_ = 0;

  MpiBodies bodies_;
  std::function<void()> before_body_;
};

}  // namespace comex::transport
