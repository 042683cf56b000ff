// Arguments that are wrong wherever the target lives: sizes, ranks, levels, overlap, codes, mutexes, handles.
#pragma once

#include <comex/worlds.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "bad_input_bed.h"

namespace bad_input {

inline void size_cases(Bed& bed) {
  const comex_group_t world = COMEX_GROUP_WORLD;
  const int target = bed.target;
  char* far = bed.segment(target);
  char* near = bed.near.data();
  double scale = 1;
  const Told call = Told::by_call;
  const auto run = [&](const char* name, const char* operation, const char* text, auto&& lambda) {
    bed.attempt(name, {operation, text, target, nullptr}, call, lambda);
  };
  run("put negative", "put", "-1 bytes; it must not be negative",
      [&] { return comex_put(near, far, -1, target, world); });
  run("get negative", "get", "-8 bytes; it must not be negative",
      [&] { return comex_get(far, near, -8, target, world); });
  run("acc negative", "acc", "must not be negative",
      [&] { return comex_acc(COMEX_ACC_INT, &scale, near, far, -4, target, world); });
  run("nbput negative", "nbput", "must not be negative", [&] {
    return waited(
        [&](auto* handle) { return comex_nbput(near, far, -2147483647 - 1, target, world, handle); });
  });
  run("put null", "put", "the local address is null",
      [&] { return comex_put(nullptr, far, 8, target, world); });
  run("get null", "get", "the remote address is null",
      [&] { return comex_get(nullptr, near, 8, target, world); });
  // Not so large that no number has its size, but its server would read it before it refuses it.
  const size_t huge = size_t{1} << 62;
  const char* const too_large = "memory cannot have 4611686018427387904 bytes at the local address";
  void* huge_near = near;
  void* huge_far = far;
  comex_giov_x_t put_huge{&huge_near, &huge_far, 1, huge};
  run("put huge", "put", too_large, [&] { return comex_put_x(near, far, huge, target, world); });
  run("get huge", "get", too_large, [&] { return comex_get_x(far, near, huge, target, world); });
  run("acc huge", "acc", too_large,
      [&] { return comex_acc_x(COMEX_ACC_DBL, &scale, near, far, huge, target, world); });
  run("puts huge", "puts", too_large,
      [&] { return comex_puts_x(near, nullptr, far, nullptr, &huge, 0, target, world); });
  run("putv huge", "putv", too_large, [&] { return comex_putv_x(&put_huge, 1, target, world); });
  run("put to_the_end", "put", "memory cannot have 72057594037927935 bytes at the local address",
      [&] { return comex_put_x(near, far, (size_t{1} << 56) - 1, target, world); });
  int strides[10] = {16, 16, 16, 16, 16, 16, 16, 16, 16, 16};
  int count[11] = {8, -2, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  run("puts negative_count", "puts", "negative",
      [&] { return comex_puts(near, strides, far, strides, count, 1, target, world); });
  int first[11] = {-8, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  run("gets negative_count", "gets", "negative",
      [&] { return comex_gets(far, strides, near, strides, first, 1, target, world); });
  int backwards[10] = {-16};
  int twice[11] = {8, 2};
  run("puts negative_source_stride", "puts", "origin-side stride\\[0\\] is -16, negative",
      [&] { return comex_puts(near, backwards, far, strides, twice, 1, target, world); });
  run("gets negative_source_stride", "gets", "target-side stride\\[0\\] is -16, negative",
      [&] { return comex_gets(far, backwards, near, strides, twice, 1, target, world); });
  int good[11] = {8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  run("puts too_many_levels", "puts", "9.*(at most|to|0 and) 8", [&] {
    return comex_puts(near, strides, far, strides, good, COMEX_MAX_STRIDE_LEVEL + 1, target, world);
  });
  run("accs negative_levels", "accs", "-1", [&] {
    return comex_accs(COMEX_ACC_INT, &scale, near, strides, far, strides, good, -1, target, world);
  });
  void* nears[] = {near};
  void* fars[] = {far};
  comex_giov_t bytes{nears, fars, 1, -8};
  comex_giov_t pairs{nears, fars, -1, 8};
  run("putv negative_bytes", "putv", "descriptor 0: .*negative",
      [&] { return comex_putv(&bytes, 1, target, world); });
  run("putv negative_count", "putv", "descriptor 0: .*negative",
      [&] { return comex_putv(&pairs, 1, target, world); });
  run("putv negative_length", "putv", "-1; it must not be negative",
      [&] { return comex_putv(&bytes, -1, target, world); });
}

inline void overlap_cases(Bed& bed) {
  const comex_group_t world = COMEX_GROUP_WORLD;
  const int target = bed.target;
  char* far = bed.segment(target);
  char* near = bed.near.data();
  const auto run = [&](const char* name, const char* operation, const char* side, auto&& lambda) {
    bed.attempt(name,
                {operation, std::string("runs it writes to ") + side + " memory overlap", target, nullptr},
                Told::by_call, lambda);
  };
  int wide[] = {16};
  int tight[] = {4};
  int count[] = {8, 3};
  run("puts overlap", "puts", "remote",
      [&] { return comex_puts(near, wide, far, tight, count, 1, target, world); });
  run("gets overlap", "gets", "local",
      [&] { return comex_gets(far, wide, near, tight, count, 1, target, world); });

  // Sources may overlap: these must pass, and bring what they should.
  if (bed.me != 0) return;
  char rows[16];
  int zero[] = {0};
  int eight[] = {8};
  int twice[] = {8, 2};
  bed.must(comex_gets(far, zero, rows, eight, twice, 1, target, world), "get of one row twice");
  for (const char byte : rows)
    if (byte != far_fill) bed.fail("get of one row twice", "brought something else");
}

// Scatters that name an element twice are legal: one of the values stays, here the last.
inline void scatter_over_itself(Bed& bed) {
  if (bed.me != 0) return;
  const comex_group_t world = COMEX_GROUP_WORLD;
  char* far = bed.segment(bed.target) + 256;
  long values[] = {5, 6, 7};
  void* from[] = {&values[0], &values[1], &values[2]};
  void* to[] = {far, far + 8, far};
  comex_giov_t put{from, to, 3, sizeof(long)};
  bed.must(comex_putv(&put, 1, bed.target, world), "putv of one word twice");
  long found[] = {0, 0};
  bed.must(comex_get(far, found, sizeof found, bed.target, world), "get");
  if (found[0] != 7 || found[1] != 6) bed.fail("putv of one word twice", "left something else");
  void* once[] = {&found[0], &found[0]};
  void* words[] = {far, far + 8};
  comex_giov_t get{words, once, 2, sizeof(long)};
  bed.must(comex_getv(&get, 1, bed.target, world), "getv into one word");
  if (found[0] != 6) bed.fail("getv into one word", "left something else");
  std::memset(found, far_fill, sizeof found);
  bed.must(comex_put(found, far, sizeof found, bed.target, world), "put");
}

inline void accumulate_over_itself(Bed& bed) {
  if (bed.me != 0) return;
  long scale = 1;
  long ones[3] = {1, 1, 1};
  long before = 0;
  long after = 0;
  char* far = bed.segment(bed.target) + 256;
  int apart[] = {8};
  int same[] = {0};
  int count[] = {8, 3};
  const comex_group_t world = COMEX_GROUP_WORLD;
  bed.must(comex_get(far, &before, 8, bed.target, world), "get");
  bed.must(comex_accs(COMEX_ACC_LNG, &scale, ones, apart, far, same, count, 1, bed.target, world),
           "accs onto one word");
  bed.must(comex_get(far, &after, 8, bed.target, world), "get");
  if (after - before != 3) bed.fail("accs onto one word", "did not add up");
  bed.must(comex_put(&before, far, 8, bed.target, world), "put");
  bed.must(comex_fence_proc(bed.target, world), "fence");
}

inline void code_cases(Bed& bed) {
  const comex_group_t world = COMEX_GROUP_WORLD;
  const int target = bed.target;
  char* far = bed.segment(target);
  char* near = bed.near.data();
  double scale = 1;
  const auto run = [&](const std::string& name, const char* operation, const char* text, auto&& lambda) {
    bed.attempt(name, {operation, text, -1, nullptr}, Told::by_call, lambda);
  };
  for (const int code : {0, COMEX_ACC_OFF, COMEX_ACC_LNG + 1}) {
    run("acc type " + std::to_string(code), "acc", "accumulate type [0-9]+ is unknown",
        [&] { return comex_acc(code, &scale, near, far, 8, target, world); });
  }
  run("acc null_scale", "acc", "scale.*null",
      [&] { return comex_acc(COMEX_ACC_DBL, nullptr, near, far, 8, target, world); });
  for (const int code : {COMEX_SWAP - 1, COMEX_FETCH_AND_XOR_LONG + 1, -1}) {
    run("rmw code " + std::to_string(code), "rmw", "operation -?[0-9]+ is unknown",
        [&] { return comex_rmw(code, near, far, 1, target, world); });
  }
  for (const int shift : {1, 4}) {
    run("rmw misaligned " + std::to_string(shift), "rmw", "not aligned to its 8 bytes",
        [&] { return comex_rmw(COMEX_SWAP_LONG, near, far + shift, 1, target, world); });
  }
  run("rmw misaligned_int", "rmw", "not aligned to its 4 bytes",
      [&] { return comex_rmw(COMEX_FETCH_AND_ADD, near, far + 2, 1, target, world); });
  run("put_signal misaligned", "put_signal", "not aligned to its 8 bytes",
      [&] { return comex_put_signal(near, far, 0, reinterpret_cast<long*>(far + 4), 1, target, world); });
  long word = 0;
  run("wait_until comparison", "wait_until", "comparison 6 is unknown",
      [&] { return comex_wait_until(&word, 6, 0); });
  for (const int rank : {-1, bed.workers, 1 << 30}) {
    run("put rank " + std::to_string(rank), "put",
        "rank -?[0-9]+ is out of range: group 0 has ranks 0 to [0-9]+",
        [&] { return comex_put(near, far, 8, rank, world); });
    run("fence rank " + std::to_string(rank), "fence_proc", "is out of range",
        [&] { return comex_fence_proc(rank, world); });
  }
  for (const comex_group_t group : {COMEX_GROUP_NULL, 77}) {
    run("put group " + std::to_string(group), "put", "group -?[0-9]+ does not exist, or was freed",
        [&] { return comex_put(near, far, 8, 0, group); });
    run("barrier group " + std::to_string(group), "barrier", "does not exist",
        [&] { return comex_barrier(group); });
  }
}

inline void object_cases(Bed& bed) {
  const int target = bed.target;
  const auto run = [&](const std::string& name, const char* operation, const char* text, auto&& lambda) {
    bed.attempt(name, {operation, text, -1, nullptr}, Told::by_call, lambda);
  };
  run("unlock free_one", "unlock", "mutex 0.*(nobody holds|not held)",
      [&] { return comex_unlock(0, target); });
  run("unlock of_another", "unlock", "mutex 1.*(worker [0-9]+ holds|not held)",
      [&] { return comex_unlock(1, target); });
  for (const int mutex : {-1, 2}) {
    run("lock mutex " + std::to_string(mutex), "lock", "is out of range: worker [0-9]+ has 2",
        [&] { return comex_lock(mutex, target); });
  }
  run("lock rank", "lock", "is out of range", [&] { return comex_lock(0, bed.workers); });
  for (const comex_request_t handle : {123'456, -7}) {
    run("wait handle " + std::to_string(handle), "wait", "handle -?[0-9]+ was never issued", [&] {
      comex_request_t copy = handle;
      return comex_wait(&copy);
    });
    run("test handle " + std::to_string(handle), "test", "was never issued", [&] {
      comex_request_t copy = handle;
      int status = 7;
      const int result = comex_test(&copy, &status);
      if (status != 7) bed.fail("test of a handle never issued", "wrote the status");
      return result;
    });
  }
  int local = 0;
  run("free_local foreign", "free_local", "not one that malloc_local gave",
      [&] { return comex_free_local(&local); });
  run("free_local twice", "free_local", "not one that malloc_local gave", [&] {
    void* once = comex_malloc_local(100);
    bed.must(comex_free_local(once), "free_local");
    return comex_free_local(once);
  });
  int ranks[] = {1, 0, 1};
  int lpids[] = {0, 1, 0};
  comex_group_t unmade = COMEX_GROUP_NULL;
  run("group_create twice", "group_create", "rank 1 is named twice",
      [&] { return comex_group_create(3, ranks, COMEX_GROUP_WORLD, &unmade); });
  run("group_from_lpids twice", "group_from_lpids", "lpid 0 is named twice",
      [&] { return comex_group_from_lpids(3, lpids, &unmade); });
  run("group_rank no_place", "group_rank", "place for the result is null",
      [] { return comex_group_rank(COMEX_GROUP_WORLD, nullptr); });
  run("group_size no_place", "group_size", "place for the result is null",
      [] { return comex_group_size(COMEX_GROUP_WORLD, nullptr); });
  run("group_comm no_place", "group_comm", "place for the result is null",
      [] { return comex_group_comm(COMEX_GROUP_WORLD, nullptr); });
  run("host_of no_place", "host_of", "place for the result is null",
      [] { return comex_host_of(0, COMEX_GROUP_WORLD, nullptr); });
  run("get_errors no_place", "get_errors", "place for the result is null",
      [] { return comex_get_errors(nullptr); });
  run("set_errors mode", "set_errors", "mode 7 is unknown", [] { return comex_set_errors(7); });
}

// Workers 0 and 1 allocate; 0 and 2 free, of whom the one that is no member has nothing to name.
inline void free_over_another_group(Bed& bed) {
  if (bed.workers < 3) return;
  int first[] = {0, 1};
  int second[] = {0, 2};
  comex_group_t owners = COMEX_GROUP_NULL;
  comex_group_t others = COMEX_GROUP_NULL;
  bed.must(comex_group_create(2, first, COMEX_GROUP_WORLD, &owners), "group_create");
  bed.must(comex_group_create(2, second, COMEX_GROUP_WORLD, &others), "group_create");
  void* places[2] = {};
  if (owners != COMEX_GROUP_NULL) bed.must(comex_malloc(places, 64, owners), "malloc over a group");
  const int known = owners == COMEX_GROUP_NULL ? 0 : bed.me;
  const Line line{"free", "not that of an allocation over group", -1, places[known]};
  bed.together("free over_another_group", line, [&] {
    return others == COMEX_GROUP_NULL ? COMEX_FAILURE : comex_free(bed.me == 0 ? places[0] : nullptr, others);
  });
  if (owners != COMEX_GROUP_NULL) {
    bed.must(comex_free(places[bed.me], owners), "free over its group");
    bed.must(comex_group_free(owners), "group_free");
  }
  bed.must(comex_group_free(others), "group_free");
}

// Others free by their own addresses, worker 0 by what was freed, and by the target's part of another
// allocation, of which it has none itself.
inline void free_beside_others(Bed& bed) {
  const comex_group_t world = COMEX_GROUP_WORLD;
  const auto beside_others = [&](void* address) {
    return comex_free(bed.me == 0 ? address : bed.segment(bed.me), world);
  };
  bed.together("free freed_beside_others", {"free", "not that of an allocation over group 0", -1, bed.freed},
               [&] { return beside_others(bed.freed); });
  std::vector<void*> another(static_cast<std::size_t>(bed.workers));  // it may be where something was freed
  bed.must(comex_malloc(another.data(), bed.me == 0 ? 0 : 64, world), "malloc");
  void* const there = another.back();
  bed.together("free another", {"free", "another allocation than that of another member", -1, there},
               [&] { return beside_others(there); });
  bed.must(comex_free(another[static_cast<std::size_t>(bed.me)], world), "free");
}

// One member has no room for another group: nobody gets it.
inline void full_table_of_groups(Bed& bed) {
  const std::array<const char*, 4> calls = {"group_create", "group_dup", "group_split",
                                            "group_create_endpoints"};
  const auto name = [](const char* call) { return std::string(call) + " full_table"; };
  if (std::ranges::none_of(calls, [&](const char* call) { return bed.wants(name(call)); })) return;
  constexpr std::size_t most = 16384;  // the world among them
  std::vector<comex_group_t> mine;
  int myself = bed.me;
  while (bed.me == 0 && mine.size() < most - 1) {
    mine.push_back(COMEX_GROUP_NULL);
    bed.must(comex_group_create(1, &myself, COMEX_GROUP_WORLD, &mine.back()), "group_create");
  }
  std::vector<int> everybody(static_cast<std::size_t>(bed.workers));
  std::iota(everybody.begin(), everybody.end(), 0);
  comex_group_t group = 77;
  const auto is_full = [&](const char* call, auto&& make) {
    bed.together(name(call), {call, "there are 16384 groups already"}, make);
  };
  is_full(calls[0],
          [&] { return comex_group_create(bed.workers, everybody.data(), COMEX_GROUP_WORLD, &group); });
  is_full(calls[1], [&] { return comex_group_dup(COMEX_GROUP_WORLD, &group); });
  is_full(calls[2], [&] { return comex_group_split(COMEX_GROUP_WORLD, 0, 0, &group); });
  is_full(calls[3], [&] { return comex_group_create_endpoints(COMEX_GROUP_WORLD, 1, &group); });
  if (group != 77) bed.fail("a group_create that failed", "wrote a handle");
  for (const comex_group_t each : mine) bed.must(comex_group_free(each), "group_free");
  bed.must(comex_barrier(COMEX_GROUP_WORLD), "barrier");
  bed.must(comex_group_create(bed.workers, everybody.data(), COMEX_GROUP_WORLD, &group), "group_create");
  bed.must(comex_group_free(group), "group_free");
}

// Each is called by everybody; worker 0 or the target has it wrong.
inline void collective_cases(Bed& bed) {
  int local = 0;
  const comex_group_t world = COMEX_GROUP_WORLD;
  bed.together("free foreign", {"free", "not that of an allocation over group 0", -1, &local},
               [&] { return comex_free(bed.me == 0 ? &local : nullptr, world); });
  bed.together("free inside", {"free", "not that of an allocation", -1, nullptr},
               [&] { return comex_free(bed.segment(bed.target) + 8, world); });
  bed.together("free freed", {"free", "not that of an allocation", -1, bed.freed},
               [&] { return comex_free(bed.me == 0 ? bed.freed : nullptr, world); });
  free_over_another_group(bed);
  free_beside_others(bed);
  full_table_of_groups(bed);
  std::vector<void*> places(static_cast<std::size_t>(bed.workers), &local);
  bed.together("malloc beside_free", {"malloc", "allocates where others free", -1, nullptr}, [&] {
    return bed.me == 0 ? comex_malloc(places.data(), 64, world) : comex_free(nullptr, world);
  });
  std::vector<void*> later(places.size());
  bed.must(comex_malloc(later.data(), 64, world), "malloc after malloc beside_free");
  bed.must(comex_free(later[static_cast<std::size_t>(bed.me)], world), "free after malloc beside_free");
  bed.together(
      "create_mutexes beside_malloc", {"create_mutexes", "makes mutexes where others allocate", -1, nullptr},
      [&] { return bed.me == 0 ? comex_create_mutexes(1) : comex_malloc(places.data(), 64, world); });
  bed.together("free beside_create_mutexes", {"free", "frees where others make mutexes", -1, nullptr},
               [&] { return bed.me == 0 ? comex_free(nullptr, world) : comex_create_mutexes(1); });
  bed.together("malloc no_place", {"malloc", "array of addresses is null", -1, nullptr},
               [&] { return comex_malloc(bed.me == 0 ? nullptr : places.data(), 8, world); });
  bed.together("malloc unknown_kind", {"malloc_mem_dev", "floppy", -1, nullptr},
               [&] { return comex_malloc_mem_dev(places.data(), 8, world, "floppy"); });
  bed.together("create_mutexes negative", {"create_mutexes", "number of mutexes is -1", -1, nullptr},
               [&] { return comex_create_mutexes(bed.me == 0 ? -1 : 1); });
  bed.together("create_mutexes negative_at_two", {"create_mutexes", "number of mutexes is -2", -1, nullptr},
               [&] { return comex_create_mutexes(-2 - bed.me); });
  for (const void* place : places)
    if (place != &local) bed.fail("a malloc that failed", "wrote an address");
}

}  // namespace bad_input
