// The calls rmw and atomic, and their non-blocking forms.
#include <array>
#include <cstring>
#include <iterator>

#include "calls/short_paths.h"
#include "runtime/call.h"

namespace comex::calls {
namespace {

using protocol::Atomic;

template <class Word>
std::uint64_t bits_at(const void* word) {
  Word bits = 0;
  std::memcpy(&bits, word, sizeof bits);
  return bits;
}

// The operation as far as its code tells; `is_wide`: on a word of 8 bytes, not of 4.
struct Found {
  Atomic atomic{};
  bool is_wide = false;
};

// The arguments of rmw.
struct Rmw {
  static constexpr const char* blocking_name = "rmw";
  static constexpr const char* name = "nbrmw";
  int op = 0;
  void* near = nullptr;
  void* far = nullptr;
  int extra = 0;

  // Returns false if an argument is wrong, of which what_is_wrong() tells.
  bool find(Found& found) const {
    constexpr Atomic atomics[] = {Atomic::swap,      Atomic::fetch_add, Atomic::compare_swap,
                                  Atomic::fetch_and, Atomic::fetch_or,  Atomic::fetch_xor};
    // in pairs: one for an int, one for a long
    static_assert(COMEX_FETCH_AND_XOR_LONG - COMEX_SWAP + 1 == 2 * std::size(atomics));
    static_assert(COMEX_SWAP_LONG - COMEX_SWAP == 1 && COMEX_FETCH_AND_ADD - COMEX_SWAP == 2 &&
                  COMEX_COMPARE_AND_SWAP - COMEX_SWAP == 4 && COMEX_FETCH_AND_AND - COMEX_SWAP == 6 &&
                  COMEX_FETCH_AND_OR - COMEX_SWAP == 8);
    if (near == nullptr || !is_known()) return false;
    const auto index = static_cast<unsigned>(op - COMEX_SWAP);
    found = {atomics[index / 2], index % 2 != 0};
    return true;
  }
  template <class Word>
  void load(AtomicOperation& operation) const {
    operation.near = static_cast<std::byte*>(near);
    operation.operand = static_cast<std::uint64_t>(std::int64_t{extra});
    if (operation.atomic != Atomic::swap && operation.atomic != Atomic::compare_swap) return;
    operation.operand = bits_at<Word>(near);
    if (operation.atomic == Atomic::compare_swap)
      operation.desired = bits_at<Word>(operation.near + sizeof(Word));
  }
  bool is_known() const { return op >= COMEX_SWAP && op <= COMEX_FETCH_AND_XOR_LONG; }
  std::string what_is_wrong() const {
    if (is_known()) return "the local address is null";
    return "the operation " + std::to_string(op) +
           " is unknown; COMEX_SWAP to COMEX_FETCH_AND_XOR_LONG are " + std::to_string(COMEX_SWAP) + " to " +
           std::to_string(COMEX_FETCH_AND_XOR_LONG);
  }
};

constexpr auto not_for_reals = static_cast<Atomic>(255);
enum : unsigned { needs_fetched = 1, needs_operand = 2, needs_compare = 4 };  // addresses of the caller
struct AtomicRow {                                                            // of an operation
  std::array<Atomic, 3> by_kind{};  // integers with sign, without, and reals
  unsigned needs = needs_operand;
};
constexpr AtomicRow all_types(Atomic atomic, unsigned needs) {
  return {{atomic, atomic, atomic}, needs};
}
constexpr AtomicRow atomic_rows[] = {
    all_types(Atomic::swap, needs_operand),  // COMEX_ATOMIC_SET
    all_types(Atomic::fetch, needs_fetched),
    all_types(Atomic::swap, needs_fetched | needs_operand),
    all_types(Atomic::compare_swap, needs_operand | needs_compare),
    {{Atomic::fetch_add, Atomic::fetch_add, Atomic::fetch_add_real}},
    {{Atomic::fetch_least, Atomic::fetch_least_unsigned, Atomic::fetch_least_real}},
    {{Atomic::fetch_most, Atomic::fetch_most_unsigned, Atomic::fetch_most_real}},
    {{Atomic::fetch_and, Atomic::fetch_and, not_for_reals}},
    {{Atomic::fetch_or, Atomic::fetch_or, not_for_reals}},
    {{Atomic::fetch_xor, Atomic::fetch_xor, not_for_reals}},
};
static_assert(COMEX_ATOMIC_XOR - COMEX_ATOMIC_SET + 1 == std::size(atomic_rows) &&
              COMEX_ATOMIC_FETCH - COMEX_ATOMIC_SET == 1 && COMEX_ATOMIC_SWAP - COMEX_ATOMIC_SET == 2 &&
              COMEX_ATOMIC_COMPARE_AND_SWAP - COMEX_ATOMIC_SET == 3 &&
              COMEX_ATOMIC_ADD - COMEX_ATOMIC_SET == 4 && COMEX_ATOMIC_MIN - COMEX_ATOMIC_SET == 5 &&
              COMEX_ATOMIC_MAX - COMEX_ATOMIC_SET == 6 && COMEX_ATOMIC_AND - COMEX_ATOMIC_SET == 7 &&
              COMEX_ATOMIC_OR - COMEX_ATOMIC_SET == 8);
// Types in pairs, of 4 and of 8 bytes: with sign, without, real.
static_assert(COMEX_TYPE_INT64 - COMEX_TYPE_INT32 == 1 && COMEX_TYPE_UINT32 - COMEX_TYPE_INT32 == 2 &&
              COMEX_TYPE_UINT64 - COMEX_TYPE_INT32 == 3 && COMEX_TYPE_FLOAT - COMEX_TYPE_INT32 == 4 &&
              COMEX_TYPE_DOUBLE - COMEX_TYPE_INT32 == 5);

// The arguments of atomic.
struct Typed {
  static constexpr const char* blocking_name = "atomic";
  static constexpr const char* name = "nbatomic";
  int op = 0;
  int type = 0;
  void* fetched = nullptr;
  const void* operand = nullptr;
  const void* compare = nullptr;
  void* far = nullptr;

  bool find(Found& found) const {
    if (!is_known() || !is_known_type() || missing() != 0 || atomic() == not_for_reals) return false;
    found = {atomic(), (type - COMEX_TYPE_INT32) % 2 != 0};
    return true;
  }
  template <class Word>
  void load(AtomicOperation& operation) const {
    operation.near = static_cast<std::byte*>(fetched);
    if (op == COMEX_ATOMIC_FETCH) return;
    operation.operand = bits_at<Word>(operand);
    if (op != COMEX_ATOMIC_COMPARE_AND_SWAP) return;
    operation.desired = operation.operand;
    operation.operand = bits_at<Word>(compare);
  }
  std::string what_is_wrong() const {
    if (!is_known()) {
      return "the operation " + std::to_string(op) +
             " is unknown; COMEX_ATOMIC_SET to COMEX_ATOMIC_XOR are " + std::to_string(COMEX_ATOMIC_SET) +
             " to " + std::to_string(COMEX_ATOMIC_XOR);
    }
    if (!is_known_type()) {
      return "the type " + std::to_string(type) + " is unknown; COMEX_TYPE_INT32 to COMEX_TYPE_DOUBLE are " +
             std::to_string(COMEX_TYPE_INT32) + " to " + std::to_string(COMEX_TYPE_DOUBLE);
    }
    if (atomic() == not_for_reals) {
      return "COMEX_ATOMIC_AND, _OR and _XOR work on integers, COMEX_TYPE_INT32 to COMEX_TYPE_UINT64, only";
    }
    if ((missing() & needs_fetched) != 0) return "the address of the fetched value is null";
    if ((missing() & needs_operand) != 0) return "the operand's address is null";
    return "the address of the value to compare with is null";
  }

 private:
  bool is_known() const { return op >= COMEX_ATOMIC_SET && op <= COMEX_ATOMIC_XOR; }
  bool is_known_type() const { return type >= COMEX_TYPE_INT32 && type <= COMEX_TYPE_DOUBLE; }
  const AtomicRow& row() const { return atomic_rows[op - COMEX_ATOMIC_SET]; }
  unsigned missing() const {
    const unsigned given = (fetched != nullptr ? needs_fetched : 0U) |
                           (operand != nullptr ? needs_operand : 0U) |
                           (compare != nullptr ? needs_compare : 0U);
    return row().needs & ~given;
  }
  Atomic atomic() const { return row().by_kind[static_cast<unsigned>(type - COMEX_TYPE_INT32) / 2]; }
};

template <class Word, class Arguments>
inline AtomicOperation operation_on(Worker target, Atomic atomic, const Arguments& arguments) {
  AtomicOperation operation;
  operation.atomic = atomic;
  operation.scalar = sizeof(Word) == 8 ? Scalar::int64 : Scalar::int32;
  operation.target = target;
  operation.far = static_cast<std::byte*>(arguments.far);
  arguments.template load<Word>(operation);
  return operation;
}
template <class Arguments>
AtomicOperation operation_of(Worker target, const Found& found, const Arguments& arguments) {
  return found.is_wide ? operation_on<std::uint64_t>(target, found.atomic, arguments)
                       : operation_on<std::uint32_t>(target, found.atomic, arguments);
}

inline bool is_aligned(const void* word, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(word) % bytes == 0;
}

template <class Word, class Arguments>
inline bool small_word(PlainTarget& to, Atomic atomic, const Arguments& arguments) {
  if (!is_aligned(arguments.far, sizeof(Word))) return false;
  to.count(activity::Kind::rmw, sizeof(Word));
  return to.direct().try_atomic(operation_on<Word>(to.target(), atomic, arguments), to.place());
}

// The width is asked for once.
template <class Arguments>
inline bool small_atomic(const Arguments& arguments, int proc, comex_group_t group) {
  PlainTarget to(proc, group);
  Found found;
  if (!to || !arguments.find(found)) return false;
  return found.is_wide ? small_word<std::uint64_t>(to, found.atomic, arguments)
                       : small_word<std::uint32_t>(to, found.atomic, arguments);
}

template <class Arguments>
bool appended_atomic(const Arguments& arguments, int proc, comex_group_t group, comex_request_t* handle) {
  runtime::Runtime* const runtime =
      behind_server(activity::Kind::rmw, arguments.far, arguments.far, proc, group);
  Found found;
  if (runtime == nullptr || !arguments.find(found)) return false;
  AtomicOperation operation = operation_of(static_cast<Worker>(proc), found, arguments);
  const unsigned bytes = scalar_bytes(operation.scalar);
  if (!is_aligned(arguments.far, bytes) || !runtime->remote().batches().takes(bytes)) return false;
  operation.is_blocking = false;
  const auto append = [&](op::Remote& remote, const op::RemoteTarget& far, nb::Completion& completion) {
    return remote.batches().append_atomic(operation, far, completion);
  };
  return appended_and_awaited(*runtime, activity::Kind::rmw, {Arguments::name, proc}, bytes, handle, append);
}

int carry_out(runtime::Runtime& runtime, const char* name, const runtime::Reach& target,
              AtomicOperation& operation, const Finish& finish) {
  operation.is_blocking = finish.kind == Finish::Kind::blocking;
  const auto where = [&] { return runtime.context(name, target, operation.far); };
  if (const Status valid = op::validate(operation); !valid) {
    return runtime.reporter().fail(where(), valid.failure());
  }
  if (runtime.is_direct(activity::Kind::rmw, target)) {
    runtime.order_before_direct(target);
    const op::Direct& direct = *target.direct;
    if (!direct.try_atomic(operation, target.place)) {
      const shm::BoundsCheck checked =
          direct.check_word(target.place, target.worker(), operation.far, scalar_bytes(operation.scalar));
      return runtime.reporter().fail(where(), direct.describe(checked, target.place));
    }
    runtime.count(activity::Kind::rmw, target, scalar_bytes(operation.scalar));
    return finish.complete();
  }
  runtime.count(activity::Kind::rmw, target, scalar_bytes(operation.scalar));
  const op::RemoteTarget far = target.remote_target();
  const auto begin = [&](nb::Completion& completion) {
    target.remote->append_or_start(operation, far, completion);
  };
  return finish_remote(runtime, *target.remote, target.reason(name), finish, begin,
                       operation.is_blocking ? nullptr : &far);
}

template <class Arguments>
[[gnu::noinline]] int perform(const Arguments& arguments, int proc, comex_group_t group,
                              const Finish& finish) {
  const char* name = finish.kind == Finish::Kind::blocking ? Arguments::blocking_name : Arguments::name;
  runtime::Reach target;
  runtime::Runtime* const runtime = enter({name, proc, group}, target);
  if (runtime == nullptr) return COMEX_FAILURE;
  Found found;
  if (!arguments.find(found)) {
    return runtime->reporter().fail(runtime->context(name, target, arguments.far), arguments.what_is_wrong());
  }
  AtomicOperation operation = operation_of(target.worker(), found, arguments);
  return carry_out(*runtime, name, target, operation, finish);
}

template <class Arguments>
inline int blocking_atomic(const Arguments& arguments, int proc, comex_group_t group) {
  if (small_atomic(arguments, proc, group)) [[likely]]
    return COMEX_SUCCESS;
  return perform(arguments, proc, group, Finish::block());
}

template <class Arguments>
inline int nonblocking_atomic(const Arguments& arguments, int proc, comex_group_t group,
                              comex_request_t* handle) {
  if (small_atomic(arguments, proc, group)) return Finish::by(handle).complete();
  if (appended_atomic(arguments, proc, group, handle)) return COMEX_SUCCESS;
  return perform(arguments, proc, group, Finish::by(handle));
}

}  // namespace
}  // namespace comex::calls

using namespace comex::calls;

[[gnu::flatten]] int comex_rmw(int op, void* ploc, void* prem, int extra, int proc, comex_group_t group) {
  return blocking_atomic(Rmw{op, ploc, prem, extra}, proc, group);
}

int comex_nbrmw(int op, void* ploc, void* prem, int extra, int proc, comex_group_t group,
                comex_request_t* handle) {
  return nonblocking_atomic(Rmw{op, ploc, prem, extra}, proc, group, handle);
}

[[gnu::flatten]] int comex_atomic(int op, int type, void* fetched, const void* operand, const void* compare,
                                  void* target, int proc, comex_group_t group) {
  return blocking_atomic(Typed{op, type, fetched, operand, compare, target}, proc, group);
}

int comex_nbatomic(int op, int type, void* fetched, const void* operand, const void* compare, void* target,
                   int proc, comex_group_t group, comex_request_t* handle) {
  return nonblocking_atomic(Typed{op, type, fetched, operand, compare, target}, proc, group, handle);
}
