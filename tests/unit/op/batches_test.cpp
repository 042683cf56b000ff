// Batches in the buffers of an outbox: how many there are, who gets them, what leaves when.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "core/batch_size.h"
#include "op/remote/remote.h"
#include "support/loopback_transport.h"

namespace comex::op {
namespace {

using State = shm::OutboxWord::State;

constexpr std::uint32_t buffers = 2;
constexpr TransportRank three_servers = 3;

class RemoteOutbox : public testing::Test {
 protected:
  struct alignas(64) Place {
    std::byte bytes[shm::Outbox::bytes_for(buffers)] = {};
  };

  RemoteOutbox() : fabric(three_servers + 1), outbox(place->bytes, buffers) {
    RemoteOptions options;
    options.self = 5;
    options.outbox = outbox;
    remote = std::make_unique<Remote>(fabric.endpoint(three_servers), options);
  }

  RemoteTarget far(TransportRank server) const {
    return {.world = 9, .server = server, .target = static_cast<Worker>(server)};
  }
  bool append(TransportRank server) {
    return remote->batches().append_put(&value, reinterpret_cast<void*>(4096), sizeof value, far(server));
  }
  std::uint64_t sent_to(TransportRank server) const { return fabric.messages(three_servers, server); }
  protocol::RequestHeader received(TransportRank server) {
    transport::Message message;
    EXPECT_TRUE(fabric.endpoint(server).receive(message));
    protocol::RequestHeader header;
    std::memcpy(&header, message.data.data(), sizeof header);
    EXPECT_EQ(message.data.size(), sizeof header + header.bytes);
    return header;
  }
  // As the pusher begins.
  shm::OutboxWord take(std::uint32_t index) {
    const shm::OutboxWord word = outbox[index].look();
    EXPECT_TRUE(outbox[index].replace(word, word.in(State::taken)));
    return word;
  }

  std::unique_ptr<Place> place = std::make_unique<Place>();
  transport::LoopbackFabric fabric;
  shm::Outbox outbox;
  std::unique_ptr<Remote> remote;
  std::uint64_t value = 1;
};

// Other processes of the host can write there, too.
TEST_F(RemoteOutbox, a_word_with_more_bytes_than_a_message_ends_the_job) {
  ASSERT_TRUE(append(0));
  const shm::OutboxWord word = take(0).with_item(4000, false);
  std::byte message[protocol::message_bytes];
  EXPECT_DEATH(outbox[0].copy_to(message, word), "comex: bug at .*outbox");
  EXPECT_DEATH(outbox[0].copy_to(message, shm::OutboxWord()), "comex: bug at .*outbox");
}

TEST_F(RemoteOutbox, an_answer_to_a_batch_that_has_not_left_ends_the_job) {
  nb::Completion done;
  ASSERT_TRUE(
      remote->batches().append_get(&value, reinterpret_cast<void*>(4096), sizeof value, far(0), done));
  std::vector<std::byte> answer(sizeof(protocol::ReplyHeader) + sizeof value);
  protocol::ReplyHeader header;
  header.verb = protocol::Verb::data_batch;
  header.slot = 1;
  header.bytes = sizeof value;
  std::memcpy(answer.data(), &header, sizeof header);
  EXPECT_DEATH(remote->on_message({0, answer}), "comex: bug at .*is_taken");
}

TEST_F(RemoteOutbox, batches_to_several_servers_collect_side_by_side) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(append(0));
    EXPECT_TRUE(append(1));
  }
  EXPECT_EQ(sent_to(0) + sent_to(1), 0u);
  remote->batches().close_all();
  for (const TransportRank server : {0, 1}) {
    const protocol::RequestHeader header = received(server);
    EXPECT_EQ(header.verb, protocol::Verb::batch);
    EXPECT_EQ(header.items(), 3u);
    EXPECT_EQ(header.number, 1u);
    EXPECT_EQ(header.sequence, 1u);
    EXPECT_EQ(header.batch_rank(), three_servers) << "where answers go";
  }
  EXPECT_FALSE(remote->batches().holds_any());
}

TEST_F(RemoteOutbox, one_server_more_than_buffers_sends_the_oldest_batch) {
  EXPECT_TRUE(append(0));
  EXPECT_TRUE(append(1));
  EXPECT_TRUE(append(2));
  EXPECT_EQ(sent_to(0), 1u);
  EXPECT_EQ(sent_to(1) + sent_to(2), 0u);
}

TEST_F(RemoteOutbox, buffers_that_are_being_copied_are_not_waited_for) {
  EXPECT_TRUE(append(0));
  EXPECT_TRUE(append(1));
  take(0);
  take(1);
  EXPECT_FALSE(append(2));
  EXPECT_FALSE(remote->has_capacity(far(0))) << "its batch has gone, with the one credit";
  EXPECT_EQ(sent_to(0) + sent_to(1) + sent_to(2), 0u);
}

TEST_F(RemoteOutbox, takes_nothing_of_an_endpoint) {
  RemoteTarget asked = far(0);
  asked.by = {1, 2};
  nb::Completion done;
  std::uint64_t old = 0;
  AtomicOperation add{.scalar = Scalar::int64, .near = reinterpret_cast<std::byte*>(&old)};
  EXPECT_FALSE(remote->batches().append_put(&value, reinterpret_cast<void*>(4096), sizeof value, asked));
  EXPECT_FALSE(remote->batches().append_atomic(add, asked, done));
  EXPECT_FALSE(remote->batches().holds_any());
  EXPECT_TRUE(done.done());
}

TEST_F(RemoteOutbox, without_a_credit_there_is_no_batch) {
  EXPECT_TRUE(append(0));
  EXPECT_TRUE(remote->has_capacity(far(0)));
  remote->batches().close_all();
  EXPECT_FALSE(remote->has_capacity(far(0)));
  EXPECT_FALSE(append(0));
  RemoteTarget seldom = far(0);
  seldom.has_progress_rank = false;
  EXPECT_TRUE(remote->has_capacity(seldom)) << "one does not wait for who may wait for oneself";
}

TEST_F(RemoteOutbox, an_item_too_late_for_its_batch_opens_the_next) {
  protocol::ReplyHeader credit;
  credit.verb = protocol::Verb::credit;
  credit.limit = 2;
  std::memcpy(fabric.endpoint(0).stage(), &credit, sizeof credit);
  fabric.endpoint(0).post(three_servers, sizeof credit);
  transport::Message message;
  ASSERT_TRUE(fabric.endpoint(three_servers).receive(message));
  remote->on_message(message);

  EXPECT_TRUE(append(0));
  EXPECT_EQ(take(0).items(), 1u);
  EXPECT_TRUE(append(0));
  remote->batches().close_all();
  const protocol::RequestHeader header = received(0);
  EXPECT_EQ(header.items(), 1u);
  EXPECT_EQ(header.number, 2u);
  EXPECT_EQ(header.sequence, 2u);
}

TEST_F(RemoteOutbox, a_batch_that_has_gone_is_not_mistaken_for_the_next_one_in_its_buffer) {
  EXPECT_TRUE(append(0));
  const shm::OutboxWord word = take(0);
  EXPECT_TRUE(outbox[0].replace(word.in(State::taken), word.in(State::free)));
  EXPECT_FALSE(remote->has_capacity(far(0)));
  EXPECT_TRUE(append(1));
  EXPECT_TRUE(append(2));
  ASSERT_EQ(outbox[0].to, 2) << "the buffer that the pusher gave back";
  EXPECT_FALSE(remote->has_capacity(far(0))) << "neither a credit nor a batch: what starts now stays here";
}

TEST_F(RemoteOutbox, an_item_too_late_for_its_batch_leaves_the_next_owner_of_the_buffer_alone) {
  EXPECT_TRUE(append(0));
  const shm::OutboxWord word = take(0);
  EXPECT_TRUE(outbox[0].replace(word.in(State::taken), word.in(State::free)));
  EXPECT_TRUE(append(1));
  value = 2;
  EXPECT_TRUE(append(2));
  value = 3;
  EXPECT_TRUE(append(2));
  ASSERT_EQ(outbox[0].to, 2) << "the buffer that the pusher gave back";

  value = 4;
  EXPECT_FALSE(append(0)) << "the credit has gone with the batch";
  remote->batches().close_all();
  transport::Message message;
  ASSERT_TRUE(fabric.endpoint(2).receive(message));
  const std::byte* at = message.data.data() + sizeof(protocol::RequestHeader);
  protocol::BatchItem head;
  protocol::RepeatedItem repeated;
  ASSERT_EQ(message.data.size(),
            sizeof(protocol::RequestHeader) + sizeof head + sizeof repeated + 2 * sizeof value);
  std::memcpy(&head, at, sizeof head);
  EXPECT_EQ(head.target, 2u);
  std::memcpy(&value, at += sizeof head, sizeof value);
  EXPECT_EQ(value, 2u);
  std::memcpy(&repeated, at += sizeof value, sizeof repeated);
  EXPECT_EQ(repeated.mark, protocol::item_repeats);
  EXPECT_EQ(repeated.step, 0);
  std::memcpy(&value, at + sizeof repeated, sizeof value);
  EXPECT_EQ(value, 3u);
}

// Puts behind gets are what the limit of answers keeps out.
TEST_F(RemoteOutbox, a_batch_takes_what_its_limit_and_that_of_its_answers_hold) {
  for (const std::uint64_t bytes :
       {std::uint64_t{1}, std::uint64_t{8}, std::uint64_t{100}, std::uint64_t{256}}) {
    for (const std::uint64_t gets : {std::uint64_t{5}, std::uint64_t{1000}}) {
      Place own;
      transport::LoopbackFabric wire(three_servers + 1);
      RemoteOptions options;
      options.outbox = shm::Outbox(own.bytes, buffers);
      Remote origin(wire.endpoint(three_servers), options);
      nb::Completion done;
      std::vector<std::byte> near(256);
      void* const there = near.data();
      BatchSize size;
      for (std::uint64_t i = 0;; ++i) {
        const std::size_t answer = i < gets ? protocol::padded(bytes) : 0;
        const bool repeats = i != 0 && i != gets;
        const std::size_t head = repeats ? sizeof(protocol::RepeatedItem) : sizeof(protocol::BatchItem);
        const BatchSize next = size.with(head + (answer != 0 ? 0 : 16), answer);
        if (!next.fits(protocol::message_bytes)) break;
        size = next;
        ASSERT_TRUE(answer != 0 ? origin.batches().append_get(there, there, bytes, far(0), done)
                                : origin.batches().append_put(there, there, 16, far(0)));
      }
      EXPECT_EQ(wire.messages(three_servers, 0), 0u) << "all of them in one";
      EXPECT_FALSE(gets == 1000 ? origin.batches().append_get(there, there, bytes, far(0), done)
                                : origin.batches().append_put(there, there, 16, far(0)));
      transport::Message message;
      ASSERT_TRUE(wire.endpoint(0).receive(message));
      EXPECT_EQ(message.data.size(), sizeof(protocol::RequestHeader) + size.items);
    }
  }
}

}  // namespace
}  // namespace comex::op
