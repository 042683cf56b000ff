#include "worlds/agreement/roll_call.h"

#include <algorithm>

#include "core/status.h"

namespace comex::worlds {

std::optional<LeadersWord> RollCall::hear(std::uint32_t rank, const MembersWord& word) {
  Member& member = members_[rank];
  switch (word.kind) {
    case MembersWord::gone:
      member = {};
      break;
    case MembersWord::comes:
      member = {word.call};
      break;
    case MembersWord::stays:
      member.stays = word.call == member.call && word.context == context_;
      break;
    case MembersWord::leaves:
      if (word.call != member.call) break;  // an earlier roll call has had the last word on that
      member = {};
      return LeadersWord{LeadersWord::off, word.call};
  }
  return std::nullopt;
}

bool RollCall::have_all_come() const {
  return std::all_of(members_.begin() + 1, members_.end(), [](const Member& each) { return each.call != 0; });
}

bool RollCall::is_settled() const {
  return is_open() &&
         std::all_of(members_.begin() + 1, members_.end(), [](const Member& each) { return each.stays; });
}

std::uint32_t RollCall::first_awaited() const {
  const auto first = members_.begin() + 1;
  auto found = std::find_if(first, members_.end(), [](const Member& each) { return each.call == 0; });
  if (found == members_.end())
    found = std::find_if(first, members_.end(), [](const Member& each) { return !each.stays; });
  return found == members_.end() ? 0 : static_cast<std::uint32_t>(found - members_.begin());
}

std::vector<std::uint32_t> RollCall::missing() const {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 1; rank < members_.size(); ++rank) {
    if (members_[rank].call == 0) ranks.push_back(rank);
  }
  return ranks;
}

std::optional<LeadersWord> RollCall::offer(std::uint32_t rank) {
  Member& member = members_[rank];
  if (member.call == 0 || member.is_offered) return std::nullopt;
  member.is_offered = true;
  return LeadersWord{LeadersWord::offer, member.call, context_};
}

std::optional<LeadersWord> RollCall::last_word(std::uint32_t rank, LeadersWord::Kind kind) const {
  if (members_[rank].call == 0) return std::nullopt;
  return LeadersWord{kind, members_[rank].call, context_};
}

MembersWord RollAnswer::come() {
  state_ = there;
  return {MembersWord::comes, call_, 0};
}

std::optional<MembersWord> RollAnswer::hear(const LeadersWord& word) {
  if (word.call != call_ || state_ == away) return std::nullopt;
  switch (word.kind) {
    case LeadersWord::nothing:
      break;
    case LeadersWord::offer:
      COMEX_BUG_IF(state_ != there);
      state_ = staying;
      context_ = word.context;
      return MembersWord{MembersWord::stays, call_, context_};
    case LeadersWord::made:
      COMEX_BUG_IF(state_ != staying && state_ != leaving);
      COMEX_BUG_IF(word.context != context_);
      state_ = made;
      break;
    case LeadersWord::off:
      state_ = off;
      break;
  }
  return std::nullopt;
}

MembersWord RollAnswer::leave() {
  const bool was_bound = state_ == staying;
  state_ = was_bound ? leaving : away;
  return was_bound ? MembersWord{MembersWord::leaves, call_, context_} : MembersWord{};
}

}  // namespace comex::worlds
