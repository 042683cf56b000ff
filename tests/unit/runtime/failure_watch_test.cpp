// What progress ranks tell each other of a host that is lost: one message for each other host.
#include "runtime/opening/failure_watch.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "runtime/opening/directory.h"
#include "support/loopback_transport.h"
#include "support/map_lookup.h"
#include "support/memory_os.h"

namespace comex::runtime {
namespace {

using groups::WorkerState;

// Three hosts: workers 0 and 1 with progress rank 2; workers 2, 3 and 4 with 6; worker 5 with 8.
const std::vector<int> host_of_rank = {0, 0, 0, 1, 1, 1, 1, 2, 2};

// A progress rank, as much of it as watches over failures.
class Watcher {
 public:
  Watcher(const std::shared_ptr<transport::LoopbackFabric>& fabric, TransportRank rank)
      : world(std::make_unique<shm::MemoryOs>(), settings()) {
    const pr::WorldSplit split = pr::split_world(host_of_rank, world.settings).value();
    world.place = split.places()[static_cast<std::size_t>(rank)];
    world.share = pr::share_of(split, static_cast<std::size_t>(world.place.host));
    const groups::DirectoryShape shape{world.share.ranks, world.share.workers, world.share.hosts};
    rows_.resize(groups::Directory::bytes(shape) / sizeof(std::uint64_t) + 1);
    world.group.emplace(reinterpret_cast<std::byte*>(rows_.data()), shape);
    write_places(*world.group, split, world.place.host, std::vector<HostRow>(split.hosts.size()));
    world.failures = {marks_, world.share.workers};
    world.transport = {fabric, &fabric->endpoint(rank)};
    watch.emplace(world, reporter_);
  }

  // Returns who has died since, as it learns now.
  std::vector<Worker> learn() {
    transport::Message message;
    while (world.transport->receive(message)) {
      protocol::ControlHeader header;
      std::memcpy(&header, message.data.data(), sizeof header);
      watch->on_message(message.from, header);
    }
    std::vector<Worker> dead;
    watch->advance([](int) { return true; }, [&](Worker worker) { dead.push_back(worker); });
    return dead;
  }

  World world;
  std::optional<FailureWatch> watch;

 private:
  static Settings settings() {
    return parse_settings(test::lookup_in({{"COMEX_ON_FAILURE", "continue"}, {"COMEX_TIMEOUT_S", "0"}}))
        .value();
  }

  Reporter reporter_;
  std::vector<std::uint64_t> rows_;
  alignas(64) std::byte marks_[groups::Failures::bytes(6, 3)] = {};
};

TEST(FailureWatch, tells_each_other_host_of_a_lost_one_by_one_message) {
  const auto fabric = std::make_shared<transport::LoopbackFabric>(9);
  Watcher here(fabric, 2), there(fabric, 8);
  // Another progress rank of this host has found it lost, and is in the middle of its marks.
  for (const Worker worker : {2U, 3U}) here.world.failures.mark(worker, WorkerState::lost);
  EXPECT_EQ(here.learn(), (std::vector<Worker>{2, 3, 4}));
  EXPECT_EQ(fabric->messages(2, 8), 1U);
  EXPECT_EQ(fabric->messages(2, 6), 0U) << "it is lost";
  EXPECT_EQ(there.learn(), (std::vector<Worker>{2, 3, 4}));
  for (Worker worker = 0; worker < 6; ++worker) {
    const WorkerState wanted = worker >= 2 && worker <= 4 ? WorkerState::lost : WorkerState::alive;
    EXPECT_EQ(here.world.failures.of(worker), wanted) << worker;
    EXPECT_EQ(there.world.failures.of(worker), wanted) << worker;
  }
  EXPECT_EQ(fabric->messages(8, 2) + fabric->messages(8, 6), 0U) << "who is told tells nobody";
}

TEST(FailureWatch, tells_of_a_dead_worker_alone) {
  const auto fabric = std::make_shared<transport::LoopbackFabric>(9);
  Watcher here(fabric, 2), there(fabric, 8);
  here.world.failures.mark(1, WorkerState::dead);
  EXPECT_EQ(here.learn(), (std::vector<Worker>{1}));
  EXPECT_EQ(fabric->messages(2, 8), 1U);
  EXPECT_EQ(fabric->messages(2, 6), 1U);
  EXPECT_EQ(there.learn(), (std::vector<Worker>{1}));
  EXPECT_EQ(there.world.failures.of(1), WorkerState::dead);
  EXPECT_EQ(there.world.failures.of(0), WorkerState::alive);
}

}  // namespace
}  // namespace comex::runtime
