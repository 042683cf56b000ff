// Memory that is freed, and used before and after.
#include <array>

#include "bed.h"

namespace comex::checker {
namespace {

constexpr int many = 16;
constexpr int bytes = many * static_cast<int>(sizeof(long));
constexpr int tag = 11;

// Worker `owner` allocates memory of its own, and tells `user` where it is.
long* publish_local(const Bed& bed, int owner, int user) {
  void* address = nullptr;
  if (bed.me == owner) {
    address = comex_malloc_local(bytes);
    bed.require(address != nullptr, "memory");
    MPI_Send(&address, sizeof address, MPI_BYTE, user, tag, bed.comm);
  }
  if (bed.me == user) MPI_Recv(&address, sizeof address, MPI_BYTE, owner, tag, bed.comm, MPI_STATUS_IGNORE);
  return static_cast<long*>(address);
}

// An allocation that all have freed already.
Parts<long> freed_parts(Bed& bed) {
  const auto a = bed.allocate(many);
  bed.release(a);
  return a;
}

constexpr Case cases[] = {
    {"put_after_free", freed,
     [](Bed& bed) {
       const auto a = freed_parts(bed);
       if (bed.me == 0) bed.put(a[1], many, 1);
     }},
    {"get_after_free", freed,
     [](Bed& bed) {
       const auto a = freed_parts(bed);
       bed.get(a[bed.next()] + 3, 4, bed.next());
     }},
    {"accumulate_after_free", freed,
     [](Bed& bed) {
       const auto a = freed_parts(bed);
       if (bed.me == 2) bed.acc(a[3], many, 3);
     }},
    {"rmw_after_free", freed,
     [](Bed& bed) {
       const auto a = freed_parts(bed);
       if (bed.me == 2) bed.add(a[0], 0);
     }},
    {"signal_after_free", freed,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto word = freed_parts(bed);
       if (bed.me == 2) bed.signal(a[1], many, word[1], 1, 1);
     }},
    {"columns_after_free", freed,
     [](Bed& bed) {
       const auto a = freed_parts(bed);
       int stride[1] = {32};
       int count[2] = {16, 4};
       if (bed.me == 1) bed.done(comex_puts(bed.local(many), stride, a[2], stride, count, 1, 2, everyone));
     }},
    {"list_after_free", freed,
     [](Bed& bed) {
       const auto a = freed_parts(bed);
       void* there[2] = {a[3], a[3] + 4};
       void* here[2] = {bed.local(1), bed.local(1)};
       comex_giov_t runs{there, here, 2, sizeof(long)};
       if (bed.me == 1) bed.done(comex_getv(&runs, 1, 3, everyone));
     }},
    {"implicit_put_after_free", freed,
     [](Bed& bed) {
       const auto a = freed_parts(bed);
       if (bed.me == 1) bed.done(comex_nbput(bed.local(many), a[2], bytes, 2, everyone, nullptr));
       bed.barrier();
     }},
    {"put_after_the_owner_freed", freed,
     [](Bed& bed) {
       long* const there = publish_local(bed, 1, 0);
       if (bed.me == 1) {
         bed.done(comex_free_local(there));
         bed.send(0);
       }
       if (bed.me == 0) {
         bed.receive(1);
         bed.put(there, many, 1);
       }
     }},
    {"get_after_the_owner_freed", freed,
     [](Bed& bed) {
       long* const there = publish_local(bed, 2, 3);
       if (bed.me == 3) {
         bed.put(there, many, 2);
         bed.fence(2);
         bed.send(2);
       }
       if (bed.me == 2) {
         bed.receive(3);
         bed.done(comex_free_local(there));
       }
       bed.barrier();
       if (bed.me == 3) bed.get(there, many, 2);
     }},
    {"memory_of_a_group_after_free", freed,
     [](Bed& bed) {
       const comex_group_t pair = bed.group({1, 2});
       if (!bed.is({1, 2})) return;
       const auto a = bed.allocate(many, pair);
       bed.release(a);
       if (bed.me == 1) bed.done(comex_put(bed.local(many), a[1], bytes, 1, pair));
     }},
    {"free_by_the_address_of_another", freed,
     [](Bed& bed) {
       std::array<void*, needed_workers> a{};
       bed.done(comex_malloc(a.data(), bytes, everyone));
       bed.done(comex_free(a[0], everyone));
       if (bed.me == 0) bed.get(static_cast<long*>(a[3]), many, 3);
     }},

    {"allocated_again_at_the_same_place", right,
     [](Bed& bed) {
       for (long round = 0; round < 6; ++round) {
         const auto a = bed.allocate(many);
         bed.put(a[bed.next()], many, bed.next(), round);
         bed.barrier();
         bed.require(bed.read(a[bed.me], many) == round * many, "the round's value");
         bed.release(a);
       }
     }},
    {"freed_right_after_puts", right,
     [](Bed& bed) {
       for (int round = 0; round < 3; ++round) {
         const auto a = bed.allocate(needed_workers * many);
         for (int to = 0; to < needed_workers; ++to) bed.put(a[to] + bed.me * many, many, to);
         bed.release(a);  // fences first
       }
     }},
    {"local_memory_freed_after_acknowledgement", right,
     [](Bed& bed) {
       for (int round = 0; round < 3; ++round) {
         long* const there = publish_local(bed, 1, 0);
         if (bed.me == 0) {
           bed.put(there, many, 1, 4);
           bed.fence(1);
           bed.send(1);
         }
         if (bed.me == 1) {
           bed.receive(0);
           bed.require(bed.read(there, many) == 4 * many, "what was put");
           bed.done(comex_free_local(there));
         }
       }
     }},
    {"local_memory_of_one_user_after_the_other", right,
     [](Bed& bed) {
       for (const int user : {0, 2, 3}) {
         long* const there = publish_local(bed, 1, user);
         if (bed.me == user) {
           bed.put(there, many, 1, user);
           bed.require(bed.get(there, many, 1)[0] == user, "the own value");
           bed.fence(1);
           bed.send(1);
         }
         if (bed.me == 1) {
           bed.receive(user);
           bed.done(comex_free_local(there));
         }
       }
     }},
    {"parts_without_bytes", right,
     [](Bed& bed) {
       const auto a = bed.allocate(bed.me == 2 ? many : 0);
       if (bed.me == 0) bed.put(a[2], many, 2, 1);
       bed.done(comex_fence_allocation(a[bed.me], everyone));
       bed.barrier();
       bed.require(bed.get(a[2], many, 2)[0] == 1, "the only part");
       bed.done(comex_free_local(nullptr));
       bed.done(comex_free(nullptr, everyone));
       bed.require(comex_malloc_local(0) == nullptr, "no bytes, no memory");
     }},
    {"freed_in_another_order", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto b = bed.allocate(many);
       const auto c = bed.allocate(many);
       bed.put(b[bed.next()], many, bed.next(), 1);
       bed.release(a);
       bed.put(c[bed.next()], many, bed.next(), 2);
       const auto d = bed.allocate(many);
       bed.put(d[bed.next()], many, bed.next(), 3);
       bed.barrier();
       const long sum = bed.read(b[bed.me], many) + bed.read(c[bed.me], many) + bed.read(d[bed.me], many);
       bed.require(sum == 6 * many, "the values of those that are left");
       bed.release(c);
       bed.release(b);
     }},
    {"free_by_any_address_and_by_one", right,
     [](Bed& bed) {
       for (int round = 0; round < 2; ++round) {
         std::array<void*, needed_workers> a{};
         bed.done(comex_malloc_mem_dev(a.data(), bytes, everyone, "dram"));
         bed.put(static_cast<long*>(a[3]) + 4 * bed.me, 4, 3);
         bed.barrier();
         void* const named = round == 0 ? a[2] : bed.me == 1 ? a[1] : nullptr;
         bed.done(comex_free_dev(named, everyone));
       }
     }},
    {"memory_of_groups_that_share_members", right,
     [](Bed& bed) {
       const comex_group_t low = bed.group({0, 1, 2});
       const comex_group_t high = bed.group({3, 2, 1});
       for (const comex_group_t group : {low, high}) {
         if (group == COMEX_GROUP_NULL) continue;
         const auto a = bed.allocate(many, group);
         const int to = (a.mine + 1) % 3;
         bed.done(comex_put(bed.local<long>(many, to), a[to], bytes, to, group));
         bed.done(comex_barrier(group));
         bed.require(bed.read(a[a.mine], many) == a.mine * many, "the value for this rank");
         bed.release(a);
         bed.done(comex_group_free(group));
       }
     }},
};

}  // namespace

Cases lifetime() {
  return cases;
}

}  // namespace comex::checker
