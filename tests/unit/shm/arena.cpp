#include "shm/arena.h"

#include <cstring>

#include "shm/arena_layout.h"
#include "support.h"

namespace comex::shm {
namespace {

class ArenaOnEachOs : public testing::TestWithParam<OsCase> {
 protected:
  std::unique_ptr<Os> os_ = GetParam().make();
  ArenaOptions options(std::uint32_t slots = 2) { return small_arena(slots, GetParam().backing); }
};

TEST_P(ArenaOnEachOs, is_shared_by_all_who_attach) {
  Arena leader = mapped_arena(*os_, options());
  Arena other = attached_arena(*os_, leader.ticket(), 1, 0);
  const Extent e = leader.extents().allocate(0, 10000).value();
  EXPECT_EQ(other.extents().check(0, e.offset, 10000), BoundsVerdict::ok);
  std::memset(leader.at(e.offset), 3, 10000);
  EXPECT_EQ(other.at(e.offset)[9999], std::byte{3});
  ASSERT_TRUE(other.extents().retire(e.offset));
  EXPECT_EQ(leader.extents().check(0, e.offset, 1), BoundsVerdict::retired);
}

TEST_P(ArenaOnEachOs, knows_its_own_addresses) {
  const Arena arena = mapped_arena(*os_, options());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena.base()), arena.candidate(0));
  EXPECT_TRUE(arena.holds(arena.base()));
  EXPECT_TRUE(arena.holds(arena.base() + arena.reservation_bytes() - 1));
  EXPECT_FALSE(arena.holds(arena.base() + arena.reservation_bytes()));
  EXPECT_FALSE(arena.holds(arena.base() - 1));
  EXPECT_EQ(arena.offset_of(arena.at(12345)), 12345u);
}

TEST_P(ArenaOnEachOs, can_be_mapped_again_elsewhere) {
  Arena arena = mapped_arena(*os_, options());
  const Extent e = arena.extents().allocate(0, 4096).value();
  *arena.at(e.offset) = std::byte{5};
  arena.unmap();
  EXPECT_EQ(arena.base(), nullptr);
  ASSERT_TRUE(arena.map_at(arena.candidate(1)));
  EXPECT_EQ(arena.extents().check(0, e.offset, 4096), BoundsVerdict::ok);
  EXPECT_EQ(*arena.at(e.offset), std::byte{5});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena.base()), arena.candidate(1));
}

TEST_P(ArenaOnEachOs, shows_all_who_attach_the_mutexes_of_each_slot) {
  Arena leader = mapped_arena(*os_, options());
  Arena other = attached_arena(*os_, leader.ticket(), 1, 0);
  std::uint64_t offset = 99;
  EXPECT_FALSE(other.mutexes_of(0).find(0, offset)) << "none at first";
  leader.mutexes_of(0).show(4096, 2);
  other.mutexes_of(1).show(8192, 1);
  EXPECT_EQ(other.mutexes_of(0).mutexes(), 2u);
  ASSERT_TRUE(other.mutexes_of(0).find(1, offset));
  EXPECT_EQ(offset, 4096 + sizeof(FairMutexBlock));
  ASSERT_TRUE(leader.mutexes_of(1).find(0, offset));
  EXPECT_EQ(offset, 8192u);
  EXPECT_EQ(leader.mutexes_of(0).hide(), 4096u);
  for (const std::uint64_t index : {std::uint64_t{0}, std::uint64_t{2}, ~std::uint64_t{0}})
    EXPECT_FALSE(other.mutexes_of(0).find(index, offset));
  EXPECT_EQ(other.mutexes_of(1).mutexes(), 1u);
  EXPECT_EQ(leader.doorbell(0).seen(), 0u);
}

TEST_P(ArenaOnEachOs, has_zeroed_boards_that_do_not_overlap) {
  Arena arena = mapped_arena(*os_, options(3));
  for (HostSlot slot = 0; slot < 3; ++slot) {
    const std::span<std::byte> board = arena.board(slot);
    EXPECT_EQ(board.size(), 4096u);
    for (const std::byte byte : board) ASSERT_EQ(byte, std::byte{0});
    std::memset(board.data(), 0xff, board.size());
  }
  EXPECT_EQ(arena.doorbell(2).seen(), 0u);
  EXPECT_FALSE(arena.stripes().lock_of(0).is_locked());
}

TEST_P(ArenaOnEachOs, knows_which_slots_live) {
  Arena leader = mapped_arena(*os_, options(2));
  EXPECT_TRUE(leader.is_alive(0));
  EXPECT_FALSE(leader.is_alive(1));
  {
    const Arena other = attached_arena(*os_, leader.ticket(), 1, 0);
    EXPECT_TRUE(leader.is_alive(1));
    EXPECT_FALSE(Arena::attach(*os_, leader.ticket(), 1));
  }
  EXPECT_FALSE(leader.is_alive(1));
}

TEST_P(ArenaOnEachOs, refuses_a_slot_it_does_not_have) {
  const Arena leader = mapped_arena(*os_, options(2));
  EXPECT_FALSE(Arena::attach(*os_, leader.ticket(), 2));
}

TEST_P(ArenaOnEachOs, refuses_a_guest_whose_ticket_is_not_its_own) {
  const Arena leader = mapped_arena(*os_, options(2));
  ArenaTicket ticket = leader.ticket();
  ticket.geometry.data_offset += page_bytes;
  const Result<Arena> guest = Arena::attach_guest(*os_, ticket);
  ASSERT_FALSE(guest);
  EXPECT_NE(guest.failure().text.find("is not as its ticket says"), std::string::npos);
}

TEST_P(ArenaOnEachOs, refuses_a_guest_where_it_is_no_arena) {
  const Arena leader = mapped_arena(*os_, options(2));
  ArenaMap map;
  std::memcpy(&map, leader.base() + arena_map_offset, sizeof map);
  map.magic ^= 1;
  std::memcpy(leader.base() + arena_map_offset, &map, sizeof map);
  EXPECT_FALSE(Arena::attach_guest(*os_, leader.ticket()));
}

TEST_P(ArenaOnEachOs, has_no_guests_where_its_own_fill_the_slots) {
  const Arena leader = mapped_arena(*os_, options(2));
  ArenaTicket ticket = leader.ticket();
  ticket.geometry.slots = most_slots;
  const Result<Arena> guest = Arena::attach_guest(*os_, ticket);
  ASSERT_FALSE(guest);
  EXPECT_EQ(guest.failure().text, "the arena has no slots for guests");
}

TEST_P(ArenaOnEachOs, says_that_no_address_is_left) {
  Arena arena = Arena::create(*os_, options(1)).value();
  const Status mapped = arena.map_at(0);
  ASSERT_FALSE(mapped);
  EXPECT_EQ(mapped.failure().text, "no address range of this machine has room for the arena");
}

TEST_P(ArenaOnEachOs, has_guests_with_a_life_and_a_mapping_of_their_own) {
  Arena leader = mapped_arena(*os_, options(2));
  const Extent extent = leader.extents().allocate(1, 100).value();
  HostSlot first = 0;
  {
    Result<Arena> guest = Arena::attach_guest(*os_, leader.ticket());
    Result<Arena> other = Arena::attach_guest(*os_, leader.ticket());
    ASSERT_TRUE(guest);
    ASSERT_TRUE(other);
    first = guest->slot();
    EXPECT_GE(first, 2u);
    EXPECT_LT(first, most_slots);
    EXPECT_NE(first, other->slot());
    EXPECT_TRUE(leader.is_alive(first));
    EXPECT_EQ(guest->extents().check(1, extent.offset, 100), BoundsVerdict::ok);
    *guest->at(extent.offset) = std::byte{7};
    EXPECT_EQ(*leader.at(extent.offset), std::byte{7});
    EXPECT_EQ(guest->stripes().lock_of(3).lock(guest->stripes().party()), LockResult::acquired);
    EXPECT_TRUE(leader.stripes().lock_of(3).is_locked());
  }
  EXPECT_FALSE(leader.is_alive(first));
  // It died with the lock.
  EXPECT_EQ(leader.stripes().lock_of(3).try_recover(leader.stripes().party()), LockResult::taken_over);
}

INSTANTIATE_TEST_SUITE_P(Both, ArenaOnEachOs, testing::ValuesIn(os_cases()), case_name);

TEST(Arena, tries_the_next_address_when_one_is_refused) {
  MemoryOs os;
  Arena arena = Arena::create(os, small_arena()).value();
  os.faults.refused_addresses = {arena.candidate(0)};
  EXPECT_FALSE(arena.map_at(arena.candidate(0)));
  EXPECT_EQ(arena.base(), nullptr);
  EXPECT_TRUE(arena.map_at(arena.candidate(1)));
}

TEST(Arena, is_refused_when_even_its_header_does_not_fit) {
  MemoryOs os;
  os.faults.hidden_bytes = 64 * 1024;
  const Result<Arena> made = Arena::create(os, small_arena());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.failure().fault, Fault::environment);
}

TEST(Arena, tells_why_it_cannot_be_attached) {
  MemoryOs os;
  const Arena arena = mapped_arena(os, small_arena(2));
  os.faults.refuse_attach = true;
  const Result<Arena> other = Arena::attach(os, arena.ticket(), 1);
  ASSERT_FALSE(other);
  EXPECT_NE(other.failure().text.find("errno"), std::string::npos);
}

TEST(Arena, maps_a_default_reservation_of_the_whole_machine) {
  const std::unique_ptr<Os> os = make_posix_os();
  ArenaOptions options;
  Arena arena = mapped_arena(*os, options);
  EXPECT_GT(arena.reservation_bytes(), 1ULL << 28);
  EXPECT_TRUE(arena.extents().allocate(0, 100000));
}

}  // namespace
}  // namespace comex::shm
