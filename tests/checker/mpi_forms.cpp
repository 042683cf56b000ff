// The messages and collectives of MPI in all their forms. Each orders what was fenced before it, as far as it
// tells of that: so it may be read, and no race is seen.
#include <array>
#include <iterator>
#include <vector>

#include "mpi_forms.h"

namespace comex::checker {
namespace {

const Collective collectives_of_mpi[] = {
    {from_first, [](Buffers& b, MPI_Comm comm,
                    MPI_Request& request) { MPI_Ibcast(b.near.data(), 1, MPI_INT, 0, comm, &request); }},
    {to_first,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Ireduce(b.near.data(), b.far.data(), 1, MPI_INT, MPI_SUM, 0, comm, &request);
     }},
    {to_first,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Igather(b.near.data(), 1, MPI_INT, b.far.data(), 1, MPI_INT, 0, comm, &request);
     }},
    {to_first,
     [](Buffers& b, MPI_Comm comm, MPI_Request&) {
       MPI_Gatherv(b.near.data(), 1, MPI_INT, b.far.data(), b.counts.data(), b.places.data(), MPI_INT, 0,
                   comm);
     }},
    {to_first,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Igatherv(b.near.data(), 1, MPI_INT, b.far.data(), b.counts.data(), b.places.data(), MPI_INT, 0,
                    comm, &request);
     }},
    {from_first,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Iscatter(b.near.data(), 1, MPI_INT, b.far.data(), 1, MPI_INT, 0, comm, &request);
     }},
    {from_first,
     [](Buffers& b, MPI_Comm comm, MPI_Request&) {
       MPI_Scatterv(b.near.data(), b.counts.data(), b.places.data(), MPI_INT, b.far.data(), 1, MPI_INT, 0,
                    comm);
     }},
    {from_first,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Iscatterv(b.near.data(), b.counts.data(), b.places.data(), MPI_INT, b.far.data(), 1, MPI_INT, 0,
                     comm, &request);
     }},
    {all,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Iallgather(b.near.data(), 1, MPI_INT, b.far.data(), 1, MPI_INT, comm, &request);
     }},
    {all,
     [](Buffers& b, MPI_Comm comm, MPI_Request&) {
       MPI_Allgatherv(b.near.data(), 1, MPI_INT, b.far.data(), b.counts.data(), b.places.data(), MPI_INT,
                      comm);
     }},
    {all,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Iallgatherv(b.near.data(), 1, MPI_INT, b.far.data(), b.counts.data(), b.places.data(), MPI_INT,
                       comm, &request);
     }},
    {all,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Ialltoall(b.near.data(), 1, MPI_INT, b.far.data(), 1, MPI_INT, comm, &request);
     }},
    {all,
     [](Buffers& b, MPI_Comm comm, MPI_Request&) {
       MPI_Alltoallv(b.near.data(), b.counts.data(), b.places.data(), MPI_INT, b.far.data(), b.counts.data(),
                     b.places.data(), MPI_INT, comm);
     }},
    {all,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Ialltoallv(b.near.data(), b.counts.data(), b.places.data(), MPI_INT, b.far.data(), b.counts.data(),
                      b.places.data(), MPI_INT, comm, &request);
     }},
    {all,
     [](Buffers& b, MPI_Comm comm, MPI_Request&) {
       MPI_Alltoallw(b.near.data(), b.counts.data(), b.offsets.data(), b.types.data(), b.far.data(),
                     b.counts.data(), b.offsets.data(), b.types.data(), comm);
     }},
    {all,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Ialltoallw(b.near.data(), b.counts.data(), b.offsets.data(), b.types.data(), b.far.data(),
                      b.counts.data(), b.offsets.data(), b.types.data(), comm, &request);
     }},
    {all,
     [](Buffers& b, MPI_Comm comm, MPI_Request&) {
       MPI_Reduce_scatter(b.near.data(), b.far.data(), b.counts.data(), MPI_INT, MPI_SUM, comm);
     }},
    {all,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Ireduce_scatter(b.near.data(), b.far.data(), b.counts.data(), MPI_INT, MPI_SUM, comm, &request);
     }},
    {all,
     [](Buffers& b, MPI_Comm comm, MPI_Request&) {
       MPI_Reduce_scatter_block(b.near.data(), b.far.data(), 1, MPI_INT, MPI_SUM, comm);
     }},
    {all,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Ireduce_scatter_block(b.near.data(), b.far.data(), 1, MPI_INT, MPI_SUM, comm, &request);
     }},
    {upwards,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Iscan(b.near.data(), b.far.data(), 1, MPI_INT, MPI_SUM, comm, &request);
     }},
    {upwards, [](Buffers& b, MPI_Comm comm,
                 MPI_Request&) { MPI_Exscan(b.near.data(), b.far.data(), 1, MPI_INT, MPI_SUM, comm); }},
    {upwards,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Iexscan(b.near.data(), b.far.data(), 1, MPI_INT, MPI_SUM, comm, &request);
     }},
};

// The receive has been posted, by all, when `send` is called.
using Send = void (*)(int* value, int to, MPI_Comm comm, MPI_Request& request);
constexpr Send sends[] = {
    [](int* value, int to, MPI_Comm comm, MPI_Request&) { MPI_Bsend(value, 1, MPI_INT, to, tag, comm); },
    [](int* value, int to, MPI_Comm comm, MPI_Request&) { MPI_Ssend(value, 1, MPI_INT, to, tag, comm); },
    [](int* value, int to, MPI_Comm comm, MPI_Request&) { MPI_Rsend(value, 1, MPI_INT, to, tag, comm); },
    [](int* value, int to, MPI_Comm comm, MPI_Request& request) {
      MPI_Ibsend(value, 1, MPI_INT, to, tag, comm, &request);
    },
    [](int* value, int to, MPI_Comm comm, MPI_Request& request) {
      MPI_Issend(value, 1, MPI_INT, to, tag, comm, &request);
    },
    [](int* value, int to, MPI_Comm comm, MPI_Request& request) {
      MPI_Irsend(value, 1, MPI_INT, to, tag, comm, &request);
    },
};

// Returns when the message is there.
using Receive = void (*)(int* value, int from, MPI_Comm comm);
template <class Test>
void repeat(Test test) {
  while (!test()) comex_progress();
}
constexpr Receive receives[] = {
    [](int* value, int from, MPI_Comm comm) {
      MPI_Request request = MPI_REQUEST_NULL;
      int done = 0;
      int index = 0;
      MPI_Irecv(value, 1, MPI_INT, from, tag, comm, &request);
      MPI_Waitsome(1, &request, &done, &index, MPI_STATUSES_IGNORE);
    },
    [](int* value, int from, MPI_Comm comm) {
      MPI_Request request = MPI_REQUEST_NULL;
      int done = 0;
      MPI_Irecv(value, 1, MPI_INT, from, tag, comm, &request);
      repeat([&] { return MPI_Testall(1, &request, &done, MPI_STATUSES_IGNORE), done != 0; });
    },
    [](int* value, int from, MPI_Comm comm) {
      MPI_Request request = MPI_REQUEST_NULL;
      int done = 0;
      int index = 0;
      MPI_Irecv(value, 1, MPI_INT, from, tag, comm, &request);
      repeat([&] { return MPI_Testany(1, &request, &index, &done, MPI_STATUS_IGNORE), done != 0; });
    },
    [](int* value, int from, MPI_Comm comm) {
      MPI_Request request = MPI_REQUEST_NULL;
      int done = 0;
      int index = 0;
      MPI_Irecv(value, 1, MPI_INT, from, tag, comm, &request);
      repeat([&] { return MPI_Testsome(1, &request, &done, &index, MPI_STATUSES_IGNORE), done > 0; });
    },
    [](int* value, int from, MPI_Comm comm) {
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Mprobe(from, tag, comm, &message, MPI_STATUS_IGNORE);
      MPI_Mrecv(value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    },
};

// Returns when there is a message, which `request` receives.
using Look = void (*)(int* value, int from, MPI_Comm comm, MPI_Request& request);
constexpr Look looks[] = {
    [](int* value, int from, MPI_Comm comm, MPI_Request& request) {
      MPI_Probe(from, tag, comm, MPI_STATUS_IGNORE);
      MPI_Irecv(value, 1, MPI_INT, from, tag, comm, &request);
    },
    [](int* value, int from, MPI_Comm comm, MPI_Request& request) {
      MPI_Message message = MPI_MESSAGE_NULL;
      int there = 0;
      repeat([&] { return MPI_Improbe(from, tag, comm, &there, &message, MPI_STATUS_IGNORE), there != 0; });
      MPI_Imrecv(value, 1, MPI_INT, &message, &request);
    },
    [](int* value, int from, MPI_Comm comm, MPI_Request& request) {
      int done = 0;
      MPI_Irecv(value, 1, MPI_INT, from, tag, comm, &request);
      repeat([&] { return MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE), done != 0; });
    },
};

MPI_Comm ring_of(const Bed& bed) {
  const int from = bed.previous();
  const int to = bed.next();
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(bed.comm, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &ring);
  return ring;
}

// The workers 0 and 1 on one side, and the others on the other one.
MPI_Comm two_sides(const Bed& bed) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Comm_split(bed.comm, bed.me / 2, bed.me, &half);
  MPI_Intercomm_create(half, 0, bed.comm, bed.me < 2 ? 2 : 0, tag, &both);
  MPI_Comm_free(&half);
  return both;
}

using MakeComm = void (*)(MPI_Comm comm, MPI_Comm* made);
constexpr MakeComm makes_comm[] = {
    [](MPI_Comm comm, MPI_Comm* made) { MPI_Comm_dup(comm, made); },
    [](MPI_Comm comm, MPI_Comm* made) { MPI_Comm_split(comm, 0, 0, made); },
    [](MPI_Comm comm, MPI_Comm* made) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Comm_idup(comm, made, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    },
    [](MPI_Comm comm, MPI_Comm* made) {
      MPI_Group group = MPI_GROUP_NULL;
      MPI_Comm_group(comm, &group);
      MPI_Comm_create_group(comm, group, tag, made);
      MPI_Group_free(&group);
    },
};

constexpr Case cases[] = {
    {"collectives", right,
     [](Bed& bed) {
       const auto a = bed.allocate(workers * many);
       long value = 0;
       for (const Collective& collective : collectives_of_mpi)
         tell_by(bed, a, collective.tells, ++value, [&] { make(collective, bed.comm); });
     }},
    {"sends", right,
     [](Bed& bed) {
       const auto a = bed.allocate(std::size(sends) * many);
       std::vector<char> buffer(2 * (MPI_BSEND_OVERHEAD + sizeof(int)));
       MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
       for (std::size_t i = 0; i < std::size(sends); ++i) {
         int sent = bed.me;
         int told = -1;
         std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
         MPI_Irecv(&told, 1, MPI_INT, bed.previous(), tag, bed.comm, requests.data());
         MPI_Barrier(bed.comm);  // comes before the put, so it orders nothing of it
         bed.put(a[bed.next()] + i * many, many, bed.next(), bed.me);
         bed.fence(bed.next());
         sends[i](&sent, bed.next(), bed.comm, requests[1]);
         MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
         bed.require(bed.read(a[bed.me] + i * many, many) == told * many, "the neighbour's data");
       }
       void* attached = nullptr;
       int size = 0;
       MPI_Buffer_detach(&attached, &size);
     }},
    {"receives", right,
     [](Bed& bed) {
       const auto a = bed.allocate(std::size(receives) * many);
       for (std::size_t i = 0; i < std::size(receives); ++i) {
         int told = -1;
         bed.put(a[bed.next()] + i * many, many, bed.next(), bed.me);
         bed.fence(bed.next());
         MPI_Send(&bed.me, 1, MPI_INT, bed.next(), tag, bed.comm);
         receives[i](&told, bed.previous(), bed.comm);
         bed.require(bed.read(a[bed.me] + i * many, many) == told * many, "the neighbour's data");
       }
     }},
    {"exchange_in_place", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       int told = bed.me;
       bed.put(a[bed.next()], many, bed.next(), bed.me);
       bed.fence(bed.next());
       MPI_Sendrecv_replace(&told, 1, MPI_INT, bed.next(), tag, bed.previous(), tag, bed.comm,
                            MPI_STATUS_IGNORE);
       bed.require(bed.read(a[bed.me], many) == told * many, "the neighbour's data");
     }},
    {"persistent_requests_started_together", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       int sent = bed.me;
       int told = -1;
       std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
       MPI_Send_init(&sent, 1, MPI_INT, bed.next(), tag, bed.comm, requests.data());
       MPI_Recv_init(&told, 1, MPI_INT, bed.previous(), tag, bed.comm, &requests[1]);
       bed.put(a[bed.next()], many, bed.next(), bed.me);
       bed.fence(bed.next());
       MPI_Startall(2, requests.data());
       MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
       bed.require(bed.read(a[bed.me], many) == told * many, "the neighbour's data");
       for (MPI_Request& request : requests) MPI_Request_free(&request);
     }},
    // Each side is told of the other one.
    {"barrier_of_two_sides", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const int opposite = (bed.me + 2) % workers;
       MPI_Comm both = two_sides(bed);
       bed.put(a[opposite], many, opposite, bed.me);
       bed.fence(opposite);
       MPI_Barrier(both);
       bed.require(bed.read(a[bed.me], many) == opposite * many, "what the other side has put");
       MPI_Comm_free(&both);
     }},
    {"broadcast_to_the_other_side", right,
     [](Bed& bed) {
       constexpr std::array roots{MPI_ROOT, MPI_PROC_NULL, 0, 0};
       const auto a = bed.allocate(many);
       MPI_Comm both = two_sides(bed);
       int value = 1;
       if (bed.me == 0) bed.put(a[3], many, 3, 9);
       if (bed.me == 0) bed.fence(3);
       MPI_Bcast(&value, 1, MPI_INT, roots[static_cast<std::size_t>(bed.me)], both);
       if (bed.me == 3) bed.require(bed.read(a[3], many) == 9 * many, "what the root has put");
       MPI_Comm_free(&both);
     }},
    {"gather_to_another_one_of_the_other_side", race,
     [](Bed& bed) {
       constexpr std::array roots{1, 1, MPI_PROC_NULL, MPI_ROOT};
       const auto a = bed.allocate(many);
       MPI_Comm both = two_sides(bed);
       std::array<int, 2> all{};
       if (bed.me == 0) bed.put(a[2], many, 2, 9);
       if (bed.me == 0) bed.fence(2);
       MPI_Gather(&bed.me, 1, MPI_INT, all.data(), 1, MPI_INT, roots[static_cast<std::size_t>(bed.me)], both);
       if (bed.me == 2) static_cast<void>(bed.read(a[2], many));
       MPI_Comm_free(&both);
     }},
    {"looks_before_the_receive", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       for (const Look look : looks) {
         int told = -1;
         MPI_Request request = MPI_REQUEST_NULL;
         tell_next_by(bed, a, [&] {
           MPI_Send(&bed.me, 1, MPI_INT, bed.next(), tag, bed.comm);
           look(&told, bed.previous(), bed.comm, request);
         });
         MPI_Wait(&request, MPI_STATUS_IGNORE);
       }
     }},
    {"neighbours", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       MPI_Comm ring = ring_of(bed);
       int told = -1;
       tell_next_by(bed, a, [&] { MPI_Neighbor_allgather(&bed.me, 1, MPI_INT, &told, 1, MPI_INT, ring); });
       tell_next_by(bed, a, [&] {
         MPI_Request request = MPI_REQUEST_NULL;
         MPI_Ineighbor_alltoall(&bed.me, 1, MPI_INT, &told, 1, MPI_INT, ring, &request);
         MPI_Wait(&request, MPI_STATUS_IGNORE);
       });
       MPI_Comm_free(&ring);
     }},
    {"neighbours_without_fence", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const MPI_Comm ring = ring_of(bed);
       int told = -1;
       bed.put(a[bed.next()], many, bed.next());
       MPI_Neighbor_allgather(&bed.me, 1, MPI_INT, &told, 1, MPI_INT, ring);
       bed.read(a[bed.me], many);
     }},
    {"neighbours_that_are_not_waited_for", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const MPI_Comm ring = ring_of(bed);
       MPI_Request request = MPI_REQUEST_NULL;
       int told = -1;
       put_next(bed, a);
       MPI_Ineighbor_allgather(&bed.me, 1, MPI_INT, &told, 1, MPI_INT, ring, &request);
       bed.read(a[bed.me], many);
       MPI_Wait(&request, MPI_STATUS_IGNORE);
     }},
    {"new_communicators", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       for (const MakeComm make : makes_comm) {
         MPI_Comm made = MPI_COMM_NULL;
         tell_next_by(bed, a, [&] { make(bed.comm, &made); });
         MPI_Comm_free(&made);
       }
     }},
};

}  // namespace

Cases mpi_forms() {
  return cases;
}

}  // namespace comex::checker
