// The user's mutexes: direct on the own host, through the owner's server elsewhere.
#include <algorithm>
#include <cstring>
#include <vector>

#include "api/call.h"
#include "api/recovered.h"
#include "api/transfer.h"

namespace comex::api {
namespace {

struct Named {  // a mutex that exists
  Runtime* runtime = nullptr;
  Worker owner = 0;
  std::uint64_t index = 0;
  std::uint64_t set_offset = 0;
  Requester by;  // who asks: no call here names a group

  Reach reach() const {
    Reach there;
    COMEX_BUG_IF(!runtime->reach(static_cast<Lpid>(owner), there));
    return there;
  }
  bool is_direct() const { return runtime->router.is_direct(op::Way::atomic, owner); }
  void order_before_direct() const {
    if (!runtime->router.is_plain(owner)) runtime->order_before_direct(reach());
  }
  shm::FairMutex here() const {
    return runtime->world->arena->mutex_at(set_offset + index * sizeof(shm::FairMutexBlock));
  }
  shm::MutexParty party() const {
    return {runtime->me(), static_cast<shm::HostSlot>(runtime->world->place.local_index), false, by.endpoint};
  }
  op::FarSide far() const {
    op::FarSide there = runtime->far_side(owner);
    there.by = by;
    return there;
  }
};

[[gnu::noinline]] bool say_no_mutex(const char* name, int mutex, int proc) {
  Runtime* runtime = enter(name);
  Worker owner = 0;
  if (runtime == nullptr || !find_target(*runtime, name, proc, COMEX_GROUP_WORLD, owner)) return false;
  const std::uint64_t count = runtime->mutexes.empty() ? 0 : runtime->mutexes[owner].count;
  runtime->reporter.fail({name, Target(proc)}, "mutex " + std::to_string(mutex) +
                                                   " is out of range: worker " + std::to_string(proc) +
                                                   " has " + std::to_string(count));
  return false;
}

bool find_mutex(const char* name, int mutex, int proc, Named& named) {
  Runtime* runtime = current();
  if (runtime == nullptr) [[unlikely]]
    return say_no_mutex(name, mutex, proc);
  if (runtime->endpoints_made.load(std::memory_order_relaxed) != 0) [[unlikely]]
    named.by = begin_unnamed_call(runtime->reporter.run());
  // What is negative is huge without its sign.
  const auto& sets = runtime->mutexes;
  named.owner = static_cast<Worker>(proc);
  named.index = static_cast<std::uint64_t>(mutex);
  if (named.owner >= sets.size() || named.index >= sets[named.owner].count) [[unlikely]]
    return say_no_mutex(name, mutex, proc);
  named.runtime = runtime;
  named.set_offset = sets[named.owner].offset;
  return true;
}

void say_recovered(const char* name, const Named& named, const shm::FairMutex& mutex) {
  named.runtime->reporter.warn({name, Target(static_cast<int>(named.owner))},
                               mutex_recovered_text(named.index, mutex.dead_holder()));
}

// Waits for the turn of a ticket, driving MPI all the while.
void lock_here(const Named& named) {
  constexpr unsigned pauses = 20;
  constexpr unsigned yields = 60;
  constexpr unsigned rounds_a_question = 16;  // whether those before us live is a system call
  shm::FairMutex mutex = named.here();
  const shm::MutexParty party = named.party();
  shm::MutexTurn turn;
  if (mutex.step(turn, party, false) == shm::Taken::clean) [[likely]]
    return;
  Runtime& runtime = *named.runtime;
  const shm::WaitPolicy& policy = runtime.world->wait_policy;
  op::StallWatch watch = runtime.engine.watch({"lock", static_cast<int>(named.owner)});
  for (unsigned round = 0;; ++round) {
    const bool asks = round > yields && round % rounds_a_question == 0;
    const shm::Taken taken = mutex.step(turn, party, asks);
    if (taken == shm::Taken::recovered) say_recovered("lock", named, mutex);
    if (taken != shm::Taken::refused) return;
    if (round < pauses) {
      shm::cpu_relax();
      continue;
    }
    runtime.engine.poll();
    const bool sleeps = policy.sleeps_after(round, pauses + yields);
    if (sleeps) {
      mutex.sleep(turn, policy.nap_max_ns);
    } else if (policy.yields_ever()) {
      runtime.world->os->yield();
    }
    watch.set_slow(sleeps);
    watch.look();
  }
}

op::WaitReason reason(const char* name, const Named& named) {
  return {name, static_cast<int>(named.owner), named.runtime->place(named.owner).server};
}

}  // namespace
}  // namespace comex::api

using namespace comex::api;
using comex::Worker;
using comex::nb::Completion;

int comex_create_mutexes(int num) {
  const char* name = "create_mutexes";
  Runtime* runtime = enter(name);
  if (runtime == nullptr) return COMEX_FAILURE;
  const CallScope call(name, COMEX_GROUP_WORLD);
  std::vector<int> counts(runtime->size());
  runtime->extras(COMEX_GROUP_WORLD)
      .collective->all_gather(std::as_bytes(std::span(&num, 1)), std::as_writable_bytes(std::span(counts)));
  const auto wrong = std::ranges::find_if(counts, [](int count) { return count < 0; });
  if (wrong != counts.end()) {
    if (wrong - counts.begin() != runtime->me()) return failed_elsewhere(*runtime);
    return runtime->reporter.fail(
        {.operation = name}, "the number of mutexes is " + std::to_string(num) + "; it must not be negative");
  }
  if (!runtime->mutexes.empty()) {
    return runtime->reporter.fail({.operation = name}, "there are mutexes already; destroy them first");
  }
  const std::size_t bytes = static_cast<std::size_t>(num) * sizeof(comex::shm::FairMutexBlock);
  std::vector<void*> blocks(runtime->size());
  if (comex_malloc(blocks.data(), bytes, COMEX_GROUP_WORLD) != COMEX_SUCCESS) return COMEX_FAILURE;
  void* mine = blocks[runtime->me()];
  if (mine != nullptr) std::memset(mine, 0, bytes);
  for (Worker worker = 0; worker < runtime->size(); ++worker) {
    const std::uint64_t offset =
        blocks[worker] == nullptr ? 0 : runtime->far_side(worker).offset_of(blocks[worker]);
    runtime->mutexes.push_back({offset, static_cast<std::uint64_t>(counts[worker])});
  }
  runtime->barrier(COMEX_GROUP_WORLD);  // all are zeroed
  return COMEX_SUCCESS;
}

int comex_destroy_mutexes(void) {
  const char* name = "destroy_mutexes";
  Runtime* runtime = enter(name);
  if (runtime == nullptr) return COMEX_FAILURE;
  const CallScope call(name, COMEX_GROUP_WORLD);
  if (runtime->mutexes.empty()) {
    return runtime->reporter.fail({.operation = name}, "there are no mutexes; create_mutexes makes them");
  }
  const MutexSet mine = runtime->mutexes[runtime->me()];
  void* block = mine.count == 0 ? nullptr : runtime->world->arena->at(mine.offset);
  const int result = comex_free(block, COMEX_GROUP_WORLD);
  runtime->mutexes.clear();
  return result;
}

int comex_lock(int mutex, int proc) {
  Named named;
  if (!find_mutex("lock", mutex, proc, named)) return COMEX_FAILURE;
  if (named.is_direct()) {
    named.order_before_direct();
    lock_here(named);
    return COMEX_SUCCESS;
  }
  const comex::op::FarSide far = named.far();
  return finish_remote(*named.runtime, named.runtime->remote, reason("lock", named), Finish::block(),
                       [&](Completion& completion) {
                         named.runtime->remote.start_lock(named.set_offset, named.index, far, completion);
                       });
}

int comex_trylock(int mutex, int proc, int* acquired) {
  Named named;
  if (acquired == nullptr && enter("trylock") != nullptr) {
    return current()->reporter.fail({"trylock", comex::Target(proc)}, "the place for the result is null");
  }
  if (!find_mutex("trylock", mutex, proc, named)) return COMEX_FAILURE;
  if (named.is_direct()) {
    named.order_before_direct();
    comex::shm::FairMutex here = named.here();
    const comex::shm::Taken taken = here.try_lock(named.party());
    if (taken == comex::shm::Taken::recovered) say_recovered("trylock", named, here);
    *acquired = taken == comex::shm::Taken::refused ? 0 : 1;
    return COMEX_SUCCESS;
  }
  const comex::op::FarSide far = named.far();
  std::uint64_t taken = 0;
  const int result = finish_remote(*named.runtime, named.runtime->remote, reason("trylock", named),
                                   Finish::block(), [&](Completion& completion) {
                                     named.runtime->remote.start_try_lock(named.set_offset, named.index, far,
                                                                          completion, &taken);
                                   });
  if (result == COMEX_SUCCESS) *acquired = taken != 0 ? 1 : 0;
  return result;
}

int comex_unlock(int mutex, int proc) {
  Named named;
  if (!find_mutex("unlock", mutex, proc, named)) return COMEX_FAILURE;
  if (named.is_direct()) {
    named.order_before_direct();
    const comex::Status unlocked = named.here().unlock(named.party());
    if (unlocked) return COMEX_SUCCESS;
    return named.runtime->reporter.fail({"unlock", comex::Target(proc)},
                                        "mutex " + std::to_string(mutex) + ": " + unlocked.failure().text);
  }
  const comex::op::FarSide far = named.far();
  return finish_remote(*named.runtime, named.runtime->remote, reason("unlock", named), Finish::block(),
                       [&](Completion& completion) {
                         named.runtime->remote.start_unlock(named.set_offset, named.index, far, completion);
                       });
}
