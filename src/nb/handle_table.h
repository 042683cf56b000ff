// Public non-blocking handles. A handle is an int that holds a slot and the generation it was issued in.
//
//    bit 31   30 ........ 20   19 ............ 0
//       [ 0 | generation 11  |  slot 20          ]     slot 0 is never issued, so 0 is no handle
//
// A handle that has completed or was waited for, or a copy of it, is done for ever; only a value that was
// never issued is unknown. Slots whose work is done are reused in turn with the next generation. A slot that
// has used up its generations is retired until the table cannot grow. A failure that was not taken keeps its
// slot. Slots never move, the table grows, and any thread may call. runtime issues handles and looks them up;
// op counts the completions.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "nb/completion.h"

namespace comex::nb {

class HandleTable {
 public:
  enum class State : std::uint8_t { unknown, pending, done };

  // The handle of an operation that was complete when its call returned. It is always done.
  static constexpr int completed_handle = 1 << 20;

  HandleTable();
  ~HandleTable();
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;

  // Returns a new handle with one outstanding part, the issuer's own: complete that part once all parts of
  // the operation are added. Returns zero when every possible slot is pending.
  int issue();

  // Returns the completion of a handle: one that is always done for a past handle, null for a value that was
  // never issued. A slot may be reused once it is done, so wait by handle, not by this pointer.
  Completion* find(int handle);
  State state(int handle);
  // Tells once how the handle's operation failed.
  OperationError take_failure(int handle);
  // The same for all handles at once, when no operation is under way any more.
  bool take_failures();

  std::uint32_t slots() const { return size_.load(std::memory_order_acquire); }
  // The size of a slot, for estimates of the runtime's memory.
  static constexpr std::size_t slot_bytes() { return sizeof(Slot); }
  static constexpr std::uint32_t chunk_slots = 1024;  // slots that are allocated at once

 private:
  static constexpr std::uint32_t slot_bits = 20;
  static constexpr std::uint32_t max_slots = 1u << slot_bits;
  static constexpr std::uint32_t last_generation = (1u << 11) - 1;
  static constexpr std::uint32_t max_chunks = max_slots / chunk_slots;

  struct Slot {
    std::atomic<std::uint32_t> generation{0};
    Completion completion;
  };

  Slot& slot(std::uint32_t index) const;
  bool grow();
  bool reusable(const Slot& candidate) const;
  std::uint32_t next_reusable();
  void start_over();

  std::mutex mutex_;
  std::atomic<std::uint32_t> size_{1};
  std::atomic<bool> wrapped_{false};  // the generations began again: every value of a slot counts as issued
  std::uint32_t hand_ = 1;
  std::uint32_t oldest_live_ = 1;  // all slots below are retired
  std::uint32_t fresh_ = 1;        // slots from here up were never issued
  Completion past_;
  std::unique_ptr<std::atomic<Slot*>[]> chunks_;
};

}  // namespace comex::nb
