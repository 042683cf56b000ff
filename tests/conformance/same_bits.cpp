// Accumulates of arbitrary reals, which are not exact: the target's memory holds the same bits whichever way
// they went there, by the caller itself or in messages through a server.
#include <cstring>
#include <random>

#include "conformance/job_rig.h"

namespace comex::whole {
namespace {

constexpr int direct = 0;  // the program's own memory
constexpr int remote = 1;  // on another host, behind a progress rank
constexpr int region_bytes = 100'000;

class SameBits : public testing::TestWithParam<int> {
 protected:
  bool is_double() const { return GetParam() == COMEX_ACC_DBL || GetParam() == COMEX_ACC_DCP; }
  bool is_single() const { return GetParam() == COMEX_ACC_FLT || GetParam() == COMEX_ACC_CPL; }
  int element_bytes() const {
    if (GetParam() == COMEX_ACC_DCP) return 16;
    return GetParam() == COMEX_ACC_INT || GetParam() == COMEX_ACC_FLT ? 4 : 8;
  }

  void fill(char* to, int bytes) {
    std::uniform_real_distribution<double> real(-1000, 1000);
    const int part = is_double() ? 8 : 4;
    for (int at = 0; at + part <= bytes; at += part) {
      if (is_double()) {
        const double value = real(random_);
        std::memcpy(to + at, &value, sizeof value);
      } else if (is_single()) {
        const auto value = static_cast<float>(real(random_));
        std::memcpy(to + at, &value, sizeof value);
      } else {
        const auto bits = static_cast<std::uint32_t>(random_());
        std::memcpy(to + at, &bits, sizeof bits);
      }
    }
  }
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  // The same call to both, then a look at all of their memory.
  template <class Call>
  void expect_same(const char* what, Call&& call) {
    fill(reinterpret_cast<char*>(scale_), sizeof scale_);
    fill(near_.data(), region_bytes);
    for (const int target : {direct, remote}) {
      ASSERT_EQ(call(target, there(target)), COMEX_SUCCESS) << what;
      ASSERT_EQ(comex_fence_proc(target, COMEX_GROUP_WORLD), COMEX_SUCCESS);
    }
    ASSERT_EQ(std::memcmp(there(direct), there(remote), region_bytes), 0) << what;
    ASSERT_NE(std::memcmp(there(direct), start_.data(), region_bytes), 0) << what << " did nothing";
    std::memcpy(start_.data(), there(direct), region_bytes);
  }
  // Three bytes in: elements lie across the blocks that are locked.
  char* there(int target) const { return base_[target] + 3; }

  void SetUp() override {
    fill(start_.data(), region_bytes);
    for (const int target : {direct, remote}) std::memcpy(there(target), start_.data(), region_bytes);
  }

  Job job_{{0, 0, 1, 1}, {{"COMEX_CHUNK_BYTES", "4k"}}};
  char* base_[2] = {job_.allocate<char>(direct, region_bytes + 64),
                    job_.allocate<char>(remote, region_bytes + 64)};
  std::vector<char> near_ = std::vector<char>(region_bytes);
  std::vector<char> start_ = std::vector<char>(region_bytes);
  double scale_[2] = {};
  std::mt19937 random_{static_cast<unsigned>(GetParam())};
};

TEST_P(SameBits, are_left_by_contiguous_accumulates_of_every_length_on_either_way) {
  const int size = element_bytes();
  for (int round = 0; round < 60; ++round) {
    const int bytes = size * (1 + below(round % 3 == 0 ? 20 : region_bytes / size / 2));
    const int at = size * below((region_bytes - bytes) / size);
    const bool waits = round % 2 == 0;  // else small ones are collected
    expect_same("acc", [&](int target, char* to) {
      return waits ? comex_acc(GetParam(), scale_, near_.data(), to + at, bytes, target, COMEX_GROUP_WORLD)
                   : comex_nbacc(GetParam(), scale_, near_.data(), to + at, bytes, target, COMEX_GROUP_WORLD,
                                 nullptr);
    });
  }
}

TEST_P(SameBits, are_left_by_strided_accumulates_on_either_way) {
  const int size = element_bytes();
  for (int round = 0; round < 30; ++round) {
    int count[] = {size * (1 + below(round % 2 == 0 ? 6 : 60)), 1 + below(9), 1 + below(5)};
    int near_stride[] = {count[0] + size * below(3), 0};
    near_stride[1] = near_stride[0] * count[1];
    int far_stride[] = {count[0] + size * below(20), 0};
    far_stride[1] = far_stride[0] * count[1] + size * below(50);
    ASSERT_LT(far_stride[1] * count[2], region_bytes);
    expect_same("accs", [&](int target, char* to) {
      return comex_accs(GetParam(), scale_, near_.data(), near_stride, to, far_stride, count, 2, target,
                        COMEX_GROUP_WORLD);
    });
  }
}

TEST_P(SameBits, are_left_by_vectors_that_name_places_twice_on_either_way) {
  const int size = element_bytes();
  for (int round = 0; round < 30; ++round) {
    const int bytes = size * (1 + below(round % 2 == 0 ? 4 : 700));
    const int pairs = 1 + below(30);
    std::vector<void*> near, far;
    for (int i = 0; i < pairs; ++i) {
      near.push_back(near_.data() + size * below((region_bytes - bytes) / size));
      far.push_back(nullptr);
    }
    std::vector<int> places;
    for (int i = 0; i < pairs; ++i) places.push_back(bytes * below(region_bytes / bytes));
    expect_same("accv", [&](int target, char* to) {
      for (int i = 0; i < pairs; ++i)
        far[static_cast<std::size_t>(i)] = to + places[static_cast<std::size_t>(i)];
      comex_giov_t vector{near.data(), far.data(), pairs, bytes};
      return comex_accv(GetParam(), scale_, &vector, 1, target, COMEX_GROUP_WORLD);
    });
  }
}

std::string type_name(const testing::TestParamInfo<int>& info) {
  constexpr const char* names[] = {"int", "double", "float", "complex", "double_complex", "long"};
  return names[info.param - COMEX_ACC_INT];
}
INSTANTIATE_TEST_SUITE_P(Of, SameBits,
                         testing::Values(COMEX_ACC_INT, COMEX_ACC_DBL, COMEX_ACC_FLT, COMEX_ACC_CPL,
                                         COMEX_ACC_DCP, COMEX_ACC_LNG),
                         type_name);

}  // namespace
}  // namespace comex::whole
