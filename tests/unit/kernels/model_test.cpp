// The kernels against the model of whole operations, and the model's operations against the rules.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>

#include "core/patch.h"
#include "core/scatter.h"
#include "kernels/copy.h"
#include "kernels/striped_accumulate.h"
#include "support/model.h"

namespace comex::kernels {
namespace {

using testing::Element;
using testing::Layout;
using testing::Operation;
using testing::Verb;

struct NoLocks {
  void lock(std::uint64_t) {}
  bool try_lock(std::uint64_t) { return true; }
  void unlock(std::uint64_t) {}
  void lock_two(std::uint64_t, std::uint64_t) {}
  bool try_lock_two(std::uint64_t, std::uint64_t) { return true; }
  void unlock_two(std::uint64_t, std::uint64_t) {}
};

Scalar scalar_of(Element element) {
  switch (element) {
    case Element::int32:
      return Scalar::int32;
    case Element::int64:
      return Scalar::int64;
    case Element::float32:
      return Scalar::float32;
    case Element::float64:
      return Scalar::float64;
    case Element::complex_float:
      return Scalar::complex_float;
    case Element::complex_double:
      return Scalar::complex_double;
  }
  return Scalar::none;
}

// A sum without a scale is scaled by one, as the calls do.
Combine combine_of(testing::Combination combination) {
  constexpr Combine all[] = {Combine::sum,     Combine::least,   Combine::most,   Combine::product,
                             Combine::replace, Combine::bit_and, Combine::bit_or, Combine::bit_xor};
  return all[static_cast<unsigned>(combination)];
}
void put_one(Element element, Scale& scale) {
  const auto put = [&scale](auto one) { std::memcpy(scale.bytes, &one, sizeof one); };
  std::memset(scale.bytes, 0, sizeof scale.bytes);
  if (element == Element::int32) return put(std::int32_t{1});
  if (element == Element::int64) return put(std::int64_t{1});
  if (element == Element::float32 || element == Element::complex_float) return put(1.0F);
  put(1.0);
}

// One process's side of an operation, done with the kernels.
class Doer {
 public:
  Doer(const Operation& operation, std::byte* near, std::byte* far)
      : operation_(operation), near_(near), far_(far) {
    Scale scale;
    std::memcpy(scale.bytes, operation.scale.data(), 16);
    if (!operation.has_scale) put_one(operation.element, scale);
    const Combine combine = operation.has_scale ? Combine::sum : combine_of(operation.combination);
    work_ = make_accumulation(scalar_of(operation.element), scale, combine);
    if (operation.verb != Verb::acc) work_.element_bytes = 1;
  }

  void run() {
    switch (operation_.layout) {
      case Layout::contiguous:
        segment(near_ + operation_.near, far_ + operation_.far, static_cast<std::uint64_t>(operation_.bytes));
        break;
      case Layout::strided:
        strided();
        break;
      case Layout::vector:
        vectors();
        break;
    }
  }

 private:
  void segment(std::byte* near, std::byte* far, std::uint64_t bytes) {
    if (operation_.verb == Verb::put) copy_bytes(far, near, bytes);
    if (operation_.verb == Verb::get) copy_bytes(near, far, bytes);
    if (operation_.verb == Verb::acc)
      accumulate_run(locks_, {far, static_cast<std::uint64_t>(far - far_)}, near, bytes, work_);
  }

  void strided() {
    const Result<Patch> patch = make_patch(operation_.levels, operation_.near_strides, operation_.far_strides,
                                           operation_.counts, work_.element_bytes);
    ASSERT_TRUE(patch) << patch.failure().text;
    std::byte* near = near_ + operation_.near;
    std::byte* far = far_ + operation_.far;
    ASSERT_LE(patch->far_extent_bytes(), static_cast<std::uint64_t>(testing::region_bytes - operation_.far));
    if (operation_.verb == Verb::put) {
      ASSERT_FALSE(rows_overlap(patch.value(), Side::far));
      copy_near_to_far(patch.value(), near, far);
    } else if (operation_.verb == Verb::get) {
      ASSERT_FALSE(rows_overlap(patch.value(), Side::near));
      ASSERT_LE(patch->extent_bytes(Side::near), static_cast<std::uint64_t>(operation_.landing_bytes));
      copy_far_to_near(patch.value(), far, near);
    } else {
      accumulate_patch(locks_, patch.value(), {far, static_cast<std::uint64_t>(operation_.far)}, near, work_);
    }
  }

  void vectors() {
    for (const testing::Segments& part : operation_.parts) {
      std::vector<void*> near;
      std::vector<void*> far;
      for (const long offset : part.near) near.push_back(near_ + offset);
      for (const long offset : part.far) far.push_back(far_ + offset);
      const Result<Scatter> scatter = make_scatter(near.data(), far.data(), static_cast<int>(near.size()),
                                                   part.bytes, work_.element_bytes);
      ASSERT_TRUE(scatter) << scatter.failure().text;
      for (std::uint64_t i = 0; i < scatter->count; ++i)
        segment(static_cast<std::byte*>(near[i]), static_cast<std::byte*>(far[i]), scatter->bytes);
    }
  }

  const Operation& operation_;
  std::byte* near_;
  std::byte* far_;
  Accumulation work_;
  NoLocks locks_;
};

TEST(Model, and_kernels_agree_on_thousands_of_random_operations) {
  testing::OperationMaker maker(31);
  std::vector<std::byte> source(testing::region_bytes);
  std::vector<std::byte> expected(testing::region_bytes);
  testing::fill_region(source.data(), 1);
  testing::fill_region(expected.data(), 2);
  std::vector<std::byte> region = expected;
  for (int round = 0; round < 4000; ++round) {
    const Operation operation = maker.make();
    if (operation.verb == Verb::rmw) continue;
    const auto landing = static_cast<std::size_t>(operation.landing_bytes);
    std::vector<std::byte> wanted(landing);
    std::vector<std::byte> got(landing);
    const bool is_get = operation.verb == Verb::get;
    apply(operation, is_get ? wanted.data() : source.data(), expected.data());
    Doer(operation, is_get ? got.data() : source.data(), region.data()).run();
    if (HasFatalFailure()) FAIL() << "round " << round << ": " << operation.describe();
    ASSERT_EQ(got, wanted) << "round " << round << ": " << operation.describe();
    ASSERT_EQ(std::memcmp(region.data(), expected.data(), region.size()), 0)
        << "round " << round << ": " << operation.describe();
  }
}

TEST(Model, makes_every_kind_of_operation) {
  testing::OperationMaker maker(32);
  std::map<std::string, int> seen;
  for (int round = 0; round < 10000; ++round) {
    const Operation operation = maker.make();
    const std::string verb = std::to_string(static_cast<int>(operation.verb));
    if (operation.verb == Verb::rmw) {
      if (operation.is_typed) {
        ++seen["atomic " + std::to_string(static_cast<int>(operation.atomic))];
        ++seen["word type " + std::to_string(static_cast<int>(operation.type))];
      } else {
        ++seen["rmw code " + std::to_string(operation.rmw_code())];
      }
      continue;
    }
    ++seen["verb " + verb + " layout " + std::to_string(static_cast<int>(operation.layout))];
    if (operation.verb == Verb::acc) ++seen["element " + std::to_string(static_cast<int>(operation.element))];
    if (!operation.has_scale)
      ++seen["combination " + std::to_string(static_cast<int>(operation.combination))];
    if (operation.is_wide) ++seen["wide"];
    if (operation.layout == Layout::strided) ++seen["levels " + std::to_string(operation.levels)];
    if (operation.layout == Layout::contiguous && operation.bytes == 0) ++seen["nothing"];
    if (operation.bytes > 200'000) ++seen["large"];
  }
  EXPECT_EQ(seen.size(), 12U + 10U + 6U + 9U + 6U + 8U + 1U + 9U + 2U);
  for (const auto& [kind, count] : seen) EXPECT_GE(count, 20) << kind;
}

TEST(Model, gives_the_same_operations_for_the_same_seed) {
  testing::OperationMaker one(33);
  testing::OperationMaker two(33);
  testing::OperationMaker other(34);
  int different = 0;
  for (int round = 0; round < 200; ++round) {
    const std::string description = one.make().describe();
    ASSERT_EQ(description, two.make().describe());
    different += description != other.make().describe() ? 1 : 0;
  }
  EXPECT_GT(different, 100);
}

}  // namespace
}  // namespace comex::kernels
