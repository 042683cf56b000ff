#include "runtime/opening/steps.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "runtime/environment.h"
#include "runtime/exchange.h"

namespace comex::runtime {
namespace {

// The sum does not depend on the order in the environment.
std::uint64_t digest_of(const std::vector<std::string>& warnings) {
  std::uint64_t sum = 0;
  for (const std::string& warning : warnings) sum += std::hash<std::string>{}(warning) | 1;
  return sum;
}

std::string lines_of(const std::vector<std::string>& warnings) {
  std::string lines;
  for (const std::string& warning : warnings) lines.append(warning).push_back('\n');
  return lines;
}

}  // namespace

void warn_of_unknown_names(transport::Collective& all, const Reporter& reporter) {
  const std::vector<std::string> mine = unknown_name_warnings(environment_names());
  const std::uint64_t digest = digest_of(mine);
  if (all.all_agree(digest == 0)) return;
  const std::vector<std::uint64_t> digests = gather(all, digest);
  const std::vector<int> speakers = ranks_that_warn(digests);
  if (speakers.empty()) return;
  std::string of_rank0 = all.rank() == 0 ? lines_of(mine) : std::string();
  broadcast(all, of_rank0, 0);
  if (std::ranges::find(speakers, all.rank()) == speakers.end()) return;
  const auto alike = std::ranges::count(digests, digest);
  std::string where;
  if (all.rank() != 0) {
    where = " (on MPI rank " + std::to_string(all.rank());
    where += alike == 1 ? ")" : " and " + std::to_string(alike - 1) + " more)";
  }
  for (const std::string& warning : mine) {
    const bool is_told = all.rank() != 0 && of_rank0.find(warning + "\n") != std::string::npos;
    if (!is_told) reporter.notice(warning + where);
  }
}

}  // namespace comex::runtime
