#include "worlds/connect/meetings.h"

#include "runtime/runtime.h"

namespace comex::worlds {

std::string Ports::add(Listener listener) {
  std::string name = format_port(listener.name());
  const std::lock_guard lock(mutex_);
  open_.emplace(name, std::make_shared<Listener>(std::move(listener)));
  return name;
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

void Losses::note(BridgeId bridge, WorldId world, std::string how) {
  const std::lock_guard lock(mutex_);
  noted_.push_back({bridge, world, std::move(how)});
  has_any_.store(true, std::memory_order_relaxed);
}

bool Losses::is_news(WorldId world) {
  const std::lock_guard lock(mutex_);
  return told_.insert(world).second;
}

void Losses::forget(WorldId world) {
  const std::lock_guard lock(mutex_);
  told_.erase(world);
}

void Losses::tell_all(runtime::Runtime& runtime) {
  std::vector<Loss> lost;
  {
    const std::lock_guard lock(mutex_);
    lost = std::exchange(noted_, {});
    has_any_.store(false, std::memory_order_relaxed);
  }
  for (const Loss& each : lost) lose_bridge(runtime, each.bridge, each.world, each.how);
}

}  // namespace comex::worlds
