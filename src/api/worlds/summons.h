// How workers call progress ranks to a meeting.
//
//   worker that locks ──ask──► the lowest progress rank of its world, the keeper ──granted──► worker
//   worker that leads ──order: the muster──► each progress rank of the assembly, which enters MPI at once
//   worker that locks ──give back──► keeper
//
// Two assemblies of one world that share progress ranks must not wait for each other, so one is under way at
// a time: the keeper says whose turn it is. Worlds that meet lock in one order. Messages are tokens of a
// context of their own, on the wire that the group's processes share. Summons is the progress rank's part;
// the rest is called by workers.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <utility>

#include "api/worlds/assembly.h"
#include "groups/worlds/rendezvous_watch.h"
#include "op/tokens.h"
#include "transport/transport.h"

namespace comex::api {

class Runtime;
class Services;

inline constexpr std::uint64_t summons_context = 3;

class Summons {
 public:
  // A token that came over this wire.
  void on_message(transport::Transport& transport, MPI_Comm wire, const transport::Message& message);
  // Between two rounds: does what the oldest order says. True when there was one.
  bool obey(Services& services);

  groups::LifeWatch& watch() { return watch_; }
  // On the watch's thread: the other side of the bridge with this wire is lost.
  void note_lost(MPI_Comm wire);
  // Those noted since the last call.
  std::vector<MPI_Comm> take_lost();

 private:
  struct Asker {
    transport::Transport* transport;
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
  groups::LifeWatch watch_;  // destroyed first: its thread notes what is lost
};

// The lock over the own world's meetings. Nothing to do in a world without progress ranks.
class MeetingLock {
 public:
  explicit MeetingLock(Runtime& runtime);
  ~MeetingLock();
  MeetingLock(const MeetingLock&) = delete;
  MeetingLock& operator=(const MeetingLock&) = delete;

 private:
  Runtime& runtime_;
  TransportRank keeper_;
};

void summon(Runtime& runtime, op::Tokens& tokens, std::span<const TransportRank> progress_ranks,
            const Muster& muster);

}  // namespace comex::api
