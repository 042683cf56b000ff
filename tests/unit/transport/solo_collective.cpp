// SoloCollective passes the conformance suite: the only rank there is.
#include "transport/solo_collective.h"

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

using Rigs = testing::Types<Solo>;
INSTANTIATE_TYPED_TEST_SUITE_P(Solo, CollectiveConformance, Rigs);

}  // namespace
}  // namespace comex::transport::test
