// What all rows stand on: the workers, a thousand live allocations, and random words in them.
//
// Collective: every worker makes one, and the same random numbers are drawn everywhere.
#pragma once

#include <comex.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace comex::bench {

struct Options {
  int allocations = 1000;
  int spots = 8192;
  int rounds = 9;
  int scale = 100;  // percent of the usual number of operations in a round
  std::uint64_t seed = 1;
};

struct Spot {  // one word of somebody's memory
  int proc = 0;
  std::byte* at = nullptr;
};

class Rig {
 public:
  static constexpr int allocation_bytes = 8192;
  static constexpr int block_bytes = 256 * 1024;
  static constexpr int block_count = 8;

  explicit Rig(const Options& options);
  ~Rig();
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  int me() const { return me_; }
  int size() const { return size_; }
  MPI_Comm comm() const { return comm_; }
  int partner() const { return partner_; }  // on another host; -1 when there is none
  const std::vector<Spot>& near() const {
    return near_;
  }  // words on worker 0's host, all distinct; 2^n of them
  const std::vector<Spot>& far() const { return far_; }  // words of the partner
  std::byte* block_of(int proc) const;                   // block_count blocks of block_bytes
  int operations(int usual) const;                       // how many in a round
  bool is_first() const { return me_ == 0; }
  bool is_partner() const { return me_ == partner_; }

 private:
  std::vector<Spot> draw(std::mt19937_64& random, const std::vector<int>& procs, int count) const;

  Options options_;
  int me_ = 0;
  int size_ = 0;
  int partner_ = -1;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<std::vector<void*>> allocations_;
  std::vector<void*> blocks_;
  std::vector<Spot> near_;
  std::vector<Spot> far_;
};

// The nanoseconds of one of `count` calls of `work(i)`.
template <class Work>
double time_each(int count, Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) work(i);
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / count;
}

// The compiler must take the value as used, and memory as changed.
template <class T>
void keep(T&& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

}  // namespace comex::bench
