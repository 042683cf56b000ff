#include "worlds/connect/spawn.h"

#include <gtest/gtest.h>

#include <set>

namespace comex::worlds {
namespace {

std::string found(std::string_view command, std::string_view path, const std::set<std::string>& there) {
  const auto result =
      find_command(command, path, [&](const std::string& each) { return there.contains(each); });
  return result ? result.value() : "no: " + result.failure().text;
}

TEST(FindCommand, takes_a_name_with_a_slash_as_it_is) {
  EXPECT_EQ(found("./helper", "/bin", {"./helper", "/bin/helper"}), "./helper");
  EXPECT_NE(found("./helper", "/bin", {"/bin/helper"}).find("no program ./helper"), std::string::npos);
}

TEST(FindCommand, looks_along_the_path_in_its_order_and_then_here) {
  EXPECT_EQ(found("helper", "/a:/b", {"/a/helper", "/b/helper", "./helper"}), "/a/helper");
  EXPECT_EQ(found("helper", "/a:/b", {"/b/helper", "./helper"}), "/b/helper");
  EXPECT_EQ(found("helper", "/a:/b", {"./helper"}), "./helper");
  EXPECT_EQ(found("helper", "", {"./helper"}), "./helper");
}

TEST(FindCommand, takes_an_empty_part_of_the_path_for_the_working_directory) {
  EXPECT_EQ(found("helper", "/a::/b", {"./helper", "/b/helper"}), "./helper");
}

TEST(FindCommand, says_that_there_is_none) {
  EXPECT_NE(found("helper", "/a:/b", {}).find("no program helper"), std::string::npos);
  EXPECT_NE(found("", "/a", {}).find("needs a command"), std::string::npos);
}

TEST(FindCommand, knows_programs_from_directories_and_from_nothing) {
  EXPECT_TRUE(is_program("/bin/sh"));
  EXPECT_FALSE(is_program("/bin"));
  EXPECT_FALSE(is_program("/etc/passwd"));
  EXPECT_FALSE(is_program("/no/such/place"));
}

}  // namespace
}  // namespace comex::worlds
