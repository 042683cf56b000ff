// What one worker and its endpoints have accessed since the workers last compared, and what of it is still
// under way.
//
// Accesses are added when they are issued. They are done when the interface says so: a write when a fence of
// its target covers it, a read when its call returns or is waited for. Not safe for threads by itself.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "checker/access.h"
#include "checker/shape.h"

namespace comex::checker {

// What the accesses of one worker refer to.
struct Tables {
  std::vector<Time> clocks;  // rows of one entry for each origin
  std::vector<Patch> shapes;
};

using AccessIndex = std::size_t;

class History {
 public:
  explicit History(std::size_t origins) : origins_(origins) {}

  // Adds one access that is not done, of this region and by who has these clocks. Returns its index until
  // `forget_done`.
  AccessIndex add(Access access, const Region& region, const Clocks& clocks);
  void finish(AccessIndex access, Time now) { accesses_[access].done = now; }

  // It is done when the next fence of its origin and owner covers it.
  void await_fence(AccessIndex access) {
    unfenced_[{accesses_[access].origin, accesses_[access].owner}].push_back(access);
  }
  // All writes of `origin` to `owner` so far, or of those before the access `limit`, are done.
  void fence(std::uint16_t origin, std::uint16_t owner, Time now, AccessIndex limit = SIZE_MAX);
  // The same for what lies in one range of the owner's memory.
  void fence_range(std::uint16_t origin, std::uint16_t owner, const Range& range, Time now);

  // The runtime refused it.
  void drop(AccessIndex access);
  // Forgets that the owner freed these bytes.
  void forget_freed(std::uint64_t begin, std::uint64_t end);

  // Keeps the value that a read of a word returned. `is_flag`: it told something about other workers.
  // An earlier read of the same word then counts as one of a polling loop.
  void read_word(AccessIndex access, std::int64_t value, bool is_flag);

  // What the origin knows has changed.
  void clocks_changed(std::size_t origin) { current_rows_.erase(origin); }

  std::span<const Access> accesses() const { return accesses_; }
  const Tables& tables() const { return tables_; }
  // What there is to compare, in bytes.
  std::size_t bytes() const {
    return accesses_.size() * sizeof(Access) + tables_.clocks.size() * sizeof(Time) +
           tables_.shapes.size() * sizeof(Patch);
  }
  std::size_t size() const { return accesses_.size(); }

  // Forgets what is done. `moved[i]` is the new index of access i, or `gone`.
  static constexpr AccessIndex gone = SIZE_MAX;
  std::vector<AccessIndex> forget_done();

 private:
  struct LastRead {
    AccessIndex access = gone;
    std::int64_t value = 0;
  };
  std::uint32_t row_of(const Clocks& clocks);

  std::size_t origins_;
  std::vector<Access> accesses_;
  Tables tables_;
  std::unordered_map<std::size_t, std::uint32_t> current_rows_;  // of origins, in the table of clocks
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::vector<AccessIndex>>
      unfenced_;                                                            // by origin and owner
  std::map<std::pair<std::uint16_t, std::uint64_t>, LastRead> last_reads_;  // of words
};

}  // namespace comex::checker
