// Sends what workers of the host have left in their outboxes, in their name.
//
// A batch is due at a certain age, by the clock of its worker, and then the worker is looked at; one that has
// none open, at such intervals. The age is three tenths of the given delay if the worker's last batch was
// pushed: it seems to leave its batches alone, and a progress rank that naps wakes up late. It is four fifths
// if the worker has sent one itself since, or keeps full ones for company: most go without us, and a look
// takes a core from somebody. What such a worker leaves after all has one fifth of the delay for waking up
// in. The worker reserved credit, running numbers and place in the order when it opened the batch: nothing is
// missing and no answer comes here. Looks only while something is announced, so an idle host costs one load a
// call. Owned by a progress rank or by the progress thread of a worker that serves itself, which holds the
// engine lock around advance().
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pr/server_counters.h"
#include "shm/doorbell.h"
#include "shm/os.h"
#include "shm/outbox.h"
#include "transport/transport.h"

namespace comex::pr {

class Pusher {
 public:
  // `bell` is what the outboxes ring.
  Pusher(transport::Transport& transport, shm::Os& os, const std::vector<shm::Outbox>& outboxes,
         std::uint64_t delay_ns, std::optional<shm::Doorbell> bell);

  // Whether advance() has something to do; needs no lock.
  bool is_due();
  unsigned advance();  // batches sent

  // While something is open: until the next look. forever_ns: only a ring brings work.
  std::uint64_t due_in() const;

  const PushCounters& counters() const { return counters_; }

 private:
  struct Worker {
    shm::Outbox outbox;
    std::uint64_t look_ns = 0;  // when next, while it is watched: it has announced something
    std::uint32_t empty_looks = 0;
    std::uint32_t sent = 0;    // batches by itself until the last look, modulo 2^32
    std::uint32_t pushed = 0;  // by us
    bool is_watched = false;
    bool sends_itself = false;  // one at least since we last pushed

    void note_sent();
    void note_pushed(std::uint32_t batches);
  };

  void find_announced();
  unsigned look_at(Worker& worker, std::uint64_t now_ns);
  bool take(shm::OutboxBuffer& buffer, shm::OutboxWord seen);
  bool is_over(Worker& worker);
  bool is_old(std::uint64_t begun_ns, std::uint64_t now_ns, std::uint64_t age_ns) const;
  std::uint64_t age_ns_for(const Worker& worker) const;  // at which its batches are due

  transport::Transport& transport_;
  shm::Os& os_;
  const std::uint64_t age_left_alone_ns_;
  const std::uint64_t age_ns_;
  const std::uint64_t soon_ns_;  // what is due within it goes with what is due: one look less
  std::optional<shm::Doorbell> bell_;
  std::uint32_t rings_ = 0;
  bool has_looked_ = false;
  std::vector<Worker> workers_;
  std::vector<std::uint32_t> watched_;  // of workers_
  std::uint64_t next_look_ns_ = 0;
  PushCounters counters_;
};

}  // namespace comex::pr
