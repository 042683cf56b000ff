#include "op/remote/framing.h"

#include <cstring>
#include <utility>

namespace comex::op::remote {

using protocol::Atomic;
using protocol::Layout;
using protocol::Verb;

namespace {

class Writer {
 public:
  explicit Writer(std::byte* to) : begin_(to), at_(to) {}

  template <class T>
  void write(const T& value) {
    std::memcpy(take(sizeof value), &value, sizeof value);
  }
  std::byte* take(std::size_t bytes) { return std::exchange(at_, at_ + bytes); }
  std::size_t written() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  std::byte* begin_;
  std::byte* at_;
};

void write_strided(Writer& writer, const Patch& patch) {
  writer.write(protocol::StridedLayout{static_cast<std::uint32_t>(patch.levels), 0});
  for (int level = 0; level <= patch.levels; ++level) writer.write(patch.counts[level]);
  for (int level = 0; level < patch.levels; ++level) writer.write(patch.far_strides[level]);
}

void write_scatter(Writer& writer, const Scatter& part, const RemoteTarget& far) {
  writer.write(protocol::ScatterLayout{static_cast<std::uint32_t>(part.count),
                                       static_cast<std::uint32_t>(part.bytes)});
  for (std::uint64_t i = 0; i < part.count; ++i) writer.write(far.offset_of(part.far[i]));
}

}  // namespace

void address(Header& header, const RemoteTarget& far, const Sender& sender) {
  header.flags |= sender.flags;
  header.world = far.world;
  header.target = far.target;
  header.origin = sender.self;
  header.by = far.by;
  header.named = far.named;
}

Header make_header(Verb verb, const RemoteTarget& far, const Sender& sender) {
  Header header;
  header.verb = verb;
  address(header, far, sender);
  return header;
}

Header header_of(const Data& data, const RemoteTarget& far, const Sender& sender) {
  const Operation& operation = data.operation;
  Header header = data.plan.header;
  address(header, far, sender);
  header.call = operation.call;
  header.called = operation.called;
  if (!operation.is_blocking) header.flags |= protocol::non_blocking;
  if (operation.signal != nullptr) header.flags |= protocol::with_signal;
  if (operation.action == Action::acc) header.set_combine(operation.combine);
  if (!data.is_vector()) {
    header.offset = far.offset_of(operation.far);
  } else if (header.layout != Layout::vector) {  // each segment by itself
    header.offset = far.offset_of(operation.scatter.far[data.next_segment]);
  } else {
    header.bytes = data.next_part().total_bytes();
  }
  return header;
}

std::size_t write_data(const Data& data, const RemoteTarget& far, const Header& header, std::byte* to) {
  const Operation& operation = data.operation;
  Writer writer(to);
  writer.write(header);
  if (operation.signal != nullptr) writer.write(far.offset_of(operation.signal));
  if (header.verb == Verb::acc) writer.write(operation.scale);
  if (header.layout == Layout::strided) write_strided(writer, operation.patch);
  if (header.layout == Layout::vector) write_scatter(writer, data.next_part(), far);
  if ((header.flags & protocol::body_inline) != 0)
    near_of(data).gather(writer.take(header.bytes), header.bytes);
  return writer.written();
}

kernels::PackedSide near_of(const Data& data) {
  const Operation& operation = data.operation;
  if (data.is_vector()) {
    const Scatter part = data.next_part();
    if (part.count == 1) return kernels::PackedSide::of_bytes(static_cast<std::byte*>(part.near[0]));
    return kernels::PackedSide::of_segments(nullptr, part.near, part.bytes);
  }
  if (is_packed(operation.patch, Side::near)) return kernels::PackedSide::of_bytes(operation.near);
  return kernels::PackedSide::of_patch(operation.near, 0, operation.patch, Side::near);
}

std::size_t write_word(const WordRequest& word, std::byte* to) {
  Writer writer(to);
  writer.write(word.header);
  if (word.header.verb == Verb::rmw && word.header.atomic == Atomic::compare_swap) writer.write(word.desired);
  return writer.written();
}

}  // namespace comex::op::remote
