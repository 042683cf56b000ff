// Sends what workers of the host have left in their outboxes, in their name.
//
// The worker says when it opened a batch. One that has been open for long enough is taken and sent, with
// those that will have been soon; the next look is when the oldest of the others has been, and as far away
// where none is open. Long enough is three tenths of the given delay for a worker that leaves its batches
// alone, so that who wakes up late still keeps the delay, and four fifths for one that sends them itself,
// which looks would only disturb. The worker reserved credit, running numbers and place in the order when it
// opened the batch: nothing is missing and no answer comes here. Looks only while something is announced, so
// an idle host costs one load a call. Owned by a progress rank or by the progress thread of a worker that
// serves itself, which holds the engine lock around advance().
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
  Pusher(transport::Transport& transport, shm::Os& os, std::vector<shm::Outbox> outboxes,
         std::uint64_t delay_ns, std::optional<shm::Doorbell> bell);

  // Whether advance() has something to do; needs no lock.
  bool is_due();
  unsigned advance();  // batches sent

  // While something is open: until the next look. forever_ns: only a ring brings work.
  std::uint64_t due_in() const;

  const PushCounters& counters() const { return counters_; }

 private:
  // Who sent the last of a worker's batches that has left: itself, or its pusher.
  struct Worker {
    bool is_watched = false;
    bool sends_itself = false;
    std::uint32_t sent = 0;    // by itself until the last look, modulo 2^32
    std::uint32_t pushed = 0;  // by us

    void note_sent(const shm::Outbox& outbox);
    void note_pushed(std::uint32_t batches);
  };
  // One that has announced something.
  struct Watched {
    std::uint32_t outbox = 0;
    std::uint32_t empty_looks = 0;
  };

  void find_announced();
  unsigned look_at(Watched& watched, std::uint64_t now_ns);
  bool take(shm::OutboxBuffer& buffer, shm::OutboxWord seen);
  bool is_over(Watched& watched);
  std::uint64_t age_ns_for(const Worker& worker) const;  // at which its batches are sent

  transport::Transport& transport_;
  shm::Os& os_;
  std::vector<shm::Outbox> outboxes_;
  const std::uint64_t age_left_alone_ns_;
  const std::uint64_t age_ns_;
  std::optional<shm::Doorbell> bell_;
  std::uint32_t rings_ = 0;
  bool has_looked_ = false;
  std::vector<Worker> workers_;
  std::vector<Watched> watched_;
  std::uint64_t next_look_ns_ = 0;
  PushCounters counters_;
};

}  // namespace comex::pr
