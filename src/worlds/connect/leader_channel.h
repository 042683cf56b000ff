// How members of a group talk with each other, and their root with the other, while sides are joined.
//
// Members use control messages, roots their connection. Everybody goes on serving meanwhile. Made by meeting
// for groups/joining.
#pragma once

#include <optional>

#include "groups/joining.h"
#include "op/group_collective.h"
#include "worlds/connect/leader_connection.h"

namespace comex::worlds {

class LeaderChannelOverWire final : public groups::LeaderChannel {
 public:
  LeaderChannelOverWire(runtime::Runtime& runtime, const char* operation, op::GroupCollective& members,
                        int root, double limit_s)
      : runtime_(runtime),
        operation_(operation),
        members_(members),
        root_(static_cast<std::uint32_t>(root)),
        limit_s_(limit_s) {}

  void set_connection(LeaderConnection with) { with_.emplace(std::move(with)); }  // on the root
  LeaderConnection& connection() { return *with_; }

  bool is_leader() const override { return members_.me() == root_; }
  std::uint32_t rank() const override { return members_.me(); }
  Result<Bytes> exchange(const Bytes& mine) override;
  Result<Bytes> broadcast(const Bytes& leaders) override;
  Result<std::vector<Bytes>> gather(const Bytes& mine) override;

  // Spreads the root's text to all. Empty: nothing went wrong and nobody is lost.
  std::string spread(const std::string& leaders);
  Result<Bytes> receive();

 private:
  static Failure lost();

  runtime::Runtime& runtime_;
  const char* operation_;
  op::GroupCollective& members_;
  std::uint32_t root_;
  double limit_s_;
  std::optional<LeaderConnection> with_;
};

}  // namespace comex::worlds
