#include "rules/schedules/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

namespace comex::rules {
namespace {

constexpr std::size_t stack_bytes = 256 << 10;
constexpr unsigned long most_steps = 100'000;  // of one schedule
constexpr unsigned most_time_outs = 40;
constexpr unsigned most_idle_yields = 300;  // then somebody else has to do something

alignas(64) std::byte shared[most_shared_bytes];

std::byte* stack_of(std::size_t process) {
  static std::vector<std::unique_ptr<std::byte[]>> stacks;
  while (stacks.size() <= process) stacks.push_back(std::make_unique<std::byte[]>(stack_bytes));
  return stacks[process].get();
}

}  // namespace

std::byte* shared_memory() {
  return shared;
}

Scheduler& scheduler() {
  static Scheduler one;
  return one;
}

unsigned long Scheduler::explore(const Scenario& scenario) {
  scenario_ = &scenario;
  readers_.assign(most_shared_bytes / granule, 0);
  writers_.assign(most_shared_bytes / granule, 0);
  is_contended_.assign(most_shared_bytes / granule, false);
  unsigned long schedules = 0;
  choices_.forget();
  while (true) {
    has_learnt_ = false;
    choices_.begin();
    run_once(scenario);
    ++schedules;
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "schedule " << schedules << ": " << story();
      break;
    }
    if (has_learnt_) {
      // There are more places to interrupt at: everything again, with these.
      for (std::size_t at = 0; at < is_contended_.size(); ++at)
        is_contended_[at] = writers_[at] != 0 && std::popcount<std::uint8_t>(readers_[at] | writers_[at]) > 1;
      choices_.forget();
    } else if (!choices_.next()) {
      break;
    }
  }
  scenario_ = nullptr;
  return schedules;
}

void Scheduler::run_once(const Scenario& scenario) {
  std::memset(shared, 0, scenario.shared_bytes);
  processes_.assign(scenario.processes.size(), {});
  preemptions_left_ = scenario.preemptions;
  may_die_ = scenario.mortal.has_value();
  is_stuck_ = false;
  steps_ = changes_ = time_outs_ = 0;
  now_ns_ = 1;
  story_.clear();
  scenario.begin();
  for (std::size_t process = 0; process < processes_.size(); ++process) {
    ucontext_t& context = processes_[process].context;
    getcontext(&context);
    context.uc_stack.ss_sp = stack_of(process);
    context.uc_stack.ss_size = stack_bytes;
    context.uc_link = nullptr;
    makecontext(&context, &Scheduler::enter, 0);
  }
  const auto first = choices_.choose(static_cast<unsigned>(processes_.size()));
  current_ = first;
  story_.push_back({0, first, first, "begins"});
  swapcontext(&main_, &processes_[first].context);
  current_ = nobody;
  if (!is_stuck_) scenario.end();
}

void Scheduler::enter() {
  Scheduler& self = scheduler();
  self.scenario_->processes[self.current_]();
  self.processes_[self.current_].is_over = true;
  self.leave("ends");
}

Scheduler::Others Scheduler::others() const {
  Others found;
  for (std::size_t each = 0; each < processes_.size(); ++each)
    if (each != current_ && can_run(each)) found.numbers[found.count++] = static_cast<std::uint8_t>(each);
  return found;
}

void Scheduler::go_on_with_one_of(const Others& next, const char* why) {
  switch_to(next.numbers[next.count == 1 ? 0 : choices_.choose(next.count)], why);
}

void Scheduler::switch_to(std::size_t process, const char* why) {
  story_.push_back({steps_, current_, process, why});
  const std::size_t before = current_;
  current_ = process;
  if (before != process) swapcontext(&processes_[before].context, &processes_[process].context);
}

std::string Scheduler::story() const {
  std::string text;
  for (const Switch& each : story_)
    text += "\n  at " + std::to_string(each.step) + ": " + std::to_string(each.from) + " " + each.why + ", " +
            std::to_string(each.to) + " goes on";
  return text;
}

void Scheduler::leave(const char* why) {
  while (true) {
    Others next = others();
    // A wait may be over by the time that passed.
    if (can_run(current_)) next.numbers[next.count++] = static_cast<std::uint8_t>(current_);
    if (next.count != 0) return go_on_with_one_of(next, why);
    const bool is_end =
        std::all_of(processes_.begin(), processes_.end(), [](const Process& each) { return each.is_over; });
    if (is_end || !let_time_pass()) {
      if (!is_end) fail("nobody can go on");
      swapcontext(&processes_[current_].context, &main_);
    }
  }
}

// The first wait that has a limit is over.
bool Scheduler::let_time_pass() {
  if (!scenario_->time_passes || ++time_outs_ > most_time_outs) return false;
  Process* first = nullptr;
  for (Process& each : processes_) {
    if (!each.waits || each.timeout_ns == ~std::uint64_t{0}) continue;
    if (first == nullptr || each.timeout_ns < first->timeout_ns) first = &each;
  }
  if (first == nullptr) return false;
  const std::uint64_t passed = first->timeout_ns;
  now_ns_ += passed;
  for (Process& each : processes_) {
    if (!each.waits || each.timeout_ns == ~std::uint64_t{0}) continue;
    each.timeout_ns -= passed;
  }
  first->waits = false;
  first->timed_out = true;
  return true;
}

void Scheduler::fail(const std::string& what) {
  is_stuck_ = true;
  std::string text = what;
  for (std::size_t each = 0; each < processes_.size(); ++each) {
    const Process& process = processes_[each];
    text += "\n  " + std::to_string(each) +
            (process.is_dead   ? " is dead"
             : process.is_over ? " has ended"
             : process.waits   ? " waits for a word"
                               : " could run");
    if (process.waits && process.word != nullptr)
      text += " at " + std::to_string(static_cast<const std::byte*>(process.word) - shared);
  }
  ADD_FAILURE() << text;
}

void Scheduler::die() {
  Process& process = processes_[current_];
  process.is_over = process.is_dead = true;
  may_die_ = false;
  leave("dies");
}

// Notes who uses what. False: nobody else does, as far as is known.
bool Scheduler::learn(std::size_t offset, std::size_t bytes, bool writes) {
  bool is_contended = false;
  const auto bit = static_cast<std::uint8_t>(1u << current_);
  for (std::size_t at = offset / granule; at <= (offset + bytes - 1) / granule; ++at) {
    std::uint8_t& users = (writes ? writers_ : readers_)[at];
    users |= bit;
    is_contended |= is_contended_[at];
    has_learnt_ |= !is_contended_[at] && writers_[at] != 0 &&
                   std::popcount<std::uint8_t>(readers_[at] | writers_[at]) > 1;
  }
  return is_contended;
}

void Scheduler::before_access(std::size_t offset, std::size_t bytes, bool writes) {
  if (bytes == 0 || is_stuck_) return;
  ++steps_;
  const bool is_contended = learn(offset, bytes, writes);
  Process& own = processes_[current_];
  if (steps_ > most_steps) {
    fail("goes on for ever");
    swapcontext(&own.context, &main_);
  }
  const bool can_die = writes && may_die();
  // A loop that reads the same again while nobody changes anything: an interruption would change no more here
  // than at the first of these reads.
  const bool is_same_look = !writes && own.last_read == offset && own.looked_at == changes_;
  if ((is_contended && !is_same_look) || can_die) {
    Others next;
    if (is_contended && preemptions_left_ != 0) next = others();
    const unsigned options = next.count;
    if (options != 0 || can_die) {
      const unsigned taken = choices_.choose(options + 1 + (can_die ? 1 : 0));
      if (taken > options) return die();
      if (taken != 0) {
        --preemptions_left_;
        switch_to(next.numbers[taken - 1], writes ? "before a write" : "before a read");
      }
    }
  }
  if (writes && is_contended) ++changes_;
  own.last_read = writes ? nobody : offset;
  own.looked_at = changes_;
}

bool Scheduler::wait(const void* word, std::uint64_t timeout_ns, std::uint32_t bitset) {
  if (current_ == nobody) {  // expectations at the end: nobody else runs
    now_ns_ += timeout_ns;
    return false;
  }
  Process& own = processes_[current_];
  own.waits = true;
  own.timed_out = false;
  own.word = word;
  own.timeout_ns = timeout_ns;
  own.bitset = bitset;
  leave("waits");
  return !own.timed_out;
}

// Which of several waiters is woken, if not all are, is a choice.
void Scheduler::wake(const void* word, std::uint32_t waiters, std::uint32_t bitset) {
  if (current_ != nobody && may_die() && choices_.choose(2) == 1) return die();
  std::vector<Process*> sleeping;
  for (Process& each : processes_)
    if (each.waits && each.word == word && (each.bitset & bitset) != 0) sleeping.push_back(&each);
  for (; waiters != 0 && !sleeping.empty(); --waiters) {
    const bool is_all = sleeping.size() <= waiters;
    const unsigned taken = is_all ? 0 : choices_.choose(static_cast<unsigned>(sleeping.size()));
    sleeping[taken]->waits = false;
    sleeping.erase(sleeping.begin() + taken);
  }
}

void Scheduler::yield() {
  if (current_ == nobody || is_stuck_) return;
  Process& own = processes_[current_];
  const bool is_news = own.yielded_at != changes_ + 1;
  own.yielded_at = changes_ + 1;
  own.idle_yields = is_news ? 0 : own.idle_yields + 1;
  if (own.idle_yields > most_idle_yields) {
    own.idle_yields = 0;
    const Others next = others();
    if (next.count != 0) return go_on_with_one_of(next, "yields often");
    if (let_time_pass()) return;
    fail("goes on for ever");
    swapcontext(&own.context, &main_);
  }
  if (!is_news) return;
  const Others next = others();
  if (next.count == 0) return;
  const unsigned taken = choices_.choose(next.count + 1);
  if (taken != 0) switch_to(next.numbers[taken - 1], "yields");
}

}  // namespace comex::rules
