// The name of a verb in error lines, traces and job states: that of the call it comes from.
#pragma once

#include "core/protocol.h"

namespace comex::protocol {

constexpr const char* verb_name(Verb verb) {
  switch (verb) {
    case Verb::put:
      return "put";
    case Verb::get:
      return "get";
    case Verb::acc:
      return "acc";
    case Verb::rmw:
      return "rmw";
    case Verb::store:
      return "put_signal";
    case Verb::lock:
      return "lock";
    case Verb::try_lock:
      return "trylock";
    case Verb::release:
      return "unlock";
    case Verb::batch:
      return "batch";
    case Verb::fence:
      return "fence";
    default:
      return "request";
  }
}

}  // namespace comex::protocol
