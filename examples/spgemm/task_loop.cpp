#include "task_loop.h"

#include <algorithm>
#include <csignal>

#include "stopwatch.h"

namespace spgemm {
namespace {

void wait_for(std::vector<comex_request_t>& requests) {
  for (comex_request_t& request : requests) require(comex_wait(&request), "comex_wait");
  requests.clear();
}

}  // namespace

RowBuffer::RowBuffer(const BlockPattern& pattern, DistributedMatrix& matrix)
    : pattern_(pattern), matrix_(matrix), data_(pattern.longest_row() * matrix.block_elements()) {}

void RowBuffer::begin(std::size_t row) {
  row_ = row;
  touched_.assign(pattern_.row_count(row), 0);
}

double* RowBuffer::block(std::size_t column) {
  const std::size_t place = pattern_.find(row_, column).value() - pattern_.start[row_];
  double* const data = data_.data() + place * matrix_.block_elements();
  if (!touched_[place]) std::fill_n(data, matrix_.block_elements(), 0.0);
  touched_[place] = 1;
  return data;
}

void RowBuffer::start_accumulate() {
  for (std::size_t place = 0; place < touched_.size(); ++place) {
    if (touched_[place]) {
      requests_.push_back(matrix_.start_accumulate(pattern_.start[row_] + place,
                                                   data_.data() + place * matrix_.block_elements()));
    }
  }
}

void RowBuffer::wait() {
  wait_for(requests_);
}

TaskLoop::TaskLoop(const Plan& plan, DistributedMatrix& a, DistributedMatrix& b, DistributedMatrix& c,
                   TaskCounter& counter, const Workers& workers, const LoopOptions& options,
                   Progress& progress)
    : plan_(plan),
      a_(a),
      b_(b),
      counter_(counter),
      workers_(workers),
      dies_at_(options.dies_at),
      progress_(progress),
      stream_(plan),
      slots_(options.depth),
      rows_{RowBuffer(plan.c, c), RowBuffer(plan.c, c)} {
  for (Slot& slot : slots_) slot.data.resize((1 + plan.most_b_blocks) * a.block_elements());
}

bool TaskLoop::run() {
  const double begin = now_seconds();
  bool all_live = true;
  stream_.restart();
  for (Slot& slot : slots_) start_gets(slot);
  for (std::size_t turn = 0; slots_[turn].item; turn = (turn + 1) % slots_.size()) {
    work_on(slots_[turn]);
    start_gets(slots_[turn]);
  }
  timed(stats_.end_seconds, [&] {
    for (RowBuffer& row : rows_) row.wait();
    all_live = workers_.meet();
  });
  stats_.total_seconds += now_seconds() - begin;
  if (all_live) progress_.finish();
  return all_live;
}

std::optional<std::size_t> TaskLoop::claim() {
  const auto number = timed(stats_.counter_seconds, [this] { return counter_.claim(); });
  if (dies_at_ != 0 && number.value_or(dies_at_) >= dies_at_) std::raise(SIGKILL);
  if (!number) return std::nullopt;
  ++stats_.tasks;
  progress_.reached(*number);
  return *number % plan_.tasks.size();
}

void TaskLoop::start_gets(Slot& slot) {
  slot.item = stream_.next([this] { return claim(); });
  if (!slot.item) return;
  const Step& step = slot.item->step;
  double* to = slot.data.data();
  slot.blocks = {a_.start_read(step.a_block, to, slot.requests)};
  for (std::size_t number = step.first_b; number < step.last_b; ++number)
    slot.blocks.push_back(b_.start_read(number, to += b_.block_elements(), slot.requests));
}

void TaskLoop::work_on(Slot& slot) {
  timed(stats_.get_seconds, [&] { wait_for(slot.requests); });
  if (!in_task_) begin_task(*slot.item);
  timed(stats_.compute_seconds, [&] { multiply(slot); });
  if (!slot.item->last_of_task) return;
  rows_[active_].start_accumulate();
  in_task_ = false;
}

void TaskLoop::begin_task(const StepStream::Item& item) {
  active_ = 1 - active_;
  timed(stats_.acc_seconds, [this] { rows_[active_].wait(); });
  rows_[active_].begin(item.row);
  in_task_ = true;
}

void TaskLoop::multiply(const Slot& slot) {
  const Step& step = slot.item->step;
  for (std::size_t number = step.first_b; number < step.last_b; ++number) {
    multiply_add(b_.block(), slot.blocks.front(), slot.blocks[1 + number - step.first_b],
                 rows_[active_].block(plan_.b.column[number]));
    ++stats_.products;
  }
}

}  // namespace spgemm
