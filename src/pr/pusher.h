// Sends the batches that workers of this host have left open in their outboxes, in the name of the workers.
//
// A batch is pushed at a certain age by the clock of its worker. If the last batch of a worker was pushed,
// the age is three tenths of the given delay: such a worker seems to make no calls, and a progress rank that
// naps wakes up late. If the worker has sent a batch since, the age is four fifths: it sends most by itself,
// and each look takes a core from a process. One fifth of the delay then remains for waking up. A worker with
// no open batch is looked at in intervals of that age. The worker reserved credit, numbers and place in the
// order when it opened the batch, and answers go to it. Only announced outboxes are looked at, so an idle
// host costs one load a call. A progress rank owns the pusher, or the progress thread of a worker that serves
// itself, which holds the engine lock around advance().
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pr/service_report.h"
#include "shm/doorbell.h"
#include "shm/os.h"
#include "shm/outbox.h"
#include "transport/transport.h"

namespace comex::pr {

class Pusher {
 public:
  // The outboxes ring `bell`.
  Pusher(transport::Transport& transport, shm::Os& os, const std::vector<shm::Outbox>& outboxes,
         std::uint64_t delay_ns, std::optional<shm::Doorbell> bell);

  // Whether advance() has something to do; needs no lock.
  bool is_due();
  unsigned advance();  // batches sent

  // Returns the time until the next look; forever_ns means that only a ring brings work.
  std::uint64_t due_in() const;

  const PushCounters& counters() const { return counters_; }

 private:
  struct PushedWorker {
    shm::Outbox outbox;
    std::uint64_t look_ns = 0;  // time of the next look, while it is watched
    std::uint32_t empty_looks = 0;
    std::uint32_t sent = 0;    // batches by itself until the last look, modulo 2^32
    std::uint32_t pushed = 0;  // by this pusher
    bool is_watched = false;
    bool sends_itself = false;  // it has sent a batch since the last push

    void note_sent();
  };

  void find_announced();
  unsigned look_at(PushedWorker& worker, std::uint64_t now_ns);
  bool take(shm::OutboxBuffer& buffer, shm::OutboxWord seen);
  bool is_over(PushedWorker& worker);
  bool is_old(std::uint64_t begun_ns, std::uint64_t now_ns, std::uint64_t age_ns) const;
  std::uint64_t age_ns_for(const PushedWorker& worker) const;  // at which its batches are due

  transport::Transport& transport_;
  shm::Os& os_;
  const std::uint64_t age_left_alone_ns_;
  const std::uint64_t age_ns_;
  const std::uint64_t soon_ns_;  // batches due within it are sent early: one look less
  std::optional<shm::Doorbell> bell_;
  std::uint32_t rings_ = 0;
  bool has_looked_ = false;
  std::vector<PushedWorker> workers_;
  std::vector<std::uint32_t> watched_;  // of workers_
  std::uint64_t next_look_ns_ = 0;
  PushCounters counters_;
};

}  // namespace comex::pr
