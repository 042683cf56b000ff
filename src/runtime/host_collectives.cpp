#include "runtime/host_collectives.h"

#include <cstring>

#include "core/diagnose.h"
#include "core/status.h"
#include "runtime/opening/boards.h"

namespace comex::runtime {

HostCollectives::HostCollectives(World& world, op::Engine& engine, const groups::MemberFailures& everybody)
    : world_(world), engine_(engine), everybody_(everybody) {
  const auto board_at = [&](const pr::RankPlace& place) {
    return &board_of(world, static_cast<shm::HostSlot>(place.local_index));
  };
  for (const int rank : world.share.host_workers()) boards_.push_back(board_at(world.share.place_of(rank)));
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
  wait_on(boards_.front()->gather, "gather", [&](const BoardLayout& board) {
    return board.notices[turn].gathering.load(std::memory_order_relaxed) == gathering_;
  });
  for (std::size_t i = 0; i < boards_.size(); ++i) {
    std::memcpy(all.data() + i * bytes, boards_[i]->notices[turn].said, bytes);
  }
}

void HostCollectives::enter() {
  own_->entered.store(++meetings_, std::memory_order_relaxed);
  wait_on(boards_.front()->enter, "barrier", [this](const BoardLayout& board) {
    return board.entered.load(std::memory_order_relaxed) >= meetings_;
  });
}

void HostCollectives::leave() {
  own_->left.store(meetings_, std::memory_order_relaxed);
  wait_on(boards_.front()->leave, "barrier", [this](const BoardLayout& board) {
    return board.left.load(std::memory_order_relaxed) >= meetings_;
  });
}

// The lowest worker leaves when all hosts have met.
std::string HostCollectives::late(const shm::HostBarrierBlock& block, HasCome has_come) const {
  const std::vector<int> ranks = world_.share.host_workers();
  std::vector<int> workers;
  for (std::size_t i = 0; i < boards_.size(); ++i) {
    if (!has_come(*boards_[i])) workers.push_back(world_.share.place_of(ranks[i]).worker);
  }
  const bool are_elsewhere =
      &block == &boards_.front()->leave && workers.size() == 1 && !has_come(*boards_.front());
  return are_elsewhere ? "workers of other hosts" : listed("worker", workers);
}

void HostCollectives::wait_on(shm::HostBarrierBlock& block, const char* what, HasCome has_come) {
  constexpr unsigned pauses = 20;        // a microsecond, less than a yield that runs another process
  constexpr unsigned yields = 100;       // the others usually arrive soon
  constexpr unsigned yields_a_pump = 4;  // a poll of the engine costs more than a yield
  if (everybody_.any()) return;
  shm::HostBarrier meeting(*world_.os, block, static_cast<std::uint32_t>(boards_.size()));
  const shm::WaitPolicy& policy = world_.wait_policy;
  const auto late_here = [&] { return late(block, has_come); };
  const op::FunctionRef<std::string()> awaited(late_here);
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
