// Batches: executed item by item, straight from the message, from the queue if something is in the way.
#include <atomic>
#include <cstring>
#include <utility>

#include "kernels/copy.h"
#include "kernels/striped_accumulate.h"
#include "pr/rmw.h"
#include "pr/server.h"

namespace comex::pr {

using protocol::Refusal;
using protocol::Verb;

void Server::handle_batch(Origin& origin, const Header& header, std::span<const std::byte> message) {
  const BatchShape shape = read_batch(header, message);
  const std::uint64_t last_number = header.number + header.operand - 1;
  counters_.batch_items += header.operand;
  if (!shape.is_sound) {
    origin.last_number = last_number;
    settle(origin, header);
    refuse(origin, header, {Refusal::malformed, header.offset, header.bytes});
    return;
  }
  batch_.begin(header.number, counters_.chunks);
  const bool may_start = origin.may_start(shape.footprint);
  const bool is_done = may_start && run_batch(origin, header, message, batch_, false);
  if (is_done) {
    ++counters_.at_once;
    return;
  }
  origin.last_number = last_number;
  const EntryList::iterator entry = enqueue(origin, header, shape.footprint, message);
  std::swap(entry->batch, batch_);
  place_queued(origin, entry, may_start);
}

// False: a stripe is busy, try again later.
bool Server::run_batch(Origin& origin, const Header& header, std::span<const std::byte> message,
                       BatchProgress& progress, bool is_queued) {
  while (progress.at < message.size()) {
    const Item item = next_item(message, progress.at);
    Fault fault;
    if (!execute_item(header, item, progress, fault)) return false;
    const std::uint64_t number = progress.number++;
    progress.at = item.end;
    progress.worked = progress.refusals = 0;
    if (fault) {
      // The reply tells how far the writes have come, and this one counts as done.
      if (!is_queued) origin.last_number = number;
      refuse(origin, header_of(header, item, number), fault);
    }
  }
  std::atomic_thread_fence(std::memory_order_release);
  // Nothing of it is unfinished any more, in the queue or not.
  if (!is_queued) origin.last_number = progress.number - 1;
  settle(origin, header);
  if (header.slot != 0) reply_batch(origin, header, progress);
  return true;
}

bool Server::execute_item(const Header& header, const Item& item, BatchProgress& progress, Fault& fault) {
  const protocol::BatchItem& head = item.head;
  const bool is_word = head.verb == Verb::rmw;
  Home* const home = find_home(header.world);
  if (home == nullptr) {
    fault = {Refusal::unknown_world, head.offset, head.bytes};
  } else if (is_word && head.offset % head.bytes != 0) {
    fault = {Refusal::misaligned, head.offset, head.bytes};
  } else if (progress.worked == 0 && head.bytes != 0) {
    const shm::Verdict verdict = home->arena().extents().check(head.target, head.offset, head.bytes);
    if (verdict != shm::Verdict::ok) fault = {refusal_of(verdict), head.offset, head.bytes};
  }
  if (fault) {
    progress.make_answer(protocol::answer_bytes(head));
    return true;
  }
  std::byte* const far = home->arena().at(head.offset);
  switch (head.verb) {
    case Verb::put:
      kernels::copy_bytes(far, item.data(), head.bytes);
      return true;
    case Verb::get:
      ++progress.gets;
      kernels::copy_bytes(progress.make_answer(protocol::answer_bytes(head)), far, head.bytes);
      return true;
    case Verb::acc:
      return accumulate_item(header, item, progress);
    default:
      progress.answers.push_back(apply_atomic(item.word(), far));
      return true;
  }
}

bool Server::accumulate_item(const Header& header, const Item& item, BatchProgress& progress) {
  const protocol::BatchItem& head = item.head;
  Scale scale{};
  std::memcpy(scale.bytes, item.rest, scalar_bytes(item.scalar()));
  shm::Arena& arena = home_of(header).arena();
  shm::BlockLocks locks(arena.stripes());
  locks.ask_for_life(is_time_to_ask(progress.refusals));
  const kernels::Accumulation accumulation = kernels::make_accumulation(item.scalar(), scale);
  const std::uint64_t from = head.offset + progress.worked;
  progress.worked += kernels::try_accumulate_run(locks, {arena.at(from), from}, item.data() + progress.worked,
                                                 head.bytes - progress.worked, accumulation);
  if (locks.is_recovered() && options_.recovered) {
    options_.recovered(header_of(header, item, progress.number), {});
  }
  if (progress.worked == head.bytes) return true;
  ++progress.refusals;
  return false;
}

}  // namespace comex::pr
