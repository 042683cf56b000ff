#include "worlds/agreement/group_commit.h"

#include <algorithm>

#include "core/status.h"

namespace comex::worlds {

std::optional<LeaderMessage> CommitLeader::receive(std::uint32_t rank, const MemberMessage& message) {
  Member& member = members_[rank];
  switch (message.kind) {
    case MemberMessage::nothing:
      break;
    case MemberMessage::comes:
      member = {message.call, false};
      return LeaderMessage{LeaderMessage::prepare, message.call, context_};
    case MemberMessage::ready:
      member.is_ready = message.call == member.call && message.context == context_;
      break;
  }
  return std::nullopt;
}

std::uint32_t CommitLeader::first_awaited() const {
  const auto first = members_.begin() + 1;
  auto found = std::find_if(first, members_.end(), [](const Member& each) { return each.call == 0; });
  if (found == members_.end())
    found = std::find_if(first, members_.end(), [](const Member& each) { return !each.is_ready; });
  return found == members_.end() ? 0 : static_cast<std::uint32_t>(found - members_.begin());
}

std::vector<int> CommitLeader::missing() const {
  std::vector<int> ranks;
  for (std::uint32_t rank = 1; rank < members_.size(); ++rank) {
    if (members_[rank].call == 0) ranks.push_back(static_cast<int>(rank));
  }
  return ranks;
}

std::optional<LeaderMessage> CommitLeader::final_message(std::uint32_t rank, LeaderMessage::Kind kind) const {
  if (members_[rank].call == 0) return std::nullopt;
  return LeaderMessage{kind, members_[rank].call, context_};
}

std::optional<MemberMessage> CommitMember::receive(const LeaderMessage& message) {
  if (message.call != call_) return std::nullopt;
  switch (message.kind) {
    case LeaderMessage::nothing:
      break;
    case LeaderMessage::prepare:
      if (state_ != coming) break;
      state_ = ready;
      context_ = message.context;
      return MemberMessage{MemberMessage::ready, call_, context_};
    case LeaderMessage::commit:
      COMEX_BUG_IF(!is_bound());
      COMEX_BUG_IF(message.context != context_);
      state_ = committed;
      break;
    case LeaderMessage::abort:
      state_ = aborted;
      break;
  }
  return std::nullopt;
}

}  // namespace comex::worlds
