#include "api/worlds/founding.h"

#include <algorithm>
#include <numeric>

namespace comex::api {
namespace {

std::vector<Gpid> gpids_of(const Runtime& runtime, std::span<const Lpid> lpids) {
  std::vector<Gpid> gpids;
  for (const Lpid lpid : lpids) gpids.push_back(runtime.book.gpid_of(lpid).value());
  return gpids;
}

std::vector<Route> routes_of(Runtime& runtime, const Founders& founders) {
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

Deadline limit(const Runtime& runtime) {
  return Deadline(static_cast<double>(runtime.world->settings.meet_s));
}

}  // namespace

Founding::Founding(Runtime& runtime, const char* operation, const Founders& founders, std::uint32_t my_rank)
    : runtime_(runtime),
      operation_(operation),
      founders_(founders),
      my_rank_(my_rank),
      routes_(routes_of(runtime, founders)),
      gpids_(gpids_of(runtime, founders.lpids)),
      digest_(digest_of(founders, gpids_)),
      mine_{runtime.world->os->random_bits() | 1, 0},
      deadline_(limit(runtime)),
      list_(list_text(gpids_)),
      circle_(runtime, {digest_, mine_.number, my_rank, list_},
              [this](std::uint64_t rank, std::uint64_t call) { return numbers_[rank] == call; }),
      hearsay_(runtime, founders, {operation, my_rank, digest_, mine_.number, list_}, routes_, gpids_) {
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
  if (is_late()) {
    const op::Engine::Lock lock = runtime_.engine.enter();
    hearsay_.tell_that_it_is_over();
    circle_.retract();
  }
  return leads() ? number_the_group() : mine_.context;
}

bool Founding::begin() {
  const op::Engine::Lock lock = runtime_.engine.enter();
  if (is_doomed()) return false;
  hearsay_.begin();
  if (leads()) return true;
  send(0, 2 * my_rank_, mine_);
  return has_come_ = true;
}

void Founding::listen() {
  Word word;
  std::erase_if(missing_, [&](std::uint32_t rank) {
    if (!takes(rank, leads() ? 2 * rank : 2 * my_rank_ + 1, word)) return false;
    if (leads()) return comes(rank, word);
    mine_.context = word.context;
    return word.number == mine_.number;  // else it answers an earlier call of the same list
  });
  if (leads() && missing_.empty()) look_again();
  if (missing_.empty()) hearsay_.succeed();
}

bool Founding::comes(std::uint32_t rank, const Word& word) {
  numbers_[rank] = word.number;
  if (word.number != 0) hearsay_.hear_of_call(rank, word.number);
  return word.number != 0;
}

// Who has come may have given up since, and called again.
void Founding::look_again() {
  Word word;
  for (std::uint32_t rank = 1; rank < routes_.size(); ++rank) {
    if (takes(rank, 2 * rank, word) && !comes(rank, word)) missing_.push_back(rank);
  }
}

bool Founding::waits_in_vain() {
  const bool is_time = deadline_.is_over();
  if (is_time) ++limits_;
  if (is_doomed() || is_lost()) return true;
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
  std::vector<Route> routes;
  for (const std::uint32_t rank : missing_) routes.push_back(routes_[rank]);
  return routes;
}

Failure Founding::give_up() {
  if (doom_.empty() && is_lost()) {
    is_cut_off_ = true;
    return environment_error(runtime_.why_lost(founders_.bridge));
  }
  const op::Engine::Lock lock = runtime_.engine.enter();
  if (!leads()) send(0, 2 * my_rank_, {});
  if (trouble_.kind == FoundingTrouble::none) {
    if (is_late()) hearsay_.tell_that_it_is_over();
    circle_.retract();
    return environment_error(doom_.empty() ? founders_.was_cut_off : doom_);
  }
  hearsay_.fail(trouble_, circle_.asker());
  circle_.retract();
  return caller_error(line_of(trouble_, list_));
}

}  // namespace comex::api
