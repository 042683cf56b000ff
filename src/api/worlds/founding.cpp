#include "api/worlds/founding.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "api/sides.h"
#include "api/worlds/card_hook.h"

namespace comex::api {
namespace {

constexpr std::uint64_t of_whoever = std::uint64_t{1} << 32;

// What a caller says of itself to those who may wait for it. Travels as bytes.
struct Standing {
  std::uint64_t digest = 0;  // of the list it waits with or has given up; 0: of none
  FoundingTrouble trouble;
  std::uint64_t setback = 0;  // the number that this failure has, or would have
};

std::uint64_t digest_of(const Runtime& runtime, const Founders& founders) {
  ListDigest digest;
  for (std::uint32_t rank = 0; rank < founders.lpids.size(); ++rank) {
    digest.add(runtime.book.gpid_of(founders.lpids[rank]).value());
    if (founders.endpoints) digest.add(founders.endpoints.of(rank));
  }
  if (founders.named != nullptr) digest.add(founders.named->digest());
  return digest.value();
}

std::string line_of(const FoundingTrouble& trouble) {
  const std::string who = text_of(trouble.whose) + ", which the list of members names, ";
  if (trouble.kind == FoundingTrouble::refused) return who + "was refused for its arguments";
  return who + "names others, or these in another order; all members name the same ones in one order";
}

Deadline limit(const Runtime& runtime) {
  return Deadline(static_cast<double>(runtime.world->settings.meet_s));
}

// Under the engine lock.
void stand_before(Runtime& runtime, const Route& route, const Setbacks::Pair& pair, Standing standing) {
  if (route.tokens == nullptr) return;
  standing.setback = runtime.meetings.setbacks.next(pair);
  route.tokens->send(route.rank, op::mailbox_context, of_whoever, pair.my_endpoint,
                     std::as_bytes(std::span(&standing, 1)));
}

// Who may wait for a caller that was refused.
struct Waiter {
  Gpid gpid;
  std::uint32_t endpoint = groups::process_itself;
};

// Who has left a bridge may be gone.
bool is_reached_over(const Runtime& runtime, BridgeId way, Lpid lpid) {
  return way == no_bridge || runtime.is_own(lpid) || runtime.bridges.peers.leads(way, lpid);
}

void tell_of_refusal(Runtime& runtime, std::uint32_t my_endpoint, std::span<const Waiter> waiters,
                     std::set<BridgeId> ways) {
  const Standing refusal{0, {FoundingTrouble::refused, runtime.book.me()}, 0};
  const op::Engine::Lock lock = runtime.engine.enter();
  for (const auto& [gpid, endpoint] : waiters) {
    const Result<Lpid> lpid = runtime.book.lpid_of(gpid);
    if (!lpid) continue;
    const Setbacks::Pair pair{my_endpoint, gpid, endpoint};
    for (const BridgeId way : ways) {
      if (!is_reached_over(runtime, way, lpid.value())) continue;
      stand_before(runtime, route_to(runtime, way, lpid.value()), pair, refusal);
    }
    runtime.meetings.setbacks.count_refusal(pair);
  }
  runtime.meetings.has_given_up = true;
}

}  // namespace

Founding::Founding(Runtime& runtime, const char* operation, const Founders& founders, std::uint32_t my_rank)
    : runtime_(runtime),
      operation_(operation),
      founders_(founders),
      my_rank_(my_rank),
      digest_(digest_of(runtime, founders)),
      mine_{runtime.world->os->random_bits() | 1, 0},
      deadline_(limit(runtime)) {
  for (const Lpid lpid : founders.lpids) routes_.push_back(route_to(runtime, founders.bridge, lpid));
  missing_.resize(leads() ? routes_.size() - 1 : 1);
  std::iota(missing_.begin(), missing_.end(), leads() ? 1 : 0);
  if (leads()) numbers_.resize(routes_.size());
}

Result<std::uint64_t> Founding::agree() {
  const auto is_gone = [](const Route& route) { return route.tokens == nullptr; };
  if (const auto gone = std::ranges::find_if(routes_, is_gone); gone != routes_.end()) {
    return environment_error(
        no_connection(runtime_.book.me(), gpid_of(static_cast<std::uint32_t>(gone - routes_.begin()))));
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
    deadline_ = limit(runtime_);
  }
  if (is_doomed() || is_lost()) return true;
  return is_late_ && (!founders_.was_cut_off.empty() || finds_trouble());
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
    const auto bytes = std::as_writable_bytes(std::span(&standing, 1));
    const bool has_told =
        rank != my_rank_ && routes_[rank].tokens->take(routes_[rank].rank, op::mailbox_context, of_whoever,
                                                       founders_.endpoints.of(rank), bytes);
    if (!has_told) continue;
    doubts_.erase(rank);
    const FoundingTrouble trouble = trouble_from(rank, standing.digest, standing.trouble);
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

// Who has given up another list because somebody was refused may still come to this one.
FoundingTrouble Founding::trouble_from(std::uint32_t rank, std::uint64_t digest,
                                       const FoundingTrouble& told) const {
  if (digest == digest_ || digest == 0) return told;
  if (told.kind == FoundingTrouble::refused) return {};
  return {FoundingTrouble::other_list, gpid_of(rank)};
}

// Who may mean a call that was refused here comes to this one next, and is given the time for it.
bool Founding::is_believed(std::uint32_t rank, std::uint64_t number, const FoundingTrouble& trouble) {
  Setbacks& setbacks = runtime_.meetings.setbacks;
  const Setbacks::Pair pair = pair_with(rank);
  if (!setbacks.is_doubtful(pair, number)) return !setbacks.is_old(pair, number);
  if (trouble.kind == FoundingTrouble::refused) {
    setbacks.share_refusals(pair, number);
  } else {
    doubts_.emplace(rank, Doubt{trouble, limit(runtime_)});
  }
  return false;
}

void Founding::tell_all(std::uint64_t digest, const FoundingTrouble& trouble) {
  for (std::uint32_t rank = 0; rank < routes_.size(); ++rank) {
    if (rank != my_rank_) stand_before(runtime_, routes_[rank], pair_with(rank), {digest, trouble, 0});
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
    return environment_error(doom_.empty() ? founders_.was_cut_off : doom_);
  }
  tell_all(digest_, trouble_);
  for (std::uint32_t rank = 0; rank < routes_.size(); ++rank) {
    if (rank != my_rank_) runtime_.meetings.setbacks.count(pair_with(rank));
  }
  for (const auto& [rank, doubt] : doubts_) {
    if (doubt.until.is_over()) runtime_.meetings.setbacks.forget_refusals(pair_with(rank));
  }
  runtime_.meetings.has_given_up = true;
  return caller_error(line_of(trouble_));
}

Setbacks::Pair Founding::pair_with(std::uint32_t rank) const {
  return {founders_.endpoints.of(my_rank_), gpid_of(rank), founders_.endpoints.of(rank)};
}

Gpid Founding::gpid_of(std::uint32_t rank) const {
  return runtime_.book.gpid_of(founders_.lpids[rank]).value();
}

// Members of the own world alone wait over its own wire, whatever bridge their parent has.
void tell_of_refusal(Runtime& runtime, const groups::Group& parent) {
  std::vector<Waiter> members;
  for (std::uint32_t rank = 0; rank < parent.size(); ++rank) {
    if (static_cast<int>(rank) != parent.my_rank())
      members.push_back(
          {runtime.book.gpid_of(parent.members().lpid(rank)).value(), parent.endpoints().of(rank)});
  }
  tell_of_refusal(runtime, parent.my_endpoint(), members, {no_bridge, parent.bridge()});
}

void tell_of_refusal(Runtime& runtime) {
  std::vector<Waiter> everybody;
  for (const Gpid gpid : runtime.book.lpid_table()) {
    if (gpid != runtime.book.me()) everybody.push_back({gpid});
  }
  const std::vector<BridgeId> bridges = runtime.bridges.ids();
  std::set<BridgeId> ways(bridges.begin(), bridges.end());
  ways.insert(no_bridge);
  tell_of_refusal(runtime, groups::process_itself, everybody, ways);
}

}  // namespace comex::api
