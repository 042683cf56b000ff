#include "worlds/agreement/group_commit.h"

#include <algorithm>

#include "core/status.h"

namespace comex::worlds {

std::optional<LeadersWord> CommitLeader::hear(std::uint32_t rank, const MembersWord& word) {
  Member& member = members_[rank];
  switch (word.kind) {
    case MembersWord::nothing:
      break;
    case MembersWord::comes:
      member = {word.call, false, true};
      return LeadersWord{LeadersWord::prepare, word.call, context_};
    case MembersWord::ready:
      member.is_ready = word.call == member.call && word.context == context_;
      break;
    case MembersWord::withdraws:
      // an answer to an earlier call, which the leader's call has already decided
      if (word.call != member.call) break;
      member = {0, false, true};
      return LeadersWord{LeadersWord::abort, word.call, context_};
  }
  return std::nullopt;
}

bool CommitLeader::can_commit() const {
  return std::all_of(members_.begin() + 1, members_.end(), [](const Member& each) { return each.is_ready; });
}

std::uint32_t CommitLeader::first_awaited() const {
  const auto first = members_.begin() + 1;
  auto found = std::find_if(first, members_.end(), [](const Member& each) { return each.call == 0; });
  if (found == members_.end())
    found = std::find_if(first, members_.end(), [](const Member& each) { return !each.is_ready; });
  return found == members_.end() ? 0 : static_cast<std::uint32_t>(found - members_.begin());
}

std::vector<std::uint32_t> CommitLeader::missing() const {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 1; rank < members_.size(); ++rank) {
    if (!members_[rank].has_come) ranks.push_back(rank);
  }
  return ranks;
}

std::optional<LeadersWord> CommitLeader::last_word(std::uint32_t rank, LeadersWord::Kind kind) const {
  if (members_[rank].call == 0) return std::nullopt;
  return LeadersWord{kind, members_[rank].call, context_};
}

std::optional<MembersWord> CommitMember::hear(const LeadersWord& word) {
  if (word.call != call_) return std::nullopt;
  switch (word.kind) {
    case LeadersWord::nothing:
      break;
    case LeadersWord::prepare:
      if (state_ != coming) break;
      state_ = ready;
      context_ = word.context;
      return MembersWord{MembersWord::ready, call_, context_};
    case LeadersWord::commit:
      COMEX_BUG_IF(!is_bound());
      COMEX_BUG_IF(word.context != context_);
      state_ = committed;
      break;
    case LeadersWord::abort:
      state_ = aborted;
      break;
  }
  return std::nullopt;
}

MembersWord CommitMember::withdraw() {
  state_ = state_ == ready ? withdrawing : aborted;
  return {MembersWord::withdraws, call_, context_};
}

}  // namespace comex::worlds
