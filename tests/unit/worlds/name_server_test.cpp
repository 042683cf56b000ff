#include "worlds/connect/side.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace comex::worlds {
namespace {

namespace fs = std::filesystem;

constexpr const char* server_address = "3012.0;tcp://192.0.2.7:40001";

// A folder of its own, which is the working directory meanwhile.
class NameServer : public ::testing::Test {
 protected:
  NameServer() {
    fs::create_directories(folder_);
    fs::current_path(folder_);
  }
  ~NameServer() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  static void write(const std::string& name, const std::string& text) { std::ofstream(name) << text; }

 private:
  fs::path before_ = fs::current_path();
  fs::path folder_ = fs::temp_directory_path() / ("comex_name_server_" + std::to_string(getpid()));
};

TEST_F(NameServer, is_the_address_that_a_file_holds_however_the_file_is_named) {
  write("srv", std::string(server_address) + "\nmore\n");
  EXPECT_EQ(name_server_of("file:srv"), server_address);
  EXPECT_EQ(name_server_of("FILE:./srv"), server_address);
  EXPECT_EQ(name_server_of("file:" + at("srv")), server_address);
  EXPECT_EQ(name_server_of(server_address), server_address);
}

TEST_F(NameServer, is_another_one_where_a_file_of_the_same_name_holds_another_address) {
  write("srv", server_address);
  const std::string first = name_server_of("file:srv");
  fs::create_directory("next");
  fs::current_path("next");
  write("srv", "77.0;tcp://192.0.2.8:40002");
  EXPECT_NE(name_server_of("file:srv"), first);
}

TEST_F(NameServer, is_what_was_typed_where_no_file_says_more) {
  write("empty", "");
  for (const char* words : {"", "file:none", "file:empty", "file:.", "file:", "pid:12"}) {
    EXPECT_EQ(name_server_of(words), words);
  }
}

}  // namespace
}  // namespace comex::worlds
