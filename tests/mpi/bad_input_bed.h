// The stage for wrong calls: worker 0 makes them, the others stand by; every case checks that the error is
// told exactly once, that nothing was written, and that the runtime still works.
//
// Each case announces on standard output what line it must cause; bad_input_driver.py compares that with
// what the job printed on standard error, whichever process printed it.
#pragma once

#include <comex/comex.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace bad_input {

constexpr int segment_bytes = 5000;  // ends inside a page and on a multiple of 8
constexpr int large_bytes = 300'000;
constexpr char near_fill = 0x5a;
constexpr char far_fill = 0x33;

// What the line must say. `operation` and `text` are regular expressions.
struct Line {
  std::string operation;
  std::string text;
  int target = -1;                // below zero: the line names none, or any
  const void* address = nullptr;  // null: the same
};

// Whose word it is that a call was refused.
enum class Told { by_call, by_call_or_fence };

class Bed {
 public:
  explicit Bed(std::string only) : only_(std::move(only)) {}

  void prepare() {
    comex_group_rank(COMEX_GROUP_WORLD, &me);
    comex_group_size(COMEX_GROUP_WORLD, &workers);
    target = workers - 1;
    neighbour = workers - 2;
    const auto count = static_cast<std::size_t>(workers);
    std::vector<void*> old(count);
    segments.resize(count);
    must(comex_malloc(old.data(), 3 * 4096, COMEX_GROUP_WORLD), "malloc");
    must(comex_malloc(segments.data(), segment_bytes, COMEX_GROUP_WORLD), "malloc");
    std::memset(segments[static_cast<std::size_t>(me)], far_fill, segment_bytes);
    near.assign(large_bytes, near_fill);
    must(comex_create_mutexes(2), "create_mutexes");
    if (me == neighbour) must(comex_lock(1, target), "lock");
    freed = static_cast<char*>(old.back());  // the last: what is freed may be given out again
    must(comex_free(old[static_cast<std::size_t>(me)], COMEX_GROUP_WORLD), "free");
    must(comex_barrier(COMEX_GROUP_WORLD), "barrier");
  }

  void clear_up() {
    must(comex_barrier(COMEX_GROUP_WORLD), "barrier");
    if (me == neighbour) must(comex_unlock(1, target), "unlock");
    must(comex_destroy_mutexes(), "destroy_mutexes");
    must(comex_free(segments[0], COMEX_GROUP_WORLD), "free");
  }

  // One wrong call by worker 0.
  void attempt(const std::string& name, const Line& line, Told told, const std::function<int()>& call) {
    if (me != 0 || !wants(name)) return;
    announce(name, line);
    const bool by_call = call() != COMEX_SUCCESS;
    const bool by_fence = comex_fence_proc(target, COMEX_GROUP_WORLD) != COMEX_SUCCESS;
    if (by_call && by_fence) fail(name, "was told twice");
    if (!by_call && !by_fence) fail(name, "was not told");
    if (by_fence && told == Told::by_call) fail(name, "was told by the fence");
    if (comex_fence_all(COMEX_GROUP_WORLD) != COMEX_SUCCESS) fail(name, "was told again by the next fence");
    check_untouched(name);
    check_alive(name);
  }

  // A collective call that is wrong somewhere: all workers must get the failure.
  void together(const std::string& name, const Line& line, const std::function<int()>& call) {
    if (!wants(name)) return;
    if (me == 0) announce(name, line);
    if (call() == COMEX_SUCCESS) fail(name, "succeeded");
    must(comex_barrier(COMEX_GROUP_WORLD), "barrier after a collective failure");
    if (me == 0) check_alive(name);
  }

  bool wants(const std::string& name) const { return only_.empty() || only_ == name; }
  void must(int code, const char* what) const {
    if (code != COMEX_SUCCESS) fail(what, "failed");
  }
  [[noreturn]] void fail(const std::string& name, const char* what) const {
    std::printf("wrong\t%s %s (worker %d)\n", name.c_str(), what, me);
    std::fflush(stdout);
    comex_error("bad_input: see standard output", 99);
    std::abort();
  }
  static void announce(const std::string& name, const Line& line) {
    std::printf("expect\t%s\t%s\t%d\t%llx\t%s\n", name.c_str(), line.operation.c_str(), line.target,
                static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(line.address)),
                line.text.c_str());
    std::fflush(stdout);
  }
  char* segment(int worker) const { return static_cast<char*>(segments[static_cast<std::size_t>(worker)]); }

  int me = 0;
  int workers = 0;
  int target = 0;     // the last worker: on another virtual host, where there is one
  int neighbour = 0;  // another worker of its host
  std::vector<void*> segments;
  char* freed = nullptr;
  std::vector<char> near;

 private:
  void check_untouched(const std::string& name) const {
    for (const char byte : near)
      if (byte != near_fill) fail(name, "wrote to local memory");
    std::vector<char> seen(segment_bytes);
    for (const int worker : {target, neighbour}) {
      must(comex_get(segments[static_cast<std::size_t>(worker)], seen.data(), segment_bytes, worker,
                     COMEX_GROUP_WORLD),
           "get");
      for (const char byte : seen)
        if (byte != far_fill) fail(name, "wrote to remote memory");
    }
  }

  void check_alive(const std::string& name) {
    long value = ++probes_;
    long seen = 0;
    char* place = segment(target) + 64;
    must(comex_put(&value, place, sizeof value, target, COMEX_GROUP_WORLD), "put");
    must(comex_get(place, &seen, sizeof seen, target, COMEX_GROUP_WORLD), "get");
    if (seen != value) fail(name, "left a runtime that does not work");
    std::memset(&value, far_fill, sizeof value);
    must(comex_put(&value, place, sizeof value, target, COMEX_GROUP_WORLD), "put");
    must(comex_fence_proc(target, COMEX_GROUP_WORLD), "fence");
  }

  std::string only_;
  long probes_ = 0;
};

// A non-blocking call with its wait; a second wait says done, since a failure is told once.
inline int waited(const std::function<int(comex_request_t*)>& call) {
  comex_request_t handle = 0;
  if (call(&handle) != COMEX_SUCCESS) return COMEX_FAILURE;
  const int first = comex_wait(&handle);
  return comex_wait(&handle) == COMEX_SUCCESS ? first : 2 * COMEX_FAILURE;
}

}  // namespace bad_input
