// Reports a wait that lasts too long: the program's call, and who or what is missing.
#include <algorithm>
#include <csignal>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/caller.h"
#include "runtime/facade.h"
#include "runtime/opening/boards.h"
#include "runtime/opening/job_watch.h"
#include "runtime/runtime.h"
#include "watch/wait_graph.h"
#include "watch/why.h"

namespace comex::runtime {
namespace {

// Of the call that the calling thread is in.
op::CallNames call_names() {
  const char* const call = program_call().name;
  return {comex_call_name != nullptr ? comex_call_name : call, call};
}

}  // namespace

std::vector<int> Runtime::late_members(const op::WaitReason& wait) {
  const watch::JobState here = read_own_host(*world_);
  const watch::WaitGraph graph(here);
  const watch::RankState* mine = graph.worker(static_cast<int>(me()));
  std::vector<int> workers;
  if (mine != nullptr) mine = graph.in_collective(*mine, wait.context);
  if (mine == nullptr || !watch::is_in_collective(*mine)) return workers;
  const bool is_elsewhere =
      wait.target >= 0 && is_own(wait.target) && place(static_cast<Worker>(wait.target)).host != my_host_;
  if (is_elsewhere) workers.push_back(static_cast<int>(wait.target));
  for (const watch::RankState* late : graph.late(graph.inside(*mine))) workers.push_back(late->worker);
  std::ranges::sort(workers);
  return workers;
}

op::StallOptions Runtime::stall_options(const World& world) {
  constexpr std::uint64_t second_ns = 1'000'000'000;
  op::StallOptions options;
  options.activity = world.activity;
  options.stall_ns = static_cast<std::uint64_t>(world.settings.stall_s) * second_ns;
  options.on_stall = std::bind_front(&Runtime::tell_of_stall, this);
  options.limit_ns = static_cast<std::uint64_t>(world.settings.timeout_s) * second_ns;
  if (may_lose_hosts(world)) options.limit_ns *= 2;  // a host that dies late in a wait is found lost first
  options.on_limit = std::bind_front(&Runtime::end_wait, this);
  const bool is_alone = world.serves_itself() || world.group->host_count() == 1;
  options.explain_ns = (is_alone ? 1 : 6) * second_ns;  // a progress rank asks the other hosts first
  options.explain = [this] { explain_stall(); };
  options.call = call_names;
  return options;
}

Context Runtime::where_of(const op::WaitReason& reason) {
  const char* const called = call_names().made;
  return context(called != nullptr ? called : reason.operation, reason.target, reason.named, reason.address);
}

Runtime::StalledWait Runtime::describe_stall(const op::WaitReason& wait, std::uint64_t waited_ns) {
  const op::WaitReason reason = reason_of(wait);
  const ProgramCall call = program_call();
  std::string text = "has been waiting for " + std::to_string(waited_ns / 1'000'000'000) + " s";
  const std::string awaited = reason.awaited == nullptr ? std::string() : (*reason.awaited)();
  if (!awaited.empty()) {
    text += " for " + awaited;
  } else if (reason.server != no_rank) {
    text += " for " + servers_text({&reason.server, 1});
  } else if (const std::vector<int> late = late_members(reason); !late.empty()) {
    text += " for " + listed("worker", late);
  }
  if (call.name != nullptr && std::string_view(call.name) != reason.operation) {
    text += ", in its " + std::string(reason.operation);
  }
  const Context where = where_of(reason);
  if (call.name != nullptr && call.group != groups::world_handle && call.group != where.target.group) {
    text += ", over group " + std::to_string(call.group);
  }
  return {where, text};
}

void Runtime::tell_of_stall(const op::WaitReason& wait, std::uint64_t waited_ns) {
  const StalledWait stalled = describe_stall(wait, waited_ns);
  Reporter::print(reporter_.caller(), stalled.where, stalled.text);
  ask_why();
}

void Runtime::end_wait(const op::WaitReason& wait, std::uint64_t waited_ns) {
  const StalledWait stalled = describe_stall(wait, waited_ns);
  reporter_.fatal(stalled.where, stalled.text + "; the limit is COMEX_TIMEOUT_S=" +
                                     std::to_string(world_->settings.timeout_s));
}

void Runtime::end_mismatched(const op::WaitReason& wait, const std::string& what) {
  const op::WaitReason reason = reason_of(wait);
  reporter_.fatal(where_of(reason), what);
}

bool Runtime::progress() {
  if (engine_.poll() != 0) return true;
  give_way();
  return false;
}

// Of a call that returns at once and moved nothing: who is waited for may need this core.
void Runtime::give_way() {
  const shm::WaitPolicy& policy = world_->wait_policy;
  if (policy.oversubscribed && policy.yields_ever()) world_->os->yield();
}

void Runtime::attempt_failed(const op::WaitReason& attempt, activity::Waiting waiting) {
  give_way();
  if (!activity_) return;
  const std::uint64_t now_ns = world_->os->now_ns();
  const std::uint32_t kind = activity::call_hash(attempt.operation);
  const auto before = activity_.failed_before(kind, now_ns);
  // Of several handles that are tested in turn the first is shown, of several mutexes the last.
  if (before && before->handle != 0 && handles_.state(before->handle) == nb::HandleTable::State::pending)
    return activity_.repeat_attempt(now_ns);
  const bool goes_on = before && attempt.handle == 0;
  const op::WaitReason reason = reason_of(attempt);
  const char* const made = call_names().made;
  activity_.show_attempt({.name = made != nullptr ? made : attempt.operation,
                          .waiting = waiting,
                          .kind = kind,
                          .target = reason.target,
                          .server = reason.server,
                          .group = reason.named.group,
                          .rank = reason.named ? reason.named.rank : -1,
                          .mutex = reason.mutex},
                         attempt.handle, goes_on ? before->since_ns : now_ns, now_ns);
}

void Runtime::lose_hosts() {
  const op::Engine::Lock lock = engine_.enter();
  for (Worker worker = 0; worker < size(); ++worker) {
    if (world_->failures.of(worker) != groups::WorkerState::lost || place(worker).host == my_host_) continue;
    has_lost_hosts_.store(true, std::memory_order_release);  // before anybody sees what fails for it
    remote_.lose(place(worker).server);
  }
}

void Runtime::look_at_failures() {
  if (!world_->failures.are_watched()) return;
  constexpr unsigned looks_a_question = 256;  // asking whether a process lives is a system call
  const std::uint64_t epoch = world_->failures.epoch();
  if (epoch != seen_failures_.load(std::memory_order_relaxed)) {
    lose_hosts();
    seen_failures_.store(epoch, std::memory_order_relaxed);
    other_worlds_->part_after_death(world_->failures.dead_workers());
  }
  if (failure_looks_.fetch_add(1, std::memory_order_relaxed) % looks_a_question == 0) end_without_server();
}

void Runtime::end_without_server() {
  shm::Arena& arena = *world_->arena;
  const bool is_leaving = world_->activity.block().owner.end.get() != 0;
  const pr::RankPlace& server = world_->share.place_of(world_->place.server);
  if (is_leaving || arena.is_alive(static_cast<shm::HostSlot>(server.local_index))) return;
  if (world_->failures.claim_server_notice()) {
    reporter_.notice("a progress rank on " + reporter_.identity().host +
                     " has died; the workers of its host end");
  }
  std::raise(SIGKILL);  // the launcher lets the other hosts live as after any death
}

void Runtime::ask_why() {
  if (has_said_why(*world_)) return;
  if (world_->group->host_count() > 1 && !world_->serves_itself()) {
    const int server = world_->share.place_of(world_->place.server).local_index;
    activity_of(*world_, static_cast<shm::HostSlot>(server)).question.stalled.set(1);
  }
  watch::JobState job_state = read_own_host(*world_);
  const std::lock_guard lock(at_stall_mutex_);
  at_stall_ = std::move(job_state);
}

void Runtime::explain_stall() {
  if (has_said_why(*world_)) return;
  const watch::JobState now = read_own_host(*world_);
  const std::lock_guard lock(at_stall_mutex_);
  const watch::Why why = watch::explain(&at_stall_, now);
  if (why.is_hang) say_why(*world_, reporter_, why.verdict);
}

}  // namespace comex::runtime
