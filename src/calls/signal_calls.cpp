// The calls put_signal, wait_until, and their further forms.
#include <atomic>

#include "calls/short_paths.h"
#include "runtime/call.h"

namespace comex::calls {
namespace {

using Signal = op::Direct::Signal;
inline Signal signal_of(long* word, long value, bool adds = false) {
  return {word, static_cast<std::uint64_t>(value), adds};
}

inline bool is_placed(const void* word) {
  return word != nullptr && reinterpret_cast<std::uintptr_t>(word) % sizeof(long) == 0;
}

struct SignalData {
  const void* src;
  void* dst;
  std::int64_t bytes;
};

[[gnu::always_inline]] inline bool small_put_signal(const SignalData& data, const Signal& signal, int proc,
                                                    comex_group_t group) {
  PlainTarget to(proc, group);
  if (!to || data.bytes < 0 || (data.bytes > 0 && data.src == nullptr) || !is_placed(signal.word))
    return false;
  const auto count = static_cast<std::uint64_t>(data.bytes);
  to.count(activity::Kind::put, count + sizeof signal.value);
  return to.direct().try_put_signal(to.place(), to.target(), {data.src, data.dst, count}, signal);
}

// The signal word is checked before the data is written.
int put_signal_directly(runtime::Runtime& runtime, const Signal& signal, const char* name,
                        const runtime::Reach& target, const Result<Operation>& data, const Finish& finish) {
  const op::Direct& direct = *target.direct;
  const auto check = [&] {
    return direct.check_word(target.place, target.worker(), signal.word, sizeof(long));
  };
  if (check()) {
    const int put = carry_out(runtime, name, data, target, data->far, finish);
    if (put != COMEX_SUCCESS) return put;
    if (direct.try_put_signal(target.place, target.worker(), {}, signal)) {
      runtime.count(activity::Kind::put, target, sizeof signal.value);
      return COMEX_SUCCESS;
    }
  }
  return runtime.reporter().fail(runtime.context(name, target, signal.word),
                                 direct.describe(check(), target.place));
}

[[gnu::noinline]] int put_signal(const Call& call, const SignalData& data, const Signal& signal,
                                 const Finish& finish) {
  runtime::Reach target;
  runtime::Runtime* const runtime = enter(call, target);
  if (runtime == nullptr) return COMEX_FAILURE;
  if (!is_placed(signal.word)) {
    return runtime->reporter().fail(runtime->context(call.name, target, signal.word),
                                    "the signal word is null or not aligned to its 8 bytes");
  }
  Result<Operation> put = op::validate({.action = Action::put, .target = target.worker()},
                                       const_cast<void*>(data.src), data.dst, data.bytes);
  if (!put) return carry_out(*runtime, call.name, put, target, data.dst, finish);  // reports what is wrong
  if (runtime->is_direct(activity::Kind::put, target)) {
    return put_signal_directly(*runtime, signal, call.name, target, put, finish);
  }
  runtime->count(activity::Kind::put, target, static_cast<std::uint64_t>(data.bytes) + sizeof signal.value);
  put->is_blocking = finish.kind == Finish::Kind::blocking;
  const op::RemoteTarget remote_target = target.remote_target();
  const auto begin = [&](nb::Completion& completion) {
    target.remote->start_put_signal(put.value(), signal.word, signal.value, remote_target, completion,
                                    signal.adds);
  };
  return finish_remote(*runtime, *target.remote, target.reason(call.name), finish, begin, &remote_target);
}

// For all calls but the most frequent one, so that its short path stays short.
[[gnu::noinline]] int put_signal_or_begin(const Call& call, const SignalData& data, const Signal& signal,
                                          const Finish& finish) {
  return small_put_signal(data, signal, call.proc, call.group) ? finish.complete()
                                                               : put_signal(call, data, signal, finish);
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

// Words of the caller's own memory that it waits for, without those that `skip` names.
struct Watched {
  const char* call;
  long* words;
  std::size_t count;
  const int* skip;
  int compare;
  long value;

  bool is_skipped(std::size_t i) const { return skip != nullptr && skip[i] != 0; }
  bool holds(std::size_t i) const {
    return calls::holds(std::atomic_ref<long>(words[i]).load(std::memory_order_acquire), compare, value);
  }
  // The number of the first one from `from` on for which `wanted` is whether it holds; count if there is
  // none.
  std::size_t next(bool wanted, std::size_t from = 0) const {
    while (from < count && (is_skipped(from) || holds(from) != wanted)) ++from;
    return from;
  }
  // Reports what is wrong with the arguments; null then.
  runtime::Runtime* enter() const {
    runtime::Runtime* const runtime = runtime::enter(call);
    if (runtime == nullptr) return nullptr;
    std::string wrong;
    if (compare < COMEX_CMP_EQ || compare > COMEX_CMP_LE) {
      wrong = "the comparison " + std::to_string(compare) +
              " is unknown; COMEX_CMP_EQ to COMEX_CMP_LE are 0 to 5";
    }
    if (!is_placed(words) && count != 0) wrong = "the word is null or not aligned to its 8 bytes";
    if (wrong.empty()) return runtime;
    runtime->reporter().fail({call, {}, words}, wrong);
    return nullptr;
  }
  template <class Done>
  void wait(runtime::Runtime& runtime, const Done& done) const {
    if (!done()) runtime.engine().wait(done, {.operation = call, .address = words});
  }
  // The number of the first one that holds, once there is one; count if all are skipped.
  std::size_t await_first(runtime::Runtime& runtime) const {
    std::size_t first = 0;
    while (first < count && is_skipped(first)) ++first;
    if (first < count) wait(runtime, [&] { return (first = next(true)) != count; });
    return first;
  }
};

int wait_for_all(const Watched& watched) {
  runtime::Runtime* const runtime = watched.enter();
  if (runtime == nullptr) return COMEX_FAILURE;
  std::size_t first = 0;  // all before it have held, once is enough
  watched.wait(*runtime, [&] { return (first = watched.next(false, first)) == watched.count; });
  return COMEX_SUCCESS;
}

}  // namespace
}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

[[gnu::flatten]] int comex_put_signal(void* src, void* dst, int bytes, long* signal_word, long value,
                                      int proc, comex_group_t group) {
  const SignalData data{src, dst, bytes};
  const Signal signal = signal_of(signal_word, value);
  if (small_put_signal(data, signal, proc, group)) [[likely]]
    return COMEX_SUCCESS;
  return put_signal({"put_signal", proc, group}, data, signal, Finish::block());
}

int comex_put_signal_x(const void* src, void* dst, size_t bytes, long* signal_word, long value, int proc,
                       comex_group_t group) {
  return put_signal_or_begin({"put_signal", proc, group}, {src, dst, op::size_of(bytes)},
                             signal_of(signal_word, value), Finish::block());
}

int comex_put_signal_add(const void* src, void* dst, size_t bytes, long* signal_word, long value, int proc,
                         comex_group_t group) {
  return put_signal_or_begin({"put_signal_add", proc, group}, {src, dst, op::size_of(bytes)},
                             signal_of(signal_word, value, true), Finish::block());
}

int comex_nbput_signal(const void* src, void* dst, size_t bytes, long* signal_word, long value, int proc,
                       comex_group_t group, comex_request_t* handle) {
  return put_signal_or_begin({"nbput_signal", proc, group}, {src, dst, op::size_of(bytes)},
                             signal_of(signal_word, value), Finish::by(handle));
}

int comex_nbput_signal_add(const void* src, void* dst, size_t bytes, long* signal_word, long value, int proc,
                           comex_group_t group, comex_request_t* handle) {
  return put_signal_or_begin({"nbput_signal_add", proc, group}, {src, dst, op::size_of(bytes)},
                             signal_of(signal_word, value, true), Finish::by(handle));
}

int comex_wait_until(long* word, int compare, long value) {
  return wait_for_all({"wait_until", word, 1, nullptr, compare, value});
}

int comex_wait_until_all(long* words, size_t count, const int* skip, int compare, long value) {
  return wait_for_all({"wait_until_all", words, count, skip, compare, value});
}

int comex_wait_until_any(long* words, size_t count, const int* skip, int compare, long value, size_t* index) {
  const Watched watched{"wait_until_any", words, count, skip, compare, value};
  runtime::Runtime* const runtime = watched.enter();
  if (runtime == nullptr || !runtime::has_place(*runtime, watched.call, index)) return COMEX_FAILURE;
  *index = watched.await_first(*runtime);
  return COMEX_SUCCESS;
}

int comex_wait_until_some(long* words, size_t count, const int* skip, int compare, long value,
                          size_t* indices, size_t* found) {
  const Watched watched{"wait_until_some", words, count, skip, compare, value};
  runtime::Runtime* const runtime = watched.enter();
  if (runtime == nullptr || !runtime::has_place(*runtime, watched.call, found)) return COMEX_FAILURE;
  if (count != 0 && !runtime::has_place(*runtime, watched.call, indices)) return COMEX_FAILURE;
  std::size_t i = watched.await_first(*runtime);
  for (*found = 0; i < count; i = watched.next(true, i + 1)) indices[(*found)++] = i;
  return COMEX_SUCCESS;
}
