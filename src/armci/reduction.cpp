#include "armci/reduction.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "armci/readable.h"

namespace comex::armci {
namespace {

// Sums and products of integers wrap around, as those of the processor do.
template <class Element, class Apply>
Element wrapped(Element a, Element b, const Apply& apply) {
  if constexpr (std::is_integral_v<Element>) {
    using Bits = std::make_unsigned_t<Element>;
    return static_cast<Element>(apply(static_cast<Bits>(a), static_cast<Bits>(b)));
  } else {
    return apply(a, b);
  }
}

template <class Element>
Element absolute(Element value) {
  if constexpr (std::is_integral_v<Element>) {
    return value < 0 ? wrapped(Element{0}, value, std::minus{}) : value;
  } else {
    return std::fabs(value);
  }
}

// The combination of whole arrays by one of two elements. They are copied, because the program's memory need
// not be aligned for its type.
template <class Element, class Apply>
Reduction::CombineFunction combine_by(const Apply& /*without state*/) {
  return [](void* into, const void* from, std::size_t elements) {
    auto* a = static_cast<std::byte*>(into);
    const auto* b = static_cast<const std::byte*>(from);
    for (std::size_t i = 0; i < elements; ++i, a += sizeof(Element), b += sizeof(Element)) {
      Element left;
      Element right;
      std::memcpy(&left, a, sizeof left);
      std::memcpy(&right, b, sizeof right);
      left = Apply{}(left, right);
      std::memcpy(a, &left, sizeof left);
    }
  };
}

struct Name {
  std::string_view text;
  ReduceOp operation;
};

// Longer names come first, so that no name is taken for a shorter one with which it begins.
constexpr Name names[] = {
    {"absmax", ReduceOp::absmax},  {"absmin", ReduceOp::absmin}, {"band", ReduceOp::bit_and},
    {"land", ReduceOp::truth_and}, {"bor", ReduceOp::bit_or},    {"lor", ReduceOp::truth_or},
    {"max", ReduceOp::max},        {"min", ReduceOp::min},       {"and", ReduceOp::bit_and},
    {"or", ReduceOp::bit_or},      {"||", ReduceOp::truth_or},   {"&&", ReduceOp::truth_and},
    {"+", ReduceOp::sum},          {"*", ReduceOp::product}};

constexpr std::size_t page = 4096;  // the smallest page: one readable byte means that all are

bool begins_with(const char* text, std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool begins_page = i != 0 && reinterpret_cast<std::uintptr_t>(text + i) % page == 0;
    if ((begins_page && !is_readable(text + i)) || text[i] != name[i]) return false;
  }
  return true;
}

template <class E>
Reduction::CombineFunction combine_of_integers(ReduceOp operation) {
  switch (operation) {
    case ReduceOp::bit_or:
    case ReduceOp::truth_or:
      return combine_by<E>([](E a, E b) { return a | b; });
    case ReduceOp::bit_and:
    case ReduceOp::truth_and:
      return combine_by<E>([](E a, E b) { return a & b; });
    default:
      return nullptr;
  }
}

template <class E>
Reduction::CombineFunction combine_of(ReduceOp operation) {
  switch (operation) {
    case ReduceOp::sum:
      return combine_by<E>([](E a, E b) { return wrapped(a, b, std::plus{}); });
    case ReduceOp::product:
      return combine_by<E>([](E a, E b) { return wrapped(a, b, std::multiplies{}); });
    case ReduceOp::max:
    case ReduceOp::absmax:
      return combine_by<E>([](E a, E b) { return b > a ? b : a; });
    case ReduceOp::min:
    case ReduceOp::absmin:
      return combine_by<E>([](E a, E b) { return b < a ? b : a; });
    default:
      break;
  }
  if constexpr (std::is_integral_v<E>) return combine_of_integers<E>(operation);
  return nullptr;
}

template <class E>
Reduction::CombineFunction prepare_of(ReduceOp operation) {
  switch (operation) {
    case ReduceOp::absmax:
    case ReduceOp::absmin:
      return combine_by<E>([](E value, E) { return absolute(value); });
    case ReduceOp::truth_or:
    case ReduceOp::truth_and:
      return combine_by<E>([](E value, E) { return static_cast<E>(value != 0); });
    default:
      return nullptr;
  }
}

template <class E>
Reduction make_reduction(const char* op) {
  const ReduceOp operation = operation_named(op);
  const Reduction::CombineFunction combine = combine_of<E>(operation);
  if (combine == nullptr) {
    refuse("a collective's operation \"" + first_of_name(op) + "\" is unknown for its type");
  }
  return Reduction(sizeof(E), combine, prepare_of<E>(operation));
}

}  // namespace

void refuse(const std::string& what) {
  comex_error(what.c_str(), 1);
  std::abort();
}

ReduceOp operation_named(const char* op) {
  if (op == nullptr) return ReduceOp::unknown;
  const auto* found =
      std::ranges::find_if(names, [&](const Name& name) { return begins_with(op, name.text); });
  return found == std::end(names) ? ReduceOp::unknown : found->operation;
}

std::string first_of_name(const char* op) {
  constexpr std::size_t most = 8;
  std::string shown;
  if (op == nullptr) return shown;
  const std::size_t readable = page - reinterpret_cast<std::uintptr_t>(op) % page;
  for (std::size_t i = 0; i < std::min(most, readable); ++i) {
    if (op[i] < ' ' || op[i] > '~') break;
    shown += op[i];
  }
  return shown;
}

Reduction Reduction::of(const char* op, int type) {
  return with_type(type, [&](auto element) { return make_reduction<decltype(element)>(op); });
}

}  // namespace comex::armci
