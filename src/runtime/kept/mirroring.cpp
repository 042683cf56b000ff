#include "runtime/kept/mirroring.h"

#include <algorithm>

#include "runtime/opening/boards.h"
#include "runtime/opening/eager.h"
#include "runtime/opening/world.h"

namespace comex::runtime {
namespace {

constexpr std::uint64_t blocks_a_step = 4096;  // looked at, between two looks for messages
constexpr std::size_t most_under_way = 256;

// What a message carries. A body beside it could end who receives it, or be garbage, where its sender dies.
std::uint64_t blocks_a_message(const op::RemoteOptions& remote) {
  return (remote.sizes.message_bytes - sizeof(protocol::RequestHeader)) / shm::MirroredPart::block_bytes;
}

}  // namespace

MirroringSite mirroring_site(World& world) {
  const groups::Directory& group = *world.group;
  const TransportRank me = world.transport->rank();
  op::RemoteOptions options;
  options.sizes = wire_sizes(world, world.transport->size());
  options.max_outstanding = most_under_way;
  return {.transport = *world.transport,
          .arena = *world.arena,
          .remote = options,
          .serves = [&group, me](Worker owner) { return group.place(owner).server == me; },
          .target_of =
              [&group, id = world.id](Worker worker) {
                const groups::WorkerPlace& place = group.place(worker);
                return op::RemoteTarget{
                    .world = id, .server = place.server, .target = worker, .offset_base = place.base};
              }};
}

// Refusals print a line at the mirror's host, and the job goes on.
op::Remote& Mirroring::remote() {
  if (remote_ == nullptr) {
    remote_ = std::make_unique<op::Remote>(site_.transport, site_.remote);
    remote_->set_errors_return(true);
  }
  return *remote_;
}

unsigned Mirroring::advance() {
  unsigned moved = 0;
  if (!rounds_.is_under_way()) {
    if (!rounds_.is_wanted()) return remote_ != nullptr ? remote_->advance() : 0;
    rounds_.begin();
    must_look_ = true;
    part_ = 0;
    has_sent_ = false;
    moved = 1;
  }
  if (must_look_) must_look_ = !look_for_parts();
  if (!must_look_ && !has_sent_) {
    const bool is_more = send_marked();
    ++moved;
    if (!is_more) {
      has_sent_ = true;
      if (remote_ != nullptr) remote_->start_fence_all(completion_);
    }
  }
  if (remote_ != nullptr) moved += remote_->advance();
  if (has_sent_ && completion_.done()) {
    completion_.take_failure();
    if (remote_ != nullptr) {
      remote_->take_failures();
      remote_->tidy();
    }
    rounds_.end();
    ++moved;
  }
  return moved;
}

bool Mirroring::look_for_parts() {
  shm::Extents& extents = site_.arena.extents();
  const std::uint32_t changes = extents.mirrored_changes();
  if (changes == seen_changes_) return true;
  const std::optional<std::vector<shm::Extent>> mirrored = extents.try_mirrored();
  if (!mirrored) return false;
  seen_changes_ = changes;
  parts_.clear();
  for (const shm::Extent& extent : *mirrored) {
    if (site_.serves(extent.owner)) parts_.push_back(extent.offset);
  }
  return true;
}

bool Mirroring::send_marked() {
  const shm::Extents& extents = site_.arena.extents();
  for (std::uint64_t left = blocks_a_step; part_ < parts_.size(); ++part_) {
    shm::MirroredPart& part = extents.behind(parts_[part_]);
    if (!is_in_part_) {
      if (!part.take_dirty()) continue;
      is_in_part_ = true;
      block_ = 0;
    }
    while (!part.is_end(block_)) {
      const bool may_send = left != 0 && (remote_ == nullptr || remote_->has_capacity());
      if (!may_send) return true;
      const std::uint64_t before = block_;
      const shm::MirroredPart::Blocks blocks =
          part.take_marked(block_, std::min(left, blocks_a_message(site_.remote)));
      left -= block_ - before;
      if (blocks.bytes != 0) send(part, blocks);
    }
    is_in_part_ = false;
  }
  return false;
}

void Mirroring::send(const shm::MirroredPart& part, const shm::MirroredPart::Blocks& blocks) {
  std::byte* const begin = site_.arena.at(parts_[part_]);
  for (std::uint32_t copy = 0; copy < part.copies(); ++copy) {
    const shm::MirroredPart::Mirror& mirror = part.mirror(copy);
    Operation put;
    put.target = mirror.worker;
    put.near = begin + blocks.offset;
    put.far = reinterpret_cast<std::byte*>(mirror.address + blocks.offset);
    put.patch = contiguous_patch(blocks.bytes);
    remote().start(put, site_.target_of(mirror.worker), completion_);
  }
}

void Mirroring::on_reply(const transport::Message& message) {
  if (remote_ != nullptr) remote_->on_message(message);
}

bool Mirroring::lose(TransportRank server) {
  remote().lose(server);
  shm::Extents& extents = site_.arena.extents();
  const std::optional<std::vector<shm::Extent>> mirrored = extents.try_mirrored();
  if (!mirrored) return extents.has_mirrored();
  for (const shm::Extent& extent : *mirrored) {
    if (!site_.serves(extent.owner)) continue;
    const shm::MirroredPart& part = extents.behind(extent.offset);
    for (std::uint32_t copy = 0; copy < part.copies(); ++copy) {
      if (site_.target_of(part.mirror(copy).worker).server == server) return true;
    }
  }
  return false;
}

}  // namespace comex::runtime
