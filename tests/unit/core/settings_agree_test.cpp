#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/settings.h"
#include "support/map_lookup.h"

namespace comex {
namespace {

Settings rank_with(test::Environment environment) {
  auto settings = parse_settings(test::lookup_in(std::move(environment)));
  EXPECT_TRUE(settings);
  return settings ? std::move(settings).value() : Settings{};
}

Settings received(const Settings& rank0) {
  auto settings = decode_settings(encode_settings(rank0));
  EXPECT_TRUE(settings);
  return settings ? std::move(settings).value() : Settings{};
}

TEST(SettingAgreement, the_explicit_values_of_rank_0_travel_as_bytes) {
  const Settings rank0 = rank_with({{"COMEX_WAIT", "sleep"},
                                    {"COMEX_CHUNK_BYTES", "12345"},
                                    {"COMEX_VIRTUAL_HOSTS", "0,0,1=1"},
                                    {"ARMCI_VERBOSE", "on"}});
  const Settings sent = received(rank0);
  for (const SettingRow& row : setting_rows()) {
    EXPECT_EQ(value_text(sent, row.id), value_text(rank0, row.id)) << row.name;
    EXPECT_EQ(sent.source(row.id), rank0.is_explicit(row.id) ? Source::rank0 : Source::fallback) << row.name;
  }
  EXPECT_EQ(encode_settings(Settings{}), "");
}

TEST(SettingAgreement, the_key_of_a_host_is_never_sent) {
  EXPECT_EQ(encode_settings(rank_with({{"COMEX_HOST_KEY", "a"}})), "");
}

TEST(SettingAgreement, bytes_that_make_no_sense_are_refused) {
  using namespace std::string_literals;
  EXPECT_FALSE(decode_settings("COMEX_WAIT=spin"));
  EXPECT_FALSE(decode_settings("COMEX_WAIT\0"s));
  EXPECT_FALSE(decode_settings("COMEX_WAIT\0COMEX_WAIT=spin\0"s)) << "the sign is of the next one";
  EXPECT_FALSE(decode_settings("COMEX_WAIT\0spin=\0"s));
  EXPECT_FALSE(decode_settings("COMEX_WAIT=never\0"s));
  EXPECT_FALSE(decode_settings("COMEX_NEWER=1\0"s));
  EXPECT_TRUE(decode_settings("COMEX_WAIT=spin\0"s));
}

TEST(SettingAgreement, unset_elsewhere_is_agreement) {
  const Settings rank0 = rank_with({{"GA_NUM_PROGRESS_RANKS_PER_NODE", "2"}});
  const Settings mine = rank_with({});
  EXPECT_TRUE(agree(mine, received(rank0), 5));
  const Settings used = adopt(mine, received(rank0));
  EXPECT_EQ(used.progress_ranks, 2);
  EXPECT_EQ(used.source(SettingId::progress_ranks), Source::rank0);
  EXPECT_EQ(source_text(Source::rank0), "MPI rank 0");
}

TEST(SettingAgreement, the_same_value_in_another_spelling_agrees) {
  const Settings rank0 = rank_with({{"COMEX_CHUNK_BYTES", "64k"}, {"COMEX_ENABLE_PUT_SMP", "off"}});
  const Settings mine = rank_with({{"COMEX_CHUNK_BYTES", "65536"}, {"COMEX_ENABLE_PUT_SMP", "N"}});
  EXPECT_TRUE(agree(mine, received(rank0), 1));
  EXPECT_EQ(adopt(mine, received(rank0)).source(SettingId::chunk_bytes), Source::environment);
}

TEST(SettingAgreement, a_different_explicit_value_names_both_ranks) {
  const Status status = agree(rank_with({{"GA_NUM_PROGRESS_RANKS_PER_NODE", "3"}}),
                              received(rank_with({{"GA_NUM_PROGRESS_RANKS_PER_NODE", "2"}})), 7);
  ASSERT_FALSE(status);
  const std::string& text = status.failure().text;
  EXPECT_EQ(text.find("GA_NUM_PROGRESS_RANKS_PER_NODE is '3' on MPI rank 7 but '2' on MPI rank 0"), 0u)
      << text;
}

TEST(SettingAgreement, a_value_that_contradicts_the_default_of_rank_0_is_an_error) {
  EXPECT_FALSE(agree(rank_with({{"COMEX_COALESCE_US", "20"}}), received({}), 1));
  EXPECT_TRUE(agree(rank_with({{"COMEX_COALESCE_US", "50"}}), received({}), 1));
}

TEST(SettingAgreement, rows_of_a_rank_may_differ_and_follow_rank_0_where_unset) {
  const Settings rank0 = received(rank_with({{"COMEX_VERBOSE", "1"}, {"COMEX_SPIN_US", "7"}}));
  const Settings mine = rank_with({{"COMEX_VERBOSE", "0"}, {"COMEX_HOST_KEY", "left"}});
  EXPECT_TRUE(agree(mine, rank0, 2));
  const Settings used = adopt(mine, rank0);
  EXPECT_FALSE(used.verbose);
  EXPECT_EQ(used.spin_us, 7);
  EXPECT_EQ(used.host_key, "left");
  EXPECT_EQ(used.source(SettingId::spin_us), Source::rank0);
}

TEST(SettingAgreement, at_a_later_init_progress_ranks_say_nothing_of_the_job) {
  const Settings mine =
      parse_settings(
          but_for_job_values(test::lookup_in({{"COMEX_CHUNK_BYTES", "64k"}, {"COMEX_SPIN_US", "7"}})))
          .value();
  const Settings workers = received(rank_with({{"COMEX_CHUNK_BYTES", "128k"}}));
  EXPECT_TRUE(agree(mine, workers, 3));
  EXPECT_EQ(adopt(mine, workers).chunk_bytes, 128 * 1024);
  EXPECT_EQ(adopt(mine, workers).spin_us, 7);
}

TEST(SettingAgreement, at_a_later_init_roles_stay_and_what_was_asked_otherwise_is_told) {
  const Settings first = rank_with({{"GA_NUM_PROGRESS_RANKS_PER_NODE", "1"}, {"COMEX_CHUNK_BYTES", "64k"}});
  const Settings asked = rank_with({{"GA_NUM_PROGRESS_RANKS_PER_NODE", "2"}, {"COMEX_CHUNK_BYTES", "128k"}});
  const Settings kept = keep_roles(asked, first);
  EXPECT_EQ(kept.progress_ranks, 1);
  EXPECT_EQ(kept.chunk_bytes, 128 * 1024);
  const std::vector<std::string> notices = notices_of_kept_roles(asked, first);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(
      notices[0],
      "GA_NUM_PROGRESS_RANKS_PER_NODE is '2' now, but roles stay as the first init decided them, with '1'");
  EXPECT_TRUE(notices_of_kept_roles(kept, first).empty());
}

}  // namespace
}  // namespace comex
