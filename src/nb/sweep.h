// When a table that remembers what is over looks for it: before it grows, and not until it holds twice what
// the last look has left. So a look costs each entry that was added a few steps, and a table holds at most
// twice what was outstanding, or `kept`.
#pragma once

#include <algorithm>
#include <cstddef>

namespace comex::nb {

class Sweep {
 public:
  explicit Sweep(std::size_t kept) : kept_(kept), due_(kept) {}

  bool is_due(std::size_t entries) const { return entries >= due_; }
  void has_left(std::size_t entries) { due_ = std::max(kept_, 2 * entries); }
  // More than there would be if nothing had ever been outstanding.
  bool is_over(std::size_t entries) const { return entries > kept_; }

 private:
  std::size_t kept_;
  std::size_t due_;
};

// Gives back what a table or vector took for many entries, when few are left. The nodes stay where they are.
// Not by rehash(), for which programs that link the runtime statically would need libm.
template <class Table>
void give_back_buckets(Table& table) {
  constexpr std::size_t few = 2048;
  if (table.bucket_count() <= few || table.bucket_count() <= 4 * table.size()) return;
  Table smaller;
  smaller.merge(table);
  table.swap(smaller);
}
template <class Vector>
void give_back_room(Vector& vector) {
  constexpr std::size_t little = 512;
  if (vector.capacity() > little && vector.capacity() > 4 * vector.size()) vector.shrink_to_fit();
}

// Forgets the entries of a hash table that are over.
template <class Table, class IsOver>
void forget(Table& table, const IsOver& is_over) {
  std::erase_if(table, is_over);
  give_back_buckets(table);
}

}  // namespace comex::nb
