// MpiTransport and MpiCollective pass their conformance suites: run under mpirun, with any number of ranks.
//
// Every rank runs every test; rank 0 prints, the others only what failed on them.
#include "transport/mpi_transport.h"

#include <gtest/gtest.h>
#include <mpi.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/mpi_in_test.h"
#include "transport/mpi_collective.h"
#include "unit/transport/collective_conformance.h"
#include "unit/transport/conformance.h"

namespace comex::transport::test {
namespace {

[[noreturn]] void throw_failure(const Failure& failure) {
  throw std::runtime_error(failure.text);
}

class Wire {
 public:
  Wire() { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
  ~Wire() { MPI_Comm_free(&comm_); }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  MPI_Comm comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// `bundled`: messages in a row travel together, as they do on wires that span machines.
template <bool bundled = false>
class MpiRanks {
 public:
  void run(Check check) {
    RankTask task = check(transport_);
    while (!task.finished()) {
      task.resume();
      sched_yield();
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  Transport& transport() { return transport_; }

 private:
  Wire wire_;
  MpiTransport transport_{
      wire_.comm(), throw_failure, {.are_taken = bundled, .are_sent = bundled}, library().yield_switch()};
};

using Transports = testing::Types<MpiRanks<>, MpiRanks<true>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Mpi, TransportConformance, Transports);

// A word of rank 0 that all ranks of the host see, to tell each other something without MPI calls.
class SharedWord {
 public:
  SharedWord() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Aint bytes = rank == 0 ? 64 : 0;
    void* base = nullptr;
    MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window_);
    int unit = 0;
    MPI_Win_shared_query(window_, 0, &bytes, &unit, &base);
    word_ = static_cast<int*>(base);
    if (rank == 0) set(0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~SharedWord() { MPI_Win_free(&window_); }
  SharedWord(const SharedWord&) = delete;
  SharedWord& operator=(const SharedWord&) = delete;
  void set(int value) { std::atomic_ref<int>(*word_).store(value); }
  void add_one() { std::atomic_ref<int>(*word_).fetch_add(1); }
  int get() const { return std::atomic_ref<int>(*word_).load(); }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  int* word_ = nullptr;
};

class MpiMeeting {
 public:
  Collective& all() { return all_; }
  void count_one() { count_.add_one(); }
  std::size_t counted() const { return static_cast<std::size_t>(count_.get()); }

 private:
  Wire wire_;
  MpiCollective all_{wire_.comm(), throw_failure};
  SharedWord count_;
};

using Meetings = testing::Types<MpiMeeting>;
INSTANTIATE_TYPED_TEST_SUITE_P(Mpi, CollectiveConformance, Meetings);

TEST(MpiTransport, moves_the_users_own_messages_while_it_makes_progress) {
  MpiRanks<> ranks;
  Transport& wire = ranks.transport();
  if (wire.size() < 2) GTEST_SKIP() << "needs 2 ranks";
  SharedWord received;
  std::vector<char> data(std::size_t{4} << 20, wire.rank() == 0 ? 'x' : ' ');
  const int count = static_cast<int>(data.size());
  if (wire.rank() == 0) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(data.data(), count, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
    while (received.get() == 0) wire.progress();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (wire.rank() == 1) {
    MPI_Recv(data.data(), count, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    received.set(1);
    EXPECT_EQ(data, std::vector<char>(data.size(), 'x'));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(MpiTransport, hands_a_failed_call_to_its_owner_with_the_call_and_the_reason) {
  const Wire wire;
  const MpiCheck check(throw_failure);
  check.let_errors_return(wire.comm());
  const int wrong_rank = 1 << 20;
  try {
    check(PMPI_Send(&wrong_rank, 1, MPI_INT, wrong_rank, 0, wire.comm()), "MPI_Send");
    ADD_FAILURE() << "sent to a rank that is not there";
  } catch (const std::runtime_error& failure) {
    EXPECT_NE(std::string(failure.what()).find("MPI_Send failed"), std::string::npos) << failure.what();
    EXPECT_NE(std::string(failure.what()).find("rank"), std::string::npos) << failure.what();
  }
}

class Count final : public MessageObserver {
 public:
  void sent(TransportRank) override { ++sent_messages; }
  void received(TransportRank) override { ++received_messages; }
  int sent_messages = 0;
  int received_messages = 0;
};

// Counted as the observer is told: twelve of 500 bytes make one bundle, and arrive as one message each.
TEST(MpiTransport, sends_a_row_of_messages_as_one_where_bundles_are_taken) {
  struct Case {
    Bundles bundles;
    int expected;
  };
  for (const Case& each : {Case{{false, false}, 12}, Case{{true, false}, 12}, Case{{true, true}, 1},
                           Case{{true, true, false, {0, 1, 2, 3, 4, 5, 6, 7}}, 12}}) {
    const Wire wire;
    int rank = 0;
    MPI_Comm_rank(wire.comm(), &rank);
    MpiTransport transport(wire.comm(), throw_failure, each.bundles);
    Count count;
    transport.set_observer(&count);
    for (int i = 0; i < 12; ++i) {
      std::fill_n(transport.stage(), 500, std::byte{64});
      transport.post(rank, 500, i < 11);
    }
    int arrived = 0;
    Message message;
    while (arrived < 12) {
      if (!transport.receive(message)) continue;
      ++arrived;
      EXPECT_EQ(message.from, rank);
      EXPECT_EQ(message.data.size(), 500U);
    }
    EXPECT_EQ(count.sent_messages, each.expected);
    EXPECT_EQ(count.received_messages, each.expected);
  }
}

// To itself: a message, and the body that belongs to it.
Ticket post_with_body(MpiTransport& transport, int tag, std::span<const std::byte> body) {
  std::fill_n(transport.stage(), 80, std::byte{64});
  transport.post(transport.rank(), 80, true);
  return transport.start_send(transport.rank(), tag, body);
}

// The message is all that arrives: its body is there with it.
TEST(MpiTransport, sends_a_short_body_with_the_message_before_it_where_bundles_are_taken) {
  for (const bool bundled : {false, true}) {
    const Wire wire;
    MpiTransport transport(wire.comm(), throw_failure, {.are_taken = bundled, .are_sent = bundled});
    const std::vector<std::byte> body(5000, std::byte{7});
    const Ticket sent = post_with_body(transport, 9, body);
    Message message;
    while (!transport.receive(message)) {
    }
    std::vector<std::byte> got(body.size());
    std::size_t bytes = 0;
    const Ticket received = transport.start_receive(transport.rank(), 9, got);
    if (bundled) {
      ASSERT_TRUE(transport.done(received, &bytes)) << "no look at MPI is needed";
      ASSERT_TRUE(transport.done(sent, nullptr));
    } else {
      while (!transport.done(received, &bytes)) {
      }
      while (!transport.done(sent, nullptr)) {
      }
    }
    EXPECT_EQ(bytes, body.size());
    EXPECT_EQ(got, body);
  }
}

// The last message of a row is not answered, and another one goes elsewhere meanwhile.
TEST(MpiTransport, answers_a_bundle_with_one_where_that_is_wanted) {
  constexpr int row = 5;
  for (const bool are_answered : {false, true}) {
    const Wire wire;
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(wire.comm(), &rank);
    MPI_Comm_size(wire.comm(), &size);
    MpiTransport transport(wire.comm(), throw_failure, {true, true, are_answered});
    const auto stage = [&](int number) {
      std::fill_n(transport.stage(), 100, std::byte{64});
      transport.stage()[1] = static_cast<std::byte>(number);
    };
    for (int i = 0; i < row; ++i) {
      stage(i);
      transport.post(rank, 100, i + 1 < row);
    }
    Count count;
    transport.set_observer(&count);
    const TransportRank other = (rank + 1) % size;
    std::vector<int> answers;
    int from_other = 0;
    Message message;
    while (answers.size() < row - 1 || from_other == 0) {
      if (!transport.receive(message)) continue;
      const int number = static_cast<int>(message.data[1]);
      if (number >= 100) {
        answers.push_back(number);
      } else if (number == 99) {
        ++from_other;
      } else if (number + 1 < row) {
        if (number == 2 && other != rank) {
          stage(99);
          transport.post(other, 100);
        }
        stage(100 + number);
        transport.post(rank, 100);
        if (other == rank) from_other = 1;
      }
    }
    EXPECT_EQ(answers, (std::vector<int>{100, 101, 102, 103}));
    const int elsewhere = other == rank ? 0 : 1;
    EXPECT_EQ(count.sent_messages, are_answered ? 1 + 2 * elsewhere : row - 1 + elsewhere);
    MPI_Barrier(wire.comm());
  }
}

// A receive left behind would swallow what is sent on the wire afterwards.
TEST(MpiTransport, takes_back_all_its_receives_when_it_is_destroyed) {
  const Wire wire;
  int rank = 0;
  MPI_Comm_rank(wire.comm(), &rank);
  std::vector<std::byte> buffer(8);
  {
    MpiTransport transport(wire.comm(), throw_failure);
    EXPECT_TRUE(transport.start_receive(rank, 5, buffer));
    std::fill_n(transport.stage(), 8, std::byte{64});
    transport.post(rank, 8);
    Message message;
    while (!transport.receive(message)) transport.progress();
  }
  for (const int tag : {protocol::header_tag, 5}) {
    int received = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&received, 1, MPI_INT, rank, tag, wire.comm(), &request);
    const int sent = 77;
    MPI_Send(&sent, 1, MPI_INT, rank, tag, wire.comm());
    int complete = 0;
    for (int i = 0; i < 1000 && complete == 0; ++i) MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
    EXPECT_EQ(received, sent) << "tag " << tag;
    if (complete == 0) MPI_Cancel(&request);
  }
}

// Tickets of bodies that came with their messages stand for no request of MPI's; one body was never asked
// for.
TEST(MpiTransport, is_abandoned_or_destroyed_with_short_bodies_that_nobody_has_looked_after) {
  for (const bool is_abandoned : {true, false}) {
    const Wire wire;
    MpiTransport transport(wire.comm(), throw_failure, {.are_taken = true, .are_sent = true});
    const std::vector<std::byte> body(5000, std::byte{7});
    std::vector<std::byte> got(body.size());
    for (const int tag : {9, 10}) EXPECT_TRUE(post_with_body(transport, tag, body));
    Message message;
    for (int messages = 0; messages < 2;) messages += transport.receive(message) ? 1 : 0;
    EXPECT_TRUE(transport.start_receive(transport.rank(), 9, got));
    EXPECT_EQ(got, body);
    if (is_abandoned) {
      EXPECT_FALSE(transport.abandon());
    }
  }
}

TEST(MpiTransport, receives_no_more_where_a_receive_was_given_up) {
  const Wire wire;
  MpiTransport transport(wire.comm(), throw_failure);
  const std::vector<std::byte> body(5000, std::byte{7});
  std::vector<std::byte> given_up(body.size());
  std::vector<std::byte> got(body.size());
  transport.give_up(transport.start_receive(transport.rank(), 9, given_up));
  const Ticket received = transport.start_receive(transport.rank(), 9, got);
  const Ticket sent = transport.start_send(transport.rank(), 9, body);
  for (bool is_sent = false, is_received = false; !is_sent || !is_received;) {
    is_sent = is_sent || transport.done(sent, nullptr);
    is_received = is_received || transport.done(received, nullptr);
  }
  EXPECT_EQ(got, body);
  EXPECT_EQ(given_up, std::vector<std::byte>(body.size()));
}

// A receive that no message has matched is cancelled; a send is not.
TEST(MpiTransport, says_whether_mpi_may_still_use_memory_when_it_is_abandoned) {
  std::vector<std::byte> body(1 << 20, std::byte{7});
  for (const bool sends : {false, true}) {
    const Wire wire;
    MpiTransport transport(wire.comm(), throw_failure);
    const int tag = 9;
    if (sends) {
      static_cast<void>(transport.start_synchronous_send(transport.rank(), tag, body));
    } else {
      static_cast<void>(transport.start_receive(transport.rank(), tag, body));
    }
    EXPECT_EQ(transport.abandon(), sends);
    if (!sends) continue;
    std::vector<std::byte> got(body.size());
    MPI_Recv(got.data(), static_cast<int>(got.size()), MPI_BYTE, MPI_ANY_SOURCE, tag, wire.comm(),
             MPI_STATUS_IGNORE);
    EXPECT_EQ(got, body);
  }
}

}  // namespace
}  // namespace comex::transport::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    class Failures final : public testing::EmptyTestEventListener {
      void OnTestPartResult(const testing::TestPartResult& part) override {
        if (part.failed())
          std::fprintf(stderr, "%s:%d: %s\n", part.file_name(), part.line_number(), part.message());
      }
    };
    listeners.Append(new Failures);
  }
  const int mine = RUN_ALL_TESTS();
  int worst = 0;
  MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return worst;
}
