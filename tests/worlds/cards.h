// The card hook while worlds meet: how it is called, and what becomes of a meeting when it fails.
//
// For two launches of two workers each. Used by meet.
#pragma once

#include <algorithm>
#include <utility>

#include "mpi/told.h"
#include "worlds/place.h"

namespace comex::testing {

// A card hook that writes down how it is called, and may fail.
class Cards {
 public:
  explicit Cards(const Job& job) : job_(job) {
    const comex_card_hook_t hook{collect, deliver, ready, this};
    job.done(comex_set_card_hook(&hook));
  }
  ~Cards() { comex_set_card_hook(nullptr); }
  Cards(const Cards&) = delete;
  Cards& operator=(const Cards&) = delete;

  // The function that fails from here on; "room": collect tells of more bytes than there is room for.
  std::string fails;
  // What was called since the last look; of ready: local group, size of the other side, leader.
  std::string look() { return std::exchange(calls_, {}); }
  const std::vector<comex_gpid_t>& remote() const { return remote_; }
  comex_group_t peer() const { return peer_; }

 private:
  static Cards& self(void* context) { return *static_cast<Cards*>(context); }
  static std::string card_of(unsigned world, unsigned rank) {
    return std::to_string(world >> 24) + "." + std::to_string(rank);
  }
  int note(const std::string& function, const std::string& arguments) {
    calls_ += (calls_.empty() ? "" : ", ") + function + " " + arguments;
    return function == fails ? 1 : 0;
  }
  static int collect(std::uint32_t world, std::uint32_t rank, void* card, std::size_t* bytes, void* context) {
    const std::string text = card_of(world, rank);
    self(context).job_.require(*bytes >= text.size(), "there is room for a card");
    std::memcpy(card, text.data(), text.size());
    *bytes = self(context).fails == "room" ? *bytes + 1 : text.size();
    return self(context).note("collect", text);
  }
  static int deliver(std::uint32_t world, std::uint32_t rank, const void* card, std::size_t bytes,
                     void* context) {
    Cards& cards = self(context);
    const std::string text(static_cast<const char*>(card), bytes);
    cards.job_.require(text == card_of(world, rank), "a card is the one of its process");
    int lpid = 0;
    cards.job_.done(comex_gpid_to_lpid({world, rank}, &lpid));
    cards.job_.equal(lpid, COMEX_RANK_INVALID, "the lpid of a process while cards come");
    return cards.note("deliver", text);
  }
  static int ready(comex_group_t peer, comex_group_t local, int remote_size, const comex_gpid_t remote[],
                   int local_leader, void* context) {
    Cards& cards = self(context);
    cards.peer_ = peer;
    cards.remote_.assign(remote, remote + remote_size);
    for (const comex_gpid_t gpid : cards.remote_) {
      int lpid = COMEX_RANK_INVALID;
      cards.job_.done(comex_gpid_to_lpid(gpid, &lpid));
      cards.job_.require(lpid >= cards.job_.workers, "ids stand when the hook is ready");
    }
    return cards.note("ready", std::to_string(local) + " " + std::to_string(remote_size) + " " +
                                   std::to_string(local_leader));
  }

  const Job& job_;
  std::string calls_;
  std::vector<comex_gpid_t> remote_;
  comex_group_t peer_ = COMEX_GROUP_NULL;
};

inline void is_text(const Job& job, const std::string& found, const std::string& wanted,
                    std::source_location where = std::source_location::current()) {
  if (found != wanted) job.fail("found '" + found + "', wanted '" + wanted + "'", where);
}

// Lines of this side while a call fails on all of it.
template <class Call>
int lines_of_a_failure(const Job& job, Call&& call) {
  comex_set_errors(COMEX_ERRORS_RETURN);
  int result = COMEX_SUCCESS;
  const std::string text = told([&] { result = call(); });
  comex_set_errors(COMEX_ERRORS_ABORT);
  job.equal(result, COMEX_FAILURE, "meeting with a hook that fails");
  job.require(text.empty() || text.find("card hook's") != std::string::npos, "the line names the hook");
  int lines = static_cast<int>(std::ranges::count(text, '\n'));
  MPI_Allreduce(MPI_IN_PLACE, &lines, 1, MPI_INT, MPI_SUM, job.comm);
  return lines;
}

inline std::string cards_of(const char* function, int manager, int workers) {
  std::string text;
  for (int rank = 0; rank < workers; ++rank) {
    text += std::string(text.empty() ? "" : ", ") + function + " " + std::to_string(manager) + "." +
            std::to_string(rank);
  }
  return text;
}

// Two workers on each side. First one of each meets, then, through them, all.
inline void cards_travel(const Job& job, const Place& place) {
  const int mine = place.accepts() ? 1 : 2;
  const std::string own = cards_of("collect", mine, 2);
  const std::string theirs = cards_of("collect", 3 - mine, 2);
  const std::string delivered = cards_of("deliver", 3 - mine, 2);
  Cards cards(job);
  comex_group_t bridge = COMEX_GROUP_NULL;
  if (job.me == 0) {
    bridge = place.meet();
    is_text(job, cards.look(), own + ", " + delivered + ", ready -2 1 0");
    job.equal(cards.peer(), bridge, "the group of both leaders where none was named");
  }
  comex_group_t peer = COMEX_GROUP_NULL;
  job.done(comex_intergroup_create(everyone, 0, bridge, 0, 5, &peer));
  // Both leaders know both worlds: each tells its own side, and nothing is exchanged.
  is_text(job, cards.look(), (job.me == 0 ? theirs : delivered) + ", ready 0 2 0");
  job.equal(cards.peer(), bridge, "the group of both leaders, as a leader has named it and nobody else");
  for (unsigned rank = 0; rank < 2; ++rank) {
    job.equal(cards.remote().at(rank).rank, rank, "the other side as the hook is told");
    job.equal(cards.remote().at(rank).world, static_cast<unsigned>(3 - mine) << 24, "its world");
  }
  comex_group_t again = COMEX_GROUP_NULL;
  job.done(comex_intergroup_create(everyone, 0, bridge, 0, 6, &again));
  is_text(job, cards.look(), "ready 0 2 0");
  job.done(comex_world_disconnect(&again));
  job.done(comex_world_disconnect(&peer));
  if (job.me == 0) job.done(comex_world_disconnect(&bridge));
}

// Whoever's hook fails, on whichever side: both sides get the error, in a line each, and go on.
inline void cards_are_refused(const Job& job, const Place& place) {
  Cards cards(job);
  struct Case {
    const char* function;
    bool fails_at_accept;
    int rank;
  };
  for (const Case each :
       {Case{"collect", true, 0}, {"room", false, 0}, {"deliver", false, 1}, {"ready", true, 1}}) {
    if (each.fails_at_accept == place.accepts() && each.rank == job.me) cards.fails = each.function;
    comex_group_t peer = 77;
    const int lines = lines_of_a_failure(job, [&] { return meet_at(place, &peer); });
    job.equal(lines, 1, "the lines of a side");
    job.equal(peer, 77, "the place for a group that failed");
    cards.fails.clear();
    int count = 0;
    job.done(comex_lpid_count(&count));
    job.equal(count, job.workers, "the processes known");
  }
}

// A hook that is taken away while cards come is still told that the meeting is done.
inline void a_meeting_keeps_its_hook(const Job& job, const Place& place) {
  int told_ready = 0;
  const comex_card_hook_t hook{
      .collect =
          [](uint32_t, uint32_t, void*, size_t* bytes, void*) {
            *bytes = 0;
            return 0;
          },
      .deliver = [](uint32_t, uint32_t, const void*, size_t, void*) { return comex_set_card_hook(nullptr); },
      .ready =
          [](comex_group_t, comex_group_t, int, const comex_gpid_t*, int, void* context) {
            ++*static_cast<int*>(context);
            return 0;
          },
      .context = &told_ready};
  job.done(comex_set_card_hook(&hook));
  comex_group_t peer = COMEX_GROUP_NULL;
  job.done(meet_at(place, &peer));
  job.equal(told_ready, 1, "the calls of ready");
  job.done(comex_world_disconnect(&peer));
}

}  // namespace comex::testing
