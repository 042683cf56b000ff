// The text of an allocation that did not fit: what was wanted, what there is, who says so, who has it.
#include <algorithm>
#include <string>

#include "shm/extents.h"

namespace comex::shm {

namespace {

constexpr std::size_t named_owners = 8;

std::string hint_for(Limit limit) {
  switch (limit) {
    case Limit::mount:
      return "in a container give it more (--shm-size) or set COMEX_ARENA=memfd";
    case Limit::cgroup:
      return "raise the memory limit of the container or batch job (--memory, --mem)";
    case Limit::file_size:
      return "raise ulimit -f";
    case Limit::address_space:
      return "raise ulimit -v";
    case Limit::reservation:
      return "raise COMEX_ARENA_RESERVE, or ulimit -v if it is set";
    case Limit::ram:
      break;
  }
  return "use more hosts or allocate less";
}

std::string holders(std::vector<OwnerTotal> totals) {
  std::sort(totals.begin(), totals.end(),
            [](const OwnerTotal& a, const OwnerTotal& b) { return a.bytes > b.bytes; });
  std::string text;
  for (std::size_t i = 0; i < std::min(totals.size(), named_owners); ++i) {
    text += (i == 0 ? "" : ", ") + std::string("worker ") + std::to_string(totals[i].owner) + " holds " +
            std::to_string(totals[i].bytes) + " in " + std::to_string(totals[i].extents);
  }
  if (totals.size() > named_owners) {
    text += " and " + std::to_string(totals.size() - named_owners) + " workers more";
  }
  return text.empty() ? "nobody holds any" : text;
}

}  // namespace

Failure Extents::does_not_fit(Worker owner, std::uint64_t bytes, const Shortage& shortage) {
  std::string text = "not enough shared memory for worker " + std::to_string(owner) + ": wanted " +
                     std::to_string(bytes) + " bytes, free " + std::to_string(shortage.free_bytes) +
                     ", limited by " + limit_name(shortage.limit);
  if (!shortage.where.empty()) text += " " + shortage.where;
  if (!shortage.call.empty()) text += " (" + shortage.call + ")";
  return environment_error(text + "; on this host " + holders(totals()) + "; " + hint_for(shortage.limit));
}

}  // namespace comex::shm
