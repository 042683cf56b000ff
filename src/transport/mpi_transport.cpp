#include "transport/mpi_transport.h"

#include <climits>
#include <utility>

namespace comex::transport {
namespace {

// Above every tag of the protocol, within the 32767 that any MPI allows.
constexpr int probe_tag = 32767;
static_assert(protocol::get_tag(protocol::slot_count - 1) < probe_tag);
static_assert(body_limit_bytes <= INT_MAX && protocol::message_bytes <= INT_MAX);

}  // namespace

MpiTransport::MpiTransport(MPI_Comm wire, MpiFailureHandler on_failure)
    : wire_(wire),
      check_(std::move(on_failure)),
      ring_(std::make_unique_for_overwrite<std::array<Buffer, ring_slots>>()) {
  check_.let_errors_return(wire_);
  check_(PMPI_Comm_rank(wire_, &rank_), "MPI_Comm_rank");
  check_(PMPI_Comm_size(wire_, &size_), "MPI_Comm_size");
  post_ring();
}

MpiTransport::~MpiTransport() {
  while (pending_first_ != nullptr) reap_pending();
  bodies_.for_each_taken([this](Body& body) {
    if (body.is_receive) check_(PMPI_Cancel(&body.request), "MPI_Cancel");
    check_(PMPI_Wait(&body.request, MPI_STATUS_IGNORE), "MPI_Wait");
  });
  take_back_ring();
}

void MpiTransport::abandon() {
  while (pending_first_ != nullptr) {
    check_(PMPI_Request_free(&pending_first_->request), "MPI_Request_free");
    pending_first_ = pending_first_->next;
  }
  for (std::unique_ptr<Outgoing>& each : outgoing_) static_cast<void>(each.release());
  outgoing_.clear();
  free_ = staged_ = nullptr;
  unsent_ = 0;
  bodies_.for_each_taken([this](Body& body) {
    if (body.is_receive) check_(PMPI_Cancel(&body.request), "MPI_Cancel");
    check_(PMPI_Request_free(&body.request), "MPI_Request_free");
  });
  bodies_ = {};
}

void MpiTransport::post_ring() {
  for (unsigned slot = 0; slot < ring_slots; ++slot) {
    check_(PMPI_Recv_init((*ring_)[slot].bytes, protocol::message_bytes, MPI_BYTE, MPI_ANY_SOURCE,
                          protocol::header_tag, wire_, &ring_requests_[slot]),
           "MPI_Recv_init");
    check_(PMPI_Start(&ring_requests_[slot]), "MPI_Start");
  }
}

void MpiTransport::take_back_ring() {
  for (unsigned slot = 0; slot < ring_slots; ++slot) {
    if (!(handed_out_ && slot == head_)) {
      check_(PMPI_Cancel(&ring_requests_[slot]), "MPI_Cancel");
      check_(PMPI_Wait(&ring_requests_[slot], MPI_STATUS_IGNORE), "MPI_Wait");
    }
    check_(PMPI_Request_free(&ring_requests_[slot]), "MPI_Request_free");
  }
}

std::byte* MpiTransport::stage() {
  if (staged_ == nullptr) {
    if (free_ == nullptr) {
      outgoing_.push_back(std::make_unique<Outgoing>());
      free_ = outgoing_.back().get();
    }
    staged_ = free_;
    free_ = staged_->next;
  }
  return staged_->buffer.bytes;
}

void MpiTransport::post(TransportRank to, std::size_t bytes) {
  COMEX_BUG_IF(staged_ == nullptr || bytes > protocol::message_bytes || !is_rank(to));
  check_(PMPI_Isend(staged_->buffer.bytes, static_cast<int>(bytes), MPI_BYTE, to, protocol::header_tag, wire_,
                    &staged_->request),
         "MPI_Isend");
  const MpiYieldSwitch::Off off(yield_);
  int sent = 0;
  check_(PMPI_Test(&staged_->request, &sent, MPI_STATUS_IGNORE), "MPI_Test");
  if (sent == 0) {  // else the buffer stays, ready for the next stage()
    append_pending(staged_);
    ++unsent_;
    staged_ = nullptr;
  }
  if (bell_ != nullptr) bell_->sent(to);
}

void MpiTransport::append_pending(Outgoing* sent) {
  sent->next = nullptr;
  (pending_first_ == nullptr ? pending_first_ : pending_last_->next) = sent;
  pending_last_ = sent;
}

// One test that fails is enough: it has let MPI work. That send goes to the end of the list, so
// that a receiver that is stuck does not keep the buffers of all others.
void MpiTransport::reap_pending() {
  while (pending_first_ != nullptr) {
    Outgoing* oldest = pending_first_;
    int sent = 0;
    check_(PMPI_Test(&oldest->request, &sent, MPI_STATUS_IGNORE), "MPI_Test");
    pending_first_ = oldest->next;
    if (sent == 0) {
      append_pending(oldest);
      return;
    }
    oldest->next = free_;
    free_ = oldest;
    --unsent_;
  }
}

bool MpiTransport::receive(Message& message) {
  const MpiYieldSwitch::Off off(yield_);
  if (handed_out_) {
    check_(PMPI_Start(&ring_requests_[head_]), "MPI_Start");
    head_ = (head_ + 1) % ring_slots;
    handed_out_ = false;
  }
  if (pending_first_ != nullptr) reap_pending();
  int arrived = 0;
  MPI_Status status;
  check_(PMPI_Test(&ring_requests_[head_], &arrived, &status), "MPI_Test");
  has_polled_ = arrived == 0;
  if (arrived == 0) return false;
  int bytes = 0;
  check_(PMPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  handed_out_ = true;
  message.from = status.MPI_SOURCE;
  message.data = {(*ring_)[head_].bytes, static_cast<std::size_t>(bytes)};
  if (bell_ != nullptr) bell_->received(message.from);
  return true;
}

Ticket MpiTransport::start_send(TransportRank to, int tag, std::span<const std::byte> body) {
  return send(PMPI_Isend, "MPI_Isend", to, tag, body);
}

Ticket MpiTransport::start_matched_send(TransportRank to, int tag, std::span<const std::byte> body) {
  return send(PMPI_Issend, "MPI_Issend", to, tag, body);
}

Ticket MpiTransport::send(SendCall* call, const char* name, TransportRank to, int tag,
                          std::span<const std::byte> body) {
  COMEX_BUG_IF(!is_rank(to) || tag <= protocol::header_tag || tag >= probe_tag);
  COMEX_BUG_IF(body.size() > body_limit_bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  check_(call(body.data(), static_cast<int>(body.size()), MPI_BYTE, to, tag, wire_, &request), name);
  return bodies_.take({request, false});
}

Ticket MpiTransport::start_receive(TransportRank from, int tag, std::span<std::byte> body) {
  COMEX_BUG_IF(!is_rank(from) || tag <= protocol::header_tag || tag >= probe_tag);
  COMEX_BUG_IF(body.size() > body_limit_bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  check_(PMPI_Irecv(body.data(), static_cast<int>(body.size()), MPI_BYTE, from, tag, wire_, &request),
         "MPI_Irecv");
  return bodies_.take({request, true});
}

bool MpiTransport::done(Ticket ticket, std::size_t* received_bytes) {
  Body& body = bodies_.at(ticket);
  const MpiYieldSwitch::Off off(yield_);
  int complete = 0;
  MPI_Status status;
  check_(PMPI_Test(&body.request, &complete, &status), "MPI_Test");
  if (complete == 0) return false;
  if (body.is_receive && received_bytes != nullptr) {
    int bytes = 0;
    check_(PMPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    *received_bytes = static_cast<std::size_t>(bytes);
  }
  bodies_.spend(ticket);
  return true;
}

// From this rank only: a probe of any source looks through the queues of all of them.
void MpiTransport::progress() {
  if (std::exchange(has_polled_, false)) return;
  const MpiYieldSwitch::Off off(yield_);
  if (pending_first_ != nullptr) reap_pending();
  int found = 0;
  check_(PMPI_Iprobe(rank_, probe_tag, wire_, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

}  // namespace comex::transport
