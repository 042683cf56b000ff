// comex_top_waits: the share of its time that a rank has waited between two looks. A wait is counted when it
// ends, and a call that is repeated never is. And what such a rank looks like in JSON, whatever its call.
#include <cmath>
#include <cstdio>

#include "pages.h"
#include "view.h"

namespace {

using namespace comex::top;

struct Look {
  double waits_s;    // that have ended
  double in_wait_s;  // since its wait began; 0: none
  bool is_repeated;
};

struct Case {
  const char* what;
  Look before;
  Look now;
  double waiting;
};

constexpr double between_s = 1;
constexpr Case cases[] = {
    {"a wait that goes on", {0, 5, false}, {0, 6, false}, 1},
    {"a wait that has ended", {0, 5, false}, {5.5, 0, false}, 0.5},
    {"a wait that has ended, and another", {0, 5, false}, {5.25, 0.5, false}, 0.75},
    {"a wait that has begun", {2, 0, false}, {2, 0.25, false}, 0.25},
    {"a repeated call that goes on", {0, 5, true}, {0, 6, true}, 1},
    {"a wait after a repeated call", {0, 5, true}, {0, 0.75, false}, 0.75},
    {"a wait that has ended after a repeated call", {1, 5, true}, {1.5, 0, false}, 0.5},
    {"a repeated call after a wait", {0, 5, false}, {5.25, 0.5, true}, 0.75},
};

Job job_of(double at, const Look& look) {
  Rank rank;
  rank.worker = 0;
  rank.waits[0] = {1, static_cast<std::uint64_t>(look.waits_s * 1e9)};
  rank.wait.call[0] = look.in_wait_s > 0 ? 'w' : '\0';
  rank.wait.seconds = look.in_wait_s;
  rank.wait.is_repeated = look.is_repeated;
  Job job;
  job.taken_at = at;
  job.hosts.emplace_back().ranks.push_back(rank);
  return job;
}

}  // namespace

int main() {
  int failures = 0;
  for (const Case& each : cases) {
    const Job before = job_of(10, each.before);
    const double waiting = compare(&before, job_of(10 + between_s, each.now)).ranks.front().waiting;
    if (std::abs(waiting - each.waiting) < 1e-6) continue;
    std::printf("%s: %g, not %g\n", each.what, waiting, each.waiting);
    ++failures;
  }
  Job strange = job_of(10, {0, 5, false});  // as another user's arena may have it
  strange.hosts.front().ranks.front().wait.call[0] = '\xff';
  if (json_of(compare(nullptr, strange), matrix_of(strange)).find("\"call\": \"\xef\xbf\xbd\"") ==
      std::string::npos) {
    std::printf("a name that is no UTF-8 is no text in JSON\n");
    ++failures;
  }
  return failures;
}
