#include "mpi/library.h"

#include <charconv>
#include <climits>

namespace comex::mpi {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<int> number_in(const Lookup& environment, std::string_view name) {
  const std::optional<std::uint64_t> number = whole_number(environment(name).value_or(""));
  if (!number || *number > INT_MAX) return std::nullopt;
  return static_cast<int>(*number);
}

const Library& plain() {
  static const Library library;
  return library;
}

const Library& library_of(std::string_view version, MpiKnowledge knowledge) {
  if (knowledge == MpiKnowledge::none) return plain();
  if (version.starts_with("Open MPI")) return open_mpi();
  // Intel's and Cray's are made from MPICH and have its launcher's variables.
  for (const std::string_view kin : {"MPICH", "Intel(R) MPI"}) {
    if (version.find(kin) != std::string_view::npos) return mpich();
  }
  return plain();
}

}  // namespace comex::mpi
