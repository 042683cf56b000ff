#include "transport/mpi_transport.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstring>
#include <utility>

namespace comex::transport {
namespace {

// Above every tag of the protocol and within 32767, which every MPI allows.
constexpr int probe_tag = 32767;
static_assert(protocol::get_tag(protocol::slot_count - 1) < probe_tag);
static_assert(body_limit_bytes <= INT_MAX && protocol::bundle_bytes <= INT_MAX);

// MPI orders what it carries, and not the shared memory that messages tell of. On x86 these cost nothing.
void order_before_send() {
  std::atomic_thread_fence(std::memory_order_release);
}
void order_after_receive() {
  std::atomic_thread_fence(std::memory_order_acquire);
}

}  // namespace

MpiTransport::MpiTransport(MPI_Comm wire, MpiFailureHandler on_failure, Bundles bundles,
                           mpi::YieldSwitch yield)
    : wire_(wire),
      check_(std::move(on_failure)),
      yield_(yield),
      use_(std::move(bundles)),
      slot_capacity_(ring_slot_bytes(use_.are_taken)),
      ring_(std::make_unique_for_overwrite<std::byte[]>(ring_slots * slot_capacity_)),
      bodies_(check_, yield_) {
  check_.let_errors_return(wire_);
  check_(PMPI_Comm_rank(wire_, &rank_), "MPI_Comm_rank");
  check_(PMPI_Comm_size(wire_, &size_), "MPI_Comm_size");
  messages_ = SendPool(protocol::message_bytes, kept_messages(static_cast<std::uint64_t>(size_)));
  for (unsigned slot = 0; slot < ring_slots; ++slot) {
    check_(PMPI_Recv_init(slot_bytes(slot), static_cast<int>(slot_capacity_), MPI_BYTE, MPI_ANY_SOURCE,
                          protocol::header_tag, wire_, &ring_requests_[slot]),
           "MPI_Recv_init");
    check_(PMPI_Start(&ring_requests_[slot]), "MPI_Start");
  }
}

MpiTransport::~MpiTransport() {
  while (!pending_.empty()) reap_pending();
  bodies_.finish();
  for (unsigned slot = 0; slot < ring_slots; ++slot) {
    if (!(handed_out_ && slot == head_)) {
      check_(PMPI_Cancel(&ring_requests_[slot]), "MPI_Cancel");
      check_(PMPI_Wait(&ring_requests_[slot], MPI_STATUS_IGNORE), "MPI_Wait");
    }
    check_(PMPI_Request_free(&ring_requests_[slot]), "MPI_Request_free");
  }
}

bool MpiTransport::abandon() {
  for (Outgoing& sent : pending_) {
    check_(PMPI_Request_free(&sent.request), "MPI_Request_free");
    static_cast<void>(sent.bytes.release());
  }
  pending_.clear();
  staged_ = {};
  bundle_ = {};
  arrived_.clear();
  return !bodies_.give_up_all();
}

std::byte* MpiTransport::stage() {
  if (staged_.bytes == nullptr) staged_ = taken_from(messages_);
  return staged_.bytes.get();
}

void MpiTransport::post(TransportRank to, std::size_t bytes, bool has_next) {
  const bool is_answer = bundles_answers() && to == unpacked_from_;
  if ((has_next || is_answer) && takes_bundle(to)) return bundle(to, bytes);
  if (!has_bundle()) return launch(staged_, to, bytes);
  if (to != bundle_.to) {
    COMEX_BUG_IF(!holds_answers_);
    launch_bundle();
    return launch(staged_, to, bytes);
  }
  add_to_bundle(to, bytes);
  launch_bundle();
}

bool MpiTransport::takes_bundle(TransportRank to) const {
  return use_.are_taken && use_.are_sent && !std::ranges::binary_search(use_.same_machine, to);
}

// Copying the message costs a fraction of what sending it alone would cost.
void MpiTransport::bundle(TransportRank to, std::size_t bytes) {
  if (has_bundle() && holds_answers_ && to != bundle_.to) launch_bundle();
  if (!has_bundle()) {
    bundle_ = taken_from(bundles_);
    packed_ = BundleWriter(bundle_.bytes.get());
    bundle_.to = to;
  }
  holds_answers_ = bundles_answers();
  add_to_bundle(to, bytes);
  if (!packed_.has_capacity(protocol::message_bytes)) launch_bundle();
}

void MpiTransport::add_to_bundle(TransportRank to, std::size_t bytes) {
  COMEX_BUG_IF(staged_.bytes == nullptr || bytes > protocol::message_bytes || to != bundle_.to);
  packed_.add({staged_.bytes.get(), bytes});
}

void MpiTransport::launch_bundle() {
  launch(bundle_, bundle_.to, packed_.finish());
  if (has_bundle()) bundles_.give_back(std::exchange(bundle_, {}).bytes);
}

// If the buffer has left at once, it stays in `filled`, ready to be filled again.
void MpiTransport::launch(Outgoing& filled, TransportRank to, std::size_t bytes) {
  COMEX_BUG_IF(filled.bytes == nullptr || bytes > filled.pool->buffer_bytes() || !is_rank(to));
  order_before_send();
  check_(PMPI_Isend(filled.bytes.get(), static_cast<int>(bytes), MPI_BYTE, to, protocol::header_tag, wire_,
                    &filled.request),
         "MPI_Isend");
  const mpi::YieldScope no_yields(yield_, false);
  int sent = 0;
  check_(PMPI_Test(&filled.request, &sent, MPI_STATUS_IGNORE), "MPI_Test");
  filled.to = to;
  filled.number = posted_++;
  if (sent == 0) pending_.push_back(std::exchange(filled, {}));
  if (observer_ != nullptr) observer_->sent(to);
}

// Stops at the first test that fails, since that test has let MPI work. The send moves to the end of the
// list, so that a receiver that is stuck does not keep the buffers of all others.
void MpiTransport::reap_pending() {
  while (!pending_.empty()) {
    int sent = 0;
    check_(PMPI_Test(&pending_.front().request, &sent, MPI_STATUS_IGNORE), "MPI_Test");
    Outgoing oldest = std::move(pending_.front());
    pending_.pop_front();
    if (sent == 0) {
      pending_.push_back(std::move(oldest));
      return;
    }
    oldest.pool->give_back(std::move(oldest.bytes));
  }
}

bool MpiTransport::receive(Message& message) {
  if (!unpacked_.empty()) {
    message = {unpacked_from_, unpack()};
    return true;
  }
  // The open bundle holds answers; the last message of the bundle they answer needed none.
  if (has_bundle()) launch_bundle();
  const mpi::YieldScope no_yields(yield_, false);
  if (handed_out_) {
    keep_arrived();
    check_(PMPI_Start(&ring_requests_[head_]), "MPI_Start");
    head_ = (head_ + 1) % ring_slots;
    handed_out_ = false;
  }
  if (!pending_.empty()) reap_pending();
  int arrived = 0;
  MPI_Status status;
  check_(PMPI_Test(&ring_requests_[head_], &arrived, &status), "MPI_Test");
  has_polled_ = arrived == 0;
  if (arrived == 0) return false;
  order_after_receive();
  int bytes = 0;
  check_(PMPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  handed_out_ = true;
  message = {status.MPI_SOURCE, {slot_bytes(head_), static_cast<std::size_t>(bytes)}};
  if (use_.are_taken && BundleReader::is_bundle(message.data)) {
    unpacked_from_ = message.from;
    unpacked_ = BundleReader(message.data);
    message.data = unpack();
  }
  if (observer_ != nullptr) observer_->received(message.from);
  return true;
}

// Returns the next message and keeps the bodies that follow it in the bundle.
std::span<const std::byte> MpiTransport::unpack() {
  const std::span<const std::byte> message = unpacked_.take();
  while (const int tag = unpacked_.tag())
    arrived_.push_back({unpacked_from_, tag, unpacked_.take(), nullptr});
  return message;
}

// Copies the newest bodies, because the buffer they lie in is about to be posted again.
void MpiTransport::keep_arrived() {
  for (auto body = arrived_.rbegin(); body != arrived_.rend() && body->copy == nullptr; ++body) {
    body->copy = std::make_unique_for_overwrite<std::byte[]>(body->bytes.size());
    std::memcpy(body->copy.get(), body->bytes.data(), body->bytes.size());
    body->bytes = {body->copy.get(), body->bytes.size()};
  }
}

std::optional<std::size_t> MpiTransport::take_arrived(TransportRank from, int tag,
                                                      std::span<std::byte> body) {
  const auto found = std::ranges::find_if(
      arrived_, [&](const Arrived& each) { return each.from == from && each.tag == tag; });
  if (found == arrived_.end()) return std::nullopt;
  const std::size_t bytes = found->bytes.size();
  COMEX_BUG_IF(bytes > body.size());
  std::memcpy(body.data(), found->bytes.data(), bytes);
  arrived_.erase(found);
  return bytes;
}

// True if a body can be the last part of the open bundle. Bundles of answers take none, because their
// receivers have posted receives for bodies.
bool MpiTransport::may_close_bundle(TransportRank to, std::size_t bytes) const {
  return has_bundle() && !holds_answers_ && to == bundle_.to && bytes != 0 && packed_.has_capacity(bytes);
}

Ticket MpiTransport::start_send(TransportRank to, int tag, std::span<const std::byte> body) {
  if (may_close_bundle(to, body.size())) {
    COMEX_BUG_IF(tag <= protocol::header_tag || tag >= probe_tag);
    packed_.add(body, tag);
    launch_bundle();
    return bodies_.add_complete(0);
  }
  if (has_bundle() && !holds_answers_) launch_bundle();
  return send(PMPI_Isend, "MPI_Isend", to, tag, body);
}

Ticket MpiTransport::start_synchronous_send(TransportRank to, int tag, std::span<const std::byte> body) {
  return send(PMPI_Issend, "MPI_Issend", to, tag, body);
}

Ticket MpiTransport::send(SendCall* call, const char* name, TransportRank to, int tag,
                          std::span<const std::byte> body) {
  COMEX_BUG_IF(!is_rank(to) || tag <= protocol::header_tag || tag >= probe_tag);
  COMEX_BUG_IF(body.size() > body_limit_bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  if (before_body_) before_body_();
  order_before_send();
  check_(call(body.data(), static_cast<int>(body.size()), MPI_BYTE, to, tag, wire_, &request), name);
  return bodies_.add(request, false);
}

Ticket MpiTransport::start_receive(TransportRank from, int tag, std::span<std::byte> body) {
  COMEX_BUG_IF(!is_rank(from) || tag <= protocol::header_tag || tag >= probe_tag);
  COMEX_BUG_IF(body.size() > body_limit_bytes);
  if (!arrived_.empty()) {
    if (const auto bytes = take_arrived(from, tag, body)) return bodies_.add_complete(*bytes);
  }
  MPI_Request request = MPI_REQUEST_NULL;
  if (before_body_) before_body_();
  check_(PMPI_Irecv(body.data(), static_cast<int>(body.size()), MPI_BYTE, from, tag, wire_, &request),
         "MPI_Irecv");
  return bodies_.add(request, true);
}

// Probes this rank only, because a probe of any source would search the queues of all ranks.
void MpiTransport::progress() {
  if (std::exchange(has_polled_, false)) return;
  const mpi::YieldScope no_yields(yield_, false);
  if (!pending_.empty()) reap_pending();
  int found = 0;
  check_(PMPI_Iprobe(rank_, probe_tag, wire_, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

}  // namespace comex::transport
