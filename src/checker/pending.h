// Operations that have started and are not known to be complete, and the buffers that belong to them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "checker/clocks.h"
#include "checker/history.h"
#include "checker/shape.h"

namespace comex::checker {

// Memory of the caller that an operation reads or fills.
struct Buffer {
  Region region;
  bool is_filled = false;
  std::optional<std::uint64_t> checksum = {};  // of what it read, once the runtime has taken the operation
};

struct WordRead {
  AccessIndex access = 0;
  std::uint64_t result = 0;  // where the value goes
  std::uint64_t bytes = 0;
};

// How the program learns that an operation is complete.
enum class Ending : std::uint8_t { on_return, handle, implicit };

struct Started {
  std::uint64_t serial = 0;  // grows in the order of starts; `add` sets it
  int real_handle = 0;
  Ending ending{};
  bool is_settled = false;   // complete, and its handle not asked for
  bool is_write = false;     // a fence completes it
  bool is_declared = false;  // an access that the owner told of
  bool is_fence = false;     // writes to its owner before `covers` are there once it is complete
  std::uint16_t origin = 0;
  std::uint16_t owner = 0;
  std::uint32_t site = 0;
  int refusal = 0;                         // settled: what its wait has to tell the program, or 0
  AccessIndex covers = 0;                  // of a fence: the first access after it
  std::vector<AccessIndex> accesses = {};  // done when it is complete
  std::vector<AccessIndex> others = {};    // done before, or by a fence
  std::optional<ClockRow> clocks = {};     // which it acquires then
  std::optional<WordRead> word = {};
  std::vector<Buffer> buffers = {};
};

std::uint64_t checksum(const Region& region);

class Pending {
  // Layers between the program and the runtime, such as ARMCI, keep numbers of their own that are not
  // positive.
  static constexpr int first_handle = 1 << 30;
  static constexpr int end_of_handles = INT32_MAX;

 public:
  // handles: so many, after which their numbers come again.
  explicit Pending(int handles = end_of_handles - first_handle) : end_(first_handle + handles) {}

  // Returns the handle that the program gets.
  int add(Started started);

  // Null: complete, or not one of ours.
  Started* find(int handle);
  const std::map<int, Started>& all() const { return started_; }
  static bool is_ours(int handle) { return handle >= first_handle && handle < end_of_handles; }

  std::optional<Started> take(int handle);
  // What is complete, though nobody has asked for its handle yet: all but the handle is taken, and what its
  // wait has to tell.
  std::optional<Started> settle(int handle, int refusal);

  // The started operation whose buffer `buffer` must not touch, and the byte. Two that only read may share.
  struct Clash {
    const Started* owner = nullptr;
    bool is_filled = false;
    std::uint64_t address = 0;
  };
  std::optional<Clash> clash(const Buffer& buffer) const;

  void accesses_moved(const std::vector<AccessIndex>& moved);

 private:
  void advance();
  void remove_buffers(int handle, const Started& started);

  int end_;
  int next_ = first_handle;
  std::uint64_t next_serial_ = 0;
  std::map<int, Started> started_;
  std::multimap<std::uint64_t, std::pair<int, Buffer>> buffers_;  // by their first byte
  std::uint64_t longest_ = 0;                                     // extent of a buffer
};

}  // namespace comex::checker
