// The pages of an allocation come with it, or when they are touched, as COMEX_ARENA_COMMIT says.
//
// Usage: commit now|touch   commit unused: what nobody has used for ten seconds goes back
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "job.h"

namespace {

namespace fs = std::filesystem;
using comex::testing::everyone;
using comex::testing::Job;

constexpr long bytes = 64 << 20;

// The file of the mapping that holds this address.
ino_t file_of(const void* address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    ino_t file = 0;
    std::string skipped;
    std::replace(line.begin(), line.begin() + static_cast<long>(line.find(' ')), '-', ' ');
    std::istringstream words(line);
    words >> std::hex >> begin >> end >> skipped >> skipped >> skipped >> std::dec >> file;
    if (begin <= reinterpret_cast<std::uintptr_t>(address) && reinterpret_cast<std::uintptr_t>(address) < end)
      return file;
  }
  return 0;
}

// What the arena of this host takes; all workers wait for all before and after.
long arena_bytes(const Job& job, ino_t arena) {
  job.done(comex_barrier(everyone));
  long blocks = 0;
  for (const auto& each : fs::directory_iterator("/proc/self/fd")) {
    struct stat of {};
    if (stat(each.path().c_str(), &of) == 0 && of.st_ino == arena && S_ISREG(of.st_mode))
      blocks = of.st_blocks;
  }
  job.done(comex_barrier(everyone));
  return 512 * blocks;
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "commit");
  job.check("pages come when the setting says", [&] {
    void* const small = comex_malloc_local(8);
    const ino_t arena = file_of(small);
    const long before = arena_bytes(job, arena);
    job.require(before > 0, "the arena has no file");
    void* const own = comex_malloc_local(bytes);
    job.require(own != nullptr, "no memory");
    const long untouched = arena_bytes(job, arena) - before;
    std::fill_n(static_cast<char*>(own), bytes, '\1');
    const long touched = arena_bytes(job, arena) - before;
    const long all = job.workers * bytes;
    job.require(job.has("now") ? untouched >= all : untouched < bytes / 2, "what comes untouched");
    job.require(touched >= all, "what comes when it is touched");
    job.done(comex_free_local(own));
    if (job.has("unused")) {
      job.require(arena_bytes(job, arena) - before >= all, "freed memory is kept at first");
      sleep(15);
      job.require(arena_bytes(job, arena) - before < bytes, "freed memory that nobody uses");
    }
    job.done(comex_free_local(small));
  });
}
