#include "worlds/connect/card_hook.h"

#include <string>

#include "core/diagnose.h"

namespace comex::worlds {

groups::CardHook hook_of(const comex_card_hook_t& hook) {
  if (hook.collect == nullptr || hook.deliver == nullptr) return {};
  groups::CardHook made;
  made.collect = [hook](Gpid gpid) -> Result<Bytes> {
    Bytes card(std::size_t{1} << 16);
    std::size_t bytes = card.size();
    if (hook.collect(gpid.world, gpid.rank, card.data(), &bytes, hook.context) != 0 || bytes > card.size()) {
      return caller_error("the card hook's collect has failed for process " + text_of(gpid));
    }
    card.resize(bytes);
    card.shrink_to_fit();  // there may be thousands
    return card;
  };
  made.deliver = [hook](Gpid gpid, const Bytes& card) -> Status {
    if (hook.deliver(gpid.world, gpid.rank, card.data(), card.size(), hook.context) == 0) return {};
    return caller_error("the card hook's deliver has failed for process " + text_of(gpid));
  };
  return made;
}

}  // namespace comex::worlds
