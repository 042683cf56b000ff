// Random legal operations: see model.h.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "support/model.h"

namespace comex::testing {
namespace {

constexpr long largest_rectangle = 96L << 10;  // fits every section, gaps included, often enough

template <class T>
void put_number(std::byte* to, long value) {
  const T number = static_cast<T>(value);
  std::memcpy(to, &number, sizeof(T));
}

}  // namespace

void OperationMaker::choose_element(Operation& operation) {
  // Types other than integers play in sections of their own, put and get too.
  operation.element = static_cast<Element>(below(6));
  if (operation.verb == Verb::acc) choose_scale(operation);
  if (operation.verb == Verb::acc && one_in(2)) choose_combination(operation);
}

// Products make reals grow, so they are seldom there: values stay finite.
void OperationMaker::choose_combination(Operation& operation) {
  const bool is_integer = operation.element == Element::int32 || operation.element == Element::int64;
  operation.has_scale = false;
  do {
    operation.combination = static_cast<Combination>(below(8));
  } while (!can_combine(operation.combination, operation.element) ||
           (operation.combination == Combination::product && !is_integer && !one_in(4)));
}

void OperationMaker::choose_scale(Operation& operation) {
  const long first = one_in(2) ? 1 : between(-2, 2);
  const long second = one_in(2) ? 0 : between(-2, 2);
  std::byte* scale = operation.scale.data();
  switch (operation.element) {
    case Element::int32:
      put_number<std::int32_t>(scale, first == 1 ? 1 : between(-100000, 100000));
      break;
    case Element::int64:
      put_number<std::int64_t>(scale, first == 1 ? 1 : between(-1L << 40, 1L << 40));
      break;
    case Element::float32:
      put_number<float>(scale, first);
      break;
    case Element::float64:
      put_number<double>(scale, first);
      break;
    case Element::complex_float:
      put_number<float>(scale, first);
      put_number<float>(scale + 4, second);
      break;
    case Element::complex_double:
      put_number<double>(scale, first);
      put_number<double>(scale + 8, second);
      break;
  }
}

OperationMaker::Ground OperationMaker::ground_of(const Operation& operation) {
  const bool is_integer = operation.element == Element::int32 || operation.element == Element::int64;
  Ground ground;
  if (is_integer) {
    ground = {0, raw_bytes, one_in(2) ? 1 : 8, 0};
  } else {
    ground = {raw_bytes + (static_cast<int>(operation.element) - 1) * typed_bytes, typed_bytes, 1, 0};
    ground.unit = element_bytes(operation.element);
  }
  if (operation.verb == Verb::acc) {
    ground.unit = element_bytes(operation.element);
    if (one_in(4)) ground.tail = static_cast<int>(below(ground.unit));
  }
  return ground;
}

// Mostly small, as in real programs; now and then nothing at all or a lot.
long OperationMaker::random_size(long most) {
  const long kind = below(20);
  if (kind == 0) return 0;
  if (kind < 10) return std::min(most, between(1, 300));
  if (kind < 16) return std::min(most, between(1, 10000));
  return std::min(most, between(1, most));
}

long OperationMaker::offset_for(const Ground& ground, long extent) {
  const long room = (ground.bytes - extent) / ground.unit;
  return ground.start + ground.unit * below(room + 1);
}

void OperationMaker::make_contiguous(Operation& operation, const Ground& ground) {
  const long units = random_size(ground.bytes - ground.unit) / ground.unit;
  operation.bytes = static_cast<int>(units * ground.unit) + ground.tail;
  operation.far = offset_for(ground, operation.bytes);
  if (operation.verb == Verb::get) {
    operation.landing_bytes = operation.bytes;
  } else {
    operation.near = offset_for(ground, operation.bytes);
  }
  if (operation.verb == Verb::put && makes_signals_ && one_in(2)) choose_signal(operation);
}

void OperationMaker::choose_signal(Operation& operation) {
  const long word = 8 * below(one_in(2) ? shared_words : raw_bytes / 8);
  if (word + 8 > operation.far && word < operation.far + operation.bytes) return;
  operation.signal = one_in(2) ? Signal::set : Signal::add;
  operation.signal_far = word;
  operation.signal_value = between(-1000, 1000);
}

void OperationMaker::choose_counts(Operation& operation, const Ground& ground) {
  operation.levels = static_cast<int>(between(0, 8));
  const long most = one_in(8) ? largest_rectangle : 4096;
  const long run = one_in(3) ? between(1, 8) : between(1, 64);
  operation.counts[0] = static_cast<int>(run * ground.unit) + ground.tail;
  long left = std::max(1L, most / operation.counts[0]);
  for (int level = 1; level <= operation.levels; ++level) {
    const long count = one_in(3) ? 1 : between(1, std::min(left, one_in(4) ? 40L : 4L));
    operation.counts[level] = static_cast<int>(count);
    left = std::max(1L, left / count);
  }
  if (one_in(30)) operation.counts[below(operation.levels + 1)] = 0;
}

// Two levels whose steps are 3 and 7 runs: they interleave, never nest, and never meet while the
// first repeats at most 7 times. Returns the span, 0 where the counts do not allow it.
long OperationMaker::interleave(const Operation& operation, int* strides, int first, int second, long unit) {
  const long cell = (operation.counts[0] + unit - 1) / unit * unit;
  const long a = operation.counts[first + 1];
  const long b = operation.counts[second + 1];
  if (a < 2 || b < 2 || a > 7) return 0;
  strides[first] = static_cast<int>(3 * cell);
  strides[second] = static_cast<int>(7 * cell);
  return (a - 1) * 3 * cell + (b - 1) * 7 * cell + cell;
}

// Fills one side's strides and returns its extent. Levels are stacked in a random order, so that
// outer ones often step less than inner ones; a side that is only read may overlap itself.
long OperationMaker::choose_strides(const Operation& operation, Side side, long unit) {
  int order[8];
  std::iota(order, order + 8, 0);
  if (one_in(2)) std::shuffle(order, order + operation.levels, random_);
  long span = (operation.counts[0] + unit - 1) / unit * unit;
  int next = 0;
  if (operation.levels >= 2 && one_in(4)) {
    const long interleaved = interleave(operation, side.strides, order[0], order[1], unit);
    if (interleaved != 0) {
      span = interleaved;
      next = 2;
    }
  }
  for (; next < operation.levels; ++next) {
    const int level = order[next];
    const long count = operation.counts[level + 1];
    if (count <= 1) {
      side.strides[level] =
          static_cast<int>(between(std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
      continue;
    }
    long stride = span + (one_in(2) ? 0 : unit * between(1, 20));
    if (!side.is_written && one_in(5)) stride = unit * between(0, 30);
    side.strides[level] = static_cast<int>(stride);
    span += (count - 1) * stride;
    span = (span + unit - 1) / unit * unit;
  }
  return span;
}

void OperationMaker::make_strided(Operation& operation, const Ground& ground) {
  long near_extent = 0;
  long far_extent = 0;
  do {
    choose_counts(operation, ground);
    const bool is_put = operation.verb == Verb::put;
    const bool is_get = operation.verb == Verb::get;
    near_extent = choose_strides(operation, {operation.near_strides, is_get}, ground.unit);
    far_extent = choose_strides(operation, {operation.far_strides, is_put}, ground.unit);
  } while (std::max(near_extent, far_extent) > ground.bytes);
  operation.far = offset_for(ground, far_extent);
  if (operation.verb == Verb::get) {
    operation.landing_bytes = near_extent;
  } else {
    operation.near = offset_for(ground, near_extent);
  }
}

// Each part has a window of its own on the side that is written, and cells there in random order. Some are
// cut into parts of one segment.
void OperationMaker::make_vector(Operation& operation, const Ground& ground) {
  const long parts = between(1, 3);
  const long window = ground.bytes / 3 / ground.unit * ground.unit;
  for (long i = 0; i < parts; ++i) {
    Segments part;
    const long units = one_in(10) ? random_size(8000) / ground.unit : between(0, 40);
    part.bytes = static_cast<int>(units * ground.unit) + ground.tail;
    const long cell = (part.bytes / ground.unit + between(1, 3)) * ground.unit;
    std::vector<long> cells(static_cast<std::size_t>(std::min(window / cell, between(0, 60))));
    std::iota(cells.begin(), cells.end(), 0L);
    if (one_in(2)) std::shuffle(cells.begin(), cells.end(), random_);
    for (const long number : cells) {
      const long apart = i * window + number * cell;
      const long anywhere = ground.unit * below((ground.bytes - cell) / ground.unit + 1);
      if (operation.verb == Verb::get) {
        part.near.push_back(operation.landing_bytes + number * cell);
        part.far.push_back(ground.start + anywhere);
      } else {
        part.near.push_back(ground.start + anywhere);
        part.far.push_back(ground.start + (operation.verb == Verb::acc && one_in(3) ? anywhere : apart));
      }
    }
    if (operation.verb == Verb::get) operation.landing_bytes += static_cast<long>(cells.size()) * cell;
    if (one_in(3)) {
      for (std::size_t s = 0; s < part.near.size(); ++s)
        operation.parts.push_back({{part.near[s]}, {part.far[s]}, part.bytes});
    } else {
      operation.parts.push_back(std::move(part));
    }
  }
}

void OperationMaker::make_typed(Operation& operation) {
  operation.is_typed = true;
  operation.type = static_cast<WordType>(below(6));
  operation.atomic = static_cast<AtomicKind>(below(operation.type >= WordType::real32 ? 7 : 10));
  operation.fetches =
      one_in(2) || operation.atomic == AtomicKind::fetch || operation.atomic == AtomicKind::swap;
}

void OperationMaker::make_rmw(Operation& operation) {
  if (one_in(2)) make_typed(operation);
  operation.rmw = static_cast<RmwKind>(below(6));
  operation.is_long = one_in(2);
  operation.extra =
      static_cast<int>(between(std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
  operation.operand = {between(-5, 5), between(-5, 5)};
  // In the shared words the small values of swaps meet in compare-and-swap.
  operation.far = (one_in(2) ? 8 * below(shared_words) : 8 * below(raw_bytes / 8)) +
                  (operation.is_word_of_8() ? 0 : 4 * below(2));
  operation.landing_bytes = 16;
}

Operation OperationMaker::make() {
  Operation operation;
  const long verb = below(10);
  operation.verb = verb < 3 ? Verb::put : verb < 6 ? Verb::get : verb < 9 ? Verb::acc : Verb::rmw;
  if (operation.verb == Verb::rmw) {
    make_rmw(operation);
    return operation;
  }
  choose_element(operation);
  operation.is_wide = one_in(3);
  const Ground ground = ground_of(operation);
  operation.layout = static_cast<Layout>(below(3));
  switch (operation.layout) {
    case Layout::contiguous:
      make_contiguous(operation, ground);
      break;
    case Layout::strided:
      make_strided(operation, ground);
      break;
    case Layout::vector:
      make_vector(operation, ground);
      break;
  }
  return operation;
}

}  // namespace comex::testing
