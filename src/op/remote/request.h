// One operation in the queue of a server, from its start until its last message is sent and its last part is
// done. Its kind says what it consists of.
//
// Requests are pooled: Requests makes and ends them, and they keep their buffers for their next use. The
// alternatives are plain, so a new kind costs no more than its fields. Only op/remote uses them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "core/operation.h"
#include "nb/completion.h"
#include "op/plan.h"
#include "op/remote_target.h"

namespace comex::op::remote {

inline constexpr std::size_t kept_addresses = 128;  // of a vector, kept in each pooled request: 1 KiB

struct Batch;
struct Channel;

// A put, get or accumulate: any number of messages.
struct Data {
  Data(const Operation& started, const Plan& planned) : operation(started), plan(planned) {}

  Operation operation;
  Plan plan;
  std::uint64_t next_segment = 0;  // the first that no message has covered; only vectors have several

  bool is_vector() const { return operation.layout == protocol::Layout::vector; }
  std::uint64_t segments() const { return is_vector() ? operation.scatter.count : 1; }
  // The segments of the next message.
  std::uint64_t next_count() const {
    return std::min<std::uint64_t>(plan.segments_per_message, segments() - next_segment);
  }
  Scatter next_part() const { return operation.scatter.part(next_segment, next_count()); }
};

// A small write whose message is complete except for its number.
struct Copied {
  protocol::RequestHeader header;
};

// An rmw, store, lock, try_lock or release: one message.
struct WordRequest {
  protocol::RequestHeader header;  // without origin and target
  std::uint64_t desired = 0;       // compare_swap
  void* result = nullptr;          // null: nobody wants it
  unsigned result_bytes = 0;
};

// One message on the reserved credit.
struct Fence {
  bool with_mirrors = false;  // of direct writes too
};

// The gets and rmws of a batch, which await their answers. It is never in a queue.
struct Awaited {
  Batch* batch = nullptr;
};

struct Leave {
  protocol::Leaving how{};
};

struct Request {
  Channel* channel = nullptr;
  RemoteTarget far;
  nb::Completion* completion = nullptr;  // null: no call waits for it
  bool failed = false;
  bool sent = false;           // the last message has left
  bool errors_return = false;  // of its messages, as set when the call was made
  std::uint32_t parts = 0;     // transfers under way
  std::variant<Leave, Data, Copied, WordRequest, Fence, Awaited> what;

  // Buffers that are kept for the next use.
  std::vector<void*> addresses;         // of a vector: near ones, then far ones
  std::vector<std::byte> message;       // Copied
  std::vector<nb::Completion*> joined;  // fences that wait for the same answer

  template <class What>
  bool is() const {
    return std::holds_alternative<What>(what);
  }
};

}  // namespace comex::op::remote
