// Groups that there are not, places for results that are null, and what a call says of ids, lists and ports.
#pragma once

#include <comex/worlds.h>

#include <netdb.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "bad_input_bed.h"

namespace bad_input {

// While it lives, this process gets no more than so many bytes of address space.
class ShortMemory {
 public:
  explicit ShortMemory(std::size_t more) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &before_);
    const rlimit limit{pages * static_cast<std::size_t>(getpagesize()) + more, before_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
  }
  ShortMemory(const ShortMemory&) = delete;
  ShortMemory& operator=(const ShortMemory&) = delete;
  ~ShortMemory() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

inline void group_cases(Bed& bed) {
  constexpr comex_group_t unknown = 77;
  const comex_group_t world = COMEX_GROUP_WORLD;
  const auto run = [&](const std::string& operation, auto&& lambda, const char* which = "") {
    bed.attempt(operation + " of no_group" + which, {operation, "group 77 does not exist, or was freed"},
                Told::by_call, lambda);
  };
  int rank = 0;
  int number = 7;
  long word = 0;
  void* place = nullptr;
  comex_gpid_t gpid{};
  comex_request_t handle = 0;
  comex_group_t made = unknown;
  const char value = 1;
  const long operand = 1;
  const ptrdiff_t stride = 8;
  const size_t count = 8;
  const comex_giov_x_t segments{};
  run("wait_proc", [] { return comex_wait_proc(0, unknown); });
  run("wait_all", [] { return comex_wait_all(unknown); });
  run("fence_proc", [] { return comex_fence_proc(0, unknown); });
  run("fence_all", [] { return comex_fence_all(unknown); });
  run("fence_allocation", [] { return comex_fence_allocation(nullptr, unknown); });
  run("nbfence", [&] { return comex_nbfence(0, unknown, &handle); });
  run("group_create", [&] { return comex_group_create(1, &rank, unknown, &made); });
  run("group_free", [] { return comex_group_free(unknown); });
  run("group_rank", [&] { return comex_group_rank(unknown, &number); });
  run("group_size", [&] { return comex_group_size(unknown, &number); });
  MPI_Comm comm = MPI_COMM_NULL;
  run("group_comm", [&] { return comex_group_comm(unknown, &comm); });
  run(
      "group_translate_ranks", [&] { return comex_group_translate_ranks(1, unknown, &rank, world, &number); },
      ", from");
  run(
      "group_translate_ranks", [&] { return comex_group_translate_ranks(1, world, &rank, unknown, &number); },
      ", to");
  run("group_translate_world", [&] { return comex_group_translate_world(unknown, 0, &number); });
  run("host_of", [&] { return comex_host_of(0, unknown, &number); });
  run("gpid", [&] { return comex_gpid(unknown, 0, &gpid); });
  run("gpids", [&] { return comex_gpids(unknown, 1, &gpid, nullptr); });
  run("lpids", [&] { return comex_lpids(unknown, 1, &number); });
  run(
      "group_compare", [&] { return comex_group_compare(unknown, world, &number); }, ", first");
  run(
      "group_compare", [&] { return comex_group_compare(world, unknown, &number); }, ", second");
  run("group_same_endpoint", [&] { return comex_group_same_endpoint(unknown, world, &number); });
  run("group_dup", [&] { return comex_group_dup(unknown, &made); });
  run("group_split", [&] { return comex_group_split(unknown, 0, 0, &made); });
  run("group_create_endpoints", [&] { return comex_group_create_endpoints(unknown, 1, &made); });
  run("group_remote_size", [&] { return comex_group_remote_size(unknown, &number); });
  run("group_merge", [&] { return comex_group_merge(unknown, 0, &made); });
  run("intergroup_create", [&] { return comex_intergroup_create(unknown, 0, world, 0, 1, &made); });
  run("world_spawn", [&] { return comex_world_spawn("true", nullptr, 1, 0, unknown, &made); });
  run("world_accept", [&] { return comex_world_accept("", 0, unknown, 0, &made); });
  run("world_disconnect", [&] { return comex_world_disconnect(&made); });
  run("table_references", [&] { return comex_table_references(unknown, &number); });
  run("failed", [&] { return comex_failed(unknown, &number, nullptr); });
  run("group_shrink", [&] { return comex_group_shrink(unknown, &made); });
  run("malloc", [&] { return comex_malloc(&place, 8, unknown); });
  run("malloc_kept", [&] { return comex_malloc_kept(&place, 8, 1, unknown); });
  run("recover", [&] { return comex_recover(nullptr, unknown, &place, &number); });
  run("free", [] { return comex_free(nullptr, unknown); });
  run("puts", [&] { return comex_puts_x(&value, &stride, &word, &stride, &count, 0, 0, unknown); });
  run("putv", [&] { return comex_putv_x(&segments, 1, 0, unknown); });
  run("acc_op",
      [&] { return comex_acc_op(COMEX_OP_MAX, COMEX_ACC_LNG, &operand, &word, sizeof word, 0, unknown); });
  run("atomic", [&] {
    return comex_atomic(COMEX_ATOMIC_ADD, COMEX_TYPE_INT64, nullptr, &operand, nullptr, &word, 0, unknown);
  });
  run("put_signal", [&] { return comex_put_signal_x(&value, &word, 1, &word, 1, 0, unknown); });
  if (bed.me == 0 && (number != 7 || made != unknown || word != 0 || place != nullptr))
    bed.fail("a call of no group", "wrote an output");
}

inline void place_cases(Bed& bed) {
  const comex_group_t world = COMEX_GROUP_WORLD;
  const auto run = [&](const std::string& operation, auto&& lambda,
                       const char* text = "the place for the result is null$") {
    bed.attempt(operation + " no_place", {operation, text}, Told::by_call, lambda);
  };
  long words[2] = {};
  int rank = 0;
  size_t index = 0;
  comex_request_t issued = 0;
  if (bed.me == 0) bed.must(comex_nbget(bed.segment(0), words, sizeof words, 0, world, &issued), "nbget");
  run(
      "wait", [] { return comex_wait(nullptr); }, "the handle's address is null");
  run(
      "test", [&] { return comex_test(&issued, nullptr); }, "the status's address is null");
  run("trylock", [&] { return comex_trylock(0, bed.target, nullptr); });
  run("group_translate_world", [] { return comex_group_translate_world(world, 0, nullptr); });
  run(
      "group_translate_ranks", [&] { return comex_group_translate_ranks(1, world, &rank, world, nullptr); },
      "n >= 0 ranks, their list and a place for as many");
  run("gpid", [] { return comex_gpid(world, 0, nullptr); });
  run("gpids", [&] { return comex_gpids(world, bed.workers, nullptr, nullptr); });
  run("lpids", [&] { return comex_lpids(world, bed.workers, nullptr); });
  run("lpid_to_gpid", [] { return comex_lpid_to_gpid(0, nullptr); });
  run("lpid_count", [] { return comex_lpid_count(nullptr); });
  run("gpid_to_lpid", [] { return comex_gpid_to_lpid({}, nullptr); });
  run(
      "gpids_to_lpids", [] { return comex_gpids_to_lpids(1, nullptr, nullptr); }, "n >= 0 ids, their list");
  run("process_ranks", [] { return comex_process_ranks(0, nullptr); });
  run("group_compare", [] { return comex_group_compare(world, world, nullptr); });
  run("group_remote_size", [] { return comex_group_remote_size(world, nullptr); });
  run("world_parent", [] { return comex_world_parent(nullptr); });
  run("world_open_port", [] { return comex_world_open_port(nullptr, 256); });
  run(
      "world_close_port", [] { return comex_world_close_port(nullptr); }, "the port is null");
  run(
      "world_disconnect", [] { return comex_world_disconnect(nullptr); },
      "the place of the group's handle is null");
  run("table_references", [] { return comex_table_references(world, nullptr); });
  run("connection_references", [] { return comex_connection_references({}, nullptr); });
  run("world_references", [] { return comex_world_references(0, nullptr); });
  run("failed", [] { return comex_failed(world, nullptr, nullptr); });
  run("group_shrink", [] { return comex_group_shrink(world, nullptr); });
  run("wait_until_any", [&] { return comex_wait_until_any(words, 2, nullptr, COMEX_CMP_EQ, 0, nullptr); });
  run("wait_until_some",
      [&] { return comex_wait_until_some(words, 2, nullptr, COMEX_CMP_EQ, 0, &index, nullptr); });
  if (bed.me == 0) bed.must(comex_wait(&issued), "wait");
}

inline void id_cases(Bed& bed) {
  const comex_group_t world = COMEX_GROUP_WORLD;
  const auto run = [&](const std::string& name, const char* operation, const char* text, auto&& lambda) {
    bed.attempt(name, {operation, text}, Told::by_call, lambda);
  };
  constexpr comex_gpid_t stranger{4'000'000'000U, 0};
  int number = 7;
  int ranks[] = {0, bed.workers};
  int below[] = {-1};
  std::vector<int> places(2, 7);
  comex_gpid_t gpid{};
  comex_process_ranks_t process{};
  comex_group_t made = COMEX_GROUP_WORLD;
  run("group_create negative", "group_create", "it needs n >= 0 ranks and their list",
      [&] { return comex_group_create(-1, ranks, world, &made); });
  run("group_create no_list", "group_create", "it needs n >= 0 ranks and their list",
      [&] { return comex_group_create(2, nullptr, world, &made); });
  run("group_create rank", "group_create", "rank [0-9]+ is out of range: the group has ranks 0 to",
      [&] { return comex_group_create(2, ranks, world, &made); });
  run("group_create rank_below", "group_create", "rank -1 is out of range: the group has ranks 0 to",
      [&] { return comex_group_create(1, below, world, &made); });
  run("group_free world", "group_free", "COMEX_GROUP_WORLD and _SELF live until finalize",
      [] { return comex_group_free(COMEX_GROUP_WORLD); });
  run("group_free self", "group_free", "COMEX_GROUP_WORLD and _SELF live until finalize",
      [] { return comex_group_free(COMEX_GROUP_SELF); });
  run("translate negative", "group_translate_ranks", "it needs n >= 0 ranks",
      [&] { return comex_group_translate_ranks(-1, world, ranks, world, places.data()); });
  run("translate no_list", "group_translate_ranks", "it needs n >= 0 ranks",
      [&] { return comex_group_translate_ranks(2, world, nullptr, world, places.data()); });
  run("translate rank", "group_translate_ranks", "rank [0-9]+ is out of range: group 0 has ranks 0 to",
      [&] { return comex_group_translate_ranks(2, world, ranks, world, places.data()); });
  run("translate rank_below", "group_translate_ranks", "rank -1 is out of range: group 0 has ranks 0 to",
      [&] { return comex_group_translate_ranks(1, world, below, world, places.data()); });
  run("translate_world rank", "group_translate_world", "is out of range",
      [&] { return comex_group_translate_world(world, bed.workers, &number); });
  run("host_of rank", "host_of", "is out of range", [&] { return comex_host_of(-1, world, &number); });
  run("wait_proc rank", "wait_proc", "is out of range", [&] { return comex_wait_proc(bed.workers, world); });
  run("gpid rank", "gpid", "is out of range", [&] { return comex_gpid(world, bed.workers, &gpid); });
  run("gpids size", "gpids", "the size is 1, but group 0 has [0-9]+ ranks",
      [&] { return comex_gpids(world, 1, &gpid, nullptr); });
  run("lpids size", "lpids", "the size is -1, but group 0 has [0-9]+ ranks",
      [&] { return comex_lpids(world, -1, places.data()); });
  run("gpids_to_lpids negative", "gpids_to_lpids", "it needs n >= 0 ids",
      [&] { return comex_gpids_to_lpids(-1, &gpid, places.data()); });
  run("gpid_to_lpid unknown", "gpid_to_lpid", "world 4000000000 is not known here",
      [&] { return comex_gpid_to_lpid(stranger, &number); });
  run("connection_references unknown", "connection_references", "world 4000000000 is not known here",
      [&] { return comex_connection_references(stranger, &number); });
  run("world_references unknown", "world_references", "world 4000000000 is not known here",
      [&] { return comex_world_references(stranger.world, &number); });
  run("lpid_to_gpid unknown", "lpid_to_gpid", "lpid 1000000 names no process here",
      [&] { return comex_lpid_to_gpid(1'000'000, &gpid); });
  run("process_ranks unknown", "process_ranks", "lpid 1000000 names no process here",
      [&] { return comex_process_ranks(1'000'000, &process); });
  run("group_from_lpids negative", "group_from_lpids", "it needs n >= 0 lpids and their list",
      [&] { return comex_group_from_lpids(-1, ranks, &made); });
  run("group_from_lpids no_list", "group_from_lpids", "it needs n >= 0 lpids and their list",
      [&] { return comex_group_from_lpids(1, nullptr, &made); });
  run("group_from_lpids unknown", "group_from_lpids", "names no process here",
      [&] { return comex_group_from_lpids(1, below, &made); });
  run("group_remote_size world", "group_remote_size", "group 0 is no inter-group",
      [&] { return comex_group_remote_size(world, &number); });
  run("group_merge world", "group_merge", "group 0 is no inter-group",
      [&] { return comex_group_merge(world, 0, &made); });
  for (const comex_group_t own : {COMEX_GROUP_WORLD, COMEX_GROUP_SELF}) {
    run("world_disconnect " + std::to_string(own), "world_disconnect", "one of the own world", [&] {
      comex_group_t group = own;
      return comex_world_disconnect(&group);
    });
  }
  if (bed.me != 0) return;
  if (number != 7 || places != std::vector<int>(2, 7) || made != COMEX_GROUP_WORLD)
    bed.fail("a call of wrong ids", "wrote an output");
  // Nothing is none of them.
  bed.must(comex_group_create(0, nullptr, world, &made), "group_create of nobody");
  bed.must(comex_wait_until_all(nullptr, 0, nullptr, COMEX_CMP_EQ, 0), "wait_until_all of no words");
  bed.must(comex_group_translate_ranks(0, world, nullptr, world, nullptr), "translation of no ranks");
  bed.must(comex_gpids_to_lpids(0, nullptr, nullptr), "look-up of no ids");
  if (made != COMEX_GROUP_NULL) bed.fail("group_create of nobody", "made a group of the caller");
}

inline void other_cases(Bed& bed) {
  const auto run = [&](const std::string& name, const char* operation, const char* text, auto&& lambda) {
    bed.attempt(name, {operation, text}, Told::by_call, lambda);
  };
  char text[8] = "unused";
  run("world_open_port negative", "world_open_port", "the place for the port holds -1 bytes; this one needs",
      [&] { return comex_world_open_port(text, -1); });
  run("world_open_port small", "world_open_port", "the place for the port holds 8 bytes; this one needs",
      [&] { return comex_world_open_port(text, sizeof text); });
  if (bed.me == 0 && std::strcmp(text, "unused") != 0) bed.fail("world_open_port small", "wrote the place");
  comex_card_hook_t half{};
  run("set_card_hook empty", "set_card_hook", "a hook needs collect and deliver",
      [&] { return comex_set_card_hook(&half); });
  half.collect = [](uint32_t, uint32_t, void*, size_t*, void*) { return 0; };
  run("set_card_hook half", "set_card_hook", "a hook needs collect and deliver",
      [&] { return comex_set_card_hook(&half); });
  run("set_errors below", "set_errors", "mode -1 is unknown", [] { return comex_set_errors(-1); });
  char* far = bed.segment(bed.me);
  run("keep local", "keep", "not that of a part of kept memory", [&] { return comex_keep(text); });
  run("keep unkept", "keep", "not that of a part of kept memory", [&] { return comex_keep(far); });
  run("free_local segment", "free_local", "not one that malloc_local gave",
      [&] { return comex_free_local(far); });
  run("access_begin null", "access_begin", "the address is null",
      [] { return comex_access_begin(nullptr, 8, COMEX_ACCESS_READ); });
  long word = 0;
  run("wait_until below", "wait_until", "comparison -1 is unknown",
      [&] { return comex_wait_until(&word, -1, 0); });
  run("putv no_descriptors", "putv", "the array of descriptors is null",
      [&] { return comex_putv(nullptr, 1, bed.target, COMEX_GROUP_WORLD); });
  run("putv too_many", "putv", "the number of descriptors is more than memory can hold",
      [&] { return comex_putv_x(nullptr, SIZE_MAX / 2, bed.target, COMEX_GROUP_WORLD); });
  constexpr std::size_t many = 1'000'000;
  void* near_of_each = bed.near.data();
  void* far_of_each = far;
  const std::vector<comex_giov_x_t> descriptors(many, comex_giov_x_t{&near_of_each, &far_of_each, 1, 8});
  run("putv no_memory", "putv", "there is no memory for 1000000 descriptors", [&] {
    const ShortMemory short_memory(8 << 20);
    return comex_putv_x(descriptors.data(), many, bed.target, COMEX_GROUP_WORLD);
  });
  run("put too_large", "put", "does not fit into 63 bits",
      [&] { return comex_put_x(bed.near.data(), far, SIZE_MAX, bed.target, COMEX_GROUP_WORLD); });
}

// Connects to a port, shows the cookie and says nothing more.
inline int silent_guest(const std::string& port) {
  const std::size_t cookie = port.rfind(':');
  const std::size_t number = port.rfind(':', cookie - 1);
  std::string host = port.substr(0, number);
  if (host.front() == '[') host = host.substr(1, host.size() - 2);
  const std::string hello = "comex meets " + port.substr(cookie + 1);
  const std::uint64_t bytes = hello.size();
  addrinfo* at = nullptr;
  if (getaddrinfo(host.c_str(), port.substr(number + 1, cookie - number - 1).c_str(), nullptr, &at) != 0)
    return -1;
  const int guest = socket(at->ai_family, SOCK_STREAM, 0);
  const bool is_in = connect(guest, at->ai_addr, at->ai_addrlen) == 0 &&
                     send(guest, &bytes, sizeof bytes, 0) > 0 && send(guest, hello.data(), bytes, 0) > 0;
  freeaddrinfo(at);
  return is_in ? guest : -1;
}

// Over the group of the caller alone, so that nobody else has to take part.
inline void meeting_cases(Bed& bed) {
  constexpr comex_group_t self = COMEX_GROUP_SELF;
  constexpr double at_once = 0;
  comex_group_t made = COMEX_GROUP_NULL;
  const auto run = [&](const std::string& name, const char* operation, const char* text, auto&& lambda) {
    bed.attempt(name, {operation, text}, Told::by_call, lambda);
  };
  const auto join = [&made](int leader, comex_group_t peer, int other, int tag) {
    return comex_intergroup_create(self, leader, peer, other, tag, &made);
  };
  run("intergroup no_peer", "intergroup_create", "peer group 77 does not exist, or was freed",
      [&] { return join(0, 77, 0, 1); });
  run("intergroup remote_leader", "intergroup_create",
      "remote leader [0-9]+ is out of range: peer group 0 has",
      [&] { return join(0, COMEX_GROUP_WORLD, bed.workers, 1); });
  run("intergroup remote_below", "intergroup_create", "remote leader -1 is out of range: peer group 0 has",
      [&] { return join(0, COMEX_GROUP_WORLD, -1, 1); });
  run("intergroup tag", "intergroup_create", "the tag is -1; it must not be negative",
      [&] { return join(0, COMEX_GROUP_WORLD, bed.target, -1); });
  run("intergroup itself", "intergroup_create", "both leaders are this process; the two sides share nobody",
      [&] { return join(0, COMEX_GROUP_WORLD, 0, 1); });
  run("intergroup leader", "intergroup_create", "local leader -1 is out of range: group",
      [&] { return join(-1, COMEX_GROUP_WORLD, bed.target, 1); });
  run("intergroup no_place", "intergroup_create", "the place for the new group is null",
      [&] { return comex_intergroup_create(self, 0, COMEX_GROUP_WORLD, bed.target, 1, nullptr); });

  run("world_spawn none", "world_spawn", "it needs processes >= 1, not 0",
      [&] { return comex_world_spawn("true", nullptr, 0, 0, self, &made); });
  run("world_spawn no_command", "world_spawn", "it needs a command",
      [&] { return comex_world_spawn(nullptr, nullptr, 1, 0, self, &made); });
  run("world_spawn unknown_command", "world_spawn", "there is no program /no/such that could be started",
      [&] { return comex_world_spawn("/no/such", nullptr, 1, 0, self, &made); });

  const std::string odd = "/tmp/bad_input=" + std::to_string(getpid());
  if (bed.me == 0 && symlink("/bin/true", odd.c_str()) != 0) bed.fail("symlink", "failed");
  run("world_spawn sign", "world_spawn", "has a = in its path, by which env would take it for a variable",
      [&] { return comex_world_spawn(odd.c_str(), nullptr, 1, 0, self, &made); });
  if (bed.me == 0) unlink(odd.c_str());

  char port[256] = "";
  if (bed.me == 0) bed.must(comex_world_open_port(port, sizeof port), "world_open_port");
  run("world_accept late", "world_accept", "nobody has connected to .* within 0 s",
      [&] { return comex_world_accept(port, 0, self, at_once, &made); });
  const int guest = bed.me == 0 ? silent_guest(port) : -1;
  run("world_accept silent", "world_accept", "the guest at .* has not said who it is within 0 s",
      [&] { return comex_world_accept(port, 0, self, at_once, &made); });
  if (bed.me == 0 && close(guest) != 0) bed.fail("world_accept silent", "had no guest");
  run("world_connect late", "world_connect", "nobody accepts at .* within 0 s",
      [&] { return comex_world_connect(port, 0, self, at_once, &made); });
  run("world_connect before", "world_connect", "the time limit is -1.*a number from 0 up",
      [&] { return comex_world_connect(port, 0, self, -1, &made); });
  run("world_connect null", "world_connect", "the port is null",
      [&] { return comex_world_connect(nullptr, 0, self, at_once, &made); });
  const std::string unknown_host = "..:1:" + std::string(32, 'a');
  run("world_connect unknown_host", "world_connect", "\\.\\.",
      [&] { return comex_world_connect(unknown_host.c_str(), 0, self, at_once, &made); });
  run("world_connect nowhere", "world_connect", "is not a port",
      [&] { return comex_world_connect("nowhere", 0, self, at_once, &made); });
  if (bed.me == 0) bed.must(comex_world_close_port(port), "world_close_port");
  run("world_accept closed", "world_accept", "this process has no such port open at",
      [&] { return comex_world_accept(port, 0, self, at_once, &made); });
  run("world_close_port closed", "world_close_port", "this process has no such port open",
      [&] { return comex_world_close_port(port); });
  run("world_close_port nowhere", "world_close_port", "is not a port",
      [] { return comex_world_close_port("nowhere"); });

  run("group_split color", "group_split", "the color is -2; it must not be negative, or be MPI_UNDEFINED",
      [&] { return comex_group_split(self, -2, 0, &made); });
  run("group_split no_place", "group_split", "the place for the result is null",
      [] { return comex_group_split(self, 0, 0, nullptr); });
  run("group_dup no_place", "group_dup", "the place for the result is null",
      [] { return comex_group_dup(self, nullptr); });
  run("endpoints count", "group_create_endpoints", "the count is -1; it needs one from 0 to",
      [&] { return comex_group_create_endpoints(self, -1, &made); });
  run("endpoints no_place", "group_create_endpoints", "the count is 1; it needs one from 0 to",
      [] { return comex_group_create_endpoints(self, 1, nullptr); });
  void* place = nullptr;
  int home = 0;
  run("recover no_place", "recover", "the array of addresses or of homes is null",
      [&] { return comex_recover(nullptr, self, &place, nullptr); });
  run("recover nothing", "recover", "no member names kept memory",
      [&] { return comex_recover(nullptr, self, &place, &home); });
  run("recover unkept", "recover", "not that of the first part that this process has of kept memory",
      [&] { return comex_recover(bed.segment(0), self, &place, &home); });
  if (bed.me == 0 && made != COMEX_GROUP_NULL) bed.fail("a meeting that failed", "wrote a handle");
}

}  // namespace bad_input
