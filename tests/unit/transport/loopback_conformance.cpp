// The loopback transport passes the conformance suite, on one thread and on a thread a rank.
#include <thread>
#include <vector>

#include "support/loopback_transport.h"
#include "unit/transport/conformance.h"

namespace comex::transport::test {
namespace {

template <TransportRank ranks>
class InTurns {
 public:
  void run(Check check) {
    std::vector<RankTask> tasks;
    for (TransportRank rank = 0; rank < ranks; ++rank) tasks.push_back(check(fabric_.endpoint(rank)));
    for (bool busy = true; busy;) {
      busy = false;
      for (RankTask& task : tasks) {
        if (task.finished()) continue;
        task.resume();
        busy = true;
      }
    }
    EXPECT_TRUE(fabric_.drained());
  }

 private:
  LoopbackFabric fabric_{ranks};
};

template <TransportRank ranks>
class OnThreads {
 public:
  void run(Check check) {
    std::vector<std::thread> threads;
    for (TransportRank rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([this, check, rank] {
        RankTask task = check(fabric_.endpoint(rank));
        while (!task.finished()) {
          task.resume();
          std::this_thread::yield();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(fabric_.drained());
  }

 private:
  LoopbackFabric fabric_{ranks};
};

using LoopbackRigs = testing::Types<InTurns<1>, InTurns<2>, InTurns<5>, OnThreads<2>, OnThreads<3>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Loopback, TransportConformance, LoopbackRigs);

}  // namespace
}  // namespace comex::transport::test
