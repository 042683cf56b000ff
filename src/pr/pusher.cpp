#include "pr/pusher.h"

#include <algorithm>
#include <utility>

namespace comex::pr {
namespace {

using shm::OutboxWord;

// A worker that goes on opening batches would ring for each one that it opens after a look has found none.
constexpr std::uint32_t empty_looks_allowed = 4;
// What is due within this part of the age at which batches are sent goes with those that are: one look less.
constexpr std::uint64_t soon_part = 8;

}  // namespace

Pusher::Pusher(transport::Transport& transport, shm::Os& os, std::vector<shm::Outbox> outboxes,
               std::uint64_t delay_ns, std::optional<shm::Doorbell> bell)
    : transport_(transport),
      os_(os),
      outboxes_(std::move(outboxes)),
      age_left_alone_ns_(std::max<std::uint64_t>(delay_ns * 3 / 10, 1)),
      age_ns_(std::max<std::uint64_t>(delay_ns * 4 / 5, 1)),
      bell_(bell),
      workers_(outboxes_.size()) {
  counters_.allowed_ns = delay_ns;
}

bool Pusher::is_due() {
  if (outboxes_.empty()) return false;
  if (!watched_.empty() && os_.now_ns() >= next_look_ns_) return true;
  return !bell_ || !has_looked_ || bell_->seen() != rings_;
}

unsigned Pusher::advance() {
  if (outboxes_.empty()) return 0;
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
  for (std::size_t i = 0; i < watched_.size();) {
    sent += look_at(watched_[i], now);
    if (!is_over(watched_[i])) {
      ++i;
      continue;
    }
    workers_[watched_[i].outbox].is_watched = false;
    watched_[i] = std::move(watched_.back());
    watched_.pop_back();
  }
  return sent;
}

void Pusher::find_announced() {
  for (std::uint32_t i = 0; i < outboxes_.size(); ++i) {
    if (workers_[i].is_watched || !outboxes_[i].is_announced()) continue;
    workers_[i].is_watched = true;
    Watched watched;
    watched.outbox = i;
    watched_.push_back(std::move(watched));
    next_look_ns_ = 0;  // it begins with what is open now
  }
}

// What seems to begin later than now was begun by another clock, and counts as old.
unsigned Pusher::look_at(Watched& watched, std::uint64_t now_ns) {
  const shm::Outbox& outbox = outboxes_[watched.outbox];
  Worker& worker = workers_[watched.outbox];
  worker.note_sent(outbox);
  const std::uint64_t age_ns = age_ns_for(worker);
  unsigned sent = 0;
  bool is_empty = true;
  for (std::uint32_t i = 0; i < outbox.size(); ++i) {
    const OutboxWord word = outbox[i].look();
    if (word.state() != OutboxWord::State::open) continue;
    is_empty = false;
    const std::uint64_t begun_ns = outbox[i].begun_ns.load(std::memory_order_relaxed);
    if (now_ns - begun_ns < age_ns - age_ns / soon_part)
      next_look_ns_ = std::min(next_look_ns_, begun_ns + age_ns);
    else if (take(outbox[i], word))
      ++sent;
  }
  worker.note_pushed(sent);
  next_look_ns_ = std::min(next_look_ns_, now_ns + age_ns_for(worker));
  watched.empty_looks = is_empty ? watched.empty_looks + 1 : 0;
  return sent;
}

std::uint64_t Pusher::age_ns_for(const Worker& worker) const {
  return worker.sends_itself ? age_ns_ : age_left_alone_ns_;
}

// Of what has been closed we know what we have pushed; the worker sent the rest.
void Pusher::Worker::note_sent(const shm::Outbox& outbox) {
  std::uint32_t others = 0 - pushed;
  for (std::uint32_t i = 0; i < outbox.size(); ++i) others += outbox[i].look().closings();
  if (others != sent) sends_itself = true;
  sent = others;
}

void Pusher::Worker::note_pushed(std::uint32_t batches) {
  if (batches > 0) sends_itself = false;
  pushed += batches;
}

// Its worker may add to it meanwhile, or send it itself.
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

bool Pusher::is_over(Watched& watched) {
  if (watched.empty_looks < empty_looks_allowed) return false;
  shm::Outbox& outbox = outboxes_[watched.outbox];
  outbox.take_back();
  for (std::uint32_t i = 0; i < outbox.size(); ++i) {
    if (outbox[i].look().state() != OutboxWord::State::open) continue;
    // Opened before the announcement was taken back, so it may not be announced again.
    outbox.announce();
    watched.empty_looks = 0;
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
