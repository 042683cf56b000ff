// comex.hpp: futures, coroutines, mutexes, signals and counters.
#pragma once

#include <memory>
#include <mutex>

#include "mpi/cpp_data.h"

namespace comex::testing {

// Owns what an operation fills.
struct FirstOf {
  std::unique_ptr<std::vector<long>> room;
  long operator()() const { return room->front(); }
};

inline void futures(const Job& job) {
  const array<long> memory(group::world(), 16 * static_cast<std::size_t>(job.workers));
  const auto at = 16 * static_cast<std::size_t>(job.me);
  std::vector<future<>> puts;
  std::vector<long> sent(16);
  std::iota(sent.begin(), sent.end(), 10L * job.me);
  for (int target = 0; target < job.workers; ++target) {
    puts.push_back(async_put(sent, memory.part(target).subspan(at, 16)));
  }
  when_all(std::move(puts)).wait();
  std::vector<future<long>> gets;
  for (int target = 0; target < job.workers; ++target) gets.push_back(async_get(memory.ptr(target, at + 3)));
  const std::vector<long> got = when_all(std::move(gets)).get();
  job.require(got == std::vector<long>(static_cast<std::size_t>(job.workers), sent[3]), "what all brought");

  const int last = job.workers - 1;
  long value = 77;
  std::vector<long> back(2);
  async_put(value, memory.ptr(last, at)).wait();
  auto both = when_all(async_get(memory.ptr(last, at)), async_get(memory.ptr(last, at + 1), back));
  while (!both.ready()) {
  }
  job.equal(std::get<0>(both.get()), 77, "the first of two");
  job.require(back == std::vector<long>{sent[1], sent[2]}, "the second of two");

  auto next =
      async_get(memory.ptr(last, at)).then([](long seen) { return std::make_unique<long>(seen + 1); });
  auto text = std::move(next).then([](std::unique_ptr<long> seen) { return std::to_string(*seen); });
  auto moved = std::move(text);
  job.require(moved.get() == "78", "a chain");
  bool was_called = false;
  {
    auto dropped = async_get(memory.ptr(last, at), back).then([&] { was_called = true; });
  }
  job.require(!was_called, "a chain that was dropped");
  {
    auto owned = std::make_unique<std::vector<long>>(100'000);
    const std::span<long> room(owned->data(), 2);
    auto owner =
        async_get(memory.ptr(last, at + 1), room).then([kept = std::move(owned)] { return (*kept)[0]; });
  }
  auto thrower = async_put(value, memory.ptr(last, at)).then([] { throw std::string("mine"); });
  thrower.settle();
  job.require(throws<std::string>([&] { thrower.get(); }), "what a chain throws");
  future<long> one = async_get(memory.ptr(last, at));
  one = async_get(memory.ptr(last, at + 5));
  job.require(one.get() == sent[5] && one.get() == sent[5], "a future that took another's place");
  const auto first_of = [&](std::size_t index) {
    auto room = std::make_unique<std::vector<long>>(1);
    const std::span<long> to = *room;
    return async_get(memory.ptr(last, at + index), to).then(FirstOf{std::move(room)});
  };
  auto chained = first_of(5);
  chained = first_of(6);  // what the first one fills is there until it has come
  job.equal(chained.get(), sent[6], "a chain that took another's place");
  future<> none;
  job.require(none.ready(), "a future of nothing");
}

// As an operation that was split has them.
inline void several_requests(const Job& job) {
  constexpr std::size_t count = 30;
  const array<long> memory(group::world(), count);
  std::iota(memory.local().begin(), memory.local().end(), 10L * job.me);
  group::world().barrier();
  static long outside = 1;
  const int last = job.workers - 1;
  std::vector<long> back(count);
  const auto begin = [&](detail::requests& all, long* from, long* to) {
    all.begin([&](comex_request_t* request) {
      return comex_nbget(from, to, sizeof(long), last, COMEX_GROUP_WORLD, request);
    });
  };
  detail::requests all({.name = "several"});
  for (std::size_t i = 0; i < count; ++i) begin(all, memory.ptr(last, i).address(), &back[i]);
  detail::requests moved;
  moved = std::move(all);
  moved.finish();
  for (std::size_t i = 0; i < count; ++i)
    job.equal(back[i], 10L * last + static_cast<long>(i), "one of many");
  detail::requests wrong({.name = "several"});
  const bool is_thrown = throws_error([&] {
    begin(wrong, &outside, &back[0]);
    begin(wrong, memory.ptr(last).address(), &back[1]);
    while (!wrong.is_done()) {
    }
    wrong.finish();
  });
  job.require(is_thrown, "the first of two requests");
  group::world().barrier();
}

// Is ready once somebody opens it.
struct Gate {
  using value_type = int;
  bool ready() noexcept { return *is_open; }
  void settle() noexcept {}
  void wait() {}
  int get() { return *is_open ? 5 : 0; }
  const bool* is_open;
};

inline task<long> element(global_ptr<long> from) {
  co_return co_await async_get(from);
}
inline task<long> sum_of(const array<long>& memory, int ranks) {
  long sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += co_await element(memory.ptr(rank));
  co_return sum;
}
inline task<> add_one(global_ptr<long> to) {
  const long before = co_await async_fetch_add(to, 1);
  if (before < 0) throw std::logic_error("a counter below 0");
}
inline task<int> through(Gate& gate) {
  co_return co_await gate;
}
inline task<int> opens(bool& gate, global_ptr<long> from) {
  const auto [a, b] = co_await when_all(async_get(from), async_get(from + 1));
  gate = true;
  co_return static_cast<int>(b - a);
}
inline task<long> opened(Gate& gate, long turns) {
  long sum = 0;
  for (long turn = 0; turn < turns; ++turn) sum += co_await through(gate);
  co_return sum;
}
inline task<> throws_first(global_ptr<long> from) {
  (void)co_await async_get(from);
  throw std::string("mine");
}

inline void tasks(const Job& job) {
  const array<long> memory(group::world(), 3);
  memory.local()[0] = 10 + job.me;
  memory.local()[1] = 30 + job.me;
  memory.local()[2] = 0;
  group::world().barrier();
  const long all = 10L * job.workers + job.workers * (job.workers - 1) / 2;
  job.equal(run(sum_of(memory, job.workers)), all, "the sum of all");
  bool is_open = false;
  Gate gate{&is_open};
  continuation late(Gate{&is_open}, [](int seen) { return seen + 1; });
  job.require(!late.ready(), "a chain that is not ready");
  const global_ptr<long> last = memory.ptr(job.workers - 1);
  const auto results = run(through(gate), opens(is_open, last), add_one(memory.ptr(job.workers - 1, 2)));
  job.equal(std::get<0>(results), 5, "a task that waits for another");
  job.equal(std::get<1>(results), 20, "two results at once");
  job.require(late.ready() && late.get() == 6, "a chain that has become ready");
  job.equal(run(opened(gate, 1'000'000)), 5'000'000, "the sum of tasks that do not wait");
  std::vector<task<long>> many;
  for (int rank = 0; rank < job.workers; ++rank) many.push_back(element(memory.ptr(rank)));
  const std::vector<long> seen = run(std::move(many));
  for (int rank = 0; rank < job.workers; ++rank) {
    job.equal(seen[static_cast<std::size_t>(rank)], 10 + rank, "a result of many");
  }
  const auto run_throwing = [&] { run(throws_first(last), add_one(memory.ptr(job.workers - 1, 2))); };
  job.require(throws<std::string>(run_throwing), "what a task throws");
  group::world().barrier();
  if (job.me == job.workers - 1) job.equal(memory.local()[2], 2L * job.workers, "what tasks have added");
  group::world().barrier();
}

inline void guarded_counters(const Job& job) {
  const mutexes set(2);
  const array<long> words(group::world(), 2);
  words.local()[0] = words.local()[1] = 0;
  group::world().barrier();
  for (int turn = 0; turn < 5; ++turn) {
    for (int owner = 0; owner < job.workers; ++owner) {
      mutex first = set.at(0, owner);
      mutex second = set.at(1, owner);
      const std::scoped_lock both(first, second);
      for (std::size_t i = 0; i < 2; ++i) put(get(words.ptr(owner, i)) + 1, words.ptr(owner, i));
      fence(words.ptr(owner));
    }
  }
  group::world().barrier();
  job.equal(words.local()[0], 5L * job.workers, "the first guarded counter");
  job.equal(words.local()[1], 5L * job.workers, "the second guarded counter");
  mutex shared = set.at(1, 0);
  if (job.me == 0) shared.lock();
  group::world().barrier();
  bool is_taken_over = true;
  if (job.me != 0) {
    job.require(!shared.try_lock(), "a mutex that another one holds");
    job.require(!shared.try_lock(is_taken_over) && !is_taken_over, "a mutex that a living one holds");
  }
  group::world().barrier();
  if (job.me == 0) shared.unlock();
  group::world().barrier();
}

inline void waits_for_several_words(const Job& job) {
  const auto all = static_cast<std::size_t>(job.workers);
  const array<long> words(group::world(), all + 1);
  const array<long> data(group::world(), all);
  std::ranges::fill(words.local(), 0);
  group::world().barrier();
  const auto mine = static_cast<std::size_t>(job.me);
  const std::vector<long> sent{100L + job.me};
  const std::span<long> watched = words.local().first(all);
  std::vector<future<>> started;
  for (int target = 0; target < job.workers; ++target) {
    started.push_back(async_put_signal(sent, data.ptr(target, mine), words.ptr(target, mine), 1));
    put_signal_add(sent, data.ptr(target, mine), words.ptr(target, all), 2);
    started.push_back(async_put_signal_add(sent, data.ptr(target, mine), words.ptr(target, all), 3));
  }
  std::vector<int> skip(all, 0);
  const std::size_t first = wait_until_any(watched, compare::equal, 1);
  job.equal(data.local()[first], 100L + static_cast<long>(first), "the data of the first");
  skip[first] = 1;
  for (std::size_t seen = 1; seen < all;) {
    const std::vector<std::size_t> found = wait_until_some(watched, compare::equal, 1, skip);
    for (const std::size_t i : found) skip[i] = 1;
    job.require(!found.empty(), "a wait that found nothing");
    seen += found.size();
  }
  job.equal(wait_until_any(watched, compare::equal, 1, skip), all, "an index where no word is left");
  wait_until_all(words.local().last(1), compare::equal, 5L * job.workers);
  when_all(std::move(started)).wait();
  for (std::size_t i = 0; i < all; ++i) job.equal(data.local()[i], 100L + static_cast<long>(i), "data");
  const std::vector<int> few(all + 1, 0);
  job.require(throws<std::length_error>([&] { wait_until_all(watched, compare::equal, 1, few); }),
              "more words to skip than there are");
  group::world().barrier();
}

inline void signals_and_counters(const Job& job) {
  const signal bell(group::world());
  const array<long> memory(group::world(), 4);
  const int next = (job.me + 1) % job.workers;
  const int before = (job.me + job.workers - 1) % job.workers;
  for (long round = 1; round <= 10; ++round) {
    const std::vector<long> sent{round, job.me, 0};
    bell.put(sent, memory.ptr(next), round);
    bell.wait_until(compare::greater_equal, round);
    job.require(memory.local()[0] == round && memory.local()[1] == before, "what came with a signal");
    group::world().barrier();
  }
  bell.put(9L, memory.ptr(next, 3), 100);
  bell.wait_until(compare::equal, 100);
  job.equal(memory.local()[3], 9, "a value that came with a signal");
  group::world().barrier();
  bell.notify(next);
  bell.wait_until(compare::equal, 101);
  job.require(throws<std::invalid_argument>([&] {
                put_signal(1L, memory.ptr(next), global_ptr<long>(bell.word(next).address(), next + 1), 1);
              }),
              "a signal to another rank than the data");

  const counter numbers(group::world(), job.workers - 1, 100);
  const array<int> drawn(group::world(), 64);
  std::fill(drawn.local().begin(), drawn.local().end(), 0);
  group::world().barrier();
  for (long task = numbers.next(); task < 164; task = numbers.async_next().get()) {
    fetch_add(drawn.ptr(0, static_cast<std::size_t>(task - 100)), 1);
  }
  group::world().barrier();
  for (const int times : drawn.local()) job.require(job.me != 0 || times == 1, "a task drawn once");
  group::world().barrier();
}

}  // namespace comex::testing
