// Aggregate handles: one handle for any number of requests, which are waited for and tested together.
//
// Requests start at once, since comex.h collects small ones itself. A record is made with the first request
// and goes with a wait for it or for all, or when it is done and there are many: handles may be set and
// forgotten. Used by the non-blocking operations, wait and test, in any thread.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include "flavour.h"

namespace comex::armci {

class Aggregates {
 public:
  void set(armci_hdl_t* handle);
  void unset(armci_hdl_t* handle);
  static bool collects(int code);
  // Of a handle that collects.
  int attach(armci_hdl_t* handle, comex_request_t request);

  int wait(armci_hdl_t* handle);
  int test(armci_hdl_t* handle);  // 0: done, 1: pending
  void finished_all();            // after a comex_wait_all; other threads may have started more
  void forget();

 private:
  struct Record {
    int result = COMEX_SUCCESS;  // a failure stays until a wait has reported it
    std::vector<comex_request_t> outstanding;
  };
  static bool is_over(Record& record);
  void sweep();  // removes the records that are over; with the lock

  std::atomic<unsigned> next_{0};
  std::mutex lock_;
  std::map<int, Record> records_;  // by number; only of handles with requests
  std::size_t sweep_at_ = 0;       // so many records
};

}  // namespace comex::armci
