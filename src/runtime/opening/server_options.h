// How a world's server is set up, and the line it prints for a request it refuses.
//
// One place for progress ranks and for workers that serve themselves. The texts are used by bridges and calls
// too.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "pr/server.h"
#include "runtime/opening/world.h"
#include "runtime/report.h"

namespace comex::runtime {

std::unique_ptr<pr::Server> make_server(World& world, const Reporter& reporter);

// Whom it is for; `own`: the origin's world, where that is known.
Target target_of(const protocol::RequestHeader& header, std::optional<WorldId> own);
std::string call_name(const protocol::RequestHeader& header);  // as the program called it
int endpoint_of(const protocol::RequestHeader& header);        // its rank; below zero: the origin's own
// Why a lock that it asked for was taken over; `dead` where it is known.
std::string recovery_text(const protocol::RequestHeader& header, const std::optional<Worker>& dead);
std::string no_such_mutex_text(std::uint64_t mutex, Worker owner, std::uint64_t count);
// `arena`: of the target, null when there is no such worker; `base`: where it stands for its owner.
std::string refusal_text(const pr::RefusedRequest& refused, shm::Arena* arena, std::uint64_t base);

}  // namespace comex::runtime
