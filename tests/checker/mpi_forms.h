// What the cases of MPI's calls share.
#pragma once

#include <array>

#include "bed.h"

namespace comex::checker {

inline constexpr int many = 16;
inline constexpr int tag = 6;
inline constexpr int workers = needed_workers;

// Whether a collective tells.
using Tells = bool (*)(int from, int to);
inline constexpr Tells all = [](int, int) { return true; };
inline constexpr Tells from_first = [](int from, int) { return from == 0; };
inline constexpr Tells to_first = [](int, int to) { return to == 0; };
inline constexpr Tells upwards = [](int from, int to) { return from < to; };

struct Buffers {
  std::array<int, workers> near{1, 1, 1, 1};
  std::array<int, workers> far{};
  std::array<int, workers> counts{1, 1, 1, 1};
  std::array<int, workers> places{0, 1, 2, 3};
  std::array<int, workers> offsets{0, 4, 8, 12};  // in bytes
  std::array<MPI_Datatype, workers> types{MPI_INT, MPI_INT, MPI_INT, MPI_INT};
};

struct Collective {
  Tells tells;
  void (*make)(Buffers& b, MPI_Comm comm, MPI_Request& request);
};

inline void make(const Collective& collective, MPI_Comm comm) {
  Buffers buffers;
  MPI_Request request = MPI_REQUEST_NULL;
  collective.make(buffers, comm, request);
  if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Each puts into a block of all whom the call tells, and each reads what it was told of.
template <class Call>
void tell_by(Bed& bed, const Parts<long>& a, Tells tells, long value, Call call) {
  for (int to = 0; to < workers; ++to)
    if (to != bed.me && tells(bed.me, to)) bed.put(a[to] + bed.me * many, many, to, value);
  bed.done(comex_fence_all(everyone));
  call();
  for (int from = 0; from < workers; ++from)
    if (from != bed.me && tells(from, bed.me))
      bed.require(bed.read(a[bed.me] + from * many, many) == value * many, "what was told");
  bed.barrier();
}

// Each puts into the part of the next one.
inline void put_next(Bed& bed, const Parts<long>& a) {
  bed.put(a[bed.next()], many, bed.next(), bed.me);
  bed.fence(bed.next());
}

// And reads its own part after the call.
template <class Call>
void tell_next_by(Bed& bed, const Parts<long>& a, Call call) {
  put_next(bed, a);
  call();
  bed.require(bed.read(a[bed.me], many) == bed.previous() * many, "the neighbour's data");
  bed.barrier();
}

}  // namespace comex::checker
