// Mutexes, signals and counters. Included by comex.hpp.
#pragma once

#include <comex/cpp/array.hpp>
#include <comex/cpp/atomics.hpp>
#include <comex/cpp/transfer.hpp>

#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace comex {

// One mutex of a worker, for std::lock_guard, std::unique_lock and std::scoped_lock. A value that owns
// nothing, valid as long as its mutexes. It is fair and not recursive. It fences nothing: a holder that has
// written calls fence before it unlocks. unlock throws if the caller does not hold it; inside a guard's
// destructor that ends the program.
class mutex {
 public:
  // `owner` is a rank of the world.
  constexpr mutex(int index, int owner) noexcept : index_(index), owner_(owner) {}

  // True if it was taken over from a worker that died with it: what it guards may be half updated.
  bool lock() {
    const int code = comex_lock(index_, owner_);
    if (code == COMEX_OWNER_DIED) [[unlikely]]
      return true;
    detail::check(code, {.name = "lock", .target = owner_});
    return false;
  }
  bool try_lock() {
    bool was_taken_over = false;
    return try_lock(was_taken_over);
  }
  bool try_lock(bool& was_taken_over) {
    int is_mine = 0;
    const int code = comex_trylock(index_, owner_, &is_mine);
    was_taken_over = code == COMEX_OWNER_DIED;
    if (!was_taken_over) detail::check(code, {.name = "trylock", .target = owner_});
    return is_mine != 0;
  }
  void unlock() { detail::check(comex_unlock(index_, owner_), {.name = "unlock", .target = owner_}); }

  constexpr int index() const noexcept { return index_; }
  constexpr int owner() const noexcept { return owner_; }

 private:
  int index_;
  int owner_;
};

// The mutexes of all workers: each brings `mine` >= 0 of its own. Made and destroyed by all workers together;
// one set at a time.
class mutexes {
 public:
  explicit mutexes(int mine) { detail::check(comex_create_mutexes(mine), {.name = "create_mutexes"}); }
  mutexes(mutexes&& other) noexcept : is_owner_(std::exchange(other.is_owner_, false)), life_(other.life_) {}
  mutexes& operator=(mutexes&&) = delete;
  mutexes(const mutexes&) = delete;
  mutexes& operator=(const mutexes&) = delete;
  ~mutexes() {
    if (is_owner_ && !passing_ && !life_.is_over()) comex_destroy_mutexes();
  }

  // Number `index` of the worker `owner`. Whether it exists is found out by its first use.
  mutex at(int index, int owner) const noexcept { return {index, owner}; }

 private:
  bool is_owner_ = true;
  detail::life life_;
  detail::passing_exception passing_;
};

enum class compare : int {
  equal = COMEX_CMP_EQ,
  not_equal = COMEX_CMP_NE,
  greater = COMEX_CMP_GT,
  greater_equal = COMEX_CMP_GE,
  less = COMEX_CMP_LT,
  less_equal = COMEX_CMP_LE,
};

namespace detail {

template <class T>
inline void require_one_rank(const global_ptr<T>& data, const global_ptr<long>& word) {
  if (data.rank() != word.rank() || data.group() != word.group())
    throw std::invalid_argument("comex::put_signal: the data and the word are of different ranks");
}

}  // namespace detail

// Writes the elements to `to`, then stores `value` to `word`, both of one rank. Whoever sees the value sees
// the elements and all earlier writes of the caller to that rank. It returns when `from` may be reused.
template <writable T>
void put_signal(std::span<const std::type_identity_t<T>> from, global_ptr<T> to, global_ptr<long> word,
                long value) {
  detail::require_one_rank(to, word);
  detail::check(comex_put_signal_x(from.data(), detail::raw(to.address()), from.size_bytes(), word.address(),
                                   value, to.rank(), to.group()),
                detail::naming("put_signal", to, from.size_bytes()));
}
template <writable T>
void put_signal(const std::type_identity_t<T>& value, global_ptr<T> to, global_ptr<long> word, long signal) {
  put_signal(std::span<const T>(std::addressof(value), 1), to, word, signal);
}
// The same, but `addend` is added to the word.
template <writable T>
void put_signal_add(std::span<const std::type_identity_t<T>> from, global_ptr<T> to, global_ptr<long> word,
                    long addend) {
  detail::require_one_rank(to, word);
  detail::check(comex_put_signal_add(from.data(), detail::raw(to.address()), from.size_bytes(),
                                     word.address(), addend, to.rank(), to.group()),
                detail::naming("put_signal_add", to, from.size_bytes()));
}
template <writable T>
future<> async_put_signal(std::span<const std::type_identity_t<T>> from, global_ptr<T> to,
                          global_ptr<long> word, long value) {
  detail::require_one_rank(to, word);
  return future<>([&] {
    return detail::begin_one(
        detail::naming("nbput_signal", to, from.size_bytes()), [&](comex_request_t* request) {
          return comex_nbput_signal(from.data(), detail::raw(to.address()), from.size_bytes(), word.address(),
                                    value, to.rank(), to.group(), request);
        });
  });
}
template <writable T>
future<> async_put_signal_add(std::span<const std::type_identity_t<T>> from, global_ptr<T> to,
                              global_ptr<long> word, long addend) {
  detail::require_one_rank(to, word);
  return future<>([&] {
    return detail::begin_one(
        detail::naming("nbput_signal_add", to, from.size_bytes()), [&](comex_request_t* request) {
          return comex_nbput_signal_add(from.data(), detail::raw(to.address()), from.size_bytes(),
                                        word.address(), addend, to.rank(), to.group(), request);
        });
  });
}
// A container that would die before the data is on its way is refused by the compiler.
template <detail::dying_container Container, class To>
future<> async_put_signal(Container&&, To, global_ptr<long>, long) = delete;
template <detail::dying_container Container, class To>
future<> async_put_signal_add(Container&&, To, global_ptr<long>, long) = delete;
// Returns once a word of the caller's own memory compares with the value; data that came before is there.
inline void wait_until(long& word, compare how, long value) {
  detail::check(comex_wait_until(&word, static_cast<int>(how), value), {.name = "wait_until"});
}

// Wait for several words of the caller's own memory, without those whose entry in `skip` is not 0. _all waits
// until each has compared; _any gives the lowest number of one that compares, _some the numbers of all that
// do, in order, and at least one. Where no word is left, _any gives their count and _some none.
namespace detail {
inline const int* as_skip(std::span<const long> words, std::span<const int> skip) {
  if (!skip.empty() && skip.size() != words.size())
    throw std::length_error("comex::wait_until: the words to skip are not as many as the words");
  return skip.empty() ? nullptr : skip.data();
}
}  // namespace detail
inline void wait_until_all(std::span<long> words, compare how, long value, std::span<const int> skip = {}) {
  detail::check(comex_wait_until_all(words.data(), words.size(), detail::as_skip(words, skip),
                                     static_cast<int>(how), value),
                {.name = "wait_until_all"});
}
inline std::size_t wait_until_any(std::span<long> words, compare how, long value,
                                  std::span<const int> skip = {}) {
  std::size_t index = 0;
  detail::check(comex_wait_until_any(words.data(), words.size(), detail::as_skip(words, skip),
                                     static_cast<int>(how), value, &index),
                {.name = "wait_until_any"});
  return index;
}
inline std::vector<std::size_t> wait_until_some(std::span<long> words, compare how, long value,
                                                std::span<const int> skip = {}) {
  std::vector<std::size_t> indices(words.size());
  std::size_t found = 0;
  detail::check(comex_wait_until_some(words.data(), words.size(), detail::as_skip(words, skip),
                                      static_cast<int>(how), value, indices.data(), &found),
                {.name = "wait_until_some"});
  indices.resize(found);
  return indices;
}

// A word on each member of a group by which others tell it that data has come, 0 at first. Made and destroyed
// collectively.
class signal {
 public:
  explicit signal(const group& over) : words_(over, 1) {
    words_.local()[0] = 0;
    over.barrier();
  }

  // To the rank of `to`, which is one of the group: put_signal with that rank's word.
  template <writable T>
  void put(std::span<const std::type_identity_t<T>> from, global_ptr<T> to, long value) const {
    put_signal(from, to, word(to.rank()), value);
  }
  template <writable T>
  void put(const std::type_identity_t<T>& element, global_ptr<T> to, long value) const {
    put_signal(element, to, word(to.rank()), value);
  }
  // Adds 1 at a rank after all earlier writes of the caller to it, and gives the value before.
  long notify(int rank) const { return fetch_add(word(rank), 1); }
  // For the caller's own word.
  void wait_until(compare how, long value) const { comex::wait_until(words_.local()[0], how, value); }

  global_ptr<long> word(int rank) const { return words_.ptr(rank); }

 private:
  array<long> words_;
};

// Numbers for tasks: each call of next() gives another one, to whichever member of the group asks. The word
// is on rank `root`. Made and destroyed collectively.
class counter {
 public:
  explicit counter(const group& over, int root = 0, long first = 0)
      : words_(over, only_on(root, over.size())), root_(root) {
    if (words_.rank() == root) words_.local()[0] = first;
    over.barrier();
  }

  // The number, after which the counter is `step` higher.
  long next(long step = 1) const { return fetch_add(words_.ptr(root_), step); }
  future<long> async_next(long step = 1) const { return async_fetch_add(words_.ptr(root_), step); }

 private:
  static std::vector<std::size_t> only_on(int root, int size) {
    if (root < 0 || root >= size) throw std::out_of_range("comex::counter: the root is no rank");
    std::vector<std::size_t> counts(static_cast<std::size_t>(size), 0);
    counts[static_cast<std::size_t>(root)] = 1;
    return counts;
  }

  array<long> words_;
  int root_;
};

}  // namespace comex
