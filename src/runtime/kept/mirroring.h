// Sends what was written to kept memory to its mirrors on other hosts, as an origin of their servers.
//
// A round takes the marked blocks of the parts that this progress rank serves, puts their bytes into the
// mirrors and fences there; then whoever waits for the round goes on. advance() never waits and does little
// at a time, since the servers of other hosts may wait for this one's service. A mirror that is lost or
// refused does not hold a round up. Owned by ProgressLoop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "nb/completion.h"
#include "op/remote/remote.h"
#include "pr/mirror_rounds.h"
#include "shm/arena.h"
#include "transport/transport.h"

namespace comex::runtime {

struct World;

struct MirroringSite {
  transport::Transport& transport;
  shm::Arena& arena;
  op::RemoteOptions remote;
  std::function<bool(Worker owner)> serves;  // whether this progress rank sends to the mirrors of its parts
  std::function<op::RemoteTarget(Worker)> target_of;
};
MirroringSite mirroring_site(World& world);

class Mirroring {
 public:
  explicit Mirroring(MirroringSite site) : site_(std::move(site)) {}
  Mirroring(const Mirroring&) = delete;
  Mirroring& operator=(const Mirroring&) = delete;

  pr::MirrorRounds& rounds() { return rounds_; }
  unsigned advance();  // returns how much it moved
  void on_reply(const transport::Message& message);
  // The server is lost. True once if it has had mirrors of parts here, as far as that can be known at once.
  bool lose(TransportRank server);

 private:
  bool look_for_parts();  // false: a worker allocates at present
  bool send_marked();     // false: there are no more
  void send(const shm::MirroredPart& part, const shm::MirroredPart::Blocks& blocks);
  op::Remote& remote();

  MirroringSite site_;
  pr::MirrorRounds rounds_;
  std::unique_ptr<op::Remote> remote_;  // made for the first blocks
  nb::Completion completion_;
  bool must_look_ = false;            // at what parts there are, for this round
  bool has_sent_ = false;             // all of the round
  std::vector<std::uint64_t> parts_;  // offsets of those that this rank serves
  std::uint32_t seen_changes_ = 0;
  std::size_t part_ = 0;     // where the round is
  bool is_in_part_ = false;  // its marks are being taken
  std::uint64_t block_ = 0;
};

}  // namespace comex::runtime
