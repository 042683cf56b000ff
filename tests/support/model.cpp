#include "support/model.h"

#include <cstring>
#include <sstream>
#include <type_traits>

namespace comex::testing {
namespace {

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

template <class T>
void add(std::byte* far, const std::byte* near, const std::byte* scale) {
  store<T>(far, static_cast<T>(load<T>(far) + load<T>(scale) * load<T>(near)));
}

template <class T>
void add_complex(std::byte* far, const std::byte* near, const std::byte* scale) {
  const T a = load<T>(near);
  const T b = load<T>(near + sizeof(T));
  const T c = load<T>(scale);
  const T d = load<T>(scale + sizeof(T));
  store<T>(far, load<T>(far) + (a * c - b * d));
  store<T>(far + sizeof(T), load<T>(far + sizeof(T)) + (a * d + b * c));
}

void add_element(Element element, std::byte* far, const std::byte* near, const std::byte* scale) {
  switch (element) {
    case Element::int32:
      return add<std::uint32_t>(far, near, scale);
    case Element::int64:
      return add<std::uint64_t>(far, near, scale);
    case Element::float32:
      return add<float>(far, near, scale);
    case Element::float64:
      return add<double>(far, near, scale);
    case Element::complex_float:
      return add_complex<float>(far, near, scale);
    case Element::complex_double:
      return add_complex<double>(far, near, scale);
  }
}

template <class T>
T combined(Combination how, T far, T near) {
  switch (how) {
    case Combination::sum:
      return static_cast<T>(far + near);
    case Combination::min:
      return near < far || far != far ? near : far;
    case Combination::max:
      return near > far || far != far ? near : far;
    case Combination::product:
      return static_cast<T>(far * near);
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (how == Combination::bit_and) return far & near;
    if (how == Combination::bit_or) return far | near;
    if (how == Combination::bit_xor) return far ^ near;
  }
  return near;
}

// Sums and products wrap, so that they are those of unsigned numbers.
template <class T>
void combine(Combination how, std::byte* far, const std::byte* near) {
  const bool is_ordered = how == Combination::min || how == Combination::max;
  if constexpr (std::is_integral_v<T>) {
    using Bits = std::make_unsigned_t<T>;
    if (!is_ordered) return store<Bits>(far, combined<Bits>(how, load<Bits>(far), load<Bits>(near)));
  }
  store<T>(far, combined<T>(how, load<T>(far), load<T>(near)));
}

template <class T>
void combine_complex(Combination how, std::byte* far, const std::byte* near) {
  if (how != Combination::product) {
    combine<T>(how, far, near);
    return combine<T>(how, far + sizeof(T), near + sizeof(T));
  }
  const T a = load<T>(far);
  const T b = load<T>(far + sizeof(T));
  const T c = load<T>(near);
  const T d = load<T>(near + sizeof(T));
  store<T>(far, a * c - b * d);
  store<T>(far + sizeof(T), a * d + b * c);
}

void combine_element(const Operation& operation, std::byte* far, const std::byte* near) {
  if (operation.has_scale) return add_element(operation.element, far, near, operation.scale.data());
  const Combination how = operation.combination;
  switch (operation.element) {
    case Element::int32:
      return combine<std::int32_t>(how, far, near);
    case Element::int64:
      return combine<std::int64_t>(how, far, near);
    case Element::float32:
      return combine<float>(how, far, near);
    case Element::float64:
      return combine<double>(how, far, near);
    case Element::complex_float:
      return combine_complex<float>(how, far, near);
    case Element::complex_double:
      return combine_complex<double>(how, far, near);
  }
}

void apply_run(const Operation& operation, std::byte* near, std::byte* far, long bytes) {
  if (operation.verb == Verb::acc) {
    const long size = element_bytes(operation.element);
    for (long at = 0; at + size <= bytes; at += size) combine_element(operation, far + at, near + at);
    return;
  }
  for (long at = 0; at < bytes; ++at)
    (operation.verb == Verb::put ? far : near)[at] = (operation.verb == Verb::put ? near : far)[at];
}

// Only levels that repeat are stepped, so strides at the others may be anything.
void apply_level(const Operation& operation, int level, std::byte* near, std::byte* far) {
  if (level == 0) return apply_run(operation, near, far, operation.counts[0]);
  for (int i = 0; i < operation.counts[level]; ++i) {
    apply_level(operation, level - 1, near, far);
    if (i + 1 == operation.counts[level]) break;
    near += operation.near_strides[level - 1];
    far += operation.far_strides[level - 1];
  }
}

template <class T>
void apply_rmw(const Operation& operation, std::byte* near, std::byte* far) {
  const T old = load<T>(far);
  const T extra = static_cast<T>(operation.extra);
  switch (operation.rmw) {
    case RmwKind::swap:
      store<T>(far, load<T>(near));
      break;
    case RmwKind::fetch_and_add:
      store<T>(far, static_cast<T>(old + extra));
      break;
    case RmwKind::compare_and_swap:
      if (old == load<T>(near)) store<T>(far, load<T>(near + sizeof(T)));
      break;
    case RmwKind::fetch_and_and:
      store<T>(far, old & extra);
      break;
    case RmwKind::fetch_and_or:
      store<T>(far, old | extra);
      break;
    case RmwKind::fetch_and_xor:
      store<T>(far, old ^ extra);
      break;
  }
  store<T>(near, old);
}

template <class T>
void apply_typed(const Operation& operation, std::byte* near, std::byte* far) {
  const std::uint64_t bits = operation.typed_operand(0);
  const std::uint64_t expected = operation.typed_operand(1);
  std::byte old[sizeof(T)];
  std::byte operand[sizeof(T)];
  std::memcpy(old, far, sizeof(T));
  std::memcpy(operand, &bits, sizeof(T));
  switch (operation.atomic) {
    case AtomicKind::fetch:
      break;
    case AtomicKind::set:
    case AtomicKind::swap:
      std::memcpy(far, operand, sizeof(T));
      break;
    case AtomicKind::compare_and_swap:
      if (std::memcmp(old, &expected, sizeof(T)) == 0) std::memcpy(far, operand, sizeof(T));
      break;
    case AtomicKind::add:
      combine<T>(Combination::sum, far, operand);
      break;
    case AtomicKind::min:
      combine<T>(Combination::min, far, operand);
      break;
    case AtomicKind::max:
      combine<T>(Combination::max, far, operand);
      break;
    case AtomicKind::bit_and:
      combine<T>(Combination::bit_and, far, operand);
      break;
    case AtomicKind::bit_or:
      combine<T>(Combination::bit_or, far, operand);
      break;
    case AtomicKind::bit_xor:
      combine<T>(Combination::bit_xor, far, operand);
      break;
  }
  if (operation.fetches) std::memcpy(near, old, sizeof(T));
}

void apply_typed(const Operation& operation, std::byte* near, std::byte* far) {
  switch (operation.type) {
    case WordType::int32:
      return apply_typed<std::int32_t>(operation, near, far);
    case WordType::int64:
      return apply_typed<std::int64_t>(operation, near, far);
    case WordType::uint32:
      return apply_typed<std::uint32_t>(operation, near, far);
    case WordType::uint64:
      return apply_typed<std::uint64_t>(operation, near, far);
    case WordType::real32:
      return apply_typed<float>(operation, near, far);
    case WordType::real64:
      return apply_typed<double>(operation, near, far);
  }
}

void apply_signal(const Operation& operation, std::byte* word) {
  if (operation.signal == Signal::none) return;
  const auto before = operation.signal == Signal::add ? load<std::uint64_t>(word) : 0;
  store<std::uint64_t>(word, before + static_cast<std::uint64_t>(operation.signal_value));
}

template <class T>
void fill_with_small_numbers(std::byte* to, long bytes, std::mt19937_64& random) {
  for (long at = 0; at < bytes; at += static_cast<long>(sizeof(T)))
    store<T>(to + at, static_cast<T>(static_cast<int>(random() % 17) - 8));
}

}  // namespace

long element_bytes(Element element) {
  switch (element) {
    case Element::int32:
    case Element::float32:
      return 4;
    case Element::int64:
    case Element::float64:
    case Element::complex_float:
      return 8;
    case Element::complex_double:
      return 16;
  }
  return 1;
}

bool can_combine(Combination combination, Element element) {
  const bool is_integer = element == Element::int32 || element == Element::int64;
  const bool is_complex = element == Element::complex_float || element == Element::complex_double;
  if (combination >= Combination::bit_and) return is_integer;
  return !is_complex || (combination != Combination::min && combination != Combination::max);
}

std::uint64_t Operation::typed_operand(std::size_t which) const {
  std::uint64_t bits = 0;
  const auto keep = [&bits](auto value) { std::memcpy(&bits, &value, sizeof value); };
  if (type == WordType::real32) {
    keep(static_cast<float>(operand[which]));
  } else if (type == WordType::real64) {
    keep(static_cast<double>(operand[which]));
  } else if (is_word_of_8()) {
    keep(operand[which]);
  } else {
    keep(static_cast<std::int32_t>(operand[which]));
  }
  return bits;
}

// Raw bytes; then float64, float32, complex float, complex double: the order of `Element`.
void fill_region(std::byte* region, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (long at = 0; at < raw_bytes; at += 8) store<std::uint64_t>(region + at, random());
  std::byte* typed = region + raw_bytes;
  fill_with_small_numbers<double>(typed, typed_bytes, random);
  fill_with_small_numbers<float>(typed + typed_bytes, typed_bytes, random);
  fill_with_small_numbers<float>(typed + 2 * typed_bytes, typed_bytes, random);
  fill_with_small_numbers<double>(typed + 3 * typed_bytes, typed_bytes, random);
}

void set_operand(const Operation& operation, std::byte* near) {
  if (operation.is_typed) return;  // it has its operands elsewhere
  for (int i = 0; i < 2; ++i) {
    if (operation.is_long) {
      store<std::int64_t>(near + 8 * i, operation.operand[static_cast<std::size_t>(i)]);
    } else {
      store<std::int32_t>(near + 4 * i,
                          static_cast<std::int32_t>(operation.operand[static_cast<std::size_t>(i)]));
    }
  }
}

void apply(const Operation& operation, std::byte* near, std::byte* far) {
  if (operation.verb == Verb::rmw) {
    set_operand(operation, near);
    if (operation.is_typed) return apply_typed(operation, near, far + operation.far);
    if (operation.is_long) return apply_rmw<std::uint64_t>(operation, near, far + operation.far);
    return apply_rmw<std::uint32_t>(operation, near, far + operation.far);
  }
  switch (operation.layout) {
    case Layout::contiguous:
      apply_run(operation, near + operation.near, far + operation.far, operation.bytes);
      apply_signal(operation, far + operation.signal_far);
      break;
    case Layout::strided:
      apply_level(operation, operation.levels, near + operation.near, far + operation.far);
      break;
    case Layout::vector:
      for (const Segments& part : operation.parts)
        for (std::size_t i = 0; i < part.near.size(); ++i)
          apply_run(operation, near + part.near[i], far + part.far[i], part.bytes);
      break;
  }
}

std::string Operation::describe() const {
  static const char* const verbs[] = {"put", "get", "acc", "rmw"};
  static const char* const layouts[] = {"contiguous", "strided", "vector"};
  std::ostringstream text;
  text << verbs[static_cast<int>(verb)];
  if (is_typed) {
    text << " atomic " << static_cast<int>(atomic) << " type " << static_cast<int>(type) << " far " << far
         << " operand " << operand[0] << " compare " << operand[1];
    return text.str();
  }
  if (verb == Verb::rmw) {
    text << " code " << rmw_code() << " far " << far << " extra " << extra;
    return text.str();
  }
  text << ' ' << layouts[static_cast<int>(layout)];
  if (verb == Verb::acc) text << " type " << 37 + static_cast<int>(element);
  if (verb == Verb::acc && !has_scale) text << " operation " << 90 + static_cast<int>(combination);
  if (is_wide) text << " wide";
  text << " near " << near << " far " << far;
  if (layout == Layout::contiguous) text << " bytes " << bytes;
  if (signal != Signal::none)
    text << (signal == Signal::set ? " sets " : " adds to ") << signal_far << ": " << signal_value;
  if (layout == Layout::strided) {
    text << " counts " << counts[0];
    for (int level = 0; level < levels; ++level)
      text << ", " << counts[level + 1] << " (" << near_strides[level] << '/' << far_strides[level] << ')';
  }
  for (const Segments& part : parts) text << " [" << part.near.size() << " x " << part.bytes << ']';
  return text.str();
}

}  // namespace comex::testing
