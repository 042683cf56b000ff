// Aggregate handles: one handle for any number of requests, which are waited for and tested together.
//
// Requests start at once, since comex.h collects small ones itself. Used by the non-blocking operations, wait
// and test, in any thread.
#pragma once

#include <mutex>
#include <vector>

#include "flavour.h"

namespace comex::armci {

class Aggregates {
 public:
  int set();            // a new code; 0: too many, so each request has its own handle
  int unset(int code);  // returns the code for later waits
  bool collects(int code);
  void attach(int code, comex_request_t request);

  int wait(int code, int& code_left);
  int test(int code);   // 0: done, 1: pending
  void finished_all();  // after a comex_wait_all; other threads may have started more
  void forget();

 private:
  struct Record {
    int generation = 0;
    bool is_used = false;
    bool collects = false;
    int result = COMEX_SUCCESS;
    std::vector<comex_request_t> outstanding;
  };

  Record* find(int code);
  static bool all_done(Record& record);
  void release_if_over(Record& record);
  void release(Record& record);

  std::mutex lock_;
  std::vector<Record> records_;
};

}  // namespace comex::armci
