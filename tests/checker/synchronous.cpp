// Synchronous messages of MPI: the sender knows that the receiver has begun to receive, and what that had
// done before.
#include <array>

#include "bed.h"

namespace comex::checker {
namespace {

constexpr int many = 16;
constexpr int tag = 6;

void publish(Bed& bed, const Parts<long>& a) {  // by worker 1, in the part of worker 2
  bed.put(a[2], many, 2, 9);
  bed.fence(2);
}

void synchronous_send(const Bed& bed, int to) {
  const int nothing = 0;
  MPI_Ssend(&nothing, 1, MPI_INT, to, tag, bed.comm);
}

MPI_Request irecv(const Bed& bed, int from) {
  static int nothing = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&nothing, 1, MPI_INT, from, tag, bed.comm, &request);
  return request;
}

void wait(MPI_Request& request) {
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

constexpr Case cases[] = {
    {"put_after_the_begin_of_the_receive", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) {
         synchronous_send(bed, 1);
         bed.get(a[2], many, 2);
       }
       if (bed.me == 1) {
         MPI_Request request = irecv(bed, 0);
         publish(bed, a);
         wait(request);
       }
     }},
    {"send_that_is_not_waited_for", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const int nothing = 0;
       MPI_Request request = MPI_REQUEST_NULL;
       if (bed.me == 0) {
         MPI_Issend(&nothing, 1, MPI_INT, 1, tag, bed.comm, &request);
         bed.get(a[2], many, 2);
         wait(request);
       }
       if (bed.me == 1) {
         publish(bed, a);
         request = irecv(bed, 0);
         wait(request);
       }
     }},

    {"send", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) {
         synchronous_send(bed, 1);
         bed.require(bed.get(a[2], many, 2)[0] == 9, "what the receiver put");
       }
       if (bed.me == 1) {
         publish(bed, a);
         MPI_Request request = irecv(bed, MPI_ANY_SOURCE);
         wait(request);
       }
     }},
    {"sends_that_are_waited_for", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const int nothing = 0;
       std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
       bed.put(a[bed.previous()], many, bed.previous(), bed.me);
       bed.fence(bed.previous());
       requests[0] = irecv(bed, bed.previous());
       MPI_Issend(&nothing, 1, MPI_INT, bed.next(), tag, bed.comm, &requests[1]);
       MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
       bed.require(bed.read(a[bed.me], many) == bed.next() * many, "what the receiver put");
     }},
    {"persistent_requests", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const int nothing = 0;
       if (bed.me == 0) {
         MPI_Request request = MPI_REQUEST_NULL;
         MPI_Ssend_init(&nothing, 1, MPI_INT, 1, tag, bed.comm, &request);
         for (int round = 1; round <= 2; ++round) {
           MPI_Start(&request);
           wait(request);
           bed.require(bed.get(a[2], many, 2)[0] == round, "what the receiver put");
           bed.send(1);
         }
         MPI_Request_free(&request);
       }
       for (int round = 1; bed.me == 1 && round <= 2; ++round) {
         bed.put(a[2], many, 2, round);
         bed.fence(2);
         MPI_Request request = irecv(bed, 0);
         wait(request);
         bed.receive(0);
       }
     }},
    {"receiver_that_polled_a_flag", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto flag = bed.allocate(1);
       if (bed.me == 3) {
         publish(bed, a);
         bed.put(flag[1], 1, 1, 1);
       }
       if (bed.me == 1) {
         const volatile long* const own = flag[1];
         while (*own == 0) bed.done(comex_progress());
         MPI_Request request = irecv(bed, 0);
         wait(request);
       }
       if (bed.me == 0) {
         synchronous_send(bed, 1);
         bed.require(bed.get(a[2], many, 2)[0] == 9, "what was told of by the flag");
       }
     }},
};

}  // namespace

Cases synchronous() {
  return cases;
}

}  // namespace comex::checker
