#include "api/eager.h"

#include <algorithm>

namespace comex::api {

std::uint32_t eager_bytes(std::int64_t wanted, const transport::EagerBytes& known, bool spans_machines) {
  constexpr std::int64_t most = 1 << 20;
  const std::uint32_t told = spans_machines ? known.between_machines : known.within_machine;
  if (wanted < 0) return told;
  const std::uint32_t set = static_cast<std::uint32_t>(std::min(wanted, most)) & ~15u;
  return told == 0 ? set : std::min(set, told);
}

}  // namespace comex::api
