// The watch over sockets, and the naps that it cuts short: on pairs of real sockets of this process.
#include <dirent.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <memory>

#include "shm/idle.h"
#include "shm/posix_os.h"
#include "shm/socket_os.h"
#include "shm/watched_naps.h"
#include "support.h"

namespace comex::shm {
namespace {

class SocketPair {
 public:
  SocketPair() {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_) != 0)
      throw std::runtime_error("socketpair");
  }
  ~SocketPair() {
    close(ends_[0]);
    close(ends_[1]);
  }
  SocketPair(const SocketPair&) = delete;
  SocketPair& operator=(const SocketPair&) = delete;
  void send() { EXPECT_EQ(write(ends_[0], "x", 1), 1); }
  void receive() {
    char got = 0;
    EXPECT_EQ(read(ends_[1], &got, 1), 1);
  }

 private:
  int ends_[2] = {-1, -1};
};

int open_descriptors() {
  int count = 0;
  DIR* const open = opendir("/proc/self/fd");
  while (readdir(open) != nullptr) ++count;
  closedir(open);
  return count;
}

class Watched : public testing::Test {
 protected:
  std::unique_ptr<Os> os_ = make_posix_os();
  DoorbellBlock block_{};
  Doorbell bell_{*os_, block_};
  SocketPair pair_;
};

class Watch : public Watched {
 protected:
  void arm() {
    while (!watch_->arm()) os_->yield();  // not before it may look for sockets again
  }
  // What has rung until all is over.
  std::uint32_t rings() {
    watch_.reset();
    return bell_.seen();
  }
  std::unique_ptr<SocketWatch> watch_ = SocketWatch::make(*os_, bell_);
};

TEST_F(Watch, rings_for_what_arrives_after_it_was_armed_and_once) {
  const std::uint32_t seen = bell_.seen();
  arm();
  pair_.send();
  EXPECT_TRUE(bell_.sleep_until_rung(seen, forever_ns));
  EXPECT_TRUE(watch_->heard());
  pair_.send();
  EXPECT_TRUE(watch_->heard());
  EXPECT_EQ(rings(), 1u);
}

TEST_F(Watch, rings_each_time_it_is_armed) {
  for (std::uint32_t times = 1; times <= 20; ++times) {
    const std::uint32_t seen = bell_.seen();
    arm();
    pair_.send();
    EXPECT_TRUE(bell_.sleep_until_rung(seen, forever_ns));
    EXPECT_EQ(bell_.seen(), times);
    pair_.receive();
  }
}

TEST_F(Watch, does_not_ring_when_disarmed_but_has_heard) {
  arm();
  watch_->disarm();
  pair_.send();
  EXPECT_TRUE(watch_->heard());
  EXPECT_EQ(rings(), 0u);
}

TEST_F(Watch, hears_once_of_what_has_been_read_already) {
  arm();
  pair_.send();
  pair_.receive();
  EXPECT_TRUE(watch_->heard());
  EXPECT_FALSE(watch_->heard());
}

TEST_F(Watch, does_not_ring_for_what_nobody_has_read_since_before) {
  pair_.send();
  arm();
  EXPECT_FALSE(watch_->heard());
  arm();
  EXPECT_EQ(rings(), 0u);
}

TEST_F(Watch, finds_sockets_that_are_made_later_and_forgets_closed_ones) {
  auto former = std::make_unique<SocketPair>();
  arm();
  former.reset();
  SocketPair later;
  arm();
  const std::uint32_t seen = bell_.seen();
  later.send();
  EXPECT_TRUE(bell_.sleep_until_rung(seen, forever_ns));
}

TEST_F(Watch, hears_of_more_sockets_than_it_is_told_of_at_once) {
  std::vector<std::unique_ptr<SocketPair>> pairs;
  for (int i = 0; i < 100; ++i) pairs.push_back(std::make_unique<SocketPair>());
  arm();
  for (const auto& pair : pairs) pair->send();
  EXPECT_TRUE(watch_->heard());
  EXPECT_FALSE(watch_->heard());
}

TEST_F(Watched, a_watch_leaves_no_descriptor_and_no_signal_blocked) {
  sigset_t before;
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  const int descriptors = open_descriptors();
  auto watch = SocketWatch::make(*os_, bell_);
  EXPECT_TRUE(watch->arm());
  EXPECT_GT(open_descriptors(), descriptors);
  watch.reset();
  EXPECT_EQ(open_descriptors(), descriptors);
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGTERM), sigismember(&after, SIGTERM));
}

// Naps at once, for a millisecond as long as nothing is proven.
class Naps : public Watched {
 protected:
  static WaitPolicy policy() {
    WaitPolicy policy;
    policy.mode = WaitMode::sleep;
    policy.nap_first_ns = policy.nap_max_ns = 1'000'000;
    return policy;
  }
  bool step() { return naps_->step(idle_, messages_); }
  void arm() {
    while (!step()) os_->yield();
  }
  void look_and_sleep() {
    for (unsigned i = 0; i < WatchedNaps::looks_before_sleep; ++i) EXPECT_TRUE(step());
  }
  void take_message() { naps_->leave(++messages_); }
  void wake_by(SocketPair& pair) {
    arm();
    pair.send();
    look_and_sleep();
    pair.receive();
  }

  Idle idle_{*os_, policy(), bell_};
  std::uint64_t messages_ = 0;
  std::unique_ptr<WatchedNaps> naps_ =
      std::make_unique<WatchedNaps>(SocketWatch::make(*os_, bell_), policy().nap_max_ns);
};

TEST_F(Naps, get_longer_with_every_message_that_an_event_announced) {
  for (const std::uint64_t longest : {4'000'000u, 16'000'000u, 20'000'000u}) {
    wake_by(pair_);
    take_message();
    EXPECT_EQ(naps_->trust().longest_ns(), longest);
  }
}

TEST_F(Naps, fall_back_at_a_message_that_came_without_an_event) {
  wake_by(pair_);
  take_message();
  arm();
  look_and_sleep();
  take_message();
  EXPECT_FALSE(naps_->trust().is_earned());
  EXPECT_FALSE(step());
}

TEST_F(Naps, count_an_event_that_came_behind_the_nap) {
  arm();
  look_and_sleep();
  pair_.send();
  pair_.receive();
  take_message();
  EXPECT_TRUE(naps_->trust().is_earned());
}

TEST_F(Naps, judge_only_the_first_message_after_a_nap) {
  wake_by(pair_);
  take_message();
  take_message();
  take_message();
  EXPECT_EQ(naps_->trust().longest_ns(), 4'000'000u);
}

TEST_F(Naps, fall_back_when_events_bring_no_message) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(naps_->trust().listens());
    wake_by(pair_);
    naps_->leave(messages_);
  }
  while (naps_->trust().listens()) EXPECT_FALSE(step());
}

TEST_F(Naps, listen_again_when_messages_have_come) {
  arm();
  look_and_sleep();
  take_message();
  EXPECT_FALSE(step());
  take_message();
  EXPECT_FALSE(step());
  EXPECT_FALSE(step());
  EXPECT_FALSE(naps_->trust().listens());
  take_message();
  EXPECT_FALSE(step());
  EXPECT_TRUE(naps_->trust().listens());
  arm();
}

TEST_F(Naps, are_not_cut_short_once_there_is_other_work) {
  arm();
  take_message();
  pair_.send();
  naps_.reset();
  EXPECT_EQ(bell_.seen(), 0u);
}

TEST_F(Naps, end_with_a_ring_from_the_own_host_without_a_verdict) {
  arm();
  bell_.ring();
  look_and_sleep();
  naps_->leave(messages_);
  EXPECT_TRUE(naps_->trust().listens());
  EXPECT_FALSE(naps_->trust().is_earned());
}

TEST_F(Naps, are_watched_again_after_a_ring_whose_socket_is_gone) {
  {
    SocketPair gone;
    arm();
    gone.send();
    while (bell_.seen() == 0) os_->yield();
  }
  look_and_sleep();
  const std::uint32_t rings = bell_.seen();
  arm();
  pair_.send();
  for (int i = 0; i < 2000 && bell_.seen() == rings; ++i) os_->sleep_ns(1'000'000);
  EXPECT_NE(bell_.seen(), rings);
}

TEST_F(Naps, are_left_to_the_ladder_while_short) {
  WaitPolicy policy = this->policy();
  policy.nap_first_ns = 1000;
  Idle idle(*os_, policy, bell_);
  EXPECT_TRUE(idle.would_nap());
  EXPECT_FALSE(naps_->step(idle, messages_));
}

// Its clock goes by hand, and sleeps take no time.
class Patient : public MemoryOs {
 public:
  std::uint64_t now_ns() override { return now; }
  bool wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t timeout_ns,
            std::uint32_t bitset) override {
    slept_ns = timeout_ns;
    return MemoryOs::wait(word, expected, 0, bitset);
  }
  std::uint64_t now = 1;
  std::uint64_t slept_ns = 0;
};

TEST_F(Naps, last_a_thousandth_of_the_wait_before_anything_is_proven) {
  Patient os;
  Idle idle(os, policy(), Doorbell(os, block_));
  const auto nap = [&] {
    while (!naps_->step(idle, messages_)) os_->yield();
    for (unsigned i = 0; i < WatchedNaps::looks_before_sleep; ++i) EXPECT_TRUE(naps_->step(idle, messages_));
    return os.slept_ns;
  };
  EXPECT_EQ(nap(), 1'000'000u);
  os.now += 5'000'000'000;
  EXPECT_EQ(nap(), 5'000'000u);
  os.now += 50'000'000'000;
  EXPECT_EQ(nap(), 20'000'000u);
}

TEST_F(Naps, last_no_longer_than_the_caller_may_sleep) {
  Patient os;
  Idle idle(os, policy(), Doorbell(os, block_));
  while (os.slept_ns == 0) static_cast<void>(naps_->step(idle, messages_, 70'000));
  EXPECT_EQ(os.slept_ns, 70'000u);
}

}  // namespace
}  // namespace comex::shm
