// The Collective of one process, which exchanges nothing. For tests and for processes without MPI.
#pragma once

#include <algorithm>

#include "core/status.h"
#include "transport/collective.h"

namespace comex::transport {

class SoloCollective final : public Collective {
 public:
  TransportRank rank() const override { return 0; }
  TransportRank size() const override { return 1; }
  void barrier() override {}
  void broadcast(std::span<std::byte>, TransportRank root) override { COMEX_BUG_IF(root != 0); }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    COMEX_BUG_IF(all.size() != mine.size());
    std::copy(mine.begin(), mine.end(), all.begin());
  }
  void all_gather_parts(std::span<const std::byte> mine, std::span<std::byte> all,
                        std::span<const std::size_t> sizes) override {
    COMEX_BUG_IF(sizes.size() != 1 || sizes.front() != mine.size());
    all_gather(mine, all);
  }
  std::uint64_t all_min(std::uint64_t mine) override { return mine; }
  std::unique_ptr<Collective> among(int number) override {
    return number < 0 ? nullptr : std::make_unique<SoloCollective>();
  }
};

}  // namespace comex::transport
