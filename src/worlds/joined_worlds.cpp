#include "worlds/joined_worlds.h"

#include "worlds/bridge/bridge_services.h"
#include "worlds/connect/spawn.h"

namespace comex::worlds {

constexpr runtime::WorldJoiner joiner = {
    .hear_parents = hear_parents,
    .on_worker = [](runtime::Runtime& runtime) -> std::unique_ptr<runtime::OtherWorlds> {
      return std::make_unique<JoinedWorlds>(runtime);
    },
    .on_progress_rank = [](runtime::ProgressLoop& loop) -> std::unique_ptr<runtime::BridgeService> {
      return std::make_unique<BridgeServices>(loop);
    },
    .meet_parents = [](runtime::Runtime& runtime) { return meet_parents(runtime) == COMEX_SUCCESS; }};

void Ports::add(Listener listener) {
  const std::string name = format_port(listener.name());
  const std::lock_guard lock(mutex_);
  open_.emplace(name, std::make_shared<Listener>(std::move(listener)));
}

bool Ports::remove(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return open_.erase(name) != 0;
}

std::shared_ptr<Listener> Ports::find(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(name);
  return found == open_.end() ? nullptr : found->second;
}

runtime::ControlRoute JoinedWorlds::route_to(BridgeId bridge, Lpid lpid) const {
  const std::shared_ptr<Bridge> open = bridges.find(bridge);
  if (open == nullptr) return {};
  const auto found = open->ranks.find(lpid);
  if (found == open->ranks.end()) return {};
  return {&open->control, found->second};
}

void JoinedWorlds::tell_losses() {
  for (const EndedLink& each : watch.take_ended()) lose_bridge(runtime_, each);
}

std::string JoinedWorlds::why_lost(BridgeId bridge) {
  tell_losses();
  return bridges.why_lost(bridge);
}

void JoinedWorlds::start_fence_all(nb::Completion& completion) {
  for (const BridgeId id : bridges.ids()) {
    if (!bridges.why_lost(id).empty()) continue;
    // Another thread may take the bridge down, under the lock; what is under way there is complete by then.
    const auto has_capacity = [&] {
      const std::shared_ptr<const Bridge> bridge = bridges.find(id);
      return bridge == nullptr || bridge->remote.has_capacity();
    };
    const op::Engine::Lock lock = runtime_.engine().enter_when(has_capacity, {"fence_all"});
    if (const std::shared_ptr<Bridge> bridge = bridges.find(id)) bridge->remote.start_fence_all(completion);
  }
}

}  // namespace comex::worlds
