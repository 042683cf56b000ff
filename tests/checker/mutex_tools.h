// What the cases about mutexes have in common.
#pragma once

#include "bed.h"

namespace comex::checker {

inline constexpr int many = 16;
inline constexpr int bytes = many * static_cast<int>(sizeof(long));

inline void lock(const Bed& bed, int mutex, int proc) {
  bed.done(comex_lock(mutex, proc));
}
inline void unlock(const Bed& bed, int mutex, int proc) {
  bed.done(comex_unlock(mutex, proc));
}

inline bool try_lock(const Bed& bed, int mutex, int proc) {
  int acquired = 0;
  bed.done(comex_trylock(mutex, proc, &acquired));
  return acquired == 1;
}

inline void increment(Bed& bed, long* block, int at) {
  bed.put(block, many, at, bed.get(block, many, at)[many - 1] + 1);
}

class Mutexes {  // of each worker
 public:
  Mutexes(const Bed& bed, int count) : bed_(bed) { bed.done(comex_create_mutexes(count)); }
  ~Mutexes() { bed_.done(comex_destroy_mutexes()); }
  Mutexes(const Mutexes&) = delete;
  Mutexes& operator=(const Mutexes&) = delete;

 private:
  const Bed& bed_;
};

}  // namespace comex::checker
