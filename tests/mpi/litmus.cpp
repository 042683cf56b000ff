// Small programs run very often: no outcome is seen that docs/memory-model.md does not permit.
//
// The programs and what is permitted come from tests/rules. Many instances of a program, each with words of
// its own, run one after another between two barriers, so that workers meet in them at every distance. Which
// route operations take is the settings' business, and which workers take part changes from batch to batch.
// Usage: litmus [rounds [threads]]; COMEX_TEST_SEED sets the seed of the random programs.
#include <sched.h>

#include <atomic>
#include <map>
#include <random>

#include "mpi/job.h"
#include "rules/permitted.h"
#include "rules/shapes.h"
#include "support/model_call.h"
#include "support/seed.h"

namespace comex::testing {
namespace {

using rules::Instruction;
using rules::Kind;
using rules::Outcome;
using rules::Program;

constexpr int most_instances = 1024;
constexpr int least_batches = 4;  // each with other workers and other distances of words
constexpr int mutexes = 4;
constexpr int most_words = 3;
constexpr std::size_t most_values = 20;  // of an outcome
constexpr std::array<long, 3> spacings = {8, 64,
                                          512};  // one cache line, several, several with others between
constexpr int random_programs = 30;
constexpr std::size_t most_states = 50'000;

std::string text_of(const Outcome& outcome) {
  std::string text;
  for (const long value : outcome) text += (text.empty() ? " (" : " ") + std::to_string(value);
  return text + ")";
}

class Litmus {
 public:
  Litmus(const Job& job, unsigned long seed, long rounds)
      : job_(job),
        instances_(instances_of(rounds)),
        batches_(static_cast<int>(rounds) / instances_),
        memory_(job,
                static_cast<std::size_t>(instances_of(rounds) * most_words) * spacings.back() / sizeof(long)),
        results_(job, static_cast<std::size_t>(job.workers * instances_of(rounds)) * most_values),
        same_for_all_(seed),
        own_(seed + static_cast<unsigned long>(job.me) + 1) {
    job_.done(comex_create_mutexes(mutexes));
  }
  Litmus(const Litmus&) = delete;
  Litmus& operator=(const Litmus&) = delete;
  ~Litmus() { comex_destroy_mutexes(); }

  // Collective. Programs with too many states, or for more workers than there are, are left out.
  void run(const Program& program) {
    if (static_cast<int>(program.workers.size()) > job_.workers) return;
    rules::Permitted permitted;
    if (job_.me == 0) permitted = rules::permitted_outcomes(program, most_states);
    int is_complete = permitted.is_complete ? 1 : 0;
    MPI_Bcast(&is_complete, 1, MPI_INT, 0, job_.comm);
    if (is_complete == 0) return;
    job_.require(!permitted.may_hang, "a program that may hang");
    std::map<Outcome, long> seen;
    for (int batch = 0; batch < batches_; ++batch) {
      first_ = static_cast<int>(same_for_all_() % static_cast<unsigned long>(job_.workers));
      spacing_ = spacings[same_for_all_() % spacings.size()];
      carry_out(program);
      judge(program, permitted, seen);
    }
    programs_ += 1;
    runs_ += long{batches_} * instances_;
    seen_ += static_cast<long>(seen.size());
    permitted_ += static_cast<long>(permitted.outcomes.size());
  }

  void tell(unsigned long seed) const {
    if (job_.me != 0) return;
    std::printf("litmus: %ld programs, %ld runs, %ld of %ld permitted outcomes seen, seed %lu\n", programs_,
                runs_, seen_, permitted_, seed);
  }

 private:
  static int instances_of(long rounds) {
    return static_cast<int>(std::clamp(rounds / least_batches, 1L, long{most_instances}));
  }
  long* results_of(int worker) const {
    return results_.of(0) + static_cast<std::size_t>(worker * instances_) * most_values;
  }
  int worker_of(int number) const { return (number + first_) % job_.workers; }
  long* word(int instance, int number, int home) const {
    const long at = (instance * most_words + number) * spacing_;
    return memory_.of(worker_of(home)) + at / static_cast<long>(sizeof(long));
  }

  void carry_out(const Program& program) {
    const int me = (job_.me - first_ + job_.workers) % job_.workers;
    const bool takes_part = me < static_cast<int>(program.workers.size());
    const std::vector<Instruction>& list = program.workers[takes_part ? static_cast<std::size_t>(me) : 0];
    near_.assign(static_cast<std::size_t>(instances_) * list.size(), {});
    std::fill_n(memory_.mine(), instances_ * most_words * spacing_ / static_cast<long>(sizeof(long)), 0);
    job_.done(comex_barrier(everyone));
    for (int instance = 0; instance < instances_; ++instance) {
      if (own_() % 4 == 0) hesitate();
      for (std::size_t at = 0; at < list.size(); ++at) {
        if (!takes_part && list[at].kind != Kind::barrier) continue;
        step(program, list[at], instance,
             near_[static_cast<std::size_t>(instance) * list.size() + at].data());
        if (own_() % 16 == 0) hesitate();
      }
    }
    job_.done(comex_barrier(everyone));
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
    if (which > 1) return job_.done(comex_fence_proc(target, everyone));
    if (which == 1) {
      comex_request_t handle = 0;
      job_.done(comex_nbfence(target, everyone, &handle));
      job_.done(comex_wait(&handle));
    } else {
      job_.done(comex_fence_allocation(memory_.mine(), everyone));
    }
    job_.done(comex_wait_proc(target, everyone));
  }

  void step(const Program& program, const Instruction& each, int instance, long* near) {
    const auto home_of = [&](int number) { return program.homes[static_cast<std::size_t>(number)]; };
    const auto own_word = [&] { return word(instance, each.word, home_of(each.word)); };
    switch (each.kind) {
      case Kind::access: {
        Operation operation = each.operation;
        operation.far = each.word * spacing_;
        operation.signal_far = operation.signal_far / rules::word_bytes * spacing_;
        auto* const bytes = reinterpret_cast<std::byte*>(near);
        near[0] = each.value;
        if (operation.verb == Verb::rmw) set_operand(operation, bytes);
        auto* const far = reinterpret_cast<std::byte*>(word(instance, 0, each.target));
        Call call(operation, bytes, far, worker_of(each.target));
        return job_.done(each.is_blocking ? call.blocking() : call.nonblocking(nullptr));
      }
      case Kind::fence:
        return fence(worker_of(each.target));
      case Kind::fence_all:
        return job_.done(comex_fence_all(everyone));
      case Kind::wait_all:
        return job_.done(comex_wait_all(everyone));
      case Kind::barrier:
        return job_.done(comex_barrier(everyone));
      case Kind::lock:
        return job_.done(comex_lock(instance % mutexes, worker_of(0)));
      case Kind::unlock:
        return job_.done(comex_unlock(instance % mutexes, worker_of(0)));
      case Kind::wait_until:
        return job_.done(comex_wait_until(own_word(), COMEX_CMP_EQ, each.value));
      case Kind::load:
        near[0] = *own_word();
        return;
      case Kind::store:
        *own_word() = each.value;
        return;
    }
  }

  // Each value of an outcome is known to one worker; the others add 0.
  void gather(const Program& program, const std::vector<Instruction>& list, bool takes_part) {
    const std::size_t reads = program.reads();
    length_ = reads + program.homes.size();
    std::vector<long> mine(static_cast<std::size_t>(instances_) * length_, 0);
    const int me = (job_.me - first_ + job_.workers) % job_.workers;
    std::size_t before = 0;
    for (std::size_t worker = 0; takes_part && worker < static_cast<std::size_t>(me); ++worker)
      for (const Instruction& each : program.workers[worker]) before += each.reads() ? 1u : 0u;
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
    job_.require(length_ <= most_values, "a program with too many values");
    const std::size_t bytes = mine.size() * sizeof(long);
    job_.done(comex_put(mine.data(), results_of(job_.me), static_cast<int>(bytes), 0, everyone));
    job_.done(comex_barrier(everyone));
    if (job_.me != 0) return;
    all_ = mine;
    for (int worker = 1; worker < job_.workers; ++worker)
      for (std::size_t at = 0; at < all_.size(); ++at) all_[at] += results_of(worker)[at];
  }

  void judge(const Program& program, const rules::Permitted& permitted, std::map<Outcome, long>& seen) const {
    if (job_.me != 0) return;
    for (std::size_t at = 0; at < all_.size(); at += length_) {
      const Outcome outcome(all_.begin() + static_cast<std::ptrdiff_t>(at),
                            all_.begin() + static_cast<std::ptrdiff_t>(at + length_));
      ++seen[outcome];
      if (permitted.outcomes.contains(outcome)) continue;
      std::string text = "an outcome that the memory model does not permit:" + text_of(outcome) +
                         "; worker 0 of the program is worker " + std::to_string(first_) + "; " +
                         program.describe() + "; permitted are";
      for (const Outcome& each : permitted.outcomes) text += text_of(each);
      job_.fail(text);
    }
  }

  const Job& job_;
  const int instances_;
  const int batches_;
  Everywhere<long> memory_;
  Everywhere<long> results_;  // of worker 0: what each worker knows of the outcomes
  std::mt19937_64 same_for_all_;
  std::mt19937_64 own_;
  int first_ = 0;  // which worker is worker 0 of the program
  long spacing_ = 8;
  std::vector<std::array<long, 2>> near_;  // of each instruction of each instance
  std::vector<long> all_;                  // outcomes, on worker 0
  std::size_t length_ = 0;
  long programs_ = 0, runs_ = 0, seen_ = 0, permitted_ = 0;
};

}  // namespace
}  // namespace comex::testing

int main(int argc, char** argv) {
  using namespace comex::testing;
  Job job(argc, argv, "litmus");
  const long rounds = job.arguments.empty() ? 1024 : std::strtol(job.arguments[0].c_str(), nullptr, 10);
  unsigned long seed = chosen_seed(0, argv);
  MPI_Bcast(&seed, 1, MPI_UNSIGNED_LONG, 0, job.comm);
  Litmus litmus(job, seed, rounds);
  for (const comex::rules::Shape& shape : comex::rules::shapes())
    job.check(shape.name.c_str(), [&] { litmus.run(shape.program); });
  for (unsigned long number = 0; number < random_programs; ++number) {
    const std::string name = "random program " + std::to_string(number) + " of seed " + std::to_string(seed);
    job.check(name.c_str(), [&] { litmus.run(comex::rules::random_program(seed + number)); });
  }
  litmus.tell(seed);
}
