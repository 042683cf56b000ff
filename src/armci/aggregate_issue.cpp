// What an aggregate holds goes out; waiting for it.
#include <utility>

#include "armci/aggregate.h"

namespace comex::armci {

void Aggregates::issue(int proc, Batch& batch) {
  detail::held_batches.fetch_sub(1, std::memory_order_release);
  std::vector<comex_giov_t> vectors;
  vectors.reserve(batch.runs.size());
  std::size_t at = 0;
  for (const Run& run : batch.runs) {
    vectors.push_back({batch.src.data() + at, batch.dst.data() + at, run.count, run.bytes});
    at += static_cast<std::size_t>(run.count);
  }
  const auto count = static_cast<int>(vectors.size());
  comex_request_t request = 0;
  int result = COMEX_SUCCESS;
  switch (batch.verb) {
    case Verb::put:
      result = comex_nbputv(vectors.data(), count, proc, COMEX_GROUP_WORLD, &request);
      break;
    case Verb::get:
      result = comex_nbgetv(vectors.data(), count, proc, COMEX_GROUP_WORLD, &request);
      break;
    case Verb::acc:
      result = comex_nbaccv(batch.acc_code, batch.scale.data(), vectors.data(), count, proc,
                            COMEX_GROUP_WORLD, &request);
      break;
  }
  Record* record = find(batch.owner);
  if (record == nullptr) return;
  if (result != COMEX_SUCCESS) {
    record->result = result;
    return;
  }
  record->outstanding.push_back({request, std::move(batch.kept)});
}

void Aggregates::attach(int code, comex_request_t request) {
  const std::lock_guard lock(lock_);
  if (Record* record = find(code); record != nullptr) record->outstanding.push_back({request, {}});
}

void Aggregates::flush_owner(int code) {
  for (auto place = batches_.begin(); place != batches_.end();) {
    if (place->second.owner != code) {
      ++place;
      continue;
    }
    issue(place->first, place->second);
    place = batches_.erase(place);
  }
}

void Aggregates::flush_target(int proc) {
  const std::lock_guard lock(lock_);
  const auto place = batches_.find(proc);
  if (place == batches_.end()) return;
  issue(proc, place->second);
  batches_.erase(place);
}

void Aggregates::flush_all() {
  const std::lock_guard lock(lock_);
  for (auto& [proc, batch] : batches_) issue(proc, batch);
  batches_.clear();
}

int Aggregates::wait(int code, int& code_left) {
  std::unique_lock lock(lock_);
  Record* record = find(code);
  code_left = record == nullptr ? 0 : code;
  if (record == nullptr) return COMEX_SUCCESS;
  flush_owner(code);
  std::vector<Outstanding> outstanding = std::move(record->outstanding);
  record->outstanding.clear();
  int result = std::exchange(record->result, COMEX_SUCCESS);
  if (!record->collects) {
    release(*record);
    code_left = 0;
  }
  lock.unlock();
  for (Outstanding& one : outstanding) {
    if (comex_wait(&one.request) != COMEX_SUCCESS) result = COMEX_FAILURE;
  }
  return result;
}

int Aggregates::test(int code) {
  const std::lock_guard lock(lock_);
  Record* record = find(code);
  if (record == nullptr) return 0;
  flush_owner(code);
  if (!all_done(*record)) return 1;
  release_if_over(*record);
  return 0;
}

bool Aggregates::all_done(Record& record) {
  std::vector<Outstanding>& outstanding = record.outstanding;
  while (!outstanding.empty()) {
    int status = 0;
    if (comex_test(&outstanding.back().request, &status) != COMEX_SUCCESS) record.result = COMEX_FAILURE;
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

// A failure stays until a wait has told it.
void Aggregates::release_if_over(Record& record) {
  if (!record.collects && record.result == COMEX_SUCCESS) release(record);
}

void Aggregates::forget() {
  const std::lock_guard lock(lock_);
  batches_.clear();
  detail::held_batches.store(0);
  for (Record& record : records_) {
    if (record.is_used) release(record);
  }
}

}  // namespace comex::armci
