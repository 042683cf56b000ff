// What a request does, as the calls that make it are named. Used in messages, traces and states of jobs.
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
    case Verb::unlock:
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
