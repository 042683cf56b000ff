// The calls that count tables, connections and worlds, and those of the card hook.
#include <comex/worlds.h>

#include "runtime/call.h"

using namespace comex;

int comex_table_references(comex_group_t group, int* count) {
  return runtime::tell_of_group("table_references", group, count,
                                [](const runtime::Runtime&, const groups::Group& found) {
                                  const auto& table = found.is_inter() ? found.remote_table() : found.table();
                                  return static_cast<int>(table.references());
                                });
}

int comex_connection_references(comex_gpid_t gpid, int* count) {
  return runtime::tell("connection_references", count, [&](runtime::Runtime& runtime) -> Result<int> {
    const comex::Gpid named{gpid.world, gpid.rank};
    const auto references = runtime.registry().connection_references(named);
    if (!references) return references.failure();
    const auto lpid = runtime.registry().lpid_of(named);
    const std::uint32_t pending = lpid && lpid.value() >= 0 ? runtime.pending_to(lpid.value()) : 0;
    return static_cast<int>(references.value() + pending);
  });
}

int comex_world_references(uint32_t world, int* count) {
  return runtime::tell("world_references", count, [&](const runtime::Runtime& runtime) -> Result<int> {
    const auto references = runtime.registry().world_references(world);
    if (!references) return references.failure();
    return static_cast<int>(references.value());
  });
}

int comex_set_card_hook(const comex_card_hook_t* hook) {
  const char* name = "set_card_hook";
  runtime::Runtime* runtime = runtime::enter(name);
  if (runtime == nullptr) return COMEX_FAILURE;
  if (hook != nullptr && (hook->collect == nullptr || hook->deliver == nullptr)) {
    return runtime->reporter().fail({.operation = name},
                                    "a hook needs collect and deliver; ready may be null");
  }
  runtime->card_hook() = hook == nullptr ? comex_card_hook_t{} : *hook;
  return COMEX_SUCCESS;
}
