#include "api/worlds/standing.h"

#include <set>
#include <vector>

namespace comex::api {
namespace {

// In the mailbox: above the tags of inter-groups.
constexpr std::uint64_t of_whoever = std::uint64_t{1} << 32;

// Who may wait for a caller that was refused.
struct Waiter {
  Gpid gpid;
  std::uint32_t endpoint = groups::process_itself;
};

// Who has left a bridge may be gone.
bool is_reached_over(const Runtime& runtime, BridgeId way, Lpid lpid) {
  return way == no_bridge || runtime.is_own(lpid) || runtime.bridges.peers.leads(way, lpid);
}

// What the other has said last stays for the next call, which has to make up its mind about it.
void learn_from(const Route& route, const Setbacks::Pair& pair, Setbacks& setbacks) {
  Standing last;
  if (route.tokens == nullptr ||
      !route.tokens->look(route.rank, op::mailbox_context, of_whoever, pair.other_endpoint,
                          std::as_writable_bytes(std::span(&last, 1)))) {
    return;
  }
  setbacks.learn(pair, {.kind = last.kind(), .number = last.number});
}

void tell_of_refusal(Runtime& runtime, std::uint32_t my_endpoint, std::span<const Waiter> waiters,
                     const std::set<BridgeId>& ways) {
  Standing refusal;
  refusal.trouble = {FoundingTrouble::refused, runtime.book.me()};
  Setbacks& setbacks = runtime.meetings.setbacks;
  const op::Engine::Lock lock = runtime.engine.enter();
  runtime.engine.pump();
  for (const auto& [gpid, endpoint] : waiters) {
    const Result<Lpid> lpid = runtime.book.lpid_of(gpid);
    if (!lpid) continue;
    const Setbacks::Pair pair{my_endpoint, gpid, endpoint};
    std::set<BridgeId> told_over;
    for (const BridgeId way : ways) {
      if (is_reached_over(runtime, way, lpid.value())) told_over.insert(way);
    }
    for (const BridgeId way : told_over) learn_from(route_to(runtime, way, lpid.value()), pair, setbacks);
    refusal.number = setbacks.next(pair);
    for (const BridgeId way : told_over) stand_before(route_to(runtime, way, lpid.value()), pair, refusal);
    setbacks.fail(pair, told_over, false);
  }
}

}  // namespace

Setbacks::Said::Kind Standing::kind() const {
  using Said = Setbacks::Said;
  if (digest == 0) return trouble.kind == FoundingTrouble::refused ? Said::refused : Said::nothing;
  return trouble.kind == FoundingTrouble::none ? Said::waits : Said::gave_up;
}

void stand_before(const Route& route, const Setbacks::Pair& pair, const Standing& standing) {
  if (route.tokens == nullptr) return;
  route.tokens->send(route.rank, op::mailbox_context, of_whoever, pair.my_endpoint,
                     std::as_bytes(std::span(&standing, 1)));
}

bool take_standing(const Route& route, const Setbacks::Pair& pair, Standing& standing) {
  return route.tokens->take(route.rank, op::mailbox_context, of_whoever, pair.other_endpoint,
                            std::as_writable_bytes(std::span(&standing, 1)));
}

void take_back_setback(Runtime& runtime, const Setbacks::Pair& pair, Lpid other, std::uint64_t call) {
  Standing nothing;
  nothing.call = call;
  nothing.number = runtime.meetings.setbacks.next(pair);
  for (const BridgeId way : runtime.meetings.setbacks.take_back(pair)) {
    if (is_reached_over(runtime, way, other)) stand_before(route_to(runtime, way, other), pair, nothing);
  }
}

bool is_serial(const Runtime& runtime) {
  return !runtime.world->has_threads && runtime.endpoints_made.load() == 0;
}

// Members of the own world alone wait over its own wire, whatever bridge their parent has.
void tell_of_refusal(Runtime& runtime, const groups::Group& parent) {
  std::vector<Waiter> members;
  for (std::uint32_t rank = 0; rank < parent.size(); ++rank) {
    if (static_cast<int>(rank) == parent.my_rank()) continue;
    const Gpid gpid = runtime.book.gpid_of(parent.members().lpid(rank)).value();
    members.push_back({gpid, parent.endpoints().of(rank)});
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
