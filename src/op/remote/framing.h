// Turns a request into the bytes of its message.
//
// The functions are pure: they read a request and write a header or a message, and know neither credits nor
// slots. The sender of a message fills in its slot and number. Every part of op/remote that sends uses them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/packed_side.h"
#include "op/remote/request.h"

namespace comex::op::remote {

using Header = protocol::RequestHeader;

// The sender of a message, and how its program wants refusals to be treated.
struct Sender {
  Worker self = 0;
  std::uint8_t flags = 0;
};

// Writes origin and target into a header, whatever its verb is.
void address(Header& header, const RemoteTarget& far, const Sender& sender);
Header make_header(protocol::Verb verb, const RemoteTarget& far, const Sender& sender);

// These make the next message of a put, get or accumulate: its header, its bytes, the near memory.
Header header_of(const Data& data, const RemoteTarget& far, const Sender& sender);
std::size_t write_data(const Data& data, const RemoteTarget& far, const Header& header, std::byte* to);
kernels::PackedSide near_of(const Data& data);

std::size_t write_word(const WordRequest& word, std::byte* to);

}  // namespace comex::op::remote
