// The comparison of all accesses since the last one: each owner gets those to its memory, goes through them
// in the order that the program made, and tells of conflicts without order. Then the end of the checker.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <sstream>

#include "checked/checker.h"
#include "checked/exchange.h"
#include "checked/next.h"
#include "core/diagnose.h"

namespace comex::checker {
namespace {

// What the accesses of all workers refer to.
class AllTables {
 public:
  // endpoints: of each worker, itself included.
  AllTables(MPI_Comm wire, const Tables& mine, std::size_t workers, std::size_t endpoints)
      : clocks_(gather(wire, mine.clocks)),
        shapes_(gather(wire, mine.shapes)),
        origins_(workers * endpoints),
        endpoints_(endpoints) {}

  Time known(const Access& access, std::uint16_t of) const { return row_of(access)[of]; }

  // Grows along every order that the program made.
  Time progress(const Access& access) const {
    const auto row = row_of(access);
    return std::accumulate(row.begin(), row.end(), access.issued - row[access.origin]);
  }

  void touch(Shadow& shadow, const Access& access) const {
    if (access.shape == 0) return shadow.touch(access, access.begin, access.bytes);
    for_each_run(shapes_.of(access.origin / endpoints_)[access.shape - 1], access.begin,
                 [&](std::uint64_t at, std::uint64_t bytes) { shadow.touch(access, at, bytes); });
  }

 private:
  std::span<const Time> row_of(const Access& access) const {
    return clocks_.of(access.origin / endpoints_).subspan(std::size_t{access.clocks} * origins_, origins_);
  }

  Gathered<Time> clocks_;
  Gathered<Patch> shapes_;
  std::size_t origins_;
  std::size_t endpoints_;
};

// One for each two places in the program: by their origins, and their sites as numbers in their workers'
// tables.
using Conflicts = std::map<std::array<std::uint32_t, 4>, Conflict>;

// Of accesses that stay where they are.
Conflicts find_conflicts(const AllTables& tables, const std::vector<Access>& accesses) {
  std::vector<std::pair<Time, std::size_t>> order;
  for (std::size_t i = 0; i < accesses.size(); ++i) order.emplace_back(tables.progress(accesses[i]), i);
  std::ranges::sort(order);
  Conflicts found;
  Shadow shadow([&](const Access& access, std::uint16_t origin) { return tables.known(access, origin); },
                [&](const Conflict& conflict) {
                  const Access& a = *conflict.earlier;
                  const Access& b = *conflict.later;
                  found.try_emplace({a.origin, b.origin, a.site, b.site}, conflict);
                });
  for (const auto& [progress, i] : order) tables.touch(shadow, accesses[i]);
  return found;
}

// Updates `freed`, the owner's memory that is freed and not allocated again, by one more access.
void keep_freed(std::vector<Access>& freed, const Access& access) {
  if (access.use == Use::freed) {
    if (access.bytes != 0) freed.push_back(access);
  } else if (access.use == Use::allocated) {
    std::erase_if(freed, [&](const Access& old) { return old.range().meets(access.range()); });
  }
}

std::string side(const std::string& rank, const Access& access, const std::string& site) {
  return rank + " " + verb_of(access.use) + " them by " + site;
}

}  // namespace

void Checker::keep_own_frees() {
  for (const Access& access : history_.accesses())
    if (access.owner == me_) keep_freed(freed_, access);
  for (Access& freed : freed_) freed.issued = freed.done = 0;
}

void Checker::forget_compared() {
  pending_.accesses_moved(history_.forget_done());
  compared_bytes_ = history_.bytes();  // of what is not known to be complete
}

// Collective over the workers.
void Checker::compare_all() {
  if (wire_ == MPI_COMM_NULL) return;
  const std::size_t origins = static_cast<std::size_t>(workers_) * static_cast<std::size_t>(endpoints_);
  const std::size_t bytes =
      locked([&] { return history_.bytes(); }) + origins * sizeof(Time);  // of old frees
  if (greatest_of(wire_, static_cast<std::int64_t>(bytes)) > most_bytes_compared / workers_) {
    const Guard guard(mutex_);
    findings_.note("unchecked: rank " + std::to_string(me_) +
                   ": more was accessed between two meetings of all workers than can be compared");
    keep_own_frees();
    forget_compared();
    return;
  }
  std::vector<std::vector<char>> outgoing(static_cast<std::size_t>(workers_));
  Tables tables;
  std::vector<Access> old_frees;
  {
    const Guard guard(mutex_);
    for (const Access& access : history_.accesses()) {
      const auto* const begin = reinterpret_cast<const char*>(&access);
      outgoing[access.owner].insert(outgoing[access.owner].end(), begin, begin + sizeof access);
    }
    tables = history_.tables();
    tables.clocks.resize(tables.clocks.size() + origins, 0);  // what old frees know
    old_frees = freed_;
    const auto none = static_cast<std::uint32_t>(tables.clocks.size() / origins - 1);
    for (Access& freed : old_frees) freed.clocks = none;
    keep_own_frees();
    forget_compared();
  }
  std::vector<Access> accesses = as_items<Access>(exchange_bytes(wire_, outgoing)).items;
  accesses.insert(accesses.end(), old_frees.begin(), old_frees.end());
  const AllTables all(wire_, tables, static_cast<std::size_t>(workers_),
                      static_cast<std::size_t>(endpoints_));
  const Conflicts found = find_conflicts(all, accesses);
  if (greatest_of(wire_, static_cast<std::int64_t>(found.size())) != 0) {
    const std::vector<std::vector<std::string>> sites = gather_sites();
    const Guard guard(mutex_);
    const auto site_of = [&](const Access& access) {
      return sites[static_cast<std::size_t>(access.origin / endpoints_)][access.site];
    };
    for (const auto& [places, each] : found)
      tell_conflict(each, site_of(*each.earlier), site_of(*each.later));
  }
  compare_lock_order();
}

// The texts of all call sites of each worker.
std::vector<std::vector<std::string>> Checker::gather_sites() {
  std::string mine;
  {
    const Guard guard(mutex_);
    for (std::uint32_t site = 0; site < sites_.count(); ++site) mine += sites_.text(site) + "\n";
  }
  std::vector<std::vector<std::string>> all;
  for (const std::string& texts : gather_texts(wire_, mine)) {
    std::vector<std::string>& of_one = all.emplace_back();
    std::istringstream lines(texts);
    for (std::string line; std::getline(lines, line);) of_one.push_back(line);
  }
  return all;
}

void Checker::tell_conflict(const Conflict& conflict, const std::string& earlier_site,
                            const std::string& later_site) {
  const auto& [first, second, begin, bytes] = conflict;
  const Access& earlier = *first;
  const Access& later = *second;
  const bool is_freed = earlier.use == Use::freed || later.use == Use::freed;
  std::string text = is_freed ? "used after free: " : "race: ";
  text += side(rank_text(earlier.origin), earlier, earlier_site) + ", and " +
          side(rank_text(later.origin), later, later_site) + ": " + std::to_string(bytes) + " bytes at " +
          hexadecimal(begin) + " of rank " + std::to_string(me_) + ", " + place_of(begin);
  if (!is_freed) {
    text += earlier.done == never ? "; the first is not known to be complete"
                                  : "; nothing that the program does orders them";
  }
  findings_.tell(text.substr(0, text.find(':')) + earlier_site + later_site, text);
}

void Checker::tell_open(const FollowedCall& call) {
  destroys_mutexes(call);
  const Guard guard(mutex_);
  for (const auto& [number, started] : pending_.all()) {
    const bool is_left = !started.is_settled && (started.ending == Ending::handle || !started.is_write);
    if (started.is_declared) {
      tell("access", "that of " + sites_.text(started.site) + " has not ended at finalize");
    } else if (is_left) {
      tell("never waited for", "the request of " + sites_.text(started.site) + " is still open at finalize");
    }
  }
}

void Checker::end_if_wanted(bool has_findings) {
  if (ends_job_ && has_findings)
    next<&comex_error>("comex_error")("comex check: ends the job (COMEX_CHECK=fail)", failed_check);
}

bool Checker::finalize(const FollowedCall& call) {
  tell_open(call);
  const bool has_untold = std::ranges::any_of(
      pending_.all(), [](const auto& each) { return each.second.refusal != COMEX_SUCCESS; });
  if (wire_ != MPI_COMM_NULL) {
    meet(call, COMEX_GROUP_WORLD, true);
    meet_over(call, COMEX_GROUP_WORLD, wire_, true);
    const auto most = greatest_of(wire_, static_cast<std::int64_t>(findings_.count()));
    if (me_ == 0) end_if_wanted(most != 0);
    if (ends_job_) greatest_of(wire_, most);  // who has nothing to tell waits for the end
    groups_.free_comms();                     // `wire_` is the world's
  } else {
    end_if_wanted(findings_.count() != 0);
  }
  clock_memory_.free();
  return !has_untold;
}

}  // namespace comex::checker
