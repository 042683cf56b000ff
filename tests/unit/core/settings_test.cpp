#include "core/settings.h"

#include <gtest/gtest.h>

#include "support/map_lookup.h"

namespace comex {
namespace {

using test::Environment;
using test::lookup_in;

Settings parsed(Environment environment) {
  auto settings = parse_settings(lookup_in(std::move(environment)));
  if (!settings) {
    ADD_FAILURE() << settings.failure().text;
    return {};
  }
  return std::move(settings).value();
}

std::string refused(Environment environment) {
  const auto settings = parse_settings(lookup_in(std::move(environment)));
  return settings ? "" : settings.failure().text;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

TEST(Settings, are_the_defaults_when_nothing_is_set) {
  const Settings settings = parsed({});
  EXPECT_EQ(settings.progress_ranks, 1);
  EXPECT_EQ(settings.chunk_bytes, 262144);
  EXPECT_EQ(settings.arena, ArenaBacking::automatic);
  EXPECT_EQ(settings.bind, BindMode::none);
  EXPECT_TRUE(settings.put_smp);
  EXPECT_EQ(settings.distribution(), Distribution::packed);
  for (const SettingRow& row : setting_rows()) EXPECT_FALSE(settings.is_explicit(row.id)) << row.name;
}

TEST(Settings, every_default_is_a_value_its_own_row_allows) {
  const Settings settings;
  for (const SettingRow& row : setting_rows()) {
    const std::string text = value_text(settings, row.id);
    if (row.kind == SettingKind::text || row.kind == SettingKind::file) continue;
    ASSERT_FALSE(text.empty()) << row.name;
    const auto again = parse_settings(lookup_in({{std::string(row.name), text}}));
    ASSERT_TRUE(again) << again.failure().text;
    EXPECT_EQ(value_text(again.value(), row.id), text) << row.name;
    EXPECT_EQ(again->source(row.id), Source::environment);
  }
}

TEST(Settings, every_row_has_a_description) {
  for (const SettingRow& row : setting_rows()) EXPECT_GT(row.doc.size(), 20u) << row.name;
}

TEST(Settings, every_word_of_a_row_round_trips) {
  for (const SettingRow& row : setting_rows()) {
    if (row.kind != SettingKind::words) continue;
    std::string words(row.words);
    for (std::size_t start = 0; start < words.size();) {
      const std::size_t end = std::min(words.find('|', start), words.size());
      const std::string word = words.substr(start, end - start);
      EXPECT_EQ(value_text(parsed({{std::string(row.name), word}}), row.id), word) << row.name;
      start = end + 1;
    }
  }
}

TEST(Settings, booleans_take_every_usual_spelling) {
  for (const char* word : {"1", "y", "Y", "yes", "YES", "true", "True", "on", "On"})
    EXPECT_TRUE(parsed({{"COMEX_VERBOSE", word}}).verbose) << word;
  for (const char* word : {"0", "n", "N", "no", "No", "false", "FALSE", "off", "oFF"})
    EXPECT_FALSE(parsed({{"COMEX_ENABLE_PUT_SMP", word}}).put_smp) << word;
}

TEST(Settings, refuse_a_boolean_that_is_none) {
  for (const char* word : {"2", "-1", "ja", "t", "yes ", " 1", "01", "truefalse"}) {
    const std::string text = refused({{"COMEX_ENABLE_GET_SELF", word}});
    EXPECT_TRUE(contains(text, "COMEX_ENABLE_GET_SELF='" + std::string(word) + "'")) << text;
    EXPECT_TRUE(contains(text, "true or false")) << text;
  }
}

TEST(Settings, sizes_take_k_m_and_g) {
  EXPECT_EQ(parsed({{"COMEX_CHUNK_BYTES", "4096"}}).chunk_bytes, 4096);
  EXPECT_EQ(parsed({{"COMEX_CHUNK_BYTES", "64k"}}).chunk_bytes, 65536);
  EXPECT_EQ(parsed({{"COMEX_CHUNK_BYTES", "1M"}}).chunk_bytes, 1048576);
  EXPECT_EQ(parsed({{"COMEX_ARENA_KEEP", "2g"}}).arena_keep, 2147483648);
}

TEST(Settings, refuse_a_size_out_of_range_or_malformed) {
  for (const char* word : {"4095", "1048577", "2m", "1.5m", "k", "64kb", "-1", "0x1000", "64 k", "+4096",
                           "9223372036854775807", "9223372036854775808", "9007199254740993k", "m64"}) {
    const std::string text = refused({{"COMEX_CHUNK_BYTES", word}});
    EXPECT_TRUE(contains(text, "COMEX_CHUNK_BYTES='" + std::string(word) + "'")) << word;
    EXPECT_TRUE(contains(text, "4k to 1m")) << text;
  }
}

TEST(Settings, the_number_of_progress_ranks_is_0_to_1024_and_nothing_else) {
  EXPECT_EQ(parsed({{"GA_NUM_PROGRESS_RANKS_PER_NODE", "0"}}).progress_ranks, 0);
  EXPECT_EQ(parsed({{"GA_NUM_PROGRESS_RANKS_PER_NODE", "1024"}}).progress_ranks, 1024);
  for (const char* word : {"-1", "1025", "two", "2x", "1k", " ", "1.0", "99999999999999999999"})
    EXPECT_TRUE(contains(refused({{"GA_NUM_PROGRESS_RANKS_PER_NODE", word}}), "0 to 1024")) << word;
}

TEST(Settings, words_for_yes_and_no_are_no_file_names) {
  for (const char* word : {"1", "yes", "ON"}) {
    EXPECT_EQ(parsed({{"COMEX_TRACE", word}}).trace, "comex_trace.json") << word;
    EXPECT_EQ(parsed({{"COMEX_STATS", word}}).stats, "1") << word;
  }
  for (const char* word : {"0", "no", "Off"})
    EXPECT_EQ(parsed({{"COMEX_TRACE", word}, {"COMEX_STATS", word}}).trace, "0") << word;
  EXPECT_EQ(parsed({{"COMEX_STATS", "false"}}).stats, "0");
  EXPECT_EQ(parsed({{"COMEX_TRACE", "./1"}}).trace, "./1");
}

TEST(Settings, an_empty_value_counts_as_unset) {
  const Settings settings = parsed({{"GA_NUM_PROGRESS_RANKS_PER_NODE", ""}, {"COMEX_WAIT", ""}});
  EXPECT_EQ(settings.progress_ranks, 1);
  EXPECT_FALSE(settings.is_explicit(SettingId::progress_ranks));
  EXPECT_EQ(settings.wait, WaitMode::automatic);
}

TEST(Settings, refuse_an_unknown_word_and_list_the_known_ones) {
  EXPECT_TRUE(contains(refused({{"COMEX_WAIT", "poll"}}),
                       "COMEX_WAIT='poll' is not allowed: it takes "
                       "auto, spin, yield or sleep"));
  EXPECT_EQ(parsed({{"COMEX_WAIT", "Yield"}}).wait, WaitMode::yield);
  EXPECT_FALSE(refused({{"COMEX_ARENA", "auto|memfd"}}).empty());
}

TEST(Settings, packed_wins_over_cyclic_and_neither_is_packed) {
  const char* packed = "GA_PROGRESS_RANKS_DISTRIBUTION_PACKED";
  const char* cyclic = "GA_PROGRESS_RANKS_DISTRIBUTION_CYCLIC";
  EXPECT_EQ(parsed({{packed, "Y"}}).distribution(), Distribution::packed);
  EXPECT_EQ(parsed({{cyclic, "yes"}}).distribution(), Distribution::cyclic);
  EXPECT_EQ(parsed({{packed, "1"}, {cyclic, "1"}}).distribution(), Distribution::packed);
  EXPECT_EQ(parsed({{packed, "0"}, {cyclic, "1"}}).distribution(), Distribution::cyclic);
  EXPECT_EQ(parsed({{packed, "0"}, {cyclic, "0"}}).distribution(), Distribution::packed);
}

TEST(Settings, an_alias_sets_the_value_unless_the_name_itself_does) {
  const Settings by_alias = parsed({{"ARMCI_VERBOSE", "1"}});
  EXPECT_TRUE(by_alias.verbose);
  EXPECT_EQ(by_alias.source(SettingId::verbose), Source::alias);
  const Settings by_both = parsed({{"ARMCI_VERBOSE", "1"}, {"COMEX_VERBOSE", "0"}});
  EXPECT_FALSE(by_both.verbose);
  EXPECT_EQ(by_both.source(SettingId::verbose), Source::environment);
  EXPECT_TRUE(contains(refused({{"ARMCI_VERBOSE", "maybe"}}), "ARMCI_VERBOSE='maybe'"));
}

TEST(Settings, a_message_size_only_lowers_the_chunk) {
  EXPECT_EQ(parsed({}).effective_chunk_bytes(), 262144u);
  EXPECT_EQ(parsed({{"COMEX_MAX_MESSAGE_SIZE", "1g"}}).effective_chunk_bytes(), 262144u);
  EXPECT_EQ(parsed({{"COMEX_MAX_MESSAGE_SIZE", "10000"}}).effective_chunk_bytes(), 10000u);
  EXPECT_EQ(parsed({{"COMEX_MAX_MESSAGE_SIZE", "10001"}}).effective_chunk_bytes(), 10000u);
  EXPECT_EQ(parsed({{"COMEX_MAX_MESSAGE_SIZE", "8"}}).effective_chunk_bytes(), 4096u);
}

TEST(SettingNames, an_unknown_name_is_answered_with_the_nearest) {
  const std::vector<std::string> names = {
      "COMEX_WIAT",           "COMEX_WAIT",   "HOME",      "COMEX_TEST_SEED",
      "COMEX_ENABLE_PUT_SPM", "GA_ALGORITHM", "GA_MEMORY", "GA_NUM_PROGRESS_RANK_PER_NODE"};
  const auto warnings = unknown_name_warnings(names);
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_EQ(warnings[0], "COMEX_WIAT is not a setting; the nearest is COMEX_WAIT");
  EXPECT_EQ(warnings[1], "COMEX_ENABLE_PUT_SPM is not a setting; the nearest is COMEX_ENABLE_PUT_SMP");
  EXPECT_EQ(warnings[2],
            "GA_NUM_PROGRESS_RANK_PER_NODE is not a setting; the nearest is GA_NUM_PROGRESS_RANKS_PER_NODE");
}

TEST(SettingNames, a_name_of_a_megabyte_is_cut_short) {
  const std::vector<std::string> names = {"COMEX_" + std::string(1 << 20, 'A')};
  const auto warnings = unknown_name_warnings(names);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_LT(warnings[0].size(), 200u);
}

}  // namespace
}  // namespace comex
