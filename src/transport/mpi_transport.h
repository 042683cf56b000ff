// Transport over the two-sided messages of an MPI communicator, the wire.
//
// The wire is the caller's: dup'ed for this transport alone, freed after it. Small messages arrive
// in a ring of posted receives, of which only the oldest is tested, so that they are seen in the
// order in which MPI matched them. Where all ranks of a wire take bundles, messages that are posted in a row
// for one receiver travel as one, and with them the short body that comes next. All calls are PMPI_*:
// nobody's wrapper sees them. Created by api on every rank of a world; MPI must still be initialised when it
// is destroyed.
#pragma once

#include <mpi.h>

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transport/bundle.h"
#include "transport/mpi_check.h"
#include "transport/mpi_tuning.h"
#include "transport/send_pool.h"
#include "transport/ticket_table.h"
#include "transport/transport.h"

namespace comex::transport {

// On this wire, and by this rank.
struct Bundles {
  bool are_taken = false;  // by all ranks, and known to all
  bool are_sent = false;   // only where they are taken
  // Answers to one travel as one as well: for who goes on receiving whatever happens, as a progress rank
  // does.
  bool are_answered = false;
  // Ranks that MPI reaches another way than over the network, ascending: theirs go one by one, since a longer
  // one would wait there until its sender looks after it, with all that comes behind it.
  std::vector<TransportRank> near = {};
  bool may_be_sent() const { return are_taken && are_sent; }
};

class MpiTransport final : public Transport {
 public:
  MpiTransport(MPI_Comm wire, MpiFailureHandler on_failure, Bundles bundles = {});
  // Waits for the sends and bodies still in flight towards others, takes back what is posted here.
  ~MpiTransport() override;
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  TransportRank rank() const override { return rank_; }
  TransportRank size() const override { return size_; }
  std::byte* stage() override;
  void post(TransportRank to, std::size_t bytes) override;
  void post_with_next(TransportRank to, std::size_t bytes) override;
  bool receive(Message& message) override;
  void flush() override {
    if (has_bundle()) launch_bundle();
  }
  Ticket start_send(TransportRank to, int tag, std::span<const std::byte> body) override;
  Ticket start_matched_send(TransportRank to, int tag, std::span<const std::byte> body) override;
  Ticket start_receive(TransportRank from, int tag, std::span<std::byte> body) override;
  bool done(Ticket ticket, std::size_t* received_bytes) override;
  void progress() override;
  std::size_t unsent() const override { return pending_.size(); }

  // The others are lost: nothing is waited for any more, and what MPI may still look at is never freed.
  void abandon();

 private:
  struct Outgoing {  // being filled, or with MPI
    SendPool::Buffer bytes;
    SendPool* pool = nullptr;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  struct Body {
    MPI_Request request = MPI_REQUEST_NULL;  // null: it has travelled with its message
    bool is_receive = false;
    std::size_t bytes = 0;  // then, of a receive
    bool is_complete() const { return request == MPI_REQUEST_NULL; }
  };
  // In the bundle at head_, or in a copy of its own once that is posted again.
  struct Arrived {
    TransportRank from = no_rank;
    int tag = 0;
    std::span<const std::byte> bytes;
    std::unique_ptr<std::byte[]> copy;
  };

  using SendCall = int(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  Ticket send(SendCall* call, const char* name, TransportRank to, int tag, std::span<const std::byte> body);
  void post_ring();
  void take_back_ring();
  std::byte* slot_bytes(unsigned slot) const { return ring_.get() + slot * slot_room_; }
  static Outgoing taken_from(SendPool& pool) { return {pool.take(), &pool}; }
  bool has_bundle() const { return bundle_.bytes != nullptr; }
  void launch(Outgoing& filled, TransportRank to, std::size_t bytes);
  void launch_bundle();
  void add_to_bundle(TransportRank to, std::size_t bytes);
  bool may_close_bundle(TransportRank to, std::size_t bytes) const;
  std::span<const std::byte> unpack();
  void keep_arrived();
  std::optional<std::size_t> take_arrived(TransportRank from, int tag, std::span<std::byte> body);
  void reap_pending();
  bool takes_bundle(TransportRank to) const;
  bool is_rank(TransportRank rank) const { return rank >= 0 && rank < size_; }

  const MPI_Comm wire_;
  const MpiCheck check_;
  const MpiYieldSwitch yield_;  // a poll of ours never gives the processor away
  TransportRank rank_ = no_rank;
  TransportRank size_ = 0;

  const bool takes_bundles_;
  // Slots head_, head_ + 1, ... (mod ring_slots) are posted, in this order; while handed_out_, the
  // slot at head_ holds the message the caller is looking at, alone or of a bundle, and is not posted.
  const std::size_t slot_room_;
  std::unique_ptr<std::byte[]> ring_;
  std::array<MPI_Request, ring_slots> ring_requests_;
  unsigned head_ = 0;
  bool handed_out_ = false;
  TransportRank unpacked_from_ = no_rank;
  BundleReader unpacked_;         // what is left of the bundle at head_
  std::vector<Arrived> arrived_;  // bodies that came with their messages, and are not asked for yet
  bool has_polled_ = false;       // a receive() that found nothing has let MPI work

  SendPool messages_{protocol::message_bytes, 0};
  SendPool bundles_{protocol::bundle_bytes, kept_bundles};
  const std::vector<TransportRank> near_;
  const bool sends_bundles_;
  const bool bundles_answers_;
  Outgoing staged_;
  Outgoing bundle_;  // if it has bytes, begun, and to be sent with the next post
  BundleWriter packed_;
  TransportRank bundle_to_ = no_rank;
  bool holds_answers_ = false;    // to messages of unpacked_: it goes when that ends, or before anything else
  std::deque<Outgoing> pending_;  // MPI has not sent them yet

  TicketTable<Body> bodies_;
};

}  // namespace comex::transport
