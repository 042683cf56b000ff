#include "pr/pusher.h"

#include <algorithm>

namespace comex::pr {
namespace {

using shm::OutboxWord;

// A worker that is no longer watched rings for its next batch, so the watch outlasts a few empty looks.
constexpr std::uint32_t empty_looks_allowed = 4;

}  // namespace

Pusher::Pusher(transport::Transport& transport, shm::Os& os, const std::vector<shm::Outbox>& outboxes,
               std::uint64_t delay_ns, std::optional<shm::Doorbell> bell)
    : transport_(transport),
      os_(os),
      age_left_alone_ns_(std::max<std::uint64_t>(delay_ns * 3 / 10, 1)),
      age_ns_(std::max<std::uint64_t>(delay_ns * 4 / 5, 1)),
      soon_ns_(age_left_alone_ns_ / 8),
      bell_(bell) {
  counters_.allowed_ns = delay_ns;
  for (const shm::Outbox& outbox : outboxes) workers_.emplace_back().outbox = outbox;
}

bool Pusher::is_due() {
  if (workers_.empty()) return false;
  if (!watched_.empty() && os_.now_ns() >= next_look_ns_) return true;
  return !bell_ || !has_looked_ || bell_->seen() != rings_;
}

unsigned Pusher::advance() {
  if (workers_.empty()) return 0;
  const std::uint32_t rings = bell_ ? bell_->seen() : rings_ + 1;
  if (rings != rings_ || !has_looked_) {
    rings_ = rings;
    has_looked_ = true;
    find_announced();
  }
  if (watched_.empty()) return 0;
  const std::uint64_t now = os_.now_ns();
  if (now < next_look_ns_) return 0;
  next_look_ns_ = shm::forever_ns;
  unsigned sent = 0;
  std::erase_if(watched_, [&](std::uint32_t index) {
    PushedWorker& worker = workers_[index];
    if (worker.look_ns <= now + soon_ns_) {
      sent += look_at(worker, now);
      worker.is_watched = !is_over(worker);
    }
    if (worker.is_watched) next_look_ns_ = std::min(next_look_ns_, worker.look_ns);
    return !worker.is_watched;
  });
  return sent;
}

void Pusher::find_announced() {
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    PushedWorker& worker = workers_[i];
    if (worker.is_watched || !worker.outbox.is_announced()) continue;
    worker.is_watched = true;
    worker.empty_looks = 0;
    worker.look_ns = 0;  // the first look is for what is open now
    watched_.push_back(i);
    next_look_ns_ = 0;
  }
}

unsigned Pusher::look_at(PushedWorker& worker, std::uint64_t now_ns) {
  worker.note_sent();
  const std::uint64_t age_ns = age_ns_for(worker);
  std::uint64_t due_ns = shm::forever_ns;
  unsigned sent = 0;
  bool is_empty = true;
  for (std::uint32_t i = 0; i < worker.outbox.size(); ++i) {
    shm::OutboxBuffer& buffer = worker.outbox[i];
    const OutboxWord word = buffer.look();
    if (word.state() != OutboxWord::State::open) continue;
    is_empty = false;
    const std::uint64_t begun_ns = buffer.begun_ns.load(std::memory_order_relaxed);
    if (!is_old(begun_ns, now_ns, age_ns)) {
      due_ns = std::min(due_ns, begun_ns + age_ns);
    } else if (take(buffer, word)) {
      ++sent;
    }
  }
  if (sent > 0) worker.sends_itself = false;
  worker.pushed += sent;
  worker.look_ns = due_ns == shm::forever_ns ? now_ns + age_ns_for(worker) : due_ns;
  worker.empty_looks = is_empty ? worker.empty_looks + 1 : 0;
  return sent;
}

// A batch that began just after `now_ns` was opened during this look; one much later has another clock.
bool Pusher::is_old(std::uint64_t begun_ns, std::uint64_t now_ns, std::uint64_t age_ns) const {
  if (begun_ns - now_ns < age_ns) return false;
  return now_ns - begun_ns >= age_ns - soon_ns_;
}

std::uint64_t Pusher::age_ns_for(const PushedWorker& worker) const {
  return worker.sends_itself ? age_ns_ : age_left_alone_ns_;
}

// The worker sent all closed batches that were not pushed from here.
void Pusher::PushedWorker::note_sent() {
  std::uint32_t others = 0 - pushed;
  for (std::uint32_t i = 0; i < outbox.size(); ++i) others += outbox[i].look().closings();
  if (others != sent) sends_itself = true;
  sent = others;
}

// Meanwhile the worker may add to the batch, or send it.
bool Pusher::take(shm::OutboxBuffer& buffer, OutboxWord seen) {
  for (OutboxWord word = seen; word.state() == OutboxWord::State::open && word.is_same_opening(seen);
       word = buffer.look()) {
    const OutboxWord taken = word.in(OutboxWord::State::taken);
    if (!buffer.replace(word, taken)) continue;
    const std::size_t bytes = buffer.copy_to(transport_.stage(), word);
    const TransportRank to = buffer.to;
    const std::uint64_t begun_ns = buffer.begun_ns.load(std::memory_order_relaxed);
    buffer.word.store(taken.in(OutboxWord::State::free).bits(), std::memory_order_release);
    transport_.post(to, bytes);
    counters_.count(os_.now_ns() - begun_ns);
    return true;
  }
  return false;
}

bool Pusher::is_over(PushedWorker& worker) {
  if (worker.empty_looks < empty_looks_allowed) return false;
  shm::Outbox& outbox = worker.outbox;
  outbox.take_back();
  for (std::uint32_t i = 0; i < outbox.size(); ++i) {
    if (outbox[i].look().state() != OutboxWord::State::open) continue;
    // The worker opened this before the announcement was taken back, so it may not announce it again.
    outbox.announce();
    worker.empty_looks = 0;
    return false;
  }
  return true;
}

std::uint64_t Pusher::due_in() const {
  if (watched_.empty()) return shm::forever_ns;
  const std::uint64_t now = os_.now_ns();
  return next_look_ns_ > now ? next_look_ns_ - now : 1;
}

}  // namespace comex::pr
