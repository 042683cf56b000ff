#include "ask.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <vector>

#include "file.h"
#include "shm/os.h"
#include "watch/read_host.h"

namespace comex::top {
namespace {

constexpr auto answer_limit = std::chrono::seconds(5);  // longer than the progress rank waits for other hosts

std::optional<watch::JobState> read_job_state(const Host& host, const Rank& server,
                                              const activity::Question& question) {
  const File file(fmt::format("/proc/{}/fd/{}", server.pid, question.descriptor.get()));
  const bool is_its_owners = file && file.identity().owner == host.identity.owner;
  if (!is_its_owners || file.bytes() < shm::object_prefix_bytes) return std::nullopt;
  if (question.bytes.get() > file.bytes() - shm::object_prefix_bytes) return std::nullopt;
  std::vector<std::byte> bytes(question.bytes.get());
  if (!file.read(shm::object_prefix_bytes, bytes.data(), bytes.size())) return std::nullopt;
  return watch::unpack(bytes);
}

std::optional<watch::JobState> ask(const Host& host, const Rank& server) {
  const File arena(host.arena, O_RDWR);
  if (!arena || arena.identity() != host.identity) return std::nullopt;  // another file has its place
  const std::uint64_t place = watch::block_offset(host.geometry, static_cast<std::uint64_t>(server.slot)) +
                              offsetof(activity::Block, question);
  activity::Question question;
  if (!arena.read(place, static_cast<void*>(&question), sizeof question)) return std::nullopt;
  const std::uint64_t number = question.asked.get() + 1;
  if (!arena.write(place + offsetof(activity::Question, asked), &number, sizeof number)) return std::nullopt;
  const auto limit = std::chrono::steady_clock::now() + answer_limit;
  while (std::chrono::steady_clock::now() < limit) {
    if (!arena.read(place, static_cast<void*>(&question), sizeof question)) return std::nullopt;
    if (question.answered.acquire() >= number) return read_job_state(host, server, question);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return std::nullopt;
}

}  // namespace

std::optional<watch::JobState> ask_whole_job(const Job& job) {
  for (const Host& host : job.hosts) {
    for (const Rank& rank : host.ranks) {
      if (rank.worker >= 0 || watch::is_stopped(rank) || watch::is_gone(rank)) continue;
      if (auto job_state = ask(host, rank)) return job_state;
    }
  }
  return std::nullopt;
}

}  // namespace comex::top
