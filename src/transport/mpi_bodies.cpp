#include "transport/mpi_bodies.h"

#include <atomic>

namespace comex::transport {

Ticket MpiBodies::add(MPI_Request request, bool is_receive) {
  const std::uint32_t body = bodies_.take({.place = requests_.size(), .asked = looks_});
  requests_.push_back(request);
  entries_.push_back({body, is_receive});
  return Ticket{body};
}

bool MpiBodies::done(Ticket ticket, std::size_t* received_bytes) {
  Body& body = bodies_.at(ticket.index);
  if (!body.is_complete && body.asked == looks_) look();
  body.asked = looks_;
  if (!body.is_complete) return false;
  if (received_bytes != nullptr) *received_bytes = body.received_bytes;
  bodies_.give_back(ticket.index);
  return true;
}

// One after the other, because MPI may end the job itself for those that fail together, without the reason.
void MpiBodies::look() {
  ++looks_;
  const mpi::YieldScope no_yields(yield_, false);
  for (int is_complete = 1; is_complete != 0 && !requests_.empty();) {
    int place = 0;
    MPI_Status status;
    if (requests_.size() == 1) {
      // It looks again after it has let MPI work.
      check_(PMPI_Test(requests_.data(), &is_complete, &status), "MPI_Test");
    } else {
      const int count = static_cast<int>(requests_.size());
      check_(PMPI_Testany(count, requests_.data(), &place, &is_complete, &status), "MPI_Testany");
    }
    if (is_complete != 0) complete(static_cast<std::size_t>(place), status);
  }
  std::atomic_thread_fence(std::memory_order_acquire);  // MPI orders only what it carries
}

void MpiBodies::complete(std::size_t place, const MPI_Status& status) {
  Body& body = bodies_.at(entries_[place].body);
  body.is_complete = true;
  if (entries_[place].is_receive) {
    int bytes = 0;
    check_(PMPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    body.received_bytes = static_cast<std::size_t>(bytes);
  }
  forget(place);
}

// The last request takes its place.
void MpiBodies::forget(std::size_t place) {
  requests_[place] = requests_.back();
  entries_[place] = entries_.back();
  requests_.pop_back();
  entries_.pop_back();
  if (place != entries_.size()) bodies_.at(entries_[place].body).place = place;
}

bool MpiBodies::take_back(std::size_t place) {
  MPI_Request& request = requests_[place];
  if (entries_[place].is_receive) check_(PMPI_Cancel(&request), "MPI_Cancel");
  int is_complete = 0;  // a receive that a message has matched is not cancelled
  check_(PMPI_Test(&request, &is_complete, MPI_STATUS_IGNORE), "MPI_Test");
  if (is_complete == 0) check_(PMPI_Request_free(&request), "MPI_Request_free");
  return is_complete != 0;
}

bool MpiBodies::give_up(Ticket ticket) {
  const Body body = bodies_.at(ticket.index);
  bodies_.give_back(ticket.index);
  if (body.is_complete) return true;
  const bool is_back = take_back(body.place);
  forget(body.place);
  return is_back;
}

bool MpiBodies::give_up_all() {
  bool are_back = true;
  for (std::size_t place = 0; place < requests_.size(); ++place) are_back = take_back(place) && are_back;
  requests_.clear();
  entries_.clear();
  bodies_ = SlotTable<Body>();
  return are_back;
}

void MpiBodies::finish() {
  for (std::size_t place = 0; place < requests_.size(); ++place) {
    if (entries_[place].is_receive) check_(PMPI_Cancel(&requests_[place]), "MPI_Cancel");
    check_(PMPI_Wait(&requests_[place], MPI_STATUS_IGNORE), "MPI_Wait");
  }
}

}  // namespace comex::transport
