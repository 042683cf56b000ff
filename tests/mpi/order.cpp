// The rules of order and completion, one check a rule. Which route they take is the settings' business.
// Usage: order [threads] [long]
#include "mpi/order.h"

using namespace comex::testing;

int main(int argc, char** argv) {
  Job job(argc, argv, "order");
  const long crossings = job.has("long") ? 100000 : 1000;
  Order order(job);
  using By = Order::By;
  job.check("a get sees earlier puts", [&] { order.pairs(Kind::put, Kind::get); });
  job.check("a get sees earlier accumulates", [&] { order.pairs(Kind::acc, Kind::get); });
  job.check("the later put wins", [&] { order.pairs(Kind::put, Kind::put); });
  job.check("an accumulate adds to earlier puts", [&] { order.pairs(Kind::put, Kind::acc); });
  job.check("a put replaces earlier sums", [&] { order.pairs(Kind::acc, Kind::put); });
  job.check("accumulates add up", [&] { order.pairs(Kind::acc, Kind::acc); });
  job.check("a later put never changes what an earlier get returns",
            [&] { order.pairs(Kind::get, Kind::put); });
  job.check("a later accumulate never changes what an earlier get returns",
            [&] { order.pairs(Kind::get, Kind::acc); });
  job.check("blocking: a get sees earlier puts", [&] { order.blocking_pairs(Kind::put, Kind::get); });
  job.check("blocking: the later put wins", [&] { order.blocking_pairs(Kind::put, Kind::put); });
  job.check("sources are free when a blocking write returns",
            [&] { order.sources_are_free_when_a_blocking_write_returns(); });
  job.check("wait_proc completes implicit requests",
            [&] { order.implicit_requests_are_complete_after(By::wait_proc); });
  job.check("wait_all completes implicit requests",
            [&] { order.implicit_requests_are_complete_after(By::wait_all); });
  job.check("fence_proc completes implicit requests",
            [&] { order.implicit_requests_are_complete_after(By::fence_proc); });
  job.check("fence_all completes implicit requests",
            [&] { order.implicit_requests_are_complete_after(By::fence_all); });
  job.check("a barrier completes implicit requests",
            [&] { order.implicit_requests_are_complete_after(By::barrier); });
  job.check("an rmw takes effect after earlier writes",
            [&] { order.rmw_takes_effect_after_earlier_writes(); });
  job.check("reads see earlier rmws", [&] { order.reads_see_earlier_nonblocking_rmws(); });
  job.check("an rmw does not see later writes", [&] { order.rmws_do_not_see_later_writes(); });
  job.check("a signal brings all earlier writes", [&] { order.signals_bring_all_earlier_writes(); });
  job.check("an rmw publishes earlier writes", [&] { order.rmw_publishes_earlier_writes(); });
  job.check("an unlock takes effect after earlier writes",
            [&] { order.unlock_takes_effect_after_earlier_writes(); });
  job.check("fenced writes are there for everybody", [&] { order.fenced_writes_are_there_for_everybody(); });
  job.check("a barrier brings all writes", [&] { order.a_barrier_brings_all_writes(); });
  job.check("crossing puts and gets see each other", [&] { order.crossings_see_each_other(crossings); });
}
