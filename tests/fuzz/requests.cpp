// One message as a server reads it: header, layout, batch, bundle. Whatever is called sound is walked to its
// end.
#include "core/pieces.h"
#include "fuzz/fuzz.h"
#include "pr/batch.h"
#include "pr/payload.h"
#include "transport/bundle.h"

namespace comex::fuzz {
namespace {

using Message = std::span<const std::byte>;

volatile std::uint8_t seen;  // what is readable has been read

void look_at(Message bytes) {
  for (const std::byte byte : bytes) seen = static_cast<std::uint8_t>(byte);
}

void read_as_request(const protocol::RequestHeader& header, Message message, const pr::WireLimits& limits) {
  const pr::Payload payload = pr::read_payload(header, message, limits);
  if (payload.refusal != protocol::Refusal::none) return;
  if (payload.body != nullptr) look_at({payload.body, header.bytes});
  for (std::uint32_t i = 0; i < payload.segments; ++i) static_cast<void>(payload.offset_of_segment(i));
  if (payload.offsets != nullptr) return;
  if (payload.touches.high == UINT64_MAX) return;  // no extent reaches there
  // What a cursor walks lies in the range that is checked before.
  demand(payload.patch.far_extent_bytes() <= payload.touches.high - payload.touches.low,
         "a patch stays in its range");
  constexpr std::uint64_t most = 1 << 16;
  if (header.bytes == 0 || header.bytes > most || payload.touches.high - payload.touches.low > most) return;
  std::vector<std::byte> memory(payload.touches.high - payload.touches.low);
  std::vector<std::byte> packed(header.bytes);
  pr::Payload at_start = payload;
  at_start.touches.low = 0;
  pr::far_side(at_start, memory.data()).gather(packed.data(), packed.size());
  pr::far_side(at_start, memory.data()).scatter(packed.data(), packed.size());
}

void read_as_batch(const protocol::RequestHeader& header, Message message, std::size_t limit) {
  const pr::BatchShape shape = pr::read_batch(header, message, limit);
  if (!shape.is_sound) return;
  pr::Item item;
  std::uint64_t number = header.number;
  std::size_t answers = 0;
  while (item.end < message.size()) {
    pr::go_to_next(item, message);
    static_cast<void>(pr::header_of(header, item, message, number++));
    demand(item.load <= item.end && item.end <= message.size(), "an item lies in its message");
    look_at(message.subspan(item.load, item.end - item.load));
    answers += protocol::answer_bytes(item.head);
    // The server writes the answers in front of what is still to be read.
    demand(answers + (message.size() - item.end) <= limit, "answers and items have room");
  }
  demand(number - header.number == header.items(), "a sound batch has as many items as it says");
}

void read_as_bundle(Message message) {
  if (!transport::BundleReader::is_bundle(message)) return;
  transport::BundleReader reader(message);
  while (!reader.empty()) {
    static_cast<void>(reader.tag());
    look_at(reader.take());
  }
}

}  // namespace
}  // namespace comex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace comex;
  fuzz::Input input({data, size});
  const bool has_short_pieces = (input.below(2) != 0);
  const std::vector<std::byte> message = input.rest();
  fuzz::run([&] { fuzz::read_as_bundle(message); });
  if (message.size() < sizeof(protocol::RequestHeader)) return 0;
  const pr::WireLimits limits{4096, has_short_pieces ? smallest_piece : 4096};
  const std::uint32_t limit = message_limit(limits.piece_bytes);
  if (message.size() > limit) return 0;
  protocol::RequestHeader header;
  std::memcpy(&header, message.data(), sizeof header);
  fuzz::run([&] { fuzz::read_as_request(header, message, limits); });
  fuzz::run([&] { fuzz::read_as_batch(header, message, limit); });
  return 0;
}
