// The least that an operation on another host can cost: one message of MPI there and, where a result or a
// confirmation is due, one back. The target sits in a blocking receive meanwhile.
//
//   origin: aim ──► (address and whether to add)   only where the next place is not the one both expect
//           data ─► lands at the address           kinds say what comes back: nothing, a word, or data
//
// Rows go round their places again and again. Both sides note which place came after which, so that from the
// second round on nothing is sent but data, straight to its place.
#pragma once

#include <mpi.h>

#include <unordered_map>
#include <vector>

#include "floor_kernels.h"
#include "place.h"

namespace bench::floors {

struct Aim {
  std::byte* address = nullptr;
  bool adds = false;
};

// Where the next message goes, as both ends know it.
class Route {
 public:
  const Aim& next() const { return next_; }
  void turn_to(const Aim& aim) {
    if (last_ != nullptr) after_[last_] = aim.address;
    next_ = aim;
  }
  void advance() {
    last_ = next_.address;
    if (after_.empty()) return;
    const auto known = after_.find(last_);
    if (known != after_.end()) next_.address = known->second;
  }

 private:
  Aim next_;
  std::byte* last_ = nullptr;
  std::unordered_map<std::byte*, std::byte*> after_;
};

class Messages {
 public:
  explicit Messages(MPI_Comm comm) : comm_(comm) {}

  // -- the origin's side
  void put(const void* from, const Place& to, int bytes, bool adds) {
    aim(to, adds);
    MPI_Send(from, bytes, MPI_BYTE, to.proc, silent, comm_);
  }
  void put_confirmed(const void* from, const Place& to, int bytes) {
    aim(to, false);
    MPI_Send(from, bytes, MPI_BYTE, to.proc, confirmed, comm_);
    take_word(to.proc);
  }
  void get(const Place& from, void* to, int bytes) {
    aim(from, false);
    MPI_Send(nullptr, 0, MPI_BYTE, from.proc, wanted + kinds * bytes, comm_);
    MPI_Recv(to, bytes, MPI_BYTE, from.proc, reply, comm_, MPI_STATUS_IGNORE);
  }
  long add_word(const Place& at) {
    aim(at, false);
    MPI_Send(nullptr, 0, MPI_BYTE, at.proc, counted, comm_);
    return take_word(at.proc);
  }
  void nbput(const void* from, const Place& to, int bytes, bool adds) {
    aim(to, adds);
    MPI_Isend(from, bytes, MPI_BYTE, to.proc, silent, comm_, fresh());
  }
  void nbget(const Place& from, void* to, int bytes) {
    aim(from, false);
    MPI_Irecv(to, bytes, MPI_BYTE, from.proc, reply, comm_, fresh());
    MPI_Isend(nullptr, 0, MPI_BYTE, from.proc, wanted + kinds * bytes, comm_, fresh());
  }
  void nbadd(const Place& at, long* old) {
    aim(at, false);
    MPI_Irecv(old, 8, MPI_BYTE, at.proc, reply, comm_, fresh());
    MPI_Isend(nullptr, 0, MPI_BYTE, at.proc, counted, comm_, fresh());
  }
  void wait() {
    MPI_Waitall(static_cast<int>(under_way_.size()), under_way_.data(), MPI_STATUSES_IGNORE);
    under_way_.clear();
  }
  void fence(int proc) {
    MPI_Send(nullptr, 0, MPI_BYTE, proc, fenced, comm_);
    take_word(proc);
  }
  void stop(int proc) {
    MPI_Send(nullptr, 0, MPI_BYTE, proc, end, comm_);
    route_to(proc) = Route();
  }

  // -- the target's side: until the origin has stopped it
  void serve(std::size_t most_bytes) {
    std::vector<double> staged;
    std::vector<long> word(1);
    Route route;
    while (true) {
      const Aim at = route.next();
      void* const landing = at.address == nullptr ? word.data()
                            : at.adds             ? staged.data()
                                                  : static_cast<void*>(at.address);
      const std::size_t room = at.address == nullptr ? 8 : most_bytes;
      MPI_Status status;
      MPI_Recv(landing, static_cast<int>(room), MPI_BYTE, 0, MPI_ANY_TAG, comm_, &status);
      int bytes = 0;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      const int kind = status.MPI_TAG % kinds;
      if (kind == end) return;
      if (kind == aiming) {
        Aim other;
        MPI_Recv(&other, sizeof other, MPI_BYTE, 0, aiming, comm_, MPI_STATUS_IGNORE);
        route.turn_to(other);
        if (other.adds) staged.resize(most_bytes / 8);
        continue;
      }
      if (at.adds && bytes > 0) {
        add(1.0, staged.data(), reinterpret_cast<double*>(at.address), static_cast<std::size_t>(bytes));
      }
      answer(kind, status.MPI_TAG / kinds, at.address);
      if (kind != fenced) route.advance();
    }
  }

 private:
  static constexpr int kinds = 8;
  static constexpr int fenced = 0, aiming = 1, silent = 2, confirmed = 3, wanted = 4, counted = 5, end = 6,
                       reply = 7;

  void aim(const Place& place, bool adds) {
    Route& route = route_to(place.proc);
    if (place.at != route.next().address || adds != route.next().adds) {
      wait();
      const Aim aim{place.at, adds};
      route.turn_to(aim);
      MPI_Send(nullptr, 0, MPI_BYTE, place.proc, aiming, comm_);
      MPI_Send(&aim, sizeof aim, MPI_BYTE, place.proc, aiming, comm_);
    }
    route.advance();
  }
  Route& route_to(int proc) {
    if (routes_.size() <= static_cast<std::size_t>(proc)) routes_.resize(static_cast<std::size_t>(proc) + 1);
    return routes_[static_cast<std::size_t>(proc)];
  }
  long take_word(int proc) {
    long word = 0;
    MPI_Recv(&word, 8, MPI_BYTE, proc, reply, comm_, MPI_STATUS_IGNORE);
    return word;
  }
  MPI_Request* fresh() { return &under_way_.emplace_back(MPI_REQUEST_NULL); }

  void answer(int kind, int wanted_bytes, std::byte* address) {
    long word = 0;
    if (kind == counted) {
      word = *reinterpret_cast<long*>(address);
      *reinterpret_cast<long*>(address) = word + 1;
    }
    if (kind == confirmed || kind == counted || kind == fenced) MPI_Send(&word, 8, MPI_BYTE, 0, reply, comm_);
    if (kind == wanted) {
      MPI_Send(address == nullptr ? static_cast<void*>(&word) : address, wanted_bytes, MPI_BYTE, 0, reply,
               comm_);
    }
  }

  MPI_Comm comm_;
  std::vector<Route> routes_;
  std::vector<MPI_Request> under_way_;
};

}  // namespace bench::floors
