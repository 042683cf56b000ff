#include "runtime/host_collectives.h"

#include <algorithm>
#include <cstring>

#include "core/diagnose.h"
#include "core/status.h"
#include "runtime/opening/boards.h"

namespace comex::runtime {

HostCollectives::HostCollectives(World& world, op::Engine& engine, const groups::MemberFailures& everybody)
    : world_(world), engine_(engine), everybody_(everybody) {
  std::vector<const pr::RankPlace*> here;
  for (const int rank : world.share.host_workers()) here.push_back(&world.share.place_of(rank));
  std::ranges::sort(here, {}, &pr::RankPlace::worker);
  const auto board_at = [&](const pr::RankPlace& place) {
    return &board_of(world, static_cast<shm::HostSlot>(place.local_index));
  };
  for (const pr::RankPlace* worker : here) boards_.push_back(board_at(*worker));
  own_ = board_at(world.place);
}

// Two notices alternate. A worker that writes a notice again has reached the next gathering, as have all
// others, and these have read the notice before.
void HostCollectives::gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  const std::size_t bytes = mine.size();
  COMEX_BUG_IF(bytes > most_bytes || all.size() != bytes * boards_.size());
  const std::size_t turn = ++gathering_ % 2;
  BoardLayout::Notice& own = own_->notices[turn];
  std::memcpy(own.said, mine.data(), bytes);
  own.gathering.store(gathering_, std::memory_order_relaxed);
  wait_on(boards_.front()->gather, "gather", [&] {
    return listed("worker", late([&](const BoardLayout& board) {
                    return board.notices[turn].gathering.load(std::memory_order_relaxed) == gathering_;
                  }));
  });
  for (std::size_t i = 0; i < boards_.size(); ++i) {
    std::memcpy(all.data() + i * bytes, boards_[i]->notices[turn].said, bytes);
  }
}

void HostCollectives::enter() {
  own_->entered.store(++meetings_, std::memory_order_relaxed);
  wait_on(boards_.front()->enter, "barrier", [this] {
    return listed("worker", late([this](const BoardLayout& board) {
                    return board.entered.load(std::memory_order_relaxed) >= meetings_;
                  }));
  });
}

void HostCollectives::leave() {
  own_->left.store(meetings_, std::memory_order_relaxed);
  wait_on(boards_.front()->leave, "barrier", [this] {
    const std::vector<int> missing = late(
        [this](const BoardLayout& board) { return board.left.load(std::memory_order_relaxed) >= meetings_; });
    const bool is_leader =
        missing.size() == 1 && boards_.front()->left.load(std::memory_order_relaxed) < meetings_;
    return is_leader ? std::string("workers of other hosts") : listed("worker", missing);
  });
}

template <class HasCome>
std::vector<int> HostCollectives::late(const HasCome& has_come) const {
  const std::vector<int> ranks = world_.share.host_workers();  // in the order of the workers
  std::vector<int> workers;
  for (std::size_t i = 0; i < boards_.size(); ++i) {
    if (!has_come(*boards_[i])) workers.push_back(static_cast<int>(world_.share.place_of(ranks[i]).worker));
  }
  return workers;
}

void HostCollectives::wait_on(shm::HostBarrierBlock& block, const char* what,
                              op::FunctionRef<std::string()> awaited) {
  constexpr unsigned pauses = 20;        // a microsecond, less than a yield that runs another process
  constexpr unsigned yields = 100;       // the others usually arrive soon
  constexpr unsigned yields_a_pump = 4;  // a poll of the engine costs more than a yield
  if (everybody_.any()) return;
  shm::HostBarrier meeting(*world_.os, block, static_cast<std::uint32_t>(boards_.size()));
  const shm::WaitPolicy& policy = world_.wait_policy;
  op::StallWatch watch = engine_.watch({.operation = what, .awaited = &awaited});
  const std::uint32_t token = meeting.arrive();
  for (unsigned i = 0; policy.workers_have_cores && i < pauses && !meeting.done(token); ++i) shm::cpu_relax();
  for (unsigned round = 1; !meeting.done(token) && !everybody_.any(); ++round) {
    const bool sleeps = policy.sleeps_after(round, yields);
    const bool polls = sleeps || !policy.yields_ever() || round % yields_a_pump == 0;
    if (polls && engine_.poll() != 0) {  // a worker that serves itself has requests, and more may come
      round = 0;
    } else if (sleeps) {
      meeting.sleep(token, policy.nap_max_ns);
    } else if (policy.yields_ever()) {
      world_.os->yield();
    }
    watch.set_slow(sleeps);
    watch.look();
  }
}

}  // namespace comex::runtime
