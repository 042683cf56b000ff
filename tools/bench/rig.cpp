#include "rig.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

namespace comex::bench {

Rig::Rig(const Options& options) : options_(options) {
  comex_group_rank(COMEX_GROUP_WORLD, &me_);
  comex_group_size(COMEX_GROUP_WORLD, &size_);
  comex_group_comm(COMEX_GROUP_WORLD, &comm_);
  const auto workers = static_cast<std::size_t>(size_);
  for (int i = 0; i < options.allocations; ++i) {
    std::vector<void*>& pointers = allocations_.emplace_back(workers);
    comex_malloc(pointers.data(), allocation_bytes, COMEX_GROUP_WORLD);
    std::memset(pointers[static_cast<std::size_t>(me_)], 0, allocation_bytes);
  }
  blocks_.resize(workers);
  comex_malloc(blocks_.data(), std::size_t{block_bytes} * block_count, COMEX_GROUP_WORLD);
  std::memset(blocks_[static_cast<std::size_t>(me_)], 0, std::size_t{block_bytes} * block_count);
  comex_create_mutexes(1);

  int first_host = 0;
  comex_host_of(0, COMEX_GROUP_WORLD, &first_host);
  std::vector<int> neighbours;
  for (int proc = 0; proc < size_; ++proc) {
    int host = 0;
    comex_host_of(proc, COMEX_GROUP_WORLD, &host);
    if (host == first_host) {
      neighbours.push_back(proc);
    } else if (partner_ < 0) {
      partner_ = proc;
    }
  }
  std::mt19937_64 random(options.seed);
  near_ = draw(random, neighbours, options.spots);
  if (partner_ >= 0) far_ = draw(random, {partner_}, options.spots);
  comex_barrier(COMEX_GROUP_WORLD);
}

Rig::~Rig() {
  comex_destroy_mutexes();
  const auto mine = static_cast<std::size_t>(me_);
  comex_free(blocks_[mine], COMEX_GROUP_WORLD);
  for (const std::vector<void*>& pointers : allocations_) comex_free(pointers[mine], COMEX_GROUP_WORLD);
}

std::vector<Spot> Rig::draw(std::mt19937_64& random, const std::vector<int>& procs, int count) const {
  constexpr std::uint64_t words = allocation_bytes / sizeof(long);
  const std::uint64_t all = procs.size() * allocations_.size() * words;
  const auto wanted = std::bit_floor(std::min<std::uint64_t>(static_cast<std::uint64_t>(count), all / 2));
  std::set<std::uint64_t> drawn;
  std::vector<Spot> spots;
  while (spots.size() < wanted) {
    const std::uint64_t word = random() % all;
    if (!drawn.insert(word).second) continue;
    const int proc = procs[word % procs.size()];
    const std::uint64_t rest = word / procs.size();
    void* const base = allocations_[rest / words][static_cast<std::size_t>(proc)];
    spots.push_back({proc, static_cast<std::byte*>(base) + rest % words * sizeof(long)});
  }
  return spots;
}

std::byte* Rig::block_of(int proc) const {
  return static_cast<std::byte*>(blocks_[static_cast<std::size_t>(proc)]);
}

int Rig::operations(int usual) const {
  return std::max(1, usual * options_.scale / 100);
}

}  // namespace comex::bench
