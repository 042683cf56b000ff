// Packs small messages into a bundle, which MPI sends as one message, and takes them out again one by one.
//
// It is pure; core/protocol.h defines the layout. A BundleWriter fills memory of protocol::bundle_bytes. A
// BundleReader refers to a bundle that must stay in place. A malformed bundle is a bug of its sender. Used by
// MpiTransport, whose receive buffers are large enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/protocol.h"
#include "core/status.h"

namespace comex::transport {

// The number of posted receives for small messages of a process. The buffer of each is in whole cache lines.
inline constexpr unsigned ring_slots = 16;
constexpr std::size_t ring_slot_bytes(bool takes_bundles) {
  constexpr std::size_t line = 64;
  const std::size_t longest = takes_bundles ? protocol::bundle_bytes : protocol::message_bytes;
  return (longest + line - 1) / line * line;
}

constexpr std::size_t padded_part_bytes(std::size_t message) {
  return sizeof(protocol::BundlePart) + protocol::padded(message);
}
// The longest body that fits behind any message.
inline constexpr std::size_t short_body_bytes = protocol::bundle_bytes - sizeof(protocol::BundleHeader) -
                                                padded_part_bytes(protocol::message_bytes) -
                                                sizeof(protocol::BundlePart);

class BundleWriter {
 public:
  BundleWriter() = default;
  explicit BundleWriter(std::byte* to) : to_(to) {}

  bool has_capacity(std::size_t part) const {
    return bytes_ + padded_part_bytes(part) <= protocol::bundle_bytes;
  }
  // Adds a message or, with a tag, a body of the message before it.
  void add(std::span<const std::byte> what, int tag = 0) {
    COMEX_BUG_IF(to_ == nullptr || !has_capacity(what.size()) || (tag != 0 && parts_ == 0));
    const protocol::BundlePart part{static_cast<std::uint32_t>(what.size()), static_cast<std::uint32_t>(tag)};
    std::memcpy(to_ + bytes_, &part, sizeof part);
    std::memcpy(to_ + bytes_ + sizeof part, what.data(), what.size());
    const std::size_t all = padded_part_bytes(what.size());
    std::memset(to_ + bytes_ + sizeof part + what.size(), 0, all - sizeof part - what.size());
    bytes_ += all;
    ++parts_;
  }
  // Completes the bundle and returns its bytes.
  std::size_t finish() {
    protocol::BundleHeader header;
    header.parts = parts_;
    std::memcpy(to_, &header, sizeof header);
    return bytes_;
  }

 private:
  std::byte* to_ = nullptr;
  std::size_t bytes_ = sizeof(protocol::BundleHeader);
  std::uint32_t parts_ = 0;
};

class BundleReader {
 public:
  BundleReader() = default;
  explicit BundleReader(std::span<const std::byte> bundle) {
    protocol::BundleHeader header;
    COMEX_BUG_IF(bundle.size() < sizeof header);
    std::memcpy(&header, bundle.data(), sizeof header);
    rest_ = bundle.subspan(sizeof header);
    parts_ = header.parts;
    COMEX_BUG_IF((parts_ == 0 && !rest_.empty()) || tag() != 0);
  }
  static bool is_bundle(std::span<const std::byte> message) {
    return !message.empty() && static_cast<protocol::Verb>(message[0]) == protocol::Verb::bundle;
  }

  bool empty() const { return parts_ == 0; }
  // The tag of the next part if it is a body; 0: the next part is a message, or there is none.
  int tag() const { return empty() ? 0 : static_cast<int>(next().tag); }
  std::span<const std::byte> take() {
    const protocol::BundlePart part = next();
    const std::span<const std::byte> taken = rest_.subspan(sizeof part, part.bytes);
    rest_ = rest_.subspan(padded_part_bytes(part.bytes));
    --parts_;
    COMEX_BUG_IF(parts_ == 0 && !rest_.empty());
    return taken;
  }

 private:
  protocol::BundlePart next() const {
    protocol::BundlePart part;
    COMEX_BUG_IF(parts_ == 0 || rest_.size() < sizeof part);
    std::memcpy(&part, rest_.data(), sizeof part);
    COMEX_BUG_IF(rest_.size() < padded_part_bytes(part.bytes));
    return part;
  }

  std::span<const std::byte> rest_;
  std::uint32_t parts_ = 0;
};

}  // namespace comex::transport
