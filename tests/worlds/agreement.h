// Collectives that make groups fail on all of their members or on none: one member's wrong argument, its
// hook, its table of groups that is full. What is collective afterwards works, and nothing is left behind.
#pragma once

#include <climits>
#include <numeric>

#include "worlds/worlds.h"

namespace comex::testing {

constexpr comex_group_t untouched = -77;

// Two halves of the world, even and odd workers, as an inter-group.
class HalvesOfTheWorld {
 public:
  explicit HalvesOfTheWorld(const Job& job) : job_(job) {
    job.done(comex_group_split(everyone, job.me % 2, 0, &half_));
  }
  ~HalvesOfTheWorld() { job_.done(comex_group_free(half_)); }
  HalvesOfTheWorld(const HalvesOfTheWorld&) = delete;
  HalvesOfTheWorld& operator=(const HalvesOfTheWorld&) = delete;

  int join(comex_group_t* inter) const {
    return comex_intergroup_create(half_, 0, everyone, 1 - job_.me % 2, 3, inter);
  }

 private:
  const Job& job_;
  comex_group_t half_ = COMEX_GROUP_NULL;
};

inline void one_wrong_argument_fails_all(const Job& job) {
  const bool is_wrong = job.me == 1;
  const char* nobody = "127.0.0.1:9:0123456789abcdef0123456789abcdef";
  constexpr double limit_s = 0.2;
  comex_group_t made = untouched;
  comex_group_t* const place = is_wrong ? nullptr : &made;
  const HalvesOfTheWorld halves(job);
  comex_group_t inter = COMEX_GROUP_NULL;
  job.done(halves.join(&inter));
  std::vector<int> all(static_cast<std::size_t>(job.workers));
  std::iota(all.begin(), all.end(), 0);

  comex_set_errors(COMEX_ERRORS_RETURN);
  job.equal(comex_world_connect(nobody, 0, everyone, limit_s, place), COMEX_FAILURE,
            "connect without a place");
  job.equal(comex_world_connect(nobody, is_wrong ? job.workers : 0, everyone, limit_s, &made), COMEX_FAILURE,
            "connect with a root that nobody has");
  job.equal(comex_world_connect(nobody, is_wrong ? 1 : 0, everyone, limit_s, &made), COMEX_FAILURE,
            "connect with two roots");
  job.equal(comex_group_dup(everyone, place), COMEX_FAILURE, "dup without a place");
  job.equal(comex_group_merge(inter, is_wrong ? 1 : 0, place), COMEX_FAILURE, "merge without a place");
  job.equal(comex_group_create(job.workers, all.data(), everyone, place), COMEX_FAILURE,
            "creation without a place");
  job.equal(comex_group_from_lpids(job.workers, all.data(), place), COMEX_FAILURE, "lpids without a place");
  job.equal(comex_group_create_endpoints(everyone, is_wrong ? INT_MAX : 1, &made), COMEX_FAILURE,
            "more endpoints than there can be groups");
  comex_set_errors(COMEX_ERRORS_ABORT);
  job.equal(made, untouched, "an output of a collective that failed");
  data_travels(job, everyone);
  job.done(comex_world_disconnect(&inter));
}

inline int no_card(uint32_t, uint32_t, void*, size_t* bytes, void*) {
  *bytes = 0;
  return 0;
}
inline int any_card(uint32_t, uint32_t, const void*, size_t, void*) {
  return 0;
}
// The context is the result that the program wants.
inline int say(comex_group_t, comex_group_t, int, const comex_gpid_t*, int, void* context) {
  return *static_cast<int*>(context);
}

// `join` makes an inter-group; the hook fails where `fails` holds.
template <class Join>
void a_hook_that_fails(const Job& job, bool fails, Join&& join) {
  int result = fails ? 5 : 0;
  const comex_card_hook_t hook{no_card, any_card, say, &result};
  comex_group_t inter = untouched;
  int before = 0;
  int after = 0;
  job.done(comex_lpid_count(&before));
  job.done(comex_set_card_hook(&hook));
  comex_set_errors(COMEX_ERRORS_RETURN);
  job.equal(join(&inter), COMEX_FAILURE, "joining with a hook that fails on one");
  comex_set_errors(COMEX_ERRORS_ABORT);
  job.done(comex_set_card_hook(nullptr));
  job.equal(inter, untouched, "the output of joining that failed");
  job.done(comex_lpid_count(&after));
  job.equal(after, before, "the processes known after joining that failed");
}

// Ranks of an inter-group are those of the remote side, in whatever call.
inline void names_the_remote_side(const Job& job, comex_group_t inter) {
  int first = 0;
  int other = 1 - job.me % 2;
  int mine = job.me;
  int found = -1;
  job.done(comex_group_translate_world(inter, 0, &found));
  job.equal(found, other, "the first of the remote side in the world");
  job.done(comex_group_translate_ranks(1, inter, &first, everyone, &found));
  job.equal(found, other, "a rank of the remote side in the world");
  job.done(comex_group_translate_ranks(1, everyone, &other, inter, &found));
  job.equal(found, 0, "the first of the remote side in the inter-group");
  job.done(comex_group_translate_ranks(1, everyone, &mine, inter, &found));
  job.equal(found, int{MPI_UNDEFINED}, "oneself in the remote side");
}

inline void one_failing_hook_fails_both_sides(const Job& job) {
  const HalvesOfTheWorld halves(job);
  a_hook_that_fails(job, job.me == 1, [&](comex_group_t* inter) { return halves.join(inter); });
  comex_group_t inter = COMEX_GROUP_NULL;
  job.done(halves.join(&inter));
  has_references(job, {world_of(job), static_cast<unsigned>(job.me)}, 5, job.workers);
  names_the_remote_side(job, inter);
  job.done(comex_world_disconnect(&inter));
}

// The first worker has as many groups as there can be.
inline void one_full_table_fails_all(const Job& job) {
  constexpr int most = 1 << 14;
  const HalvesOfTheWorld halves(job);
  comex_group_t inter = COMEX_GROUP_NULL;
  job.done(halves.join(&inter));
  std::vector<comex_group_t> taken(1);
  if (job.me == 0) {
    job.done(comex_group_create_endpoints(COMEX_GROUP_SELF, 1, taken.data()));
    taken.resize(most - 3, taken.front());  // the world, the half and the inter-group have handles too
    for (std::size_t i = 1; i < taken.size(); ++i) job.done(comex_group_dup(taken[0], &taken[i]));
  }
  comex_group_t made = untouched;
  comex_set_errors(COMEX_ERRORS_RETURN);
  job.equal(comex_group_merge(inter, 0, &made), COMEX_FAILURE, "merge where one has no handle left");
  job.equal(halves.join(&made), COMEX_FAILURE, "joining where one has no handle left");
  comex_set_errors(COMEX_ERRORS_ABORT);
  job.equal(made, untouched, "an output of a collective that failed");
  if (job.me == 0) {
    for (const comex_group_t each : taken) job.done(comex_group_free(each));
  }
  job.done(comex_world_disconnect(&inter));
}

}  // namespace comex::testing
