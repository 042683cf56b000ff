// The steps by which two groups become an inter-group, as each member goes through them.
//
//   1  the leader learns what worlds its members know, and takes the gpids of its group
//   2  leaders exchange both, compare managers and worlds, look for processes that are named twice
//   3  leaders exchange verdicts: both sides go on or both fail; each tells its members, with the gpids,
//      who is low and the context
//   4  worlds that somebody lacks travel: descriptions, and cards where both leaders have a hook; nothing for
//      worlds that both sides know
//   5  when all have them, and not before, everybody converts gpids to lpids; then the hook is ready
//
// Used for inter-groups, and for worlds that meet by spawn or connect. Talks through LeaderChannel only, so
// that it is tested without MPI. A failure is everybody's, on both sides.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/packing.h"
#include "core/settings.h"
#include "core/status.h"
#include "groups/world_book.h"

namespace comex::groups {

// How a member talks with its group and, if it leads, with the other leader. Every call waits for its
// partners, who make the same calls in the same order; a failure (nobody there any more) ends the joining.
class LeaderChannel {
 public:
  virtual ~LeaderChannel() = default;
  virtual bool is_leader() const = 0;
  virtual std::uint32_t rank() const = 0;
  // Leaders: gives the other's bytes for mine.
  virtual Result<Bytes> swap(const Bytes& mine) = 0;
  // All members: gives the leader's bytes, which are those it passes.
  virtual Result<Bytes> broadcast(const Bytes& leaders) = 0;
  // All members: gives the leader everybody's, by rank, and others nothing.
  virtual Result<std::vector<Bytes>> gather(const Bytes& mine) = 0;
};

// Connection data of the program's own; unset: none.
struct CardHook {
  std::function<Result<Bytes>(Gpid)> collect = {};
  std::function<Status(Gpid, const Bytes&)> deliver = {};
  explicit operator bool() const { return static_cast<bool>(collect); }
};

struct JoinWish {
  std::vector<Gpid> local;    // members by rank; counts at the leader
  std::uint64_t context = 0;  // for the inter-group, if this is the low side; counts at the leader
  // A spawned world numbers the spawner's whole table; both sides say that it is a spawn.
  bool is_spawn = false;
  std::optional<LpidOrder> newcomer = std::nullopt;  // on the spawned side
};

struct Joined {
  std::vector<Gpid> remote;  // by rank
  std::vector<Lpid> lpids;   // theirs, here
  std::uint64_t context = 0;
  bool is_low = true;
};

Result<Joined> join_sides(WorldBook& book, LeaderChannel& talk, const JoinWish& wish, const CardHook& hook);

// The check of step 2: a process in both lists, or twice in one, is named.
Status check_members(std::span<const Gpid> local, std::span<const Gpid> remote);

}  // namespace comex::groups
