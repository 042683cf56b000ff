// SoloCollective passes the conformance suite: the only rank there is.
#include "support/solo_collective.h"

#include "unit/transport/collective_conformance.h"

namespace comex::transport::test {
namespace {

class Solo {
 public:
  Collective& all() { return all_; }
  void count_one() { ++count_; }
  std::size_t counted() const { return count_; }

 private:
  SoloCollective all_;
  std::size_t count_ = 0;
};

using SoloRigs = testing::Types<Solo>;
INSTANTIATE_TYPED_TEST_SUITE_P(Solo, CollectiveConformance, SoloRigs);

// Not where MPI runs: its own threads may hold a lock when the process forks, and the child waits for ever.
TEST(SoloCollective, calls_misuse_a_bug) {
  SoloCollective all;
  std::vector<std::byte> word(8);
  std::vector<std::byte> too_small(7);
  EXPECT_DEATH(all.broadcast(word, 1), "bug at");
  EXPECT_DEATH(all.broadcast(word, no_rank), "bug at");
  EXPECT_DEATH(all.all_gather(word, too_small), "bug at");
}

}  // namespace
}  // namespace comex::transport::test
