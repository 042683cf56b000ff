// What the founder of a group says of itself to the others on its list, and what it hears of them: whether
// that rules the group out.
//
// Setbacks says what is to be made of each word; what is doubted is believed if nothing newer has come from
// there within COMEX_MEET_S. A process that may have several calls under way fails for no difference that
// another call can resolve: that is told, once, and waited for. Part of Founding; all calls under the engine
// lock, and troubles are looked for by who has waited for long, save ends.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "runtime/runtime.h"
#include "worlds/agreement/groups.h"
#include "worlds/agreement/standing.h"
#include "worlds/connect/leader_connection.h"

namespace comex::worlds {

class Hearsay {
 public:
  struct Mine {
    const char* operation = nullptr;
    std::uint32_t rank = 0;
    std::uint64_t digest = 0;  // of the list
    std::uint64_t call = 0;
    ListText list = {};
  };
  // The members' ways and names, which stay where they are.
  Hearsay(runtime::Runtime& runtime, const Founders& founders, const Mine& mine,
          std::span<const Route> routes, std::span<const Gpid> gpids)
      : runtime_(runtime), founders_(founders), mine_(mine), routes_(routes), gpids_(gpids) {}

  // For members of whom nothing has been heard: takes back what they were told of earlier calls.
  void begin();
  // The word of a member's call is here.
  void hear_of_call(std::uint32_t rank, std::uint64_t call);
  // The leader, which had counted this call, has given its own up for this, as its setback of this number.
  // False when that is in doubt.
  bool believes_leader(const FoundingTrouble& trouble, std::uint64_t number);
  std::optional<FoundingTrouble> find_trouble();
  // The same, of those who have ended a call in which they heard this one, and may have come again since.
  // To be asked before one joins them: else the next call of some would be the first of others.
  std::optional<FoundingTrouble> find_end(std::uint32_t rank);
  std::optional<FoundingTrouble> find_end();
  // What is against the group was said by this member: its next call is not meant.
  bool is_culprit(std::uint32_t rank) const { return culprit_ == rank; }
  // A member may still be in the call in which this process failed or was refused last.
  bool is_ahead() const { return is_ahead_; }
  void tell_that_it_waits() const;
  void tell_that_it_is_over() const;
  // With a member: of what comes next, if this call fails.
  std::uint64_t number_of_setback(std::uint32_t rank) const {
    return runtime_.meetings.setbacks.next(pair_with(rank));
  }
  // For this trouble; `other`, who is in it too, may be on another list.
  void fail(const FoundingTrouble& trouble, const std::optional<Gpid>& other);
  void succeed() const;

 private:
  struct Doubt {
    FoundingTrouble trouble;
    std::uint64_t call = 0;  // that it is about
    Deadline until;          // it is believed then
    bool is_remark = false;  // is told then, and no more
  };
  Setbacks::Pair pair_with(std::uint32_t rank) const;
  Standing standing(std::uint32_t rank, bool waits, const FoundingTrouble& trouble) const;
  void tell(std::uint32_t rank, bool waits, const FoundingTrouble& trouble = {}) const;
  void listen_to(std::uint32_t rank);
  // What is against the group may be final.
  bool hear(std::uint32_t rank, const Standing& standing);
  Setbacks::Said said(const Standing& standing) const;
  bool is_of_this_list(const Standing& standing) const;
  FoundingTrouble trouble_from(std::uint32_t rank, const Standing& standing) const;
  void answer(std::uint32_t rank, std::uint64_t call);
  void doubt(std::uint32_t rank, const Doubt& doubt);
  void doubt_those_ahead();
  void tell_once(const FoundingTrouble& trouble, const char* what_follows);
  std::vector<std::uint32_t> others() const;

  runtime::Runtime& runtime_;
  const Founders& founders_;
  Mine mine_;
  std::span<const Route> routes_;
  std::span<const Gpid> gpids_;
  std::vector<std::uint64_t> numbers_;            // by rank: of the next setback, as the call began
  std::map<std::uint32_t, std::uint64_t> heard_;  // by rank: the call that it is in
  std::map<std::uint32_t, std::uint64_t> answered_;
  std::map<std::uint32_t, Doubt> doubts_;  // by rank
  std::optional<std::uint32_t> culprit_;   // whose word is believed
  bool is_ahead_ = false;
  bool has_told_ = false;  // of what may not matter
};

}  // namespace comex::worlds
