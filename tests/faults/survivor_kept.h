// Memory with a mirror of each part on another host, which the workers of survivors.cpp write in every round
// and recover after a death.
//
// In each turn all write the next version: the home of a part stores it there and keeps it, and every worker
// puts it to one part and fences it. So no part that recover gives is older than what the survivor knows to
// be fenced, or written by all. One member asks for no bytes: it has mirrors, and no address to name them by.
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "survivor_team.h"

namespace comex::testing {

class KeptParts {
 public:
  bool is_there() const { return !places_.empty(); }
  bool is_cleared() const { return is_there() && is_cleared_; }  // and all members have done so

  // Collective over the team, which has more hosts than one.
  void allocate(const Team& team) {
    std::vector<void*> places(static_cast<std::size_t>(team.size));
    meet_all(comex_malloc_kept(places.data(), team.rank == empty ? 0 : sizeof(Part), 1, team.group),
             "malloc_kept");
    *this = KeptParts();
    places_ = places;
    group_ = team.group;
    rank_ = team.rank;
    for (int part = 0; part < team.size; ++part) homes_.push_back(part);
    fenced_.assign(places.size(), 0);
    if (team.rank != empty) {
      *at(team.rank) = {};
      went_or_lost(comex_keep(at(team.rank)), "keep of a new part");
    }
    meet_all(comex_barrier(team.group), "barrier before the first writes");
    is_cleared_ = true;
  }
  // Collective over all members.
  void free() {
    void* const mine = first_own();
    places_.clear();
    meet_all(comex_free(mine, group_), "free of kept memory");
  }
  // Where others have freed theirs, or never had it.
  void drop() {
    void* const mine = first_own();
    places_.clear();
    require(comex_free(mine, group_) == COMEX_PROC_FAILED, "free of kept memory with a dead member");
  }

  // All write the next version, and look whether all have.
  void write(const Team& team) {
    for (int part = 0; part < count(); ++part) {
      if (home(part) == rank_ && part != empty) store(part);
    }
    const int part = part_of(team, team.me());
    went_or_lost(comex_put(&next_, &at(part)->put[index(team.me())], sizeof next_, home(part), team.group),
                 "put to kept memory");
    went_or_lost(comex_fence_proc(home(part), team.group), "fence of kept memory");
    fenced_[index(part)] = next_;
    meet_all(comex_barrier(team.group), "barrier after writes");
    met_ = next_++;
    writers_.clear();
    for (const int worker : team.workers) writers_.push_back({part_of(team, worker), worker});
    require(look_at_all() == met_, "what all have written to kept memory");
    meet_all(comex_barrier(team.group), "barrier before writes");
  }

  // Collective over the team, after a death.
  void recover(const Team& team) {
    std::vector<int> homes(places_.size());
    std::vector<void*> places(places_.size());
    meet_all(comex_recover(first_own(), team.group, places.data(), homes.data()), "recover");
    places_ = std::move(places);
    homes_ = std::move(homes);
    group_ = team.group;
    rank_ = team.rank;
    next_ = look_at_all() + 1;
    meet_all(comex_barrier(team.group), "barrier after recover");
  }

 private:
  static constexpr int empty = 1;
  static constexpr int doubles = 3000;
  static constexpr long most_unmet = 4;  // versions that others may have begun since all had written one
  struct Part {
    long kept;                           // by its home, as is the body
    std::array<long, most_workers> put;  // by each worker
    std::array<double, doubles> body;
  };
  struct Writer {
    int part;
    int worker;
  };

  static std::size_t index(int of) { return static_cast<std::size_t>(of); }
  int count() const { return static_cast<int>(places_.size()); }
  Part* at(int part) const { return static_cast<Part*>(places_[index(part)]); }
  int home(int part) const { return homes_[index(part)]; }
  int part_of(const Team& team, int worker) const {
    const auto rank = std::ranges::find(team.workers, worker) - team.workers.begin();
    const int part = (static_cast<int>(rank) + 1) % count();
    return part == empty ? 0 : part;
  }
  void* first_own() const {
    for (int part = 0; part < count(); ++part) {
      if (home(part) == rank_ && part != empty) return at(part);
    }
    return nullptr;
  }

  // It fails only where a host is lost: that of the part, or of its mirror.
  static void went_or_lost(int code, const char* what) {
    require(code == COMEX_SUCCESS || code == COMEX_PROC_FAILED, what);
    if (code == COMEX_SUCCESS) return;
    while (!is_any_host_lost()) comex_progress();
    throw Death();
  }
  void store(int part) const {
    at(part)->kept = next_;
    at(part)->body.fill(static_cast<double>(next_));
    went_or_lost(comex_keep(at(part)), "keep");
  }

  // The newest version in any part. None is older than the last that all have written.
  long look_at_all() const {
    long newest = met_;
    for (int part = 0; part < count(); ++part) {
      if (part == empty) continue;
      Part seen{};
      went_or_lost(comex_get(at(part), &seen, sizeof seen, home(part), group_), "get of kept memory");
      const auto [least, most] = std::ranges::minmax(seen.body);
      const auto oldest = std::min(static_cast<double>(seen.kept), least);
      require(oldest >= static_cast<double>(met_), "what a part has, and all had written");
      newest = std::max({newest, seen.kept, static_cast<long>(most), std::ranges::max(seen.put)});
      for (const Writer& writer : writers_)
        require(writer.part != part || seen.put[index(writer.worker)] >= met_, "what all had put to a part");
      require(std::ranges::max(seen.put) >= fenced_[index(part)], "what was fenced here");
    }
    require(newest <= met_ + most_unmet, "versions of kept memory");
    return newest;
  }

  std::vector<void*> places_;  // of the parts
  std::vector<int> homes_;     // of the parts, by rank of the group
  comex_group_t group_ = COMEX_GROUP_NULL;
  int rank_ = -1;
  bool is_cleared_ = false;
  long next_ = 1;
  long met_ = 0;                 // the last version that all have written
  std::vector<Writer> writers_;  // of that
  std::vector<long> fenced_;     // by this worker, for each part
};

}  // namespace comex::testing
