// What a non-blocking call has under way, and where its result goes. Included by comex.hpp.
#pragma once

#include <comex/cpp/error.hpp>

#include <array>
#include <bit>
#include <climits>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace comex::detail {

inline char* raw(const void* address) noexcept {  // the C calls take sources as void* too
  return static_cast<char*>(const_cast<void*>(address));
}

// The requests of one operation: one, or more if it was split. They are waited for before this ends, since
// buffers are in use until then. A failure that nobody asks for is told by the runtime's line only.
class requests {
 public:
  requests() noexcept = default;
  explicit requests(const call& made) noexcept : made_(made) {}
  requests(requests&& other) noexcept
      : made_(other.made_),
        request_(other.request_),
        is_pending_(std::exchange(other.is_pending_, false)),
        life_(other.life_),
        failure_(std::exchange(other.failure_, COMEX_SUCCESS)),
        more_(std::move(other.more_)) {}
  requests& operator=(requests&& other) noexcept {
    if (this == &other) return *this;
    end();
    made_ = other.made_;
    request_ = other.request_;
    is_pending_ = std::exchange(other.is_pending_, false);
    life_ = other.life_;
    failure_ = std::exchange(other.failure_, COMEX_SUCCESS);
    more_ = std::move(other.more_);
    return *this;
  }
  ~requests() { end(); }

  // start(handle) is a non-blocking C call.
  template <class Start>
  void begin(Start&& start) {
    if (is_pending_) keep();
    comex_request_t request = 0;
    if (const int code = start(&request); code != COMEX_SUCCESS) [[unlikely]] {
      if (is_pending_) more_->pop_back();
      fail(made_, code);
    }
    request_ = request;
    is_pending_ = true;
    life_ = life();
  }

  // Makes a round of progress if something is under way. Else it serves now and then, as every call does,
  // since a program may ask until it sees what another worker writes.
  bool is_done() noexcept {
    if (!is_pending_) comex_initialized();
    while (is_pending_) {
      comex_request_t request = request_;  // a copy, so that the members may stay in registers
      int status = 0;
      if (const int code = comex_test(&request, &status); code != COMEX_SUCCESS) {
        failure_ = code;
      } else if (status != 0) {
        return false;
      }
      next();
    }
    return true;
  }
  // It serves as well where there is nothing to wait for.
  void settle() noexcept {
    if (!is_pending_) comex_initialized();
    drain();
  }
  // Waits, and throws if any request has failed.
  void finish() {
    settle();
    if (failure_ != COMEX_SUCCESS) [[unlikely]]
      fail(made_, failure_);
  }

 private:
  void end() noexcept {
    if (is_pending_ && !life_.is_over()) drain();  // the end of the runtime has completed it
  }
  void drain() noexcept {
    while (is_pending_) {
      comex_request_t request = request_;
      if (const int code = comex_wait(&request); code != COMEX_SUCCESS) failure_ = code;
      next();
    }
  }
  void keep() {
    if (!more_) more_ = std::make_unique<std::vector<comex_request_t>>();
    more_->push_back(request_);
  }
  void next() noexcept {
    is_pending_ = more_ && !more_->empty();
    if (!is_pending_) return;
    request_ = more_->back();
    more_->pop_back();
  }

  call made_;
  comex_request_t request_ = 0;
  bool is_pending_ = false;
  life life_;
  int failure_ = COMEX_SUCCESS;  // the code of one that has failed
  std::unique_ptr<std::vector<comex_request_t>> more_;
};

// Free blocks for small results: each thread keeps some, so that in the long run none is allocated.
inline constexpr std::size_t small_result_bytes = 64;
inline constexpr int most_kept_blocks = 256;  // by a thread that ends more futures than it makes
struct free_block {
  free_block* next = nullptr;
};
struct block_list {
  free_block* first = nullptr;
  int kept = 0;
  bool ends_with_thread = false;
};
inline thread_local constinit block_list free_blocks;

[[gnu::cold, gnu::noinline]] inline void keep_until_thread_ends() {
  struct at_end {
    bool is_made = false;
    ~at_end() {
      block_list& mine = free_blocks;
      while (mine.first != nullptr) ::operator delete(std::exchange(mine.first, mine.first->next));
      mine.kept = most_kept_blocks;  // what comes later is freed at once
    }
  };
  static thread_local at_end keeper;
  keeper.is_made = true;
  free_blocks.ends_with_thread = true;
}

// Memory for the result of a call, which stays where it is while its owner moves. Of a T, `count` fit in.
template <class T, std::size_t count = 1>
class result {
 public:
  result() : at_(take()) {}
  result(result&& other) noexcept : at_(std::exchange(other.at_, nullptr)) {}
  result& operator=(result&& other) noexcept {
    std::swap(at_, other.at_);
    return *this;
  }
  ~result() {
    if (at_ != nullptr) give(at_);
  }

  void* at() const noexcept { return at_; }
  T value() const noexcept {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), at_, sizeof(T));
    return std::bit_cast<T>(bytes);
  }

 private:
  static constexpr std::size_t room_bytes = count * sizeof(T);
  static void* take() {
    if constexpr (room_bytes > small_result_bytes) return ::operator new(room_bytes);
    block_list& mine = free_blocks;
    if (mine.first == nullptr) [[unlikely]]
      return ::operator new(small_result_bytes);
    --mine.kept;
    return std::exchange(mine.first, mine.first->next);
  }
  static void give(void* at) noexcept {
    if constexpr (room_bytes > small_result_bytes) {
      ::operator delete(at);
    } else {
      block_list& mine = free_blocks;
      if (!mine.ends_with_thread) [[unlikely]]
        keep_until_thread_ends();
      if (mine.kept == most_kept_blocks) [[unlikely]]
        return ::operator delete(at);
      ++mine.kept;
      mine.first = ::new (at) free_block{mine.first};
    }
  }

  void* at_;
};

// What becomes of a computation: nothing yet, a value, or an exception.
template <class T>
class outcome {
 public:
  using stored = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

  bool is_empty() const noexcept { return state_.index() == 0; }
  void set_exception() noexcept { state_.template emplace<2>(std::current_exception()); }
  template <class... Value>
  void set(Value&&... value) {
    state_.template emplace<1>(std::forward<Value>(value)...);
  }
  // Sets what f() returns or throws.
  template <class F>
  void set_from(F&& f) noexcept {
    try {
      if constexpr (std::is_void_v<T>) {
        f();
        set();
      } else {
        set(f());
      }
    } catch (...) {
      set_exception();
    }
  }
  void rethrow() const {
    if (state_.index() == 2) std::rethrow_exception(std::get<2>(state_));
  }
  // Moves the value out, or throws the exception.
  T take() {
    rethrow();
    if constexpr (!std::is_void_v<T>) return std::move(std::get<1>(state_));
  }

 private:
  std::variant<std::monostate, stored, std::exception_ptr> state_;
};

}  // namespace comex::detail
