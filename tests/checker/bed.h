// What every case here shares: a worker's place in the job, memory, and the few calls that most cases make.
//
// A case is a small program for four workers. A right one keeps to docs/memory-model.md, and checks what it
// reads. A wrong one breaks it in every execution, whatever the timing, though in practice nothing bad need
// happen. Plain loads and stores of a worker's own part are told by comex_access_begin and _end, as `read`
// and `write` do.
#pragma once

#include <comex/comex.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace comex::checker {

constexpr comex_group_t everyone = COMEX_GROUP_WORLD;
constexpr int needed_workers = 4;

// What a checker has to say of a case.
constexpr const char* right = "right";
constexpr const char* race = "race";          // accesses in conflict that nothing orders
constexpr const char* signal = "signal";      // two stores to one signal word, of which one is lost
constexpr const char* buffer = "buffer";      // a local buffer reused before its operation is complete
constexpr const char* freed = "freed";        // memory used after it has been freed (may end the job)
constexpr const char* unwaited = "unwaited";  // a request that is never completed
constexpr const char* mismatch = "mismatch";  // members call different collectives (may hang)
constexpr const char* unlocked = "unlocked";  // a mutex that is never unlocked
constexpr const char* twice = "twice";        // a mutex locked again by its holder (may hang)
constexpr const char* order = "order";        // mutexes taken in opposite orders
constexpr const char* access = "access";      // access_begin and access_end that do not pair

// The part of every member of a group.
template <class T>
struct Parts {
  std::vector<void*> at;
  comex_group_t group = everyone;
  int mine = 0;

  T* operator[](int rank) const { return static_cast<T*>(at[static_cast<std::size_t>(rank)]); }
};

class Bed {
 public:
  Bed();
  Bed(const Bed&) = delete;
  Bed& operator=(const Bed&) = delete;

  void done(int code, std::source_location where = std::source_location::current()) const;
  void require(bool holds, const char* what,
               std::source_location where = std::source_location::current()) const;

  // `count` elements of every member, cleared; a barrier of the group follows. The bed frees them after a
  // right case; a wrong one leaves them to finalize.
  template <class T = long>
  Parts<T> allocate(std::size_t count, comex_group_t group = everyone) {
    Parts<T> parts{std::vector<void*>(needed_workers), group, rank_in(group)};
    done(comex_malloc(parts.at.data(), count * sizeof(T), group));
    write(parts[parts.mine], static_cast<int>(count), T{});
    done(comex_barrier(group));
    allocated_.push_back({parts.at[static_cast<std::size_t>(parts.mine)], group});
    return parts;
  }
  template <class T>
  void release(const Parts<T>& parts) {
    void* const mine = parts.at[static_cast<std::size_t>(parts.mine)];
    std::erase_if(allocated_, [&](const Allocation& each) { return each.mine == mine; });
    done(comex_free(mine, parts.group));
  }
  void end_of_case();  // collective: frees what the case has left

  // Private memory that lives until the job ends, for sources and results of any call.
  template <class T = long>
  T* local(std::size_t count, T value = T{}) {
    buffers_.push_back(
        std::make_unique<std::max_align_t[]>(count * sizeof(T) / sizeof(std::max_align_t) + 1));
    T* const first = reinterpret_cast<T*>(buffers_.back().get());
    std::fill_n(first, count, value);
    return first;
  }

  // Blocking operations on `count` elements, all of one value; `get` returns where they have arrived.
  template <class T>
  void put(T* dst, int count, int to, std::type_identity_t<T> value = T{1}) {
    done(comex_put(local<T>(static_cast<std::size_t>(count), value), dst, bytes<T>(count), to, everyone));
  }
  template <class T>
  T* get(T* src, int count, int from) {
    T* const result = local<T>(static_cast<std::size_t>(count));
    done(comex_get(src, result, bytes<T>(count), from, everyone));
    return result;
  }
  template <class T>
  void acc(T* dst, int count, int to, std::type_identity_t<T> value = T{1}) {
    T scale{1};
    T* const src = local<T>(static_cast<std::size_t>(count), value);
    done(comex_acc(type_of<T>(), &scale, src, dst, bytes<T>(count), to, everyone));
  }
  long add(long* word, int to, int operand = 1) const;  // fetch-and-add; returns the old value
  long swap(long* word, int to, long value) const;
  void poll(long* word, int at, long value);  // gets the word until it is at least `value`
  void fence(int to) const { done(comex_fence_proc(to, everyone)); }
  void barrier() const { done(comex_barrier(everyone)); }

  // Plain loads and stores of the own part.
  template <class T>
  T read(const T* own, int count) const {
    done(comex_access_begin(own, static_cast<std::size_t>(bytes<T>(count)), COMEX_ACCESS_READ));
    T sum{};
    for (int i = 0; i < count; ++i) sum = static_cast<T>(sum + own[i]);
    done(comex_access_end(own));
    return sum;
  }
  template <class T>
  void write(T* own, int count, std::type_identity_t<T> value = T{7}) const {
    if (count == 0) return;
    done(comex_access_begin(own, static_cast<std::size_t>(bytes<T>(count)), COMEX_ACCESS_WRITE));
    std::fill_n(own, count, value);
    done(comex_access_end(own));
  }

  void signal(long* dst, int count, long* word, long value, int to);  // put_signal of that value everywhere
  void await(long* word, long value) const;                           // waits until it is at least `value`

  void send(int to) const;  // a message of the program's own
  void receive(int from) const;

  comex_group_t group(std::initializer_list<int> members) const;  // called by all
  int rank_in(comex_group_t group) const;
  bool is(std::initializer_list<int> members) const { return std::ranges::count(members, me) > 0; }
  int next() const { return (me + 1) % workers; }
  int previous() const { return (me + workers - 1) % workers; }

  int me = 0;
  int workers = 0;
  MPI_Comm comm = MPI_COMM_NULL;

 private:
  struct Allocation {
    void* mine;
    comex_group_t group;
  };

  template <class T>
  static int bytes(int count) {
    return count * static_cast<int>(sizeof(T));
  }
  template <class T>
  static int type_of() {
    if constexpr (std::is_same_v<T, double>) return COMEX_ACC_DBL;
    if constexpr (std::is_same_v<T, float>) return COMEX_ACC_FLT;
    if constexpr (std::is_same_v<T, int>) return COMEX_ACC_INT;
    return COMEX_ACC_LNG;
  }

  std::vector<Allocation> allocated_;
  std::vector<std::unique_ptr<std::max_align_t[]>> buffers_;
};

struct Case {
  const char* name;
  const char* expectation;
  void (*run)(Bed& bed);
};

using Cases = std::span<const Case>;

// One function for each file of cases.
Cases remote_remote();
Cases local_remote();
Cases atomics();
Cases strided();
Cases signals();
Cases completion();
Cases lifetime();
Cases mutexes();
Cases lock_order();
Cases collectives();
Cases endpoints();
Cases messages();
Cases synchronous();
Cases forms();
Cases mpi_forms();
Cases mpi4_forms();  // none where MPI is older

}  // namespace comex::checker
