#include "op/route.h"

namespace comex::op {
namespace {

// An atomic reads and writes, so it is direct only where put and get are.
std::uint8_t direct_kinds(bool put, bool get, bool acc) {
  const auto bit = [](activity::Kind kind, bool on) { return (on ? 1u : 0u) << static_cast<unsigned>(kind); };
  return static_cast<std::uint8_t>(bit(activity::Kind::put, put) | bit(activity::Kind::get, get) |
                                   bit(activity::Kind::acc, acc) | bit(activity::Kind::rmw, put && get));
}

}  // namespace

Router::Router(const groups::Directory& world, Worker me, const Settings& settings)
    : world_(&world),
      me_(me),
      my_host_(world.place(me).host),
      self_(direct_kinds(settings.put_self, settings.get_self, settings.acc_self)),
      same_host_(direct_kinds(settings.put_smp, settings.get_smp, settings.acc_smp)) {
  const std::uint8_t all = direct_kinds(true, true, true);
  is_mixed_ = self_ != all || same_host_ != all;
  if (!is_mixed_) plain_host_ = my_host_;
}

}  // namespace comex::op
