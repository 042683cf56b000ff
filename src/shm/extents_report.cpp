// Reports about extents: why a check failed, which extent is nearest, who holds how much, why memory ran out.
#include <algorithm>
#include <map>

#include "core/diagnose.h"
#include "shm/extents.h"

namespace comex::shm {

namespace {

constexpr std::size_t named_owners = 8;

Nearby nearest_of(const std::vector<Extent>& extents, std::uint64_t offset, Extent& found) {
  std::uint64_t least = ~0ULL;
  for (const Extent& extent : extents) {
    // A byte after the end but in the last page or cell of an extent is nearest to that extent.
    const std::uint64_t last = extent.offset + extent.reserved - 1;
    const std::uint64_t distance = offset < extent.offset ? extent.offset - offset
                                   : offset > last        ? offset - last
                                                          : 0;
    if (distance >= least) continue;
    least = distance;
    found = extent;
  }
  return least == ~0ULL ? Nearby::none : Nearby::found;
}

std::string told(std::vector<OwnerTotal> totals) {
  std::sort(totals.begin(), totals.end(),
            [](const OwnerTotal& a, const OwnerTotal& b) { return a.bytes > b.bytes; });
  std::string text;
  for (std::size_t i = 0; i < std::min(totals.size(), named_owners); ++i) {
    text += (i == 0 ? "" : ", ") + std::string("worker ") + std::to_string(totals[i].owner) + " holds " +
            std::to_string(totals[i].bytes) + " in " + std::to_string(totals[i].extents);
  }
  if (totals.size() > named_owners) {
    text += " and " + std::to_string(totals.size() - named_owners) + " workers more";
  }
  return text.empty() ? "nobody holds any" : text;
}

std::string bytes_text(std::uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string segment_text(const Extent& extent, std::uint64_t base) {
  return "segment " + hexadecimal(base + extent.offset) + " of " + bytes_text(extent.bytes) + " of worker " +
         std::to_string(extent.owner);
}

std::string nearest_text(Nearby nearby, const Extent& near, std::uint64_t base) {
  switch (nearby) {
    case Nearby::found:
      return "; nearest is " + segment_text(near, base);
    case Nearby::none:
      return "; there is no segment on its host";
    case Nearby::busy:
      break;
  }
  return "; the nearest segment is not known, since another process is allocating";
}

}  // namespace

BoundsVerdict Extents::explain(Worker owner, std::uint64_t offset) const {
  const ExtentRecord* const record = find_record(offset);
  if (record == nullptr) return BoundsVerdict::no_extent;
  const ExtentRecord& found = *record;
  if (const std::optional<Cell> cell = cell_at(place_.base, found, offset)) {
    if (!cell->is_live()) return cell->is_retired() ? BoundsVerdict::retired : BoundsVerdict::no_extent;
    return found.owner.load(std::memory_order_relaxed) != owner ? BoundsVerdict::wrong_owner
                                                                : BoundsVerdict::past_end;
  }
  const std::uint64_t into = offset - found.offset.load(std::memory_order_relaxed);
  const std::uint64_t length = found.bytes.load(std::memory_order_relaxed);
  if (into >= round_up(length, page_bytes)) return BoundsVerdict::no_extent;  // the entry is out of date
  const ExtentState state = found.state.load(std::memory_order_acquire);
  if (state != ExtentState::live) {
    return state == ExtentState::retired ? BoundsVerdict::retired : BoundsVerdict::no_extent;
  }
  return found.owner.load(std::memory_order_relaxed) != owner ? BoundsVerdict::wrong_owner
                                                              : BoundsVerdict::past_end;
}

std::optional<std::vector<Extent>> Extents::collect(Wanted wanted, LockWait wait) {
  const LockGuard lock = wait == LockWait::waits ? LockGuard(*this) : LockGuard(*this, LockGuard::Try{});
  if (!lock) return std::nullopt;
  std::vector<Extent> found;
  for (std::uint32_t id = chain_.first(); id != 0; id = chain_.next(id)) {
    const ExtentState state = chain_.state(id);
    const bool is_mirrored = records_[id].is_mirrored.load(std::memory_order_acquire) != 0;
    const bool is_wanted = wanted == Wanted::all || is_mirrored;
    if (state == ExtentState::live && is_wanted) found.push_back(chain_.extent(id));
    if (state == ExtentState::slab && wanted == Wanted::all) collect_cells(records_[id], found);
  }
  return found;
}

void Extents::collect_cells(const ExtentRecord& slab, std::vector<Extent>& found) const {
  const std::uint64_t begin = slab.offset.load(std::memory_order_relaxed);
  const std::uint32_t cell_bytes = slab.cell_bytes.load(std::memory_order_relaxed);
  for (std::uint64_t at = 0; cell_bytes != 0 && at < slab_bytes; at += cell_bytes) {
    const std::optional<Cell> cell = cell_at(place_.base, slab, begin + at);
    if (!cell || !cell->is_live()) continue;
    found.push_back({cell->begin, cell->bytes(), cell_bytes, slab.owner.load(std::memory_order_relaxed), 0});
  }
}

bool Extents::covering(std::uint64_t offset, Extent& found) const {
  const ExtentRecord* const record = find_record(offset);
  if (record == nullptr) return false;
  if (const std::optional<Cell> cell = cell_at(place_.base, *record, offset)) {
    found = {cell->begin, cell->bytes(), cell->cell_bytes, record->owner.load(std::memory_order_acquire), 0};
    return cell->is_live();
  }
  const std::uint32_t version = record->version.load(std::memory_order_acquire);
  Extent extent;
  extent.offset = record->offset.load(std::memory_order_acquire);
  extent.bytes = record->bytes.load(std::memory_order_acquire);
  extent.owner = record->owner.load(std::memory_order_acquire);
  extent.reserved = round_up(extent.bytes, page_bytes);
  const bool is_live = (version & 1u) == 0 && record->version.load(std::memory_order_relaxed) == version;
  if (!is_live || offset - extent.offset >= extent.reserved) return false;
  found = extent;
  return true;
}

Nearby Extents::nearest(std::uint64_t offset, Extent& found, LockWait wait) {
  if (wait == LockWait::never_waits && covering(offset, found)) return Nearby::found;
  const std::optional<std::vector<Extent>> all = collect(Wanted::all, wait);
  return all ? nearest_of(*all, offset, found) : Nearby::busy;
}

std::string Extents::text_of(const BoundsCheck& fault, std::uint64_t base, LockWait wait) {
  Extent near;
  const Nearby nearby = nearest(fault.offset, near, wait);
  const bool is_hit = nearby == Nearby::found && fault.offset - near.offset < near.reserved;
  const std::string nearest = nearest_text(nearby, near, base);
  const std::string range = bytes_text(fault.bytes) + " at " + hexadecimal(base + fault.offset);
  switch (fault.verdict) {
    case BoundsVerdict::retired:
      return range + " lie in a segment that was freed" + nearest;
    case BoundsVerdict::wrong_owner:  // the segment may have been freed since
      if (!is_hit) break;
      return range + " belong to worker " + std::to_string(near.owner) + ", not to the target worker " +
             std::to_string(fault.target) + nearest;
    case BoundsVerdict::past_end:
      if (!is_hit) break;
      return range + " reach " + bytes_text(fault.offset + fault.bytes - (near.offset + near.bytes)) +
             " past the end" + nearest;
    case BoundsVerdict::ok:
    case BoundsVerdict::no_extent:
      break;
  }
  return range + " are not in memory that was allocated by comex" + nearest;
}

std::vector<OwnerTotal> Extents::totals() {
  std::map<Worker, OwnerTotal> sums;
  for (const Extent& extent : live()) {
    OwnerTotal& sum = sums[extent.owner];
    sum.owner = extent.owner;
    sum.bytes += extent.reserved;
    ++sum.extents;
  }
  std::vector<OwnerTotal> found;
  for (const auto& [owner, sum] : sums) found.push_back(sum);
  return found;
}

Failure Extents::does_not_fit(Worker owner, std::uint64_t bytes, const OutOfMemory& out_of_memory) {
  return not_enough("worker " + std::to_string(owner), bytes, out_of_memory, told(totals()));
}

}  // namespace comex::shm
