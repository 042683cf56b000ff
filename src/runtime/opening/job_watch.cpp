#include "runtime/opening/job_watch.h"

#include <algorithm>
#include <cstring>

#include "runtime/opening/boards.h"
#include "watch/read_host.h"
#include "watch/why.h"

namespace comex::runtime {
namespace {

using op::watch_context;
constexpr std::uint64_t answer_limit_ns = 2'000'000'000;
constexpr std::uint64_t between_looks_ns = 1'000'000'000;

// The first look of the lowest host reaches the others before theirs begin.
std::uint64_t first_look_in_ns(const World& world) {
  constexpr std::uint64_t a_host = 20'000'000;
  constexpr std::uint64_t most = 1'000'000'000;
  return std::min(static_cast<std::uint64_t>(world.place.host) * a_host, most);
}

}  // namespace

std::vector<watch::HostServer> servers_elsewhere(const World& world) {
  const groups::Directory& group = *world.group;
  std::vector<watch::HostServer> found;
  std::vector<bool> is_known(group.host_count());
  is_known[static_cast<std::size_t>(world.place.host)] = true;
  for (Worker worker = 0; worker < group.size(); ++worker) {
    const groups::WorkerPlace& place = group.place(worker);
    if (is_known[place.host] || place.server == place.rank) continue;
    is_known[place.host] = true;
    found.push_back({static_cast<std::int32_t>(place.host), place.server});
  }
  std::ranges::sort(found, {}, &watch::HostServer::host);  // each watches the next one
  return found;
}

watch::JobState read_own_host(World& world) {
  const shm::Arena& arena = *world.arena;
  const watch::ReadArena read = [&arena](std::uint64_t offset, std::span<std::byte> into) {
    if (offset > arena.reservation_bytes() || into.size() > arena.reservation_bytes() - offset) return false;
    std::memcpy(into.data(), arena.at(offset), into.size());
    return true;
  };
  return watch::read_host(read, arena.geometry(), world.os->now_ns());
}

bool has_said_why(World& world) {
  return activity_of(world, 0).question.told_ns.get() != 0;
}

bool say_why(World& world, const Reporter& reporter, const std::string& verdict) {
  activity::Word& told_ns = activity_of(world, 0).question.told_ns;
  if (!told_ns.replace(0, world.os->now_ns())) return false;
  reporter.notice("why nothing goes on: " + verdict);
  return true;
}

JobWatch::JobWatch(World& world, const Reporter& reporter)
    : world_(world), reporter_(reporter), control_(*world.transport), others_(servers_elsewhere(world)) {}

void JobWatch::send(TransportRank to, Phase phase, std::span<const std::byte> bytes) {
  control_.send(to, watch_context, 0, static_cast<std::uint32_t>(phase), bytes);
}

void JobWatch::on_message(const transport::Message& message, std::uint32_t phase) {
  control_.on_message(message);
  if (phase == static_cast<std::uint32_t>(Phase::seen)) return;
  LookRequest request;
  if (!control_.take(message.from, watch_context, 0, phase, std::as_writable_bytes(std::span(&request, 1))))
    return;
  if (phase == static_cast<std::uint32_t>(Phase::look)) return answer(message.from, request);
  activity_of(world_, 0).question.told_ns.set(world_.os->now_ns());
  give_up_stall();
}

void JobWatch::answer(TransportRank from, const LookRequest& request) {
  if (request.purpose == Purpose::stall && from < world_.transport->rank()) give_up_stall();
  const auto number = std::as_bytes(std::span(&request.number, 1));
  std::vector<std::byte> bytes(number.begin(), number.end());
  const std::vector<std::byte> job_state = watch::pack(read_own_host(world_));
  bytes.insert(bytes.end(), job_state.begin(), job_state.end());
  send(from, Phase::seen, bytes);
}

void JobWatch::advance() {
  if (!look_) {
    if (stall_at_ns_ == 0 && question().stalled.get() != 0)
      stall_at_ns_ = world_.os->now_ns() + first_look_in_ns(world_);
    if (stall_at_ns_ != 0 && world_.os->now_ns() >= stall_at_ns_) {
      begin(Purpose::stall);
    } else if (question().asked.acquire() != question().answered.get()) {
      begin(Purpose::outside);
    }
    return;
  }
  take_answers();
  if (!look_->awaited.empty() && world_.os->now_ns() - look_->began_ns < answer_limit_ns) return;
  look_->job_state.silent = std::move(look_->awaited);
  const Look done = std::move(*look_);
  look_.reset();
  if (done.request.purpose == Purpose::stall) {
    end_stall_look(done.job_state);
  } else {
    write_job_state(done.job_state);
  }
}

void JobWatch::begin(Purpose purpose) {
  look_.emplace(Look{{++looks_, purpose}, world_.os->now_ns(), others_, read_own_host(world_)});
  for (const watch::HostServer& other : others_)
    send(other.server, Phase::look, std::as_bytes(std::span(&look_->request, 1)));
}

void JobWatch::take_answers() {
  std::erase_if(look_->awaited, [&](const watch::HostServer& other) {
    const auto bytes = control_.take(other.server, watch_context, 0, static_cast<std::uint32_t>(Phase::seen));
    std::uint64_t number = 0;
    if (!bytes || bytes->size() < sizeof number) return false;
    std::memcpy(&number, bytes->data(), sizeof number);
    const auto job_state = watch::unpack(std::span(*bytes).subspan(sizeof number));
    if (number != look_->request.number || !job_state) return false;  // it answers an earlier one
    look_->job_state.add(*job_state);
    return true;
  });
}

void JobWatch::end_stall_look(watch::JobState seen) {
  if (!before_) {
    before_ = std::move(seen);
    stall_at_ns_ = world_.os->now_ns() + between_looks_ns;
    return;
  }
  const watch::Why why = watch::explain(&*before_, seen);
  give_up_stall();
  if (!why.is_hang || !say_why(world_, reporter_, why.verdict)) return;
  const LookRequest told{looks_, Purpose::stall};
  for (const watch::HostServer& other : others_)
    send(other.server, Phase::told, std::as_bytes(std::span(&told, 1)));
}

void JobWatch::give_up_stall() {
  before_.reset();
  stall_at_ns_ = 0;
  question().stalled.set(0);
  if (look_ && look_->request.purpose == Purpose::stall) look_.reset();
}

// If memory is short, an empty state is left, and comex_top shows this host only.
void JobWatch::write_job_state(const watch::JobState& job_state) {
  const std::uint64_t number = question().asked.acquire();
  const std::vector<std::byte> bytes = watch::pack(job_state);
  question().bytes.set(write_object(bytes) ? bytes.size() : 0);
  question().answered.release(number);
}

bool JobWatch::write_object(std::span<const std::byte> bytes) {
  shm::Os& os = *world_.os;
  if (!object_) {
    auto made = os.create_object(shm::Backing::memfd);
    if (!made) return false;
    object_ = std::move(made).value();
    question().descriptor.set(static_cast<std::uint64_t>(object_.descriptor()));
  }
  const std::uint64_t whole = shm::round_up(shm::object_prefix_bytes + bytes.size(), shm::page_bytes);
  if (!os.extend(object_, 0, whole)) return false;
  const Result<std::byte*> mapped = os.map(object_, {.bytes = whole});
  if (!mapped) return false;
  std::memcpy(mapped.value() + shm::object_prefix_bytes, bytes.data(), bytes.size());
  os.unmap(mapped.value(), whole);
  return true;
}

}  // namespace comex::runtime
