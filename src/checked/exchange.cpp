#include "checked/exchange.h"

#include <comex.h>

#include <array>
#include <numeric>

#include "checked/next.h"
#include "runtime/facade.h"

namespace comex::checker {
namespace {

// The communicators have the error handler of the program, which may let errors return.
void must_succeed(int code) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING + 1> words{};
  int length = 0;
  if (PMPI_Error_string(code, words.data(), &length) != MPI_SUCCESS) words[0] = '\0';
  const std::string text = std::string("comex check: a collective step of its own failed: ") + words.data();
  next<&comex_error>("comex_error")(text.c_str(), 1);
}

// A collective step that MPI starts with these arguments, until it is complete.
template <class Start, class... Arguments>
void complete(const Start& start, Arguments... arguments) {
  MPI_Request request = MPI_REQUEST_NULL;
  must_succeed(start(arguments..., &request));
  void* const wait = comex_message_waits.begin("collective", -1);
  int is_done = 0;
  while (must_succeed(PMPI_Test(&request, &is_done, MPI_STATUS_IGNORE)), is_done == 0) {
    next<&comex_progress>("comex_progress")();
    comex_message_waits.look(wait);
  }
  comex_message_waits.end(wait);
}

// From sizes to offsets; one more than there are sizes.
std::vector<int> offsets(const std::vector<int>& sizes) {
  std::vector<int> at(sizes.size() + 1, 0);
  std::partial_sum(sizes.begin(), sizes.end(), at.begin() + 1);
  return at;
}

Gathered<char> room_for(const std::vector<int>& at) {
  Gathered<char> all;
  all.items.resize(static_cast<std::size_t>(at.back()));
  all.first.assign(at.begin(), at.end());
  return all;
}

}  // namespace

MPI_Comm duplicate(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  complete(PMPI_Comm_idup, comm, &made);
  return made;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

void raise_over(MPI_Comm comm, std::span<std::int64_t> values) {
  complete(PMPI_Iallreduce, MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T,
           MPI_MAX, comm);
}

std::int64_t greatest_of(MPI_Comm comm, std::int64_t mine) {
  raise_over(comm, {&mine, 1});
  return mine;
}

void broadcast_from(MPI_Comm comm, int root, std::span<std::int64_t> values) {
  complete(PMPI_Ibcast, values.data(), static_cast<int>(values.size()), MPI_INT64_T, root, comm);
}

void raise_at(MPI_Comm comm, int root, std::span<std::int64_t> values) {
  std::vector<std::int64_t> mine(values.begin(), values.end());
  complete(PMPI_Ireduce, mine.data(), values.data(), static_cast<int>(mine.size()), MPI_INT64_T, MPI_MAX,
           root, comm);
}

void raise_upwards(MPI_Comm comm, std::span<std::int64_t> values) {
  std::vector<std::int64_t> mine(values.begin(), values.end());
  complete(PMPI_Iscan, mine.data(), values.data(), static_cast<int>(mine.size()), MPI_INT64_T, MPI_MAX, comm);
}

Gathered<char> gather_bytes(MPI_Comm comm, std::span<const char> mine) {
  const int size = static_cast<int>(mine.size());
  std::vector<int> sizes(static_cast<std::size_t>(size_of(comm)));
  complete(PMPI_Iallgather, &size, 1, MPI_INT, sizes.data(), 1, MPI_INT, comm);
  const std::vector<int> at = offsets(sizes);
  Gathered<char> all = room_for(at);
  complete(PMPI_Iallgatherv, mine.data(), size, MPI_CHAR, all.items.data(), sizes.data(), at.data(), MPI_CHAR,
           comm);
  return all;
}

std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& mine) {
  const Gathered<char> all = gather_bytes(comm, mine);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i + 1 < all.first.size(); ++i)
    texts.emplace_back(all.of(i).begin(), all.of(i).end());
  return texts;
}

Gathered<char> exchange_bytes(MPI_Comm comm, const std::vector<std::vector<char>>& to) {
  std::vector<int> given;
  std::vector<char> outgoing;
  for (const std::vector<char>& part : to) {
    given.push_back(static_cast<int>(part.size()));
    outgoing.insert(outgoing.end(), part.begin(), part.end());
  }
  std::vector<int> taken(given.size());
  complete(PMPI_Ialltoall, given.data(), 1, MPI_INT, taken.data(), 1, MPI_INT, comm);
  const std::vector<int> from = offsets(given);
  const std::vector<int> at = offsets(taken);
  Gathered<char> all = room_for(at);
  complete(PMPI_Ialltoallv, outgoing.data(), given.data(), from.data(), MPI_CHAR, all.items.data(),
           taken.data(), at.data(), MPI_CHAR, comm);
  return all;
}

}  // namespace comex::checker
