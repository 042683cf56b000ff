#include "armci/aggregate.h"

#include <cstring>

#include "armci/codes.h"

namespace comex::armci {

constinit std::atomic<int> detail::held_batches{0};

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

// A failure is then the call's own: what is held would be refused as one, or not at all.
bool errors_return() {
  int mode = COMEX_ERRORS_ABORT;
  comex_get_errors(&mode);
  return mode == COMEX_ERRORS_RETURN;
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

bool Aggregates::can_hold(const Piece& piece) {
  if (errors_return()) return false;
  if (piece.bytes < 0 || piece.bytes > max_piece_bytes) return false;
  if (piece.verb == Verb::acc && (piece.scale == nullptr || !is_acc_code(piece.acc_code))) return false;
  return piece.bytes == 0 || (piece.src != nullptr && piece.dst != nullptr);
}

bool Aggregates::add(int code, const Piece& piece) {
  if (!can_hold(piece)) return false;
  const std::lock_guard lock(lock_);
  const Record* record = find(code);
  if (record == nullptr || !record->collects) return false;
  add_locked(code, piece, nullptr);
  return true;
}

bool Aggregates::add_value(int code, const void* value, int bytes, void* dst, int proc) {
  if (dst == nullptr || errors_return()) return false;
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
  if (piece.verb == Verb::acc) {
    std::memcpy(scale.data(), piece.scale, static_cast<std::size_t>(acc_element_bytes(piece.acc_code)));
  }
  if (auto found = batches_.find(piece.proc); found != batches_.end()) {
    Batch& held = found->second;
    const bool fits = held.owner == code && held.verb == piece.verb && held.acc_code == piece.acc_code &&
                      held.scale == scale && held.src.size() < max_batch_pieces &&
                      held.total_bytes < max_batch_bytes;
    if (!fits || (piece.verb != Verb::acc && overlaps(held.written, begin, end))) {
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
    detail::held_batches.fetch_add(1, std::memory_order_release);
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
  if (piece.verb != Verb::acc) batch.written[begin] = end;
}

}  // namespace comex::armci
