#include <algorithm>
#include <cstring>
#include <thread>

#include "support.h"

namespace comex::shm {
namespace {

OsCase memory_with_large_pages() {
  const auto make = [] {
    auto os = std::make_unique<MemoryOs>();
    os->faults.large_page_bytes = test_large_page_bytes;
    return os;
  };
  return {"memory_large_pages", make, Backing::automatic};
}

class OsConformance : public testing::TestWithParam<OsCase> {
 protected:
  std::unique_ptr<Os> os_ = GetParam().make();
  Object object() {
    Result<Object> made = os_->create_object(GetParam().backing);
    EXPECT_TRUE(made);
    return std::move(made).value();
  }
};

TEST_P(OsConformance, opens_an_object_by_its_name) {
  const Object object = this->object();
  const Result<ObjectName> name = os_->name_of(object);
  ASSERT_TRUE(name);
  const Result<Object> again = os_->open_object_of(name.value());
  ASSERT_TRUE(again);
  EXPECT_NE(again->descriptor(), object.descriptor());
}

TEST_P(OsConformance, refuses_an_object_with_another_cookie) {
  const Object object = this->object();
  ObjectName name = os_->name_of(object).value();
  name.cookie ^= 1;
  EXPECT_FALSE(os_->open_object_of(name));
}

TEST_P(OsConformance, refuses_a_descriptor_that_shows_another_object) {
  const Object one = this->object();
  const Object two = this->object();
  ObjectName name = os_->name_of(one).value();
  name.descriptor = two.descriptor();
  EXPECT_FALSE(os_->open_object_of(name));
}

TEST_P(OsConformance, refuses_a_descriptor_on_another_device) {
  const Object object = this->object();
  ObjectName name = os_->name_of(object).value();
  name.device += 1;
  EXPECT_FALSE(os_->open_object_of(name));
}

TEST_P(OsConformance, refuses_a_name_that_leads_nowhere) {
  const Object object = this->object();
  ObjectName name = os_->name_of(object).value();
  name.descriptor = 987654;
  EXPECT_FALSE(os_->open_object_of(name));
}

TEST_P(OsConformance, shares_what_is_written_between_two_openings) {
  const Object object = this->object();
  ASSERT_TRUE(os_->extend(object, 0, 4 * page_bytes));
  const Object again = os_->open_object_of(os_->name_of(object).value()).value();
  std::byte* const base = os_->map(object, {1 << 20}).value();
  std::byte* const other = os_->map(again, {1 << 20}).value();
  std::memset(base + page_bytes, 7, page_bytes);
  EXPECT_EQ(other[page_bytes + 5], std::byte{7});
  os_->unmap(other, 1 << 20);
  os_->unmap(base, 1 << 20);
}

TEST_P(OsConformance, maps_at_the_address_asked_for_or_not_at_all) {
  const Object one = this->object();
  const Object two = this->object();
  const std::uint64_t address = address_candidate(os_->random_bits(), 0, 1 << 20, os_->address_ranges());
  const Result<std::byte*> first = os_->map(one, {1 << 20, address});
  ASSERT_TRUE(first);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.value()), address);
  EXPECT_FALSE(os_->map(two, {1 << 20, address}));
  os_->unmap(first.value(), 1 << 20);
}

TEST_P(OsConformance, grants_pages_that_were_punched_again) {
  const Object object = this->object();
  std::byte* const base = os_->map(object, {1 << 20}).value();
  ASSERT_TRUE(os_->extend(object, 0, 16 * page_bytes));
  std::memset(base + 8 * page_bytes, 9, page_bytes);
  ASSERT_TRUE(os_->punch(object, 8 * page_bytes, page_bytes));
  ASSERT_TRUE(os_->extend(object, 8 * page_bytes, page_bytes));
  EXPECT_EQ(base[8 * page_bytes], std::byte{0});
  os_->unmap(base, 1 << 20);
}

TEST_P(OsConformance, finds_pages_anew_with_what_is_in_them) {
  const Object object = this->object();
  ASSERT_TRUE(os_->extend(object, 0, 4 * page_bytes));
  std::byte* const base = os_->map(object, {1 << 20}).value();
  std::memset(base + page_bytes, 7, 2 * page_bytes);
  os_->find_pages_anew(base + page_bytes + 64, page_bytes);
  const auto found = std::count(base + page_bytes, base + 3 * page_bytes, std::byte{7});
  EXPECT_EQ(static_cast<std::uint64_t>(found), 2 * page_bytes);
  os_->unmap(base, 1 << 20);
}

TEST_P(OsConformance, keeps_what_is_there_where_it_grants_large_pages) {
  constexpr std::uint64_t bytes = 16ULL << 20;
  constexpr std::uint64_t end = bytes - page_bytes;
  const Object object = this->object();
  std::byte* const base = os_->map(object, {bytes}).value();
  const auto count = [&](int value) {  // behind the object's prefix
    return static_cast<std::uint64_t>(std::count(base + page_bytes, base + end, std::byte(value)));
  };
  ASSERT_TRUE(os_->extend(object, 0, 3 * page_bytes));
  ASSERT_TRUE(os_->extend(object, 5 << 20, page_bytes));
  std::memset(base + page_bytes, 7, 2 * page_bytes);
  std::memset(base + (5 << 20), 8, page_bytes);
  os_->grant_large_pages(object, page_bytes, end - page_bytes);
  ASSERT_TRUE(os_->extend(object, page_bytes, end - page_bytes));
  EXPECT_EQ(count(7), 2 * page_bytes);
  EXPECT_EQ(count(8), page_bytes);
  EXPECT_EQ(count(0), end - 4 * page_bytes);
  std::memset(base + page_bytes, 9, end - page_bytes);
  ASSERT_TRUE(os_->punch(object, 2 << 20, 4 << 20));
  ASSERT_TRUE(os_->extend(object, 2 << 20, 4 << 20));
  EXPECT_EQ(count(9), end - page_bytes - (4 << 20));
  EXPECT_EQ(count(0), 4u << 20);
  os_->unmap(base, bytes);
}

TEST_P(OsConformance, knows_who_is_alive) {
  const Object object = this->object();
  const Object again = os_->open_object_of(os_->name_of(object).value()).value();
  EXPECT_FALSE(os_->is_alive(again, 3));
  {
    const Result<Object> life = os_->hold_life(object, 3);
    ASSERT_TRUE(life);
    EXPECT_TRUE(os_->is_alive(again, 3));
    EXPECT_TRUE(os_->is_alive(object, 3));
    EXPECT_FALSE(os_->is_alive(again, 2));
    EXPECT_FALSE(os_->hold_life(again, 3));
  }
  EXPECT_FALSE(os_->is_alive(again, 3));
}

TEST_P(OsConformance, does_not_sleep_on_a_word_that_changed) {
  const std::atomic<std::uint32_t> word{5};
  EXPECT_TRUE(os_->wait(word, 4, forever_ns));
}

TEST_P(OsConformance, says_when_the_time_of_a_wait_ran_out) {
  const std::atomic<std::uint32_t> word{5};
  EXPECT_FALSE(os_->wait(word, 5, 1'000'000));
}

TEST_P(OsConformance, wakes_only_sleepers_whose_bits_match) {
  std::atomic<std::uint32_t> word{0};
  std::atomic<bool> is_woken{false};
  std::thread sleeper([&] {
    while (word.load() == 0) static_cast<void>(os_->wait(word, 0, forever_ns, 2));
    is_woken = true;
  });
  for (int i = 0; i < 20; ++i) {
    os_->wake(word, every_waiter, 1);
    os_->yield();
  }
  EXPECT_FALSE(is_woken);
  word = 1;
  while (!is_woken) {
    os_->wake(word, every_waiter, 2);
    os_->yield();
  }
  sleeper.join();
}

TEST_P(OsConformance, tells_facts_that_make_sense) {
  const HostFacts facts = os_->host_facts();
  EXPECT_FALSE(facts.host_name.empty());
  EXPECT_TRUE(facts.allowed_cpus.any());
  EXPECT_GT(os_->memory_limits(GetParam().backing).ram_bytes, 0u);
  const std::uint64_t before = os_->now_ns();
  os_->sleep_ns(1000);
  EXPECT_GT(os_->now_ns(), before);
}

INSTANTIATE_TEST_SUITE_P(Both, OsConformance, testing::ValuesIn(os_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Large, OsConformance, testing::Values(memory_with_large_pages()), case_name);

}  // namespace
}  // namespace comex::shm
