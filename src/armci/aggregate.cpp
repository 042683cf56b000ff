#include "armci/aggregate.h"

#include <utility>

namespace comex::armci {
namespace {

//    code = -1 - (generation << 16 | slot)
constexpr int slot_bits = 16;
constexpr int max_slots = 1 << slot_bits;
constexpr int max_generation = (1 << 14) - 1;

// Limits the use of comex.h's handles, which others need too.
constexpr std::size_t most_outstanding = 1024;

int code_for(std::size_t slot, int generation) {
  return -1 - (generation << slot_bits | static_cast<int>(slot));
}

int wait_for(std::vector<comex_request_t>& requests) {
  int result = COMEX_SUCCESS;
  for (comex_request_t& one : requests) {
    if (comex_wait(&one) != COMEX_SUCCESS) result = COMEX_FAILURE;
  }
  return result;
}

}  // namespace

Aggregates::Record* Aggregates::find(int code) {
  if (code >= 0) return nullptr;
  const int value = -1 - code;
  const auto slot = static_cast<std::size_t>(value & (max_slots - 1));
  if (slot >= records_.size()) return nullptr;
  Record& record = records_[slot];
  return record.is_used && record.generation == value >> slot_bits ? &record : nullptr;
}

int Aggregates::set() {
  const std::lock_guard lock(lock_);
  std::size_t slot = 0;
  while (slot < records_.size() && records_[slot].is_used) ++slot;
  if (slot == static_cast<std::size_t>(max_slots)) return 0;  // then requests stand alone
  if (slot == records_.size()) records_.emplace_back();
  records_[slot].is_used = true;
  records_[slot].collects = true;
  return code_for(slot, records_[slot].generation);
}

void Aggregates::release(Record& record) {
  record.outstanding.clear();
  record.is_used = false;
  record.collects = false;
  record.result = COMEX_SUCCESS;
  record.generation = record.generation == max_generation ? 0 : record.generation + 1;
}

int Aggregates::unset(int code) {
  const std::lock_guard lock(lock_);
  Record* record = find(code);
  if (record == nullptr) return code < 0 ? 0 : code;
  record->collects = false;
  if (!record->outstanding.empty()) return code;
  release(*record);
  return 0;
}

bool Aggregates::collects(int code) {
  if (code >= 0) return false;
  const std::lock_guard lock(lock_);
  const Record* record = find(code);
  return record != nullptr && record->collects;
}

void Aggregates::attach(int code, comex_request_t request) {
  std::unique_lock lock(lock_);
  Record* record = find(code);
  if (record == nullptr) return;
  record->outstanding.push_back(request);
  if (record->outstanding.size() < most_outstanding) return;
  std::vector<comex_request_t> outstanding = std::exchange(record->outstanding, {});
  lock.unlock();
  const int result = wait_for(outstanding);
  lock.lock();
  record = find(code);
  if (record != nullptr && result != COMEX_SUCCESS) record->result = result;
}

int Aggregates::wait(int code, int& code_left) {
  std::unique_lock lock(lock_);
  Record* record = find(code);
  code_left = record == nullptr ? 0 : code;
  if (record == nullptr) return COMEX_SUCCESS;
  std::vector<comex_request_t> outstanding = std::exchange(record->outstanding, {});
  const int result = std::exchange(record->result, COMEX_SUCCESS);
  if (!record->collects) {
    release(*record);
    code_left = 0;
  }
  lock.unlock();
  return wait_for(outstanding) == COMEX_SUCCESS ? result : COMEX_FAILURE;
}

int Aggregates::test(int code) {
  const std::lock_guard lock(lock_);
  Record* record = find(code);
  if (record == nullptr) return 0;
  if (!all_done(*record)) return 1;
  release_if_over(*record);
  return 0;
}

bool Aggregates::all_done(Record& record) {
  std::vector<comex_request_t>& outstanding = record.outstanding;
  while (!outstanding.empty()) {
    int status = 0;
    if (comex_test(&outstanding.back(), &status) != COMEX_SUCCESS) record.result = COMEX_FAILURE;
    if (status != 0) return false;
    outstanding.pop_back();
  }
  return true;
}

void Aggregates::finished_all() {
  const std::lock_guard lock(lock_);
  for (Record& record : records_) {
    if (record.is_used && all_done(record)) release_if_over(record);
  }
}

// A failure stays until a wait has reported it.
void Aggregates::release_if_over(Record& record) {
  if (!record.collects && record.result == COMEX_SUCCESS) release(record);
}

void Aggregates::forget() {
  const std::lock_guard lock(lock_);
  for (Record& record : records_) {
    if (record.is_used) release(record);
  }
}

}  // namespace comex::armci
