// Typed exchanges over a set-up Collective. The first one is also for collectives of groups.
#pragma once

#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "transport/collective.h"

namespace comex::runtime {

// One value of every rank; of both sides in an inter-group.
template <class All, class T>
std::vector<T> gather(All& all, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> values(static_cast<std::size_t>(all.size()));
  all.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(values)));
  return values;
}

template <class T>
void broadcast(transport::Collective& all, T& value, TransportRank root) {
  static_assert(std::is_trivially_copyable_v<T>);
  all.broadcast(std::as_writable_bytes(std::span(&value, 1)), root);
}

inline void broadcast(transport::Collective& all, std::string& text, TransportRank root) {
  std::uint64_t bytes = text.size();
  broadcast(all, bytes, root);
  text.resize(bytes);
  all.broadcast(std::as_writable_bytes(std::span(text.data(), text.size())), root);
}

// Returns no_rank if it is true on no rank.
inline TransportRank lowest_where(transport::Collective& all, bool is_so) {
  const auto ranks = static_cast<std::uint64_t>(all.size());
  const std::uint64_t lowest = all.all_min(is_so ? static_cast<std::uint64_t>(all.rank()) : ranks);
  return lowest == ranks ? no_rank : static_cast<TransportRank>(lowest);
}

}  // namespace comex::runtime
