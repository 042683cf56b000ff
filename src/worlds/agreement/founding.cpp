#include "worlds/agreement/founding.h"

#include <algorithm>

namespace comex::worlds {
namespace {

std::vector<Gpid> gpids_of(const runtime::Runtime& runtime, std::span<const Lpid> lpids) {
  std::vector<Gpid> gpids;
  for (const Lpid lpid : lpids) gpids.push_back(runtime.book.gpid_of(lpid).value());
  return gpids;
}

std::vector<Route> routes_of(runtime::Runtime& runtime, const Founders& founders) {
  std::vector<Route> routes;
  for (const Lpid lpid : founders.lpids) routes.push_back(route_to(runtime, founders.bridge, lpid));
  return routes;
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

Deadline limit(const runtime::Runtime& runtime) {
  return Deadline(static_cast<double>(runtime.world->settings.meet_s));
}

}  // namespace

Founding::Founding(runtime::Runtime& runtime, const char* operation, const Founders& founders,
                   std::uint32_t my_rank)
    : runtime_(runtime),
      operation_(operation),
      founders_(founders),
      my_rank_(my_rank),
      routes_(routes_of(runtime, founders)),
      gpids_(gpids_of(runtime, founders.lpids)),
      digest_(digest_of(founders, gpids_)),
      call_(runtime.world->os->random_bits() | 1),
      roll_(leads() ? static_cast<std::uint32_t>(routes_.size()) : 1),
      answer_(call_),
      deadline_(limit(runtime)),
      list_(list_text(gpids_)),
      circle_(runtime, {digest_, call_, my_rank, list_},
              [this](std::uint64_t rank, std::uint64_t call) {
                return roll_.call_of(static_cast<std::uint32_t>(rank)) == call;
              }),
      hearsay_(runtime, founders, {operation, my_rank, digest_, call_, list_}, routes_, gpids_) {}

Result<std::uint64_t> Founding::agree() {
  const auto is_gone = [](const Route& route) { return route.control == nullptr; };
  if (const auto gone = std::ranges::find_if(routes_, is_gone); gone != routes_.end()) {
    return environment_error(
        no_connection(runtime_.book.me(), gpids_[static_cast<std::size_t>(gone - routes_.begin())]));
  }
  if (!begin()) return give_up();
  while (!is_settled()) {
    const std::uint32_t awaited = first_awaited();
    bool is_in_vain = false;
    const auto look = [&] {
      if (leads() && is_doomed()) return is_in_vain = true;
      listen();
      return is_settled() || first_awaited() != awaited || (is_in_vain = waits_in_vain());
    };
    runtime_.engine.wait(look, {operation_, founders_.lpids[awaited]});
    if (is_in_vain && leaves()) return give_up();
  }
  return settle();
}

bool Founding::begin() {
  const op::Engine::Lock lock = runtime_.engine.enter();
  if (is_doomed()) return false;
  hearsay_.begin();
  if (leads()) return true;
  tell_leader(answer_.come());
  return has_come_ = true;
}

void Founding::listen() {
  if (leads()) {
    call_the_roll();
  } else {
    answer_the_leader();
  }
}

void Founding::call_the_roll() {
  const auto members = static_cast<std::uint32_t>(routes_.size());
  const bool is_new = !roll_.is_open();
  for (std::uint32_t rank = 1; rank < members; ++rank) {
    if (roll_.is_awaited(rank)) hear_member(rank);
  }
  if (is_new && roll_.have_all_come()) {
    roll_.open(runtime_.context_over(founders_.bridge));
    for (std::uint32_t rank = 1; rank < members; ++rank) hear_member(rank);  // some may have gone meanwhile
  }
  if (!roll_.is_open() || !roll_.have_all_come() || trouble_.kind != FoundingTrouble::none) return;
  for (std::uint32_t rank = 1; rank < members; ++rank) {
    if (const auto offer = roll_.offer(rank)) tell_member(rank, *offer);
  }
}

void Founding::hear_member(std::uint32_t rank) {
  MembersWord word;
  if (!takes(rank, 2 * rank, std::as_writable_bytes(std::span(&word, 1)))) return;
  if (const auto answer = roll_.hear(rank, word)) tell_member(rank, *answer);
  if (word.kind != MembersWord::comes) return;
  if (const auto end = hearsay_.find_end(rank)) trouble_ = *end;
  hearsay_.hear_of_call(rank, word.call);
}

void Founding::answer_the_leader() {
  LeadersWord word;
  if (!takes(0, 2 * my_rank_ + 1, std::as_writable_bytes(std::span(&word, 1)))) return;
  if (word.kind == LeadersWord::offer && word.call == call_) {
    if (const auto end = hearsay_.find_end()) {
      trouble_ = *end;
      return;
    }
  }
  const bool was_leaving = answer_.is_bound();
  if (const auto answer = answer_.hear(word)) tell_leader(*answer);
  if (answer_.is_off() && !was_leaving) hear_that_it_is_off(word);
}

// The leader's call is over: so is this one, unless the leader's next one may be meant for it.
void Founding::hear_that_it_is_off(const LeadersWord& word) {
  if (word.trouble.kind != FoundingTrouble::none && hearsay_.believes_leader(word.trouble, word.number)) {
    trouble_ = word.trouble;
  } else {
    tell_leader(answer_.come());
  }
}

// As a member, who may have given the decision away: false when the group has come about.
bool Founding::leaves() {
  if (leads() || answer_.is_off()) return true;
  {
    const op::Engine::Lock lock = runtime_.engine.enter();
    tell_leader(answer_.leave());
  }
  if (!answer_.is_bound()) return true;
  const auto is_decided = [&] {
    listen();
    return !answer_.is_bound() || is_lost();
  };
  runtime_.engine.wait(is_decided, {operation_, founders_.lpids.front()});
  return !answer_.is_made();
}

std::uint64_t Founding::settle() {
  const op::Engine::Lock lock = runtime_.engine.enter();
  hearsay_.succeed();
  if (is_late()) {
    hearsay_.tell_that_it_is_over();
    circle_.retract();
  }
  if (!leads()) return answer_.context();
  for (std::uint32_t rank = 1; rank < routes_.size(); ++rank) {
    tell_member(rank, roll_.last_word(rank, LeadersWord::made).value());
  }
  return roll_.context();
}

bool Founding::waits_in_vain() {
  const bool is_time = deadline_.is_over();
  if (is_time) ++limits_;
  if (is_doomed() || is_lost() || trouble_.kind != FoundingTrouble::none) return true;
  if (!is_late()) return false;
  if (!founders_.was_cut_off.empty()) return true;
  if (!is_time && !next_look_.is_over()) return false;
  constexpr double pause_s = 0.02;
  next_look_ = Deadline(pause_s);
  if (finds_trouble()) return true;
  if (is_time) {
    deadline_ = limit(runtime_);
    hearsay_.tell_that_it_waits();
    if (may_be_in_a_circle()) circle_.ask(awaited());
  }
  return false;
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
  return founders_.bridge != no_bridge && routes_.front().control->is_lost();
}

bool Founding::takes(std::uint32_t from, std::uint32_t phase, std::span<std::byte> word) {
  const Route& route = routes_[from];
  return route.control->take(route.rank, op::mailbox_context, digest_, phase, word);
}

void Founding::send(std::uint32_t to, std::uint32_t phase, std::span<const std::byte> word) {
  routes_[to].control->send(routes_[to].rank, op::mailbox_context, digest_, phase, word);
}

void Founding::tell_leader(const MembersWord& word) {
  send(0, 2 * my_rank_, std::as_bytes(std::span(&word, 1)));
}

void Founding::tell_member(std::uint32_t rank, const LeadersWord& word) {
  send(rank, 2 * rank + 1, std::as_bytes(std::span(&word, 1)));
}

bool Founding::finds_trouble() {
  if (const auto found = hearsay_.find_trouble()) {
    trouble_ = *found;
    return true;
  }
  return may_be_in_a_circle() && waits_in_a_circle();
}

// Who waits for this process in a call that failed here already is given the time to fail as well.
bool Founding::may_be_in_a_circle() const {
  return is_serial(runtime_) && (limits_ > 1 || !hearsay_.is_ahead());
}

bool Founding::waits_in_a_circle() {
  if (!circle_.is_closed(awaited())) return false;
  const Circle::Neighbour& other = circle_.neighbour();
  const bool is_of_two =
      other.gpid == circle_.asker() && other.list != list_ && std::ranges::count(gpids_, other.gpid) != 0;
  trouble_ = {is_of_two ? FoundingTrouble::other_list : FoundingTrouble::circle, other.gpid, other.list};
  return true;
}

std::vector<Route> Founding::awaited() const {
  if (!leads()) return {routes_.front()};
  std::vector<Route> routes;
  for (const std::uint32_t rank : roll_.missing()) routes.push_back(routes_[rank]);
  return routes;
}

void Founding::call_it_off() {
  for (std::uint32_t rank = 1; rank < routes_.size(); ++rank) {
    auto word = roll_.last_word(rank, LeadersWord::off);
    if (!word) continue;
    if (!hearsay_.is_culprit(rank)) {
      word->trouble = trouble_;
      word->number = hearsay_.number_of_setback(rank);
    }
    tell_member(rank, *word);
  }
}

Failure Founding::give_up() {
  if (doom_.empty() && is_lost()) {
    is_cut_off_ = true;
    return environment_error(runtime_.why_lost(founders_.bridge));
  }
  const op::Engine::Lock lock = runtime_.engine.enter();
  circle_.retract();
  if (leads()) call_it_off();
  if (trouble_.kind == FoundingTrouble::none) {
    if (is_late()) hearsay_.tell_that_it_is_over();
    return environment_error(doom_.empty() ? founders_.was_cut_off : doom_);
  }
  hearsay_.fail(trouble_, circle_.asker());
  return caller_error(line_of(trouble_, list_));
}

}  // namespace comex::worlds
