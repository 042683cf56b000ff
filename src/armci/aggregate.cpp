#include "armci/aggregate.h"

#include <utility>

namespace comex::armci {
namespace {

//    code = -1 - (unset | generation << 16 | slot)
constexpr int slot_bits = 16;
constexpr int max_slots = 1 << slot_bits;
constexpr int max_generation = (1 << 14) - 2;  // leaves the lowest codes to others
constexpr int unset_bit = 1 << 30;             // the handle collects no more, but is still waited for

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
  const int value = (-1 - code) & ~unset_bit;
  const auto slot = static_cast<std::size_t>(value & (max_slots - 1));
  if (slot >= records_.size()) return nullptr;
  Record& record = records_[slot];
  return record.is_used && record.generation == value >> slot_bits ? &record : nullptr;
}

// Also of a handle whose requests are complete, so that its record is another's by now.
bool Aggregates::is_collecting(int code) const {
  if (code == empty_code) return true;
  if (code >= 0 || code < empty_code) return false;
  const int value = -1 - code;
  return (value & unset_bit) == 0 && static_cast<std::size_t>(value & (max_slots - 1)) < records_.size();
}

Aggregates::Record* Aggregates::find_or_take(armci_hdl_t* handle) {
  if (Record* const known = find(code_of(handle))) return known;
  if (free_.empty()) {
    if (records_.size() == static_cast<std::size_t>(max_slots)) return nullptr;
    free_.push_back(static_cast<int>(records_.size()));
    records_.emplace_back();
  }
  const auto slot = static_cast<std::size_t>(free_.back());
  free_.pop_back();
  Record& record = records_[slot];
  record.is_used = true;
  set_code(handle, code_for(slot, record.generation));
  return &record;
}

void Aggregates::release(Record& record) {
  record.outstanding.clear();
  record.is_used = false;
  record.result = COMEX_SUCCESS;
  record.generation = record.generation == max_generation ? 0 : record.generation + 1;
  free_.push_back(static_cast<int>(&record - records_.data()));
}

void Aggregates::unset(armci_hdl_t* handle) {
  const std::lock_guard lock(lock_);
  const int code = code_of(handle);
  Record* const record = find(code);
  if (record != nullptr && !record->is_over()) {  // for later waits
    set_code(handle, -1 - ((-1 - code) | unset_bit));
    return;
  }
  if (record != nullptr) release(*record);
  if (code < 0) set_code(handle, 0);
}

bool Aggregates::collects(int code) {
  if (code >= 0) return false;
  const std::lock_guard lock(lock_);
  return is_collecting(code);
}

int Aggregates::attach(armci_hdl_t* handle, comex_request_t request) {
  std::unique_lock lock(lock_);
  Record* record = find_or_take(handle);
  if (record == nullptr) {
    lock.unlock();
    return comex_wait(&request);
  }
  record->outstanding.push_back(request);
  if (record->outstanding.size() < most_outstanding) return COMEX_SUCCESS;
  const int code = code_of(handle);
  std::vector<comex_request_t> outstanding = std::exchange(record->outstanding, {});
  lock.unlock();
  const int result = wait_for(outstanding);
  lock.lock();
  record = find(code);
  if (record == nullptr) return result;  // another thread has waited for all
  if (result != COMEX_SUCCESS) record->result = result;
  return COMEX_SUCCESS;
}

int Aggregates::wait(armci_hdl_t* handle) {
  std::unique_lock lock(lock_);
  const int code = code_of(handle);
  if (code == empty_code) return COMEX_SUCCESS;
  Record* const record = find(code);
  set_code(handle, is_collecting(code) ? empty_code : 0);
  if (record == nullptr) return COMEX_SUCCESS;
  std::vector<comex_request_t> outstanding = std::exchange(record->outstanding, {});
  const int result = record->result;
  release(*record);
  lock.unlock();
  return wait_for(outstanding) == COMEX_SUCCESS ? result : COMEX_FAILURE;
}

int Aggregates::test(armci_hdl_t* handle) {
  const std::lock_guard lock(lock_);
  const int code = code_of(handle);
  Record* const record = find(code);
  if (record == nullptr) return 0;
  if (!all_done(*record)) return 1;
  if (!record->is_over()) return 0;  // a failure stays until a wait has reported it
  set_code(handle, is_collecting(code) ? empty_code : 0);
  release(*record);
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
    if (record.is_used && all_done(record) && record.is_over()) release(record);
  }
}

void Aggregates::forget() {
  const std::lock_guard lock(lock_);
  for (Record& record : records_) {
    if (record.is_used) release(record);
  }
}

}  // namespace comex::armci
