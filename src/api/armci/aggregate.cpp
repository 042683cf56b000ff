#include "api/armci/aggregate.h"

#include <cstring>
#include <utility>

#include "api/armci/codes.h"

namespace comex::armci {
namespace {

constexpr std::size_t max_batch_pieces = 512;
constexpr std::size_t max_batch_bytes = 128 * 1024;

//    code = -1 - (generation << 16 | slot)
constexpr int slot_bits = 16;
constexpr int max_slots = 1 << slot_bits;
constexpr int max_generation = (1 << 14) - 1;

int code_for(std::size_t slot, int generation) {
  return -1 - (generation << slot_bits | static_cast<int>(slot));
}

bool overlaps(const std::map<std::uintptr_t, std::uintptr_t>& written, std::uintptr_t begin,
              std::uintptr_t end) {
  auto after = written.lower_bound(end);
  return after != written.begin() && std::prev(after)->second > begin;
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
  if (slot == static_cast<std::size_t>(max_slots)) return 0;  // it will work, one by one
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
  flush_owner(code);
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

bool Aggregates::add(int code, const Piece& piece) {
  if (piece.bytes > max_piece_bytes || piece.bytes < 0) return false;
  const std::lock_guard lock(lock_);
  const Record* record = find(code);
  if (record == nullptr || !record->collects) return false;
  add_locked(code, piece, nullptr);
  return true;
}

bool Aggregates::add_value(int code, const void* value, int bytes, void* dst, int proc) {
  const std::lock_guard lock(lock_);
  const Record* record = find(code);
  if (record == nullptr || !record->collects) return false;
  add_locked(code, {.verb = Verb::put, .proc = proc, .dst = dst, .bytes = bytes}, value);
  return true;
}

void Aggregates::add_locked(int code, const Piece& piece, const void* value) {
  if (piece.bytes == 0) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(piece.dst);
  const std::uintptr_t end = begin + static_cast<std::uintptr_t>(piece.bytes);
  std::array<std::byte, 16> scale{};
  if (piece.verb == Verb::acc && piece.scale != nullptr) {
    std::memcpy(scale.data(), piece.scale, static_cast<std::size_t>(acc_element_bytes(piece.acc_code)));
  }
  if (auto found = batches_.find(piece.proc); found != batches_.end()) {
    Batch& held = found->second;
    const bool fits = held.owner == code && held.verb == piece.verb && held.acc_code == piece.acc_code &&
                      held.scale == scale && held.src.size() < max_batch_pieces &&
                      held.total_bytes < max_batch_bytes;
    if (!fits || (piece.verb == Verb::put && overlaps(held.written, begin, end))) {
      issue(piece.proc, held);
      batches_.erase(found);
    }
  }
  const auto [place, is_new] = batches_.try_emplace(piece.proc);
  Batch& batch = place->second;
  if (is_new) {
    batch.owner = code;
    batch.verb = piece.verb;
    batch.acc_code = piece.acc_code;
    batch.scale = scale;
    held_.fetch_add(1, std::memory_order_release);
  }
  void* src = piece.src;
  if (value != nullptr) {
    batch.kept.emplace_back();
    std::memcpy(batch.kept.back().data(), value, static_cast<std::size_t>(piece.bytes));
    src = batch.kept.back().data();
  }
  batch.src.push_back(src);
  batch.dst.push_back(piece.dst);
  if (batch.runs.empty() || batch.runs.back().bytes != piece.bytes) batch.runs.push_back({piece.bytes, 0});
  ++batch.runs.back().count;
  batch.total_bytes += static_cast<std::size_t>(piece.bytes);
  if (piece.verb == Verb::put) batch.written[begin] = end;
}

void Aggregates::issue(int proc, Batch& batch) {
  held_.fetch_sub(1, std::memory_order_release);
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
  std::vector<Outstanding>& outstanding = record->outstanding;
  while (!outstanding.empty()) {
    int status = 0;
    if (comex_test(&outstanding.back().request, &status) != COMEX_SUCCESS) record->result = COMEX_FAILURE;
    if (status != 0) return 1;
    outstanding.pop_back();
  }
  return 0;
}

void Aggregates::finished_all() {
  const std::lock_guard lock(lock_);
  for (Record& record : records_) {
    record.outstanding.clear();
    if (record.is_used && !record.collects) release(record);
  }
}

void Aggregates::forget() {
  const std::lock_guard lock(lock_);
  batches_.clear();
  held_.store(0);
  for (Record& record : records_) {
    if (record.is_used) release(record);
  }
}

}  // namespace comex::armci
