// Wrong calls across a bridge: each is told in one line, wherever that is printed, which names the target as
// the program did and says who it is.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bridge/operations.h"
#include "mpi/told.h"

namespace comex::testing {

// What every rank has printed, on rank 0 of all.
inline std::string gathered(const Halves& halves, const std::string& mine) {
  int bytes = static_cast<int>(mine.size());
  std::vector<int> sizes(static_cast<std::size_t>(halves.ranks));
  MPI_Gather(&bytes, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> places(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), places.begin(), 0);
  std::string all(static_cast<std::size_t>(std::reduce(sizes.begin(), sizes.end())), '\0');
  MPI_Gatherv(mine.data(), bytes, MPI_CHAR, all.data(), sizes.data(), places.data(), MPI_CHAR, 0,
              MPI_COMM_WORLD);
  return all;
}

// The program that goes wrong: rank 0 of all, a worker of the first world.
class WrongCalls {
 public:
  explicit WrongCalls(const Halves& halves) : halves_(halves) {}

  // To every rank of the group, whose processes are `lpids`; `at`: memory of `bytes` at each.
  void make(comex_group_t group, const std::vector<Lpid>& lpids, const std::vector<void*>& at,
            std::size_t bytes) {
    for (std::size_t i = 0; i < lpids.size(); ++i) {
      const int rank = static_cast<int>(i);
      char* const beyond = static_cast<char*>(at[i]) + bytes;
      const std::string target = target_text(rank, group, lpids[i]);
      std::vector<char> near(large);
      const auto wrong = [&](const char* call, int code) {
        const bool by_fence = comex_fence_proc(rank, group) != COMEX_SUCCESS;
        halves_.require((code != COMEX_SUCCESS) != by_fence, "a wrong call fails once");
        expected.push_back(std::string(": ") + call + target);
      };
      comex_request_t handle = 0;
      long old = 0;
      wrong("put", comex_put(near.data(), beyond, 8, rank, group));
      wrong("put", comex_put(near.data(), beyond, large, rank, group));
      wrong("nbput", comex_nbput(near.data(), beyond, 8, rank, group, nullptr));
      wrong("get", comex_get(beyond, near.data(), 8, rank, group));
      wrong("rmw", comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, beyond - 12, 1, rank, group));
      int code = comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, &old, beyond, 1, rank, group, &handle);
      wrong("nbrmw", code == COMEX_SUCCESS ? comex_wait(&handle) : code);
    }
  }
  void make_to_nobody(comex_group_t group, const std::string& who) {
    long word = 0;
    int rank = 99, there = 0;
    halves_.require(comex_put(&word, &word, sizeof word, rank, group) == COMEX_FAILURE, "a put to nobody");
    halves_.require(comex_group_translate_ranks(1, group, &rank, COMEX_GROUP_WORLD, &there) == COMEX_FAILURE,
                    "the rank of nobody");
    for (const char* const call : {"put", "group_translate_ranks"})
      expected.push_back(std::string(": ") + call + ": rank 99 is out of range: " + who + " has ranks 0 to ");
  }

  std::vector<std::string> expected;

 private:
  static constexpr int large = 100'000;
  std::string target_text(int rank, comex_group_t group, Lpid lpid) const {
    const std::string text = " to target " + std::to_string(rank) + " of group " + std::to_string(group);
    const Gpid who = halves_.runtime().registry().gpid_of(lpid).value();
    const bool is_foreign = who.world != halves_.runtime().registry().own_world();
    if (!is_foreign && static_cast<int>(who.rank) == rank) return text + ", address ";
    return text + " (worker " + std::to_string(who.rank) +
           (is_foreign ? " of world " + std::to_string(who.world) : "") + "), address ";
  }

  const Halves& halves_;
};

inline void call_wrongly(const Halves& halves, WrongCalls& wrong, BridgeId bridge) {
  constexpr std::size_t bytes = 4096;
  const bool goes_wrong = halves.rank == 0;
  const std::size_t both = halves.own.size() + halves.foreign.size();
  comex_set_errors(goes_wrong ? COMEX_ERRORS_RETURN : COMEX_ERRORS_ABORT);
  const comex_group_t merged = halves.everybody(bridge);
  {
    const Shared memory(halves, merged, bytes, both);
    std::vector<Lpid> lpids = halves.own;
    lpids.insert(lpids.end(), halves.foreign.begin(), halves.foreign.end());
    std::vector<Lpid> reversed(lpids.rbegin(), lpids.rend());
    const std::vector<void*> there(memory.at.rbegin(), memory.at.rend());
    if (goes_wrong) {
      wrong.make(merged, lpids, memory.at, bytes);
      const comex_group_t part = halves.part_of(bridge, reversed);
      wrong.make(part, reversed, there, bytes);
      wrong.make_to_nobody(part, "group " + std::to_string(part));
      halves.remove(part);
    }
  }
  halves.remove(merged);
  const comex_group_t inter = halves.inter(bridge);
  {
    const Shared memory(halves, inter, bytes, halves.foreign.size());
    if (goes_wrong) {
      wrong.make(inter, halves.foreign, memory.at, bytes);
      wrong.make_to_nobody(inter, "the other side of group " + std::to_string(inter));
    }
  }
  halves.remove(inter);
  comex_set_errors(COMEX_ERRORS_ABORT);
}

// Collective over all ranks: the lines of servers are theirs.
inline void name_targets(Halves& halves) {
  WrongCalls wrong(halves);
  const std::string mine =
      told([&] { halves.round([&](BridgeId bridge) { call_wrongly(halves, wrong, bridge); }); });
  const std::string said = gathered(halves, mine);
  if (halves.rank != 0) return;
  std::string left = said;
  for (const std::string& each : wrong.expected) {
    const std::size_t at = left.find(each);
    if (at == std::string::npos)
      std::fprintf(stderr, "no line '%s' in what is left of\n%s", each.c_str(), said.c_str());
    halves.require(at != std::string::npos, "a line names the target as the program did");
    left.replace(at, 1, "-");  // each has a line of its own
  }
  halves.require(std::ranges::count(said, '\n') == static_cast<std::ptrdiff_t>(wrong.expected.size()),
                 "a line for each wrong call");
}

}  // namespace comex::testing
