// One world: the workers of a job, or of a spawned part of one, and where each lives.
//
// Rows are by worker number and lie in the directory of the host. The route reads them on every operation.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/ids.h"
#include "groups/directory.h"
#include "groups/world_description.h"

namespace comex::groups {

class ProcessGroup {
 public:
  ProcessGroup(WorldId id, const Directory& directory)
      : id_(id), size_(static_cast<std::uint32_t>(directory.places().size())), rows_(directory) {}

  WorldId id() const { return id_; }
  std::uint32_t size() const { return size_; }
  const WorkerPlace& place(Worker worker) const { return rows_.places()[worker]; }
  std::uint32_t host_count() const { return static_cast<std::uint32_t>(rows_.hosts().size()); }
  std::string_view host_name(std::uint32_t host) const { return rows_.hosts()[host].name.data(); }
  TransportRank lowest_worker(std::uint32_t host) const { return rows_.hosts()[host].lowest_worker; }

  // The same data in the form that is sent to others.
  ConnectionData connection_data(Worker worker) const {
    const WorkerPlace& place = rows_.places()[worker];
    return {.vpid = place.rank,
            .local_rank = static_cast<std::int32_t>(place.slot),
            .node_rank = rows_.node_ranks()[worker]};
  }

 private:
  WorldId id_;
  std::uint32_t size_;
  Directory rows_;
};

}  // namespace comex::groups
