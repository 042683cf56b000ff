// What the tests of worlds share: tables of ids, data across a group, and files through which launches meet.
#pragma once

#include <comex/worlds.h>
#include <sys/mman.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "mpi/job.h"
#include "worlds/published.h"

namespace comex::testing {

using Gpids = std::vector<std::pair<unsigned, unsigned>>;  // (world, rank) by lpid

// Where nobody can read: for arguments that must not be looked at.
template <class T>
T* unusable() {
  return static_cast<T*>(MAP_FAILED);
}

inline std::uint32_t world_of(const Job& job) {
  comex_gpid_t gpid{};
  job.done(comex_gpid(everyone, 0, &gpid));
  return gpid.world;
}

inline Gpids lpid_table(const Job& job) {
  int count = 0;
  job.done(comex_lpid_count(&count));
  Gpids table;
  for (int lpid = 0; lpid < count; ++lpid) {
    comex_gpid_t gpid{};
    job.done(comex_lpid_to_gpid(lpid, &gpid));
    table.emplace_back(gpid.world, gpid.rank);
  }
  return table;
}

inline std::string text_of(const Gpids& table) {
  std::string text;
  for (std::size_t lpid = 0; lpid < table.size(); ++lpid) {
    text += (lpid == 0 ? "" : " ") + std::to_string(lpid) + ":(" + std::to_string(table[lpid].first) + "," +
            std::to_string(table[lpid].second) + ")";
  }
  return text;
}

inline void has_table(const Job& job, const Gpids& wanted,
                      std::source_location where = std::source_location::current()) {
  const Gpids found = lpid_table(job);
  if (found != wanted) {
    job.fail("the lpid table is {" + text_of(found) + "}, must be {" + text_of(wanted) + "}", where);
  }
}

inline void has_references(const Job& job, comex_gpid_t gpid, int connection, int world,
                           std::source_location where = std::source_location::current()) {
  int found = -1;
  job.done(comex_connection_references(gpid, &found), where);
  job.equal(found, connection, "the references of a connection", where);
  job.done(comex_world_references(gpid.world, &found), where);
  job.equal(found, world, "the references of a world", where);
}

// Of a process met in another launch: each counts its own processes on the machine, workers first. Virtual
// hosts have one worker and one progress rank each.
inline void ranks_are_known(const Job& job, int lpid) {
  const int rank = lpid - job.workers;
  const bool is_cut = std::getenv("COMEX_VIRTUAL_HOSTS") != nullptr;
  comex_process_ranks_t theirs{};
  job.done(comex_process_ranks(lpid, &theirs));
  job.equal(theirs.vpid, is_cut ? 2 * rank : rank, "the vpid of one met");
  job.equal(theirs.local_rank, is_cut ? 0 : rank, "the local rank of one met");
  job.equal(theirs.node_rank, is_cut ? 0 : rank, "the node rank of one met");
  job.equal(theirs.app_rank, COMEX_RANK_INVALID, "the app rank of one met");
}

// Every operation between all pairs of a group that is no inter-group. Collective over it.
inline void data_travels(const Job& job, comex_group_t group) {
  int size = 0;
  int rank = 0;
  job.done(comex_group_size(group, &size));
  job.done(comex_group_rank(group, &rank));
  constexpr std::size_t words = 20'000;  // more than one message
  Everywhere<long> places(job, words + 16, group);
  const int next = (rank + 1) % size;
  const int before = (rank + size - 1) % size;
  std::vector<long> sent(words);
  for (std::size_t i = 0; i < words; ++i) sent[i] = rank * 1'000'000 + static_cast<long>(i);
  job.done(comex_put(sent.data(), places.of(next), static_cast<int>(words * sizeof(long)), next, group));
  job.done(comex_barrier(group));
  for (std::size_t i = 0; i < words; i += 999) {
    job.equal(places.mine()[i], before * 1'000'000 + static_cast<long>(i), "what a put has brought");
  }
  std::vector<long> got(words);
  job.done(comex_get(places.of(next), got.data(), static_cast<int>(words * sizeof(long)), next, group));
  job.require(got == sent, "a get brings back what was put");
  job.done(comex_barrier(group));

  const long one = 1;
  for (int target = 0; target < size; ++target) {
    long old = 0;
    job.done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, places.of(target) + words, 1, target, group));
    job.done(comex_acc(COMEX_ACC_LNG, const_cast<long*>(&one), const_cast<long*>(&one),
                       places.of(target) + words + 1, sizeof one, target, group));
    comex_request_t handle{};
    job.done(comex_nbacc(COMEX_ACC_LNG, const_cast<long*>(&one), sent.data(), places.of(target) + words + 2,
                         8 * sizeof(long), target, group, &handle));
    job.done(comex_wait(&handle));
  }
  job.done(comex_fence_all(group));
  job.done(comex_barrier(group));
  job.equal(look(places.mine() + words), static_cast<long>(size), "what everybody has added");
  job.equal(look(places.mine() + words + 1), static_cast<long>(size), "what everybody has accumulated");
  long wanted = 0;
  for (int each = 0; each < size; ++each) wanted += each * 1'000'000L + 7;
  job.equal(look(places.mine() + words + 9), wanted, "the last of what everybody has accumulated");
  job.done(comex_barrier(group));
}

// A group of the own world's processes: MPI counts its members in the same order. Collective over it.
inline void has_communicator(const Job& job, comex_group_t group) {
  int size = 0;
  int rank = -1;
  MPI_Comm comm = MPI_COMM_NULL;
  job.done(comex_group_size(group, &size));
  job.done(comex_group_rank(group, &rank));
  job.done(comex_group_comm(group, &comm));
  job.require(comm != MPI_COMM_NULL, "a group of one world has a communicator");
  if (comm == MPI_COMM_NULL) return;
  std::vector<int> ranks(static_cast<std::size_t>(size), -1);
  MPI_Allgather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, comm);
  for (int each = 0; each < size; ++each) {
    job.equal(ranks[static_cast<std::size_t>(each)], each, "a rank by the communicator");
  }
}

// Every member of one side puts to every one of the other side. Collective over both sides of an inter-group.
inline void data_crosses(const Job& job, comex_group_t inter) {
  int far = 0;
  int rank = 0;
  job.done(comex_group_remote_size(inter, &far));
  job.done(comex_group_rank(inter, &rank));
  std::vector<void*> places(static_cast<std::size_t>(far));
  constexpr std::size_t most_members = 8;
  job.done(comex_malloc(places.data(), most_members * sizeof(long), inter));
  for (int target = 0; target < far; ++target) {
    long value = 100 + rank;
    long* const place = static_cast<long*>(places[static_cast<std::size_t>(target)]) + rank;
    long back = 0;
    job.done(comex_put(&value, place, sizeof value, target, inter));
    job.done(comex_get(place, &back, sizeof back, target, inter));
    job.equal(back, value, "what an operation has left on the far side");
  }
  job.done(comex_barrier(inter));
  job.done(comex_free(rank == 0 ? places[0] : nullptr, inter));
}

// A group of these processes, in this order, by lpids. Its members call it.
inline comex_group_t named_group(const Job& job, const Gpids& members) {
  std::vector<int> lpids;
  for (const auto& [world, rank] : members) {
    int lpid = -1;
    job.done(comex_gpid_to_lpid({world, rank}, &lpid));
    lpids.push_back(lpid);
  }
  comex_group_t group = COMEX_GROUP_NULL;
  job.done(comex_group_from_lpids(static_cast<int>(lpids.size()), lpids.data(), &group));
  std::vector<comex_gpid_t> found(members.size());
  job.done(comex_gpids(group, static_cast<int>(found.size()), found.data(), nullptr));
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    job.require(found[rank].world == members[rank].first && found[rank].rank == members[rank].second,
                "a member of a group by lpids");
  }
  return group;
}

// Without a call of the library.
inline void await_end_of(const std::string& process) {
  for (std::string state; state != "Z";) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::string skipped;
    std::ifstream status("/proc/" + process + "/stat");
    if (!(status >> skipped >> skipped >> state)) break;
  }
}

}  // namespace comex::testing
