// Small programs of several workers on a handful of words: what the memory model is asked about.
//
// A word is 8 bytes in the memory of one worker, its home, and is 0 at the start. What an access does to data
// is an operation of support/model.h, so that there is one definition of it for this model, for the
// differential tests and for the calls that litmus tests make.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/model.h"

namespace comex::rules {

enum class Kind : std::uint8_t {
  access,      // the operation, blocking or not
  fence,       // of `target`
  fence_all,   // of every worker
  wait_all,    // for requests that were begun
  barrier,     // of all workers of the program
  lock,        // the mutex
  unlock,      //
  wait_until,  // the worker's own word is `value`
  load,        // of the worker's own word, by a plain load
  store,       // to the worker's own word, by a plain store
};

struct Instruction {
  Kind kind = Kind::fence_all;
  int target = 0;  // of access and fence
  int word = 0;    // of access, wait_until, load and store
  long value = 0;  // of put, accumulate, wait_until and store: what is written, added or awaited
  bool is_blocking = true;
  testing::Operation operation;  // of access; the word lies at word_bytes * word

  bool reads() const {
    return kind == Kind::load || (kind == Kind::access && (operation.verb == testing::Verb::get ||
                                                           operation.verb == testing::Verb::rmw));
  }
};

inline constexpr long word_bytes = 8;

struct Program {
  std::vector<int> homes;  // of the words
  std::vector<std::vector<Instruction>> workers;

  std::size_t reads() const;  // how many values the workers read
  std::string describe() const;
};

// What was read, worker by worker in program order, and then the words at the end.
using Outcome = std::vector<long>;

// How programs are written down. Accesses take the word; its home is filled in by made().
Instruction put(int word, long value);
Instruction acc(int word, long value);
Instruction get(int word);
Instruction fetch_add(int word, long value);
Instruction swap(int word, long value);
Instruction put_signal(int word, long value, int signal, long signal_value);
Instruction put_signal_add(int word, long value, int signal, long added);
Instruction nb(Instruction access);  // its non-blocking form
Instruction fence(int target);
Instruction fence_all();
Instruction wait_all();
Instruction barrier();
Instruction lock();
Instruction unlock();
Instruction wait_until(int word, long value);
Instruction load(int word);
Instruction store(int word, long value);

Program made(std::vector<int> homes, std::vector<std::vector<Instruction>> workers);

}  // namespace comex::rules
