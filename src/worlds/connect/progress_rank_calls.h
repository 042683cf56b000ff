// How workers call progress ranks to a meeting.
//
//   worker that leads ──ask──► each progress rank of the members, one after the other ──granted──► worker
//                     ──order: the roster──► each of them, which enters MPI at once
//                     ──give back──► each of them
//
// Two rosters that share progress ranks must not wait for each other, so a progress rank is part of one at
// a time: it says whose turn it is. All locks there are have one order, that of worlds and of ranks in them,
// and everybody takes them in it, however many worlds take part. Messages are control messages of a context
// of their own, on the wire that the group's processes share; a lock goes with the wire it was asked for
// over. ProgressRankCalls is the progress rank's part; the rest is called by workers.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "op/control_messages.h"
#include "transport/transport.h"
#include "worlds/connect/intercommunicator.h"
#include "worlds/connect/ports/rendezvous_watch.h"

namespace comex::runtime {
class Runtime;
}

namespace comex::worlds {

class BridgeServices;

inline constexpr std::uint64_t progress_call_context = 3;

class ProgressRankCalls {
 public:
  // A control message that came over this wire.
  void on_message(transport::Transport& transport, MPI_Comm wire, const transport::Message& message);
  // Between two rounds: does what the oldest order says. True when there was one.
  bool obey(BridgeServices& services);

  LifeWatch& watch() { return watch_; }
  // The wire is gone, and with it what was asked and ordered over it.
  void forget(MPI_Comm wire);
  // On the watch's thread: the other side of the bridge with this wire is lost.
  void note_lost(MPI_Comm wire);
  // Those noted since the last call.
  std::vector<MPI_Comm> take_lost();

 private:
  struct Asker {
    transport::Transport* transport;
    MPI_Comm wire;
    TransportRank rank;
    std::uint64_t number;
  };
  struct Order {
    MPI_Comm wire;
    Bytes bytes;
  };
  void grant_next();

  std::map<std::pair<MPI_Comm, TransportRank>, Bytes> arriving_;
  std::deque<Order> orders_;
  std::deque<Asker> line_;  // the front has the lock
  std::mutex lost_mutex_;
  std::vector<MPI_Comm> lost_;
  LifeWatch watch_;  // destroyed first: its thread notes what is lost
};

// Progress ranks on one wire that are this worker's until it gives them back.
class MeetingLock {
 public:
  MeetingLock(runtime::Runtime& runtime, op::ControlMessages& control)
      : runtime_(runtime), control_(control) {}
  ~MeetingLock();
  MeetingLock(const MeetingLock&) = delete;
  MeetingLock& operator=(const MeetingLock&) = delete;

  // Waits for its turn at one of them. False when others on the wire are lost.
  bool take(TransportRank progress_rank);
  // The wire ends while they are taken: nobody is left to give them back to.
  void end_with_wire() { taken_.clear(); }

 private:
  runtime::Runtime& runtime_;
  op::ControlMessages& control_;
  std::vector<TransportRank> taken_;
};

void call_progress_ranks(runtime::Runtime& runtime, op::ControlMessages& control,
                         std::span<const TransportRank> progress_ranks, const Roster& roster);

}  // namespace comex::worlds
