// The calls put_signal, wait_until, and their further forms.
#include <atomic>

#include "calls/carry_out.h"
#include "calls/plain_target.h"
#include "runtime/call.h"

namespace comex::calls {
namespace {

struct Signal {
  long* word;
  long value;
  bool adds = false;

  bool is_aligned() const {
    return word != nullptr && reinterpret_cast<std::uintptr_t>(word) % sizeof(long) == 0;
  }
  std::uint64_t bits() const { return static_cast<std::uint64_t>(value); }
};
struct SignalData {
  const void* src;
  void* dst;
  std::int64_t bytes;
};

[[gnu::always_inline]] inline bool small_put_signal(const SignalData& data, const Signal& signal, int proc,
                                                    comex_group_t group) {
  PlainTarget to(proc, group);
  if (!to || data.bytes < 0 || (data.bytes > 0 && data.src == nullptr) || !signal.is_aligned()) return false;
  const auto count = static_cast<std::uint64_t>(data.bytes);
  to.count(activity::Kind::put, count + sizeof signal.value);
  return to.direct().try_put_signal(to.place(), to.target(), {data.src, data.dst, count},
                                    {signal.word, signal.bits(), signal.adds});
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
    if (direct.try_put_signal(target.place, target.worker(), {}, {signal.word, signal.bits(), signal.adds})) {
      runtime.count(activity::Kind::put, target, sizeof signal.value);
      return COMEX_SUCCESS;
    }
  }
  return runtime.reporter().fail(runtime.context(name, target, signal.word),
                                 direct.describe(check(), target.worker(), target.place));
}

[[gnu::noinline]] int put_signal(const Call& call, const SignalData& data, const Signal& signal,
                                 const Finish& finish) {
  runtime::Reach target;
  runtime::Runtime* const runtime = enter(call, target);
  if (runtime == nullptr) return COMEX_FAILURE;
  if (!signal.is_aligned()) {
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
    target.remote->start_put_signal(put.value(), signal.word, signal.bits(), remote_target, completion,
                                    signal.adds);
  };
  return finish_remote(*runtime, *target.remote, target.reason(call.name), finish, begin, &remote_target);
}

// For all calls but the most frequent one, so that its short path stays short.
[[gnu::noinline]] int put_signal_or_begin(const Call& call, const SignalData& data, const Signal& signal,
                                          const Finish& finish) {
  if (!small_put_signal(data, signal, call.proc, call.group)) return put_signal(call, data, signal, finish);
  if (finish.kind == Finish::Kind::handle) *finish.handle = nb::HandleTable::completed_handle;
  return COMEX_SUCCESS;
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
class Watched {
 public:
  Watched(long* words, std::size_t count, const int* skip, int compare, long value)
      : words_(words), count_(count), skip_(skip), compare_(compare), value_(value) {}

  bool is_skipped(std::size_t i) const { return skip_ != nullptr && skip_[i] != 0; }
  bool holds(std::size_t i) const {
    return calls::holds(std::atomic_ref<long>(words_[i]).load(std::memory_order_acquire), compare_, value_);
  }
  // The number of the first one from `from` on for which `wanted` is whether it holds; count_ if there is
  // none.
  std::size_t next(bool wanted, std::size_t from = 0) const {
    while (from < count_ && (is_skipped(from) || holds(from) != wanted)) ++from;
    return from;
  }
  std::size_t count() const { return count_; }
  bool is_empty() const {
    std::size_t i = 0;
    while (i < count_ && is_skipped(i)) ++i;
    return i == count_;
  }
  // Reports what is wrong with the arguments; null then.
  runtime::Runtime* enter(const char* name) const {
    runtime::Runtime* const runtime = runtime::enter(name);
    if (runtime == nullptr) return nullptr;
    const bool is_placed = words_ != nullptr && reinterpret_cast<std::uintptr_t>(words_) % sizeof(long) == 0;
    if (!is_placed && count_ != 0) {
      runtime->reporter().fail({name, {}, words_}, "the word is null or not aligned to its 8 bytes");
      return nullptr;
    }
    if (compare_ < COMEX_CMP_EQ || compare_ > COMEX_CMP_LE) {
      runtime->reporter().fail({name, {}, words_},
                               "the comparison " + std::to_string(compare_) +
                                   " is unknown; COMEX_CMP_EQ to COMEX_CMP_LE are 0 to 5");
      return nullptr;
    }
    return runtime;
  }
  template <class Done>
  void wait(runtime::Runtime& runtime, const char* name, const Done& done) const {
    if (!done()) runtime.engine().wait(done, {.operation = name, .address = words_});
  }

 private:
  long* words_;
  std::size_t count_;
  const int* skip_;
  int compare_;
  long value_;
};

bool is_given(runtime::Runtime& runtime, const char* name, const void* output) {
  if (output == nullptr) runtime.reporter().fail({.operation = name}, "the address of the result is null");
  return output != nullptr;
}

}  // namespace
}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

[[gnu::flatten]] int comex_put_signal(void* src, void* dst, int bytes, long* signal_word, long value,
                                      int proc, comex_group_t group) {
  const SignalData data{src, dst, bytes};
  const Signal signal{signal_word, value};
  if (small_put_signal(data, signal, proc, group)) [[likely]]
    return COMEX_SUCCESS;
  return put_signal({"put_signal", proc, group}, data, signal, Finish::block());
}

int comex_put_signal_x(const void* src, void* dst, size_t bytes, long* signal_word, long value, int proc,
                       comex_group_t group) {
  return put_signal_or_begin({"put_signal", proc, group}, {src, dst, op::size_of(bytes)},
                             {signal_word, value}, Finish::block());
}

int comex_put_signal_add(const void* src, void* dst, size_t bytes, long* signal_word, long value, int proc,
                         comex_group_t group) {
  return put_signal_or_begin({"put_signal_add", proc, group}, {src, dst, op::size_of(bytes)},
                             {signal_word, value, true}, Finish::block());
}

int comex_nbput_signal(const void* src, void* dst, size_t bytes, long* signal_word, long value, int proc,
                       comex_group_t group, comex_request_t* handle) {
  return put_signal_or_begin({"nbput_signal", proc, group}, {src, dst, op::size_of(bytes)},
                             {signal_word, value}, Finish::by(handle));
}

int comex_nbput_signal_add(const void* src, void* dst, size_t bytes, long* signal_word, long value, int proc,
                           comex_group_t group, comex_request_t* handle) {
  return put_signal_or_begin({"nbput_signal_add", proc, group}, {src, dst, op::size_of(bytes)},
                             {signal_word, value, true}, Finish::by(handle));
}

int comex_wait_until(long* word, int compare, long value) {
  const Watched watched(word, 1, nullptr, compare, value);
  runtime::Runtime* const runtime = watched.enter("wait_until");
  if (runtime == nullptr) return COMEX_FAILURE;
  watched.wait(*runtime, "wait_until", [&] { return watched.holds(0); });
  return COMEX_SUCCESS;
}

int comex_wait_until_all(long* words, size_t count, const int* skip, int compare, long value) {
  const char* name = "wait_until_all";
  const Watched watched(words, count, skip, compare, value);
  runtime::Runtime* const runtime = watched.enter(name);
  if (runtime == nullptr) return COMEX_FAILURE;
  std::size_t first = 0;  // all before it have held, once is enough
  watched.wait(*runtime, name, [&] { return (first = watched.next(false, first)) == count; });
  return COMEX_SUCCESS;
}

int comex_wait_until_any(long* words, size_t count, const int* skip, int compare, long value, size_t* index) {
  const char* name = "wait_until_any";
  const Watched watched(words, count, skip, compare, value);
  runtime::Runtime* const runtime = watched.enter(name);
  if (runtime == nullptr || !is_given(*runtime, name, index)) return COMEX_FAILURE;
  std::size_t found = count;
  if (!watched.is_empty()) {
    watched.wait(*runtime, name, [&] { return (found = watched.next(true)) != count; });
  }
  *index = found;
  return COMEX_SUCCESS;
}

int comex_wait_until_some(long* words, size_t count, const int* skip, int compare, long value,
                          size_t* indices, size_t* found) {
  const char* name = "wait_until_some";
  const Watched watched(words, count, skip, compare, value);
  runtime::Runtime* const runtime = watched.enter(name);
  if (runtime == nullptr || !is_given(*runtime, name, found)) return COMEX_FAILURE;
  if (count != 0 && !is_given(*runtime, name, indices)) return COMEX_FAILURE;
  std::size_t first = count;
  if (!watched.is_empty()) {
    watched.wait(*runtime, name, [&] { return (first = watched.next(true)) != count; });
  }
  *found = 0;
  for (std::size_t i = first; i < count; i = watched.next(true, i + 1)) indices[(*found)++] = i;
  return COMEX_SUCCESS;
}
