#include "groups/joining.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "groups/joining_parts.h"
#include "groups/managers.h"
#include "groups/newcomers.h"

namespace comex::groups {
namespace {

using namespace joining;

WorldName name_of(const WorldDescription& world) {
  return {world.id, world.size, world.launch, world.nonce};
}

bool holds(std::span<const WorldName> worlds, WorldId id) {
  return std::ranges::find(worlds, id, &WorldName::id) != worlds.end();
}

// Fails if one number stands for two worlds, or one manager for two launches.
Status check_worlds(std::span<const WorldName> mine, std::span<const WorldName> theirs) {
  const auto described = [](std::span<const WorldName> names) {
    std::vector<WorldDescription> worlds;
    for (const WorldName& name : names) {
      worlds.push_back({name.id, name.size, name.launch, name.nonce, {}, {}});
    }
    return managers_of(worlds);
  };
  if (Status managers = compare_managers(described(mine), described(theirs)); !managers) return managers;
  for (const WorldName& world : mine) {
    const auto other = std::ranges::find(theirs, world.id, &WorldName::id);
    if (other == theirs.end() || *other == world) continue;
    return caller_error("two worlds that meet have the number " + std::to_string(world.id) +
                        "; launches that meet need different values of COMEX_MANAGER");
  }
  return {};
}

// Runs one member's part of the steps.
class Joining {
 public:
  Joining(WorldBook& book, LeaderChannel& talk, const JoinWish& wish, const CardHook& hook)
      : book_(book), channel_(talk), wish_(wish), hook_(hook) {}

  Result<Joined> run() {
    if (Status met = meet(); !met) return met.take_failure();
    Status learnt;
    if (head_.has_parcels) {
      learnt = exchange_parcels();
      if (is_cut_off_) return learnt.take_failure();
    }
    Status agreed = settle(std::move(learnt));
    if (!agreed) {
      for (const WorldId world : added_) book_.drop_unused(world);
      return agreed.take_failure();
    }
    return convert();
  }

 private:
  // ---- steps 1 to 3 ----

  Status meet() {
    std::vector<WorldName> known;
    for (const WorldDescription& world : book_.worlds()) known.push_back(name_of(world));
    Result<std::vector<Bytes>> knowledge =
        channel_.gather(Packer().array(std::span<const WorldName>(known)).take());
    if (!knowledge) return cut_off(knowledge.take_failure());
    Bytes told;
    if (channel_.is_leader()) {
      const Status verdict = lead(knowledge.value());
      told = Packer()
                 .array(std::span<const std::byte>(pack_verdict(verdict)))
                 .array(std::span<const std::byte>(head_.pack()))
                 .take();
    }
    Result<Bytes> heard = channel_.broadcast(told);
    if (!heard) return cut_off(heard.take_failure());
    Unpacker unpacker(heard.value());
    Status verdict = unpack_verdict(unpacker.array<std::byte>());
    if (!verdict) return verdict;
    Result<Head> head = Head::unpack(unpacker.array<std::byte>());
    if (!head) return head.take_failure();
    head_ = std::move(head).value();
    return {};
  }

  Status lead(const std::vector<Bytes>& knowledge) {
    std::vector<std::vector<WorldName>> known;
    Offer mine;
    Status verdict;
    for (const Bytes& bytes : knowledge) {
      known.push_back(Unpacker(bytes).array<WorldName>());
      if (verdict) verdict = check_worlds(mine.worlds, known.back());
      for (const WorldName& world : known.back()) {
        if (!holds(mine.worlds, world.id)) mine.worlds.push_back(world);
      }
    }
    mine.members = wish_.local;
    mine.context = wish_.context;
    mine.has_hook = static_cast<bool>(hook_);
    if (wish_.is_spawn) mine.table = book_.lpid_table();
    Result<Bytes> answer = channel_.swap(mine.pack());
    if (!answer) return answer.take_failure();
    Result<Offer> theirs = Offer::unpack(answer.value());
    if (!theirs) {
      if (verdict) verdict = theirs.take_failure();
    } else {
      if (verdict) verdict = check_worlds(mine.worlds, theirs->worlds);
      if (verdict) verdict = check_members(mine.members, theirs->members);
      if (verdict) fill_head(mine, theirs.value(), known);
    }
    // Either side may have to send worlds to its own members. Both sides then settle once more at the end.
    const bool we_teach = head_.has_parcels;
    Packer packer;
    packer.value(we_teach).array(std::span<const std::byte>(pack_verdict(verdict)));
    Result<Bytes> other = channel_.swap(packer.take());
    if (!other) return verdict ? Status(other.take_failure()) : verdict;
    Unpacker unpacker(other.value());
    head_.has_parcels = unpacker.value<bool>() || we_teach;
    Status others = unpack_verdict(unpacker.array<std::byte>());
    return verdict ? others : verdict;
  }

  void fill_head(const Offer& mine, const Offer& theirs, const std::vector<std::vector<WorldName>>& known) {
    head_.remote = theirs.members;
    head_.remote_table = theirs.table;
    head_.is_low = mine.members.front() < theirs.members.front();
    head_.context = head_.is_low ? mine.context : theirs.context;
    head_.has_cards = mine.has_hook && theirs.has_hook;
    for (const WorldName& world : mine.worlds) {
      const auto knows = [&world](const std::vector<WorldName>& names) { return holds(names, world.id); };
      Errand errand{world.id, 0, 0, 0};
      errand.provider = static_cast<std::uint32_t>(std::ranges::find_if(known, knows) - known.begin());
      errand.is_for_others = holds(theirs.worlds, world.id) ? 0 : 1;
      errand.is_for_us = std::ranges::all_of(known, knows) ? 0 : 1;
      if (errand.is_for_others + errand.is_for_us != 0) head_.errands.push_back(errand);
    }
    const auto is_new = [&mine](const WorldName& world) { return !holds(mine.worlds, world.id); };
    for (const WorldName& world : theirs.worlds) head_.brought.push_back(world.id);
    others_send_ = std::ranges::any_of(theirs.worlds, is_new);
    head_.has_parcels = others_send_ || !head_.errands.empty();
  }

  // ---- step 4 ----

  // The leader collects the members' parcels. It sends the other side the worlds which that side lacks, and
  // sends everybody here the worlds which this side lacks.
  Status exchange_parcels() {
    Status mine;
    std::vector<Parcel> ours;
    for (const Errand& errand : head_.errands) {
      if (errand.provider != channel_.rank() || !mine) continue;
      Result<Parcel> parcel = describe(errand.world);
      if (parcel) {
        ours.push_back(std::move(parcel).value());
      } else {
        mine = parcel.take_failure();
      }
    }
    Result<std::vector<Bytes>> gathered = channel_.gather(wrap(mine, ours));
    if (!gathered) return cut_off(gathered.take_failure());
    Bytes for_us;
    if (channel_.is_leader()) {
      for_us = lead_parcels(gathered.value());
    }
    Result<Bytes> heard = channel_.broadcast(for_us);
    if (!heard) return cut_off(heard.take_failure());
    std::vector<Parcel> parcels;
    if (Status unwrapped = unwrap(heard.value(), parcels); !unwrapped) return unwrapped;
    return learn(parcels);
  }

  // A failure travels with the parcels.
  Bytes lead_parcels(const std::vector<Bytes>& gathered) {
    Status verdict;
    std::vector<Parcel> parcels;
    for (const Bytes& bytes : gathered) {
      if (Status one = unwrap(bytes, parcels); !one && verdict) verdict = one;
    }
    std::vector<Parcel> for_others;
    std::vector<Parcel> for_us;
    for (const Parcel& parcel : parcels) {
      const auto errand = std::ranges::find(head_.errands, parcel.world.id, &Errand::world);
      if (errand == head_.errands.end()) continue;
      if (errand->is_for_others != 0) for_others.push_back(parcel);
      if (errand->is_for_us != 0) for_us.push_back(parcel);
    }
    const bool we_send =
        std::ranges::any_of(head_.errands, [](const Errand& errand) { return errand.is_for_others != 0; });
    if (we_send || others_send_) {
      Result<Bytes> theirs = channel_.swap(wrap(verdict, for_others));
      Status other = theirs ? unwrap(theirs.value(), for_us) : Status(theirs.failure());
      if (!other && verdict) verdict = other;
    }
    return wrap(verdict, for_us);
  }

  Result<Parcel> describe(WorldId id) {
    Result<WorldDescription> world = book_.world(id);
    if (!world) return world.take_failure();
    Parcel parcel{world->for_others(), {}};
    if (!head_.has_cards || !hook_) return parcel;
    for (std::uint32_t rank = 0; rank < world->size; ++rank) {
      Result<Bytes> card = hook_.collect({id, rank});
      if (!card) return card.take_failure();
      parcel.cards.push_back(std::move(card).value());
    }
    return parcel;
  }

  // The other worlds that have members in the remote group.
  std::vector<WorldId> worlds_met() const {
    std::vector<WorldId> met;
    for (const Gpid gpid : head_.remote) {
      const bool is_next = met.empty() || met.back() != gpid.world;
      if (is_next && gpid.world != book_.own_world()) met.push_back(gpid.world);
    }
    std::ranges::sort(met);
    met.erase(std::unique(met.begin(), met.end()), met.end());
    return met;
  }

  Status learn(std::span<const Parcel> parcels) {
    // A world without members in the remote group came along with the worlds that have some.
    const std::vector<WorldId> met = worlds_met();
    std::vector<WorldId> known;
    for (const WorldDescription& world : book_.worlds()) known.push_back(world.id);
    for (const Parcel& parcel : parcels) {
      const WorldId id = parcel.world.id;
      if (std::ranges::find(known, id) != known.end()) continue;
      const bool is_met = std::ranges::find(head_.remote, id, &Gpid::world) != head_.remote.end();
      const WorldId first = met.empty() ? book_.own_world() : met.front();
      const auto bringer = is_met ? std::nullopt : std::optional<WorldId>(first);
      if (Status added = book_.add_world(parcel.world, bringer); !added) return added;
      added_.push_back(id);
      if (!hook_) continue;
      for (std::uint32_t rank = 0; rank < parcel.cards.size(); ++rank) {
        if (Status taken = hook_.deliver({id, rank}, parcel.cards[rank]); !taken) return taken;
      }
    }
    return {};
  }

  // ---- all or none ----

  // Without parcels, nothing can have failed since the leaders agreed.
  Status settle(Status mine) {
    if (!head_.has_parcels) return mine;
    Result<std::vector<Bytes>> verdicts = channel_.gather(pack_verdict(mine));
    if (!verdicts) return cut_off(verdicts.take_failure());
    Bytes told;
    if (channel_.is_leader()) {
      Status all;
      for (const Bytes& bytes : verdicts.value()) {
        if (Status one = unpack_verdict(bytes); !one && all) all = one;
      }
      told = pack_verdict(swap_verdicts(std::move(all)));
    }
    Result<Bytes> heard = channel_.broadcast(told);
    if (!heard) return cut_off(heard.take_failure());
    return unpack_verdict(heard.value());
  }

  Status swap_verdicts(Status mine) {
    Result<Bytes> theirs = channel_.swap(pack_verdict(mine));
    if (!theirs) return mine ? Status(theirs.take_failure()) : mine;
    Status other = unpack_verdict(theirs.value());
    return mine ? other : mine;
  }

  // ---- step 5 ----

  Result<Joined> convert() {
    if (wish_.newcomer) {
      const std::vector<Gpid> order = newcomers_order(*wish_.newcomer, head_.remote, head_.remote_table);
      if (auto all = book_.admit(order); !all) return all.take_failure();
    }
    Result<std::vector<Lpid>> lpids = book_.admit(head_.remote);
    if (!lpids) return lpids.take_failure();
    remember_bringers();
    return Joined{head_.remote, std::move(lpids).value(), head_.context, head_.is_low};
  }

  // A world that came along, now or before, stays until the last world that brought it is forgotten.
  void remember_bringers() {
    const std::vector<WorldId> met = worlds_met();
    for (const std::vector<WorldId>* worlds : {&added_, &head_.brought}) {
      for (const WorldId world : *worlds) {
        if (std::ranges::binary_search(met, world)) continue;
        for (const WorldId bringer : met) book_.add_bringer(world, bringer);
      }
    }
  }

  Status cut_off(Failure failure) {
    is_cut_off_ = true;
    return failure;
  }

  static Bytes wrap(const Status& status, std::span<const Parcel> parcels) {
    return Packer()
        .array(std::span<const std::byte>(pack_verdict(status)))
        .array(std::span<const std::byte>(pack(parcels)))
        .take();
  }
  static Status unwrap(const Bytes& bytes, std::vector<Parcel>& into) {
    Unpacker unpacker(bytes);
    if (Status status = unpack_verdict(unpacker.array<std::byte>()); !status) return status;
    Result<std::vector<Parcel>> parcels = unpack_parcels(unpacker.array<std::byte>());
    if (!parcels) return parcels.take_failure();
    std::ranges::move(parcels.value(), std::back_inserter(into));
    return {};
  }

  WorldBook& book_;
  LeaderChannel& channel_;
  const JoinWish& wish_;
  const CardHook& hook_;
  Head head_;
  bool others_send_ = false;  // used by the leader
  bool is_cut_off_ = false;   // this group itself does not answer: nobody can be told any more
  std::vector<WorldId> added_;
};

}  // namespace

Status check_members(std::span<const Gpid> local, std::span<const Gpid> remote) {
  std::unordered_set<std::uint64_t> seen;
  for (const std::span<const Gpid> side : {local, remote}) {
    for (const Gpid gpid : side) {
      if (seen.insert(std::uint64_t{gpid.world} << 32 | gpid.rank).second) continue;
      return caller_error("process (" + std::to_string(gpid.world) + ", " + std::to_string(gpid.rank) +
                          ") is named twice; the sides of an inter-group have no process in common");
    }
  }
  return {};
}

Result<Joined> join_sides(WorldBook& book, LeaderChannel& talk, const JoinWish& wish, const CardHook& hook) {
  return Joining(book, talk, wish, hook).run();
}

}  // namespace comex::groups
