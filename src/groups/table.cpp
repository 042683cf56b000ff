#include "groups/table.h"

#include "groups/world_book.h"

namespace comex::groups {

std::uint32_t Table::references() const {
  return shared_->book->references_of(*shared_);
}

Table Table::dup() const {
  return Table(shared_->book->share(shared_));
}

void Table::free() {
  if (SharedTable* shared = std::exchange(shared_, nullptr)) shared->book->release(shared, false);
}

void Table::disconnect() {
  if (SharedTable* shared = std::exchange(shared_, nullptr)) shared->book->release(shared, true);
}

}  // namespace comex::groups
