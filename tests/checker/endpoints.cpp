// Two endpoints of every process, each driven by a thread: each is an origin of its own.
#include <comex/worlds.h>

#include <array>
#include <latch>
#include <thread>

#include "bed.h"

namespace comex::checker {
namespace {

constexpr int many = 16;
constexpr int bytes = many * static_cast<int>(sizeof(long));
constexpr int ends = 2 * needed_workers;  // end 2 * worker + which

// One thread's view; buffers of its own, since the bed serves one thread.
struct End {
  const Bed& bed;
  int which;
  comex_group_t group;
  std::latch& halfway;

  int rank() const { return 2 * bed.me + which; }
  void barrier() const { bed.done(comex_barrier(group)); }
  void put(long* dst, int end, long value) const {
    std::array<long, many> src;
    src.fill(value);
    bed.done(comex_put(src.data(), dst, bytes, end, group));
  }
  long get(long* src, int end) const {
    std::array<long, many> result{};
    bed.done(comex_get(src, result.data(), bytes, end, group));
    return result[many - 1];
  }
  void fence(int end) const { bed.done(comex_fence_proc(end, group)); }
};

// body(end, parts of the world) by both threads of each process, behind a barrier of all endpoints.
template <class Body>
void by_both(Bed& bed, Body&& body) {
  const auto a = bed.allocate(ends * many);
  std::array<comex_group_t, 2> handles{};
  bed.done(comex_group_create_endpoints(everyone, 2, handles.data()));
  std::latch halfway(1);
  const auto drive = [&](int which) {
    const End end{bed, which, handles[static_cast<std::size_t>(which)], halfway};
    end.barrier();
    body(end, a);
    bed.done(comex_group_free(end.group));
  };
  std::thread second(drive, 1);
  drive(0);
  second.join();
}

constexpr Case cases[] = {
    {"memory_of_endpoints", right,
     [](Bed& bed) {
       by_both(bed, [](const End& end, const Parts<long>&) {
         std::array<void*, ends> parts{};
         const auto part = [&](int rank) {
           return static_cast<long*>(parts[static_cast<std::size_t>(rank)]);
         };
         end.bed.done(comex_malloc(parts.data(), bytes, end.group));
         end.barrier();
         end.put(part((end.rank() + 1) % ends), (end.rank() + 1) % ends, end.rank());
         end.bed.done(comex_fence_allocation(part(end.rank()), end.group));
         end.barrier();
         const long seen = end.get(part(end.rank()), end.rank());
         end.bed.require(seen == (end.rank() + ends - 1) % ends, "what the endpoint before has put");
         end.barrier();
         end.bed.done(comex_free(part(end.rank()), end.group));
       });
     }},
    {"memory_that_was_freed_before", right,
     [](Bed& bed) {
       const auto old = bed.allocate(ends * many);
       bed.release(old);
       by_both(bed, [](const End& end, const Parts<long>&) {
         std::array<void*, ends> parts{};
         const int next = (end.rank() + 1) % ends;
         end.bed.done(comex_malloc(parts.data(), bytes, end.group));
         end.put(static_cast<long*>(parts[static_cast<std::size_t>(next)]), next, 1);
         end.barrier();
         end.bed.done(comex_free(parts[static_cast<std::size_t>(end.rank())], end.group));
       });
     }},
    {"two_of_one_process", race,
     [](Bed& bed) {
       by_both(bed, [](const End& end, const Parts<long>& a) {
         if (end.bed.me == 0) end.put(a[2], 4, end.which);
       });
     }},
    {"two_of_two_processes", race,
     [](Bed& bed) {
       by_both(bed, [](const End& end, const Parts<long>& a) {
         if (end.rank() == 1) end.put(a[2], 4, 1);
         if (end.rank() == 6) end.get(a[2], 5);
       });
     }},
    {"fence_by_the_other_endpoint", race,
     [](Bed& bed) {
       by_both(bed, [](const End& end, const Parts<long>& a) {
         if (end.rank() == 0) {
           end.put(a[2], 4, 1);
           end.halfway.count_down();
         }
         if (end.rank() == 1) {
           end.halfway.wait();
           end.fence(4);
           end.bed.send(1);
         }
         if (end.rank() == 2) {
           end.bed.receive(0);
           end.get(a[2], 4);
         }
       });
     }},
    {"barrier_of_the_first_ones_only", race,
     [](Bed& bed) {
       by_both(bed, [](const End& end, const Parts<long>& a) {
         comex_group_t part = COMEX_GROUP_NULL;
         end.bed.done(comex_group_split(end.group, end.which, end.bed.me, &part));
         if (end.rank() == 1) end.put(a[2], 4, 1);
         end.bed.done(comex_barrier(part));
         if (end.rank() == 2) end.get(a[2], 4);
         end.bed.done(comex_group_free(part));
       });
     }},
    {"barrier_and_malloc", mismatch,
     [](Bed& bed) {
       by_both(bed, [](const End& end, const Parts<long>&) {
         std::array<void*, ends> parts{};
         if (end.rank() == 3) {
           end.barrier();
         } else {
           end.bed.done(comex_malloc(parts.data(), bytes, end.group));
         }
       });
     }},
    {"unlock_without_fence", race,
     [](Bed& bed) {
       bed.done(comex_create_mutexes(1));
       by_both(bed, [](const End& end, const Parts<long>& a) {
         if (end.bed.me != 3) return;
         end.bed.done(comex_lock(0, 0));
         end.put(a[1], 2, end.get(a[1], 2) + 1);
         end.bed.done(comex_unlock(0, 0));
       });
       bed.done(comex_destroy_mutexes());
     }},

    {"a_block_for_each", right,
     [](Bed& bed) {
       by_both(bed, [](const End& end, const Parts<long>& a) {
         for (int to = 0; to < ends; ++to) {
           if (to % 2 == end.which) end.put(a[to / 2] + end.rank() * many, to, end.rank());
         }
         end.barrier();
         if (end.which == 0) {
           const long sum = end.bed.read(a[end.bed.me], ends * many);
           end.bed.require(sum == 28 * many, "the blocks of all");
         }
       });
     }},
    {"fence_of_the_allocation_by_the_process", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       comex_group_t end = COMEX_GROUP_NULL;
       bed.done(comex_group_create_endpoints(everyone, 1, &end));
       bed.done(comex_put(bed.local<long>(many, 2), a[bed.next()], bytes, bed.next(), end));
       bed.done(comex_fence_allocation(a[bed.me], everyone));
       bed.send(bed.next());
       bed.receive(bed.previous());
       bed.require(bed.read(a[bed.me], many) == 2 * many, "what the endpoint has put");
       bed.done(comex_group_free(end));
     }},
    {"fence_of_the_process_by_the_thread_of_another_endpoint", right,
     [](Bed& bed) {
       std::latch received(1);
       by_both(bed, [&](const End& end, const Parts<long>& a) {
         if (end.which == 1) {
           end.put(a[bed.next()], 2 * bed.next(), 3);
           end.halfway.count_down();
           received.wait();
           return;
         }
         end.halfway.wait();
         bed.done(comex_fence_all(everyone));
         bed.send(bed.next());
         bed.receive(bed.previous());
         received.count_down();
         bed.require(bed.read(a[bed.me], many) == 3 * many, "what the endpoint has put");
       });
     }},
    {"ring_of_endpoints", right,
     [](Bed& bed) {
       by_both(bed, [](const End& end, const Parts<long>& a) {
         const int to = (end.rank() + 1) % ends;
         long token = end.rank();
         for (int round = 0; round < 4; ++round) {
           end.put(a[to / 2] + (to % 2) * many, to, token);
           end.barrier();
           token = end.get(a[end.bed.me] + end.which * many, end.rank());
           end.barrier();
         }
         end.bed.require(token == (end.rank() + 4) % ends, "the token");
       });
     }},
    {"accumulates_of_both", right,
     [](Bed& bed) {
       by_both(bed, [](const End& end, const Parts<long>& a) {
         long scale = end.which + 1;
         std::array<long, many> src;
         src.fill(2);
         end.bed.done(comex_acc(COMEX_ACC_LNG, &scale, src.data(), a[0], bytes, end.which, end.group));
         end.barrier();
         end.bed.require(end.get(a[0], 0) == 24, "the sum");
       });
     }},
    {"mutex_of_both", right,
     [](Bed& bed) {
       bed.done(comex_create_mutexes(1));
       by_both(bed, [](const End& end, const Parts<long>& a) {
         end.bed.done(comex_lock(0, 1));
         end.put(a[3], 6, end.get(a[3], 6) + 1);
         end.fence(6);
         end.bed.done(comex_unlock(0, 1));
         end.barrier();
         end.bed.require(end.get(a[3], 7) == ends, "one for each endpoint");
       });
       bed.done(comex_destroy_mutexes());
     }},
    {"parts_of_endpoints", right,
     [](Bed& bed) {
       by_both(bed, [](const End& end, const Parts<long>& a) {
         comex_group_t part = COMEX_GROUP_NULL;
         end.bed.done(comex_group_split(end.group, end.which, end.bed.me, &part));
         const int to = end.bed.next();
         std::array<long, many> src;
         src.fill(end.rank());
         end.bed.done(comex_put(src.data(), a[to] + end.which * many, bytes, to, part));
         end.bed.done(comex_barrier(part));
         const long seen = end.get(a[end.bed.me] + end.which * many, end.rank());
         end.bed.require(seen == 2 * end.bed.previous() + end.which, "what was put within the part");
         end.bed.done(comex_group_free(part));
       });
     }},
    {"signals_between_endpoints", right,
     [](Bed& bed) {
       by_both(bed, [](const End& end, const Parts<long>& a) {
         const int to = 2 * end.bed.next() + end.which;
         long* const there = a[end.bed.next()] + 2 * end.which * many;
         long* const here = a[end.bed.me] + 2 * end.which * many;
         std::array<long, many> src;
         src.fill(3);
         end.bed.done(comex_put_signal(src.data(), there, bytes, there + many, 1, to, end.group));
         end.bed.done(comex_wait_until(here + many, COMEX_CMP_EQ, 1));
         end.bed.require(end.bed.read(here, many) == 3 * many, "what came with the signal");
         end.barrier();
       });
     }},
};

}  // namespace

Cases endpoints() {
  return cases;
}

}  // namespace comex::checker
