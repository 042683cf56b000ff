#include "worlds/agreement/refusal.h"

#include <utility>

#include "worlds/agreement/named_worlds.h"
#include "worlds/agreement/standing.h"

namespace comex::worlds {
namespace {

std::uint64_t digest_around(std::span<const ListedMember> list, std::size_t hole) {
  ListDigest digest;
  digest.add(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i == hole) continue;
    digest.add(list[i].gpid);
    digest.add(list[i].endpoint);
  }
  return digest.value();
}

// What the other has said last stays for the next call, which has to make up its mind about it.
void learn_from(const Route& route, const Setbacks::Pair& pair, Setbacks& setbacks) {
  for (const Place place : {Place::setback, Place::call}) {
    Standing last;
    if (!look_at_standing(route, pair, place, last)) continue;
    setbacks.learn(pair, {.kind = last.kind(), .number = last.number, .first = last.first});
  }
}

void tell_of_refusal(runtime::Runtime& runtime, std::uint32_t my_endpoint,
                     std::span<const ListedMember> waiters, const std::set<BridgeId>& ways,
                     const RefusedList& list) {
  Standing refusal;
  refusal.trouble = {FoundingTrouble::refused, runtime.book.me(), list.text};
  refusal.refused = list;
  Setbacks& setbacks = runtime.meetings.setbacks;
  const op::Engine::Lock lock = runtime.engine.enter();
  runtime.engine.pump();
  for (const auto& [gpid, endpoint] : waiters) {
    const Result<Lpid> lpid = runtime.book.lpid_of(gpid);
    if (!lpid) continue;
    const Setbacks::Pair pair{my_endpoint, gpid, endpoint};
    std::set<BridgeId> told_over;
    for (const BridgeId way : ways) {
      if (is_reached_over(runtime, way, lpid.value())) told_over.insert(way);
    }
    for (const BridgeId way : told_over) learn_from(route_to(runtime, way, lpid.value()), pair, setbacks);
    refusal.number = setbacks.next(pair);
    refusal.first = setbacks.first(pair);
    for (const BridgeId way : told_over) stand_before(route_to(runtime, way, lpid.value()), pair, refusal);
    setbacks.fail(pair, told_over, false);
  }
}

}  // namespace

void ReadList::add(const ListedMember& member) {
  if (!seen_.insert(member).second) note_wrong();
  texts_.push_back(short_text(member.gpid));
  members_.push_back(member);
}

void ReadList::add_nobody(std::string text) {
  has_more_ = has_wrong_;
  note_wrong();
  texts_.push_back(std::move(text));
  members_.emplace_back();
}

void ReadList::note_wrong() {
  if (!has_wrong_) wrong_ = members_.size();
  has_wrong_ = true;
}

RefusedList ReadList::refused() const {
  if (members_.empty()) return {};
  RefusedList list{list_text(texts_), 0, wrong_};
  if (has_wrong_ && !has_more_) list.digest = digest_around(members_, wrong_);
  return list;
}

bool RefusedList::was_meant_as(std::span<const ListedMember> list) const {
  return digest != 0 && wrong < list.size() && digest_around(list, wrong) == digest;
}

RefusedList refused_lpids(const runtime::Runtime& runtime, std::span<const Lpid> lpids) {
  ReadList read;
  for (const Lpid lpid : lpids) {
    const Result<Gpid> gpid = runtime.book.gpid_of(lpid);
    if (gpid) {
      read.add({gpid.value()});
    } else {
      read.add_nobody("lpid " + std::to_string(lpid));
    }
  }
  return read.refused();
}

RefusedList refused_ranks(const runtime::Runtime& runtime, const groups::Group& parent,
                          std::span<const int> ranks) {
  ReadList read;
  for (const int rank : ranks) {
    const auto at = static_cast<std::uint32_t>(rank);
    if (rank >= 0 && at < parent.size()) {
      read.add({runtime.book.gpid_of(parent.members().lpid(at)).value(), parent.endpoints().of(at)});
    } else {
      read.add_nobody("rank " + std::to_string(rank));
    }
  }
  return read.refused();
}

// Members of the own world alone wait over its own wire, whatever bridge their parent has.
void tell_of_refusal(runtime::Runtime& runtime, const groups::Group& parent, const RefusedList& list) {
  std::vector<ListedMember> members;
  for (std::uint32_t rank = 0; rank < parent.size(); ++rank) {
    if (static_cast<int>(rank) == parent.my_rank()) continue;
    const Gpid gpid = runtime.book.gpid_of(parent.members().lpid(rank)).value();
    members.push_back({gpid, parent.endpoints().of(rank)});
  }
  tell_of_refusal(runtime, parent.my_endpoint(), members, {no_bridge, parent.bridge()}, list);
}

void tell_of_refusal(runtime::Runtime& runtime, const RefusedList& list) {
  std::vector<ListedMember> everybody;
  for (const Gpid gpid : runtime.book.lpid_table()) {
    if (gpid != runtime.book.me()) everybody.push_back({gpid});
  }
  const std::vector<BridgeId> bridges = runtime.bridges.ids();
  std::set<BridgeId> ways(bridges.begin(), bridges.end());
  ways.insert(no_bridge);
  tell_of_refusal(runtime, groups::process_itself, everybody, ways, list);
}

}  // namespace comex::worlds
