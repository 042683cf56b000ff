// The calls put_signal and wait_until.
#include <atomic>

#include "calls/plain_target.h"
#include "calls/transfer.h"
#include "runtime/call.h"

namespace comex::calls {
namespace {

struct Signal {
  long* word;
  long value;

  bool is_aligned() const {
    return word != nullptr && reinterpret_cast<std::uintptr_t>(word) % sizeof(long) == 0;
  }
  std::uint64_t bits() const { return static_cast<std::uint64_t>(value); }
};

inline bool small_put_signal(const void* src, void* dst, int bytes, const Signal& signal, int proc,
                             comex_group_t group) {
  PlainTarget to(proc, group);
  if (!to || bytes < 0 || (bytes > 0 && src == nullptr) || !signal.is_aligned()) return false;
  const auto count = static_cast<std::uint64_t>(bytes);
  to.count(activity::Kind::put, count + sizeof signal.value);
  return to.direct().try_put_signal(to.place(), to.target(), {src, dst, count}, {signal.word, signal.bits()});
}

// The signal word is checked before the data is written.
int put_signal_directly(runtime::Runtime& runtime, const Signal& signal, const char* name,
                        const runtime::Reach& target, const Result<Operation>& data, const void* dst) {
  const op::Direct& direct = *target.direct;
  op::Checked word = direct.check_word(target.place, target.worker(), signal.word, sizeof(long));
  if (word) {
    const int put = carry_out(runtime, name, data, target, dst, Finish::block());
    if (put != COMEX_SUCCESS) return put;
    word = direct.store(target.place, target.worker(), signal.word, signal.bits(), sizeof(long));
  }
  if (word) {
    runtime.count(activity::Kind::put, target, sizeof signal.value);
    return COMEX_SUCCESS;
  }
  return runtime.reporter().fail(runtime.context(name, target, signal.word),
                                 direct.describe(word, target.worker(), target.place));
}

[[gnu::noinline]] int put_signal(void* src, void* dst, int bytes, const Signal& signal, int proc,
                                 comex_group_t group) {
  const char* name = "put_signal";
  runtime::Runtime* runtime = runtime::enter(name);
  runtime::Reach target;
  if (runtime == nullptr || !runtime::find_reach(*runtime, name, proc, group, target)) return COMEX_FAILURE;
  if (!signal.is_aligned()) {
    return runtime->reporter().fail(runtime->context(name, target, signal.word),
                                    "the signal word is null or not aligned to its 8 bytes");
  }
  const Result<Operation> data =
      op::validate({.action = Action::put, .target = target.worker()}, src, dst, bytes);
  if (!data) return carry_out(*runtime, name, data, target, dst, Finish::block());  // reports what is wrong
  if (runtime->is_direct(op::Way::put, target)) {
    return put_signal_directly(*runtime, signal, name, target, data, dst);
  }
  runtime->count(activity::Kind::put, target, static_cast<std::uint64_t>(bytes) + sizeof signal.value);
  const op::RemoteTarget far = target.remote_target();
  return finish_remote(
      *runtime, *target.remote, target.reason(name), Finish::block(), [&](nb::Completion& completion) {
        target.remote->start_put_signal(data.value(), signal.word, signal.bits(), far, completion);
      });
}

bool holds(long left, int compare, long right) {
  switch (compare) {
    case COMEX_CMP_EQ:
      return left == right;
    case COMEX_CMP_NE:
      return left != right;
    case COMEX_CMP_GT:
      return left > right;
    case COMEX_CMP_GE:
      return left >= right;
    case COMEX_CMP_LT:
      return left < right;
    default:
      return left <= right;
  }
}

}  // namespace
}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

int comex_put_signal(void* src, void* dst, int bytes, long* signal_word, long value, int proc,
                     comex_group_t group) {
  const Signal signal{signal_word, value};
  if (small_put_signal(src, dst, bytes, signal, proc, group)) [[likely]]
    return COMEX_SUCCESS;
  return put_signal(src, dst, bytes, signal, proc, group);
}

int comex_wait_until(long* word, int compare, long value) {
  const char* name = "wait_until";
  runtime::Runtime* runtime = runtime::enter(name);
  if (runtime == nullptr) return COMEX_FAILURE;
  if (word == nullptr || reinterpret_cast<std::uintptr_t>(word) % sizeof(long) != 0) {
    return runtime->reporter().fail({name, {}, word}, "the word is null or not aligned to its 8 bytes");
  }
  if (compare < COMEX_CMP_EQ || compare > COMEX_CMP_LE) {
    return runtime->reporter().fail(
        {name, {}, word},
        "the comparison " + std::to_string(compare) + " is unknown; COMEX_CMP_EQ to COMEX_CMP_LE are 0 to 5");
  }
  const std::atomic_ref<long> watched(*word);
  const auto is_true = [&] { return holds(watched.load(std::memory_order_acquire), compare, value); };
  if (!is_true()) runtime->engine().wait(is_true, {.operation = name, .address = word});
  return COMEX_SUCCESS;
}
