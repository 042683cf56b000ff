// The rows of the own world: where each worker lives, the names of the hosts, and the ranks of the own host.
//
// It is a view of memory that the processes of a host share. The host's lowest rank writes the rows once
// while the world opens; afterwards all only read them. So no process keeps rows of its own. Made by runtime;
// the route reads it on every operation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/ids.h"
#include "groups/world_description.h"

namespace comex::groups {

struct WorkerPlace {
  TransportRank rank = no_rank;    // the worker itself
  TransportRank server = no_rank;  // its server: a progress rank of its host, or itself
  std::uint32_t host = 0;
  std::uint32_t slot = 0;  // host-local index
  std::uint64_t base = 0;  // address of its host's arena in the worker's own address space
};

using HostName = std::array<char, 64>;  // ends with a zero byte

struct HostPlace {
  HostName name{};
  TransportRank lowest_worker = no_rank;
  std::uint32_t spare = 0;
};

struct DirectoryShape {
  std::uint32_t ranks = 0;  // workers and progress ranks
  std::uint32_t workers = 0;
  std::uint32_t hosts = 0;
};

class Directory {
 public:
  static constexpr std::int32_t elsewhere = -1;

  static constexpr std::uint64_t bytes(const DirectoryShape& shape) {
    return std::uint64_t{shape.workers} * (sizeof(WorkerPlace) + sizeof(std::int32_t)) +
           std::uint64_t{shape.hosts} * sizeof(HostPlace) + std::uint64_t{shape.ranks} * sizeof(std::int32_t);
  }

  Directory() = default;
  // `memory` has at least bytes(shape), is aligned to 8 and outlives every copy.
  Directory(std::byte* memory, const DirectoryShape& shape)
      : places_(reinterpret_cast<WorkerPlace*>(memory), shape.workers),
        hosts_(reinterpret_cast<HostPlace*>(places_.data() + shape.workers), shape.hosts),
        node_ranks_(reinterpret_cast<std::int32_t*>(hosts_.data() + shape.hosts), shape.workers),
        slots_(node_ranks_.data() + shape.workers, shape.ranks) {}

  std::span<WorkerPlace> places() const { return places_; }           // by worker number
  std::span<std::int32_t> node_ranks() const { return node_ranks_; }  // by worker number
  std::span<HostPlace> hosts() const { return hosts_; }
  // For each transport rank: its slot on the host of this memory, or `elsewhere`.
  std::span<std::int32_t> slots() const { return slots_; }

  std::uint32_t size() const { return static_cast<std::uint32_t>(places_.size()); }  // workers
  const WorkerPlace& place(Worker worker) const { return places_[worker]; }
  std::uint32_t host_count() const { return static_cast<std::uint32_t>(hosts_.size()); }
  std::string_view host_name(std::uint32_t host) const { return hosts_[host].name.data(); }
  TransportRank lowest_worker(std::uint32_t host) const { return hosts_[host].lowest_worker; }
  // The same data in the form that is sent to others.
  ConnectionData connection_data(Worker worker) const {
    return {.vpid = places_[worker].rank,
            .local_rank = static_cast<std::int32_t>(places_[worker].slot),
            .node_rank = node_ranks_[worker]};
  }

 private:
  std::span<WorkerPlace> places_;
  std::span<HostPlace> hosts_;
  std::span<std::int32_t> node_ranks_;
  std::span<std::int32_t> slots_;
};
static_assert(sizeof(WorkerPlace) % alignof(HostPlace) == 0 && sizeof(HostPlace) % sizeof(std::int32_t) == 0);

}  // namespace comex::groups
