// The calls that came with MPI 4: those for large counts, exchanges that do not block, persistent collectives
// and messages in partitions. An MPI library may lack them.
#include <iterator>

#include "mpi_forms.h"

namespace comex::checker {

#if MPI_VERSION >= 4
namespace {

const std::array<MPI_Count, workers> counts{1, 1, 1, 1};
const std::array<MPI_Aint, workers> places{0, 1, 2, 3};

void wait(MPI_Request& request) {
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

const Collective large_collectives[] = {
    {all, [](Buffers& b, MPI_Comm comm,
             MPI_Request&) { MPI_Allreduce_c(b.near.data(), b.far.data(), 1, MPI_INT, MPI_SUM, comm); }},
    {all,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Iallgatherv_c(b.near.data(), 1, MPI_INT, b.far.data(), counts.data(), places.data(), MPI_INT, comm,
                         &request);
     }},
    {all,
     [](Buffers& b, MPI_Comm comm, MPI_Request&) {
       MPI_Alltoallv_c(b.near.data(), counts.data(), places.data(), MPI_INT, b.far.data(), counts.data(),
                       places.data(), MPI_INT, comm);
     }},
    {all,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Ireduce_scatter_c(b.near.data(), b.far.data(), counts.data(), MPI_INT, MPI_SUM, comm, &request);
     }},
    {from_first,
     [](Buffers& b, MPI_Comm comm, MPI_Request&) { MPI_Bcast_c(b.near.data(), 1, MPI_INT, 0, comm); }},
    {from_first,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Iscatter_c(b.near.data(), 1, MPI_INT, b.far.data(), 1, MPI_INT, 0, comm, &request);
     }},
    {to_first, [](Buffers& b, MPI_Comm comm,
                  MPI_Request&) { MPI_Reduce_c(b.near.data(), b.far.data(), 1, MPI_INT, MPI_SUM, 0, comm); }},
    {to_first,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Igather_c(b.near.data(), 1, MPI_INT, b.far.data(), 1, MPI_INT, 0, comm, &request);
     }},
    {upwards, [](Buffers& b, MPI_Comm comm,
                 MPI_Request&) { MPI_Exscan_c(b.near.data(), b.far.data(), 1, MPI_INT, MPI_SUM, comm); }},
};

const Collective persistent_collectives[] = {
    {all,
     [](Buffers&, MPI_Comm comm, MPI_Request& request) { MPI_Barrier_init(comm, MPI_INFO_NULL, &request); }},
    {all,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Allreduce_init_c(b.near.data(), b.far.data(), 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
     }},
    {from_first,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Bcast_init(b.near.data(), 1, MPI_INT, 0, comm, MPI_INFO_NULL, &request);
     }},
    {to_first,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Gather_init(b.near.data(), 1, MPI_INT, b.far.data(), 1, MPI_INT, 0, comm, MPI_INFO_NULL, &request);
     }},
    {upwards,
     [](Buffers& b, MPI_Comm comm, MPI_Request& request) {
       MPI_Scan_init(b.near.data(), b.far.data(), 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
     }},
};

// Each tells the next worker, and is told by the one before it.
struct Exchange {
  const Bed& bed;
  int sent = bed.me;
  int told = -1;
  MPI_Request request = MPI_REQUEST_NULL;
};
using Exchanges = void (*)(Exchange& e);
constexpr Exchanges exchanges[] = {
    [](Exchange& e) {
      MPI_Isendrecv(&e.sent, 1, MPI_INT, e.bed.next(), tag, &e.told, 1, MPI_INT, e.bed.previous(), tag,
                    e.bed.comm, &e.request);
      wait(e.request);
    },
    [](Exchange& e) {
      MPI_Isendrecv_c(&e.sent, 1, MPI_INT, e.bed.next(), tag, &e.told, 1, MPI_INT, e.bed.previous(), tag,
                      e.bed.comm, &e.request);
      wait(e.request);
    },
    [](Exchange& e) {
      MPI_Isendrecv_replace(&e.told, 1, MPI_INT, e.bed.next(), tag, e.bed.previous(), tag, e.bed.comm,
                            &e.request);
      wait(e.request);
    },
    [](Exchange& e) {
      MPI_Sendrecv_c(&e.sent, 1, MPI_INT, e.bed.next(), tag, &e.told, 1, MPI_INT, e.bed.previous(), tag,
                     e.bed.comm, MPI_STATUS_IGNORE);
    },
    [](Exchange& e) {
      MPI_Send_c(&e.sent, 1, MPI_INT, e.bed.next(), tag, e.bed.comm);
      MPI_Recv_c(&e.told, 1, MPI_INT, e.bed.previous(), tag, e.bed.comm, MPI_STATUS_IGNORE);
    },
    [](Exchange& e) {
      MPI_Isend_c(&e.sent, 1, MPI_INT, e.bed.next(), tag, e.bed.comm, &e.request);
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Mprobe(e.bed.previous(), tag, e.bed.comm, &message, MPI_STATUS_IGNORE);
      MPI_Mrecv_c(&e.told, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
      wait(e.request);
    },
    // A call for large counts and one for small ones make one message.
    [](Exchange& e) {
      MPI_Irecv(&e.told, 1, MPI_INT, e.bed.previous(), tag, e.bed.comm, &e.request);
      MPI_Send_c(&e.sent, 1, MPI_INT, e.bed.next(), tag, e.bed.comm);
      wait(e.request);
    },
};

// The worker 0 sends two partitions to worker 1.
struct Partitions {
  explicit Partitions(const Bed& bed) {
    if (bed.me == 0) MPI_Psend_init(values.data(), 2, 1, MPI_INT, 1, tag, bed.comm, MPI_INFO_NULL, &request);
    if (bed.me == 1) MPI_Precv_init(values.data(), 2, 1, MPI_INT, 0, tag, bed.comm, MPI_INFO_NULL, &request);
    if (bed.me < 2) MPI_Start(&request);
  }
  void await(int partition) const {
    for (int there = 0; there == 0; MPI_Parrived(request, partition, &there)) comex_progress();
  }
  void end() {
    wait(request);
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
  std::array<int, 2> values{};
  MPI_Request request = MPI_REQUEST_NULL;
};

void put_by_first(Bed& bed, const Parts<long>& a, int block) {
  bed.put(a[2] + block * many, many, 2, 9);
  bed.fence(2);
}

constexpr Case cases[] = {
    {"exchanges", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       for (const Exchanges& exchange : exchanges) {
         Exchange e{.bed = bed};
         tell_next_by(bed, a, [&] { exchange(e); });
       }
     }},
    {"exchange_without_fence", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       Exchange e{.bed = bed};
       bed.put(a[bed.next()], many, bed.next());
       exchanges[0](e);
       bed.read(a[bed.me], many);
     }},
    {"exchange_that_is_not_waited_for", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       int told = bed.me;
       MPI_Request request = MPI_REQUEST_NULL;
       put_next(bed, a);
       MPI_Isendrecv_replace(&told, 1, MPI_INT, bed.next(), tag, bed.previous(), tag, bed.comm, &request);
       bed.read(a[bed.me], many);
       wait(request);
     }},
    {"collectives_for_large_counts", right,
     [](Bed& bed) {
       const auto a = bed.allocate(workers * many);
       long value = 0;
       for (const Collective& collective : large_collectives)
         tell_by(bed, a, collective.tells, ++value, [&] { make(collective, bed.comm); });
     }},
    {"reduction_to_another_one", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       int value = 1;
       int sum = 0;
       if (bed.me == 0) put_by_first(bed, a, 0);
       MPI_Reduce_c(&value, &sum, 1, MPI_INT, MPI_SUM, 3, bed.comm);
       if (bed.me == 2) bed.read(a[2], many);
     }},
    {"persistent_collectives", right,
     [](Bed& bed) {
       const auto a = bed.allocate(workers * many);
       long value = 0;
       for (const Collective& collective : persistent_collectives) {
         Buffers buffers;
         MPI_Request request = MPI_REQUEST_NULL;
         collective.make(buffers, bed.comm, request);
         for (int round = 0; round < 2; ++round)
           tell_by(bed, a, collective.tells, ++value, [&] {
             MPI_Start(&request);
             wait(request);
           });
         MPI_Request_free(&request);
       }
     }},
    {"persistent_barrier_that_is_not_started", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       MPI_Request request = MPI_REQUEST_NULL;
       put_next(bed, a);
       MPI_Barrier_init(bed.comm, MPI_INFO_NULL, &request);
       bed.read(a[bed.me], many);
       MPI_Request_free(&request);
     }},
    {"persistent_barrier_that_is_not_waited_for", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       MPI_Request request = MPI_REQUEST_NULL;
       MPI_Barrier_init(bed.comm, MPI_INFO_NULL, &request);
       put_next(bed, a);
       MPI_Start(&request);
       bed.read(a[bed.me], many);
       wait(request);
     }},
    {"partitions", right,
     [](Bed& bed) {
       const auto a = bed.allocate(2 * many);
       Partitions partitions(bed);
       for (const int block : {1, 0}) {
         if (bed.me == 0) put_by_first(bed, a, block);
         if (bed.me == 0) MPI_Pready(block, partitions.request);
         if (bed.me == 1) partitions.await(block);
         if (bed.me == 1) bed.require(*bed.get(a[2] + block * many, many, 2) == 9, "what was put");
       }
       partitions.end();
     }},
    {"data_behind_its_partition", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       Partitions partitions(bed);
       if (bed.me == 0) MPI_Pready_range(0, 1, partitions.request);
       if (bed.me == 0) put_by_first(bed, a, 0);
       partitions.end();
       if (bed.me == 1) bed.get(a[2], many, 2);
     }},
    {"partition_that_is_not_looked_for", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       Partitions partitions(bed);
       if (bed.me == 0) put_by_first(bed, a, 0);
       if (bed.me == 0) MPI_Pready_range(0, 1, partitions.request);
       if (bed.me == 1) bed.get(a[2], many, 2);
       partitions.end();
     }},
};

}  // namespace

Cases mpi4_forms() {
  return cases;
}
#else
Cases mpi4_forms() {
  return {};
}
#endif

}  // namespace comex::checker
