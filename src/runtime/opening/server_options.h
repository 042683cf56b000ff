// Sets up a world's server and formats the lines about requests it refuses.
//
// Progress ranks and workers that serve themselves both use it; bridges and calls use its texts too.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "pr/server.h"
#include "runtime/opening/world.h"
#include "runtime/report.h"

namespace comex::runtime {

std::unique_ptr<pr::Server> make_server(World& world, const Reporter& reporter,
                                        pr::MirrorRounds* mirrors = nullptr);

// The target of the request. `own`: the origin's world, if known.
Target target_of(const protocol::RequestHeader& header, std::optional<WorldId> own);
std::string call_name(const protocol::RequestHeader& header);  // the program's name for the call
int endpoint_of(const protocol::RequestHeader& header);  // the endpoint's rank; negative: the origin itself
// Why a lock for this request was taken over. `dead` is the former holder, if known.
std::string recovery_text(const protocol::RequestHeader& header, const std::optional<Worker>& dead);
std::string no_such_mutex_text(std::uint64_t mutex, Worker owner, std::uint64_t count);
// `arena`: of the target, null if there is no such worker; `base`: its address in the owner's process.
std::string refusal_text(const pr::RefusedRequest& refused, shm::Arena* arena, std::uint64_t base);

// About a lock that was taken over from a dead process, and about one that is waited for long. A prefix in
// front names the operation and its target.
inline std::string memory_recovered_text() {
  return "a lock on its memory was taken over from a process that died with it; what it guarded may be half "
         "updated";
}

inline std::string mutex_recovered_text(std::uint64_t index, const std::optional<Worker>& dead) {
  return "mutex " + std::to_string(index) + " was taken over from " +
         (dead ? "worker " + std::to_string(*dead) + ", which" : std::string("one that")) +
         " died with it; what it guards may be half updated";
}

inline std::string mutex_held_text(std::uint64_t index, const std::optional<Worker>& holder) {
  return "mutex " + std::to_string(index) +
         (holder ? ", which worker " + std::to_string(*holder) + " holds" : std::string());
}

}  // namespace comex::runtime
