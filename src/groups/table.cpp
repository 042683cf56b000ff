#include "groups/table.h"

#include "groups/world_registry.h"

namespace comex::groups {

std::uint32_t Table::references() const {
  return shared_->registry->references_of(*shared_);
}

Table Table::dup() const {
  return Table(shared_->registry->share(shared_));
}

void Table::free() {
  if (SharedTable* shared = std::exchange(shared_, nullptr)) shared->registry->release(shared, false);
}

void Table::disconnect() {
  if (SharedTable* shared = std::exchange(shared_, nullptr)) shared->registry->release(shared, true);
}

}  // namespace comex::groups
