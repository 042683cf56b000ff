// Which library is taken for which, and what each reads of a launcher's environment.
#include "mpi/library.h"

#include <gtest/gtest.h>

#include <utility>

#include "mpi/yield.h"
#include "support/map_lookup.h"

namespace comex::mpi {
namespace {

using test::lookup_in;

TEST(Library, is_found_by_what_it_says_of_itself) {
  EXPECT_EQ(&library_of("Open MPI v4.1.4, package: Debian OpenMPI", MpiKnowledge::automatic), &open_mpi());
  EXPECT_EQ(&library_of("MPICH Version:      4.0.2", MpiKnowledge::automatic), &mpich());
  EXPECT_EQ(&library_of("Intel(R) MPI Library 2021.9 for Linux* OS", MpiKnowledge::automatic), &mpich());
  EXPECT_EQ(&library_of("MPI VERSION    : CRAY MPICH version 8.1.25", MpiKnowledge::automatic), &mpich());
  EXPECT_EQ(&library_of("Another MPI 1.0", MpiKnowledge::automatic), &plain());
  EXPECT_EQ(&library_of("", MpiKnowledge::automatic), &plain());
}

TEST(Library, is_plain_where_nothing_shall_be_known) {
  for (const char* version : {"Open MPI v4.1.4", "MPICH Version: 4.0.2", "Another MPI"})
    EXPECT_EQ(&library_of(version, MpiKnowledge::none), &plain());
}

TEST(Library, tells_what_open_mpi_4_says_of_a_process) {
  const LaunchedProcess told = open_mpi().launched(lookup_in({{"OMPI_MCA_orte_hnp_uri", "77;tcp://host:1"},
                                                              {"PMIX_NAMESPACE", "1931804674"},
                                                              {"PMIX_RANK", "3"},
                                                              {"OMPI_COMM_WORLD_SIZE", "8"},
                                                              {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                                                              {"OMPI_COMM_WORLD_NODE_RANK", "5"},
                                                              {"OMPI_MCA_pmix_server_uri", "file:server"}}));
  EXPECT_TRUE(told.is_launched);
  EXPECT_EQ(told.rank, 3);
  EXPECT_EQ(told.size, 8);
  EXPECT_EQ(told.size_on_host, 4);
  EXPECT_EQ(told.number_on_host, 5);
  EXPECT_EQ(told.launch, "77;tcp://host:1");
  EXPECT_EQ(told.job, 2U);
  EXPECT_EQ(told.name_server, "file:server");
}

TEST(Library, tells_what_open_mpi_5_says_of_a_process) {
  const LaunchedProcess told = open_mpi().launched(lookup_in({{"PMIX_NAMESPACE", "prterun-host-77@3"},
                                                              {"PMIX_RANK", "0"},
                                                              {"OMPI_COMM_WORLD_SIZE", "2"},
                                                              {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}));
  EXPECT_TRUE(told.is_launched);
  EXPECT_EQ(told.rank, 0);
  EXPECT_EQ(told.launch, "") << "another container may have the same host and process id";
  EXPECT_EQ(told.job, 3U);
}

TEST(Library, tells_what_hydra_says_of_a_process) {
  const LaunchedProcess told =
      mpich().launched(lookup_in({{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {"MPI_LOCALNRANKS", "2"}}));
  EXPECT_TRUE(told.is_launched);
  EXPECT_EQ(told.rank, 1);
  EXPECT_EQ(told.size, 4);
  EXPECT_EQ(told.size_on_host, 2);
  EXPECT_EQ(told.launch, "");
  EXPECT_EQ(told.job, std::nullopt);
}

TEST(Library, knows_a_process_that_nobody_launched) {
  for (const Library* library : {&open_mpi(), &mpich()}) {
    const LaunchedProcess told = library->launched(lookup_in({}));
    EXPECT_FALSE(told.is_launched) << library->name();
    EXPECT_EQ(told.rank, std::nullopt);
    EXPECT_EQ(told.job, std::nullopt);
    EXPECT_EQ(told.launch, "");
  }
}

TEST(Library, knows_a_process_that_was_started_alone_after_open_mpi_has_started_too) {
  const LaunchedProcess told = open_mpi().launched(
      lookup_in({{"PMIX_RANK", "0"}, {"PMIX_NAMESPACE", "65537"}, {"OMPI_MCA_ess", "singleton"}}));
  EXPECT_FALSE(told.is_launched);
}

TEST(Library, takes_a_process_of_slurm_as_launched) {
  EXPECT_TRUE(
      open_mpi().launched(lookup_in({{"PMIX_RANK", "0"}, {"PMIX_NAMESPACE", "slurm.pmix.7.0"}})).is_launched);
}

TEST(Library, takes_no_word_for_a_number) {
  const LaunchedProcess told = mpich().launched(lookup_in({{"PMI_RANK", "one"}, {"PMI_SIZE", "4x"}}));
  EXPECT_EQ(told.rank, std::nullopt);
  EXPECT_EQ(told.size, std::nullopt);
}

TEST(Library, that_is_plain_takes_every_process_as_launched_and_knows_nothing_else) {
  const LaunchedProcess told = plain().launched(lookup_in({{"PMI_RANK", "1"}, {"PMIX_RANK", "1"}}));
  EXPECT_TRUE(told.is_launched);
  EXPECT_EQ(told.rank, std::nullopt);
  EXPECT_EQ(plain().eager_bytes(), EagerBytes{});
  EXPECT_EQ(plain().yield_switch().change, nullptr);
  EXPECT_EQ(plain().how_to_share_a_name_server(), "");
  EXPECT_EQ(plain().knowledge().ranks, "");
  EXPECT_NE(plain().how_to_have_threads().find("MPI_THREAD_MULTIPLE"), std::string_view::npos);
}

// A switch that stands for a library's.
bool g_yields = true;
bool change(bool yields) {
  return std::exchange(g_yields, yields);
}

TEST(YieldScope, sets_the_switch_and_restores_it) {
  for (const bool before : {false, true}) {
    for (const bool within : {false, true}) {
      g_yields = before;
      {
        const YieldScope scope({change}, within);
        EXPECT_EQ(g_yields, within);
      }
      EXPECT_EQ(g_yields, before);
    }
  }
}

TEST(YieldScope, does_nothing_where_there_is_no_switch) {
  g_yields = true;
  const YieldScope scope({}, false);
  EXPECT_TRUE(g_yields);
}

}  // namespace
}  // namespace comex::mpi
