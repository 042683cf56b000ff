#include "kernels/accumulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace comex::kernels {
namespace {

constexpr Scalar all_scalars[] = {Scalar::int32,   Scalar::int64,         Scalar::float32,
                                  Scalar::float64, Scalar::complex_float, Scalar::complex_double};

std::vector<Isa> isas_here() {
  std::vector<Isa> isas;
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512})
    if (isa_supported(isa)) isas.push_back(isa);
  return isas;
}

template <class T>
T element(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

// One element at a time, from the definition; volatile keeps the compiler from contracting.
template <class T>
void add_one(std::byte* far, const std::byte* near, const Scale& scale) {
  T factor;
  std::memcpy(&factor, scale.bytes, sizeof(T));
  const volatile T product = static_cast<T>(factor * element<T>(near));
  const T sum = static_cast<T>(element<T>(far) + product);
  std::memcpy(far, &sum, sizeof(T));
}

template <class T>
void add_one_complex(std::byte* far, const std::byte* near, const Scale& scale) {
  T c;
  T d;
  std::memcpy(&c, scale.bytes, sizeof(T));
  std::memcpy(&d, scale.bytes + sizeof(T), sizeof(T));
  const T a = element<T>(near);
  const T b = element<T>(near + sizeof(T));
  const volatile T ac = a * c;
  const volatile T bd = b * d;
  const volatile T ad = a * d;
  const volatile T bc = b * c;
  const volatile T real = ac - bd;
  const volatile T imaginary = ad + bc;
  const T sums[2] = {element<T>(far) + real, element<T>(far + sizeof(T)) + imaginary};
  std::memcpy(far, sums, sizeof sums);
}

void add_naively(Scalar scalar, std::byte* far, const std::byte* near, std::uint64_t bytes,
                 const Scale& scale) {
  const unsigned size = scalar_bytes(scalar);
  for (std::uint64_t at = 0; at + size <= bytes; at += size) {
    switch (scalar) {
      case Scalar::int32:
        add_one<std::uint32_t>(far + at, near + at, scale);
        break;
      case Scalar::int64:
        add_one<std::uint64_t>(far + at, near + at, scale);
        break;
      case Scalar::float32:
        add_one<float>(far + at, near + at, scale);
        break;
      case Scalar::float64:
        add_one<double>(far + at, near + at, scale);
        break;
      case Scalar::complex_float:
        add_one_complex<float>(far + at, near + at, scale);
        break;
      case Scalar::complex_double:
        add_one_complex<double>(far + at, near + at, scale);
        break;
      case Scalar::none:
        break;
    }
  }
}

bool is_single(Scalar scalar) {
  return scalar == Scalar::float32 || scalar == Scalar::complex_float;
}

class Values {
 public:
  void fill(Scalar scalar, std::byte* to, std::uint64_t bytes) {
    const std::uint64_t part = is_single(scalar) ? 4 : 8;
    for (std::uint64_t at = 0; at < bytes; at += part) {
      const auto now = static_cast<std::size_t>(std::min(part, bytes - at));
      if (is_integer(scalar)) {
        const std::uint64_t bits = random_();
        std::memcpy(to + at, &bits, now);
      } else if (is_single(scalar)) {
        const auto value = static_cast<float>(real_(random_));
        std::memcpy(to + at, &value, now);
      } else {
        const double value = real_(random_);
        std::memcpy(to + at, &value, now);
      }
    }
  }
  Scale scale(Scalar scalar, int kind) {
    Scale scale = {};
    fill(scalar, reinterpret_cast<std::byte*>(scale.bytes), 16);
    if (kind == 0) return scale;
    std::memset(scale.bytes, 0, 16);
    if (is_integer(scalar)) {
      scale.bytes[0] = 1;
    } else if (is_single(scalar)) {
      const float one = 1;
      std::memcpy(scale.bytes, &one, 4);
    } else {
      const double one = 1;
      std::memcpy(scale.bytes, &one, 8);
    }
    return scale;
  }
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

 private:
  std::mt19937_64 random_{1};
  std::uniform_real_distribution<double> real_{-1000, 1000};
};

class AccumulateKernels : public ::testing::TestWithParam<Scalar> {};

TEST_P(AccumulateKernels, give_the_bits_of_the_definition_at_every_length_and_alignment) {
  const Scalar scalar = GetParam();
  Values values;
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t bytes = round < 600 ? static_cast<std::uint64_t>(round) : values.below(5000);
    const std::uint64_t far_at = values.below(65);
    const std::uint64_t near_at = values.below(65);
    std::vector<std::byte> near(near_at + bytes + 64);
    std::vector<std::byte> start(far_at + bytes + 64);
    values.fill(scalar, near.data() + near_at, bytes);
    values.fill(scalar, start.data() + far_at, bytes);
    const Scale scale = values.scale(scalar, round % 3);
    std::vector<std::byte> expected = start;
    add_naively(scalar, expected.data() + far_at, near.data() + near_at, bytes, scale);
    for (const Isa isa : isas_here()) {
      std::vector<std::byte> far = start;
      accumulate_kernel(scalar, Combine::sum, isa)
          .run(far.data() + far_at, near.data() + near_at, bytes, scale);
      ASSERT_EQ(std::memcmp(far.data(), expected.data(), far.size()), 0)
          << "isa " << static_cast<int>(isa) << ", " << bytes << " bytes, far at " << far_at << ", near at "
          << near_at;
    }
  }
}

TEST_P(AccumulateKernels, ignore_bytes_short_of_an_element) {
  const Scalar scalar = GetParam();
  Values values;
  std::vector<std::byte> near(scalar_bytes(scalar));
  values.fill(scalar, near.data(), near.size());
  for (const Isa isa : isas_here()) {
    std::vector<std::byte> far(scalar_bytes(scalar) - 1, std::byte{7});
    const std::vector<std::byte> before = far;
    accumulate_kernel(scalar, Combine::sum, isa)
        .run(far.data(), near.data(), far.size(), values.scale(scalar, 0));
    ASSERT_EQ(far, before);
  }
}

TEST_P(AccumulateKernels, add_rows_one_after_the_other) {
  const Scalar scalar = GetParam();
  const unsigned element = scalar_bytes(scalar);
  Values values;
  constexpr std::int64_t count = 9;
  for (const std::int64_t elements : {1, 3, 16, 33}) {
    const std::int64_t bytes = elements * element;
    for (const std::int64_t far_stride :
         {std::int64_t{element}, bytes, bytes + 24}) {  // the first: rows overlap
      const std::int64_t near_stride = bytes + 8;
      std::vector<std::byte> near(static_cast<std::size_t>(near_stride * count));
      std::vector<std::byte> start(static_cast<std::size_t>((bytes + 24) * count));
      values.fill(scalar, near.data(), near.size() / element * element);
      values.fill(scalar, start.data(), start.size() / element * element);
      const Scale scale = values.scale(scalar, 1);
      std::vector<std::byte> expected = start;
      for (std::int64_t row = 0; row < count; ++row) {
        add_naively(scalar, expected.data() + row * far_stride, near.data() + row * near_stride,
                    static_cast<std::uint64_t>(bytes), scale);
      }
      for (const Isa isa : isas_here()) {
        std::vector<std::byte> far = start;
        accumulate_kernel(scalar, Combine::sum, isa)
            .rows(far.data(), far_stride, near.data(), near_stride, static_cast<std::uint64_t>(bytes), count,
                  scale);
        ASSERT_EQ(std::memcmp(far.data(), expected.data(), far.size()), 0) << far_stride << " apart";
      }
    }
  }
}

TEST_P(AccumulateKernels, may_add_memory_to_itself) {
  const Scalar scalar = GetParam();
  Values values;
  std::vector<std::byte> start(4096);
  values.fill(scalar, start.data(), start.size());
  const Scale scale = values.scale(scalar, 0);
  std::vector<std::byte> expected = start;
  add_naively(scalar, expected.data(), expected.data(), expected.size(), scale);
  for (const Isa isa : isas_here()) {
    std::vector<std::byte> far = start;
    accumulate_kernel(scalar, Combine::sum, isa).run(far.data(), far.data(), far.size(), scale);
    ASSERT_EQ(std::memcmp(far.data(), expected.data(), far.size()), 0);
  }
}

std::string name_of(const ::testing::TestParamInfo<Scalar>& info) {
  static const char* const names[] = {"none",    "int32",         "int64",         "float32",
                                      "float64", "complex_float", "complex_double"};
  return names[static_cast<unsigned>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Scalars, AccumulateKernels, ::testing::ValuesIn(all_scalars), name_of);

TEST(AccumulateKernel, chosen_at_run_time_is_one_this_processor_has) {
  EXPECT_TRUE(isa_supported(Isa::baseline));
  EXPECT_TRUE(isa_supported(best_isa()));
  EXPECT_EQ(accumulate_kernel(Scalar::float64, Combine::sum).run,
            accumulate_kernel(Scalar::float64, Combine::sum, best_isa()).run);
}

std::string name_of_combine(Combine combine) {
  static const char* const names[] = {"sum", "least", "most", "product", "replace", "and", "or", "xor"};
  return names[static_cast<unsigned>(combine)];
}

// Least and most of special values, and the rest of some numbers, one element at a time.
template <class T>
void expect_combined(Combine combine, Scalar scalar, T far, T near, T wanted) {
  constexpr std::size_t count = 37;  // vectors, and what is left of them
  for (const Isa isa : isas_here()) {
    std::vector<T> there(count, far);
    const std::vector<T> here(count, near);
    const std::vector<T> after(count, wanted);
    const AccumulateKernel kernel = accumulate_kernel(scalar, combine, isa);
    kernel.run(reinterpret_cast<std::byte*>(there.data()), reinterpret_cast<const std::byte*>(here.data()),
               count * sizeof(T), {});
    EXPECT_EQ(std::memcmp(there.data(), after.data(), count * sizeof(T)), 0)
        << name_of_combine(combine) << " of " << far << " and " << near << ", isa " << static_cast<int>(isa);
  }
}

template <class T>
void expect_ordered(Scalar scalar) {
  const T low = std::numeric_limits<T>::lowest();
  const T high = std::numeric_limits<T>::max();
  expect_combined<T>(Combine::least, scalar, low, high, low);
  expect_combined<T>(Combine::least, scalar, high, low, low);
  expect_combined<T>(Combine::most, scalar, low, high, high);
  expect_combined<T>(Combine::most, scalar, high, low, high);
  expect_combined<T>(Combine::product, scalar, T{-3}, T{5}, T{-15});
  expect_combined<T>(Combine::replace, scalar, T{7}, high, high);
}

template <class T>
void expect_bits(Scalar scalar) {
  expect_combined<T>(Combine::bit_and, scalar, T{0x0ff0}, T{-256}, T{0x0f00});
  expect_combined<T>(Combine::bit_or, scalar, T{0x0ff0}, T{0x000f}, T{0x0fff});
  expect_combined<T>(Combine::bit_xor, scalar, T{0x0ff0}, T{-1}, ~T{0x0ff0});
  const T high = std::numeric_limits<T>::max();
  expect_combined<T>(Combine::product, scalar, high, T{2}, T{-2});  // it wraps
}

template <class T>
void expect_reals(Scalar scalar) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T minus_zero = -T{0};
  for (const Combine combine : {Combine::least, Combine::most}) {
    expect_combined<T>(combine, scalar, nan, T{2}, T{2});
    expect_combined<T>(combine, scalar, T{2}, nan, T{2});
    expect_combined<T>(combine, scalar, T{0}, minus_zero, T{0});
    expect_combined<T>(combine, scalar, minus_zero, T{0}, minus_zero);
  }
  expect_combined<T>(Combine::replace, scalar, T{1}, nan, nan);
}

TEST(CombineKernels, do_what_their_names_say_with_every_instruction_set) {
  expect_ordered<std::int32_t>(Scalar::int32);
  expect_ordered<std::int64_t>(Scalar::int64);
  expect_ordered<float>(Scalar::float32);
  expect_ordered<double>(Scalar::float64);
  expect_bits<std::int32_t>(Scalar::int32);
  expect_bits<std::int64_t>(Scalar::int64);
  expect_reals<float>(Scalar::float32);
  expect_reals<double>(Scalar::float64);
}

// What one set does with all lengths and places, as the others do.
TEST(CombineKernels, give_the_same_bits_with_every_instruction_set) {
  Values values;
  for (const Scalar scalar : all_scalars) {
    for (unsigned kind = 1; kind < combine_kinds; ++kind) {
      const auto combine = static_cast<Combine>(kind);
      if (!can_combine(combine, scalar)) continue;
      for (int round = 0; round < 300; ++round) {
        const std::uint64_t bytes = static_cast<std::uint64_t>(round);
        const std::uint64_t far_at = values.below(65);
        std::vector<std::byte> near(bytes + 64);
        std::vector<std::byte> start(far_at + bytes + 64);
        values.fill(scalar, near.data(), bytes);
        values.fill(scalar, start.data() + far_at, bytes);
        std::vector<std::byte> expected = start;
        accumulate_kernel(scalar, combine, Isa::baseline)
            .run(expected.data() + far_at, near.data(), bytes, {});
        const std::uint64_t whole = bytes / scalar_bytes(scalar) * scalar_bytes(scalar);
        ASSERT_EQ(std::memcmp(expected.data() + far_at + whole, start.data() + far_at + whole,
                              start.size() - far_at - whole),
                  0)
            << "bytes short of an element";
        for (const Isa isa : isas_here()) {
          std::vector<std::byte> far = start;
          accumulate_kernel(scalar, combine, isa).run(far.data() + far_at, near.data(), bytes, {});
          ASSERT_EQ(std::memcmp(far.data(), expected.data(), far.size()), 0)
              << name_of_combine(combine) << ", scalar " << static_cast<int>(scalar) << ", " << bytes
              << " bytes";
        }
      }
    }
  }
}

TEST(AccumulateKernels, leave_an_infinite_part_of_a_complex_number_alone_where_the_scale_is_one) {
  const double infinite = std::numeric_limits<double>::infinity();
  const std::array near = {1.0, infinite};
  std::array far = {2.0, 3.0};
  Scale one{};
  const double unit = 1;
  std::memcpy(one.bytes, &unit, sizeof unit);
  accumulate_kernel(Scalar::complex_double, Combine::sum)
      .run(reinterpret_cast<std::byte*>(far.data()), reinterpret_cast<const std::byte*>(near.data()), 16,
           one);
  EXPECT_EQ(far[0], 3.0);
  EXPECT_EQ(far[1], infinite);
}

TEST(CombineKernels, multiply_complex_numbers) {
  const std::array<double, 2> near{3, -4};
  std::array<double, 2> far{2, 5};
  accumulate_kernel(Scalar::complex_double, Combine::product)
      .run(reinterpret_cast<std::byte*>(far.data()), reinterpret_cast<const std::byte*>(near.data()), 16, {});
  EXPECT_EQ(far, (std::array<double, 2>{26, 7}));
}

}  // namespace
}  // namespace comex::kernels
