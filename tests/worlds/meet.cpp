// Two launches meet over a port. Usage: meet accept|connect FILE SCENARIO [ROUNDS|abort|acceptor]
//   whole     the worlds meet, work on each other's memory, part
//   single    one of each meets; through them the whole worlds do, with cards; groups of all by lpids
//   refused   the other side may not be met; both go on alone
//   nobody    nobody is there: the call ends by itself
//   killed    the connecting world, or the `acceptor`, dies while connected, with `abort` by an error
//   finalized the connecting world finalizes while connected
//   broken    a worker of the connecting world dies, and the others of it go on
//   held_up   the same while the two are about to meet
//   left      some leave, and meet again some of those who stay
//   rounds    meet and part again and again; what this process holds stays the same
#include <array>

#include "worlds/agreement.h"
#include "worlds/attached.h"
#include "worlds/cards.h"
#include "worlds/held.h"
#include "worlds/lost.h"
#include "worlds/own_parts.h"
#include "worlds/place.h"
#include "worlds/under_way.h"

using namespace comex::testing;

namespace {

unsigned own_world(const Job& job) {
  comex_gpid_t gpid{};
  job.done(comex_gpid(everyone, job.me, &gpid));
  return gpid.world;
}

void they_know_each_other(const Job& job, comex_group_t peer) {
  int far = 0;
  job.done(comex_group_remote_size(peer, &far));
  std::vector<comex_gpid_t> gpids(static_cast<std::size_t>(far));
  int single = 0;
  job.done(comex_gpids(peer, far, gpids.data(), &single));
  job.equal(single, 1, "the far side is of one world");
  int count = 0;
  job.done(comex_lpid_count(&count));
  job.equal(count, job.workers + far, "the processes known");
  for (int lpid = job.workers; lpid < count; ++lpid) {
    comex_gpid_t gpid{};
    job.done(comex_lpid_to_gpid(lpid, &gpid));
    job.require(gpid.world != own_world(job), "a process of the other world has its world's number");
    job.equal(gpid.rank, static_cast<unsigned>(lpid - job.workers), "lpids follow the other side's order");
    has_references(job, gpid, 2, far);
    ranks_are_known(job, lpid);
  }
}

// Duplicates and parts of an inter-group: even and odd ranks of both sides, last ones first.
void derive(const Job& job, comex_group_t peer) {
  int far = 0;
  job.done(comex_group_remote_size(peer, &far));
  const auto count = [&](comex_group_t group) {
    int found = -1;
    job.done(comex_table_references(group, &found));
    return found;
  };
  comex_group_t copy = COMEX_GROUP_NULL;
  job.done(comex_group_dup(peer, &copy));
  int compared = -1;
  job.done(comex_group_compare(peer, copy, &compared));
  job.equal(compared, int{COMEX_CONGRUENT}, "a duplicate of an inter-group");
  job.equal(count(copy), 2, "the references of a table with a duplicate");
  data_crosses(job, copy);
  job.done(comex_group_free(copy));
  job.equal(count(peer), 1, "the references of a table without");

  comex_group_t part = COMEX_GROUP_NULL;
  const int color = job.me % 2;
  job.done(comex_group_split(peer, color, -job.me, &part));
  const auto members = [color](int size) { return (size + 1 - color) / 2; };
  job.equal(part == COMEX_GROUP_NULL, members(far) == 0, "a part with nobody on the far side");
  if (part == COMEX_GROUP_NULL) return;
  int found = -1;
  job.done(comex_group_size(part, &found));
  job.equal(found, members(job.workers), "the near side of a part");
  job.done(comex_group_rank(part, &found));
  job.equal(found, members(job.workers) - 1 - job.me / 2, "the rank in a part");
  job.done(comex_group_remote_size(part, &found));
  job.equal(found, members(far), "the far side of a part");
  std::vector<comex_gpid_t> gpids(static_cast<std::size_t>(found));
  job.done(comex_gpids(part, found, gpids.data(), nullptr));
  for (int rank = 0; rank < found; ++rank) {
    const comex_gpid_t gpid = gpids[static_cast<std::size_t>(rank)];
    job.equal(gpid.rank, static_cast<unsigned>(color + 2 * (found - 1 - rank)), "a part's far member");
    has_references(job, gpid, 3, far);
  }
  data_crosses(job, part);
  job.done(comex_group_compare(peer, part, &compared));
  job.equal(compared, job.workers == 1 && far == 1 ? int{COMEX_CONGRUENT} : int{COMEX_UNEQUAL},
            "a part of an inter-group");
  job.done(comex_group_free(part));
}

// Workers of both worlds count their groups in the same numbers.
void groups_are_told_apart(const Job& job, comex_group_t merged, bool accepts) {
  int rank = 0;
  int size = 0;
  job.done(comex_group_rank(merged, &rank));
  job.done(comex_group_size(merged, &size));
  comex_group_t own = COMEX_GROUP_NULL;
  comex_group_t straight = COMEX_GROUP_NULL;
  comex_group_t turned = COMEX_GROUP_NULL;
  if (accepts) job.done(comex_group_dup(everyone, &own));
  job.done(comex_group_split(merged, 0, rank, &straight));
  job.done(comex_group_split(merged, 0, accepts ? size + rank : rank, &turned));
  int relation = -1;
  job.done(comex_group_compare(straight, turned, &relation));
  job.equal(relation, static_cast<int>(COMEX_SIMILAR), "a group and one with the other side first");
  {
    const Everywhere<long> one(job, 1, straight);
    const Everywhere<long> other(job, 1, turned);
    job.done(comex_barrier(merged));
  }
  job.done(comex_world_disconnect(&turned));
  job.done(comex_world_disconnect(&straight));
  if (accepts) job.done(comex_group_free(own));
}

void work_and_part(const Job& job, comex_group_t peer, bool accepts) {
  comex_group_t merged = COMEX_GROUP_NULL;
  job.done(comex_group_merge(peer, accepts ? 0 : 1, &merged));
  data_travels(job, merged);
  groups_are_told_apart(job, merged, accepts);
  auto parts = own_parts(job, merged, accepts);
  job.done(comex_world_disconnect(&merged));
  job.done(comex_world_disconnect(&peer));
  are_used_alone(job, parts);
}

// Pairs of both sides stay together, and all but the first one leave; then one of those meets one who has
// stayed. What they had together before is not taken for a way.
void left(Job& job) {
  job.check("who has left meets again one who stays", [&] {
    const Place place(job, everyone, 0, ".left");
    comex_group_t peer = place.meet();
    comex_group_t merged = COMEX_GROUP_NULL;
    comex_group_t pair = COMEX_GROUP_NULL;
    job.done(comex_group_merge(peer, place.accepts() ? 0 : 1, &merged));
    job.done(comex_group_split(merged, job.me, 0, &pair));
    job.done(comex_world_disconnect(&merged));
    job.done(comex_world_disconnect(&peer));
    data_travels(job, pair);
    if (job.me != 0) job.done(comex_world_disconnect(&pair));
    job.done(comex_barrier(everyone));
    if (job.me == (place.accepts() ? 0 : 1)) {
      const Place other(job, COMEX_GROUP_SELF, job.me, ".again");
      peer = other.meet();
      comex_group_t named = named_group(job, {{1u << 24, 0}, {2u << 24, 1}});
      data_travels(job, named);
      job.done(comex_world_disconnect(&named));
      job.done(comex_world_disconnect(&peer));
    }
    if (job.me == 0) job.done(comex_world_disconnect(&pair));
    job.done(comex_barrier(everyone));
    int count = 0;
    job.done(comex_lpid_count(&count));
    job.equal(count, job.workers, "the processes known after all have left");
    place.close();
  });
}

void whole(Job& job) {
  const Place place(job, everyone, job.workers - 1);
  job.check("two worlds meet", [&] {
    const comex_group_t peer = place.meet();
    they_know_each_other(job, peer);
    derive(job, peer);
    work_and_part(job, peer, place.accepts());
    int count = 0;
    job.done(comex_lpid_count(&count));
    job.equal(count, job.workers, "the processes known after they have parted");
  });
  job.check("what is under way arrives", [&] { what_is_under_way_arrives(job, place); });
  job.check("memory is attached once", [&] { memory_is_attached_once(job, place); });
  job.check("a freed way goes with the last", [&] { a_freed_way_goes_with_the_last(job, place); });
  job.check("or leave one by one", [&] {
    comex_group_t peer = place.meet();
    comex_group_t merged = COMEX_GROUP_NULL;
    comex_group_t part = COMEX_GROUP_NULL;
    int size = 0;
    int rank = 0;
    job.done(comex_group_merge(peer, place.accepts() ? 0 : 1, &merged));
    job.done(comex_group_size(merged, &size));
    job.done(comex_group_rank(merged, &rank));
    job.done(comex_group_split(merged, rank == size - 1 ? 1 : 0, rank, &part));
    job.done(comex_world_disconnect(&peer));
    job.done(comex_world_disconnect(&merged));
    data_travels(job, part);
    job.done(comex_world_disconnect(&part));
    int count = 0;
    job.done(comex_lpid_count(&count));
    job.equal(count, job.workers, "the processes known after all have left");
  });
  job.check("and meet again at the same port", [&] { work_and_part(job, place.meet(), place.accepts()); });
  place.close();
  if (job.workers == 2) left(job);
}

// Each worker of one side meets all of the other, so that no bridge has all four.
void parts_by_lpids(const Job& job, const Place& place) {
  std::array<comex_group_t, 2> peers{COMEX_GROUP_NULL, COMEX_GROUP_NULL};
  for (int turn = 0; turn < 2; ++turn) {
    comex_group_t& peer = peers[static_cast<std::size_t>(turn)];
    if (place.accepts()) {
      job.done(meet_at(place, &peer));
      continue;
    }
    std::array<char, 400> port{};
    if (job.me == 0) std::strncpy(port.data(), place.port(), port.size() - 1);
    MPI_Bcast(port.data(), port.size(), MPI_CHAR, 0, job.comm);
    if (job.me == turn) job.done(comex_world_connect(port.data(), 0, COMEX_GROUP_SELF, limit_s, &peer));
    job.done(comex_barrier(everyone));
  }
  const int foreign = job.workers;  // the first lpid of the other world
  comex_group_t group = everyone;
  job.done(comex_group_from_lpids(1, &foreign, &group));
  job.equal(group, COMEX_GROUP_NULL, "the group of another process alone");
  group = named_group(job, {{1u << 24, 1}, {2u << 24, 0}, {1u << 24, 0}, {2u << 24, 1}});
  data_travels(job, group);
  data_travels(job, group);
  job.done(comex_world_disconnect(&group));
  for (comex_group_t& peer : peers) {
    if (peer != COMEX_GROUP_NULL) job.done(comex_world_disconnect(&peer));
  }
  int count = 0;
  job.done(comex_lpid_count(&count));
  job.equal(count, job.workers, "the processes known");
}

void single(Job& job) {
  const Place place(job, COMEX_GROUP_SELF, 0);
  job.check("one of each world is enough for both to meet", [&] {
    comex_group_t bridge = COMEX_GROUP_NULL;
    if (job.me == 0) bridge = place.meet();
    comex_group_t peer = COMEX_GROUP_NULL;
    job.done(comex_intergroup_create(everyone, 0, bridge, 0, 5, &peer));
    if (job.me != 0) they_know_each_other(job, peer);
    work_and_part(job, peer, place.accepts());
    if (job.me == 0) job.done(comex_world_disconnect(&bridge));
  });
  job.check("cards travel to whoever lacks them", [&] { cards_travel(job, place); });
  job.check("a hook that fails is everybody's failure", [&] { cards_are_refused(job, place); });
  job.check("a meeting keeps its hook", [&] { a_meeting_keeps_its_hook(job, place); });
  job.check("lpids make a group where no bridge has all", [&] { parts_by_lpids(job, place); });
}

void refused(Job& job) {
  const Place place(job, everyone, 0);
  job.check("those who may not meet are refused", [&] {
    comex_set_errors(COMEX_ERRORS_RETURN);
    comex_group_t peer = COMEX_GROUP_NULL;
    job.equal(place.try_to_meet(&peer), COMEX_FAILURE, "the result of meeting");
    comex_set_errors(COMEX_ERRORS_ABORT);
    int count = 0;
    job.done(comex_lpid_count(&count));
    job.equal(count, job.workers, "the processes known");
  });
  job.check("and go on alone", [&] { data_travels(job, everyone); });
}

void nobody(Job& job) {
  constexpr double short_s = 0.3;
  std::array<char, 400> port{};
  std::string gone = "127.0.0.1:9:0123456789abcdef0123456789abcdef";
  job.done(comex_world_open_port(port.data(), static_cast<int>(port.size())));
  job.check("nobody comes and nobody is there", [&] {
    comex_set_errors(COMEX_ERRORS_RETURN);
    comex_group_t peer = COMEX_GROUP_NULL;
    job.equal(comex_world_accept(port.data(), 0, everyone, short_s, &peer), COMEX_FAILURE,
              "accept with nobody");
    job.equal(comex_world_connect(gone.c_str(), 0, everyone, short_s, &peer), COMEX_FAILURE,
              "connect to a port that nobody has");
    // The port is there, but nobody accepts: its root is in this very call.
    job.equal(comex_world_connect(port.data(), 0, everyone, short_s, &peer), COMEX_FAILURE,
              "connect to a port at which nobody accepts");
    job.equal(comex_world_accept("nonsense", 0, everyone, short_s, &peer), COMEX_FAILURE,
              "a port that is none");
    job.equal(comex_world_accept(port.data(), 0, everyone, -1, &peer), COMEX_FAILURE, "a limit below zero");
    const bool is_root = job.me == 0;  // who is not may pass anything
    job.equal(comex_world_spawn(is_root ? "/no/such/program" : unusable<char>(),
                                is_root ? nullptr : unusable<char*>(), 1, 0, everyone, &peer),
              COMEX_FAILURE, "spawn of a program that is not there");
    job.equal(comex_world_spawn("sh", nullptr, 0, 0, everyone, &peer), COMEX_FAILURE, "spawn of no process");
    comex_set_errors(COMEX_ERRORS_ABORT);
    job.equal(peer, COMEX_GROUP_NULL, "the place for the group");
  });
  job.check("and all goes on", [&] { data_travels(job, everyone); });
}

void rounds(Job& job) {
  const Place place(job, everyone, 0);
  const int count = std::stoi(job.arguments.at(3));
  std::array<void*, 8> segments{};  // of the other side, at the addresses that it has them at
  const auto one_round = [&] {
    comex_group_t peer = place.meet();
    job.done(comex_malloc(segments.data(), 100'000, peer));
    job.done(comex_free(job.me == 0 ? segments[0] : nullptr, peer));
    job.done(comex_world_disconnect(&peer));
  };
  constexpr int first_rounds = 5;  // what MPI sets up once
  for (int round = 0; round < first_rounds; ++round) one_round();
  const Held before = held();
  const auto segments_before = segments;
  for (int round = first_rounds; round < count; ++round) one_round();
  Held after = held();
  // The watch over lives lets go of the last round in its own time.
  for (int look = 0; look < 500 && after.heap_bytes != before.heap_bytes; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    after = held();
  }
  std::printf("%s worker %d: %ld KiB and %ld descriptors more after %d rounds\n", job.arguments[0].c_str(),
              job.me, after.resident_kib - before.resident_kib, after.descriptors - before.descriptors,
              count);
  job.equal(after.descriptors, before.descriptors, "the descriptors");
  job.equal(after.heap_bytes, before.heap_bytes, "the heap that is not MPI's");
  job.require(before.arenas > 0, "an arena is mapped");
  job.equal(after.arenas, before.arenas, "the arenas mapped");
  job.equal(after.arena_bytes, before.arena_bytes, "the bytes of arenas mapped");
  job.require(segments == segments_before, "extents are used again");
  int lpids = 0;
  job.done(comex_lpid_count(&lpids));
  job.equal(lpids, job.workers, "the processes known");
  constexpr long allowed_kib = 512;  // beyond what a bare loop of MPI grows by
  const long bare_kib = job.arguments.size() > 4 ? std::stol(job.arguments[4]) : 0;
  job.require(after.resident_kib - before.resident_kib <= bare_kib + allowed_kib,
              "memory stays where it was");
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "meet");
  const std::string scenario = job.arguments.at(2);
  if (scenario == "whole") whole(job);
  if (scenario == "single") single(job);
  if (scenario == "refused") refused(job);
  if (scenario == "nobody") nobody(job);
  if (scenario == "killed") killed(job);
  if (scenario == "finalized") finalized(job);
  if (scenario == "broken") broken(job);
  if (scenario == "held_up") held_up(job);
  if (scenario == "left") left(job);
  if (scenario == "rounds") rounds(job);
}
