// The steps by which two groups become an inter-group, as each member takes them.
//
//   1  The leader learns which worlds its members know, and takes the gpids of its group.
//   2  Leaders exchange both, compare managers and worlds, and look for processes named twice.
//   3  Leaders exchange verdicts: both sides go on or both fail. Each tells its members, with the remote
//      gpids, the low side and the context.
//   4  Worlds that a member lacks travel: descriptions, and cards if both leaders have a hook. Nothing
//      travels for worlds that both sides know.
//   5  When all have them, and not before, everybody converts gpids to lpids; then the hook is ready.
//
// Used for inter-groups, and for worlds that meet by spawn or connect. It uses LeaderChannel only, so tests
// need no MPI. If one member fails, all fail, on both sides.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/packing.h"
#include "core/settings.h"
#include "core/status.h"
#include "groups/world_registry.h"

namespace comex::groups {

// How a member talks with its group and, if it leads, with the other leader. Every call waits for its
// partners, which make the same calls in the same order. A failure (a partner is gone) ends the joining.
class LeaderChannel {
 public:
  virtual ~LeaderChannel() = default;
  virtual bool is_leader() const = 0;
  virtual std::uint32_t rank() const = 0;
  // For leaders: sends `mine` and returns the other leader's bytes.
  virtual Result<Bytes> exchange(const Bytes& mine) = 0;
  virtual std::uint64_t most_exchanged_bytes() const = 0;
  // For all members: returns the bytes that the leader passes.
  virtual Result<Bytes> broadcast(const Bytes& leaders) = 0;
  // For all members: returns everybody's bytes by rank at the leader, and nothing elsewhere.
  virtual Result<std::vector<Bytes>> gather(const Bytes& mine) = 0;
};

// Passes on connection data of the program itself, called cards; unset: there are none.
struct CardHook {
  std::function<Result<Bytes>(Gpid)> collect = {};
  std::function<Status(Gpid, const Bytes&)> deliver = {};
  explicit operator bool() const { return static_cast<bool>(collect); }
};

struct JoinArguments {
  std::vector<Gpid> local;    // members by rank; used at the leader
  std::uint64_t context = 0;  // for the inter-group, if this is the low side; used at the leader
  // A spawned world gives lpids to all processes in the spawner's table. Both sides set is_spawn.
  bool is_spawn = false;
  std::optional<LpidOrder> spawned_order = std::nullopt;  // set on the spawned side
};

struct JoinResult {
  std::vector<Gpid> remote;  // by rank
  std::vector<Lpid> lpids;   // of the remote members, here
  std::uint64_t context = 0;
  bool is_low = true;
};

Result<JoinResult> join_sides(WorldRegistry& registry, LeaderChannel& channel, const JoinArguments& arguments,
                              const CardHook& hook);

// The order in which a spawned process numbers the processes it finds, after those of its own world.
// COMEX_LPID_ORDER chooses: `spawner` takes the spawner's table (WorldRegistry::lpid_table() of the root of
// the spawn) unchanged; `parent` puts the parent group first, by rank, then the others that the spawner
// knows.
std::vector<Gpid> order_for_spawned(LpidOrder order, std::span<const Gpid> parents,
                                    std::span<const Gpid> spawner_table);

// The check of step 2: fails and names a process that is in both lists or twice in one.
Status check_members(std::span<const Gpid> local, std::span<const Gpid> remote);

}  // namespace comex::groups
