// What groups and connections of a world of 2^20 processes cost, as the heap counts it.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <memory>
#include <new>

#include "groups/group.h"
#include "groups/participants.h"
#include "unit/groups/worlds.h"

namespace {

std::size_t in_use = 0;  // by the thread that measures
thread_local bool measures = false;

void* counted(std::size_t bytes) {
  void* block = std::malloc(bytes);
  if (block == nullptr) std::abort();
  if (measures) in_use += malloc_usable_size(block) + sizeof(std::size_t);
  return block;
}

void forget(void* block) {
  if (measures && block != nullptr) in_use -= malloc_usable_size(block) + sizeof(std::size_t);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted(bytes);
}
void operator delete(void* block) noexcept {
  forget(block);
}
void operator delete(void* block, std::size_t) noexcept {
  forget(block);
}
void* operator new[](std::size_t bytes) {
  return counted(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted(bytes);
}
void operator delete[](void* block) noexcept {
  forget(block);
}
void operator delete[](void* block, std::size_t) noexcept {
  forget(block);
}

namespace comex::groups {
namespace {

using testing::admitted;
using testing::references;
using testing::some_world;

constexpr std::uint32_t many = 1u << 20;
constexpr std::uint32_t dups = 1000;

class Scale : public ::testing::Test {
 protected:
  void SetUp() override {
    in_use = 0;
    measures = true;
  }
  void TearDown() override { measures = false; }
  static std::size_t measure() { return in_use; }
};

TEST_F(Scale, of_a_world_is_at_most_a_kibibyte_and_of_a_duplicate_128_bytes) {
  const auto registry = std::make_unique<WorldRegistry>(some_world(0, many), 17);
  const auto table = std::make_unique<GroupTable>();
  table->add(std::make_unique<Group>(1, registry->make_world_table(), 17));
  table->set_self(std::make_unique<Group>(2, registry->make_self_table(), 0));
  const std::size_t world = measure();
  const Table& members = table->find(world_handle)->table();
  EXPECT_LE(world, 1024u);
  for (std::uint32_t i = 0; i < dups; ++i) {
    table->add(std::make_unique<Group>(i + 3, members.dup(), 17));
  }
  EXPECT_LE(measure() - world, dups * 128u);
  EXPECT_EQ(members.references(), dups + 1);
  EXPECT_EQ(references(*registry, Gpid{0, 5}), 2);
  EXPECT_EQ(references(*registry, WorldId{0}), static_cast<int>(many));
}

TEST_F(Scale, of_ranges_and_strides_does_not_grow_with_their_size) {
  const auto registry = std::make_unique<WorldRegistry>(some_world(0, many), 17);
  const std::size_t before = measure();
  Table half = registry->make_table(ConnectionTable::range(0, many / 2));
  const std::size_t of_one = measure() - before;
  EXPECT_LE(of_one, 128u);
  std::size_t of_stride = 0;
  {
    std::vector<Lpid> even;
    for (std::uint32_t i = 0; i < many; i += 2) even.push_back(static_cast<Lpid>(i));
    const ConnectionTable stride = ConnectionTable::from(even);
    even = {};
    const std::size_t without = measure();
    const Table kept = registry->make_table(stride);
    of_stride = measure() - without;
    EXPECT_EQ(references(*registry, Gpid{0, 2}), 3);
  }
  EXPECT_EQ(of_stride, of_one);
}

// What each duplicate of a group keeps, besides the table that they share.
TEST_F(Scale, of_the_members_of_duplicates_does_not_grow_with_their_number) {
  constexpr std::uint32_t members = 1000;  // their squares are ranks of both worlds
  const auto registry = std::make_unique<WorldRegistry>(some_world(0, many), 17);
  ASSERT_TRUE(registry->add_world(some_world(1, many)));
  std::vector<Gpid> far;
  std::vector<Lpid> near;
  for (std::uint32_t i = 0; i < members; ++i) {
    far.push_back({1, i * i});
    near.push_back(static_cast<Lpid>(i * i));
  }
  const Group inter(1, registry->make_table(near), 4, {}, registry->make_table(admitted(*registry, far)), 1);
  const std::size_t before = measure();
  std::vector<BothSides> kept;
  kept.reserve(dups);
  for (std::uint32_t i = 0; i < dups; ++i) kept.emplace_back(inter, true);
  EXPECT_LE(measure() - before, dups * 96u + 64u);
  EXPECT_EQ(kept.back().lpid(3), 9);
  EXPECT_EQ(kept.back().lpid(members + 3), inter.targets().lpid(3));
}

TEST_F(Scale, of_a_connection_in_use_is_at_most_64_bytes) {
  constexpr std::uint32_t used = 1000;
  const auto registry = std::make_unique<WorldRegistry>(some_world(0, many), 17);
  ASSERT_TRUE(registry->add_world(some_world(1, many)));
  std::vector<Gpid> gpids;
  for (std::uint32_t i = 0; i < used; ++i) gpids.push_back({1, i * 3});
  const std::size_t before = measure();
  const Table table = [&] { return registry->make_table(admitted(*registry, gpids)); }();
  EXPECT_LE(measure() - before, used * 64u);
  EXPECT_EQ(references(*registry, WorldId{1}), static_cast<int>(used));
}

}  // namespace
}  // namespace comex::groups
