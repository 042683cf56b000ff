#include "checker/access.h"

namespace comex::checker {
namespace {

bool only_reads(Use use) {
  return use == Use::read || use == Use::word_read;
}

bool stores_word(Use use) {
  return use == Use::word_write || use == Use::signal;
}

}  // namespace

bool conflict(const Access& first, const Access& second) {
  const Access& a = first.use <= second.use ? first : second;
  const Access& b = first.use <= second.use ? second : first;
  if (only_reads(a.use) && only_reads(b.use)) return false;
  const bool is_same_word = a.begin == b.begin && a.bytes == b.bytes;
  if (a.use == Use::word_read) {
    if (b.use == Use::atomic || b.use == Use::signal) return !is_same_word;
    if (b.use == Use::word_write) return !is_same_word || (!a.is_polled && a.value != b.value);
    return true;
  }
  if (stores_word(a.use) && stores_word(b.use)) return !is_same_word || a.value != b.value;
  if (a.use == Use::accumulate && b.use == Use::accumulate) return a.type != b.type;
  if (a.use == Use::atomic && b.use == Use::atomic) return !is_same_word;
  return true;
}

const char* verb_of(Use use) {
  switch (use) {
    case Use::read:
    case Use::word_read:
      return "reads";
    case Use::write:
    case Use::word_write:
      return "writes";
    case Use::accumulate:
      return "accumulates to";
    case Use::atomic:
      return "atomically changes";
    case Use::signal:
      return "signals by";
    case Use::freed:
      return "frees";
    case Use::allocated:
      return "allocates";
  }
  return "";
}

}  // namespace comex::checker
