// Transport over the two-sided messages of an MPI communicator, the wire.
//
// The wire is the caller's: dup'ed for this transport alone, freed after it. Small messages arrive
// in a ring of posted receives, of which only the oldest is tested, so that they are seen in the
// order in which MPI matched them. All calls are PMPI_*: nobody's wrapper sees them. Created by api
// on every rank of a world; MPI must still be initialised when it is destroyed.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <vector>

#include "transport/mpi_check.h"
#include "transport/mpi_tuning.h"
#include "transport/ticket_table.h"
#include "transport/transport.h"

namespace comex::transport {

class MpiTransport final : public Transport {
 public:
  MpiTransport(MPI_Comm wire, MpiFailureHandler on_failure);
  // Waits for the sends and bodies still in flight towards others, takes back what is posted here.
  ~MpiTransport() override;
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  TransportRank rank() const override { return rank_; }
  TransportRank size() const override { return size_; }
  std::byte* stage() override;
  void post(TransportRank to, std::size_t bytes) override;
  bool receive(Message& message) override;
  Ticket start_send(TransportRank to, int tag, std::span<const std::byte> body) override;
  Ticket start_matched_send(TransportRank to, int tag, std::span<const std::byte> body) override;
  Ticket start_receive(TransportRank from, int tag, std::span<std::byte> body) override;
  bool done(Ticket ticket, std::size_t* received_bytes) override;
  void progress() override;
  std::size_t unsent() const override { return unsent_; }

  // The others are lost: nothing is waited for any more, and what MPI may still look at is never freed.
  void abandon();

 private:
  static constexpr unsigned ring_slots = 16;

  struct alignas(64) Buffer {
    std::byte bytes[protocol::message_bytes];
  };
  // On the free list or on the pending list, or staged.
  struct Outgoing {
    Buffer buffer;
    MPI_Request request = MPI_REQUEST_NULL;
    Outgoing* next = nullptr;
  };
  struct Body {
    MPI_Request request = MPI_REQUEST_NULL;
    bool is_receive = false;
  };

  using SendCall = int(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  Ticket send(SendCall* call, const char* name, TransportRank to, int tag, std::span<const std::byte> body);
  void post_ring();
  void take_back_ring();
  void append_pending(Outgoing* sent);
  void reap_pending();
  bool is_rank(TransportRank rank) const { return rank >= 0 && rank < size_; }

  const MPI_Comm wire_;
  const MpiCheck check_;
  const MpiYieldSwitch yield_;  // a poll of ours never gives the processor away
  TransportRank rank_ = no_rank;
  TransportRank size_ = 0;

  // Slots head_, head_ + 1, ... (mod ring_slots) are posted, in this order; while handed_out_, the
  // slot at head_ holds the message the caller is looking at and is not posted.
  std::unique_ptr<std::array<Buffer, ring_slots>> ring_;
  std::array<MPI_Request, ring_slots> ring_requests_;
  unsigned head_ = 0;
  bool handed_out_ = false;
  bool has_polled_ = false;  // a receive() that found nothing has let MPI work

  std::vector<std::unique_ptr<Outgoing>> outgoing_;  // owner of all of them
  Outgoing* free_ = nullptr;
  Outgoing* staged_ = nullptr;
  Outgoing* pending_first_ = nullptr;
  Outgoing* pending_last_ = nullptr;
  std::size_t unsent_ = 0;

  TicketTable<Body> bodies_;
};

}  // namespace comex::transport
