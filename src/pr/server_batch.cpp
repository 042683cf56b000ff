// Executes batches item by item, straight from the message or from the queue.
#include <atomic>
#include <cstring>

#include "kernels/atomics.h"
#include "kernels/copy.h"
#include "kernels/striped_accumulate.h"
#include "pr/server.h"
#include "shm/locks/block_locks.h"

namespace comex::pr {

using protocol::Refusal;
using protocol::Verb;

namespace {

// Appends space for the next answer and fills it with zeros.
std::byte* make_answer(std::byte* answers, Progress& progress, std::size_t bytes) {
  std::byte* const answer = answers + progress.answered;
  std::memset(answer, 0, bytes);
  progress.answered += static_cast<std::uint32_t>(bytes);
  return answer;
}

}  // namespace

Server::BatchRun Server::batch_of(Entry& entry) {
  return {entry.header, entry.message(), entry.progress, *entry.item, entry.copy.space_before(), true};
}

void Server::handle_batch(Origin& origin, const Header& header, std::span<const std::byte> message) {
  const BatchShape shape = read_batch(header, message, message_bytes_);
  const std::uint64_t last_number = header.number + header.items() - 1;
  counters_.batch_items += header.items();
  if (!shape.is_sound) {
    origin.last_number = last_number;
    mark_applied(origin, header);
    refuse(origin, header, {Refusal::malformed, header.offset, header.bytes});
    return;
  }
  Progress progress{.number = header.number};
  Item item;
  const bool may_start = origin.may_start(shape.footprint);
  const bool is_done = may_start && run_batch(origin, {header, message, progress, item, answers_});
  if (is_done) {
    ++counters_.at_once;
    return;
  }
  origin.last_number = last_number;
  const EntryList::iterator entry = enqueue(origin, header, shape.footprint, message);
  entry->progress = progress;
  entry->item = std::make_unique<Item>(item);
  std::memcpy(batch_of(*entry).answers, answers_, progress.answered);
  place_queued(origin, entry, may_start);
}

// Mostly the caches hold no place that the items go to. One after the other each would be waited for;
// prefetched, they come together.
void Server::fetch_ahead(const BatchRun& batch) {
  const ServedWorld* const served = find_served(batch.header.world);
  if (served == nullptr) return;
  Item ahead = batch.item;
  while (ahead.end < batch.message.size()) {
    go_to_next(ahead, batch.message);
    const std::uint64_t offset = ahead.head.offset;  // not checked yet
    if (offset < served->arena().reservation_bytes()) __builtin_prefetch(served->arena().base() + offset, 1);
  }
}

// Returns false if a stripe is busy: the batch is tried again later.
bool Server::run_batch(Origin& origin, const BatchRun& batch) {
  const Header& header = batch.header;
  if (!batch.is_queued) fetch_ahead(batch);
  Progress& progress = batch.progress;
  Item& item = batch.item;
  const ServedWorld* const served = find_served(header.world);
  while (progress.at < batch.message.size()) {
    if (item.end == progress.at) go_to_next(item, batch.message);  // else this item met a busy stripe
    BadAccess fault;
    if (!execute_item(batch, item, fault)) return false;
    if (!fault && item.head.verb != Verb::get) {
      const shm::Extents& extents = served->arena().extents();
      if (extents.has_mirrored()) [[unlikely]]
        note_written(origin, extents, item.head.offset, item.head.bytes);
    }
    const std::uint64_t number = progress.number++;
    progress.at = item.end;
    progress.worked = progress.busy_tries = 0;
    if (fault) {
      // This item counts as done, since the reply tells how far the writes have come.
      if (!batch.is_queued) origin.last_number = number;
      refuse(origin, header_of(header, item, batch.message, number), fault);
    }
  }
  std::atomic_thread_fence(std::memory_order_release);
  // All items are done now, whether the batch was queued or not.
  if (!batch.is_queued) origin.last_number = progress.number - 1;
  mark_applied(origin, header);
  if (header.slot != 0) reply_batch(origin, batch);
  return true;
}

bool Server::execute_item(const BatchRun& batch, const Item& item, BadAccess& fault) {
  const protocol::BatchItem& head = item.head;
  Progress& progress = batch.progress;
  const bool is_word = head.verb == Verb::rmw;
  ServedWorld* const served = find_served(batch.header.world);
  if (served == nullptr) {
    fault = {Refusal::unknown_world, head.offset, head.bytes};
  } else if (is_word && head.offset % head.bytes != 0) {
    fault = {Refusal::misaligned, head.offset, head.bytes};
  } else if (progress.worked == 0 && head.bytes != 0) {
    const shm::BoundsVerdict verdict = served->arena().extents().check(head.target, head.offset, head.bytes);
    if (verdict != shm::BoundsVerdict::ok) fault = {refusal_of(verdict), head.offset, head.bytes};
  }
  if (fault) {
    make_answer(batch.answers, progress, protocol::answer_bytes(head));
    return true;
  }
  std::byte* const far = served->arena().at(head.offset);
  switch (head.verb) {
    case Verb::put:
      kernels::copy_bytes(far, batch.message.data() + item.load, head.bytes);
      return true;
    case Verb::get:
      kernels::copy_bytes(make_answer(batch.answers, progress, protocol::answer_bytes(head)), far,
                          head.bytes);
      return true;
    case Verb::acc:
      return accumulate_item(batch, item);
    default: {
      const std::uint64_t old = kernels::modify(word_of(item, batch.message), far);
      std::memcpy(make_answer(batch.answers, progress, sizeof old), &old, sizeof old);
      return true;
    }
  }
}

bool Server::accumulate_item(const BatchRun& batch, const Item& item) {
  const protocol::BatchItem& head = item.head;
  Progress& progress = batch.progress;
  shm::Arena& arena = served_world_of(batch.header).arena();
  shm::BlockLocks locks(arena.stripes());
  locks.ask_for_life(is_time_to_ask(progress.busy_tries));
  const kernels::Accumulation accumulation = kernels::make_accumulation(item.scalar(), item.scale);
  const std::uint64_t from = head.offset + progress.worked;
  progress.worked += static_cast<std::uint32_t>(kernels::try_accumulate_run(
      locks, {arena.at(from), from}, batch.message.data() + item.load + progress.worked,
      head.bytes - progress.worked, accumulation));
  if (locks.is_recovered() && options_.recovered) {
    options_.recovered(header_of(batch.header, item, batch.message, progress.number), {});
  }
  if (progress.worked == head.bytes) return true;
  ++progress.busy_tries;
  return false;
}

}  // namespace comex::pr
