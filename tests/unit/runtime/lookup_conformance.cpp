// What every look-up of the environment must do: the process's own, and the map that tests put in its place.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "runtime/environment.h"
#include "support/map_lookup.h"

namespace comex::runtime {
namespace {

using test::Environment;

// The variables of a test, in the process's environment as long as it lives.
class Variables {
 public:
  explicit Variables(Environment variables) : variables_(std::move(variables)) {
    for (const auto& [name, value] : variables_) setenv(name.c_str(), value.c_str(), 1);
  }
  ~Variables() {
    for (const auto& [name, value] : variables_) unsetenv(name.c_str());
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  const Environment variables_;
};

struct LookupCase {
  std::string name;
  std::function<Lookup(const Environment&)> make;
};

void PrintTo(const LookupCase& which, std::ostream* out) {
  *out << which.name;
}

class LookupConformance : public testing::TestWithParam<LookupCase> {
 protected:
  const Environment environment_ = {
      {"COMEX_TEST_WORD", "one word"},  {"COMEX_TEST_EMPTY", ""},
      {"COMEX_TEST_EQUATION", "a=b=c"}, {"COMEX_TEST_LONG", std::string(100'000, 'x')},
      {"COMEX_WAIT", "sleep"},          {"COMEX_CHUNK_BYTES", "64k"},
      {"ARMCI_VERBOSE", "yes"},         {"COMEX_SPIN_US", ""}};
  const Variables variables_{environment_};
  const Lookup lookup_ = GetParam().make(environment_);
};

TEST_P(LookupConformance, finds_the_whole_value_of_a_variable) {
  EXPECT_EQ(lookup_("COMEX_TEST_WORD"), "one word");
  EXPECT_EQ(lookup_("COMEX_TEST_EQUATION"), "a=b=c");
  EXPECT_EQ(lookup_("COMEX_TEST_LONG"), std::string(100'000, 'x'));
}

TEST_P(LookupConformance, tells_an_empty_value_from_none) {
  EXPECT_EQ(lookup_("COMEX_TEST_EMPTY"), "");
  EXPECT_EQ(lookup_("COMEX_TEST_NONE"), std::nullopt);
}

TEST_P(LookupConformance, takes_a_name_to_the_letter) {
  for (const char* name :
       {"COMEX_TEST_WOR", "COMEX_TEST_WORDS", "comex_test_word", "COMEX_TEST_WORD=", " ", ""})
    EXPECT_EQ(lookup_(name), std::nullopt) << name;
}

TEST_P(LookupConformance, takes_a_name_that_is_part_of_a_longer_text) {
  const std::string_view text = "COMEX_TEST_WORD_AND_MORE";
  EXPECT_EQ(lookup_(text.substr(0, 15)), "one word");
}

TEST_P(LookupConformance, makes_the_same_settings) {
  const Result<Settings> settings = parse_settings(lookup_);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->wait, comex::WaitMode::sleep);
  EXPECT_EQ(settings->chunk_bytes, 65536);
  EXPECT_TRUE(settings->verbose);
  EXPECT_EQ(settings->source(SettingId::verbose), Source::alias);
  EXPECT_FALSE(settings->is_explicit(SettingId::spin_us));
}

const LookupCase lookups[] = {{"process", [](const Environment&) { return environment_lookup(); }},
                              {"map", test::lookup_in}};
INSTANTIATE_TEST_SUITE_P(Both, LookupConformance, testing::ValuesIn(lookups),
                         [](const auto& of) { return of.param.name; });

TEST(EnvironmentNames, are_those_of_all_variables_without_their_values) {
  const Variables variables({{"COMEX_TEST_EQUATION", "a=b"}, {"COMEX_TEST_EMPTY", ""}});
  const std::vector<std::string> names = environment_names();
  EXPECT_EQ(std::ranges::count(names, "COMEX_TEST_EQUATION"), 1);
  EXPECT_EQ(std::ranges::count(names, "COMEX_TEST_EMPTY"), 1);
  EXPECT_EQ(std::ranges::count(names, "COMEX_TEST_NONE"), 0);
}

}  // namespace
}  // namespace comex::runtime
