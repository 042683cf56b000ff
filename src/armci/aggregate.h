// Aggregate handles: collects small operations per target and issues them as one vector operation.
//
// Promises program order per target: what is held for a target goes out before any other operation on it,
// and a put or get that writes where a held one does starts a new batch. Values are kept here until they are
// written. Called by the non-blocking operations, by wait, test and fences; any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "flavour.h"

namespace comex::armci {

namespace detail {
extern std::atomic<int> held_batches;  // apart, so that every operation asks for it with one load
}

enum class Verb : std::uint8_t { put, get, acc };

struct Piece {
  Verb verb = Verb::put;
  int proc = 0;
  int acc_code = 0;
  const void* scale = nullptr;
  void* src = nullptr;
  void* dst = nullptr;
  int bytes = 0;
};

class Aggregates {
 public:
  static constexpr int max_piece_bytes = 4096;

  static bool any_held() { return detail::held_batches.load(std::memory_order_acquire) != 0; }

  int set();            // a new aggregate's code
  int unset(int code);  // issues what it holds; the code that is left to wait for
  bool collects(int code);

  // Small, and nothing that the plain call refuses: one such piece would take its whole batch along. Nothing
  // at all where errors return.
  static bool can_hold(const Piece& piece);
  // False: not to be held, or no such aggregate; then issue it and attach the request.
  bool add(int code, const Piece& piece);
  bool add_value(int code, const void* value, int bytes, void* dst, int proc);
  void attach(int code, comex_request_t request);

  void flush_target(int proc);
  void flush_all();
  int wait(int code, int& code_left);
  int test(int code);   // 0 done, 1 pending
  void finished_all();  // after a comex_wait_all; other threads may have started more since
  void forget();

 private:
  using Kept = std::deque<std::array<std::byte, 8>>;
  struct Run {
    int bytes = 0;
    int count = 0;
  };
  struct Batch {
    int owner = 0;
    Verb verb = Verb::put;
    int acc_code = 0;
    std::array<std::byte, 16> scale{};
    std::vector<void*> src;
    std::vector<void*> dst;
    std::vector<Run> runs;
    std::size_t total_bytes = 0;
    std::map<std::uintptr_t, std::uintptr_t> written;  // begin to end
    Kept kept;
  };
  struct Outstanding {
    comex_request_t request = 0;
    Kept kept;
  };
  struct Record {
    int generation = 0;
    bool is_used = false;
    bool collects = false;
    int result = COMEX_SUCCESS;
    std::vector<Outstanding> outstanding;
  };

  Record* find(int code);
  void add_locked(int code, const Piece& piece, const void* value);
  void issue(int proc, Batch& batch);
  void flush_owner(int code);
  static bool all_done(Record& record);
  void release_if_over(Record& record);
  void release(Record& record);

  std::mutex lock_;
  std::map<int, Batch> batches_;  // per target
  std::vector<Record> records_;
};

}  // namespace comex::armci
