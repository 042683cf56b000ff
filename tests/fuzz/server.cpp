// Any requests and bodies of two origins against a server with a small arena.
//
// What belongs to other workers stays as it was, every reply is whole, and a third origin that keeps to the
// protocol is served in the end, whatever the others have done.
#include <optional>

#include "fuzz/fuzz.h"
#include "pr/server.h"
#include "shm/locks/mutex_sets.h"
#include "support/loopback_parts.h"
#include "support/loopback_transport.h"
#include "support/memory_os.h"

namespace comex::fuzz {
namespace {

using protocol::Verb;

constexpr WorldId world = 3;
constexpr WorldId second_world = 4;
constexpr Worker target = 7;
constexpr Worker other = 0x5a7e91c3;  // no message that has this number is sent
constexpr Worker kept = 8;            // whose memory the third origin uses
constexpr std::uint64_t region_bytes = 24 * 1024;
constexpr std::uint64_t guard_bytes = 4096;
constexpr std::uint64_t mutexes = 3;
constexpr std::byte guard_value{0xa5};

// The same for all inputs: what runs may change is made anew for each.
struct Place {
  Place() : arena(test::make_arena(os, world, 3)) {
    before = test::allocate_in(arena, other, guard_bytes);
    region = test::allocate_in(arena, target, region_bytes);
    behind = test::allocate_in(arena, other, guard_bytes);
    demand(before + guard_bytes == region && region + region_bytes == behind,
           "the guards lie beside the memory");
    own = test::allocate_in(arena, kept, guard_bytes);
    locks = test::allocate_in(arena, target, mutexes * sizeof(shm::FairMutexBlock));
    arena.mutexes_of(1).show(arena.offset_of(locks), mutexes);
  }
  void renew() const {
    std::memset(before, static_cast<int>(guard_value), guard_bytes);
    std::memset(behind, static_cast<int>(guard_value), guard_bytes);
    std::memset(region, 0, region_bytes);
    std::memset(own, 0, guard_bytes);
    std::memset(locks, 0, mutexes * sizeof(shm::FairMutexBlock));
  }
  void check() const {
    static const std::vector<std::byte> guard(guard_bytes, guard_value);
    demand(std::memcmp(before, guard.data(), guard_bytes) == 0, "nothing is written before the memory");
    demand(std::memcmp(behind, guard.data(), guard_bytes) == 0, "nothing is written behind the memory");
  }

  shm::MemoryOs os;
  shm::Arena arena;
  std::byte* before = nullptr;
  std::byte* region = nullptr;
  std::byte* behind = nullptr;
  std::byte* own = nullptr;
  std::byte* locks = nullptr;
};

// What makes it likely that a message gets far.
enum Help : std::uint8_t {
  right_order = 1,
  right_number = 2,
  right_place = 4,
  known_verb = 8,
  known_slot = 16,
  waits_for_credit = 32,
  wrong_order = 64,  // and no right_order
};

struct Hostile {
  std::uint16_t sequence = 0;
  std::uint64_t number = 0;
  std::uint64_t sent = 0;
  std::uint64_t limit = 1;
  std::vector<std::uint32_t> slots;
};

class Storm {
 public:
  Storm(Place& place, bool has_short_pieces) : place_(place), fabric_(4, 1024) {
    pr::ServerOptions options;
    options.world = world;
    options.chunk_bytes = 4096;
    options.pool_bytes = 16 * protocol::message_bytes;
    options.staging_bytes = 4 * 4096;
    if (has_short_pieces) options.staging_reserve = 0;
    options.slot_of = [](Worker worker) { return worker == target ? 1 : pr::no_host_slot; };
    options.report = [](const pr::RefusedRequest&) {};
    server_.emplace(fabric_.endpoint(0), place.arena, options);
    server_->add_world(second_world, place.arena, options.slot_of);
  }

  void step(Input& input) {
    const unsigned kind = input.below(16);
    const auto from = static_cast<TransportRank>(1 + input.below(2));
    Hostile& origin = origins_[from - 1];
    if (kind < 10) {
      send(input, from, origin);
    } else if (kind < 13) {
      const std::uint32_t slot = slot_of(input, origin);
      bodies_.push_back(std::vector<std::byte>(input.value<std::uint16_t>() % 5000, std::byte{1}));
      if (slot != 0 && slot < protocol::slot_count)
        fabric_.endpoint(from).start_send(0, protocol::put_tag(slot), bodies_.back());
    } else if (kind < 14) {
      const std::uint32_t slot = slot_of(input, origin);
      bodies_.emplace_back(4096);
      if (slot != 0 && slot < protocol::slot_count)
        fabric_.endpoint(from).start_receive(0, protocol::get_tag(slot), bodies_.back());
    }
    pass();
    place_.check();
  }

  // The third origin is served, and only then does the server have nothing left of it.
  void expect_service() {
    constexpr std::uint64_t value = 0x1122334455667788;
    protocol::RequestHeader header;
    header.world = world;
    header.target = kept;
    header.origin = 103;
    header.offset = place_.arena.offset_of(place_.own);
    header.bytes = sizeof value;
    header.verb = Verb::put;
    header.flags = protocol::body_inline;
    header.number = header.sequence = 1;
    post(3, header, std::as_bytes(std::span(&value, 1)));
    pass();
    header.verb = Verb::get;
    header.flags = 0;
    header.number = 0;
    header.sequence = 2;
    header.slot = 1;
    post(3, header, {});
    for (int i = 0; i < 100 && !answer_; ++i) pass();
    demand(answer_ == value, "an origin that keeps to the protocol is served");
  }

 private:
  static std::uint32_t slot_of(Input& input, const Hostile& origin) {
    const unsigned index = input.value<std::uint8_t>();
    return origin.slots.empty() ? index : origin.slots[index % origin.slots.size()];
  }

  // In the memory, or about one of its ends.
  std::uint64_t place_near(std::uint64_t drawn) const {
    const std::uint64_t begin = place_.arena.offset_of(place_.region);
    if (drawn % 4 == 0) return begin + region_bytes - 64 + drawn / 4 % 128;
    if (drawn % 4 == 1) return begin - 64 + drawn / 4 % 128;
    return begin + drawn / 4 % region_bytes;
  }

  // The items of a batch, as far as they can be told apart.
  void aim(std::span<std::byte> items) const {
    protocol::BatchItem head;
    for (std::size_t at = 0; at + sizeof head <= items.size();) {
      if (static_cast<std::uint8_t>(items[at]) == protocol::item_repeats) {
        at += protocol::repeated_bytes(head);
        continue;
      }
      std::memcpy(&head, &items[at], sizeof head);
      if (head.verb > Verb::rmw) return;
      head.target = target;
      head.offset = place_near(head.offset);
      std::memcpy(&items[at], &head, sizeof head);
      at += protocol::item_bytes(head);
    }
  }

  void send(Input& input, TransportRank from, Hostile& origin) {
    const auto help = input.value<std::uint8_t>();
    auto header = input.value<protocol::RequestHeader>();
    std::vector<std::byte> rest =
        input.block(input.value<std::uint16_t>() % (protocol::message_bytes - sizeof header + 1));
    if ((help & known_verb) != 0) header.verb = static_cast<Verb>(static_cast<unsigned>(header.verb) % 13);
    if ((help & right_place) != 0) {
      if (header.world != second_world) header.world = world;
      header.target = header.verb == Verb::batch ? static_cast<Worker>(from) : target;
      header.offset = place_near(header.offset);
      if (header.verb == Verb::batch) aim(rest);
    }
    if ((help & known_slot) != 0) {
      header.slot = 1 + header.slot % 64;
      header.chunk_bytes = 16 + header.chunk_bytes % 4096 / 16 * 16;
    }
    if ((help & waits_for_credit) != 0 && protocol::is_credited(header.verb) && origin.sent >= origin.limit)
      return;
    if (protocol::is_credited(header.verb)) ++origin.sent;
    const bool has_place_in_order = header.verb != Verb::return_credits && header.verb != Verb::leave;
    const bool is_in_order = (help & right_order) != 0 || (help & wrong_order) == 0;
    if (is_in_order && has_place_in_order) header.sequence = ++origin.sequence;
    if ((help & right_number) != 0 && protocol::is_write(header.verb)) {
      header.number = origin.number + 1;
      origin.number += header.verb == Verb::batch ? header.items() : 1;
    }
    if (origin.slots.size() < 64) origin.slots.push_back(header.slot);
    post(from, header, rest);
  }

  void post(TransportRank from, const protocol::RequestHeader& header, std::span<const std::byte> rest) {
    std::vector<std::byte> message(sizeof header + rest.size());
    std::memcpy(message.data(), &header, sizeof header);
    if (!rest.empty()) std::memcpy(message.data() + sizeof header, rest.data(), rest.size());
    const auto number = std::as_bytes(std::span(&other, 1));
    if (std::search(message.begin(), message.end(), number.begin(), number.end()) != message.end()) return;
    std::memcpy(fabric_.endpoint(from).stage(), message.data(), message.size());
    fabric_.endpoint(from).post(0, message.size());
  }

  void pass() {
    transport::Message message;
    while (fabric_.endpoint(0).receive(message)) server_->on_message(message);
    server_->advance();
    for (TransportRank rank = 1; rank <= 3; ++rank) {
      while (fabric_.endpoint(rank).receive(message)) take_reply(rank, message.data);
      fabric_.endpoint(rank).progress();
    }
  }

  void take_reply(TransportRank rank, std::span<const std::byte> message) {
    protocol::ReplyHeader reply;
    demand(message.size() >= sizeof reply, "a reply has a header");
    std::memcpy(&reply, message.data(), sizeof reply);
    demand(message.size() == sizeof reply + reply.bytes, "a reply is as long as it says");
    if (rank < 3) {
      Hostile& origin = origins_[rank - 1];
      origin.limit = std::max(origin.limit, reply.limit);
      return;
    }
    if (reply.verb == Verb::data && reply.bytes == sizeof(std::uint64_t))
      std::memcpy(&answer_.emplace(), message.data() + sizeof reply, sizeof(std::uint64_t));
  }

  Place& place_;
  transport::LoopbackFabric fabric_;
  std::optional<pr::Server> server_;
  Hostile origins_[2];
  std::vector<std::vector<std::byte>> bodies_;
  std::optional<std::uint64_t> answer_;
};

}  // namespace
}  // namespace comex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace comex;
  static fuzz::Place place;
  place.renew();
  fuzz::Input input({data, size});
  fuzz::Storm storm(place, input.below(2) != 0);
  const bool goes_on = fuzz::run([&] {
    for (int steps = 0; steps < 64 && !input.empty(); ++steps) storm.step(input);
    storm.expect_service();
  });
  if (!goes_on) place.check();
  return 0;
}
