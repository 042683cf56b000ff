// The one abstraction that the rows are written against: a class Runtime, chosen when compiling.
//
//   -DBENCH_ON_COMEX   any comex.h      -DBENCH_ON_ARMCI   any armci.h and message.h
//   -DBENCH_ON_RMA     MPI-3 RMA        -DBENCH_ON_FLOORS  what the machine and MPI can do (needs our
//   comex.h) -DBENCH_ON_COMEX_CPP  our comex.hpp
//
// All of it is inline: an 8-byte put takes 3 ns, which a virtual call would show in. A Runtime has
// - start, finish, me, size: collective; start follows MPI_Init and may never return on progress ranks;
// - from_first(x), worker 0's number to all, and all(x), whether it is true everywhere;
// - allocate, release: collective; each worker says how many bytes it gives, none perhaps;
// - allocate_local, release_local: memory of the caller's own, as its runtime has it;
// - barrier, origin_is_done, wait_for_origin, and meet, the barrier that is measured;
// - put, get, acc, puts ..., putv ...: blocking, as comex.h has them (acc: double, scale 1);
// - nbput, nbget, nbacc, nbadd: implicit requests; wait: completion of all of them;
// - put_and_fence, fence(proc), fence_all, fetch_add, compare_and_swap;
// - make_locks, lock, unlock, drop_locks;
// and says what it can do: can(Need, a worker).
#pragma once

namespace bench {

// What a row needs beyond put and get. A column without it leaves the row out.
enum class Need {
  nothing,
  many_small_places,
  shapes,
  locks,
  compare_and_swap,
  allocation,
  local_memory,
  everybody,
  accumulates_by_all,  // to the same place, without losing any
  third_worker,
  third_sender,  // of messages, of MPI's
  unattended,    // what is non-blocking arrives though its origin makes no call any more
  own_start
};

}  // namespace bench

#if defined(BENCH_ON_COMEX)
#include "on_comex.h"
namespace bench {
using Runtime = ComexRuntime;
}
#elif defined(BENCH_ON_COMEX_CPP)
#include "on_comex_cpp.h"
namespace bench {
using Runtime = ComexCppRuntime;
}
#elif defined(BENCH_ON_ARMCI)
#include "on_armci.h"
namespace bench {
using Runtime = ArmciRuntime;
}
#elif defined(BENCH_ON_RMA)
#include "on_rma.h"
namespace bench {
using Runtime = RmaRuntime;
}
#elif defined(BENCH_ON_FLOORS)
#include "on_floors.h"
namespace bench {
using Runtime = FloorRuntime;
}
#else
#error "Say what to measure: -DBENCH_ON_COMEX, -DBENCH_ON_ARMCI or -DBENCH_ON_RMA"
#endif
