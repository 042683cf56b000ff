#include "worlds/agreement/hearsay.h"

namespace comex::worlds {
namespace {

Deadline grace(const runtime::Runtime& runtime) {
  return Deadline(static_cast<double>(runtime.world->settings.meet_s));
}

bool is_of_lists(const FoundingTrouble& trouble) {
  return trouble.kind == FoundingTrouble::other_list;
}

// Of what need not be about this list.
const char* remark_of(const FoundingTrouble& trouble) {
  return is_of_lists(trouble)
             ? "; it has given those up because of others, and this waits until it calls again"
             : ", in an earlier call as it seems: this waits until it calls again";
}

}  // namespace

void Hearsay::begin() {
  numbers_.resize(routes_.size());
  for (const std::uint32_t rank : others()) {
    numbers_[rank] = runtime_.meetings.setbacks.next(pair_with(rank));
    is_ahead_ = is_ahead_ || runtime_.meetings.setbacks.is_in_doubt(pair_with(rank));
    take_back_setback(runtime_, pair_with(rank), founders_.lpids[rank], mine_.call);
  }
}

void Hearsay::hear_of_call(std::uint32_t rank, std::uint64_t call) {
  runtime_.meetings.setbacks.meet(pair_with(rank));
  const auto found = doubts_.find(rank);
  if (found != doubts_.end() && found->second.call != call) doubts_.erase(found);
}

bool Hearsay::believes_leader(const FoundingTrouble& trouble, std::uint64_t number) {
  constexpr std::uint32_t leader = 0;
  const Setbacks::Said said{.kind = Setbacks::Said::gave_up,
                            .number = number,
                            .first = number,
                            .heard = mine_.call,
                            .is_same_list = true};
  const Setbacks::Verdict verdict = runtime_.meetings.setbacks.hear(pair_with(leader), mine_.call, said);
  if (verdict != Setbacks::Verdict::believe) {
    doubt(leader, {trouble, 0, grace(runtime_)});
    return false;
  }
  culprit_ = leader;
  return true;
}

std::optional<FoundingTrouble> Hearsay::find_trouble() {
  for (const std::uint32_t rank : others()) listen_to(rank);
  doubt_those_ahead();
  for (auto& [rank, doubt] : doubts_) {
    if (!doubt.until.is_over()) continue;
    if (doubt.is_remark) {
      tell_once(doubt.trouble, remark_of(doubt.trouble));
      continue;
    }
    culprit_ = rank;
    return doubt.trouble;
  }
  return std::nullopt;
}

std::optional<FoundingTrouble> Hearsay::find_end(std::uint32_t rank) {
  Standing setback;
  if (!look_at_standing(routes_[rank], pair_with(rank), Place::setback, setback)) return std::nullopt;
  if (setback.heard != mine_.call || !hear(rank, setback)) return std::nullopt;
  culprit_ = rank;
  return trouble_from(rank, setback);
}

std::optional<FoundingTrouble> Hearsay::find_end() {
  for (const std::uint32_t rank : others()) {
    if (auto trouble = find_end(rank)) return trouble;
  }
  return std::nullopt;
}

// In the order in which it was said.
void Hearsay::listen_to(std::uint32_t rank) {
  const Route& route = routes_[rank];
  const Setbacks::Pair pair = pair_with(rank);
  Standing setback;
  Standing of_call;
  const bool has_failed = take_standing(route, pair, Place::setback, setback);
  const bool has_called = look_at_standing(route, pair, Place::call, of_call);
  const bool is_earlier =
      has_failed && has_called && Setbacks::is_of_earlier_call(said(setback), said(of_call));
  if (is_earlier && hear(rank, setback)) return;  // what it says of its next call is for the next here
  if (has_called && take_standing(route, pair, Place::call, of_call)) hear(rank, of_call);
  if (has_failed && !is_earlier) hear(rank, setback);
}

bool Hearsay::hear(std::uint32_t rank, const Standing& standing) {
  const Setbacks::Said::Kind kind = standing.kind();
  if (kind == Setbacks::Said::waits || kind == Setbacks::Said::nothing) heard_[rank] = standing.call;
  const Setbacks::Said word = said(standing);
  const Setbacks::Verdict verdict = runtime_.meetings.setbacks.hear(pair_with(rank), mine_.call, word);
  const FoundingTrouble trouble = trouble_from(rank, standing);
  const bool is_against = verdict != Setbacks::Verdict::nothing && verdict != Setbacks::Verdict::remark;
  if (is_against && is_of_lists(trouble) && trouble.whose == gpids_[rank] &&
      (standing.is_serial == 0 || !is_serial(runtime_))) {
    doubts_.erase(rank);
    tell_once(trouble, "; unless another thread calls for the same, this waits for ever");
    return false;
  }
  switch (verdict) {
    case Setbacks::Verdict::nothing:
      doubts_.erase(rank);
      break;
    case Setbacks::Verdict::answer:
      doubts_.erase(rank);
      answer(rank, standing.call);
      break;
    case Setbacks::Verdict::remark:
      doubt(rank, {trouble, standing.call, grace(runtime_), true});
      break;
    case Setbacks::Verdict::doubt:
      doubt(rank, {trouble, standing.call, grace(runtime_)});
      if (kind == Setbacks::Said::waits) answer(rank, standing.call);  // it need not doubt
      break;
    case Setbacks::Verdict::believe:
      doubts_.insert_or_assign(rank, Doubt{trouble, standing.call, Deadline(0)});
      break;
  }
  return Setbacks::is_final(verdict, mine_.call, word);
}

void Hearsay::answer(std::uint32_t rank, std::uint64_t call) {
  if (std::exchange(answered_[rank], call) != call) tell(rank, true);
}

// Another word about the same call does not put the end off.
void Hearsay::doubt(std::uint32_t rank, const Doubt& doubt) {
  const auto [found, is_new] = doubts_.emplace(rank, doubt);
  if (is_new) return;
  Deadline until = doubt.until;
  if (found->second.call == doubt.call && !found->second.is_remark) until = found->second.until;
  found->second = doubt;
  found->second.until = until;
}

// A newer setback covered what they said of an earlier one, for which this call may have to fail.
void Hearsay::doubt_those_ahead() {
  for (const std::uint32_t rank : others()) {
    if (doubts_.contains(rank) || !runtime_.meetings.setbacks.is_behind(pair_with(rank))) continue;
    doubt(rank, {{FoundingTrouble::ahead, gpids_[rank]}, 0, grace(runtime_)});
  }
}

Setbacks::Said Hearsay::said(const Standing& standing) const {
  const FoundingTrouble& told = standing.trouble;
  const bool is_same_list = is_of_this_list(standing);
  const bool is_of_one = told.kind == FoundingTrouble::refused || told.kind == FoundingTrouble::ahead;
  const bool is_mine =
      told.whose == runtime_.book.me() && (is_of_one || told.kind == FoundingTrouble::other_list);
  const bool is_of_others = is_of_one || told.kind == FoundingTrouble::circle;
  return {.kind = standing.kind(),
          .number = standing.number,
          .first = standing.first,
          .heard = standing.heard,
          .is_same_list = is_same_list,
          .is_of_me = is_mine && is_serial(runtime_),
          .is_of_others = is_of_others && !is_same_list};
}

bool Hearsay::is_of_this_list(const Standing& standing) const {
  if (standing.kind() != Setbacks::Said::refused) return standing.digest == mine_.digest;
  std::vector<ListedMember> list;
  for (std::uint32_t rank = 0; rank < gpids_.size(); ++rank)
    list.push_back({gpids_[rank], founders_.endpoints.of(rank)});
  return standing.refused.was_meant_as(list);
}

// As this list's members have to see it.
FoundingTrouble Hearsay::trouble_from(std::uint32_t rank, const Standing& standing) const {
  if (standing.digest == mine_.digest || standing.digest == 0) return standing.trouble;
  return {FoundingTrouble::other_list, gpids_[rank], standing.list};
}

void Hearsay::tell_once(const FoundingTrouble& trouble, const char* what_follows) {
  if (std::exchange(has_told_, true)) return;
  runtime::Reporter::print(runtime_.reporter.caller(), {.operation = mine_.operation},
                           line_of(trouble, mine_.list) + what_follows);
}

Standing Hearsay::standing(std::uint32_t rank, bool waits, const FoundingTrouble& trouble) const {
  Standing standing;
  standing.is_serial = is_serial(runtime_) ? 1 : 0;
  standing.trouble = trouble;
  const bool is_over = !waits && trouble.kind == FoundingTrouble::none;
  standing.number = numbers_[rank];
  if (is_over) return standing;
  standing.digest = mine_.digest;
  standing.list = mine_.list;
  standing.call = mine_.call;
  const auto heard = heard_.find(rank);
  if (heard != heard_.end()) standing.heard = heard->second;
  if (!waits) standing.number = standing.first = number_of_setback(rank);
  return standing;
}

void Hearsay::tell(std::uint32_t rank, bool waits, const FoundingTrouble& trouble) const {
  stand_before(routes_[rank], pair_with(rank), standing(rank, waits, trouble));
}

void Hearsay::tell_that_it_waits() const {
  for (const std::uint32_t rank : others()) tell(rank, true);
}

void Hearsay::tell_that_it_is_over() const {
  for (const std::uint32_t rank : others()) tell(rank, false);
}

void Hearsay::fail(const FoundingTrouble& trouble, const std::optional<Gpid>& other) {
  Setbacks& setbacks = runtime_.meetings.setbacks;
  bool is_on_the_list = false;
  for (const std::uint32_t rank : others()) {
    tell(rank, false, trouble);
    setbacks.fail(pair_with(rank), {founders_.bridge}, culprit_ == rank);
    is_on_the_list = is_on_the_list || gpids_[rank] == other;
  }
  // Its list has this process, who hears of its failure.
  if (other && !is_on_the_list) {
    setbacks.fail({groups::process_itself, *other, groups::process_itself}, {}, true);
  }
}

void Hearsay::succeed() const {
  for (const std::uint32_t rank : others()) runtime_.meetings.setbacks.settle(pair_with(rank));
}

std::vector<std::uint32_t> Hearsay::others() const {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < routes_.size(); ++rank) {
    if (rank != mine_.rank) ranks.push_back(rank);
  }
  return ranks;
}

Setbacks::Pair Hearsay::pair_with(std::uint32_t rank) const {
  return {founders_.endpoints.of(mine_.rank), gpids_[rank], founders_.endpoints.of(rank)};
}

}  // namespace comex::worlds
