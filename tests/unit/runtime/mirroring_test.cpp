// Two hosts in one process: the progress rank of each serves an origin and mirrors its part on the other.
#include "runtime/kept/mirroring.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "pr/server.h"
#include "support/loopback_parts.h"
#include "support/loopback_transport.h"
#include "support/memory_os.h"

namespace comex::runtime {
namespace {

constexpr WorldId world = 3;
constexpr std::uint64_t part_bytes = 200'000;

class Hosts : public ::testing::Test {
 protected:
  struct Host {
    shm::MemoryOs os;
    std::optional<shm::Arena> arena;
    std::unique_ptr<Mirroring> mirroring;
    std::unique_ptr<pr::Server> server;
    std::byte* part = nullptr;
    std::byte* mirror = nullptr;  // of the other's part
  };

  Hosts() : fabric_(4, 1024) {
    for (TransportRank rank = 0; rank < 2; ++rank) open(rank);
    for (TransportRank rank = 0; rank < 2; ++rank) {
      Host& host = hosts_[rank];
      const std::uint64_t offset = host.arena->offset_of(host.part);
      shm::MirroredPart& part = host.arena->extents().behind(offset);
      part.format(part_bytes);
      part.add_mirror({.worker = static_cast<Worker>(1 - rank),
                       .address = reinterpret_cast<std::uint64_t>(hosts_[1 - rank].mirror)});
      host.arena->extents().show_mirrored(offset);
    }
    for (TransportRank rank = 2; rank < 4; ++rank)
      origins_.push_back(std::make_unique<op::Remote>(fabric_.endpoint(rank), op::RemoteOptions{}));
  }

  void open(TransportRank rank) {
    Host& host = hosts_[rank];
    const auto worker = static_cast<Worker>(rank);
    host.arena.emplace(test::make_arena(host.os, world, 3));
    host.mirroring = std::make_unique<Mirroring>(
        MirroringSite{.transport = fabric_.endpoint(rank),
                      .arena = *host.arena,
                      .remote = {},
                      .serves = [worker](Worker owner) { return owner == worker; },
                      .target_of = [this](Worker target) { return far(target); }});
    pr::ServerOptions options;
    options.world = world;
    options.slot_of = [](Worker) { return shm::HostSlot{1}; };
    options.mirrors = &host.mirroring->rounds();
    host.server = std::make_unique<pr::Server>(fabric_.endpoint(rank), *host.arena, options);
    shm::Extents& extents = host.arena->extents();
    host.part = host.arena->at(extents.allocate_mirrored(worker, part_bytes, 1)->offset);
    host.mirror = host.arena->at(extents.allocate(worker, part_bytes, 1)->offset);
    std::memset(host.part, 0, part_bytes);
    std::memset(host.mirror, 0, part_bytes);
  }

  op::RemoteTarget far(Worker target) {
    return {.world = world,
            .server = static_cast<TransportRank>(target),
            .target = target,
            .offset_base = reinterpret_cast<std::uint64_t>(hosts_[target].arena->base())};
  }

  void turn() {
    transport::Message message;
    for (TransportRank rank = 0; rank < 2; ++rank) {
      Host& host = hosts_[rank];
      while (fabric_.endpoint(rank).receive(message)) {
        if (protocol::is_reply(static_cast<protocol::Verb>(message.data.front()))) {
          host.mirroring->on_reply(message);
        } else {
          host.server->on_message(message);
        }
      }
      host.server->advance();
      host.mirroring->advance();
    }
    for (TransportRank rank = 2; rank < 4; ++rank) {
      op::Remote& origin = *origins_[static_cast<std::size_t>(rank - 2)];
      while (fabric_.endpoint(rank).receive(message)) origin.on_message(message);
      origin.advance();
    }
  }
  bool until_done(const nb::Completion& done) {
    for (int turns = 0; turns < 2000 && !done.done(); ++turns) turn();
    return done.done();
  }
  void put(std::size_t origin, Worker target, std::uint64_t at, std::vector<std::byte>& data,
           nb::Completion& done) {
    Operation put;
    put.target = target;
    put.near = data.data();
    put.far = hosts_[target].part + at;
    put.patch = contiguous_patch(data.size());
    origins_[origin]->start(put, far(target), done);
  }
  bool is_mirrored(Worker target) const {
    return std::memcmp(hosts_[target].part, hosts_[1 - target].mirror, part_bytes) == 0;
  }

  transport::LoopbackFabric fabric_;
  Host hosts_[2];
  std::vector<std::unique_ptr<op::Remote>> origins_;
};

TEST_F(Hosts, answer_a_fence_when_the_mirror_has_what_was_written) {
  for (const std::size_t bytes : {8U, 3000U, 150'000U}) {
    std::vector<std::byte> data = test::pattern(bytes, static_cast<unsigned>(bytes));
    nb::Completion written;
    put(0, 0, 100, data, written);
    ASSERT_TRUE(until_done(written));
    nb::Completion fenced;
    origins_[0]->start_fence(0, fenced);
    ASSERT_TRUE(until_done(fenced));
    EXPECT_EQ(std::memcmp(hosts_[0].part + 100, data.data(), bytes), 0);
    EXPECT_TRUE(is_mirrored(0));
    EXPECT_FALSE(origins_[0]->dirty(0));
  }
}

// Both fences wait for the other host to serve.
TEST_F(Hosts, mirror_each_other_at_the_same_time) {
  std::vector<std::byte> data = test::pattern(180'000, 1);
  nb::Completion done;
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < 2; ++i) {
      put(i, static_cast<Worker>(i), 0, data, done);
      origins_[i]->start_fence(static_cast<TransportRank>(i), done);
    }
    ASSERT_TRUE(until_done(done));
    EXPECT_TRUE(is_mirrored(0));
    EXPECT_TRUE(is_mirrored(1));
    data[static_cast<std::size_t>(round) * 10'000] ^= std::byte{1};
  }
}

TEST_F(Hosts, serve_others_while_a_fence_waits_for_its_mirror) {
  std::vector<std::byte> data = test::pattern(8, 1);
  std::vector<std::byte> back(8);
  fabric_.hold_messages(0, 1);
  nb::Completion fenced;
  put(0, 0, 0, data, fenced);
  origins_[0]->start_fence(0, fenced);
  EXPECT_FALSE(until_done(fenced));
  Operation get;
  get.action = Action::get;
  get.near = back.data();
  get.far = hosts_[0].part;
  get.patch = contiguous_patch(8);
  for (const auto& origin : origins_) {
    nb::Completion got;
    origin->start(get, far(0), got);
    ASSERT_TRUE(until_done(got));
    EXPECT_EQ(back, data);
  }
  EXPECT_TRUE(origins_[0]->dirty(0));
  fabric_.release_messages(0, 1);
  EXPECT_TRUE(until_done(fenced));
  EXPECT_TRUE(is_mirrored(0));
}

// An rmw is complete when it returns; its mirror is at the next fence, which therefore sends a message.
TEST_F(Hosts, fence_atomics_too) {
  AtomicOperation add;
  add.atomic = protocol::Atomic::fetch_add;
  add.far = hosts_[0].part + 64;
  add.operand = 5;
  add.target = 0;
  nb::Completion added;
  origins_[0]->start_atomic(add, far(0), added);
  ASSERT_TRUE(until_done(added));
  EXPECT_TRUE(origins_[0]->dirty(0));
  nb::Completion fenced;
  origins_[0]->start_fence(0, fenced);
  ASSERT_TRUE(until_done(fenced));
  EXPECT_TRUE(is_mirrored(0));
}

TEST_F(Hosts, send_direct_writes_when_a_fence_asks_for_it) {
  hosts_[0].part[777] = std::byte{42};
  hosts_[0].arena->extents().note_written(hosts_[0].arena->offset_of(hosts_[0].part + 777), 1);
  nb::Completion fenced;
  origins_[0]->start_fence(0, fenced);
  EXPECT_TRUE(fenced.done());  // nobody knows of it
  origins_[0]->start_fence_with_mirrors(far(0), fenced);
  ASSERT_TRUE(until_done(fenced));
  EXPECT_TRUE(is_mirrored(0));
}

TEST_F(Hosts, go_on_without_a_mirror_that_is_lost) {
  std::vector<std::byte> data = test::pattern(150'000, 1);
  fabric_.hold_messages(0, 1);
  nb::Completion fenced;
  put(0, 0, 0, data, fenced);
  origins_[0]->start_fence(0, fenced);
  EXPECT_FALSE(until_done(fenced));
  EXPECT_TRUE(hosts_[0].mirroring->lose(1));
  EXPECT_TRUE(until_done(fenced));
  nb::Completion again;
  put(0, 0, 0, data, again);
  origins_[0]->start_fence(0, again);
  EXPECT_TRUE(until_done(again));
  EXPECT_FALSE(is_mirrored(0));
}

TEST(MirrorRounds, are_over_when_the_first_one_that_began_later_is) {
  pr::MirrorRounds rounds;
  const std::uint64_t first = rounds.ask();
  EXPECT_TRUE(rounds.is_wanted());
  rounds.begin();
  const std::uint64_t later = rounds.ask();
  rounds.end();
  EXPECT_TRUE(rounds.is_over(first));
  EXPECT_FALSE(rounds.is_over(later));
  EXPECT_TRUE(rounds.is_wanted());
  rounds.begin();
  rounds.end();
  EXPECT_TRUE(rounds.is_over(later));
  EXPECT_FALSE(rounds.is_wanted());
}

}  // namespace
}  // namespace comex::runtime
