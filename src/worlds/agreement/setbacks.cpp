#include "worlds/agreement/setbacks.h"

#include <algorithm>
#include <utility>

namespace comex::worlds {

Setbacks::Verdict Setbacks::hear(const Pair& pair, std::uint64_t my_call, const Said& said) {
  const bool is_past = said.number < next(pair);
  learn(pair, said);
  const bool is_of_this_call = said.heard == my_call;
  const Verdict verdict = is_in_doubt(pair) ? Verdict::doubt : Verdict::believe;
  switch (said.kind) {
    case Said::nothing:
      return Verdict::nothing;
    case Said::waits:
      if (said.is_same_list) return Verdict::nothing;
      return is_of_this_call ? verdict : Verdict::answer;
    case Said::gave_up:
      if (said.is_of_others) return is_past && !is_of_this_call ? Verdict::nothing : Verdict::remark;
      if (is_of_this_call) return verdict;
      if (is_past || said.is_of_me) return Verdict::nothing;
      return said.is_same_list ? verdict : Verdict::doubt;
    case Said::refused:
      if (is_past) return Verdict::remark;
      return said.is_same_list ? verdict : Verdict::doubt;
  }
  return Verdict::nothing;
}

void Setbacks::learn(const Pair& pair, const Said& said) {
  const std::uint64_t over = said.number - 1;  // setbacks that the speaker has behind it
  if (over == 0 && !is_setback(said.kind)) return;
  Tally& tally = tallies_[pair];
  if (is_setback(said.kind)) {
    if (said.number == tally.count) tally.is_shared = true;
    const bool is_elsewhere =
        said.kind == Said::gave_up ? said.is_of_me || said.is_of_others : !said.is_same_list;
    if (!is_elsewhere) tally.highest = std::max(tally.highest, said.number);
    tally.raise(said.first - 1);
    return;
  }
  if (over >= tally.count) tally.is_shared = true;
  tally.raise(over);
}

void Setbacks::Tally::raise(std::uint64_t to) {
  if (to > count) count = since = to;
}

void Setbacks::meet(const Pair& pair) {
  const auto found = tallies_.find(pair);
  if (found != tallies_.end()) found->second.highest = 0;
}

void Setbacks::fail(const Pair& pair, const std::set<BridgeId>& told_over, bool is_shared) {
  Tally& tally = tallies_[pair];
  ++tally.count;
  tally.is_shared = is_shared;
  tally.told_over.insert(told_over.begin(), told_over.end());
}

std::set<BridgeId> Setbacks::take_back(const Pair& pair) {
  const auto found = tallies_.find(pair);
  if (found == tallies_.end()) return {};
  found->second.since = found->second.count;
  return std::exchange(found->second.told_over, {});
}

void Setbacks::settle(const Pair& pair) {
  const auto found = tallies_.find(pair);
  if (found == tallies_.end()) return;
  found->second.is_shared = true;
  found->second.raise(found->second.highest);
}

}  // namespace comex::worlds
