// What Open MPI sends at once, by tables of its variables, and its launcher's names.
#include "mpi/open_mpi.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace comex::mpi {
namespace {

using Variables = std::map<std::string, std::uint64_t>;

EagerBytes among(const Variables& variables, bool is_matched_by_ob1 = true) {
  return eager_bytes_of(is_matched_by_ob1, [&](const char* name) -> std::optional<std::uint64_t> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

TEST(MpiEager, each_way_has_its_limit_less_an_envelope) {
  const Variables usual{{"btl_vader_eager_limit", 4096}, {"btl_tcp_eager_limit", 65536}};
  EXPECT_EQ(among(usual), (EagerBytes{4032, 65472}));
}

TEST(MpiEager, what_several_ways_have_in_common_is_the_least) {
  const Variables both{{"btl_tcp_eager_limit", 65536}, {"btl_openib_eager_limit", 12288}};
  EXPECT_EQ(among(both).between_machines, 12224u);
}

TEST(MpiEager, without_shared_memory_messages_within_a_machine_take_the_network) {
  EXPECT_EQ(among({{"btl_tcp_eager_limit", 65536}}), (EagerBytes{65472, 65472}));
}

TEST(MpiEager, without_a_network_nothing_is_known_of_other_machines) {
  EXPECT_EQ(among({{"btl_sm_eager_limit", 8192}}), (EagerBytes{8128, 0}));
}

TEST(MpiEager, other_matching_has_limits_that_are_not_known) {
  EXPECT_EQ(among({{"btl_vader_eager_limit", 4096}, {"btl_tcp_eager_limit", 65536}}, false), EagerBytes{});
}

TEST(MpiEager, odd_limits_come_to_whole_elements_and_tiny_and_huge_ones_to_an_end) {
  EXPECT_EQ(among({{"btl_tcp_eager_limit", 5007}}).between_machines, 4928u);
  EXPECT_EQ(among({{"btl_tcp_eager_limit", 64}}), EagerBytes{});
  EXPECT_EQ(among({{"btl_tcp_eager_limit", 1ULL << 40}}).between_machines, 1u << 20);
}

TEST(WorldIdentity, reads_the_job_from_what_launchers_call_it) {
  EXPECT_EQ(job_of_namespace("1931804673"), 1u);  // 29477 << 16 | 1
  EXPECT_EQ(job_of_namespace("1931804674"), 2u);
  EXPECT_EQ(job_of_namespace("prterun-host-77@3"), 3u);
  EXPECT_EQ(job_of_namespace(""), std::nullopt);
  EXPECT_EQ(job_of_namespace("slurm.pmix.12.x"), std::nullopt);
  EXPECT_EQ(job_of_namespace("65536"), std::nullopt);
}

}  // namespace
}  // namespace comex::mpi
