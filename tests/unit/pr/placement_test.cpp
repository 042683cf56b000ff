#include "pr/setup/placement.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "support/refused_calls.h"

namespace comex::pr {
namespace {

CpuMask cpus(std::initializer_list<unsigned> list) {
  CpuMask mask;
  for (const unsigned cpu : list) mask.set(cpu);
  return mask;
}

std::vector<CpuMask> single_cores(unsigned count) {
  std::vector<CpuMask> cores;
  for (unsigned cpu = 0; cpu < count; ++cpu) cores.push_back(cpus({cpu}));
  return cores;
}

TEST(CpuMask, is_written_as_ranges) {
  EXPECT_EQ(text_of(cpus({})), "");
  EXPECT_EQ(text_of(cpus({3})), "3");
  EXPECT_EQ(text_of(cpus({0, 1, 2, 8, 63, 64, 1023})), "0-2,8,63-64,1023");
}

TEST(ShareCores, gives_each_rank_cores_of_its_own_in_the_order_of_ranks) {
  constexpr std::array roles = {Role::worker, Role::worker, Role::progress};
  const auto shares = share_cores(single_cores(7), roles);
  ASSERT_EQ(shares.size(), 3u);
  EXPECT_EQ(shares[0], cpus({0, 1, 2}));
  EXPECT_EQ(shares[1], cpus({3, 4, 5}));
  EXPECT_EQ(shares[2], cpus({6}));
  EXPECT_EQ(share_cores(single_cores(3), roles)[1], cpus({1}));
}

TEST(ShareCores, gives_nobody_any_where_ranks_outnumber_cores) {
  constexpr std::array roles = {Role::worker, Role::progress, Role::worker};
  EXPECT_TRUE(share_cores(single_cores(2), roles).empty());
  EXPECT_TRUE(share_cores({}, roles).empty());
}

TEST(ChooseCores, takes_a_core_that_no_worker_is_bound_to) {
  const auto choice = choose_cores(single_cores(4), std::array{cpus({0}), cpus({1}), cpus({3})},
                                   std::array{cpus({0, 1, 2, 3})});
  ASSERT_EQ(choice.size(), 1u);
  EXPECT_EQ(choice[0].core, 2u);
  EXPECT_FALSE(choice[0].shared);
}

TEST(ChooseCores, says_when_every_core_has_a_worker) {
  const auto choice =
      choose_cores(single_cores(2), std::array{cpus({0}), cpus({1}), cpus({1})}, std::array{cpus({0, 1})});
  ASSERT_EQ(choice.size(), 1u);
  EXPECT_EQ(choice[0].core, 0u);
  EXPECT_TRUE(choice[0].shared);
}

TEST(ChooseCores, a_worker_that_may_run_everywhere_takes_no_core) {
  const CpuMask all = cpus({0, 1, 2, 3});
  const auto choice = choose_cores(single_cores(4), std::array{all, all}, std::array{all});
  EXPECT_FALSE(choice[0].shared);
  const auto oversubscribed = choose_cores(single_cores(4), std::array{all, all, all, all}, std::array{all});
  EXPECT_TRUE(oversubscribed[0].shared);
}

TEST(ChooseCores, stays_on_the_core_the_launcher_gave_if_it_is_free) {
  const auto choice = choose_cores(single_cores(4), std::array{cpus({0})}, std::array{cpus({1})});
  EXPECT_EQ(choice[0].core, 1u);
  const auto moved = choose_cores(single_cores(4), std::array{cpus({1})}, std::array{cpus({1})});
  EXPECT_NE(moved[0].core, 1u);
  EXPECT_FALSE(moved[0].shared);
}

TEST(ChooseCores, gives_progress_ranks_different_cores) {
  const CpuMask all = cpus({0, 1, 2, 3});
  const auto choice = choose_cores(single_cores(4), std::array{cpus({0})}, std::array{all, all, all});
  EXPECT_EQ(choice[0].core, 3u);
  EXPECT_EQ(choice[1].core, 2u);
  EXPECT_EQ(choice[2].core, 1u);
  EXPECT_FALSE(choice[2].shared);
}

TEST(ChooseCores, chooses_nothing_where_no_cores_are_known) {
  EXPECT_TRUE(choose_cores({}, std::array{cpus({0})}, std::array{cpus({0})}).empty());
}

std::vector<MemoryNode> mixed_memory() {
  return {{0, "", 100, cpus({0})}, {1, "DRAM", 100, cpus({1})}, {4, "HBM", 10, {}}, {5, "NVM", 900, {}}};
}

TEST(MemoryKinds, are_found_by_word_and_by_number) {
  const auto memory = mixed_memory();
  using Nodes = std::vector<unsigned>;
  const auto nodes = [&](std::string_view device) {
    auto found = nodes_of_kind(device, memory);
    return found ? std::move(found).value() : Nodes{999};
  };
  EXPECT_EQ(nodes(""), Nodes{});
  EXPECT_EQ(nodes("dram"), (Nodes{0, 1}));
  EXPECT_EQ(nodes("hbm"), Nodes{4});
  EXPECT_EQ(nodes("numa:5"), Nodes{5});
}

TEST(MemoryKinds, refuse_an_unknown_kind_and_list_those_present) {
  const auto memory = mixed_memory();
  for (const char* device : {"gpu", "HBM", "numa:2", "numa:", "numa:x", "numa:0x", "numa:-1", "dram "}) {
    const auto found = nodes_of_kind(device, memory);
    ASSERT_FALSE(found) << device;
    EXPECT_NE(found.failure().text.find("present: dram, hbm, numa:0, numa:1, numa:4, numa:5"),
              std::string::npos)
        << found.failure().text;
  }
  const std::pair<const char*, const char*> shown[] = {{"numa:4294967295", "'numa:4294967295'"},
                                                       {"memory of a video card", "'memory of a vide...'"},
                                                       {"video me\nmory", "'video me...'"},
                                                       {"video me", "'video me'"}};
  for (const auto& [device, name] : shown) {
    const std::string text = nodes_of_kind(device, memory).failure().text;
    EXPECT_NE(text.find(std::string("kind ") + name + " here"), std::string::npos) << text;
  }
  EXPECT_FALSE(nodes_of_kind("hbm", std::span(memory).first(1)));
  EXPECT_FALSE(nodes_of_kind("dram", {}));
}

TEST(NodesNear, are_those_beside_all_processors_that_a_process_is_bound_to) {
  const std::vector<MemoryNode> memory = {
      {0, "", 1, cpus({0, 1, 2, 3})}, {1, "", 1, cpus({4, 5, 6, 7})}, {2, "HBM", 1, cpus({0, 1, 2, 3})}};
  EXPECT_EQ(nodes_near(cpus({1}), memory), std::vector<unsigned>{0});
  EXPECT_EQ(nodes_near(cpus({4, 7}), memory), std::vector<unsigned>{1});
  EXPECT_TRUE(nodes_near(cpus({3, 4}), memory).empty()) << "it may run beside either";
  EXPECT_TRUE(nodes_near(cpus({}), memory).empty()) << "not known";
}

TEST(Topology, works_without_hwloc_and_says_so) {
  constexpr std::array<const char*, 1> nowhere = {"libhwloc-that-is-not-there.so"};
  const Topology topology = Topology::load(nowhere);
  EXPECT_FALSE(topology.available());
  EXPECT_NE(topology.notice().find("libhwloc-that-is-not-there.so"), std::string::npos);
  EXPECT_TRUE(topology.cores().empty());
  EXPECT_TRUE(topology.binding().none());
  EXPECT_FALSE(topology.bind(cpus({0})));
  std::byte page{};
  EXPECT_FALSE(topology.place_memory(&page, 1, std::array{0U}));
  EXPECT_TRUE(topology.place_memory(&page, 1, {})) << "nothing is asked for";
  EXPECT_NE(topology.summary(), "");
}

TEST(Topology, refuses_a_library_that_is_not_hwloc) {
  constexpr std::array<const char*, 1> other = {"libm.so.6"};
  const Topology topology = Topology::load(other);
  EXPECT_FALSE(topology.available());
  EXPECT_NE(topology.notice().find("has no function hwloc_"), std::string::npos) << topology.notice();
}

TEST(Topology, reads_cores_and_memory_of_a_described_machine) {
  const Topology topology =
      Topology::load(Topology::usual_names, "pack:2 [numa(memory=1073741824)] core:4 pu:2");
  if (!topology.available()) GTEST_SKIP() << topology.notice();
  ASSERT_EQ(topology.cores().size(), 8u);
  EXPECT_EQ(text_of(topology.cores()[1]), "2-3");
  ASSERT_EQ(topology.memory().size(), 2u);
  EXPECT_EQ(topology.memory()[1].number, 1u);
  EXPECT_EQ(topology.memory()[1].bytes, 1073741824u);
  EXPECT_EQ(text_of(topology.memory()[1].near_cpus), "8-15");
  EXPECT_NE(topology.summary().find("2 packages, 8 cores, 16 processors"), std::string::npos)
      << topology.summary();
}

TEST(Topology, refuses_a_description_that_makes_no_sense) {
  const Topology topology = Topology::load(Topology::usual_names, "nonsense");
  EXPECT_FALSE(topology.available());
  EXPECT_NE(topology.notice(), "");
}

TEST(Topology, binds_the_calling_thread_and_back) {
  const Topology topology = Topology::load();
  if (!topology.available() || topology.cores().empty()) GTEST_SKIP() << topology.notice();
  const CpuMask before = topology.binding();
  ASSERT_FALSE(before.none());
  const CpuMask core = topology.cores().back();
  ASSERT_TRUE(topology.bind(core));
  EXPECT_TRUE((topology.binding() & ~core).none());
  ASSERT_TRUE(topology.bind(before));
  EXPECT_EQ(topology.binding(), before);
}

TEST(Topology, says_what_the_kernel_has_refused) {
  const Topology topology = Topology::load();
  if (!topology.available() || topology.memory().empty()) GTEST_SKIP() << topology.notice();
  alignas(4096) std::array<std::byte, 4096> page{};
  const std::array nodes{topology.memory()[0].number};
  with_refused_calls({SYS_sched_setaffinity, SYS_sched_getaffinity, SYS_mbind}, EPERM, [&] {
    EXPECT_TRUE(topology.binding().none());
    const Status bound = topology.bind(topology.cores().back());
    ASSERT_FALSE(bound);
    EXPECT_EQ(bound.failure().text, "hwloc_set_cpubind: Operation not permitted");
    const Status placed = topology.place_memory(page.data(), page.size(), nodes);
    ASSERT_FALSE(placed);
    EXPECT_EQ(placed.failure().text, "hwloc_set_area_membind: Operation not permitted");
  });
}

// The policy of shared memory stays with the object: whoever maps the range next would inherit it.
TEST(Topology, releases_memory_that_it_placed) {
  const Topology topology = Topology::load();
  if (!topology.available() || topology.memory().empty()) GTEST_SKIP() << topology.notice();
  constexpr std::size_t bytes = 2 * 4096;
  const int descriptor = memfd_create("placed", MFD_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(ftruncate(descriptor, bytes), 0);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto policy = [&] {
    constexpr unsigned long of_an_address = 2;  // MPOL_F_ADDR
    int mode = -1;
    syscall(SYS_get_mempolicy, &mode, nullptr, 0UL, memory, of_an_address);
    return mode;
  };
  const int before = policy();
  const Status placed = topology.place_memory(memory, bytes, std::array{topology.memory()[0].number});
  if (placed && before >= 0) {
    EXPECT_NE(policy(), before);
    const Status released = topology.release_memory(memory, bytes);
    EXPECT_TRUE(released) << released.failure().text;
    EXPECT_EQ(policy(), before);
  }
  munmap(memory, bytes);
  close(descriptor);
  if (!placed || before < 0) GTEST_SKIP() << "this machine lets nobody place memory";
}

}  // namespace
}  // namespace comex::pr
