// A worker's open batches, which it or its host's progress rank sends: in every order each is sent once, with
// all of its items, and none is forgotten.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "op/remote/remote.h"
#include "pr/pusher.h"
#include "rules/schedules/scheduled_os.h"

namespace comex::rules {
namespace {

constexpr std::uint32_t buffers = 2;
constexpr std::uint64_t delay_ns = 1000;
constexpr std::size_t bell_offset = 4096;
constexpr std::size_t outbox_offset = 8192;

struct Sent {
  protocol::RequestHeader header;
  std::vector<std::int64_t> values;  // of its items
};

// Keeps what is posted; nothing arrives by itself.
class Recorder final : public transport::Transport {
 public:
  Recorder(TransportRank rank, std::vector<Sent>& sent) : rank_(rank), sent_(&sent) {}
  TransportRank rank() const override { return rank_; }
  TransportRank size() const override { return 3; }
  std::byte* stage() override { return staged_.data(); }
  void post(TransportRank, std::size_t bytes, bool) override {
    Sent message;
    std::memcpy(&message.header, staged_.data(), sizeof message.header);
    EXPECT_EQ(message.header.verb, protocol::Verb::batch);
    EXPECT_EQ(bytes, sizeof message.header + message.header.bytes);
    const std::byte* at = staged_.data() + sizeof message.header;
    for (std::uint32_t item = 0; item < message.header.items(); ++item) {
      protocol::BatchItem head;
      std::memcpy(&head, at, sizeof head);
      EXPECT_EQ(head.bytes, sizeof(std::int64_t)) << "an item was torn";
      std::int64_t value = 0;
      std::memcpy(&value, at + protocol::head_bytes(head), sizeof value);
      message.values.push_back(value);
      at += protocol::item_bytes(head);
    }
    sent_->push_back(std::move(message));
  }
  bool receive(transport::Message&) override { return false; }
  transport::Ticket start_send(TransportRank, int, std::span<const std::byte>) override { return {}; }
  transport::Ticket start_synchronous_send(TransportRank, int, std::span<const std::byte>) override {
    return {};
  }
  transport::Ticket start_receive(TransportRank, int, std::span<std::byte>) override { return {}; }
  bool done(transport::Ticket, std::size_t*) override { return true; }
  bool give_up(transport::Ticket) override { return true; }
  void progress() override {}
  std::size_t unsent() const override { return 0; }
  bool has_unsent_to(TransportRank, std::uint64_t) const override { return false; }
  std::uint64_t posted() const override { return 0; }

 private:
  TransportRank rank_;
  std::vector<Sent>* sent_;
  std::array<std::byte, protocol::message_bytes> staged_{};
};

class OutboxSchedules : public testing::Test {
 protected:
  void begin() {
    sent.clear();
    appended = 0;
    pusher.reset();
    origin.reset();
    std::byte* const place = shared_memory() + outbox_offset;
    shm::Doorbell bell(os, shared_at<shm::DoorbellBlock>(bell_offset));
    op::RemoteOptions options;
    options.self = 5;
    options.sizes = op::sizes_on_wire(4096, 3, 0);
    options.outbox = shm::Outbox(place, buffers, bell, &os);
    origin = std::make_unique<op::Remote>(of_worker, options);
    pusher =
        std::make_unique<pr::Pusher>(of_pusher, os, std::vector{shm::Outbox(place, buffers)}, delay_ns, bell);
    far.world = 1;
    far.server = 0;
    far.target = 7;
    far.offset_base = 0;
    protocol::ReplyHeader credit;
    credit.verb = protocol::Verb::credit;
    credit.limit = 100;
    origin->on_message({0, std::as_bytes(std::span(&credit, 1))});
  }
  void append() {
    const std::int64_t value = ++appended;
    // The places go down and up again, so that no item repeats the one before it.
    const auto place = static_cast<std::uintptr_t>(value % 2 == 0 ? 4096 : std::int64_t{1} << 40);
    ASSERT_TRUE(
        origin->batches().append_put(&value, reinterpret_cast<const void*>(place), sizeof value, far));
  }
  // As a progress rank does whom nobody but this worker needs, until all is sent.
  void push_until(std::size_t items) {
    shm::Doorbell bell(os, shared_at<shm::DoorbellBlock>(bell_offset));
    while (true) {
      const std::uint32_t seen = bell.seen();
      pusher->advance();
      if (sent_items() == items) return;
      if (pusher->due_in() == shm::forever_ns) {
        bell.sleep_until_rung(seen, shm::forever_ns);
      } else {
        os.sleep_ns(pusher->due_in());
      }
    }
  }
  std::size_t sent_items() const {
    std::size_t items = 0;
    for (const Sent& each : sent) items += each.values.size();
    return items;
  }
  // The server puts batches in the order of their sequence: then all items are there, each once.
  void judge() {
    std::vector<std::vector<std::int64_t>> in_order(sent.size());
    for (const Sent& each : sent) {
      const std::size_t place = each.header.sequence - 1u;
      ASSERT_LT(place, in_order.size()) << "a batch is missing";
      EXPECT_TRUE(in_order[place].empty()) << "a batch was sent twice";
      EXPECT_FALSE(each.values.empty()) << "a batch without items";
      in_order[place] = each.values;
    }
    std::int64_t next = 0;
    for (const auto& batch : in_order)
      for (const std::int64_t value : batch)
        EXPECT_EQ(value, ++next) << "an item is lost, torn or out of its order";
    EXPECT_EQ(next, appended);
  }

  ScheduledOs os;
  std::vector<Sent> sent;
  Recorder of_worker{1, sent};
  Recorder of_pusher{2, sent};
  std::unique_ptr<op::Remote> origin;
  std::unique_ptr<pr::Pusher> pusher;
  op::RemoteTarget far;
  std::int64_t appended = 0;
};

// The worker adds to batches and sends some; what is left in the end it sends as well.
TEST_F(OutboxSchedules, send_each_item_once) {
  Scenario scenario;
  scenario.shared_bytes = outbox_offset + shm::Outbox::bytes_for(buffers);
  scenario.begin = [this] { begin(); };
  scenario.processes = {[this] {
                          append();
                          append();
                          append();
                          origin->batches().close_all();
                          append();
                          append();
                          origin->batches().close_all();
                        },
                        [this] {
                          for (int looks = 0; looks < 3; ++looks) {
                            os.sleep_ns(2 * delay_ns);
                            pusher->advance();
                          }
                        }};
  scenario.end = [this] {
    origin->batches().close_all();
    judge();
  };
  expect_in_every_schedule("outbox", scenario);
}

// A worker that computes for ever behind its last call: what it left is sent all the same.
TEST_F(OutboxSchedules, forget_no_batch_of_a_worker_that_computes) {
  Scenario scenario;
  scenario.shared_bytes = outbox_offset + shm::Outbox::bytes_for(buffers);
  scenario.begin = [this] { begin(); };
  scenario.processes = {[this] {
                          append();
                          append();
                          origin->batches().close_all();
                          append();
                        },
                        [this] { push_until(3); }};
  scenario.end = [this] { judge(); };
  expect_in_every_schedule("outbox of a computing worker", scenario);
}

}  // namespace
}  // namespace comex::rules
