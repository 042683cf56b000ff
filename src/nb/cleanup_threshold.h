// Decides when a table removes entries that are no longer needed: before it grows, and only when it has twice
// as many entries as the last sweep left. So sweeping costs a few steps for each entry added, and a table
// holds at most twice what was outstanding, or `kept`. The functions below remove entries
// and give back the memory that a table or vector took for many of them, when few are left.
#pragma once

#include <algorithm>
#include <cstddef>

namespace comex::nb {

class CleanupThreshold {
 public:
  explicit CleanupThreshold(std::size_t kept) : kept_(kept), due_(kept) {}

  bool is_due(std::size_t entries) const { return entries >= due_; }
  void note_swept(std::size_t remaining) { due_ = std::max(kept_, 2 * remaining); }
  // True if there are more entries than a table keeps without a sweep.
  bool is_over(std::size_t entries) const { return entries > kept_; }

 private:
  std::size_t kept_;
  std::size_t due_;
};

template <class Vector>
void give_back_capacity(Vector& vector) {
  constexpr std::size_t little = 512;
  if (vector.capacity() > little && vector.capacity() > 4 * vector.size()) vector.shrink_to_fit();
}

// Removes the entries of a hash table for which is_over holds. Nodes stay in place. It does not use rehash(),
// because static linking would then need libm.
template <class Table, class IsOver>
void forget(Table& table, const IsOver& is_over) {
  constexpr std::size_t few = 2048;
  std::erase_if(table, is_over);
  if (table.bucket_count() <= few || table.bucket_count() <= 4 * table.size()) return;
  Table smaller;
  smaller.merge(table);
  table.swap(smaller);
}

}  // namespace comex::nb
