#include "op/route.h"

namespace comex::op {
namespace {

// An atomic reads and writes, so it is direct only where put and get are.
std::uint8_t direct_classes(bool put, bool get, bool acc) {
  const auto bit = [](OperationClass op_class, bool on) {
    return (on ? 1u : 0u) << static_cast<unsigned>(op_class);
  };
  return static_cast<std::uint8_t>(bit(OperationClass::put, put) | bit(OperationClass::get, get) |
                                   bit(OperationClass::acc, acc) | bit(OperationClass::atomic, put && get));
}

}  // namespace

Router::Router(const groups::ProcessGroup& world, Worker me, const Settings& settings)
    : world_(&world),
      me_(me),
      my_host_(world.place(me).host),
      self_(direct_classes(settings.put_self, settings.get_self, settings.acc_self)),
      same_host_(direct_classes(settings.put_smp, settings.get_smp, settings.acc_smp)) {
  const std::uint8_t all = direct_classes(true, true, true);
  is_mixed_ = self_ != all || same_host_ != all;
  if (!is_mixed_) plain_host_ = my_host_;
}

}  // namespace comex::op
