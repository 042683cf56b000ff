// Lists the servers that have writes of this origin which are not known to have taken effect, and the refused
// writes that no fence has told.
//
// The counts themselves are in the channels. A fence of all walks the listed channels only. A refused write
// is reported once, by the next fence, barrier or finalize that covers its target. Owned by op::Remote, under
// the engine lock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "core/status.h"
#include "nb/cleanup_threshold.h"
#include "op/remote/channel.h"

namespace comex::op::remote {

class Writes {
 public:
  // A write was accepted but has no number yet. One call counts once, however many messages it takes.
  void queue(Channel& channel) {
    ++channel.unsent;
    list(channel);
  }
  // All messages of a queued write have their numbers now.
  static void unqueue(Channel& channel) {
    COMEX_BUG_IF(channel.unsent == 0);
    --channel.unsent;
  }
  // For a write that gets its number at once.
  void issue_at_once(Channel& channel) {
    ++channel.issued;
    list(channel);
  }
  // A non-blocking atomic changes memory and has no number: its server is dirty until the answer.
  void begin_atomic(Channel& channel) {
    ++channel.atomics;
    list(channel);
  }
  // The server says which numbers are applied, and whether mirrors of kept memory lack what this origin
  // wrote.
  void note_reply(Channel& channel, const protocol::ReplyHeader& reply) {
    COMEX_BUG_IF(reply.applied > channel.issued);
    channel.applied = std::max(channel.applied, reply.applied);
    channel.is_unmirrored = reply.is_unmirrored != 0;
    if (channel.is_unmirrored) [[unlikely]]
      list(channel);
  }

  bool any() const { return !dirty_.empty(); }  // may stay true until for_each_dirty() looks
  // Calls f(channel) for each channel with writes that are not known to be applied. f must add none.
  template <class F>
  void for_each_dirty(F&& f) {
    std::erase_if(dirty_, [&](Channel* channel) {
      channel->is_listed_dirty = channel->is_dirty();
      if (channel->is_listed_dirty) f(*channel);
      return !channel->is_listed_dirty;
    });
  }
  void tidy() { nb::give_back_capacity(dirty_); }

  // The server is lost, and with it what it may not have applied: fences of its targets fail from now on.
  void give_up(Channel& channel) {
    if (channel.unsent != 0 || channel.issued > channel.applied || channel.is_unmirrored)
      lost_.emplace(channel.rank, false);
    channel.unsent = channel.atomics = 0;
    channel.applied = channel.issued;
    channel.is_unmirrored = false;
  }
  void add_failure(Gpid target) { ++failures_[target]; }
  bool has_failures() const { return !failures_.empty() || !lost_.empty(); }
  // Returns how many writes to this target of a server were refused since the last call. What was lost with
  // the server counts as one for each of its targets, since it is not known to which it was.
  std::uint64_t take_failures(TransportRank server, Gpid target) {
    const auto refused = failures_.extract(target);
    std::uint64_t count = refused.empty() ? 0 : refused.mapped();
    if (const auto lost = lost_.find(server); lost != lost_.end()) {
      lost->second = true;
      ++count;
    }
    return count;
  }
  // The same for all targets.
  std::uint64_t take_failures() {
    std::uint64_t count = lost_.size();
    for (const auto& [target, failures] : failures_) count += failures;
    failures_.clear();
    lost_.clear();
    return count;
  }
  // Before finalize, which tells only losses that no fence of any target has told.
  void forget_told_losses() {
    std::erase_if(lost_, [](const auto& loss) { return loss.second; });
  }

 private:
  // A fence under way does not cover the new write.
  void list(Channel& channel) {
    channel.last_fence = nullptr;
    if (channel.is_listed_dirty) return;
    channel.is_listed_dirty = true;
    dirty_.push_back(&channel);
  }

  std::vector<Channel*> dirty_;
  std::map<Gpid, std::uint64_t> failures_;
  std::map<TransportRank, bool> lost_;  // servers with what may be lost: whether a fence has told it
};

}  // namespace comex::op::remote
