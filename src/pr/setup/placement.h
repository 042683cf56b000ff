// Where a process runs and what memory the machine has: the only user of hwloc.
//
// libhwloc is opened at run time, so that neither libcomex nor its clients link to it. Where it is
// absent, or the machine hides its topology, everything still works: cores() is empty, nothing is bound,
// and notice() says why. Decisions (choose_cores, nodes_of_kind) are pure. Called at init, by the memory
// allocator of a named device, and by comex_info.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace comex::pr {

// A set of processors by the number the system gives them; of fixed size, to be exchanged as bytes.
struct CpuMask {
  static constexpr unsigned most = 1024;
  std::array<std::uint64_t, most / 64> words{};

  void add(unsigned cpu);
  bool has(unsigned cpu) const;
  bool empty() const { return *this == CpuMask{}; }
  bool intersects(const CpuMask& other) const;
  bool covers(const CpuMask& other) const;
  std::string text() const;  // "0-3,8"
  friend bool operator==(const CpuMask&, const CpuMask&) = default;
};

struct MemoryNode {
  unsigned number = 0;
  std::string kind;  // hwloc's subtype: "HBM", "MCDRAM", "NVM", ...; mostly empty: plain memory
  std::uint64_t bytes = 0;
  CpuMask near_cpus;
};

class Topology {
 public:
  static Topology load();
  // For tests: other library names; or a machine described in hwloc's synthetic form, "pack:2 core:4".
  static Topology load_from(std::span<const char* const> library_names);
  static Topology synthetic(const char* description);

  Topology(Topology&&) noexcept;
  Topology& operator=(Topology&&) noexcept;
  ~Topology();

  bool available() const { return loaded_ != nullptr; }
  const std::string& notice() const { return notice_; }  // empty when available

  const std::vector<CpuMask>& cores() const { return cores_; }  // those this process may use
  const std::vector<MemoryNode>& memory() const { return memory_; }
  std::string summary() const;  // some lines for a person

  // Of the calling thread. An empty mask: not known.
  CpuMask binding() const;
  Status bind(const CpuMask& cpus) const;

  // Asks for the pages of a range, touched or allocated from now on, on the nodes given.
  Status place_memory(void* address, std::size_t bytes, std::span<const unsigned> nodes) const;
  // Asks for the pages of a range that nobody has touched yet on these nodes, whoever touches them, as far as
  // there is room.
  Status prefer_memory(void* address, std::size_t bytes, std::span<const unsigned> nodes) const;
  // Pages of the range go where they are touched again, as if place_memory had never been.
  Status release_memory(void* address, std::size_t bytes) const;

 private:
  struct Loaded;
  Topology() = default;
  static Topology open(std::span<const char* const> library_names, const char* description);
  void read();

  std::unique_ptr<Loaded> loaded_;
  std::string notice_;
  std::vector<CpuMask> cores_;
  std::vector<MemoryNode> memory_;
};

// The core for one progress rank.
struct CoreChoice {
  std::size_t core = 0;  // index into the cores given
  bool shared = false;   // a worker is bound to it, another progress rank has it, or cores are too few
};

// For each progress rank of a host a core that no worker is bound to, if there is one: first among the
// cores it is on already. A worker that may run on every core counts as bound to none. Empty when no
// cores are known. Every rank of the host computes the same choices.
std::vector<CoreChoice> choose_cores(std::span<const CpuMask> cores, std::span<const CpuMask> workers,
                                     std::span<const CpuMask> progress_ranks);

// The ordinary memory beside all processors that a process is bound to; none where it may leave them, or
// where nothing is known.
std::vector<unsigned> nodes_near(const CpuMask& bound, std::span<const MemoryNode> memory);

// The memory nodes of "dram", "hbm" or "numa:N"; none for an empty device. An unknown kind, or one the
// machine does not have, is a Failure that lists those present.
Result<std::vector<unsigned>> nodes_of_kind(std::string_view device, std::span<const MemoryNode> memory);

}  // namespace comex::pr
