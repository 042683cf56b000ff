#include "groups/joining.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>

#include "core/diagnose.h"
#include "groups/joining_parts.h"
#include "groups/world_identity.h"

namespace comex::groups {
namespace {

using namespace joining;

bool holds(std::span<const WorldName> worlds, WorldId id) {
  return std::ranges::find(worlds, id, &WorldName::id) != worlds.end();
}

// Fails if one manager stands for two launches. Both sides name the lowest such manager.
Status check_managers(std::span<const WorldName> mine, std::span<const WorldName> theirs) {
  std::optional<std::uint32_t> lowest;
  for (const WorldName& world : mine) {
    const std::uint32_t manager = manager_of(world.id);
    const bool is_other = std::ranges::any_of(theirs, [&](const WorldName& other) {
      return manager_of(other.id) == manager && other.launch != world.launch;
    });
    if (is_other) lowest = std::min(manager, lowest.value_or(manager));
  }
  if (!lowest) return {};
  return caller_error("two launches that meet have the process manager number " + std::to_string(*lowest) +
                      "; give each a value of its own with COMEX_MANAGER, from 0 to 255");
}

// Fails if one number stands for two worlds, or one manager for two launches.
Status check_worlds(std::span<const WorldName> mine, std::span<const WorldName> theirs) {
  if (Status managers = check_managers(mine, theirs); !managers) return managers;
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
  Joining(WorldRegistry& registry, LeaderChannel& channel, const JoinArguments& arguments,
          const CardHook& hook)
      : registry_(registry), channel_(channel), arguments_(arguments), hook_(hook) {}

  Result<JoinResult> run() {
    if (Status decided = decide(); !decided) return decided.take_failure();
    Status learnt;
    if (decision_.has_packages) {
      learnt = exchange_packages();
      if (is_cut_off_) return learnt.take_failure();
    }
    Status agreed = agree_on_packages(std::move(learnt));
    if (!agreed) {
      for (const WorldId world : added_) registry_.drop_unused(world);
      return agreed.take_failure();
    }
    return convert();
  }

 private:
  // ---- steps 1 to 3 ----

  Status decide() {
    const std::vector<WorldDescription> met = registry_.met_worlds();
    const std::vector<WorldName> known(met.begin(), met.end());
    Result<std::vector<Bytes>> knowledge = channel_.gather(Packer().field(known).take());
    if (!knowledge) return cut_off(knowledge.take_failure());
    Bytes message;
    if (channel_.is_leader()) {
      const Status verdict = lead(knowledge.value());
      message = Packer().field(pack_verdict(verdict)).field(pack_fields(decision_)).take();
    }
    Result<Bytes> received = channel_.broadcast(message);
    if (!received) return cut_off(received.take_failure());
    Unpacker unpacker(received.value());
    Status verdict = unpack_verdict(unpacker.array<std::byte>());
    if (!verdict) return verdict;
    Result<JoinDecision> decision = unpack<JoinDecision>(unpacker.array<std::byte>());
    if (!decision) return decision.take_failure();
    decision_ = std::move(decision).value();
    return {};
  }

  Status lead(const std::vector<Bytes>& knowledge) {
    std::vector<std::vector<WorldName>> known;
    SideOffer mine;
    Status verdict;
    for (const Bytes& bytes : knowledge) {
      known.push_back(Unpacker(bytes).array<WorldName>());
      if (verdict) verdict = check_worlds(mine.worlds, known.back());
      for (const WorldName& world : known.back()) {
        if (!holds(mine.worlds, world.id)) mine.worlds.push_back(world);
      }
    }
    mine.members = arguments_.local;
    mine.context = arguments_.context;
    mine.has_hook = static_cast<bool>(hook_);
    if (arguments_.is_spawn) mine.table = registry_.lpid_table();
    Result<Bytes> answer = channel_.exchange(pack_fields(mine));
    if (!answer) return answer.take_failure();
    Result<SideOffer> theirs = unpack<SideOffer>(answer.value());
    if (verdict && !theirs) verdict = theirs.take_failure();
    if (verdict) verdict = check_worlds(mine.worlds, theirs->worlds);
    if (verdict) verdict = check_members(mine.members, theirs->members);
    if (verdict) fill_decision(mine, theirs.value(), known);
    return exchange_verdicts(verdict);
  }

  // Either side may have to send worlds to its own members. Both sides then agree once more at the end.
  Status exchange_verdicts(const Status& mine) {
    const bool we_teach = decision_.has_packages;
    Result<Bytes> theirs = channel_.exchange(Packer().value(we_teach).field(pack_verdict(mine)).take());
    if (!theirs) return mine ? Status(theirs.take_failure()) : mine;
    Unpacker unpacker(theirs.value());
    decision_.has_packages = unpacker.value<bool>() || we_teach;
    Status other = unpack_verdict(unpacker.array<std::byte>());
    return mine ? other : mine;
  }

  void fill_decision(const SideOffer& mine, const SideOffer& theirs,
                     const std::vector<std::vector<WorldName>>& known) {
    decision_.remote = theirs.members;
    decision_.remote_table = theirs.table;
    decision_.is_low = mine.members.front() < theirs.members.front();
    decision_.context = decision_.is_low ? mine.context : theirs.context;
    decision_.has_cards = mine.has_hook && theirs.has_hook;
    if (mine.members.front().world == theirs.members.front().world && is_single_world(mine.members) &&
        is_single_world(theirs.members))
      return;  // all know it; they name no other
    for (const WorldName& world : mine.worlds) {
      const auto knows = [&world](const std::vector<WorldName>& names) { return holds(names, world.id); };
      WorldToDescribe wanted{world.id, 0, 0, 0};
      const auto provider = knows(known[channel_.rank()]) ? known.begin() + channel_.rank()
                                                          : std::ranges::find_if(known, knows);
      wanted.provider = static_cast<std::uint32_t>(provider - known.begin());
      wanted.is_for_others = holds(theirs.worlds, world.id) ? 0 : 1;
      wanted.is_for_us = std::ranges::all_of(known, knows) ? 0 : 1;
      if (wanted.is_for_others + wanted.is_for_us != 0) decision_.worlds_to_describe.push_back(wanted);
    }
    const auto is_new = [&mine](const WorldName& world) { return !holds(mine.worlds, world.id); };
    for (const WorldName& world : theirs.worlds) decision_.known_to_others.push_back(world.id);
    others_send_ = std::ranges::any_of(theirs.worlds, is_new);
    decision_.has_packages = others_send_ || !decision_.worlds_to_describe.empty();
  }

  // ---- step 4 ----

  // The leader collects the members' packages. It sends the other side the worlds which that side lacks, and
  // sends everybody here the worlds which this side lacks.
  Status exchange_packages() {
    Status mine;
    std::vector<WorldPackage> ours;
    for (const WorldToDescribe& wanted : decision_.worlds_to_describe) {
      if (wanted.provider != channel_.rank() || !mine) continue;
      Result<WorldPackage> package = describe(wanted.world);
      if (package) {
        ours.push_back(std::move(package).value());
      } else {
        mine = package.take_failure();
      }
    }
    // What the leader has itself, all of it as a rule, need not go to every member and back.
    Bytes own = wrap(mine, ours);
    Result<std::vector<Bytes>> gathered = channel_.gather(channel_.is_leader() ? wrap({}, {}) : own);
    if (!gathered) return cut_off(gathered.take_failure());
    Bytes for_us;
    if (channel_.is_leader()) {
      gathered.value()[channel_.rank()] = std::move(own);
      for_us = lead_packages(gathered.value());
    }
    Result<Bytes> received = channel_.broadcast(for_us);
    if (!received) return cut_off(received.take_failure());
    std::vector<WorldPackage> packages;
    if (Status unwrapped = unwrap(received.value(), packages); !unwrapped) return unwrapped;
    return learn(packages);
  }

  // A failure travels with the packages.
  Bytes lead_packages(const std::vector<Bytes>& gathered) {
    Status verdict;
    std::vector<WorldPackage> packages;
    for (const Bytes& bytes : gathered) {
      if (Status one = unwrap(bytes, packages); !one && verdict) verdict = one;
    }
    std::vector<WorldPackage> for_others;
    std::vector<WorldPackage> for_us;
    for (const WorldPackage& package : packages) {
      const auto wanted =
          std::ranges::find(decision_.worlds_to_describe, package.world.id, &WorldToDescribe::world);
      if (wanted == decision_.worlds_to_describe.end()) continue;
      if (wanted->is_for_others != 0) for_others.push_back(package);
      if (wanted->is_for_us != 0) for_us.push_back(package);
    }
    const bool we_send = std::ranges::any_of(decision_.worlds_to_describe, [](const WorldToDescribe& wanted) {
      return wanted.is_for_others != 0;
    });
    if (we_send || others_send_) {
      Bytes ours = wrap(verdict, for_others);
      if (ours.size() > channel_.most_exchanged_bytes()) {
        verdict = caller_error("the cards and descriptions of worlds that the other side lacks take " +
                               std::to_string(ours.size()) + " bytes; at most " +
                               std::to_string(channel_.most_exchanged_bytes()) + " can be sent");
        ours = wrap(verdict, {});
      }
      Result<Bytes> theirs = channel_.exchange(ours);
      Status other = theirs ? unwrap(theirs.value(), for_us) : Status(theirs.failure());
      if (!other && verdict) verdict = other;
    }
    return wrap(verdict, for_us);
  }

  Result<WorldPackage> describe(WorldId id) {
    Result<WorldDescription> world = registry_.world(id);
    if (!world) return world.take_failure();
    WorldPackage package{world.value(), {}};
    if (!decision_.has_cards || !hook_) return package;
    for (std::uint32_t rank = 0; rank < world->size; ++rank) {
      Result<Bytes> card = hook_.collect({id, rank});
      if (!card) return card.take_failure();
      package.cards.push_back(std::move(card).value());
    }
    return package;
  }

  // The other worlds that have members in the remote group.
  std::set<WorldId> worlds_met() const {
    std::set<WorldId> met;
    for (const Gpid gpid : decision_.remote) met.insert(gpid.world);
    met.erase(registry_.own_world());
    return met;
  }

  Status learn(std::span<const WorldPackage> packages) {
    // A world without members in the remote group came along with the worlds that have some.
    const std::set<WorldId> met = worlds_met();
    const std::vector<WorldDescription> known = registry_.worlds();
    for (const WorldPackage& package : packages) {
      const WorldId id = package.world.id;
      const auto is_it = [&](const WorldName& world) { return world == package.world; };
      if (std::ranges::any_of(known, is_it)) continue;
      const WorldId first = met.empty() ? registry_.own_world() : *met.begin();
      const auto introducer = met.contains(id) ? std::nullopt : std::optional<WorldId>(first);
      if (Status added = registry_.add_world(package.world, introducer); !added) return added;
      added_.push_back(id);
      if (!hook_) continue;
      for (std::uint32_t rank = 0; rank < package.cards.size(); ++rank) {
        if (Status taken = hook_.deliver({id, rank}, package.cards[rank]); !taken) return taken;
      }
    }
    return {};
  }

  // ---- all or none ----

  // Without packages, nothing can have failed since the leaders agreed.
  Status agree_on_packages(Status mine) {
    if (!decision_.has_packages) return mine;
    Result<std::vector<Bytes>> verdicts = channel_.gather(pack_verdict(mine));
    if (!verdicts) return cut_off(verdicts.take_failure());
    Bytes verdict;
    if (channel_.is_leader()) {
      Status all;
      for (const Bytes& bytes : verdicts.value()) {
        if (Status one = unpack_verdict(bytes); !one && all) all = one;
      }
      verdict = pack_verdict(exchange_verdicts(all));
    }
    Result<Bytes> received = channel_.broadcast(verdict);
    if (!received) return cut_off(received.take_failure());
    return unpack_verdict(received.value());
  }

  // ---- step 5 ----

  Result<JoinResult> convert() {
    if (arguments_.spawned_order) {
      const std::vector<Gpid> order =
          order_for_spawned(*arguments_.spawned_order, decision_.remote, decision_.remote_table);
      if (auto all = registry_.admit(order); !all) return all.take_failure();
    }
    Result<std::vector<Lpid>> lpids = registry_.admit(decision_.remote);
    if (!lpids) return lpids.take_failure();
    remember_introducers();
    return JoinResult{decision_.remote, std::move(lpids).value(), decision_.context, decision_.is_low};
  }

  // A world that came along, now or before, stays until the last world that introduced it is forgotten.
  void remember_introducers() {
    const std::set<WorldId> met = worlds_met();
    for (const std::vector<WorldId>* worlds : {&added_, &decision_.known_to_others}) {
      for (const WorldId world : *worlds) {
        if (met.contains(world)) continue;
        for (const WorldId introducer : met) registry_.add_introducer(world, introducer);
      }
    }
  }

  Status cut_off(Failure failure) {
    is_cut_off_ = true;
    return failure;
  }

  static Bytes wrap(const Status& status, std::span<const WorldPackage> packages) {
    return Packer().field(pack_verdict(status)).field(pack(packages)).take();
  }
  static Status unwrap(const Bytes& bytes, std::vector<WorldPackage>& into) {
    Unpacker unpacker(bytes);
    if (Status status = unpack_verdict(unpacker.array<std::byte>()); !status) return status;
    Result<std::vector<WorldPackage>> packages = unpack_packages(unpacker.array<std::byte>());
    if (!packages) return packages.take_failure();
    std::ranges::move(packages.value(), std::back_inserter(into));
    return {};
  }

  WorldRegistry& registry_;
  LeaderChannel& channel_;
  const JoinArguments& arguments_;
  const CardHook& hook_;
  JoinDecision decision_;
  bool others_send_ = false;  // used by the leader
  bool is_cut_off_ = false;   // this group itself does not answer: nobody can be told any more
  std::vector<WorldId> added_;
};

}  // namespace

std::vector<Gpid> order_for_spawned(LpidOrder order, std::span<const Gpid> parents,
                                    std::span<const Gpid> spawner_table) {
  std::vector<Gpid> ordered;
  std::set<Gpid> seen;
  const auto append = [&](std::span<const Gpid> gpids) {
    for (const Gpid gpid : gpids) {
      if (seen.insert(gpid).second) ordered.push_back(gpid);
    }
  };
  if (order == LpidOrder::parent) append(parents);
  append(spawner_table);
  append(parents);
  return ordered;
}

Status check_members(std::span<const Gpid> local, std::span<const Gpid> remote) {
  std::unordered_set<std::uint64_t> seen;
  for (const std::span<const Gpid> side : {local, remote}) {
    for (const Gpid gpid : side) {
      if (seen.insert(std::uint64_t{gpid.world} << 32 | gpid.rank).second) continue;
      return caller_error("process " + text_of(gpid) +
                          " is named twice; the sides of an inter-group have no process in common");
    }
  }
  return {};
}

Result<JoinResult> join_sides(WorldRegistry& registry, LeaderChannel& channel, const JoinArguments& arguments,
                              const CardHook& hook) {
  return Joining(registry, channel, arguments, hook).run();
}

}  // namespace comex::groups
