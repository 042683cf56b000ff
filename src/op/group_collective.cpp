#include "op/group_collective.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/status.h"

namespace comex::op {

GroupCollective::GroupCollective(Engine& engine, ControlMessages& control, Membership members)
    : engine_(engine), control_(control), members_(std::move(members)), sequence_(members_.first_sequence) {}

// A control message is found by process, sequence and phase. The upper bits tell members of one process
// apart.
GroupCollective::ControlName GroupCollective::name(std::uint32_t from, std::uint32_t to,
                                                   std::uint32_t phase) const {
  constexpr unsigned phase_bits = 6;
  if (!members_.has_endpoints) return {sequence_, phase};
  return {std::uint64_t{to} << 32 | (sequence_ & 0xffffffff), from << phase_bits | phase};
}

void GroupCollective::send(std::uint32_t to, std::uint32_t phase, std::span<const std::byte> bytes) {
  const ControlName control = name(members_.me, to, phase);
  const Engine::Lock lock = engine_.enter();
  if (has_lost()) return;
  control_.send(members_.rank_of(to), members_.context, control.sequence, control.phase, bytes);
  engine_.note_started();
}

void GroupCollective::receive(std::uint32_t from, std::uint32_t phase, std::span<std::byte> into,
                              const char* operation) {
  const TransportRank rank = members_.rank_of(from);
  const ControlName control = name(from, members_.me, phase);
  std::optional<std::vector<std::byte>> message;
  const auto is_over = [&] {
    message = control_.take(rank, members_.context, control.sequence, control.phase);
    return message || has_lost();
  };
  WaitReason reason = reason_of(operation, from);
  const auto text = [&] { return members_.text_of(from); };
  const FunctionRef<std::string()> awaited(text);
  if (members_.text_of) reason.awaited = &awaited;
  engine_.wait(is_over, reason);
  if (!message) return;
  if (message->size() != into.size()) {
    // Members that know of a death have left a call that others are still in.
    if (!is_whole()) return;
    engine_.end_mismatched(reason, "the members have made different collective calls: a message of " +
                                       std::to_string(message->size()) + " bytes came in place of one of " +
                                       std::to_string(into.size()));
  }
  std::ranges::copy(*message, into.begin());
}

WaitReason GroupCollective::reason_of(const char* operation, std::uint32_t awaited) const {
  WaitReason reason{operation};
  if (handle_ != 0) reason.context = members_.context;
  if (!members_.name_of) return reason;
  const MemberName name = members_.name_of(awaited);
  reason.target = name.lpid;
  if (name.rank >= 0) reason.named = {handle_, name.rank};
  return reason;
}

bool GroupCollective::is_whole() const {
  const Engine::Lock lock = engine_.enter();
  return !has_lost();
}

// The barrier is a dissemination: step k sends a control message to the member 2^k further on.
void GroupCollective::barrier() {
  ++sequence_;
  const std::uint64_t size = members_.size;
  std::uint32_t phase = 0;
  for (std::uint64_t distance = 1; distance < size; distance *= 2, ++phase) {
    send(static_cast<std::uint32_t>((members_.me + distance) % size), phase, {});
    receive(static_cast<std::uint32_t>((members_.me + size - distance) % size), phase, {}, "barrier");
  }
}

// `data` and `into` are equally long. A window is sent when the one before it has been taken, since the
// receiver keeps messages until then.
void GroupCollective::exchange(std::uint32_t to, std::span<const std::byte> data, std::uint32_t from,
                               std::span<std::byte> into) {
  constexpr std::uint32_t window = 0, taken = 1;
  for (;;) {
    ++sequence_;
    const std::size_t bytes = std::min(data.size(), window_bytes);
    send(to, window, data.first(bytes));
    receive(from, window, into.first(bytes), "gather");
    data = data.subspan(bytes);
    into = into.subspan(bytes);
    if (data.empty()) return;
    send(from, taken, {});
    receive(to, taken, {}, "gather");
  }
}

// Bruck's algorithm: member i collects blocks i, i+1, ...; each step doubles their number. Then they are
// rotated in place.
void GroupCollective::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  const std::uint64_t size = members_.size;
  const std::size_t block = mine.size();
  COMEX_BUG_IF(all.size() != block * size);
  if (block == 0) return;
  std::memmove(all.data(), mine.data(), block);
  for (std::uint64_t have = 1; have < size; have *= 2) {
    const std::size_t bytes = std::min(have, size - have) * block;
    exchange(static_cast<std::uint32_t>((members_.me + size - have) % size), all.first(bytes),
             static_cast<std::uint32_t>((members_.me + have) % size), all.subspan(have * block, bytes));
  }
  const std::size_t head = (size - members_.me) * block;  // blocks me .. size-1
  std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(head), all.end());
}

// The tree is binomial over the members, counted from the root.
void GroupCollective::broadcast(std::span<std::byte> data, std::uint32_t root) {
  ++sequence_;
  const std::uint64_t size = members_.size;
  const std::uint64_t me = (members_.me + size - root) % size;
  std::uint64_t step = 1;
  while (step < size && (me & step) == 0) step *= 2;
  if (me != 0) receive(static_cast<std::uint32_t>((me - step + root) % size), 0, data, "broadcast");
  for (step /= 2; step >= 1; step /= 2) {
    if (me + step < size) send(static_cast<std::uint32_t>((me + step + root) % size), 0, data);
  }
}

// Uses the tree of broadcast() upwards: the order of combining depends on the number of members only.
void GroupCollective::reduce(std::span<std::byte> data, std::uint32_t root, CombineFunction combine) {
  ++sequence_;
  const std::uint64_t size = members_.size;
  const std::uint64_t me = (members_.me + size - root) % size;
  std::vector<std::byte> other(data.size());
  for (std::uint64_t step = 1; step < size; step *= 2) {
    if ((me & step) != 0) {
      send(static_cast<std::uint32_t>((me - step + root) % size), 0, data);
      return;
    }
    if (me + step < size) {
      receive(static_cast<std::uint32_t>((me + step + root) % size), 0, other, "reduction");
      combine(data, other);
    }
  }
}

void GroupCollective::all_reduce(std::span<std::byte> data, CombineFunction combine) {
  reduce(data, 0, combine);
  broadcast(data, 0);
}

bool GroupCollective::all_agree(bool mine) {
  return all_max(mine ? 0 : 1) == 0;
}

std::uint64_t GroupCollective::all_max(std::uint64_t mine) {
  const auto larger = [](std::span<std::byte> into, std::span<const std::byte> from) {
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    std::memcpy(&left, into.data(), sizeof left);
    std::memcpy(&right, from.data(), sizeof right);
    if (right > left) std::memcpy(into.data(), &right, sizeof right);
  };
  all_reduce(std::as_writable_bytes(std::span(&mine, 1)), larger);
  return mine;
}

}  // namespace comex::op
