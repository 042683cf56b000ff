// A counted table of connections: which process each rank of a group is, shared by a group and its
// duplicates.
//
// Table is the reference that a group holds; letting it go frees, which leaves the connections attached, and
// disconnect() lets them go as well. Made by WorldBook only, which must outlive it and which counts.
#pragma once

#include <cstdint>
#include <utility>

#include "groups/connection_table.h"

namespace comex::groups {

class WorldBook;

struct SharedTable {
  WorldBook* book = nullptr;
  ConnectionTable members;
  std::uint32_t references = 0;  // under the book's lock, as the links
  SharedTable* before = nullptr;
  SharedTable* behind = nullptr;
};

class Table {
 public:
  Table() = default;
  Table(Table&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  Table& operator=(Table&& other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table() { free(); }

  explicit operator bool() const { return shared_ != nullptr; }
  const ConnectionTable& members() const { return shared_->members; }
  std::uint32_t references() const;

  Table dup() const;  // another reference to the same table
  void free();
  void disconnect();

 private:
  friend class WorldBook;
  explicit Table(SharedTable* shared) : shared_(shared) {}

  SharedTable* shared_ = nullptr;
};

}  // namespace comex::groups
