// The worlds of a list of processes for which its members come together, perhaps in several steps: whether
// one of them is lost, so that there will be no group, and how members learn that who cannot see it
// themselves.
//
// Who is connected to a world learns of its loss sooner or later; others on the list may wait for somebody
// who has given up for it. So who knows tells everybody on the list, once, over every way that leads there.
// The news is named by the list, and stays true: the world does not come back. Made by group_from_lpids;
// asked by each step.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/runtime.h"
#include "worlds/agreement/group_wire.h"

namespace comex::worlds {

// A name of a list that all who know it give alike.
class ListDigest {
 public:
  void add(std::uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001b3ULL; }
  void add(Gpid gpid) { add(std::uint64_t{gpid.world} << 32 | gpid.rank); }
  // With a bit that tags of inter-groups do not have: both are names in the mailbox.
  std::uint64_t value() const { return hash_ | std::uint64_t{1} << 63; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

class NamedWorlds {
 public:
  NamedWorlds(runtime::Runtime& runtime, std::span<const Lpid> list);

  std::uint64_t digest() const { return digest_; }  // of the list

  // Empty: nothing is known against the group.
  std::string why_lost() const;

  // Under the engine lock. True when that one has told that a world is lost.
  bool hear(const Route& from);
  void tell();

 private:
  struct News {  // travels as bytes
    std::uint64_t world = 0;
    std::array<char, 120> why = {};
  };

  std::optional<News> known() const;
  void send(BridgeId way, Lpid to, const News& news) const;

  runtime::Runtime& runtime_;
  std::vector<Lpid> others_;
  std::vector<WorldId> worlds_;  // not the own one
  std::uint64_t digest_ = 0;
  std::optional<News> heard_;
  bool has_told_ = false;
};

}  // namespace comex::worlds
