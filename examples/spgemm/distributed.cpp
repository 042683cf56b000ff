#include "distributed.h"

#include <algorithm>

namespace spgemm {

DistributedMatrix::DistributedMatrix(const Workers& workers, Traffic& traffic, std::size_t blocks,
                                     std::size_t block)
    : workers_(workers), traffic_(traffic), block_(block), base_(workers.hosts().size()) {
  // Everybody holds at least one block, so that everybody has an address to free.
  const auto me = static_cast<std::size_t>(workers.me());
  const std::size_t mine = blocks > me ? (blocks - me - 1) / base_.size() + 1 : 1;
  const std::size_t elements = mine * block_elements();
  require(comex_malloc(base_.data(), elements * sizeof(double), COMEX_GROUP_WORLD), "comex_malloc");
  // The owner uses its own memory with plain loads and stores.
  std::fill_n(static_cast<double*>(base_[me]), elements, 0.0);
  require(comex_barrier(COMEX_GROUP_WORLD), "comex_barrier");
}

DistributedMatrix::~DistributedMatrix() {
  require(comex_free(base_[static_cast<std::size_t>(workers_.me())], COMEX_GROUP_WORLD), "comex_free");
}

int DistributedMatrix::owner(std::size_t number) const {
  return static_cast<int>(number % base_.size());
}

void* DistributedMatrix::address(std::size_t number) const {
  return static_cast<double*>(base_[number % base_.size()]) + number / base_.size() * block_elements();
}

void DistributedMatrix::count(std::size_t number) {
  traffic_.add(workers_.route(owner(number)), block_elements() * sizeof(double));
}

void DistributedMatrix::put(std::size_t number, std::vector<double>& from) {
  count(number);
  require(comex_put(from.data(), address(number), bytes(), owner(number), COMEX_GROUP_WORLD), "comex_put");
}

comex_request_t DistributedMatrix::start_get(std::size_t number, double* to) {
  count(number);
  comex_request_t request{};
  require(comex_nbget(address(number), to, bytes(), owner(number), COMEX_GROUP_WORLD, &request),
          "comex_nbget");
  return request;
}

comex_request_t DistributedMatrix::start_accumulate(std::size_t number, double* from) {
  count(number);
  comex_request_t request{};
  double scale = 1.0;
  require(comex_nbacc(COMEX_ACC_DBL, &scale, from, address(number), bytes(), owner(number), COMEX_GROUP_WORLD,
                      &request),
          "comex_nbacc");
  return request;
}

TaskCounter::TaskCounter(const Workers& workers, Traffic& traffic, std::size_t tasks)
    : workers_(workers), traffic_(traffic), tasks_(tasks), base_(workers.hosts().size()) {
  // Only worker 0 brings memory: the others get NULL for themselves and worker 0's address.
  const std::size_t mine = workers.leader() ? sizeof(long) : 0;
  require(comex_malloc(base_.data(), mine, COMEX_GROUP_WORLD), "comex_malloc");
  if (workers.leader()) *static_cast<long*>(base_[0]) = 0;
  require(comex_barrier(COMEX_GROUP_WORLD), "comex_barrier");
}

TaskCounter::~TaskCounter() {
  require(comex_free(base_[0], COMEX_GROUP_WORLD), "comex_free");
}

std::optional<std::size_t> TaskCounter::claim() {
  long number = 0;
  require(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &number, base_[0], 1, 0, COMEX_GROUP_WORLD), "comex_rmw");
  traffic_.add(workers_.route(0), sizeof(long));
  const auto claimed = static_cast<std::size_t>(number);
  if (claimed >= tasks_) return std::nullopt;
  return claimed;
}

}  // namespace spgemm
