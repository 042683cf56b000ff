// Aggregate handles: one handle for any number of requests, which are waited for and tested together.
//
// Requests start at once, since comex.h collects small ones itself. A record is taken with the first request
// and given back by a wait for it or for all, so that handles may be set and forgotten. Used by the
// non-blocking operations, wait and test, in any thread.
#pragma once

#include <limits>
#include <mutex>
#include <vector>

#include "flavour.h"

namespace comex::armci {

class Aggregates {
 public:
  // The code of a handle that collects and has no request yet.
  static constexpr int empty_code = std::numeric_limits<int>::min() + 1;

  static void set(armci_hdl_t* handle) { set_code(handle, empty_code); }
  void unset(armci_hdl_t* handle);
  bool collects(int code);
  // Of a handle that collects. The request is waited for here if there are too many such handles.
  int attach(armci_hdl_t* handle, comex_request_t request);

  int wait(armci_hdl_t* handle);
  int test(armci_hdl_t* handle);  // 0: done, 1: pending
  void finished_all();            // after a comex_wait_all; other threads may have started more
  void forget();

 private:
  struct Record {
    int generation = 0;
    bool is_used = false;
    int result = COMEX_SUCCESS;
    std::vector<comex_request_t> outstanding;
    bool is_over() const { return outstanding.empty() && result == COMEX_SUCCESS; }
  };

  bool is_collecting(int code) const;
  Record* find(int code);
  Record* find_or_take(armci_hdl_t* handle);  // null: there are too many
  static bool all_done(Record& record);
  void release(Record& record);

  std::mutex lock_;
  std::vector<Record> records_;
  std::vector<int> free_;  // places of records
};

}  // namespace comex::armci
