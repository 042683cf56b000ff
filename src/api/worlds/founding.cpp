#include "api/worlds/founding.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "api/worlds/card_hook.h"

namespace comex::api {
namespace {

std::vector<Gpid> gpids_of(const Runtime& runtime, std::span<const Lpid> lpids) {
  std::vector<Gpid> gpids;
  for (const Lpid lpid : lpids) gpids.push_back(runtime.book.gpid_of(lpid).value());
  return gpids;
}

std::uint64_t digest_of(const Founders& founders, std::span<const Gpid> members) {
  ListDigest digest;
  for (std::uint32_t rank = 0; rank < members.size(); ++rank) {
    digest.add(members[rank]);
    if (founders.endpoints) digest.add(founders.endpoints.of(rank));
  }
  if (founders.named != nullptr) digest.add(founders.named->digest());
  return digest.value();
}

std::string line_of(const FoundingTrouble& trouble, const ListText& mine) {
  const std::string who = text_of(trouble.whose);
  if (trouble.kind == FoundingTrouble::refused)
    return who + ", which the list of members names, was refused for its arguments";
  const std::string theirs = trouble.list.data();
  const std::string ours = mine.data();
  const std::string allowed = "; all members name the same ones in one order";
  if (trouble.kind == FoundingTrouble::circle) {
    return who + ", with the members " + theirs + ", and this process, with " + ours +
           ", wait for each other in a circle" + allowed;
  }
  return who + ", which the list of members " + ours + " names, names " + theirs + allowed;
}

Deadline limit(const Runtime& runtime) {
  return Deadline(static_cast<double>(runtime.world->settings.meet_s));
}

}  // namespace

Founding::Founding(Runtime& runtime, const char* operation, const Founders& founders, std::uint32_t my_rank)
    : runtime_(runtime),
      operation_(operation),
      founders_(founders),
      my_rank_(my_rank),
      gpids_(gpids_of(runtime, founders.lpids)),
      digest_(digest_of(founders, gpids_)),
      mine_{runtime.world->os->random_bits() | 1, 0},
      deadline_(limit(runtime)),
      list_(list_text(gpids_)),
      circle_(runtime, {digest_, mine_.number, my_rank, list_},
              [this](std::uint64_t rank, std::uint64_t call) { return numbers_[rank] == call; }) {
  for (const Lpid lpid : founders.lpids) routes_.push_back(route_to(runtime, founders.bridge, lpid));
  missing_.resize(leads() ? routes_.size() - 1 : 1);
  std::iota(missing_.begin(), missing_.end(), leads() ? 1 : 0);
  if (leads()) numbers_.resize(routes_.size());
}

Result<std::uint64_t> Founding::agree() {
  const auto is_gone = [](const Route& route) { return route.tokens == nullptr; };
  if (const auto gone = std::ranges::find_if(routes_, is_gone); gone != routes_.end()) {
    return environment_error(
        no_connection(runtime_.book.me(), gpids_[static_cast<std::size_t>(gone - routes_.begin())]));
  }
  if (!begin()) return give_up();
  while (!missing_.empty()) {
    const std::uint32_t awaited = missing_.front();
    bool is_in_vain = false;
    const auto look = [&] {
      if (leads() && is_doomed()) return is_in_vain = true;
      listen();
      return missing_.empty() || missing_.front() != awaited || (is_in_vain = waits_in_vain());
    };
    runtime_.engine.wait(look, {operation_, founders_.lpids[awaited]});
    if (is_in_vain) return give_up();
  }
  if (is_late_) {
    const op::Engine::Lock lock = runtime_.engine.enter();
    tell_all(0, {});
    circle_.retract();
  }
  return leads() ? number_the_group() : mine_.context;
}

bool Founding::begin() {
  const op::Engine::Lock lock = runtime_.engine.enter();
  if (is_doomed()) return false;
  if (runtime_.meetings.has_given_up.exchange(false)) tell_all(0, {});
  if (leads()) return true;
  send(0, 2 * my_rank_, mine_);
  return has_come_ = true;
}

void Founding::listen() {
  Word word;
  std::erase_if(missing_, [&](std::uint32_t rank) {
    if (!takes(rank, leads() ? 2 * rank : 2 * my_rank_ + 1, word)) return false;
    if (leads()) return (numbers_[rank] = word.number) != 0;
    mine_.context = word.context;
    return word.number == mine_.number;  // else it answers an earlier call of the same list
  });
}

bool Founding::waits_in_vain() {
  if (deadline_.is_over()) {
    is_late_ = true;
    tell_all(digest_, {});
    if (is_serial(runtime_)) circle_.ask(awaited());
    deadline_ = limit(runtime_);
  }
  if (is_doomed() || is_lost()) return true;
  if (!is_late_) return false;
  if (!founders_.was_cut_off.empty()) return true;
  if (!next_look_.is_over()) return false;
  constexpr double pause_s = 0.02;
  next_look_ = Deadline(pause_s);
  return finds_trouble() || (is_serial(runtime_) && waits_in_a_circle());
}

// Only the leader can say that the group will not come about: it may have counted those who have come, and
// they stay until they hear from it. Where it does not call at all, nobody has been counted.
bool Founding::is_doomed() {
  if (founders_.named == nullptr) return false;
  NamedWorlds& named = *founders_.named;
  for (std::uint32_t rank = 0; rank < routes_.size() && (leads() || rank == 0); ++rank) {
    if (rank != my_rank_ && named.hear(routes_[rank]) && rank == 0) has_leader_given_up_ = true;
  }
  doom_ = named.why_lost();
  if (doom_.empty()) return false;
  named.tell();
  if (leads() || has_leader_given_up_ || !has_come_) return true;
  if (!last_word_) last_word_ = limit(runtime_);
  return last_word_->is_over();
}

bool Founding::is_lost() const {
  return founders_.bridge != no_bridge && routes_.front().tokens->is_lost();
}

bool Founding::takes(std::uint32_t from, std::uint32_t phase, Word& word) {
  const Route& route = routes_[from];
  return route.tokens->take(route.rank, op::mailbox_context, digest_, phase,
                            std::as_writable_bytes(std::span(&word, 1)));
}

void Founding::send(std::uint32_t to, std::uint32_t phase, const Word& word) {
  routes_[to].tokens->send(routes_[to].rank, op::mailbox_context, digest_, phase,
                           std::as_bytes(std::span(&word, 1)));
}

std::uint64_t Founding::number_the_group() {
  const std::uint64_t context = runtime_.context_over(founders_.bridge);
  const op::Engine::Lock lock = runtime_.engine.enter();
  for (std::uint32_t rank = 1; rank < routes_.size(); ++rank) {
    send(rank, 2 * rank + 1, {numbers_[rank], context});
  }
  return context;
}

bool Founding::finds_trouble() {
  for (std::uint32_t rank = 0; rank < routes_.size(); ++rank) {
    Standing standing;
    const Setbacks::Pair pair = pair_with(rank);
    if (rank == my_rank_ || !take_standing(routes_[rank], pair, standing)) continue;
    doubts_.erase(rank);
    if (runtime_.meetings.setbacks.is_old(pair, standing.setback)) continue;
    const FoundingTrouble trouble = trouble_from(rank, standing);
    if (trouble.kind == FoundingTrouble::none || !is_believed(rank, standing.setback, trouble)) continue;
    trouble_ = trouble;
    return true;
  }
  const auto is_over = [](const auto& each) { return each.second.until.is_over(); };
  const auto lasting = std::ranges::find_if(doubts_, is_over);
  if (lasting == doubts_.end()) return false;
  trouble_ = lasting->second.trouble;
  return true;
}

// Who has given up another list may still come to this one, unless that named this process.
FoundingTrouble Founding::trouble_from(std::uint32_t rank, const Standing& standing) {
  const FoundingTrouble& told = standing.trouble;
  if (standing.digest == digest_ || standing.digest == 0) return told;
  if (told.kind == FoundingTrouble::refused || told.kind == FoundingTrouble::circle) return {};
  const FoundingTrouble differs{FoundingTrouble::other_list, gpids_[rank], standing.list};
  if (standing.is_serial != 0 && is_serial(runtime_)) return differs;
  tell_once(differs);
  return {};
}

// Who may mean a call that was refused here comes to this one next, and is given the time for it.
bool Founding::is_believed(std::uint32_t rank, std::uint64_t number, const FoundingTrouble& trouble) {
  Setbacks& setbacks = runtime_.meetings.setbacks;
  const Setbacks::Pair pair = pair_with(rank);
  if (!setbacks.is_doubtful(pair, number)) return true;
  if (trouble.kind == FoundingTrouble::refused) {
    setbacks.share_refusals(pair, number);
  } else {
    doubts_.emplace(rank, Doubt{trouble, limit(runtime_)});
  }
  return false;
}

void Founding::tell_once(const FoundingTrouble& doubt) {
  if (std::exchange(has_told_, true)) return;
  Reporter::print(runtime_.reporter.caller(), {.operation = operation_},
                  line_of(doubt, list_) + "; unless another thread calls for the same, this waits for ever");
}

bool Founding::waits_in_a_circle() {
  if (!circle_.is_closed(awaited())) return false;
  trouble_ = {FoundingTrouble::circle, circle_.neighbour().gpid, circle_.neighbour().list};
  return true;
}

std::vector<Route> Founding::awaited() const {
  std::vector<Route> routes;
  for (const std::uint32_t rank : missing_) routes.push_back(routes_[rank]);
  return routes;
}

void Founding::tell_all(std::uint64_t digest, const FoundingTrouble& trouble) {
  const Standing standing{digest, list_, is_serial(runtime_) ? 1U : 0U, trouble, 0};
  for (std::uint32_t rank = 0; rank < routes_.size(); ++rank) {
    if (rank != my_rank_) stand_before(runtime_, routes_[rank], pair_with(rank), standing);
  }
}

Failure Founding::give_up() {
  if (doom_.empty() && is_lost()) {
    is_cut_off_ = true;
    return environment_error(runtime_.why_lost(founders_.bridge));
  }
  const op::Engine::Lock lock = runtime_.engine.enter();
  if (!leads()) send(0, 2 * my_rank_, {});
  if (trouble_.kind == FoundingTrouble::none) {
    if (is_late_) tell_all(0, {});
    circle_.retract();
    return environment_error(doom_.empty() ? founders_.was_cut_off : doom_);
  }
  tell_all(digest_, trouble_);
  circle_.retract();
  std::set<Setbacks::Pair> others;
  for (std::uint32_t rank = 0; rank < routes_.size(); ++rank) {
    if (rank != my_rank_) others.insert(pair_with(rank));
  }
  // Its list has this process, who hears of its failure, and may not be on the own one.
  if (circle_.asker()) others.insert({groups::process_itself, *circle_.asker(), groups::process_itself});
  for (const Setbacks::Pair& pair : others) runtime_.meetings.setbacks.count(pair);
  for (const auto& [rank, doubt] : doubts_) {
    if (doubt.until.is_over()) runtime_.meetings.setbacks.forget_refusals(pair_with(rank));
  }
  runtime_.meetings.has_given_up = true;
  return caller_error(line_of(trouble_, list_));
}

Setbacks::Pair Founding::pair_with(std::uint32_t rank) const {
  return {founders_.endpoints.of(my_rank_), gpids_[rank], founders_.endpoints.of(rank)};
}

}  // namespace comex::api
