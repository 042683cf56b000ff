#include "api/launch.h"

#include <algorithm>
#include <cstdlib>

namespace comex::api {
namespace {

constexpr int lounge_tag = 0;
constexpr std::uint64_t parked_nap_ns = 5'000'000;

}  // namespace

std::vector<int> Launch::own_progress_ranks() const {
  const auto me = static_cast<std::size_t>(lounge_.rank());
  return split_->hosts[static_cast<std::size_t>(split_->ranks[me].host)].progress_ranks;
}

void Launch::wake_progress_ranks() {
  const auto me = static_cast<std::size_t>(lounge_.rank());
  const pr::Host& host = split_->hosts[static_cast<std::size_t>(split_->ranks[me].host)];
  const auto is_worker = [this](int rank) {
    return split_->ranks[static_cast<std::size_t>(rank)].role == pr::Role::worker;
  };
  if (*std::ranges::find_if(host.ranks, is_worker) != lounge_.rank()) return;
  const Word word = Word::wake;
  for (const int rank : host.progress_ranks) {
    PMPI_Send(&word, 1, MPI_BYTE, rank, lounge_tag, lounge_.get());
  }
}

void Launch::release_progress_ranks() {
  if (!split_) return;
  const Word word = Word::quit;
  for (const int rank : own_progress_ranks()) {
    PMPI_Send(&word, 1, MPI_BYTE, rank, lounge_tag, lounge_.get());
  }
}

Launch::Word Launch::park(const World& world, std::size_t quits_expected) {
  std::size_t quits = 0;
  while (quits < quits_expected) {
    int is_there = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, lounge_tag, lounge_.get(), &is_there, MPI_STATUS_IGNORE);
    if (is_there == 0) {
      world.os->sleep_ns(parked_nap_ns);
      continue;
    }
    Word word = Word::quit;
    PMPI_Recv(&word, 1, MPI_BYTE, MPI_ANY_SOURCE, lounge_tag, lounge_.get(), MPI_STATUS_IGNORE);
    if (word == Word::wake) return word;
    ++quits;
  }
  return Word::quit;
}

std::unique_ptr<World> Launch::over_all_ranks() {
  if (!lounge_) lounge_ = Communicator::duplicate(MPI_COMM_WORLD);
  if (split_) wake_progress_ranks();
  for (;;) {
    auto world = open_world(MPI_COMM_WORLD, *reporter_, split_ ? &*split_ : nullptr);
    split_ = world->split;
    if (world->is_worker()) return world;
    const std::size_t workers = world->host_workers().size();
    serve(*world, *reporter_);
    world->transport.reset();
    world->arena.reset();
    if (park(*world, workers) == Word::quit) {
      world.reset();
      PMPI_Finalize();
      std::exit(EXIT_SUCCESS);
    }
  }
}

std::unique_ptr<World> Launch::over(MPI_Comm comm) {
  auto world = open_world(comm, *reporter_, nullptr);
  if (world->is_worker()) return world;
  serve(*world, *reporter_);
  return nullptr;
}

}  // namespace comex::api
