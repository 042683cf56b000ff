// Order by messages and collectives of the program's own: they order what was complete before them, between
// those whom they join, and only in the direction in which something is told.
#include <array>

#include "bed.h"

namespace comex::checker {
namespace {

constexpr int many = 16;
constexpr int tag = 5;

void publish(Bed& bed, const Parts<long>& a, bool fences) {  // by worker 0, in the part of worker 2
  if (bed.me != 0) return;
  bed.put(a[2], many, 2, 9);
  if (fences) bed.fence(2);
}
void look(Bed& bed, const Parts<long>& a) {
  bed.require(bed.get(a[2], many, 2)[many - 1] == 9, "the data");
}

// The value that worker 0 put; a wrong program takes whatever is there.
void take(Bed& bed, const Parts<long>& a) {
  bed.get(a[2], many, 2);
}

constexpr Case cases[] = {
    {"barrier_without_fence", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       publish(bed, a, false);
       MPI_Barrier(bed.comm);
       if (bed.me == 3) take(bed, a);
     }},
    {"sum_without_fence", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       int value = 1;
       publish(bed, a, false);
       MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, bed.comm);
       if (bed.me == 2) bed.read(a[2], many);
     }},
    {"accumulate_and_exchange_without_fence", race,
     [](Bed& bed) {
       const auto a = bed.allocate<double>(many);
       int value = 1;
       bed.acc(a[bed.next()], many, bed.next());
       MPI_Sendrecv_replace(&value, 1, MPI_INT, bed.next(), tag, bed.previous(), tag, bed.comm,
                            MPI_STATUS_IGNORE);
       bed.read(a[bed.me], many);
     }},
    {"receive_that_is_not_waited_for", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       int value = 0;
       publish(bed, a, true);
       if (bed.me == 0) MPI_Send(&value, 1, MPI_INT, 1, tag, bed.comm);
       if (bed.me == 1) {
         MPI_Request request = MPI_REQUEST_NULL;
         MPI_Irecv(&value, 1, MPI_INT, 0, tag, bed.comm, &request);
         take(bed, a);
         MPI_Wait(&request, MPI_STATUS_IGNORE);
       }
     }},
    {"barrier_that_is_not_waited_for", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       MPI_Request request = MPI_REQUEST_NULL;
       publish(bed, a, true);
       MPI_Ibarrier(bed.comm, &request);
       if (bed.me == 1) take(bed, a);
       MPI_Wait(&request, MPI_STATUS_IGNORE);
     }},
    {"put_between_ibarrier_and_wait", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       MPI_Request request = MPI_REQUEST_NULL;
       MPI_Ibarrier(bed.comm, &request);
       publish(bed, a, true);
       MPI_Wait(&request, MPI_STATUS_IGNORE);
       if (bed.me == 1) take(bed, a);
     }},
    {"broadcast_of_another", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       int value = 3;
       publish(bed, a, true);
       MPI_Bcast(&value, 1, MPI_INT, 3, bed.comm);
       if (bed.me == 1) take(bed, a);
     }},
    {"reduction_tells_the_root_only", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       int value = 3;
       int sum = 0;
       publish(bed, a, true);
       MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 3, bed.comm);
       if (bed.me == 1) take(bed, a);
     }},
    {"gather_tells_the_root_only", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       std::array<int, needed_workers> all{};
       publish(bed, a, true);
       MPI_Gather(&bed.me, 1, MPI_INT, all.data(), 1, MPI_INT, 0, bed.comm);
       if (bed.me == 2) bed.write(a[2], many);
     }},
    {"prefix_sum_the_other_way", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       int sum = 0;
       if (bed.me == 3) {
         bed.put(a[2], many, 2);
         bed.fence(2);
       }
       MPI_Scan(&bed.me, &sum, 1, MPI_INT, MPI_SUM, bed.comm);
       if (bed.me == 1) take(bed, a);
     }},
    {"message_before_the_put", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) bed.send(1);
       publish(bed, a, true);
       if (bed.me == 1) {
         bed.receive(0);
         take(bed, a);
       }
     }},
    {"message_to_another", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       publish(bed, a, true);
       if (bed.me == 0) bed.send(3);
       if (bed.me == 3) bed.receive(0);
       if (bed.me == 1) take(bed, a);
     }},
    {"message_the_other_way", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) bed.receive(1);
       publish(bed, a, true);
       if (bed.me == 1) {
         bed.send(0);
         take(bed, a);
       }
     }},
    {"barrier_of_another_communicator", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       MPI_Comm part = MPI_COMM_NULL;
       MPI_Comm_split(bed.comm, bed.me % 2, bed.me, &part);
       publish(bed, a, true);
       MPI_Barrier(part);
       if (bed.me == 1) take(bed, a);
       MPI_Comm_free(&part);
     }},

    {"barrier_after_fence_all", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       publish(bed, a, false);
       bed.done(comex_fence_all(everyone));
       MPI_Barrier(bed.comm);
       look(bed, a);
     }},
    {"send_after_fence", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       publish(bed, a, true);
       if (bed.me == 0) bed.send(2);
       if (bed.me == 2) {
         bed.receive(0);
         bed.require(bed.read(a[2], many) == 9 * many, "the data");
         bed.send(3);
       }
       if (bed.me == 3) {
         bed.receive(2);
         bed.put(a[2], many, 2, 1);
       }
     }},
    {"send_after_fence_of_the_allocation", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto b = bed.allocate(many);
       publish(bed, a, false);
       if (bed.me == 0) {
         bed.put(b[3], many, 3);
         bed.done(comex_fence_allocation(a[0], everyone));
         bed.send(1);
       }
       if (bed.me == 1) {
         bed.receive(0);
         look(bed, a);
       }
     }},
    {"isend_irecv_and_wait", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
       int told = 0;
       bed.put(a[bed.next()], many, bed.next(), bed.me);
       bed.fence(bed.next());
       MPI_Irecv(&told, 1, MPI_INT, bed.previous(), tag, bed.comm, requests.data());
       MPI_Isend(&bed.me, 1, MPI_INT, bed.next(), tag, bed.comm, &requests[1]);
       MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
       bed.require(bed.read(a[bed.me], many) == told * many, "the neighbour's data");
     }},
    {"receives_of_any_source_by_waitany", right,
     [](Bed& bed) {
       const auto a = bed.allocate(needed_workers * many);
       if (bed.me != 1) {
         bed.put(a[1] + bed.me * many, many, 1, bed.me);
         bed.fence(1);
         MPI_Send(&bed.me, 1, MPI_INT, 1, tag, bed.comm);
         return;
       }
       std::array<MPI_Request, 3> requests{};
       std::array<int, 3> told{};
       for (std::size_t i = 0; i < 3; ++i) {
         MPI_Irecv(&told[i], 1, MPI_INT, MPI_ANY_SOURCE, tag, bed.comm, &requests[i]);
       }
       for (int i = 0; i < 3; ++i) {
         int index = 0;
         MPI_Status status;
         MPI_Waitany(3, requests.data(), &index, &status);
         const int from = told[static_cast<std::size_t>(index)];
         bed.require(bed.read(a[1] + from * many, many) == from * many, "the data of who has told");
       }
     }},
    {"tests_in_a_loop", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       int value = 0;
       publish(bed, a, true);
       if (bed.me == 0) MPI_Send(&value, 1, MPI_INT, 1, tag, bed.comm);
       if (bed.me == 1) {
         MPI_Request request = MPI_REQUEST_NULL;
         MPI_Irecv(&value, 1, MPI_INT, 0, tag, bed.comm, &request);
         for (int done = 0; done == 0;) {
           bed.done(comex_progress());
           MPI_Test(&request, &done, MPI_STATUS_IGNORE);
         }
         look(bed, a);
       }
     }},
    {"exchange", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       for (int round = 0; round < 3; ++round) {
         int sent = bed.me + round;
         int told = 0;
         bed.put(a[bed.next()], many, bed.next(), sent);
         bed.fence(bed.next());
         MPI_Sendrecv(&sent, 1, MPI_INT, bed.next(), tag, &told, 1, MPI_INT, bed.previous(), tag, bed.comm,
                      MPI_STATUS_IGNORE);
         bed.require(bed.read(a[bed.me], many) == told * many, "the neighbour's data");
         MPI_Sendrecv(&sent, 1, MPI_INT, bed.previous(), tag, &told, 1, MPI_INT, bed.next(), tag, bed.comm,
                      MPI_STATUS_IGNORE);
       }
     }},
    {"broadcast", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       int value = 3;
       publish(bed, a, true);
       MPI_Bcast(&value, 1, MPI_INT, 0, bed.comm);
       look(bed, a);
     }},
    {"sums", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       int value = 1;
       publish(bed, a, true);
       MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, bed.comm);
       look(bed, a);
       MPI_Request request = MPI_REQUEST_NULL;
       int sum = 0;
       MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, bed.comm, &request);
       MPI_Wait(&request, MPI_STATUS_IGNORE);
       if (bed.me == 2) bed.write(a[2], many);
     }},
    {"barrier_that_is_waited_for", right,
     [](Bed& bed) {
       const auto a = bed.allocate(2 * many);
       MPI_Request request = MPI_REQUEST_NULL;
       publish(bed, a, true);
       MPI_Ibarrier(bed.comm, &request);
       if (bed.me == 1) bed.put(a[2] + many, many, 2);  // meanwhile, something else
       MPI_Wait(&request, MPI_STATUS_IGNORE);
       look(bed, a);
     }},
    {"reduction_then_broadcast", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       int value = 1;
       int sum = 0;
       publish(bed, a, true);
       MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 3, bed.comm);
       if (bed.me == 3) look(bed, a);
       MPI_Bcast(&sum, 1, MPI_INT, 3, bed.comm);
       look(bed, a);
     }},
    {"gather_and_scatter", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       std::array<int, needed_workers> all{};
       int told = 0;
       publish(bed, a, true);
       MPI_Gather(&bed.me, 1, MPI_INT, all.data(), 1, MPI_INT, 1, bed.comm);
       MPI_Scatter(all.data(), 1, MPI_INT, &told, 1, MPI_INT, 1, bed.comm);
       bed.require(told == bed.me, "the own number");
       look(bed, a);
     }},
    {"all_to_all", right,
     [](Bed& bed) {
       const auto a = bed.allocate(needed_workers * many);
       std::array<int, needed_workers> sent{};
       std::array<int, needed_workers> told{};
       for (int to = 0; to < needed_workers; ++to) bed.put(a[to] + bed.me * many, many, to, 1);
       bed.done(comex_fence_all(everyone));
       MPI_Alltoall(sent.data(), 1, MPI_INT, told.data(), 1, MPI_INT, bed.comm);
       bed.require(bed.read(a[bed.me], needed_workers * many) == needed_workers * many, "all blocks");
       MPI_Allgather(&bed.me, 1, MPI_INT, told.data(), 1, MPI_INT, bed.comm);
       bed.put(a[bed.next()], many, bed.next(), 5);
     }},
    {"prefix_sum", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       int sum = 0;
       publish(bed, a, true);
       MPI_Scan(&bed.me, &sum, 1, MPI_INT, MPI_SUM, bed.comm);
       look(bed, a);
     }},
    {"barrier_of_a_part", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       MPI_Comm part = MPI_COMM_NULL;
       MPI_Comm copy = MPI_COMM_NULL;
       MPI_Comm_split(bed.comm, bed.me % 2, -bed.me, &part);
       MPI_Comm_dup(part, &copy);
       const int other = bed.me ^ 2;
       bed.put(a[other], many, other, bed.me);
       bed.fence(other);
       MPI_Barrier(copy);
       bed.require(bed.read(a[bed.me], many) == other * many, "the data of the other member");
       MPI_Comm_free(&copy);
       MPI_Comm_free(&part);
     }},
    {"communicator_of_a_group", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const comex_group_t three = bed.group({3, 1, 0});
       MPI_Comm comm = MPI_COMM_NULL;
       int value = 1;
       publish(bed, a, true);
       if (bed.me == 2) return;
       bed.done(comex_group_comm(three, &comm));
       MPI_Bcast(&value, 1, MPI_INT, 2, comm);  // worker 0
       look(bed, a);
       bed.done(comex_group_free(three));
     }},
    {"persistent_requests", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       MPI_Request request = MPI_REQUEST_NULL;
       int round = 0;
       if (bed.me == 0) MPI_Send_init(&round, 1, MPI_INT, 1, tag, bed.comm, &request);
       if (bed.me == 1) MPI_Recv_init(&round, 1, MPI_INT, 0, tag, bed.comm, &request);
       for (int i = 1; i <= 3 && bed.me < 2; ++i) {
         if (bed.me == 0) {
           bed.put(a[2], many, 2, i);
           bed.fence(2);
           round = i;
         }
         MPI_Start(&request);
         MPI_Wait(&request, MPI_STATUS_IGNORE);
         if (bed.me == 1) bed.require(bed.get(a[2], many, 2)[0] == i, "the round's data");
         if (bed.me == 1) bed.send(0);
         if (bed.me == 0) bed.receive(1);
       }
       if (bed.me < 2) MPI_Request_free(&request);
     }},
};

}  // namespace

Cases messages() {
  return cases;
}

}  // namespace comex::checker
