#include "pr/origin.h"

#include <algorithm>
#include <cstring>

namespace comex::pr {

MessageCopy::MessageCopy(std::uint32_t capacity, std::span<const std::byte> message)
    : bytes_(std::make_unique_for_overwrite<std::byte[]>(capacity)),
      begin_((capacity - static_cast<std::uint32_t>(message.size())) / 8 * 8),
      message_bytes_(static_cast<std::uint32_t>(message.size())) {
  std::memcpy(bytes_.get() + begin_, message.data(), message.size());
}

bool Origin::may_start(const Footprint& later, EntryList::const_iterator end) const {
  for (auto earlier = queue.begin(); earlier != end; ++earlier) {
    if (!may_start_beside(earlier->footprint, later)) return false;
  }
  return true;
}

std::uint64_t Origin::applied() const {
  for (const Entry& entry : queue) {
    if (!protocol::is_write(entry.header.verb) || entry.progress.is_finished) continue;
    return (entry.header.verb == protocol::Verb::batch ? entry.progress.number : entry.header.number) - 1;
  }
  return last_number;
}

bool Origin::is_void(const protocol::RequestHeader& store) {
  return (store.flags & protocol::with_signal) != 0 && std::erase(refused_data, store.number - 1) != 0;
}

bool Origin::is_first_refusal_of(std::uint32_t call) {
  if (std::ranges::find(refused_calls, call) != refused_calls.end()) return false;
  const auto is_over = [this](std::uint32_t each) {
    const auto is_of_it = [each](const Entry& entry) { return entry.header.call == each; };
    return each != newest_call && std::ranges::none_of(queue, is_of_it);
  };
  std::erase_if(refused_calls, is_over);
  refused_calls.push_back(call);
  return true;
}

}  // namespace comex::pr
