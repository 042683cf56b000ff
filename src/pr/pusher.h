// Sends what workers of the host have left in their outboxes, in their name.
//
// A batch that has been open for half of the given delay is taken and sent; looks are as far apart, so none
// stays longer than the delay. The worker says when it opened it, and reserved credit, running numbers and
// place in the order when it opened the batch: nothing is missing and no answer comes here. Looks only
// while something is announced, so an idle host costs one load a call. Owned by a progress rank or by the
// progress thread of a worker that serves itself, which holds the engine lock around advance().
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
  // A worker that has announced something.
  struct Watched {
    std::uint32_t outbox = 0;
    std::uint32_t empty_looks = 0;
  };

  void find_announced();
  unsigned look_at(Watched& watched, std::uint64_t now_ns);
  bool take(shm::OutboxBuffer& buffer, shm::OutboxWord seen);
  bool is_over(Watched& watched);

  transport::Transport& transport_;
  shm::Os& os_;
  std::vector<shm::Outbox> outboxes_;
  const std::uint64_t period_ns_;
  std::optional<shm::Doorbell> bell_;
  std::uint32_t rings_ = 0;
  bool has_looked_ = false;
  std::vector<bool> is_watched_;
  std::vector<Watched> watched_;
  std::uint64_t next_look_ns_ = 0;
  PushCounters counters_;
};

}  // namespace comex::pr
