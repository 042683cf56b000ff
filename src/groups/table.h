// A counted table of connections: the process of each rank of a group, shared by a group and its duplicates.
//
// Table is the reference that a group holds. Destroying it releases the reference but leaves the connections
// attached; disconnect() releases those as well. WorldRegistry makes and counts tables and must outlive them.
#pragma once

#include <cstdint>
#include <utility>

#include "groups/connection_table.h"

namespace comex::groups {

class WorldRegistry;

struct SharedTable {
  WorldRegistry* registry = nullptr;
  ConnectionTable members;
  std::uint32_t references = 0;  // the registry's lock protects it
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

  Table dup() const;  // another reference to the same table, if there is one
  void free();
  void disconnect();

 private:
  friend class WorldRegistry;
  explicit Table(SharedTable* shared) : shared_(shared) {}

  SharedTable* shared_ = nullptr;
};

}  // namespace comex::groups
