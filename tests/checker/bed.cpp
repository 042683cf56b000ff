#include "bed.h"

#include <cstdlib>

namespace comex::checker {

namespace {

constexpr int message_tag = 7;

[[noreturn]] void fail(const std::string& what, std::source_location where) {
  const std::string text = std::string(where.file_name()) + ":" + std::to_string(where.line()) + ": " + what;
  comex_error(text.c_str(), 1);
  std::abort();
}

}  // namespace

Bed::Bed() {
  done(comex_group_rank(everyone, &me));
  done(comex_group_size(everyone, &workers));
  done(comex_group_comm(everyone, &comm));
  if (workers != needed_workers) {
    fail("the cases need 4 workers; this job has " + std::to_string(workers),
         std::source_location::current());
  }
}

void Bed::done(int code, std::source_location where) const {
  if (code != COMEX_SUCCESS) fail("a call returned failure", where);
}

void Bed::require(bool holds, const char* what, std::source_location where) const {
  if (!holds) fail("worker " + std::to_string(me) + ": " + what, where);
}

void Bed::end_of_case() {
  barrier();
  for (const Allocation& each : allocated_) done(comex_free(each.mine, each.group));
  allocated_.clear();
  barrier();
}

long Bed::add(long* word, int to, int operand) const {
  long old = 0;
  done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, word, operand, to, everyone));
  return old;
}

long Bed::swap(long* word, int to, long value) const {
  done(comex_rmw(COMEX_SWAP_LONG, &value, word, 0, to, everyone));
  return value;
}

void Bed::poll(long* word, int at, long value) {
  long seen = 0;
  while (seen < value) done(comex_get(word, &seen, sizeof seen, at, everyone));
}

void Bed::signal(long* dst, int count, long* word, long value, int to) {
  long* const src = local<long>(static_cast<std::size_t>(count), value);
  done(comex_put_signal(src, dst, bytes<long>(count), word, value, to, everyone));
}

void Bed::await(long* word, long value) const {
  done(comex_wait_until(word, COMEX_CMP_GE, value));
}

void Bed::send(int to) const {
  const int nothing = 0;
  MPI_Send(&nothing, 1, MPI_INT, to, message_tag, comm);
}

void Bed::receive(int from) const {
  int nothing = 0;
  MPI_Recv(&nothing, 1, MPI_INT, from, message_tag, comm, MPI_STATUS_IGNORE);
}

comex_group_t Bed::group(std::initializer_list<int> members) const {
  std::vector<int> list(members);
  comex_group_t made = COMEX_GROUP_NULL;
  done(comex_group_create(static_cast<int>(list.size()), list.data(), everyone, &made));
  return made;
}

int Bed::rank_in(comex_group_t group) const {
  int rank = -1;
  done(comex_group_rank(group, &rank));
  return rank;
}

}  // namespace comex::checker
