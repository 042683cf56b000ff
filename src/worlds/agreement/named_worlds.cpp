#include "worlds/agreement/named_worlds.h"

#include <algorithm>

namespace comex::worlds {
namespace {

constexpr std::uint32_t phase_of_news = ~std::uint32_t{0};  // above those of a founding

}  // namespace

NamedWorlds::NamedWorlds(runtime::Runtime& runtime, std::span<const Lpid> list) : runtime_(runtime) {
  ListDigest digest;
  for (const Lpid lpid : list) {
    const Gpid gpid = runtime.book.gpid_of(lpid).value();
    digest.add(gpid);
    if (gpid != runtime.book.me()) others_.push_back(lpid);
    if (!runtime.is_own(lpid) && std::ranges::count(worlds_, gpid.world) == 0) worlds_.push_back(gpid.world);
  }
  digest_ = digest.value();
}

std::string NamedWorlds::why_lost() const {
  const std::optional<News> news = known();
  return news ? std::string(news->why.data()) : std::string();
}

// What others say of a world counts as long as this process has no way there, over which it would see that.
std::optional<NamedWorlds::News> NamedWorlds::known() const {
  for (const WorldId world : worlds_) {
    const std::string why = runtime_.bridges.peers.why_lost(world);
    if (why.empty()) continue;
    News news{world, {}};
    why.copy(news.why.data(), news.why.size() - 1);
    return news;
  }
  if (heard_ && !runtime_.bridges.peers.lead_to(static_cast<WorldId>(heard_->world))) return heard_;
  return std::nullopt;
}

bool NamedWorlds::hear(const Route& from) {
  News news;
  if (!from.control->take(from.rank, op::mailbox_context, digest_, phase_of_news,
                          std::as_writable_bytes(std::span(&news, 1)))) {
    return false;
  }
  heard_ = news;
  return true;
}

void NamedWorlds::tell() {
  const std::optional<News> news = known();
  if (has_told_ || !news) return;
  has_told_ = true;
  for (const Lpid lpid : others_) {
    if (runtime_.is_own(lpid)) {
      send(no_bridge, lpid, *news);
      continue;
    }
    for (const BridgeId way : runtime_.bridges.ids()) {
      if (runtime_.bridges.peers.leads(way, lpid)) send(way, lpid, *news);
    }
  }
}

void NamedWorlds::send(BridgeId way, Lpid to, const News& news) const {
  const Route route = route_to(runtime_, way, to);
  if (route.control == nullptr) return;
  route.control->send(route.rank, op::mailbox_context, digest_, phase_of_news,
                      std::as_bytes(std::span(&news, 1)));
}

}  // namespace comex::worlds
