#include "worlds/connect/ports/port_name.h"

#include <gtest/gtest.h>

#include "worlds/connect/ports/framed_socket.h"

namespace comex::worlds {
namespace {

const std::string cookie = "0123456789abcdef0123456789abcdef";

TEST(PortName, reads_back_what_it_has_written) {
  for (const std::string host : {"node7", "10.0.0.2", "fd00::2"}) {
    const PortName name{host, 4711, cookie};
    const Result<PortName> read = parse_port(format_port(name));
    ASSERT_TRUE(read) << read.failure().text;
    EXPECT_EQ(read.value(), name);
  }
}

TEST(PortName, bears_the_end_of_a_line) {
  EXPECT_TRUE(parse_port("node7:4711:" + cookie + "\n"));
}

TEST(PortName, is_not_read_from_a_text_that_is_none) {
  for (const std::string& text :
       {std::string(), std::string("node7"), cookie + ":" + cookie, std::string("node7:4711:abc"),
        "node7:0:" + cookie, "node7:65536:" + cookie, "node7:47x:" + cookie, ":4711:" + cookie}) {
    const Result<PortName> read = parse_port(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.failure().text.find("host:port:cookie"), std::string::npos) << read.failure().text;
  }
}

// Whoever reads the line could get in.
TEST(PortName, shows_no_cookie_of_a_text_that_is_none) {
  for (const std::string& text :
       {cookie, cookie + ":" + cookie, "node7:0:" + cookie, "node7:" + cookie + ":4711", "node7:" + cookie,
        ":4711:" + cookie, "node7:47x:" + cookie, "[fd00::2]:x:" + cookie, "node7:4711:" + cookie + ":",
        "node7:4711:" + cookie + "0", "fd00::2:4711x:" + cookie,
        "node7:4711:" + cookie + "\nnode8:4711:" + cookie, cookie + " 5000:12:" + cookie,
        "x" + cookie + ":12:" + cookie, "node7 8:12:" + cookie}) {
    const Result<PortName> read = parse_port(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.failure().text.find(cookie), std::string::npos) << read.failure().text;
  }
}

TEST(PortName, shows_nothing_of_a_long_text_but_its_length) {
  const std::string text = parse_port(std::string(1'000'000, 'x')).failure().text;
  EXPECT_TRUE(text.starts_with("a text of 1000000 bytes is not a port: ")) << text;
  EXPECT_LT(text.size(), 300U);
}

TEST(PortName, draws_another_cookie_each_time) {
  EXPECT_EQ(draw_cookie().size(), cookie_digits);
  EXPECT_NE(draw_cookie(), draw_cookie());
}

}  // namespace
}  // namespace comex::worlds
