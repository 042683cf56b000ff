// Collective calls over groups: all members make the same ones in one order; groups have nothing to do with
// each other.
#include <comex/worlds.h>

#include <array>

#include "bed.h"

namespace comex::checker {
namespace {

constexpr int many = 16;
constexpr int bytes = many * static_cast<int>(sizeof(long));

void allocate_and_leave(const Bed& bed, comex_group_t group = everyone) {
  std::array<void*, needed_workers> a{};
  bed.done(comex_malloc(a.data(), bytes, group));
}

void put_to_next(Bed& bed, const Parts<long>& a, int size, long value) {
  const int to = (a.mine + 1) % size;
  bed.done(comex_put(bed.local<long>(many, value), a[to], bytes, to, a.group));
}

constexpr Case cases[] = {
    {"barrier_and_malloc", mismatch,
     [](Bed& bed) {
       if (bed.me == 0) bed.barrier();
       if (bed.me != 0) allocate_and_leave(bed);
     }},
    {"barrier_and_create_mutexes", mismatch,
     [](Bed& bed) {
       if (bed.me == 3) bed.barrier();
       if (bed.me != 3) bed.done(comex_create_mutexes(1));
     }},
    {"malloc_and_create_mutexes", mismatch,
     [](Bed& bed) {
       if (bed.me % 2 == 0) allocate_and_leave(bed);
       bed.done(comex_create_mutexes(1));
       if (bed.me % 2 == 1) allocate_and_leave(bed);
     }},
    {"free_and_malloc", mismatch,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 1) bed.release(a);
       if (bed.me != 1) allocate_and_leave(bed);
     }},
    {"free_and_barrier", mismatch,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 1) bed.barrier();
       bed.release(a);
       if (bed.me != 1) bed.barrier();
     }},
    {"barrier_and_destroy_mutexes", mismatch,
     [](Bed& bed) {
       bed.done(comex_create_mutexes(1));
       if (bed.me == 2) bed.done(comex_destroy_mutexes());
       if (bed.me != 2) bed.barrier();
     }},
    {"barrier_and_dup", mismatch,
     [](Bed& bed) {
       comex_group_t copy = COMEX_GROUP_NULL;
       if (bed.me == 2) bed.barrier();
       if (bed.me != 2) bed.done(comex_group_dup(everyone, &copy));
     }},
    {"malloc_and_split", mismatch,
     [](Bed& bed) {
       comex_group_t part = COMEX_GROUP_NULL;
       if (bed.me < 2) allocate_and_leave(bed);
       if (bed.me >= 2) bed.done(comex_group_split(everyone, bed.me, 0, &part));
     }},
    {"barrier_and_malloc_of_a_group", mismatch,
     [](Bed& bed) {
       const comex_group_t pair = bed.group({1, 3});
       if (bed.me == 1) bed.done(comex_barrier(pair));
       if (bed.me == 3) allocate_and_leave(bed, pair);
     }},
    {"barrier_and_group_free", mismatch,
     [](Bed& bed) {
       const comex_group_t three = bed.group({0, 1, 2});
       if (bed.me == 0) bed.done(comex_group_free(three));
       if (bed.is({1, 2})) bed.done(comex_barrier(three));
     }},
    {"barrier_and_finalize", mismatch,
     [](Bed& bed) {
       if (bed.me != 0) bed.barrier();
     }},
    {"free_and_finalize", mismatch,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me != 0) bed.release(a);
     }},

    {"disjoint_groups_at_their_own_pace", right,
     [](Bed& bed) {
       const comex_group_t pair = bed.group({0, 1});
       const comex_group_t other = bed.group({2, 3});
       if (bed.me < 2) {
         for (int i = 0; i < 3; ++i) bed.done(comex_barrier(pair));
         bed.done(comex_group_free(pair));
         return;
       }
       const auto a = bed.allocate(many, other);
       put_to_next(bed, a, 2, 6);
       bed.done(comex_barrier(other));
       bed.require(bed.read(a[a.mine], many) == 6 * many, "what the other one put");
       bed.release(a);
       bed.done(comex_group_free(other));
     }},
    {"rows_and_columns", right,
     [](Bed& bed) {
       comex_group_t row = COMEX_GROUP_NULL;
       comex_group_t column = COMEX_GROUP_NULL;
       bed.done(comex_group_split(everyone, bed.me / 2, bed.me, &row));
       bed.done(comex_group_split(everyone, bed.me % 2, bed.me, &column));
       const auto a = bed.allocate(many, row);
       const auto b = bed.allocate(many, column);
       put_to_next(bed, a, 2, bed.me);
       bed.done(comex_barrier(row));
       put_to_next(bed, b, 2, bed.read(a[a.mine], many) / many);
       bed.done(comex_barrier(column));
       bed.require(bed.read(b[b.mine], many) == (3 - bed.me) * many, "the value of the opposite corner");
       bed.release(b);
       bed.release(a);
       bed.done(comex_group_free(column));
       bed.done(comex_group_free(row));
     }},
    {"copies_of_the_world", right,
     [](Bed& bed) {
       comex_group_t copy = COMEX_GROUP_NULL;
       bed.done(comex_group_dup(everyone, &copy));
       const auto a = bed.allocate(many, copy);
       put_to_next(bed, a, needed_workers, bed.me);
       bed.barrier();
       bed.require(bed.read(a[bed.me], many) == bed.previous() * many, "by the world's barrier");
       bed.done(comex_barrier(copy));
       bed.put(a[bed.previous()], many, bed.previous(), 8);  // by the world, behind the copy's barrier
       bed.done(comex_barrier(copy));
       bed.require(bed.read(a[bed.me], many) == 8 * many, "by the copy's barrier");
       bed.release(a);
       bed.done(comex_group_free(copy));
     }},
    {"groups_that_share_a_member", right,
     [](Bed& bed) {
       const auto a = bed.allocate(2 * many);
       const comex_group_t low = bed.group({0, 1});
       const comex_group_t high = bed.group({1, 2});
       if (bed.me == 0) bed.put(a[1], many, 1, 3);
       if (bed.is({0, 1})) bed.done(comex_barrier(low));
       if (bed.is({1, 2})) bed.done(comex_barrier(high));
       if (bed.me == 2) bed.require(bed.get(a[1], many, 1)[0] == 3, "through the member that they share");
       if (bed.is({0, 1})) bed.done(comex_group_free(low));
       if (bed.is({1, 2})) bed.done(comex_group_free(high));
     }},
    {"each_alone", right,
     [](Bed& bed) {
       for (int i = 0; i < bed.me; ++i) {
         bed.done(comex_barrier(COMEX_GROUP_SELF));
         void* mine = nullptr;
         bed.done(comex_malloc(&mine, bytes, COMEX_GROUP_SELF));
         bed.done(comex_put(bed.local<long>(many, 2), mine, bytes, 0, COMEX_GROUP_SELF));
         bed.done(comex_barrier(COMEX_GROUP_SELF));
         bed.require(bed.read(static_cast<long*>(mine), many) == 2 * many, "the own value");
         bed.done(comex_free(mine, COMEX_GROUP_SELF));
       }
     }},
    {"members_alone_make_their_group", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       int lpids[2] = {3, 1};
       comex_group_t pair = COMEX_GROUP_NULL;
       if (bed.me == 0) bed.put(a[2], many, 2);
       if (!bed.is({1, 3})) return;
       bed.done(comex_group_from_lpids(2, lpids, &pair));
       const int other = bed.rank_in(pair) == 0 ? 1 : 3;
       bed.put(a[other], many, other, 2);
       bed.done(comex_barrier(pair));
       bed.require(bed.read(a[bed.me], many) == 2 * many, "what the other one put");
       bed.done(comex_group_free(pair));
     }},
    {"beside_collectives_of_mpi_that_do_not_block", right,
     [](Bed& bed) {
       const comex_group_t three = bed.group({0, 2, 3});
       if (bed.me == 1) return;
       MPI_Comm comm = MPI_COMM_NULL;
       std::array<MPI_Request, 2> requests{};
       bed.done(comex_group_comm(three, &comm));
       if (bed.me == 0) MPI_Ibarrier(comm, requests.data());
       const auto a = bed.allocate(many, three);
       if (bed.me != 0) MPI_Ibarrier(comm, requests.data());
       if (bed.me == 2) MPI_Ibarrier(comm, &requests[1]);
       bed.done(comex_barrier(three));
       if (bed.me != 2) MPI_Ibarrier(comm, &requests[1]);
       MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
       bed.release(a);
       bed.done(comex_group_free(three));
     }},
    {"all_kinds_in_one_order", right,
     [](Bed& bed) {
       for (int i = 0; i < 2; ++i) {
         bed.done(comex_create_mutexes(1));
         const auto a = bed.allocate(many);
         comex_group_t part = COMEX_GROUP_NULL;
         bed.done(comex_group_split(everyone, bed.me == 3 ? MPI_UNDEFINED : 0, -bed.me, &part));
         bed.done(comex_destroy_mutexes());
         if (part != COMEX_GROUP_NULL) {
           bed.require(bed.rank_in(part) == 2 - bed.me, "the rank by key");
           bed.done(comex_barrier(part));
           bed.done(comex_group_free(part));
         }
         bed.release(a);
       }
     }},
    {"fence_all_and_barrier_of_a_smaller_group", right,
     [](Bed& bed) {
       const auto a = bed.allocate(needed_workers * many);
       const comex_group_t three = bed.group({0, 2, 3});
       if (bed.me == 1) return;
       bed.put(a[1] + bed.me * many, many, 1, bed.me);
       bed.done(comex_fence_all(everyone));
       bed.done(comex_barrier(three));
       bed.require(bed.get(a[1], needed_workers * many, 1)[3 * many] == 3, "what the third one put");
       bed.done(comex_group_free(three));
     }},
};

}  // namespace

Cases collectives() {
  return cases;
}

}  // namespace comex::checker
