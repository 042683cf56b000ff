// From a request to the bytes of its message.
//
// Pure functions: they read a request and write a header or a message, and know neither credits nor slots.
// Whoever sends a message fills in its slot and number. Used by every part of op/remote that sends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "op/near_side.h"
#include "op/remote/request.h"

namespace comex::op::remote {

using Header = protocol::RequestHeader;

// Who sends, and how its program wants busy_tries to be treated.
struct Sender {
  Worker self = 0;
  std::uint8_t flags = 0;
};

// Writes who asks whom into a header, whatever its verb is.
void address(Header& header, const RemoteTarget& far, const Sender& sender);
Header make_header(protocol::Verb verb, const RemoteTarget& far, const Sender& sender);

// Of the next message of a put, get or accumulate: its header, its bytes, and the origin's memory.
Header header_of(const Data& data, const RemoteTarget& far, const Sender& sender);
std::size_t write_data(const Data& data, const RemoteTarget& far, const Header& header, std::byte* to);
NearSide near_of(const Data& data);

// What an atomic operation sends: its addend, mask, new or expected value, and of a compare_swap the value
// that is desired.
struct AtomicWords {
  std::uint64_t argument = 0;
  std::uint64_t desired = 0;
};
AtomicWords words_of(const AtomicOperation& operation);
std::size_t write_word(const Word& word, std::byte* to);

}  // namespace comex::op::remote
