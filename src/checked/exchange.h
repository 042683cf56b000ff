// Collective steps of the checker over a communicator, during which the caller still serves other workers.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace comex::checker {

// Collective, as what follows. Another one of the same members.
MPI_Comm duplicate(MPI_Comm comm);

int size_of(MPI_Comm comm);  // not collective

// Each entry becomes the greatest of all members.
void raise_over(MPI_Comm comm, std::span<std::int64_t> values);
std::int64_t greatest_of(MPI_Comm comm, std::int64_t mine);

// The same, of the root's values for all, of all for the root, and for each member of those of lower ranks.
void broadcast_from(MPI_Comm comm, int root, std::span<std::int64_t> values);
void raise_at(MPI_Comm comm, int root, std::span<std::int64_t> values);
void raise_upwards(MPI_Comm comm, std::span<std::int64_t> values);

// What each member gave, in rank order.
std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& mine);

template <class T>
struct Gathered {
  std::vector<T> items;
  std::vector<std::size_t> first;  // of each member, and one past the last
  std::span<const T> of(std::size_t member) const {
    return std::span(items).subspan(first[member], first[member + 1] - first[member]);
  }
};

// Bytes of all members, less than 2 GiB together.
Gathered<char> gather_bytes(MPI_Comm comm, std::span<const char> mine);
// What each member has for this one. to[i]: bytes for member i.
Gathered<char> exchange_bytes(MPI_Comm comm, const std::vector<std::vector<char>>& to);

template <class T>
Gathered<T> as_items(const Gathered<char>& bytes) {
  Gathered<T> items;
  const auto* begin = reinterpret_cast<const T*>(bytes.items.data());
  items.items.assign(begin, begin + bytes.items.size() / sizeof(T));
  for (const std::size_t first : bytes.first) items.first.push_back(first / sizeof(T));
  return items;
}

template <class T>
Gathered<T> gather(MPI_Comm comm, const std::vector<T>& mine) {
  return as_items<T>(
      gather_bytes(comm, {reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(T)}));
}

}  // namespace comex::checker
