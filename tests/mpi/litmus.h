// Runs small programs very often on the workers of a group: no outcome is seen that docs/memory-model.md does
// not permit.
//
// The programs and what is permitted come from tests/rules. Many instances of a program, each with words of
// its own, run one after another between two barriers, so that workers meet in them at every distance. Which
// workers take part changes from batch to batch.
#pragma once

#include <comex/comex.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "rules/permitted.h"
#include "rules/shapes.h"
#include "support/model_call.h"

namespace comex::testing {

// Where litmus programs run: the workers of a group, and memory of each that the caller allocated for it.
struct LitmusPlace {
  comex_group_t group = COMEX_GROUP_WORLD;
  int me = 0;
  int workers = 0;
  MPI_Comm comm = MPI_COMM_NULL;                      // of the same workers, in the same order
  std::vector<void*> memory;                          // of each worker: litmus_bytes
  std::vector<void*> results;                         // of each worker: litmus_result_bytes
  bool has_mutexes = true;                            // else programs that lock are left out
  std::function<void(const std::string& what)> fail;  // ends the job
};

class Litmus {
  static constexpr int most_instances = 1024;
  static constexpr int least_batches = 4;  // each with other workers and other distances of words
  static constexpr int mutexes = 4;
  static constexpr int most_words = 3;
  static constexpr std::size_t most_values = 20;  // of an outcome
  // One cache line, several, several with others between.
  static constexpr std::array<long, 3> spacings = {8, 64, 512};
  static constexpr int random_programs = 30;
  static constexpr std::size_t most_states = 50'000;

 public:
  static std::size_t memory_bytes(long rounds) {
    return static_cast<std::size_t>(instances_of(rounds) * most_words) * spacings.back();
  }
  static std::size_t result_bytes(int workers, long rounds) {
    return static_cast<std::size_t>(workers * instances_of(rounds)) * most_values * sizeof(long);
  }

  // Collective over the group. The memory stays the caller's.
  Litmus(LitmusPlace place, unsigned long seed, long rounds)
      : place_(std::move(place)),
        seed_(seed),
        instances_(instances_of(rounds)),
        batches_(static_cast<int>(rounds) / instances_),
        same_for_all_(seed),
        own_(seed + static_cast<unsigned long>(place_.me) + 1) {
    if (place_.has_mutexes) done(comex_create_mutexes(mutexes));
  }
  Litmus(const Litmus&) = delete;
  Litmus& operator=(const Litmus&) = delete;
  ~Litmus() {
    if (place_.has_mutexes) comex_destroy_mutexes();
  }

  // Collective: all shapes and some random programs, each within `check`, which is given its name.
  template <class Check>
  void run_all(const Check& check) {
    for (const rules::Shape& shape : rules::shapes()) check(shape.name.c_str(), [&] { run(shape.program); });
    for (unsigned long number = 0; number < random_programs; ++number) {
      const std::string name =
          "random program " + std::to_string(number) + " of seed " + std::to_string(seed_);
      check(name.c_str(), [&] { run(rules::random_program(seed_ + number)); });
    }
    require(programs_ != 0, "no program ran");
    tell();
  }

 private:
  // Programs with too many states, or for more workers than there are, are left out.
  void run(const rules::Program& program) {
    if (static_cast<int>(program.workers.size()) > place_.workers) return;
    if (!place_.has_mutexes && locks(program)) return;
    rules::Permitted permitted;
    if (place_.me == 0) permitted = rules::permitted_outcomes(program, most_states);
    int is_complete = permitted.is_complete ? 1 : 0;
    MPI_Bcast(&is_complete, 1, MPI_INT, 0, place_.comm);
    if (is_complete == 0) return;
    require(!permitted.may_hang, "a program that may hang");
    std::map<rules::Outcome, long> seen;
    for (int batch = 0; batch < batches_; ++batch) {
      first_ = static_cast<int>(same_for_all_() % static_cast<unsigned long>(place_.workers));
      spacing_ = spacings[same_for_all_() % spacings.size()];
      carry_out(program);
      judge(program, permitted, seen);
    }
    programs_ += 1;
    runs_ += long{batches_} * instances_;
    seen_ += static_cast<long>(seen.size());
    permitted_ += static_cast<long>(permitted.outcomes.size());
  }

  void tell() const {
    if (place_.me != 0) return;
    std::printf("litmus: %ld programs, %ld runs, %ld of %ld permitted outcomes seen, seed %lu\n", programs_,
                runs_, seen_, permitted_, seed_);
  }

  void require(bool holds, const char* what) const {
    if (!holds) place_.fail(what);
  }
  void done(int code) const { require(code == COMEX_SUCCESS, "a call returned failure"); }
  static bool locks(const rules::Program& program) {
    return std::ranges::any_of(program.workers, [](const auto& list) {
      return std::ranges::any_of(
          list, [](const rules::Instruction& each) { return each.kind == rules::Kind::lock; });
    });
  }
  static std::string text_of(const rules::Outcome& outcome) {
    std::string text;
    for (const long value : outcome) text += (text.empty() ? " (" : " ") + std::to_string(value);
    return text + ")";
  }
  static int instances_of(long rounds) {
    return static_cast<int>(std::clamp(rounds / least_batches, 1L, long{most_instances}));
  }
  long* results_of(int worker) const {
    return static_cast<long*>(place_.results[0]) +
           static_cast<std::size_t>(worker * instances_) * most_values;
  }
  long* memory_of(int worker) const {
    return static_cast<long*>(place_.memory[static_cast<std::size_t>(worker)]);
  }
  int worker_of(int number) const { return (number + first_) % place_.workers; }
  long* word(int instance, int number, int home) const {
    const long at = (instance * most_words + number) * spacing_;
    return memory_of(worker_of(home)) + at / static_cast<long>(sizeof(long));
  }

  void carry_out(const rules::Program& program) {
    const int me = (place_.me - first_ + place_.workers) % place_.workers;
    const bool takes_part = me < static_cast<int>(program.workers.size());
    const std::vector<rules::Instruction>& list =
        program.workers[takes_part ? static_cast<std::size_t>(me) : 0];
    near_.assign(static_cast<std::size_t>(instances_) * list.size(), {});
    std::fill_n(memory_of(place_.me), instances_ * most_words * spacing_ / static_cast<long>(sizeof(long)),
                0);
    done(comex_barrier(place_.group));
    for (int instance = 0; instance < instances_; ++instance) {
      if (own_() % 4 == 0) hesitate();
      for (std::size_t at = 0; at < list.size(); ++at) {
        if (!takes_part && list[at].kind != rules::Kind::barrier) continue;
        step(program, list[at], instance,
             near_[static_cast<std::size_t>(instance) * list.size() + at].data());
        if (own_() % 16 == 0) hesitate();
      }
    }
    done(comex_barrier(place_.group));
    gather(program, list, takes_part);
  }

  void hesitate() {
    if (own_() % 32 == 0) {
      sched_yield();
      return;
    }
    for (unsigned long i = own_() % 300; i > 0; --i) std::atomic_signal_fence(std::memory_order_seq_cst);
  }

  // By one of the calls that promise it. Only fence_proc completes implicit requests as well.
  void fence(int target) {
    const unsigned long which = own_() % 4;
    if (which > 1) return done(comex_fence_proc(target, place_.group));
    if (which == 1) {
      comex_request_t handle = 0;
      done(comex_nbfence(target, place_.group, &handle));
      done(comex_wait(&handle));
    } else {
      done(comex_fence_allocation(memory_of(place_.me), place_.group));
    }
    done(comex_wait_proc(target, place_.group));
  }

  void step(const rules::Program& program, const rules::Instruction& each, int instance, long* near) {
    const auto home_of = [&](int number) { return program.homes[static_cast<std::size_t>(number)]; };
    const auto own_word = [&] { return word(instance, each.word, home_of(each.word)); };
    switch (each.kind) {
      case rules::Kind::access: {
        Operation operation = each.operation;
        operation.far = each.word * spacing_;
        operation.signal_far = operation.signal_far / rules::word_bytes * spacing_;
        auto* const bytes = reinterpret_cast<std::byte*>(near);
        near[0] = each.value;
        if (operation.verb == Verb::rmw) set_operand(operation, bytes);
        auto* const far = reinterpret_cast<std::byte*>(word(instance, 0, each.target));
        Call call(operation, bytes, far, worker_of(each.target), place_.group);
        return done(each.is_blocking ? call.blocking() : call.nonblocking(nullptr));
      }
      case rules::Kind::fence:
        return fence(worker_of(each.target));
      case rules::Kind::fence_all:
        return done(comex_fence_all(place_.group));
      case rules::Kind::wait_all:
        return done(comex_wait_all(place_.group));
      case rules::Kind::barrier:
        return done(comex_barrier(place_.group));
      case rules::Kind::lock:
        return done(comex_lock(instance % mutexes, worker_of(0)));
      case rules::Kind::unlock:
        return done(comex_unlock(instance % mutexes, worker_of(0)));
      case rules::Kind::wait_until:
        return done(comex_wait_until(own_word(), COMEX_CMP_EQ, each.value));
      case rules::Kind::load:
        near[0] = *own_word();
        return;
      case rules::Kind::store:
        *own_word() = each.value;
        return;
    }
  }

  // Each value of an outcome is known to one worker; the others add 0.
  void gather(const rules::Program& program, const std::vector<rules::Instruction>& list, bool takes_part) {
    const std::size_t reads = program.reads();
    length_ = reads + program.homes.size();
    std::vector<long> mine(static_cast<std::size_t>(instances_) * length_, 0);
    const int me = (place_.me - first_ + place_.workers) % place_.workers;
    std::size_t before = 0;
    for (std::size_t worker = 0; takes_part && worker < static_cast<std::size_t>(me); ++worker)
      for (const rules::Instruction& each : program.workers[worker]) before += each.reads() ? 1u : 0u;
    for (int instance = 0; instance < instances_; ++instance) {
      long* const to = mine.data() + static_cast<std::size_t>(instance) * length_;
      std::size_t read = before;
      for (std::size_t at = 0; takes_part && at < list.size(); ++at) {
        if (list[at].reads()) to[read++] = near_[static_cast<std::size_t>(instance) * list.size() + at][0];
      }
      for (std::size_t number = 0; number < program.homes.size(); ++number) {
        if (program.homes[number] == me)
          to[reads + number] = *word(instance, static_cast<int>(number), program.homes[number]);
      }
    }
    require(length_ <= most_values, "a program with too many values");
    const std::size_t bytes = mine.size() * sizeof(long);
    done(comex_put(mine.data(), results_of(place_.me), static_cast<int>(bytes), 0, place_.group));
    done(comex_barrier(place_.group));
    if (place_.me != 0) return;
    all_ = mine;
    for (int worker = 1; worker < place_.workers; ++worker)
      for (std::size_t at = 0; at < all_.size(); ++at) all_[at] += results_of(worker)[at];
  }

  void judge(const rules::Program& program, const rules::Permitted& permitted,
             std::map<rules::Outcome, long>& seen) const {
    if (place_.me != 0) return;
    for (std::size_t at = 0; at < all_.size(); at += length_) {
      const rules::Outcome outcome(all_.begin() + static_cast<std::ptrdiff_t>(at),
                                   all_.begin() + static_cast<std::ptrdiff_t>(at + length_));
      ++seen[outcome];
      if (permitted.outcomes.contains(outcome)) continue;
      std::string text = "an outcome that the memory model does not permit:" + text_of(outcome) +
                         "; worker 0 of the program is worker " + std::to_string(first_) + "; " +
                         program.describe() + "; permitted are";
      for (const rules::Outcome& each : permitted.outcomes) text += text_of(each);
      place_.fail(text);
    }
  }

  const LitmusPlace place_;
  const unsigned long seed_;
  const int instances_;
  const int batches_;
  std::mt19937_64 same_for_all_;
  std::mt19937_64 own_;
  int first_ = 0;  // which worker is worker 0 of the program
  long spacing_ = 8;
  std::vector<std::array<long, 2>> near_;  // of each instruction of each instance
  std::vector<long> all_;                  // outcomes, on worker 0
  std::size_t length_ = 0;
  long programs_ = 0, runs_ = 0, seen_ = 0, permitted_ = 0;
};

}  // namespace comex::testing
