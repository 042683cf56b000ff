// Runs collectives among an ordered list of workers by control messages. While a collective waits, the
// requests and the MPI of its worker go on: no blocking MPI collective is used.
//
// All members call the same collectives in the same order, one thread of each at a time. Endpoints of one
// process have an object and a thread each. A reduction gives the same bits everywhere. Runtime holds one for
// each group; the barrier between hosts and collective allocation are built on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "core/ids.h"
#include "core/protocol.h"
#include "op/control_messages.h"
#include "op/engine.h"

namespace comex::op {

// How the program names a member.
struct MemberName {
  Lpid lpid = no_lpid;
  int rank = -1;  // in the group; negative: operations do not name it so
};

struct Membership {
  std::uint32_t size = 1;
  std::uint32_t me = 0;
  std::function<TransportRank(std::uint32_t member)> rank_of;
  std::uint64_t context = 0;
  std::uint64_t first_sequence = 0;
  bool has_endpoints = false;  // one process may be several members, so messages name those
  std::function<MemberName(std::uint32_t member)> name_of = {};   // for lines about long waits; may be empty
  std::function<std::string(std::uint32_t member)> text_of = {};  // the same, where members are no processes
  std::function<bool()> has_dead = {};  // whether a member has died; empty: the job would have ended
};

class GroupCollective {
 public:
  using CombineFunction = FunctionRef<void(std::span<std::byte> into, std::span<const std::byte> from)>;

  GroupCollective(Engine& engine, ControlMessages& control, Membership members);

  void barrier();
  // `all` holds size() blocks of mine.size() bytes, in member order. Besides, a member keeps at most a window
  // for each member that it hears from, of whom there are log2 of size().
  static constexpr std::size_t window_bytes = 8 * protocol::control_data_bytes;
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all);
  void broadcast(std::span<std::byte> data, std::uint32_t root);
  // Combines in a fixed order into the root's data; elsewhere `data` is scratch afterwards.
  void reduce(std::span<std::byte> data, std::uint32_t root, CombineFunction combine);
  void all_reduce(std::span<std::byte> data, CombineFunction combine);
  bool all_agree(bool mine);
  std::uint64_t all_max(std::uint64_t mine);

  // False once members are lost or dead: collectives end at once then, and their results mean nothing.
  bool is_whole() const;
  // For the condition of a wait, under the engine lock.
  bool has_lost() const { return control_.is_lost() || (members_.has_dead && members_.has_dead()); }

  // Sets the handle under which the program knows the group.
  void set_handle(int handle) { handle_ = handle; }

  std::uint32_t size() const { return members_.size; }
  std::uint32_t me() const { return members_.me; }

 private:
  // The part of the name of a control message that depends on the two members.
  struct ControlName {
    std::uint64_t sequence;
    std::uint32_t phase;
  };
  ControlName name(std::uint32_t from, std::uint32_t to, std::uint32_t phase) const;
  void send(std::uint32_t to, std::uint32_t phase, std::span<const std::byte> bytes);
  void receive(std::uint32_t from, std::uint32_t phase, std::span<std::byte> into, const char* operation);
  void exchange(std::uint32_t to, std::span<const std::byte> data, std::uint32_t from,
                std::span<std::byte> into);
  WaitReason reason_of(const char* operation, std::uint32_t awaited) const;

  Engine& engine_;
  ControlMessages& control_;
  Membership members_;
  std::uint64_t sequence_;
  int handle_ = 0;  // 0: the world's
};

}  // namespace comex::op
