// Fences, waits and collective calls: what the program orders by them.
#include <comex/worlds.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "checked/checker.h"
#include "checked/exchange.h"
#include "checked/next.h"
#include "core/activity.h"

namespace comex::checker {
namespace {

// One worker keeps at most about this much before the workers compare.
constexpr std::int64_t many_bytes = 2'000'000;

std::int64_t enough_bytes(int workers) {
  return std::min(many_bytes, most_bytes_compared / workers / 2);
}

// The name of a collective call as a number; 0: another call.
std::int64_t number_of(const FollowedCall& call) {
  return call.name == nullptr ? 0 : activity::call_hash(call.name);
}

}  // namespace

// The clocks that others get, which cover all that is complete here; what follows is not covered.
std::vector<Time> Checker::release() {
  std::vector<Time> row(clocks().row().begin(), clocks().row().end());
  clocks().tick();
  return row;
}

void Checker::learn(std::span<const Time> row) {
  if (clocks().join(row)) history_.clocks_changed(origin());
}

void Checker::learn_row(const ClockRow& row) {
  const std::vector<Time> told = clock_memory_.read(row);
  const Guard guard(mutex_);
  learn(told);
}

// An owner may see what came by plain loads, so each of its operations counts as having seen all of it.
void Checker::learn_inbox() {
  learn_flags();
  learn_row(clock_memory_.inbox(me_));
}

// Other calls count as having seen the flags only; signals are seen by wait_until.
void Checker::learn_flags() {
  learn_row(clock_memory_.flags(me_));
}

int Checker::start(const CheckedFence& fence, Ending ending) {
  const std::optional<int> owner = worker_of(fence.proc, fence.group);
  if (!owner) return 0;
  const Guard guard(mutex_);
  Started started = start_of(fence.call, *owner, ending);
  started.is_write = true;
  started.is_fence = true;
  started.covers = history_.size();
  return pending_.add(std::move(started));
}

// A fence completes earlier implicit fences as well; those with a handle are complete at its wait.
bool Checker::fence_completes(const Started& started) {
  return (!started.is_fence || started.ending == Ending::implicit) && fence_covers(started.origin) &&
         (started.is_write || started.ending == Ending::implicit);
}

void Checker::fence_worker(int worker) {
  fence_operations(worker);
  const Guard guard(mutex_);
  fence_accesses(worker);
}

void Checker::fence_operations(int worker, std::uint64_t serial_limit) {
  complete_where([&](const Started& started) {
    return started.serial < serial_limit && started.owner == worker && fence_completes(started);
  });
}

void Checker::fence_accesses(int worker, AccessIndex limit) {
  fence_origins([&](std::uint16_t origin, Time now) {
    history_.fence(origin, static_cast<std::uint16_t>(worker), now, limit);
  });
}

void Checker::fenced(int proc, comex_group_t group) {
  if (const std::optional<int> owner = worker_of(proc, group)) fence_worker(*owner);
}

std::vector<int> Checker::own_members(comex_group_t group) {
  const Guard guard(mutex_);
  const GroupEntry* const entry = groups_.find(group);
  std::vector<int> members;
  if (entry == nullptr) return members;
  // The other side's ranks are named, and both sides take part.
  if (entry->is_inter) return all_workers();
  std::ranges::copy_if(entry->members, std::back_inserter(members),
                       [&](int worker) { return worker >= 0 && worker < workers_; });
  return members;
}

void Checker::fenced_all(comex_group_t group) {
  act_for(group);
  for (const int worker : own_members(group)) fence_worker(worker);
}

void Checker::fenced_everybody(comex_group_t group) {
  act_for(group);
  for (const int worker : all_workers()) fence_worker(worker);
}

void Checker::fenced_allocation(const void* own, comex_group_t group) {
  act_for(group);
  const auto address = reinterpret_cast<std::uint64_t>(own);
  const std::vector<int> members = locked([&] { return fence_parts(address); });
  if (members.empty()) return fenced_all(group);  // of an allocation that is not known here
  complete_where([&](const Started& started) {
    return !started.is_fence && fence_completes(started) &&
           std::ranges::find(members, started.owner) != members.end();
  });
}

// Fences the parts of the allocation whose own part holds the address, and returns its members.
std::vector<int> Checker::fence_parts(std::uint64_t address) {
  const Allocation* const allocation = allocation_of(address);
  if (allocation == nullptr) return {};
  fence_origins([&](std::uint16_t origin, Time now) {
    for (std::size_t i = 0; i < allocation->parts.size(); ++i) {
      history_.fence_range(origin, static_cast<std::uint16_t>(allocation->members[i]), allocation->parts[i],
                           now);
    }
  });
  return allocation->members;
}

void Checker::waited(int proc, comex_group_t group) {
  const std::optional<int> owner = worker_of(proc, group);
  if (owner) complete_where([&](const Started& started) { return started.owner == *owner; });
}

void Checker::waited_all(comex_group_t group) {
  for (const int worker : own_members(group)) waited(worker, COMEX_GROUP_WORLD);
}

void Checker::saw_words(const void* words, std::size_t count) {
  act_for_thread();
  learn_flags();
  for (std::size_t i = 0; i < count; ++i) {
    const auto* const word = static_cast<const long*>(words) + i;
    learn_row(clock_memory_.word(me_, reinterpret_cast<std::uint64_t>(word)));
  }
}

// For members that no collective of MPI reaches exactly: each leaves what it knows, and takes what it finds.
void Checker::publish_to(const std::vector<int>& workers) {
  const std::vector<Time> row = locked([&] { return release(); });
  for (const int worker : workers)
    if (worker != me_) clock_memory_.raise(clock_memory_.sent(me_, worker), row);
  next<&comex_fence_proc>("comex_fence_proc")(me_, COMEX_GROUP_WORLD);
}

void Checker::learn_from(const std::vector<int>& workers) {
  for (const int worker : workers)
    if (worker != me_) learn_row(clock_memory_.sent(worker, me_));
}

// What follows in the calls of these members differs as well, in the checker and in the runtime.
void Checker::end_mismatched(comex_group_t group, const std::string& who_makes_what) {
  const Guard guard(mutex_);
  findings_.tell("mismatched collectives: members of group " + std::to_string(group) +
                 " do not make the same call: " + who_makes_what);
  next<&comex_error>("comex_error")("comex check: mismatched collectives", ends_job_ ? failed_check : 1);
}

void Checker::tell_mismatch(const FollowedCall& call, comex_group_t group, MPI_Comm comm) {
  const std::string mine = locked([&] { return text_of(call); });
  const std::vector<std::string> calls = gather_texts(comm, mine);
  const auto odd = std::ranges::find_if(calls, [&](const std::string& text) {
    return text.substr(0, text.find(' ')) != calls[0].substr(0, calls[0].find(' '));
  });
  if (odd == calls.end()) return;  // the program made one call, which a layer carries out by several
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    end_mismatched(group, "rank 0 makes " + calls[0] + ", rank " + std::to_string(odd - calls.begin()) +
                              " makes " + *odd);
  }
  greatest_of(comm, 0);  // the others wait for the end, so that the line is printed
}

// compares: the accesses, if all workers are members.
void Checker::meet_over(const FollowedCall& call, comex_group_t group, MPI_Comm comm, bool compares) {
  std::vector<std::int64_t> values;
  {
    const Guard guard(mutex_);
    const std::int64_t number = number_of(call);
    values = {number, -number, static_cast<std::int64_t>(history_.bytes() - compared_bytes_),
              compares ? 1 : 0};
    const std::vector<Time> row = release();
    values.insert(values.end(), row.begin(), row.end());
  }
  raise_over(comm, values);
  if (values[0] != -values[1]) tell_mismatch(call, group, comm);
  {
    const Guard guard(mutex_);
    learn(std::span(values).subspan(4));
    clocks().tick();
  }
  // Over one communicator threads meet in one order, over several in any order.
  const bool may_compare =
      size_of(comm) == workers_ && (comm == wire_ || levels_.highest < MPI_THREAD_MULTIPLE);
  if (may_compare && (values[3] != 0 || values[2] > enough_bytes(workers_))) compare_all();
}

void Checker::meet(const FollowedCall& call, comex_group_t group, bool is_barrier) {
  act_for(group);
  learn_flags();
  if (is_barrier) fenced_all(group);
  GroupEntry* const entry = locked([&] { return groups_.find(group); });
  if (entry == nullptr) return;
  if (entry->comm != MPI_COMM_NULL) {
    meet_over(call, group, entry->comm);
  } else if (acting() != 0) {
    meet_endpoints(call, group, *entry);
  } else {
    publish_to(own_members(group));
  }
}

// Of all endpoints of a worker, where nobody knows which one the member is.
void Checker::learn_from_endpoints(const GroupEntry& entry) {
  for (std::size_t i = 0; i < entry.members.size(); ++i) {
    const int worker = entry.members[i];
    const int known = entry.endpoints.empty() ? 0 : clock_of(entry.endpoints[i]);
    for (int endpoint = 1; worker >= 0 && worker < workers_ && endpoint < endpoints_; ++endpoint)
      if (known == 0 || known == endpoint) learn_row(clock_memory_.met(worker, endpoint));
  }
}

// Nobody goes on before all members have read what each has left. Of other worlds nobody need be checked, so
// there they are read behind the call.
void Checker::meet_endpoints(const FollowedCall& call, comex_group_t group, const GroupEntry& entry) {
  const Time number = number_of(call);
  const auto has_place = [](int endpoint) { return endpoint < ClockMemory::calls_each; };
  const bool compares = !entry.endpoints.empty() && std::ranges::all_of(entry.endpoints, has_place);
  int rank = 0;
  next<&comex_group_rank>("comex_group_rank")(group, &rank);
  if (compares) clock_memory_.note_call(entry.endpoints[static_cast<std::size_t>(rank)], number);
  clock_memory_.raise(clock_memory_.met(me_, acting()), locked([&] { return release(); }));
  next<&comex_fence_proc>("comex_fence_proc")(me_, COMEX_GROUP_WORLD);
  if (entry.has_others) return;
  next<&comex_barrier>("comex_barrier")(group);
  learn_from_endpoints(entry);
  if (compares && clock_memory_.call_of(entry.members[0], entry.endpoints[0]) != number) {
    const std::string mine = locked([&] { return text_of(call); });
    end_mismatched(group, "rank " + std::to_string(rank) + " makes " + mine + ", rank 0 makes another one");
  }
  next<&comex_barrier>("comex_barrier")(group);
}

void Checker::met(comex_group_t group) {
  const GroupEntry* const entry = locked([&] { return groups_.find(group); });
  if (entry == nullptr || entry->comm != MPI_COMM_NULL) return;
  if (acting() == 0) return learn_from(own_members(group));
  if (entry->has_others) learn_from_endpoints(*entry);
}

void Checker::made_group(comex_group_t parent, comex_group_t group) {
  if (group == COMEX_GROUP_NULL) return;
  MPI_Comm lent = MPI_COMM_NULL;
  {
    const Guard guard(mutex_);
    groups_.add(group).endpoint = groups_.endpoint(parent);
    GroupEntry* const entry = groups_.find(group);
    if (entry != nullptr) {
      lent = entry->comm;
      entry->endpoints = same_endpoints(parent, group, entry->members.size());
    }
  }
  // What the program makes on the group's own communicator is not to be mixed with what the checker makes.
  if (lent != MPI_COMM_NULL) {
    const MPI_Comm own = duplicate(lent);
    const Guard guard(mutex_);
    groups_.keep_comm(group, own);
  }
  meet({}, group, false);
  met(group);
}

// Of the members of a group made from one of endpoints.
std::vector<int> Checker::same_endpoints(comex_group_t parent, comex_group_t group, std::size_t size) {
  const GroupEntry* const from = groups_.find(parent);
  if (from == nullptr || from->endpoints.empty()) return {};
  std::vector<int> ranks(size);
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> before(size);
  next<&comex_group_translate_ranks>("comex_group_translate_ranks")(static_cast<int>(size), group,
                                                                    ranks.data(), parent, before.data());
  for (int& each : before) each = from->endpoints[static_cast<std::size_t>(each)];
  return before;
}

// Of an inter-group its copies and parts are inter-groups too.
void Checker::made_part(comex_group_t parent, comex_group_t group) {
  if (!locked([&] { return groups_.is_inter(parent); })) return made_group(parent, group);
  if (group != COMEX_GROUP_NULL) made_inter_group(group);
}

// Each worker numbers its endpoints in turn. The members of the parent tell each other where they are.
void Checker::made_endpoints(comex_group_t parent, const comex_group_t* groups, int count) {
  const GroupEntry* const from = locked([&] { return groups_.find(parent); });
  const int first = locked([&] { return std::exchange(next_endpoint_, next_endpoint_ + count); });
  std::map<int, int> next_of;  // workers
  if (endpoints_ > 1 && from != nullptr && from->comm != MPI_COMM_NULL) {
    const std::vector<int> all = gather(from->comm, std::vector{first}).items;
    for (std::size_t i = 0; i < all.size(); ++i) next_of[from->members[i]] = all[i];
  }
  const Guard guard(mutex_);
  for (int i = 0; i < count; ++i) {
    GroupEntry& added = groups_.add(groups[i]);
    if (endpoints_ > 1) added.endpoint = clock_of(first + i);
    if (next_of.empty() || groups_.find(groups[i]) == nullptr) continue;
    std::map<int, int> next_here = next_of;
    for (const int worker : added.members) added.endpoints.push_back(next_here[worker]++);
  }
  has_endpoints_ = has_endpoints_ || (endpoints_ > 1 && count > 0);
}

void Checker::met_parents(comex_group_t parent) {
  const Guard guard(mutex_);
  if (parent == COMEX_GROUP_NULL || groups_.is_inter(parent)) return;
  groups_.add(parent).is_inter = true;
}

void Checker::made_inter_group(comex_group_t group) {
  {
    const Guard guard(mutex_);
    groups_.add(group).is_inter = true;
  }
  publish_to(all_workers());
  learn_from(all_workers());
}

void Checker::freeing_group(const FollowedCall& call, comex_group_t group) {
  if (group == COMEX_GROUP_WORLD || group == COMEX_GROUP_SELF) return;  // the runtime refuses it
  meet(call, group, true);
  if (acting() == driven_endpoint()) driven_endpoint() = 0;
  const Guard guard(mutex_);
  groups_.forget(group);
}

}  // namespace comex::checker
