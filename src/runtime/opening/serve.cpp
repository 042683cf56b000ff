// Runs a progress rank: it receives, advances, and otherwise waits as cheaply as possible.
#include "pr/service_report.h"
#include "runtime/mpi_in_use.h"
#include "runtime/opening/launch.h"
#include "runtime/opening/progress_loop.h"
#include "runtime/opening/trace_file.h"

namespace comex::runtime {
namespace {

void tell_of_service(const World& world, const ProgressLoop& loop, const Reporter& reporter) {
  const pr::ServiceMeter& meter = loop.meter();
  if (!world.settings.verbose) return;
  const pr::Host& host = world.own_host();
  const pr::ServiceTotals service{loop.server().counters(),
                                  loop.pushed(),
                                  meter.busy_ns(),
                                  meter.total_ns(),
                                  static_cast<std::uint32_t>(host.progress_ranks.size()),
                                  static_cast<std::uint32_t>(host.ranks.size())};
  reporter.notice("progress rank " + std::to_string(world.wire.rank()) + " " + pr::service_text(service));
}

}  // namespace

void serve(World& world, Reporter& reporter, const WorldJoiner& joiner) {
  // A server that yields inside MPI answers a time slice late. The old value is restored for a caller that
  // gets this rank back.
  const mpi::YieldScope none_while_serving(mpi_in_use().yield_switch(), false);
  ProgressLoop loop(world, reporter, joiner);
  loop.run([&loop] { return loop.all_have_left() && loop.may_end(); });
  tell_of_service(world, loop, reporter);
  write_trace(world, reporter);
}

}  // namespace comex::runtime
