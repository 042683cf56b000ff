#include "rules/permitted.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

namespace comex::rules {
namespace {

using testing::Signal;
using testing::Verb;

// One effect on one word, which comes at some time after its instruction. A put_signal has two.
struct Effect {
  testing::Operation operation;
  std::size_t worker = 0;
  int target = 0;
  int word = 0;
  long value = 0;
  bool writes = true;
  bool is_ordered = false;          // takes effect after every earlier write of its worker to its target
  std::optional<std::size_t> read;  // number of the value that it reads

  bool is_put() const { return operation.verb == Verb::put && operation.signal != Signal::add; }
};

struct Place {  // an instruction with what it does
  const Instruction* instruction = nullptr;
  std::vector<std::size_t> effects;
  std::optional<std::size_t> read;
};

struct State {
  std::vector<long> words;
  std::vector<long> read;
  std::vector<std::uint8_t> next;                  // instruction of each worker
  std::vector<std::vector<std::uint8_t>> pending;  // effects of each worker, in program order
  std::uint8_t holder = 0;                         // of the mutex: worker + 1

  std::string key() const {
    std::string text(1, static_cast<char>(holder));
    const auto add = [&text](const void* from, std::size_t bytes) {
      text.append(static_cast<const char*>(from), bytes);
    };
    add(words.data(), words.size() * sizeof(long));
    add(read.data(), read.size() * sizeof(long));
    add(next.data(), next.size());
    for (const auto& each : pending) {
      text.push_back(static_cast<char>(each.size()));
      add(each.data(), each.size());
    }
    return text;
  }
};

class Search {
 public:
  Search(const Program& program, std::size_t most_states) : most_states_(most_states) {
    std::size_t reads = 0;
    for (std::size_t worker = 0; worker < program.workers.size(); ++worker) {
      places_.emplace_back();
      for (const Instruction& each : program.workers[worker]) add_place(worker, each, reads);
    }
    first_.words.assign(program.homes.size(), 0);
    first_.read.assign(reads, 0);
    first_.next.assign(program.workers.size(), 0);
    first_.pending.resize(program.workers.size());
  }

  Permitted run() {
    std::vector<State> to_visit;
    visit(to_visit, std::move(first_));
    while (!to_visit.empty()) {
      if (found_.states > most_states_) {
        found_.is_complete = false;
        break;
      }
      const State state = std::move(to_visit.back());
      to_visit.pop_back();
      const std::size_t before = steps_;
      for (std::size_t worker = 0; worker < places_.size(); ++worker) {
        for (std::size_t at = 0; at < state.pending[worker].size(); ++at)
          let_happen(to_visit, state, worker, at);
        carry_out_next(to_visit, state, worker);
      }
      meet(to_visit, state);
      if (steps_ == before) end(state);
    }
    return std::move(found_);
  }

 private:
  void add_place(std::size_t worker, const Instruction& each, std::size_t& reads) {
    Place place;
    place.instruction = &each;
    if (each.reads()) place.read = reads++;
    if (each.kind == Kind::access || each.kind == Kind::store) {
      Effect effect;
      effect.operation = each.operation;
      effect.worker = worker;
      effect.target = each.target;
      effect.word = each.word;
      effect.value = each.value;
      effect.read = place.read;
      if (each.kind == Kind::store) {
        effect.operation = put(each.word, each.value).operation;
        effect.target = static_cast<int>(worker);
      }
      const Verb verb = effect.operation.verb;
      effect.writes = verb != Verb::get;
      // "each of which takes effect after every earlier write of the origin to that target: rmw, atomic"
      effect.is_ordered = verb == Verb::rmw;
      const testing::Operation whole = effect.operation;
      effect.operation.signal = Signal::none;
      place.effects.push_back(effects_.size());
      effects_.push_back(effect);
      if (whole.signal != Signal::none) {
        // "... put_signal": the signal's value is seen only with the data, and with all that was written
        // before.
        effect.operation = whole;
        effect.operation.bytes = 0;
        effect.word = static_cast<int>(whole.signal_far / word_bytes);
        effect.value = whole.signal_value;
        effect.is_ordered = true;
        place.effects.push_back(effects_.size());
        effects_.push_back(effect);
      }
    }
    places_[worker].push_back(std::move(place));
  }

  void visit(std::vector<State>& to_visit, State state) {
    ++steps_;
    if (!known_.insert(state.key()).second) return;
    ++found_.states;
    to_visit.push_back(std::move(state));
  }

  // The definition of what an operation does to data is testing::apply.
  static long apply_to(const Effect& effect, State& state) {
    std::array<long, 2> near{effect.value, 0};
    auto* const bytes = reinterpret_cast<std::byte*>(near.data());
    if (effect.operation.verb == Verb::rmw) set_operand(effect.operation, bytes);
    apply(effect.operation, bytes, reinterpret_cast<std::byte*>(state.words.data()));
    return near[0];
  }

  // What a read of the worker sees behind the first `count` of its entries; none: it cannot take place yet.
  // "a get returns what its earlier puts and accumulates left". Its own put may be seen by the origin before
  // it is by others, since only a fence, and what else publishes, says when it is applied; what an accumulate
  // or an rmw leaves depends on the others, so that these are applied first.
  std::optional<long> seen(const State& state, std::size_t worker, int word, std::size_t count) const {
    const auto& pending = state.pending[worker];
    for (std::size_t at = count; at-- > 0;) {
      const Effect& earlier = effects_[pending[at]];
      if (earlier.word != word || !earlier.writes) continue;
      if (earlier.is_put()) return earlier.value;
      return std::nullopt;
    }
    return state.words[static_cast<std::size_t>(word)];
  }

  // One entry takes effect.
  void let_happen(std::vector<State>& to_visit, const State& state, std::size_t worker, std::size_t at) {
    const auto& pending = state.pending[worker];
    const Effect& effect = effects_[pending[at]];
    for (std::size_t before = 0; before < at; ++before) {
      const Effect& earlier = effects_[pending[before]];
      // "of two puts to the same bytes the later one stays", "a later write never changes what an earlier get
      // returns": what is of one word keeps its order, but for a read that sees() its own earlier put.
      if (earlier.word == effect.word && (effect.writes || !earlier.writes)) return;
      // "Two plain puts may be seen in either order", and operations on different targets.
      if (effect.is_ordered && earlier.writes && earlier.target == effect.target) return;
    }
    State after = state;
    if (effect.writes) {
      const long old = apply_to(effect, after);
      if (effect.read) after.read[*effect.read] = old;
    } else {
      const std::optional<long> value = seen(state, worker, effect.word, at);
      if (!value) return;
      after.read[*effect.read] = *value;
    }
    auto& left = after.pending[worker];
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
    visit(to_visit, std::move(after));
  }

  template <class Matters>
  bool has_pending(const State& state, std::size_t worker, const Matters& matters) const {
    const auto& pending = state.pending[worker];
    return std::any_of(pending.begin(), pending.end(),
                       [&](std::uint8_t each) { return matters(effects_[each]); });
  }

  bool may_go_on(const State& state, std::size_t worker, const Instruction& next) const {
    const auto own = static_cast<int>(worker);
    switch (next.kind) {
      case Kind::fence:
        // "fence_proc: all earlier writes to that target". It "is still a full memory fence", so the worker's
        // own plain stores are there too.
        return !has_pending(state, worker, [&](const Effect& each) {
          return each.writes && (each.target == next.target || each.target == own);
        });
      case Kind::fence_all:
        return !has_pending(state, worker, [](const Effect& each) { return each.writes; });
      case Kind::wait_all:
        // "all requests ..., explicit and implicit": "after wait: the result is there"
        return !has_pending(state, worker, [](const Effect& each) { return each.read.has_value(); });
      case Kind::lock:
        return state.holder == 0;
      case Kind::wait_until:
        return state.words[static_cast<std::size_t>(next.word)] == next.value;
      case Kind::barrier:
        return false;  // all together: see meet()
      default:
        return true;
    }
  }

  void carry_out_next(std::vector<State>& to_visit, const State& state, std::size_t worker) {
    if (state.next[worker] == places_[worker].size()) return;
    const Place& place = places_[worker][state.next[worker]];
    const Instruction& next = *place.instruction;
    if (!may_go_on(state, worker, next)) return;
    State after = state;
    ++after.next[worker];
    const bool is_blocking = next.kind != Kind::access || next.is_blocking;
    if (place.read && is_blocking) {
      // "on return the result is there", and for rmw: it "has happened".
      if (next.kind == Kind::access && next.operation.verb == Verb::rmw) {
        const Effect& effect = effects_[place.effects.front()];
        const bool is_early = has_pending(state, worker, [&](const Effect& each) {
          return each.word == effect.word || (each.writes && each.target == effect.target);
        });
        if (is_early) return;
        after.read[*place.read] = apply_to(effect, after);
      } else {
        // A request that was begun before and has the same word has its value first.
        const bool is_early = has_pending(
            state, worker, [&](const Effect& each) { return each.word == next.word && !each.writes; });
        const std::optional<long> value = seen(state, worker, next.word, state.pending[worker].size());
        if (is_early || !value) return;
        after.read[*place.read] = *value;
      }
    } else {
      for (const std::size_t effect : place.effects)
        after.pending[worker].push_back(static_cast<std::uint8_t>(effect));
    }
    if (next.kind == Kind::lock) after.holder = static_cast<std::uint8_t>(worker + 1);
    // "unlock: the mutex is on its way to the next", "fences nothing"
    if (next.kind == Kind::unlock) after.holder = 0;
    visit(to_visit, std::move(after));
  }

  // "barrier: as fence_all by every member, then all have arrived"
  void meet(std::vector<State>& to_visit, const State& state) {
    for (std::size_t worker = 0; worker < places_.size(); ++worker) {
      const std::size_t next = state.next[worker];
      if (next == places_[worker].size() || places_[worker][next].instruction->kind != Kind::barrier ||
          has_pending(state, worker, [](const Effect& each) { return each.writes; }))
        return;
    }
    State after = state;
    for (std::uint8_t& each : after.next) ++each;
    visit(to_visit, std::move(after));
  }

  void end(const State& state) {
    for (std::size_t worker = 0; worker < places_.size(); ++worker) {
      if (state.next[worker] == places_[worker].size()) continue;
      found_.may_hang = true;
      return;
    }
    Outcome outcome = state.read;
    outcome.insert(outcome.end(), state.words.begin(), state.words.end());
    found_.outcomes.insert(std::move(outcome));
  }

  std::size_t most_states_;
  std::vector<Effect> effects_;
  std::vector<std::vector<Place>> places_;
  std::unordered_set<std::string> known_;
  std::size_t steps_ = 0;
  State first_;
  Permitted found_;
};

}  // namespace

Permitted permitted_outcomes(const Program& program, std::size_t most_states) {
  return Search(program, most_states).run();
}

}  // namespace comex::rules
