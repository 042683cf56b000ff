#include "api/server_options.h"

#include <string>

#include "shm/explain.h"

namespace comex::api {
namespace {

const char* verb_name(protocol::Verb verb) {
  switch (verb) {
    case protocol::Verb::put:
      return "put";
    case protocol::Verb::get:
      return "get";
    case protocol::Verb::acc:
      return "acc";
    case protocol::Verb::rmw:
      return "rmw";
    case protocol::Verb::store:
      return "put_signal";
    case protocol::Verb::lock:
      return "lock";
    case protocol::Verb::try_lock:
      return "trylock";
    case protocol::Verb::unlock:
      return "unlock";
    default:
      return "request";
  }
}

// As the program called it.
std::string call_name(const protocol::RequestHeader& header) {
  std::string name = (header.flags & protocol::non_blocking) != 0 ? "nb" : "";
  name += verb_name(header.verb);
  if (header.called == protocol::Layout::strided) name += "s";
  if (header.called == protocol::Layout::vector) name += "v";
  return name;
}

shm::Verdict verdict_of(protocol::Refusal refusal) {
  switch (refusal) {
    case protocol::Refusal::wrong_owner:
      return shm::Verdict::wrong_owner;
    case protocol::Refusal::past_end:
      return shm::Verdict::past_end;
    case protocol::Refusal::freed:
      return shm::Verdict::retired;
    default:
      return shm::Verdict::no_extent;
  }
}

std::string reason(World& world, const pr::RefusedRequest& refused) {
  const std::string mutex = "mutex " + std::to_string(refused.header.operand);
  switch (refused.fault.refusal) {
    case protocol::Refusal::misaligned:
      return "the word is not aligned to its " + std::to_string(refused.header.bytes) + " bytes";
    case protocol::Refusal::not_the_holder:
      return mutex + " is not held by worker " + std::to_string(refused.header.origin);
    case protocol::Refusal::no_such_mutex:
      return mutex + " does not exist there";
    case protocol::Refusal::unknown_world:
      return "its world " + std::to_string(refused.header.world) + " is not served here";
    case protocol::Refusal::malformed:
    case protocol::Refusal::none:
      return "the message is malformed: do all ranks run the same library?";
    default:
      break;
  }
  const groups::ProcessGroup& group = *world.group;
  const Worker target = refused.header.target;
  if (target >= group.size()) return "there is no such worker";
  return shm::explain(world.arena->extents(), verdict_of(refused.fault.refusal), target, refused.fault.offset,
                      refused.fault.bytes, group.place(target).base, shm::Patience::never_waits);
}

// On behalf of the origin, whose line it is.
void say(World& world, const protocol::RequestHeader& header, std::uint64_t offset, const std::string& text) {
  const groups::ProcessGroup& group = *world.group;
  Identity origin{.rank = static_cast<int>(header.origin), .host = {}};
  if (header.origin < group.size()) origin.host = group.host_name(group.place(header.origin).host);
  const void* address = nullptr;
  if (header.target < group.size()) {
    address = reinterpret_cast<const void*>(group.place(header.target).base + offset);
  }
  const std::string call = call_name(header);
  Reporter::print(origin, {call.c_str(), static_cast<int>(header.target), address}, text);
}

}  // namespace

std::unique_ptr<pr::Server> make_server(World& world, const Reporter& reporter) {
  pr::ServerOptions options;
  options.world = world.id;
  options.chunk_bytes = static_cast<std::uint32_t>(world.settings.effective_chunk_bytes());
  options.pool_bytes = static_cast<std::uint64_t>(world.settings.server_buffer);
  options.slot_of = [&world](Worker worker) {
    const groups::ProcessGroup& group = *world.group;
    if (worker >= group.size()) return pr::no_host_slot;
    const groups::WorkerPlace& place = group.place(worker);
    return static_cast<int>(place.host) == world.place.host ? place.slot : pr::no_host_slot;
  };
  options.report = [&world](const pr::RefusedRequest& refused) {
    say(world, refused.header, refused.fault.offset, reason(world, refused));
    if ((refused.header.flags & protocol::errors_return) == 0) Reporter::end_job(failure_exit_code);
  };
  options.recovered = [&reporter](const protocol::RequestHeader& header) {
    reporter.notice("a lock of a dead process on memory of worker " + std::to_string(header.target) +
                    " was taken over; what it guarded may be half updated");
  };
  return std::make_unique<pr::Server>(*world.transport, *world.arena, std::move(options));
}

}  // namespace comex::api
