#include "runtime/opening/server_options.h"

#include <string>

#include "core/verb_name.h"

namespace comex::runtime {
std::string call_name(const protocol::RequestHeader& header) {
  if ((header.flags & protocol::with_signal) != 0) return protocol::verb_name(protocol::Verb::store);
  std::string name = (header.flags & protocol::non_blocking) != 0 ? "nb" : "";
  name += protocol::verb_name(header.verb);
  if (header.called == protocol::Layout::strided) name += "s";
  if (header.called == protocol::Layout::vector) name += "v";
  return name;
}

Target target_of(const protocol::RequestHeader& header, std::optional<WorldId> own) {
  return {header.named, Gpid{header.world, header.target}, own};
}

int endpoint_of(const protocol::RequestHeader& header) {
  return header.by ? static_cast<int>(header.by.rank) : -1;
}

std::string recovery_text(const protocol::RequestHeader& header, const std::optional<Worker>& dead) {
  const bool is_mutex = header.verb == protocol::Verb::lock || header.verb == protocol::Verb::try_lock;
  return is_mutex ? mutex_recovered_text(header.mutex(), dead) : memory_recovered_text();
}

std::string no_such_mutex_text(std::uint64_t mutex, Worker owner, std::uint64_t count) {
  return "mutex " + std::to_string(static_cast<std::int64_t>(mutex)) + " is out of range: worker " +
         std::to_string(owner) + " has " + std::to_string(count);
}

std::string refusal_text(const pr::RefusedRequest& refused, shm::Arena* arena, std::uint64_t base) {
  const std::string mutex = "mutex " + std::to_string(refused.header.mutex());
  switch (refused.fault.refusal) {
    case protocol::Refusal::misaligned:
      return "the word is not aligned to its " + std::to_string(refused.fault.bytes) + " bytes";
    case protocol::Refusal::not_the_holder:
      return mutex + " is not held by " +
             (refused.header.by ? "endpoint " + std::to_string(refused.header.by.rank) + " of worker "
                                : "worker ") +
             std::to_string(refused.header.origin);
    case protocol::Refusal::no_such_mutex:
      return no_such_mutex_text(refused.header.mutex(), refused.header.target, refused.fault.bytes);
    case protocol::Refusal::unknown_world:
      return "its world " + std::to_string(refused.header.world) + " is not served here";
    case protocol::Refusal::malformed:
    case protocol::Refusal::none:
      return "the message is malformed: do all ranks run the same library?";
    default:
      break;
  }
  if (arena == nullptr) return "there is no such worker";
  const shm::BoundsCheck fault{pr::verdict_of(refused.fault.refusal), refused.header.target,
                               refused.fault.offset, refused.fault.bytes};
  return arena->extents().text_of(fault, base, shm::LockWait::never_waits);
}

namespace {

Identity origin_of(const World& world, const protocol::RequestHeader& header) {
  const groups::Directory& group = *world.group;
  Identity origin{.rank = static_cast<int>(header.origin), .host = {}, .endpoint = endpoint_of(header)};
  if (header.origin < group.size()) origin.host = group.host_name(group.place(header.origin).host);
  return origin;
}

void say_lasting(const World& world, const protocol::RequestHeader& lock, const std::optional<Worker>& holder,
                 std::uint64_t waited_ns) {
  Reporter::print(origin_of(world, lock), {"lock", target_of(lock, world.id), nullptr},
                  "has been waiting for " + std::to_string(waited_ns / 1'000'000'000) + " s for " +
                      mutex_held_text(lock.mutex(), holder));
}

// Prints the line in the origin's name, because it is about the origin's operation.
void say(World& world, const pr::RefusedRequest& refused) {
  const protocol::RequestHeader& header = refused.header;
  const groups::Directory& group = *world.group;
  const bool is_known = header.target < group.size();
  const bool is_somewhere = is_known && refused.fault.refusal != protocol::Refusal::no_such_mutex;
  const std::uint64_t base = is_known ? group.place(header.target).base : 0;
  const void* address = is_somewhere ? reinterpret_cast<const void*>(base + refused.fault.offset) : nullptr;
  const std::string call = call_name(header);
  Reporter::print(origin_of(world, header), {call.c_str(), target_of(header, world.id), address},
                  refusal_text(refused, is_known ? &*world.arena : nullptr, base));
}

}  // namespace

std::unique_ptr<pr::Server> make_server(World& world, const Reporter& reporter, pr::MirrorRounds* mirrors) {
  pr::ServerOptions options;
  options.world = world.id;
  options.chunk_bytes = world.settings.effective_chunk_bytes();
  options.pool_bytes = static_cast<std::uint64_t>(world.settings.server_buffer);
  options.staging_reserve = static_cast<std::uint64_t>(world.settings.staging_reserve);
  options.slot_of = [&world](Worker worker) {
    const groups::Directory& group = *world.group;
    if (worker >= group.size()) return pr::no_host_slot;
    const groups::WorkerPlace& place = group.place(worker);
    return static_cast<int>(place.host) == world.place.host ? place.slot : pr::no_host_slot;
  };
  options.stall.after_ns = static_cast<std::uint64_t>(world.settings.stall_s) * 1'000'000'000;
  options.stall.on_long_wait = [&world](const protocol::RequestHeader& lock,
                                        const std::optional<Worker>& holder, std::uint64_t waited_ns) {
    say_lasting(world, lock, holder, waited_ns);
  };
  options.mirrors = mirrors;
  options.log = world.log.get();
  options.report = [&world](const pr::RefusedRequest& refused) {
    say(world, refused);
    if ((refused.header.flags & protocol::errors_return) == 0) Reporter::end_job(failure_exit_code);
  };
  options.recovered = [&reporter, id = world.id](const protocol::RequestHeader& header,
                                                 const std::optional<Worker>& dead) {
    const std::string call = call_name(header);
    Reporter::print(reporter.identity(), {call.c_str(), target_of(header, id)},
                    "for worker " + std::to_string(header.origin) + ": " + recovery_text(header, dead));
  };
  return std::make_unique<pr::Server>(*world.transport, *world.arena, std::move(options));
}

}  // namespace comex::runtime
