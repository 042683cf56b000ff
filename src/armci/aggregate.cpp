#include "armci/aggregate.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace comex::armci {
namespace {

//    code = -1 - (unset | number)
constexpr int unset_bit = 1 << 30;  // the handle collects no more, but is still waited for

// Limits the use of comex.h's handles, which others need too.
constexpr std::size_t most_outstanding = 1024;
constexpr std::size_t fewest_to_sweep = 1024;  // records

int number_of(int code) {
  return (-1 - code) & (unset_bit - 1);
}

// Of several results a death counts more than a failure, which has had its line.
static_assert(COMEX_SUCCESS < COMEX_FAILURE && COMEX_FAILURE < COMEX_PROC_FAILED);

int wait_for_each(std::vector<comex_request_t>& requests) {
  int result = COMEX_SUCCESS;
  for (comex_request_t& one : requests) result = std::max(result, comex_wait(&one));
  return result;
}

}  // namespace

void Aggregates::set(armci_hdl_t* handle) {
  set_code(handle, -1 - static_cast<int>(next_++ & (unset_bit - 1)));
}

void Aggregates::unset(armci_hdl_t* handle) {
  const int code = code_of(handle);
  if (code >= 0) return;
  const std::lock_guard lock(lock_);
  const int number = number_of(code);
  set_code(handle, records_.contains(number) ? -1 - (unset_bit | number) : 0);
}

bool Aggregates::collects(int code) {
  return code < 0 && ((-1 - code) & unset_bit) == 0;
}

int Aggregates::attach(armci_hdl_t* handle, comex_request_t request) {
  const int number = number_of(code_of(handle));
  std::vector<comex_request_t> outstanding;
  {
    const std::lock_guard lock(lock_);
    if (records_.size() >= sweep_at_) {
      sweep();
      sweep_at_ = std::max(fewest_to_sweep, 2 * records_.size());
    }
    Record& record = records_[number];
    record.outstanding.push_back(request);
    if (record.outstanding.size() < most_outstanding) return COMEX_SUCCESS;
    outstanding.swap(record.outstanding);
  }
  const int result = wait_for_each(outstanding);
  if (result == COMEX_SUCCESS) return COMEX_SUCCESS;
  const std::lock_guard lock(lock_);
  Record& record = records_[number];
  record.result = std::max(record.result, result);
  return COMEX_SUCCESS;
}

int Aggregates::wait(armci_hdl_t* handle) {
  const int code = code_of(handle);
  if (!collects(code)) set_code(handle, 0);
  Record record;
  {
    const std::lock_guard lock(lock_);
    const auto node = records_.extract(number_of(code));
    if (node.empty()) return COMEX_SUCCESS;
    record = std::move(node.mapped());
  }
  return std::max(record.result, wait_for_each(record.outstanding));
}

int Aggregates::test(armci_hdl_t* handle) {
  const std::lock_guard lock(lock_);
  const int code = code_of(handle);
  const auto found = records_.find(number_of(code));
  if (found == records_.end()) return 0;
  const bool is_done = is_over(found->second);
  if (!found->second.outstanding.empty()) return 1;
  if (!is_done) return 0;
  records_.erase(found);
  if (!collects(code)) set_code(handle, 0);
  return 0;
}

// Removes the requests that are done. True if nothing is left to wait for or to report.
bool Aggregates::is_over(Record& record) {
  std::vector<comex_request_t>& outstanding = record.outstanding;
  while (!outstanding.empty()) {
    int status = 0;
    record.result = std::max(record.result, comex_test(&outstanding.back(), &status));
    if (status != 0) return false;
    outstanding.pop_back();
  }
  return record.result == COMEX_SUCCESS;
}

void Aggregates::finished_all() {
  const std::lock_guard lock(lock_);
  sweep();
}

void Aggregates::sweep() {
  for (auto at = records_.begin(); at != records_.end();) {
    at = is_over(at->second) ? records_.erase(at) : std::next(at);
  }
}

void Aggregates::forget() {
  const std::lock_guard lock(lock_);
  records_.clear();
}

}  // namespace comex::armci
