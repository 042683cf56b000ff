// How workers call progress ranks to a meeting.
//
//   worker that leads ──ask──► each progress rank of the members, one after the other ──granted──► worker
//                     ──order: the roster──► each of them, which enters MPI at once
//                     ──give back──► each of them; also of one that has not granted it yet
//
// Two rosters that share progress ranks must not wait for each other. So a progress rank takes part in one at
// a time and decides whose turn it is. All locks have one order, by world and by rank within it, and
// everybody takes them in this order, for any number of worlds. The messages are control messages of their
// own context, on the wire that the group's processes share; a lock ends with the wire over which it was
// requested. ProgressRankCalls is the progress rank's part; workers call the rest.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "op/control_messages.h"
#include "transport/transport.h"
#include "worlds/agreement/deadline.h"
#include "worlds/connect/dynamic.h"
#include "worlds/joined_worlds.h"

namespace comex::worlds {

inline constexpr std::uint64_t progress_call_context = 3;

class ProgressRankCalls {
 public:
  // Handles a control message from this wire.
  void on_message(transport::Transport& transport, MPI_Comm wire, const transport::Message& message);
  struct Order {
    MPI_Comm wire;
    Roster roster;
  };
  std::optional<Order> take_order();  // the oldest, if there is one

  // The wire is gone: drops the requests and orders that came over it.
  void forget(MPI_Comm wire);
  // These ranks of the wire have died, and others go on: drops their requests, and the lock if one has it.
  void forget_dead(MPI_Comm wire, std::vector<TransportRank> ranks);

 private:
  struct LockRequest {
    transport::Transport* transport;
    MPI_Comm wire;
    TransportRank rank;
    std::uint64_t number;
  };
  void grant_next();
  void drop_requests(const std::function<bool(const LockRequest&)>& is_over);
  bool is_dead(MPI_Comm wire, TransportRank rank) const;

  std::map<MPI_Comm, op::ControlMessages> arriving_;  // in pieces, by wire
  std::deque<Order> orders_;
  std::deque<LockRequest> lock_queue_;  // the first one has the lock
  MPI_Comm wire_of_dead_ = MPI_COMM_NULL;
  std::vector<TransportRank> dead_;
};

// The progress ranks on one wire that this worker has locked, until it releases them.
class MeetingLock {
 public:
  // has_lost: some of those who meet are lost, so that no lock is of use. Under the engine lock.
  MeetingLock(runtime::Runtime& runtime, op::ControlMessages& control, std::function<bool()> has_lost)
      : runtime_(runtime),
        control_(control),
        has_lost_(std::move(has_lost)),
        number_(++joined_worlds(runtime).meeting_locks) {}
  ~MeetingLock();
  MeetingLock(const MeetingLock&) = delete;
  MeetingLock& operator=(const MeetingLock&) = delete;

  // Waits for its turn at one of them. Fails when some of those who meet are lost, and at the deadline.
  Status take(TransportRank progress_rank, const Deadline& deadline);
  // The wire ends while they are locked, so nobody is left to release.
  void end_with_wire() { taken_.clear(); }

 private:
  runtime::Runtime& runtime_;
  op::ControlMessages& control_;
  std::function<bool()> has_lost_;
  const std::uint64_t number_;        // of its requests: threads of one worker may ask at a time
  std::vector<TransportRank> taken_;  // or asked for
};

void call_progress_ranks(runtime::Runtime& runtime, op::ControlMessages& control,
                         std::span<const TransportRank> progress_ranks, const Roster& roster);

}  // namespace comex::worlds
