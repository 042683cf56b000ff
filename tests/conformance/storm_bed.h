// Calls that a confused program makes: the memory that they may touch, and arguments of every kind, most of
// them wrong.
//
// What cannot be told from a right argument is left out: local memory that is not there, and calls for which
// the program itself would have to do its part to be let go (a mutex that is held, collectives that others do
// not join).
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <tuple>
#include <type_traits>
#include <vector>

#include "conformance/job_rig.h"

namespace comex::whole {

constexpr std::size_t segment_bytes = 4096;
constexpr unsigned char kept_value = 0x6b;

// Of each worker: memory that calls name, others' memory before and behind it, and a block that no wrong call
// may change.
class StormMemory {
 public:
  explicit StormMemory(Job& job) {
    job.create_mutexes(2);
    for (int worker = 0; worker < job.workers(); ++worker) {
      before_.push_back(fill(job, worker, worker + 1));
      segments.push_back(job.allocate<char>(worker, segment_bytes));
      behind_.push_back(fill(job, worker, worker + 1));
      kept.push_back(job.allocate<long>(worker, 8));
    }
  }
  void check() const {
    for (const auto& blocks : {before_, behind_}) {
      for (const unsigned char* block : blocks)
        for (std::size_t i = 0; i < segment_bytes; ++i) ASSERT_EQ(block[i], kept_value) << i;
    }
  }

  std::vector<char*> segments;
  std::vector<long*> kept;

 private:
  // In the memory of one worker's host, but another worker's.
  static unsigned char* fill(Job& job, int worker, int owner) {
    std::byte* const block =
        test::allocate_in(job.arena_of(worker), static_cast<Worker>(100 + owner), segment_bytes);
    std::memset(block, kept_value, segment_bytes);
    return reinterpret_cast<unsigned char*>(block);
  }

  std::vector<unsigned char*> before_;
  std::vector<unsigned char*> behind_;
};

// The lines about wrong calls, of which there are many, go to a file. It stays if the process ends before,
// and then has what a sanitizer said at last.
class Quiet {
 public:
  Quiet()
      : kept_(::dup(STDERR_FILENO)),
        name_(std::filesystem::temp_directory_path() / ("comex_storm." + std::to_string(::getpid()))) {
    std::printf("until it is over, what it says goes to %s\n", name_.c_str());
    std::fflush(stdout);
    std::fflush(stderr);
    const int file = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  ~Quiet() {
    std::fflush(stderr);
    ::dup2(kept_, STDERR_FILENO);
    ::close(kept_);
    std::filesystem::remove(name_);
  }

 private:
  int kept_;
  std::filesystem::path name_;
};

class Confused {
 public:
  // `memory` is null where there is no runtime.
  Confused(unsigned long seed, const StormMemory* memory) : memory_(memory), random_(seed) {}

  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[below(static_cast<unsigned>(all.size()))];
  }

  // Chooses the target of the next call.
  void aim() {
    proc_ = below(6) == 0 ? one_of({-1, 3, 64, INT_MAX, INT_MIN}) : static_cast<int>(below(3));
    world_ = below(12) == 0 ? bad_group() : COMEX_GROUP_WORLD;
  }
  int proc() const { return proc_; }
  int world() const { return world_; }
  int group() { return one_of({0, 0, -2, bad_group()}); }
  int bad_group() { return one_of({-1, -3, 1, 17, 4096, INT_MAX, INT_MIN}); }
  // Of the last proc(), mostly.
  void* far() {
    const unsigned kind = below(16);
    if (kind == 0) return nullptr;
    if (kind == 1)
      return reinterpret_cast<void*>(one_of<std::uintptr_t>({1, 8, 4096, ~0UL, ~7UL, 1UL << 63}));
    if (kind == 2) return reinterpret_cast<void*>(random_());
    if (memory_ == nullptr) return near_.data();
    const unsigned of = kind == 3 || proc_ < 0 || proc_ > 2 ? below(3) : static_cast<unsigned>(proc_);
    const auto first = reinterpret_cast<std::uintptr_t>(memory_->segments[of]);
    const unsigned step = kind == 4 ? 1 : 8;
    return reinterpret_cast<void*>(first - 64 + step * below((segment_bytes + 128) / step));
  }
  char* near() { return below(16) == 0 ? nullptr : near_.data() + 8 * below(512) + (below(8) == 0 ? 1 : 0); }
  template <class T>
  T* place() {
    return below(8) == 0 ? nullptr : reinterpret_cast<T*>(places_.data());
  }
  long* words() { return words_.data() + below(4); }
  // Such that near memory is there: what is too long is so for a local target only, or negative.
  int bytes() {
    const int wrong = proc_ == 2 ? -1 : INT_MAX;
    return one_of({0, 1, 4, 8, 8, 16, 64, 300, 3000, 5000, 20000, -1, -8, INT_MIN, wrong});
  }
  std::size_t bytes_x() {
    const std::size_t wrong = proc_ == 2 ? 5000 : SIZE_MAX / 4;
    return one_of<std::size_t>({0, 1, 8, 8, 16, 64, 300, 3000, 20000, SIZE_MAX, SIZE_MAX / 2 + 1, wrong});
  }
  int get_bytes() { return below(8) == 0 ? INT_MAX : bytes(); }
  std::size_t get_bytes_x() { return below(8) == 0 ? std::size_t{1} << one_of({31, 40, 62}) : bytes_x(); }

  int levels() { return one_of({0, 1, 1, 2, 3, 8, 9, -1, INT_MAX, INT_MIN}); }
  template <class Stride>
  Stride* near_strides() {
    return strides<Stride>(arrays<Stride>().near_strides, {0, 8, 16, 64, 64, -8});
  }
  template <class Stride>
  Stride* far_strides() {
    return strides<Stride>(arrays<Stride>().far_strides,
                           {0, 8, 16, 64, 64, -8, 1 << 20, std::numeric_limits<Stride>::max()});
  }
  template <class Count>
  Count* counts() {
    auto& all = arrays<Count>().counts;
    for (Count& each : all) each = one_of<Count>({1, 1, 2, 3});
    all[0] = one_of<Count>({0, 4, 8, 16, 24});
    if (below(8) == 0) all[below(3)] = static_cast<Count>(-1);
    return below(16) == 0 ? nullptr : all.data();
  }
  // A get has the far side first.
  template <class Giov>
  Giov* giovs(bool is_get) {
    static_assert(sizeof(Giov) <= 32);
    auto* const all = reinterpret_cast<Giov*>(giovs_);
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 4; ++k) {
        nears_[i][k] = near();
        fars_[i][k] = far();
      }
      void** const some = below(16) == 0 ? nullptr : nears_[i];
      void** const others = below(16) == 0 ? nullptr : fars_[i];
      const auto fill = [&](void**& src, void**& dst, auto& number, auto& bytes) {
        using Number = std::remove_reference_t<decltype(number)>;
        src = is_get ? others : some;
        dst = is_get ? some : others;
        number = below(16) == 0 ? static_cast<Number>(-1) : one_of<Number>({0, 1, 2, 4});
        bytes = below(16) == 0 ? static_cast<Number>(-1) : one_of<Number>({0, 4, 8, 200, 1000});
      };
      if constexpr (requires(Giov armci) { armci.ptr_array_len; }) {  // its flavours have other orders
        fill(all[i].src_ptr_array, all[i].dst_ptr_array, all[i].ptr_array_len, all[i].bytes);
      } else {
        fill(all[i].src, all[i].dst, all[i].count, all[i].bytes);
      }
    }
    return below(16) == 0 ? nullptr : all;
  }
  int length() { return one_of({0, 1, 1, 2, 3, -1, INT_MIN}); }
  std::size_t length_x() { return one_of<std::size_t>({0, 1, 1, 2, 3, SIZE_MAX, SIZE_MAX / 8}); }

  int operation() { return static_cast<int>(89 + below(11)); }
  int atomic() { return static_cast<int>(49 + below(13)); }
  int type() { return static_cast<int>(69 + below(9)); }
  char* misplaced() { return near_.data() + 4; }
  int* ranks(bool is_none_good) {
    for (int& each : ranks_) each = one_of({0, 1, 2, 3, -1, INT_MAX});
    if (is_none_good) ranks_[0] = ranks_[1] = 2;
    return ranks_;
  }
  int acc_type() { return static_cast<int>(35 + below(10)); }
  void* scale() { return below(12) == 0 ? nullptr : scale_; }
  // A handle of its own: new, or one that was used before, whatever became of it.
  comex_request_t* handle() {
    if (below(8) == 0) return nullptr;
    comex_request_t& chosen = handles_[below(16)];
    if (below(32) == 0) chosen = static_cast<comex_request_t>(random_());
    return &chosen;
  }
  comex_request_t* new_handle() { return below(4) == 0 ? nullptr : &(handles_[below(16)] = 0); }
  void*& block() { return blocks_[below(4)]; }

  void end() {
    for (comex_request_t& each : handles_) comex_wait(&each);
    for (void* each : blocks_) comex_free_local(each);
  }

 private:
  template <class T>
  struct Arrays {
    std::array<T, 16> near_strides, far_strides, counts;
  };
  template <class T>
  Arrays<T>& arrays() {
    return std::get<Arrays<T>>(arrays_);
  }
  template <class Stride>
  Stride* strides(std::array<Stride, 16>& into, std::initializer_list<Stride> of) {
    for (Stride& each : into) each = one_of(of);
    return below(16) == 0 ? nullptr : into.data();
  }

  const StormMemory* memory_;
  std::mt19937_64 random_;
  int proc_ = 0;
  int world_ = COMEX_GROUP_WORLD;
  std::tuple<Arrays<int>, Arrays<std::ptrdiff_t>, Arrays<std::size_t>> arrays_;
  std::vector<char> near_ = std::vector<char>(3 << 20);
  std::vector<long> places_ = std::vector<long>(64);
  std::vector<long> words_ = std::vector<long>(16);
  comex_request_t handles_[16] = {};
  int ranks_[16] = {};
  void* blocks_[4] = {};
  void* nears_[3][4] = {};
  void* fars_[3][4] = {};
  alignas(8) unsigned char giovs_[3 * 32] = {};
  double scale_[2] = {1, 0};
};

}  // namespace comex::whole
