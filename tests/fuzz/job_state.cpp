// What the watch makes of bytes: of the state of a job that another progress rank sent, and of an arena of a
// job that has gone wrong.
#include "fuzz/fuzz.h"
#include "watch/read_host.h"
#include "watch/why.h"

namespace comex::fuzz {
namespace {

void explain(const watch::JobState& before, const watch::JobState& now) {
  for (const watch::RankState& rank : now.ranks) demand(!watch::doing(rank).empty(), "a rank does something");
  demand(!watch::explain(nullptr, now).verdict.empty(), "there is a verdict");
  demand(!watch::explain(&before, now).verdict.empty(), "there is a verdict");
}

void read_job_state(Input& input) {
  const std::vector<std::byte> bytes = input.rest();
  const std::optional<watch::JobState> job_state = watch::unpack(bytes);
  if (!job_state) return;
  demand(watch::pack(*job_state).size() == bytes.size(), "a job_state has all of its bytes");
  watch::JobState twice = *job_state;
  twice.add(*job_state);
  explain(*job_state, twice);
}

// The bytes of an arena are those of the input, over and over.
void read_arena(Input& input) {
  shm::Geometry geometry{};
  geometry.slots = 1 + input.below(3);
  geometry.slots_offset = 4096;
  geometry.boards_offset = 8192;
  geometry.board_bytes = 4096;
  geometry.activity_offset = 64 * input.below(4);
  const std::vector<std::byte> bytes = input.rest();
  if (bytes.empty()) return;
  std::vector<std::byte> arena(64 * 1024);
  for (std::size_t at = 0; at < arena.size(); at += bytes.size())
    std::memcpy(arena.data() + at, bytes.data(), std::min(bytes.size(), arena.size() - at));
  const watch::ReadArena read = [&](std::uint64_t offset, std::span<std::byte> into) {
    if (offset > arena.size() || into.size() > arena.size() - offset) return false;
    std::memcpy(into.data(), arena.data() + offset, into.size());
    return true;
  };
  // Else a block is nobody's.
  const watch::ReadArena read_in_use = [&](std::uint64_t offset, std::span<std::byte> into) {
    if (!read(offset, into)) return false;
    if (into.size() == sizeof(activity::Block)) {
      const std::uint64_t version = activity::layout_version;
      std::memcpy(into.data() + offsetof(activity::Owner, version), &version, sizeof version);
    }
    return true;
  };
  const watch::JobState job_state = watch::read_host(read_in_use, geometry, 1'000'000'000'000);
  explain(job_state, job_state);
}

}  // namespace
}  // namespace comex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace comex;
  fuzz::Input input({data, size});
  const bool is_job_state = input.below(64) != 0;
  fuzz::run([&] { is_job_state ? fuzz::read_job_state(input) : fuzz::read_arena(input); });
  return 0;
}
