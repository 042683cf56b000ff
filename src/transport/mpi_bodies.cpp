#include "transport/mpi_bodies.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <span>

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

void MpiBodies::look() {
  ++looks_;
  const mpi::YieldScope no_yields(yield_, false);
  completed_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int count = 0;
  if (requests_.size() == 1) {
    // It looks again after it has let MPI work.
    check_(PMPI_Test(requests_.data(), &count, statuses_.data()), "MPI_Test");
    completed_.front() = 0;
  } else {
    const int code = PMPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                   completed_.data(), statuses_.data());
    for (int i = 0; code == MPI_ERR_IN_STATUS && i < count; ++i)
      check_(statuses_[static_cast<std::size_t>(i)].MPI_ERROR, "MPI_Testsome");
    check_(code, "MPI_Testsome");
  }
  if (count == 0) return;
  const std::span places(completed_.data(), static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < places.size(); ++i) complete(static_cast<std::size_t>(places[i]), statuses_[i]);
  // The last request takes the place of one that is forgotten.
  std::ranges::sort(places, std::greater());
  for (const int place : places) forget(static_cast<std::size_t>(place));
  std::atomic_thread_fence(std::memory_order_acquire);  // MPI orders only what it carries
}

void MpiBodies::complete(std::size_t place, const MPI_Status& status) {
  Body& body = bodies_.at(entries_[place].body);
  body.is_complete = true;
  if (!entries_[place].is_receive) return;
  int bytes = 0;
  check_(PMPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  body.received_bytes = static_cast<std::size_t>(bytes);
}

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
