// A worker's batches that are not sent yet, placed where another process of the host can send them.
//
// Every buffer has one word. It goes from free to open; the worker then publishes each item by replacing the
// word. It becomes free again when the worker sends the batch, or taken and then free when the host's pusher
// does. The process that replaces the word of an open buffer has the batch, with as many items as the word
// says; the other finds the word changed and leaves it alone. The worker announces open buffers and rings;
// the pusher withdraws the announcement when it finds none. Zeroed memory is an empty outbox. op/remote
// writes, pr/pusher takes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "core/protocol.h"
#include "core/status.h"
#include "shm/doorbell.h"
#include "shm/os.h"

namespace comex::shm {

// The value of a buffer's word.
class OutboxWord {
 public:
  enum class State : std::uint8_t { free, open, taken };

  constexpr OutboxWord() = default;
  explicit constexpr OutboxWord(std::uint64_t bits) : bits_(bits) {}

  constexpr std::uint64_t bits() const { return bits_; }
  constexpr State state() const { return static_cast<State>(bits_ & 3); }
  constexpr bool has_answer() const { return (bits_ & answer_bit) != 0; }  // an item is a get or an rmw
  constexpr std::uint32_t items() const { return (bits_ >> items_shift) & 0xfff; }
  constexpr std::uint32_t bytes() const { return (bits_ >> bytes_shift) & 0xffff; }  // of the message
  // The number of closings so far, modulo 2^32.
  constexpr std::uint32_t closings() const {
    return static_cast<std::uint32_t>(bits_ >> epoch_shift) - (state() == State::open ? 1 : 0);
  }

  // The epoch grows with each opening, so that two openings are never confused.
  constexpr OutboxWord opened(std::uint32_t bytes) const {
    return OutboxWord(((bits_ >> epoch_shift) + 1) << epoch_shift | std::uint64_t{bytes} << bytes_shift |
                      static_cast<std::uint64_t>(State::open));
  }
  constexpr OutboxWord with_item(std::size_t bytes, bool has_answer) const {
    return OutboxWord((bits_ + (std::uint64_t{1} << items_shift) + (std::uint64_t{bytes} << bytes_shift)) |
                      (has_answer ? answer_bit : 0));
  }
  constexpr OutboxWord in(State state) const {
    return OutboxWord((bits_ & ~std::uint64_t{3}) | static_cast<std::uint64_t>(state));
  }
  constexpr bool is_same_opening(OutboxWord other) const {
    return bits_ >> epoch_shift == other.bits_ >> epoch_shift;
  }

 private:
  static constexpr std::uint64_t answer_bit = 4;
  static constexpr unsigned items_shift = 4;
  static constexpr unsigned bytes_shift = 16;
  static constexpr unsigned epoch_shift = 32;

  std::uint64_t bits_ = 0;
};

struct alignas(64) OutboxBuffer {
  std::atomic<std::uint64_t> word;
  // The receiver of the open buffer. `slot` is valid only when the word says that there is an answer.
  TransportRank to;
  std::uint32_t slot;
  std::atomic<std::uint64_t> begun_ns;                     // the first item's time, by the worker's clock
  alignas(64) std::byte message[protocol::message_bytes];  // header, then items

  OutboxWord look() const { return OutboxWord(word.load(std::memory_order_acquire)); }
  bool replace(OutboxWord expected, OutboxWord next) {
    std::uint64_t bits = expected.bits();
    return word.compare_exchange_strong(bits, next.bits(), std::memory_order_acq_rel,
                                        std::memory_order_relaxed);
  }
  // For the process that has the batch: copies the whole message, completed with what only the last word
  // says, and returns its bytes.
  std::size_t copy_to(std::byte* to_where, OutboxWord last) const {
    protocol::RequestHeader header;
    COMEX_BUG_IF(last.bytes() < sizeof header || last.bytes() > sizeof message);
    std::memcpy(&header, message, sizeof header);
    header.slot = last.has_answer() ? slot : 0;
    header.set_items(last.items());
    header.bytes = last.bytes() - sizeof header;
    std::memcpy(to_where, &header, sizeof header);
    std::memcpy(to_where + sizeof header, message + sizeof header, header.bytes);
    return last.bytes();
  }
};
static_assert(sizeof(OutboxBuffer) == 4096);

struct alignas(64) OutboxHead {
  std::atomic<std::uint32_t> is_announced;
};

// The outbox of one worker, at a place in its host's arena; a value.
class Outbox {
 public:
  Outbox() = default;
  // `bell` is of the process that pushes; none if nobody sleeps. `clock` tells the pusher how long a batch
  // has been open; none if nobody pushes.
  Outbox(std::byte* place, std::uint32_t buffers, std::optional<Doorbell> bell = std::nullopt,
         Os* clock = nullptr)
      : head_(reinterpret_cast<OutboxHead*>(place)),
        first_(reinterpret_cast<OutboxBuffer*>(place + sizeof(OutboxHead))),
        buffers_(buffers),
        bell_(bell),
        clock_(clock) {}

  static constexpr std::size_t bytes_for(std::uint32_t buffers) {
    return sizeof(OutboxHead) + buffers * sizeof(OutboxBuffer);
  }

  std::uint32_t size() const { return buffers_; }
  OutboxBuffer& operator[](std::uint32_t index) const { return first_[index]; }

  // Called by the worker before it publishes the first item of a batch.
  void begin(OutboxBuffer& buffer) const {
    buffer.begun_ns.store(clock_ == nullptr ? 0 : clock_->now_ns(), std::memory_order_relaxed);
  }
  // Called by the worker when it has opened a buffer.
  void announce() {
    if (head_->is_announced.exchange(1, std::memory_order_acq_rel) == 0 && bell_) bell_->ring();
  }
  // Called by the pusher. After take_back() it looks once more: it then sees every buffer opened before, and
  // a buffer opened later is announced again.
  bool is_announced() const { return head_->is_announced.load(std::memory_order_acquire) != 0; }
  void take_back() { head_->is_announced.exchange(0, std::memory_order_acq_rel); }

 private:
  OutboxHead* head_ = nullptr;
  OutboxBuffer* first_ = nullptr;
  std::uint32_t buffers_ = 0;
  std::optional<Doorbell> bell_;
  Os* clock_ = nullptr;
};

}  // namespace comex::shm
