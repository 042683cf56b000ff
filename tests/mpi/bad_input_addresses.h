// Every data call towards every kind of wrong remote address.
#pragma once

#include "bad_input_bed.h"

namespace bad_input {

struct WrongAddress {
  std::string name;
  char* address;
  std::string text;
};

// The line gives the very range, also of the one segment of several that is wrong.
inline Line line_for(const char* operation, const WrongAddress& wrong, const void* range, const Bed& bed,
                     const void* address) {
  char at[40];
  std::snprintf(at, sizeof at, "bytes? at 0x%llx .*",
                static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(range)));
  return {operation, at + wrong.text, bed.target, address};
}

inline std::vector<WrongAddress> wrong_addresses(const Bed& bed) {
  const std::string nearest = "nearest is segment 0x[0-9a-f]+ of [0-9]+ bytes of worker [0-9]+";
  const std::string own =
      ".*nearest is segment 0x[0-9a-f]+ of 5000 bytes of worker " + std::to_string(bed.target);
  char* segment = bed.segment(bed.target);
  const std::string not_ours = "are not in memory that was allocated by comex.*" + nearest;
  return {{"past_end", segment + segment_bytes - 7, "past the end" + own},
          {"in_the_tail", segment + 2 * 4096 - 1, "past the end" + own},
          {"before_start", segment - 1, nearest},
          {"freed", bed.freed, "(not in memory that was allocated by comex|freed).*" + nearest},
          {"wrong_rank", bed.segment(bed.neighbour) + 8,
           "belong to worker " + std::to_string(bed.neighbour) + ", not to the target worker " +
               std::to_string(bed.target) + ".*" + nearest},
          {"wild", reinterpret_cast<char*>(std::uintptr_t{0x10008}), not_ours},
          {"wild_high", reinterpret_cast<char*>(~std::uintptr_t{0} - 15), not_ours}};
}

inline void contiguous_calls(Bed& bed, const WrongAddress& wrong) {
  double scale = 2;
  char* far = wrong.address;
  char* near = bed.near.data();
  const int target = bed.target;
  const comex_group_t world = COMEX_GROUP_WORLD;
  const auto run = [&](const char* name, const char* operation, Told told, const std::function<int()>& call) {
    bed.attempt(std::string(name) + " " + wrong.name, line_for(operation, wrong, far, bed, far), told, call);
  };
  const Told call = Told::by_call;
  const Told fence = Told::by_call_or_fence;
  run("put", "put", fence, [&] { return comex_put(near, far, 8, target, world); });
  run("get", "get", call, [&] { return comex_get(far, near, 8, target, world); });
  run("acc", "acc", fence, [&] { return comex_acc(COMEX_ACC_DBL, &scale, near, far, 8, target, world); });
  run("nbput", "nbput", fence,
      [&] { return waited([&](auto* handle) { return comex_nbput(near, far, 8, target, world, handle); }); });
  run("nbget", "nbget", call,
      [&] { return waited([&](auto* handle) { return comex_nbget(far, near, 8, target, world, handle); }); });
  run("nbacc", "nbacc", fence, [&] {
    return waited([&](auto* handle) {
      return comex_nbacc(COMEX_ACC_DBL, &scale, near, far, 8, target, world, handle);
    });
  });
  run("implicit_nbget", "nbget", call, [&] {
    const int issued = comex_nbget(far, near, 8, target, world, nullptr);
    return issued != COMEX_SUCCESS ? issued : comex_wait_proc(target, world);
  });
  run("large_put", "put", fence, [&] { return comex_put(near, far, large_bytes, target, world); });
  run("large_get", "get", call, [&] { return comex_get(far, near, large_bytes, target, world); });
  run("large_acc", "acc", fence,
      [&] { return comex_acc(COMEX_ACC_DBL, &scale, near, far, large_bytes, target, world); });
  run("large_nbput", "nbput", fence, [&] {
    return waited([&](auto* handle) { return comex_nbput(near, far, large_bytes, target, world, handle); });
  });
  auto* word = reinterpret_cast<long*>(bed.segment(target) + 128);  // which must stay as it is
  run("put_signal_data", "put_signal", fence,
      [&] { return comex_put_signal(near, far, 8, word, 1, target, world); });
  run("large_put_signal_data", "put_signal", fence,
      [&] { return comex_put_signal(near, far, large_bytes, word, 1, target, world); });
}

inline void layout_calls(Bed& bed, const WrongAddress& wrong) {
  double scale = 2;
  char* far = wrong.address;
  char* near = bed.near.data();
  const int target = bed.target;
  const comex_group_t world = COMEX_GROUP_WORLD;
  int strides[] = {64};
  int count[] = {8, 40};
  void* nears[] = {near, near + 8};
  void* fars[] = {bed.segment(target) + 512, far};  // the first is right: it must not be written either
  comex_giov_t put{nears, fars, 2, 8};
  comex_giov_t get{fars, nears, 2, 8};
  const auto run = [&](const char* name, const char* operation, Told told, const std::function<int()>& call) {
    bed.attempt(std::string(name) + " " + wrong.name, line_for(operation, wrong, far, bed, far), told, call);
  };
  const Told call = Told::by_call;
  const Told fence = Told::by_call_or_fence;
  run("puts", "puts", fence,
      [&] { return comex_puts(near, strides, far, strides, count, 1, target, world); });
  int next_to[] = {8};
  run("puts contiguous", "puts", fence,
      [&] { return comex_puts(near, next_to, far, next_to, count, 1, target, world); });
  int few[] = {8, 2};
  run("nbputs contiguous", "nbputs", fence, [&] {
    return waited([&](auto* handle) {
      return comex_nbputs(near, next_to, far, next_to, few, 1, target, world, handle);
    });
  });
  run("gets", "gets", call, [&] { return comex_gets(far, strides, near, strides, count, 1, target, world); });
  run("accs", "accs", fence, [&] {
    return comex_accs(COMEX_ACC_DBL, &scale, near, strides, far, strides, count, 1, target, world);
  });
  run("putv", "putv", fence, [&] { return comex_putv(&put, 1, target, world); });
  run("getv", "getv", call, [&] { return comex_getv(&get, 1, target, world); });
  void* more_nears[] = {near + 16};
  comex_giov_t both_wrong[] = {get, {&fars[1], more_nears, 1, 8}};
  run("getv of_two", "getv", call, [&] { return comex_getv(both_wrong, 2, target, world); });
  std::vector<void*> rights(20, fars[0]);  // pairs of one size: they are refused together
  std::vector<comex_giov_t> many;
  for (void*& right : rights) many.push_back({nears, &right, 1, 8});
  many.push_back({nears, &fars[1], 1, 8});
  run("putv of_many", "putv", fence,
      [&] { return comex_putv(many.data(), static_cast<int>(many.size()), target, world); });
  run("accv", "accv", fence, [&] { return comex_accv(COMEX_ACC_DBL, &scale, &put, 1, target, world); });
  run("nbgetv", "nbgetv", call,
      [&] { return waited([&](auto* handle) { return comex_nbgetv(&get, 1, target, world, handle); }); });
}

inline void word_calls(Bed& bed, const WrongAddress& wrong) {
  // The next aligned word; one that begins in the right place ends in the wrong one nowhere.
  auto* far = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(wrong.address) + 7) / 8 * 8);
  if (wrong.name == "in_the_tail") far -= 8;
  if (wrong.name == "before_start") far -= 8;
  const int target = bed.target;
  const Line line = line_for("rmw", wrong, far, bed, far);
  const Line nb_line = line_for("nbrmw", wrong, far, bed, far);
  char* near = bed.near.data();
  const comex_group_t world = COMEX_GROUP_WORLD;
  bed.attempt("rmw " + wrong.name, line, Told::by_call,
              [&] { return comex_rmw(COMEX_FETCH_AND_ADD_LONG, near, far, 1, target, world); });
  bed.attempt("nbrmw " + wrong.name, nb_line, Told::by_call, [&] {
    return waited([&](auto* handle) { return comex_nbrmw(COMEX_SWAP, near, far, 0, target, world, handle); });
  });
  bed.attempt("put_signal_word " + wrong.name, line_for("put_signal", wrong, far, bed, far),
              Told::by_call_or_fence, [&] {
                return comex_put_signal(near, bed.segment(target), 0, reinterpret_cast<long*>(far), 1, target,
                                        world);
              });
}

inline void wrong_address_cases(Bed& bed) {
  for (const WrongAddress& wrong : wrong_addresses(bed)) {
    contiguous_calls(bed, wrong);
    layout_calls(bed, wrong);
    word_calls(bed, wrong);
  }
}

}  // namespace bad_input
