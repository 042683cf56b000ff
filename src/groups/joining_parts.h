// The messages by which sides are joined, as values that convert to bytes: offers, decisions, packages,
// verdicts.
//
// Used by joining.cpp only.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/packing.h"
#include "groups/joining.h"
#include "groups/world_description.h"

namespace comex::groups::joining {

// What a leader tells the other leader about its side.
struct SideOffer {
  std::vector<Gpid> members;
  std::vector<Gpid> table;  // the leader's lpid table, from a spawner only
  std::vector<WorldName> worlds;
  std::uint64_t context = 0;
  bool has_hook = false;

  bool names_somebody() const { return !members.empty(); }
  // Visits the fields in the order in which they travel, of an offer to pack or to unpack.
  static void for_each_field(auto& offer, auto&& visit) {
    visit(offer.members);
    visit(offer.table);
    visit(offer.worlds);
    visit(offer.context);
    visit(offer.has_hook);
  }
};

// A world to be described for others, and the member that describes it.
struct WorldToDescribe {
  WorldId world = 0;
  std::uint32_t provider = 0;
  std::uint32_t is_for_others = 0;  // 1: the other side lacks it
  std::uint32_t is_for_us = 0;      // 1: a member of this side lacks it
};

// What a leader tells its members when both sides go on.
struct JoinDecision {
  std::vector<Gpid> remote;
  std::vector<Gpid> remote_table;
  std::vector<WorldToDescribe> worlds_to_describe;
  std::vector<WorldId> known_to_others;  // worlds that the other side knows
  std::uint64_t context = 0;
  bool is_low = true;
  bool has_cards = false;
  bool has_packages = false;  // somebody on either side lacks a world

  bool names_somebody() const { return !remote.empty(); }
  static void for_each_field(auto& decision, auto&& visit) {
    visit(decision.remote);
    visit(decision.remote_table);
    visit(decision.worlds_to_describe);
    visit(decision.known_to_others);
    visit(decision.context);
    visit(decision.is_low);
    visit(decision.has_cards);
    visit(decision.has_packages);
  }
};

Failure malformed();
// Of an offer or a decision. pack_fields packs them.
template <class Message>
Result<Message> unpack(const Bytes& bytes) {
  std::optional<Message> message = unpack_fields<Message>(bytes);
  if (!message || !message->names_somebody()) return malformed();
  return std::move(*message);
}

struct WorldPackage {
  WorldDescription world;
  std::vector<Bytes> cards;  // by rank; empty without a hook
};
Bytes pack(std::span<const WorldPackage> packages);
Result<std::vector<WorldPackage>> unpack_packages(const Bytes& bytes);

// A status as bytes. Of several, the first failure counts.
Bytes pack_verdict(const Status& status);
Status unpack_verdict(const Bytes& bytes);

}  // namespace comex::groups::joining
