// Any replies and bodies of two servers to an origin that has operations of every kind under way.
//
// The memory of each operation is a heap block of its own, so that sanitizers see what is written beside it.
#include <deque>
#include <memory>

#include "fuzz/fuzz.h"
#include "op/control_messages.h"
#include "op/remote/remote.h"
#include "support/loopback_transport.h"

namespace comex::fuzz {
namespace {

using protocol::Verb;

constexpr std::uint32_t buffers = 2;
constexpr TransportRank origin_rank = 2;  // the servers are 0 and 1

struct OutboxPlace {
  alignas(64) std::byte bytes[shm::Outbox::bytes_for(buffers)] = {};
};

op::RemoteOptions options_with(OutboxPlace& place, bool has_outbox) {
  op::RemoteOptions options;
  options.self = 33;
  options.sizes.chunk_bytes = 4096;
  options.sizes.piece_bytes = 4096;
  options.slots = 16;
  if (has_outbox) options.outbox = shm::Outbox(place.bytes, buffers);
  return options;
}

class Dialogue {
 public:
  explicit Dialogue(bool has_outbox)
      : remote_(fabric_.endpoint(origin_rank), options_with(place_, has_outbox)),
        control_(fabric_.endpoint(origin_rank)) {}

  void step(Input& input) {
    const unsigned kind = input.below(16);
    const auto server = static_cast<TransportRank>(input.below(2));
    if (kind < 6) {
      start(input, server);
    } else if (kind < 12) {
      reply(input, server);
    } else if (kind < 14) {
      const unsigned slot = 1 + input.below(15);
      bodies_.emplace_back(input.value<std::uint16_t>() % 4200);
      fabric_.endpoint(server).start_send(origin_rank, protocol::get_tag(slot), bodies_.back());
    } else if (kind < 15) {
      const unsigned slot = 1 + input.below(15);
      bodies_.emplace_back(4096);
      fabric_.endpoint(server).start_receive(origin_rank, protocol::put_tag(slot), bodies_.back());
    } else {
      say_control(input, server);
    }
    turn();
  }

 private:
  std::byte* memory(std::size_t bytes) { return blocks_.emplace_back(bytes).data(); }
  nb::Completion& completion() { return *completions_.emplace_back(std::make_unique<nb::Completion>()); }

  static op::RemoteTarget target_at(TransportRank server, unsigned detail) {
    op::RemoteTarget far;
    far.world = 9;
    far.server = server;
    far.target = static_cast<Worker>(4 + server);
    far.has_progress_rank = (detail & 1) != 0;
    if ((detail & 2) != 0) far.named = {5, 1};
    return far;
  }

  Operation operation_of(Input& input, unsigned layout) {
    Operation made;
    made.action = static_cast<Action>(input.below(3));
    made.is_blocking = input.below(2) != 0;
    made.far = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 16);
    if (made.action == Action::acc) {
      made.scalar = Scalar::int64;
      made.scale.bytes[0] = 1;
    }
    const unsigned words = 1 + input.value<std::uint16_t>() % 2048;
    if (layout == 0) {
      made.patch = contiguous_patch(8ull * words);
      made.near = memory(8ull * words);
    } else if (layout == 1) {
      Patch patch;
      patch.levels = 1;
      patch.counts[0] = 16;
      patch.counts[1] = 1 + words / 2;
      patch.near_strides[0] = 24;
      patch.far_strides[0] = 32;
      made.layout = protocol::Layout::strided;
      made.patch = normalised(patch).value();
      made.near = memory(24ull * patch.counts[1]);
    } else {
      made.layout = protocol::Layout::vector;
      const std::uint64_t count = 1 + words % 40;
      const std::uint64_t bytes = 8ull * (1 + words % 320);
      for (std::uint64_t i = 0; i < count; ++i) {
        near_.push_back(memory(bytes));
        far_.push_back(made.far + i * bytes);
      }
      made.scatter.near = near_.data();
      made.scatter.far = far_.data();
      made.scatter.count = count;
      made.scatter.bytes = bytes;
      made.call = ++calls_;
    }
    return made;
  }

  void start(Input& input, TransportRank server) {
    const op::RemoteTarget far = target_at(server, input.below(4));
    near_.clear();
    far_.clear();
    if (!remote_.has_capacity(far) || blocks_.size() > 2000) return;
    std::byte* const word = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 16);
    AtomicOperation atomic;
    switch (input.below(12)) {
      case 0:
      case 1:
      case 2:
        remote_.start(operation_of(input, input.below(3)), far, completion());
        break;
      case 3:
        remote_.append_or_start(operation_of(input, 0), far, completion());
        break;
      case 4:
        atomic.near = memory(8);
        atomic.far = word;
        atomic.atomic = input.below(2) != 0 ? protocol::Atomic::compare_swap : protocol::Atomic::fetch_add;
        atomic.is_blocking = input.below(2) != 0;
        remote_.append_or_start(atomic, far, completion());
        break;
      case 5:
      case 6: {
        Operation put = operation_of(input, 0);
        put.action = Action::put;
        put.scalar = Scalar::none;
        remote_.start_put_signal(put, word, 1, far, completion(), input.below(2) != 0);
        break;
      }
      case 7:
        remote_.start_lock(input.below(3), far, completion());
        break;
      case 8:
        remote_.start_try_lock(input.below(3), far, completion(),
                               reinterpret_cast<std::uint64_t*>(memory(sizeof(std::uint64_t))));
        break;
      case 9:
        remote_.start_release(input.below(3), far, completion());
        break;
      default:
        if (input.below(2) != 0) {
          remote_.start_fence_all(completion());
        } else {
          remote_.batches().close_all();
        }
        break;
    }
  }

  // Some fields are made likely: the slots and numbers are small in a right one.
  void reply(Input& input, TransportRank server) {
    const unsigned help = input.value<std::uint8_t>();
    auto header = input.value<protocol::ReplyHeader>();
    const std::size_t bytes = input.value<std::uint16_t>() % (protocol::reply_data_bytes + 1);
    if ((help & 1) != 0) header.verb = static_cast<Verb>(64 + static_cast<unsigned>(header.verb) % 6);
    if ((help & 2) != 0) header.slot %= 16;
    if ((help & 4) != 0) header.applied %= 32;
    if ((help & 8) != 0) header.limit %= 64;
    if ((help & 16) != 0) header.credit_returns %= 4;
    if ((help & 32) != 0)
      header.refused_verb = static_cast<Verb>(static_cast<unsigned>(header.refused_verb) % 13);
    if ((help & 64) != 0) header.value %= 32;
    header.bytes = bytes;
    std::byte* const staged = fabric_.endpoint(server).stage();
    std::memcpy(staged, &header, sizeof header);
    std::memset(staged + sizeof header, 0x77, bytes);
    // Cut off anywhere, now and then.
    const std::size_t all = sizeof header + bytes;
    fabric_.endpoint(server).post(origin_rank, (help & 128) != 0 ? all - input.below(64) % all : all);
  }

  void say_control(Input& input, TransportRank server) {
    auto header = input.value<protocol::ControlHeader>();
    header.verb = Verb::control;
    const std::size_t bytes = input.value<std::uint16_t>() % (protocol::control_data_bytes + 1);
    std::byte* const staged = fabric_.endpoint(server).stage();
    std::memcpy(staged, &header, sizeof header);
    std::memset(staged + sizeof header, 1, bytes);
    fabric_.endpoint(server).post(origin_rank, sizeof header + bytes);
    asked_ = header;
  }

  void turn() {
    transport::Message message;
    while (fabric_.endpoint(origin_rank).receive(message)) {
      if (static_cast<Verb>(message.data[0]) == Verb::control) {
        control_.on_message(message);
      } else {
        remote_.on_message(message);
      }
    }
    remote_.advance();
    for (TransportRank server = 0; server < origin_rank; ++server) {
      while (fabric_.endpoint(server).receive(message)) {
      }
      static_cast<void>(control_.take(server, asked_.context, asked_.sequence, asked_.phase));
    }
  }

  transport::LoopbackFabric fabric_{3, 1024};
  OutboxPlace place_;
  std::deque<std::vector<std::byte>> blocks_;
  std::deque<std::unique_ptr<nb::Completion>> completions_;
  std::deque<std::vector<std::byte>> bodies_;
  std::vector<void*> near_;
  std::vector<void*> far_;
  std::uint32_t calls_ = 0;
  protocol::ControlHeader asked_;
  op::Remote remote_;
  op::ControlMessages control_;
};

}  // namespace
}  // namespace comex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace comex;
  fuzz::Input input({data, size});
  const auto dialogue = std::make_unique<fuzz::Dialogue>(input.below(2) != 0);
  fuzz::run([&] {
    for (int steps = 0; steps < 96 && !input.empty(); ++steps) dialogue->step(input);
  });
  return 0;
}
