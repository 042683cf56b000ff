// Puts through an inter-group that nobody has waited for: a fence, and parting, leave their effect behind.
//
// For two launches of any size. Used by meet.
#pragma once

#include "worlds/place.h"

namespace comex::testing {

class UnderWay {
 public:
  UnderWay(const Job& job, const Place& place, comex_group_t peer, comex_group_t merged)
      : job_(job), accepts_(place.accepts()), memory_(job, words * size_of(merged), merged) {
    job.done(comex_group_remote_size(peer, &far_));
  }

  // To every process of the other side.
  void begin(comex_group_t inter, long value) {
    sent_.assign(words, value + job_.me);
    for (int target = 0; target < far_; ++target) {
      job_.done(comex_nbput(sent_.data(), part(far_rank(target), own_rank()),
                            static_cast<int>(words * sizeof(long)), target, inter, nullptr));
    }
  }
  // Looked at without a call of the library, which might end what is under way.
  void has_come(long value, const char* when) const {
    for (int from = 0; from < far_; ++from) {
      const long* const place = part(own_rank(), far_rank(from));
      job_.equal(look(place), value + from, when);
      job_.equal(look(place + words - 1), value + from, when);
    }
  }
  void tell_and_await(const std::string& file) const {
    const auto of = [&](bool accepts, int rank) {
      return file + (accepts ? ".accept." : ".connect.") + std::to_string(rank);
    };
    publish(of(accepts_, job_.me), "fenced");
    for (int rank = 0; rank < far_; ++rank) look_up(of(!accepts_, rank));
  }

 private:
  static constexpr std::size_t words = 200'000;  // more than is on its way at a time
  std::size_t size_of(comex_group_t group) const {
    int size = 0;
    job_.done(comex_group_size(group, &size));
    return static_cast<std::size_t>(size);
  }
  // In the merged group the accepting side comes first.
  int own_rank() const { return job_.me + (accepts_ ? 0 : far_); }
  int far_rank(int rank) const { return rank + (accepts_ ? job_.workers : 0); }
  long* part(int owner, int writer) const {
    return memory_.of(owner) + words * static_cast<std::size_t>(writer);
  }

  const Job& job_;
  bool accepts_;
  int far_ = 0;
  Everywhere<long> memory_;
  std::vector<long> sent_;
};

inline void what_is_under_way_arrives(const Job& job, const Place& place) {
  comex_group_t peer = place.meet();
  comex_group_t merged = COMEX_GROUP_NULL;
  comex_group_t copy = COMEX_GROUP_NULL;
  job.done(comex_group_merge(peer, place.accepts() ? 0 : 1, &merged));
  job.done(comex_group_dup(peer, &copy));
  {
    UnderWay puts(job, place, peer, merged);
    puts.begin(peer, 1000);
    job.done(comex_fence_all(peer));
    puts.tell_and_await(job.arguments.at(1) + ".fenced");
    puts.has_come(1000, "what a fence through an inter-group has left");
    job.done(comex_barrier(merged));
    puts.begin(copy, 2000);
    job.done(comex_world_disconnect(&copy));
    puts.has_come(2000, "what parting has left");
    job.done(comex_barrier(merged));
  }
  job.done(comex_world_disconnect(&merged));
  job.done(comex_world_disconnect(&peer));
}

}  // namespace comex::testing
