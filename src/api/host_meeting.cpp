#include "api/host_meeting.h"

#include <algorithm>
#include <cstring>

#include "core/status.h"

namespace comex::api {

HostMeeting::HostMeeting(World& world, op::Engine& engine) : world_(world), engine_(engine) {
  std::vector<const pr::RankPlace*> here;
  for (const int rank : world.share.host_workers()) here.push_back(&world.share.place_of(rank));
  std::ranges::sort(here, {}, &pr::RankPlace::worker);
  const auto board_of = [&](const pr::RankPlace& place) {
    const auto slot = static_cast<shm::HostSlot>(place.local_index);
    return reinterpret_cast<BoardLayout*>(world.arena->board(slot).data());
  };
  for (const pr::RankPlace* worker : here) boards_.push_back(board_of(*worker));
  own_ = board_of(world.place);
}

// Two notices take turns: who shows one again has come to the next gathering, as has everybody, who has read
// the one before by then.
void HostMeeting::gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  const std::size_t bytes = mine.size();
  COMEX_BUG_IF(bytes > sizeof BoardLayout::Notice::said || all.size() != bytes * boards_.size());
  const std::size_t turn = ++gathering_ % 2;
  BoardLayout::Notice& own = own_->notices[turn];
  std::memcpy(own.said, mine.data(), bytes);
  own.gathering.store(gathering_, std::memory_order_relaxed);
  wait_on(boards_.front()->gather, "gather",
          [this](op::StallWatch& watch) { watch.set_target(first_missing()); });
  for (std::size_t i = 0; i < boards_.size(); ++i) {
    std::memcpy(all.data() + i * bytes, boards_[i]->notices[turn].said, bytes);
  }
}

Lpid HostMeeting::first_missing() const {
  const auto is_missing = [&](const BoardLayout* board) {
    return board->notices[gathering_ % 2].gathering.load(std::memory_order_relaxed) != gathering_;
  };
  const auto found = std::ranges::find_if(boards_, is_missing);
  if (found == boards_.end()) return no_lpid;
  const std::vector<int> workers = world_.share.host_workers();  // by rank they are in the same order
  const int rank = workers[static_cast<std::size_t>(found - boards_.begin())];
  return static_cast<Lpid>(world_.share.place_of(rank).worker);
}

void HostMeeting::wait_on(shm::HostBarrierBlock& block) {
  wait_on(block, "barrier", [](op::StallWatch&) {});
}

template <class Look>
void HostMeeting::wait_on(shm::HostBarrierBlock& block, const char* what, const Look& look) {
  constexpr unsigned pauses = 20;        // a microsecond, less than a yield that meets another process
  constexpr unsigned yields = 100;       // the others are mostly on their way
  constexpr unsigned yields_a_pump = 4;  // a pump costs more than a yield
  shm::HostBarrier meeting(*world_.os, block, static_cast<std::uint32_t>(boards_.size()));
  const shm::WaitPolicy& policy = world_.wait_policy;
  op::StallWatch watch = engine_.watch({what});
  const std::uint32_t token = meeting.arrive();
  for (unsigned i = 0; policy.workers_have_cores && i < pauses && !meeting.done(token); ++i) shm::cpu_relax();
  for (unsigned round = 1; !meeting.done(token); ++round) {
    const bool sleeps = policy.sleeps_after(round, yields);
    if (sleeps || !policy.yields_ever() || round % yields_a_pump == 0) engine_.poll();
    if (sleeps) {
      meeting.sleep(token, policy.nap_max_ns);
    } else if (policy.yields_ever()) {
      world_.os->yield();
    }
    watch.set_slow(sleeps);
    if (sleeps) look(watch);
    watch.look();
  }
}

}  // namespace comex::api
