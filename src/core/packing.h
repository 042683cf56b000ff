// Converts values and arrays to bytes and back, for messages of varying length in set-up and where worlds
// meet.
//
// Values must be trivially copyable and keep their form in memory; arrays and texts are preceded by their
// length. Unpacker checks every length. After the first one that does not fit, ok() is false and all results
// are empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace comex {

using Bytes = std::vector<std::byte>;

class Packer {
 public:
  template <class T>
  Packer& value(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return append(&value, sizeof value);
  }
  template <class T>
  Packer& array(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    value(std::uint64_t{values.size()});
    return append(values.data(), values.size_bytes());
  }
  Packer& text(std::string_view text) { return array(std::span<const char>(text)); }

  template <class T>
  Packer& field(const T& field) {
    return value(field);
  }
  template <class T>
  Packer& field(const std::vector<T>& field) {
    return array(std::span<const T>(field));
  }
  Packer& field(const std::string& field) { return text(field); }

  Bytes take() { return std::move(bytes_); }

 private:
  Packer& append(const void* data, std::size_t size) {
    const std::size_t before = bytes_.size();
    bytes_.resize(before + size);
    if (size != 0) std::memcpy(bytes_.data() + before, data, size);
    return *this;
  }

  Bytes bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool is_done() const { return ok_ && bytes_.empty(); }

  template <class T>
  T value() {
    if constexpr (std::is_same_v<T, bool>) {  // not every byte is one
      const auto byte = value<std::uint8_t>();
      ok_ = ok_ && byte <= 1;
      return ok_ && byte == 1;
    } else {
      T found{};
      if (fits(1, sizeof found)) take(&found, sizeof found);
      return found;
    }
  }
  template <class T>
  std::vector<T> array() {
    const auto count = value<std::uint64_t>();
    if (!fits(count, sizeof(T))) return {};
    std::vector<T> found(count);
    take(found.data(), count * sizeof(T));
    return found;
  }
  std::string text() {
    const std::vector<char> found = array<char>();
    return {found.begin(), found.end()};
  }
  template <class T>
  void field(T& field) {
    field = value<T>();
  }
  template <class T>
  void field(std::vector<T>& field) {
    field = array<T>();
  }
  void field(std::string& field) { field = text(); }

 private:
  bool fits(std::uint64_t count, std::size_t size) {
    ok_ = ok_ && count <= bytes_.size() / size;
    return ok_;
  }
  void take(void* into, std::size_t size) {
    if (size != 0) std::memcpy(into, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }

  std::span<const std::byte> bytes_;
  bool ok_ = true;
};

// For messages that visit their fields, in the order in which they travel, by for_each_field(message, visit).
template <class Message>
Bytes pack_fields(const Message& message) {
  Packer packer;
  Message::for_each_field(message, [&](const auto& field) { packer.field(field); });
  return packer.take();
}
// Nothing if the bytes are not those of such a message.
template <class Message>
std::optional<Message> unpack_fields(std::span<const std::byte> bytes) {
  Unpacker unpacker(bytes);
  Message message;
  Message::for_each_field(message, [&](auto& field) { unpacker.field(field); });
  if (!unpacker.is_done()) return std::nullopt;
  return message;
}

}  // namespace comex
