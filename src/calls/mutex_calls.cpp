// The calls for the user's mutexes: direct on the own host, through the owner's server elsewhere.
#include <algorithm>
#include <cstring>

#include "calls/carry_out.h"
#include "runtime/allocating.h"
#include "runtime/opening/server_options.h"

namespace comex::calls {
namespace {

struct Named {  // a mutex; one that exists, if it is on the own host
  runtime::Runtime* runtime = nullptr;
  Worker owner = 0;
  std::uint64_t index = 0;
  bool is_direct = false;
  std::uint64_t offset = 0;  // of the mutex in the arena, if is_direct
  Requester by;              // the caller; no call here names a group

  runtime::Reach reach() const {
    runtime::Reach there;
    COMEX_BUG_IF(!runtime->reach(static_cast<Lpid>(owner), there));
    return there;
  }
  void order_before_direct() const {
    if (!runtime->router().is_plain(runtime->place(owner))) runtime->order_before_direct(reach());
  }
  shm::FairMutex here() const { return runtime->world().arena->mutex_at(offset); }
  shm::MutexParty party() const {
    return {runtime->me(), static_cast<shm::HostSlot>(runtime->world().place.local_index), false,
            by.endpoint};
  }
  op::RemoteTarget far() const {
    op::RemoteTarget there = runtime->remote_target(owner);
    there.by = by;
    return there;
  }
  runtime::RemoteMutex held() const { return {owner, index, by.endpoint}; }
};

[[gnu::noinline]] bool say_no_mutex(const char* name, int mutex, int proc) {
  runtime::Runtime* runtime = runtime::enter(name);
  if (runtime == nullptr) return false;
  const groups::Group& world = *runtime->groups().find(COMEX_GROUP_WORLD);
  const auto owner = static_cast<Worker>(proc);
  if (!runtime::lpid_of(proc, world)) {
    runtime->reporter().fail({.operation = name}, runtime::no_such_rank(proc, world, COMEX_GROUP_WORLD));
    return false;
  }
  const groups::WorkerPlace& place = runtime->place(owner);
  const bool is_here = place.host == static_cast<std::uint32_t>(runtime->world().place.host);
  const std::uint64_t count =
      is_here ? runtime->mutexes_of(place.slot).mutexes() : 0;  // else: the world has none
  runtime->reporter().fail({name, Target(proc)},
                           runtime::no_such_mutex_text(static_cast<std::uint64_t>(mutex), owner, count));
  return false;
}

// A mutex on another host is not checked here; its server does that.
bool find_mutex(const char* name, int mutex, int proc, Named& named) {
  runtime::Runtime* runtime = runtime::pass();
  if (runtime == nullptr) [[unlikely]]
    return say_no_mutex(name, mutex, proc);
  if (runtime->has_had_endpoints()) [[unlikely]]
    named.by = runtime::begin_unnamed_call(*runtime);
  // Without its sign, a negative number is huge.
  named.owner = static_cast<Worker>(proc);
  named.index = static_cast<std::uint64_t>(mutex);
  if (named.owner >= runtime->size()) [[unlikely]]
    return say_no_mutex(name, mutex, proc);
  named.runtime = runtime;
  named.is_direct = runtime->router().is_direct(activity::Kind::rmw, named.owner);
  const bool may_exist =
      named.is_direct ? runtime->mutexes_of(runtime->place(named.owner).slot).find(named.index, named.offset)
                      : runtime->has_mutexes();
  if (!may_exist) [[unlikely]]
    return say_no_mutex(name, mutex, proc);
  return true;
}

void say_taken_over(const char* name, const Named& named, const shm::FairMutex& mutex) {
  named.runtime->reporter().warn({name, Target(static_cast<int>(named.owner))},
                                 runtime::mutex_recovered_text(named.index, mutex.dead_holder()));
}

// The code of a call that has got the mutex.
int code_of(const runtime::Runtime& runtime, bool is_recovered) {
  return is_recovered && runtime.world().failures.are_watched() ? COMEX_OWNER_DIED : COMEX_SUCCESS;
}

// Waits for the turn of a ticket and drives MPI meanwhile.
int lock_here(const Named& named) {
  constexpr unsigned rounds_without_mpi = 20;  // within a host, a mutex is usually passed on sooner
  // Checking whether those ahead live takes a system call, which is little beside a sleep.
  constexpr unsigned sleeps_a_question = 16;
  constexpr unsigned rounds_a_question = 4096;
  shm::FairMutex mutex = named.here();
  const shm::MutexParty party = named.party();
  shm::MutexTurn turn;
  if (mutex.step(turn, party, false) == shm::LockResult::acquired) [[likely]]
    return COMEX_SUCCESS;
  runtime::Runtime& runtime = *named.runtime;
  const shm::WaitPolicy& policy = runtime.world().wait_policy;
  shm::Idle idle(*runtime.world().os, policy);
  const auto who_holds_it = [&] { return runtime::mutex_held_text(named.index, mutex.holder()); };
  const op::FunctionRef<std::string()> awaited(who_holds_it);
  op::StallWatch watch = runtime.engine().watch({.operation = "lock",
                                                 .target = static_cast<int>(named.owner),
                                                 .mutex = static_cast<std::int64_t>(named.index),
                                                 .awaited = &awaited});
  for (unsigned round = 0;; ++round) {
    const bool sleeps = idle.would_nap();
    const unsigned between_questions = sleeps ? sleeps_a_question : rounds_a_question;
    const bool asks = round % between_questions == between_questions - 1;
    const shm::LockResult taken = mutex.step(turn, party, asks);
    if (taken == shm::LockResult::taken_over) say_taken_over("lock", named, mutex);
    if (taken != shm::LockResult::busy) return code_of(runtime, taken == shm::LockResult::taken_over);
    if (round >= rounds_without_mpi && runtime.engine().poll() != 0) {
      idle.reset();
    } else if (sleeps) {
      mutex.sleep(turn, policy.nap_max_ns);
    } else {
      idle.pause();
    }
    watch.set_slow(sleeps);
    watch.look();
  }
}

op::WaitReason reason(const char* name, const Named& named) {
  return {.operation = name,
          .target = static_cast<int>(named.owner),
          .server = named.is_direct ? no_rank : named.runtime->place(named.owner).server,
          .mutex = static_cast<std::int64_t>(named.index)};
}

// The result of a trylock: who does not get the mutex repeats the call.
int tell_taken(const Named& named, bool is_taken, bool is_recovered, int* acquired) {
  constexpr std::uint32_t kind = activity::call_hash("trylock");
  *acquired = is_taken ? 1 : 0;
  if (is_taken) {
    named.runtime->activity().end_attempts(kind);
  } else {
    named.runtime->attempt_failed(reason("trylock", named), activity::Waiting::mutex);
  }
  return code_of(*named.runtime, is_recovered);
}

// Asks the owner's server for the mutex by start_lock or start_try_lock, and notes that it is held.
int ask_server(const Named& named, const char* name, decltype(&op::Remote::start_lock) start,
               std::uint64_t& taken) {
  runtime::Runtime& runtime = *named.runtime;
  const op::RemoteTarget far = named.far();
  const auto begin = [&](nb::Completion& completion) {
    (runtime.remote().*start)(named.index, far, completion, &taken);
  };
  const int result = finish_remote(runtime, runtime.remote(), reason(name, named), Finish::block(), begin);
  if (result != COMEX_SUCCESS || taken == protocol::not_taken) return result;
  const op::Engine::Lock lock = runtime.engine().enter();
  runtime.held_mutexes().push_back(named.held());
  return result;
}

bool take_held(const Named& named) {
  const op::Engine::Lock lock = named.runtime->engine().enter();
  return std::erase(named.runtime->held_mutexes(), named.held()) != 0;
}

// Makes zeroed mutexes and shows them to this host's processes and server; does nothing for 0.
Result<void*> make_own(runtime::Runtime& runtime, int num) {
  if (num < 0) {
    return caller_error("the number of mutexes is " + std::to_string(num) + "; it must not be negative");
  }
  const std::size_t bytes = static_cast<std::size_t>(num) * sizeof(shm::FairMutexBlock);
  Result<void*> own = runtime::allocate_own(runtime, bytes, runtime::internal_memory, nullptr);
  if (!own || own.value() == nullptr) return own;
  std::memset(own.value(), 0, bytes);
  shm::Arena& arena = *runtime.world().arena;
  arena.mutexes_of(arena.slot()).show(arena.offset_of(own.value()), static_cast<std::uint64_t>(num));
  return own;
}

void drop_own(runtime::Runtime& runtime) {
  shm::Arena& arena = *runtime.world().arena;
  if (arena.mutexes_of(arena.slot()).mutexes() == 0) return;
  runtime::release_own(runtime, arena.at(arena.mutexes_of(arena.slot()).hide()));
}

}  // namespace
}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;
using comex::nb::Completion;

int comex_create_mutexes(int num) {
  const char* name = "create_mutexes";
  runtime::Runtime* runtime = runtime::enter(name);
  if (runtime == nullptr) return COMEX_FAILURE;
  const runtime::CallScope call(name, COMEX_GROUP_WORLD);
  const groups::Group& everybody = *runtime->groups().find(COMEX_GROUP_WORLD);
  if (const int live = runtime::check_all_live(*runtime, name, everybody, COMEX_GROUP_WORLD);
      live != COMEX_SUCCESS) {
    return live;
  }
  const bool are_there = runtime->has_mutexes();
  runtime->fence_members(everybody);
  const comex::Result<void*> mine = make_own(*runtime, are_there ? std::min(num, 0) : num);
  const runtime::AllocationVerdict verdict =
      runtime::exchange_words(*runtime, COMEX_GROUP_WORLD,
                              runtime::AllocationWord::made_mutexes(static_cast<bool>(mine)))
          .verdict;
  if (const int code = runtime::check_all_live(*runtime, name, everybody, COMEX_GROUP_WORLD);
      code != COMEX_SUCCESS) {
    return code;  // others may have succeeded and use the mutexes that are here
  }
  const auto me = static_cast<std::size_t>(runtime->me());
  const auto odd = verdict.odd_one();
  const auto failed = verdict.failed();
  const bool succeeded = !odd && !failed && !are_there;
  if (succeeded) runtime->set_has_mutexes(true);
  if (!succeeded && !are_there) drop_own(*runtime);
  if (odd) return runtime::fail_apart(*runtime, {.operation = name}, *odd, me);
  if (failed) {
    return *failed == me ? runtime->reporter().fail({.operation = name}, mine.failure())
                         : runtime::failed_elsewhere(*runtime);
  }
  if (succeeded) return COMEX_SUCCESS;
  return runtime->reporter().fail({.operation = name}, "there are mutexes already; destroy them first");
}

int comex_destroy_mutexes(void) {
  const char* name = "destroy_mutexes";
  runtime::Runtime* runtime = runtime::enter(name);
  if (runtime == nullptr) return COMEX_FAILURE;
  const runtime::CallScope call(name, COMEX_GROUP_WORLD);
  if (!runtime->has_mutexes()) {
    return runtime->reporter().fail({.operation = name}, "there are no mutexes; create_mutexes makes them");
  }
  runtime->barrier(COMEX_GROUP_WORLD);  // nobody needs them after this
  // Survivors may still hold or want them where a worker has died: they stay until the end.
  const groups::Group& everybody = *runtime->groups().find(COMEX_GROUP_WORLD);
  const int code = runtime::check_all_live(*runtime, name, everybody, COMEX_GROUP_WORLD);
  if (code != COMEX_SUCCESS) return code;
  runtime->set_has_mutexes(false);
  {
    const comex::op::Engine::Lock lock = runtime->engine().enter();
    runtime->held_mutexes().clear();
  }
  drop_own(*runtime);
  return COMEX_SUCCESS;
}

int comex_lock(int mutex, int proc) {
  Named named;
  if (!find_mutex("lock", mutex, proc, named)) return COMEX_FAILURE;
  if (named.is_direct) {
    named.order_before_direct();
    return lock_here(named);
  }
  std::uint64_t taken = protocol::not_taken;
  const int result = ask_server(named, "lock", &op::Remote::start_lock, taken);
  if (result != COMEX_SUCCESS) return result;
  return code_of(*named.runtime, taken == protocol::taken_value(true));
}

int comex_trylock(int mutex, int proc, int* acquired) {
  Named named;
  if (!find_mutex("trylock", mutex, proc, named)) return COMEX_FAILURE;
  if (acquired == nullptr) {
    return named.runtime->reporter().fail({"trylock", comex::Target(proc)},
                                          "the place for the result is null");
  }
  if (named.is_direct) {
    named.order_before_direct();
    comex::shm::FairMutex here = named.here();
    const comex::shm::LockResult taken = here.try_lock(named.party());
    if (taken == comex::shm::LockResult::taken_over) say_taken_over("trylock", named, here);
    return tell_taken(named, taken != comex::shm::LockResult::busy,
                      taken == comex::shm::LockResult::taken_over, acquired);
  }
  named.runtime->fence(named.reach());  // so that a mutex just released is free
  std::uint64_t taken = protocol::not_taken;
  const int result = ask_server(named, "trylock", &op::Remote::start_try_lock, taken);
  if (result != COMEX_SUCCESS) return result;
  return tell_taken(named, taken != protocol::not_taken, taken == protocol::taken_value(true), acquired);
}

int comex_unlock(int mutex, int proc) {
  Named named;
  if (!find_mutex("unlock", mutex, proc, named)) return COMEX_FAILURE;
  if (named.is_direct) {
    named.order_before_direct();
    const comex::Status unlocked = named.here().unlock(named.party());
    if (unlocked) return COMEX_SUCCESS;
    return named.runtime->reporter().fail({"unlock", comex::Target(proc)},
                                          "mutex " + std::to_string(mutex) + ": " + unlocked.failure().text);
  }
  const comex::op::RemoteTarget far = named.far();
  comex::op::Remote& remote = named.runtime->remote();
  // The server refuses a mutex that is not held here. This call tells that, and no fence.
  std::uint64_t answer = 0;
  std::uint64_t* const awaited = take_held(named) ? nullptr : &answer;
  return finish_remote(
      *named.runtime, remote, reason("unlock", named), Finish::block(),
      [&](Completion& completion) { remote.start_release(named.index, far, completion, awaited); }, &far);
}
