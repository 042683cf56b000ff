// What a process holds at the moment: memory, descriptors, and of the library's own the heap and the mappings
// of arenas.
//
// The heap counted is that of C++ code, the library's and the program's; MPI's, which is written in C, is not
// in it. The global operators are replaced for that: for one source file of a program.
#pragma once

#include <dirent.h>
#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>

namespace comex::testing {

inline std::atomic<long> own_heap_bytes{0};

inline void* take(std::size_t bytes, std::size_t alignment) {
  void* place = nullptr;
  if (::posix_memalign(&place, alignment, bytes) != 0) throw std::bad_alloc();
  own_heap_bytes += static_cast<long>(::malloc_usable_size(place));
  return place;
}
inline void give_back(void* place) {
  own_heap_bytes -= static_cast<long>(::malloc_usable_size(place));
  std::free(place);
}

struct Held {
  long resident_kib = 0;
  long descriptors = 0;
  long arenas = 0;  // mappings of them, and how large these are
  unsigned long arena_bytes = 0;
  long heap_bytes = 0;
};

inline Held held() {
  Held now;
  {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("RssAnon:")) now.resident_kib = std::stol(line.substr(8));
    }
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      if (line.find("comex") == std::string::npos || line.find("rw-s") == std::string::npos) continue;
      ++now.arenas;
      now.arena_bytes +=
          std::stoul(line.substr(line.find('-') + 1), nullptr, 16) - std::stoul(line, nullptr, 16);
    }
  }
  if (DIR* directory = opendir("/proc/self/fd"); directory != nullptr) {
    while (readdir(directory) != nullptr) ++now.descriptors;
    closedir(directory);
  }
  now.heap_bytes = own_heap_bytes;
  return now;
}

}  // namespace comex::testing

void* operator new(std::size_t bytes) {
  return comex::testing::take(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return comex::testing::take(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* place) noexcept {
  comex::testing::give_back(place);
}
void operator delete(void* place, std::size_t) noexcept {
  comex::testing::give_back(place);
}
void operator delete(void* place, std::align_val_t) noexcept {
  comex::testing::give_back(place);
}
void operator delete(void* place, std::size_t, std::align_val_t) noexcept {
  comex::testing::give_back(place);
}
