// Failures of the runtime as exceptions. Included by comex.hpp.
#pragma once

#include <comex/comex.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>

namespace comex {

namespace detail {

inline constexpr int no_target = -1;

// A C call, for the text of its failure. `name` is a literal.
struct call {
  const char* name = "";
  int target = no_target;
  comex_group_t group = COMEX_GROUP_WORLD;
  std::size_t bytes = 0;
};

// The line that the runtime has printed; or, if another process has or none was, what is known here.
inline std::string text_of(const call& failed, int code) {
  std::string text = comex_error_text();
  if (text.find(std::string(": ") + failed.name) != std::string::npos) return text;
  text = failed.name;
  if (failed.bytes != 0) text += " of " + std::to_string(failed.bytes) + " bytes";
  if (failed.target != no_target) {
    text += ": target " + std::to_string(failed.target);
    if (failed.group != COMEX_GROUP_WORLD) text += " of group " + std::to_string(failed.group);
  } else if (failed.group != COMEX_GROUP_WORLD) {
    text += ": group " + std::to_string(failed.group);
  }
  return text + (code == COMEX_PROC_FAILED ? ": a process has died"
                                           : ": failed; the line that the runtime printed says why");
}

}  // namespace detail

// What a call of the runtime throws when it fails. what() is the line that the runtime has printed to stderr.
// If another process has printed it, as of a small write that its host refuses, what() has the operation, the
// target and the bytes. A refused operation has changed nothing at the target, and the program may go on.
class error : public std::runtime_error {
 public:
  explicit error(const detail::call& failed, int code = COMEX_FAILURE)
      : std::runtime_error(detail::text_of(failed, code)), failed_(failed), code_(code) {}

  // COMEX_FAILURE; or COMEX_PROC_FAILED where a process has died and the others go on, of which no line
  // tells.
  int code() const noexcept { return code_; }
  const char* operation() const noexcept { return failed_.name; }
  // The rank in group(), or -1 if the call has no target.
  int target() const noexcept { return failed_.target; }
  comex_group_t group() const noexcept { return failed_.group; }
  // 0 if the call moves no data.
  std::size_t bytes() const noexcept { return failed_.bytes; }

 private:
  detail::call failed_;
  int code_;
};

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void fail(const call& failed, int code = COMEX_FAILURE) {
  throw error(failed, code);
}
// The members one by one: a caller that succeeds then never stores them.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail(int code, const char* name, int target,
                                                        comex_group_t group, std::size_t bytes) {
  throw error(call{name, target, group, bytes}, code);
}

// Throws error unless the C call has returned COMEX_SUCCESS.
[[gnu::always_inline]] inline void check(int code, const call& made) {
  if (code != COMEX_SUCCESS) [[unlikely]]
    fail(code, made.name, made.target, made.group, made.bytes);
}

// Tells whether an object dies because an exception passes. Collective destructors then do nothing.
class passing_exception {
 public:
  explicit operator bool() const noexcept { return std::uncaught_exceptions() > before_; }

 private:
  int before_ = std::uncaught_exceptions();
};

inline std::atomic<unsigned> ended_runtimes = 0;

// Tells whether the runtime that something is of has ended, which has freed it; handles and addresses may be
// those of others in a later runtime. It moves with what it tells of.
class life {
 public:
  bool is_over() const noexcept {
    return ended_before_ != ended_runtimes.load(std::memory_order_relaxed) || comex_initialized() == 0;
  }

 private:
  unsigned ended_before_ = ended_runtimes.load(std::memory_order_relaxed);
};

}  // namespace detail
}  // namespace comex
