#include "distributed.h"

#include <algorithm>
#include <utility>

namespace spgemm {

DistributedMatrix::DistributedMatrix(const Workers& workers, Traffic& traffic, const Shape& shape)
    : workers_(workers), traffic_(traffic), block_(shape.block), base_(workers.hosts().size()) {
  // Everybody holds at least one block, so that everybody has an address to free.
  const auto me = static_cast<std::size_t>(workers.me());
  const std::size_t mine = shape.blocks > me ? (shape.blocks - me - 1) / base_.size() + 1 : 1;
  const std::size_t elements = mine * block_elements();
  const std::size_t bytes = elements * sizeof(double);
  if (shape.copies == 0) {
    require(comex_malloc(base_.data(), bytes, COMEX_GROUP_WORLD), "comex_malloc");
  } else {
    require(comex_malloc_kept(base_.data(), bytes, shape.copies, COMEX_GROUP_WORLD), "comex_malloc_kept");
  }
  // The owner uses its own memory with plain loads and stores.
  std::fill_n(static_cast<double*>(base_[me]), elements, 0.0);
  if (shape.copies != 0) require(comex_keep(base_[me]), "comex_keep");
  require(comex_barrier(COMEX_GROUP_WORLD), "comex_barrier");
}

DistributedMatrix::~DistributedMatrix() {
  free_over_all(base_[static_cast<std::size_t>(workers_.me())]);
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

const double* DistributedMatrix::start_read(std::size_t number, double* to,
                                            std::vector<comex_request_t>& requests) {
  if (owner(number) == workers_.me()) return static_cast<const double*>(address(number));
  requests.push_back(start_get(number, to));
  return to;
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

// Of worker 0's memory: the counter, then for each task who has claimed it last, by number + 1.
TaskCounter::TaskCounter(const Workers& workers, Traffic& traffic, std::size_t tasks)
    : workers_(workers),
      traffic_(traffic),
      tasks_(tasks),
      me_plus_one_(workers.me() + 1),
      base_(workers.hosts().size()) {
  // Only worker 0 brings memory: the others get NULL for themselves and worker 0's address.
  const std::size_t words = workers.leader() ? 1 + tasks : 0;
  require(comex_malloc(base_.data(), words * sizeof(long), COMEX_GROUP_WORLD), "comex_malloc");
  std::fill_n(static_cast<long*>(base_[0]), words, 0);
  require(comex_barrier(COMEX_GROUP_WORLD), "comex_barrier");
}

TaskCounter::~TaskCounter() {
  free_over_all(base_[0]);
}

// The next number is on its way while this task is worked on. The note of the claim may arrive late: a task
// without one was claimed, or was to be claimed next, by a worker that has died.
std::optional<std::size_t> TaskCounter::claim() {
  if (!draws_) draw();
  require(comex_wait(&drawing_), "comex_wait");
  auto task = static_cast<std::size_t>(number_);
  draws_ = task < (again_ ? again_->size() : tasks_);
  if (!draws_) return std::nullopt;
  draw();
  if (again_) task = (*again_)[task];
  require(comex_nbput(&me_plus_one_, claimer(task), sizeof(long), 0, COMEX_GROUP_WORLD, nullptr),
          "comex_nbput");
  return task;
}

void TaskCounter::draw() {
  require(comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, &number_, base_[0], 1, 0, COMEX_GROUP_WORLD, &drawing_),
          "comex_nbrmw");
  traffic_.add(workers_.route(0), sizeof(long));
}

std::vector<bool> TaskCounter::undone() const {
  std::vector<long> claimers(tasks_);
  comex_request_t request{};
  constexpr std::size_t piece = std::size_t{1} << 20;  // sizes are int
  for (std::size_t at = 0; at < tasks_; at += piece) {
    const int bytes = static_cast<int>(std::min(piece, tasks_ - at) * sizeof(long));
    require(comex_nbget(claimer(at), claimers.data() + at, bytes, 0, COMEX_GROUP_WORLD, &request),
            "comex_nbget");
    require(comex_wait(&request), "comex_wait");
  }
  const std::vector<int>& living = workers_.living();
  std::vector<bool> undone;
  for (const long by : claimers)
    undone.push_back(!std::binary_search(living.begin(), living.end(), static_cast<int>(by) - 1));
  return undone;
}

void TaskCounter::draw_again(std::vector<std::size_t> tasks) {
  again_ = std::move(tasks);
  if (!workers_.leader()) return;
  for (const std::size_t task : *again_) *claimer(task) = 0;
  *static_cast<long*>(base_[0]) = 0;
}

long* TaskCounter::claimer(std::size_t task) const {
  return static_cast<long*>(base_[0]) + 1 + task;
}

}  // namespace spgemm
