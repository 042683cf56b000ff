// A plain in-memory model of put, get, accumulate and rmw, and random operations to try on it.
//
// Knows nothing of the library: what it says is the definition, one byte or one element at a time.
// Randomised tests apply each operation to the model and to the real thing and compare the memory
// bit by bit. Reals are small whole numbers, so that sums are exact in every order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace comex::testing {

enum class Verb { put, get, acc, rmw };
enum class Layout { contiguous, strided, vector };

// In the order of the COMEX_ACC_ codes, from COMEX_ACC_INT up.
enum class Element { int32, float64, float32, complex_float, complex_double, int64 };
long element_bytes(Element element);

// In the order of the rmw codes; code = 10 + 2 * kind, one more for long words.
enum class RmwKind { swap, fetch_and_add, compare_and_swap, fetch_and_and, fetch_and_or, fetch_and_xor };

// In the order of the COMEX_OP_ codes, and of the COMEX_ATOMIC_ and COMEX_TYPE_ codes.
enum class Combination { sum, min, max, product, replace, bit_and, bit_or, bit_xor };
bool can_combine(Combination combination, Element element);
enum class AtomicKind { set, fetch, swap, compare_and_swap, add, min, max, bit_and, bit_or, bit_xor };
enum class WordType { int32, int64, uint32, uint64, real32, real64 };

// What a put does to a word of the target's once its data is there.
enum class Signal { none, set, add };

// Segments of one size: a vector descriptor with offsets in place of addresses.
struct Segments {
  std::vector<long> near;
  std::vector<long> far;
  int bytes = 0;
};

// Near offsets of put and acc count from the start of the source memory, those of get and rmw from
// the place where the result lands; far offsets from the start of the region at the target.
struct Operation {
  Verb verb = Verb::put;
  Layout layout = Layout::contiguous;
  Element element = Element::int32;  // of acc
  std::array<std::byte, 16> scale = {};
  bool has_scale = true;  // of acc; else its combination counts
  Combination combination = Combination::sum;
  bool is_wide = false;  // the forms with wide sizes, where there are others
  Signal signal = Signal::none;
  long signal_far = 0;  // where its word lies at the target, off the data
  long signal_value = 0;

  long near = 0;
  long far = 0;
  int bytes = 0;  // contiguous
  int levels = 0;
  int near_strides[8] = {};
  int far_strides[8] = {};
  int counts[9] = {};
  std::vector<Segments> parts;  // vector

  RmwKind rmw = RmwKind::swap;
  bool is_long = false;
  int extra = 0;
  std::array<long, 2> operand = {};  // what *ploc holds before; of a typed one *operand, and *compare
  bool is_typed = false;             // of rmw: an atomic operation on a word of this type
  AtomicKind atomic = AtomicKind::set;
  WordType type = WordType::int32;
  bool fetches = true;

  long landing_bytes = 0;  // near memory a get or rmw may write

  bool is_word_of_8() const { return is_typed ? static_cast<int>(type) % 2 != 0 : is_long; }
  std::uint64_t typed_operand(std::size_t which) const;  // its bits
  int rmw_code() const { return 10 + 2 * static_cast<int>(rmw) + (is_long ? 1 : 0); }
  std::string describe() const;
};

// Few words, so that operations on words see each other's.
inline constexpr long shared_words = 4;

// A region, and the source memory too, has a part where anything goes and one for each real type.
inline constexpr long raw_bytes = 384L << 10;
inline constexpr long typed_bytes = 96L << 10;
inline constexpr int typed_sections = 4;
inline constexpr long region_bytes = raw_bytes + typed_sections * typed_bytes;

// What memory of region_bytes holds at the start.
void fill_region(std::byte* region, std::uint64_t seed);

// For rmw: what the two words at `near` hold before. Done by apply itself for the model.
void set_operand(const Operation& operation, std::byte* near);

// The definition of every operation.
void apply(const Operation& operation, std::byte* near, std::byte* far);

// Random legal operations; the same seed gives the same ones.
class OperationMaker {
 public:
  explicit OperationMaker(std::uint64_t seed, bool makes_signals = false)
      : makes_signals_(makes_signals), random_(seed) {}

  Operation make();
  long below(long limit) { return static_cast<long>(random_() % static_cast<std::uint64_t>(limit)); }
  long between(long low, long high) { return low + below(high - low + 1); }
  bool one_in(long n) { return below(n) == 0; }

 private:
  // Where the operation plays: a section, in units that keep its values well formed.
  struct Ground {
    long start = 0;
    long bytes = 0;
    long unit = 1;
    int tail = 0;  // bytes short of an element added to each run of an accumulate
  };
  struct Side {
    int* strides;
    bool is_written;
  };

  void choose_element(Operation& operation);
  void choose_scale(Operation& operation);
  void choose_combination(Operation& operation);
  Ground ground_of(const Operation& operation);
  long random_size(long most);
  void make_contiguous(Operation& operation, const Ground& ground);
  void choose_signal(Operation& operation);
  void make_strided(Operation& operation, const Ground& ground);
  void make_vector(Operation& operation, const Ground& ground);
  void make_rmw(Operation& operation);
  void make_typed(Operation& operation);
  void choose_counts(Operation& operation, const Ground& ground);
  long choose_strides(const Operation& operation, Side side, long unit);
  long interleave(const Operation& operation, int* strides, int first, int second, long unit);
  long offset_for(const Ground& ground, long extent);

  bool makes_signals_;
  std::mt19937_64 random_;
};

}  // namespace comex::testing
