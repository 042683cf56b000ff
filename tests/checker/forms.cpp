// Right data by the calls of comex that no other case makes: the wide ones, those with an operation, those
// between groups, and calls that are refused. Each is followed as what it is, so nothing is said of it.
#include <comex/worlds.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <iterator>

#include "bed.h"

namespace comex::checker {
namespace {

constexpr int many = 16;
constexpr std::size_t bytes = many * sizeof(long);
constexpr long two = 2;

// Two rows of four words: side by side here, and at the begin of each of two rows of eight there.
constexpr std::ptrdiff_t dense[] = {4 * sizeof(long)};
constexpr std::ptrdiff_t wide[] = {8 * sizeof(long)};
constexpr std::size_t rows[] = {4 * sizeof(long), 2};

// Two words: side by side here, and the first and the last of a block there.
struct Ends {
  Ends(long* near, long* far) : here{near, near + 1}, there{far, far + many - 1} {}
  comex_giov_x_t out() { return {here.data(), there.data(), here.size(), sizeof(long)}; }
  comex_giov_x_t in() { return {there.data(), here.data(), there.size(), sizeof(long)}; }

  std::array<void*, 2> here;
  std::array<void*, 2> there;
};

// Moves words between `near` and a block of `proc`. If those are all 1 where they come from, and 0 where they
// go to, they come to `sum` there.
struct Form {
  int (*make)(long* near, long* far, int proc);
  long sum;
};
struct Begun {
  int (*make)(long* near, long* far, int proc, comex_request_t* handle);
  long sum;
};

constexpr Form writes[] = {
    {[](long* near, long* far, int to) { return comex_put_x(near, far, bytes, to, everyone); }, 16},
    {[](long* near, long* far, int to) {
       Ends ends(near, far);
       const comex_giov_x_t pairs = ends.out();
       return comex_putv_x(&pairs, 1, to, everyone);
     },
     2},
    {[](long* near, long* far, int to) {
       return comex_acc_x(COMEX_ACC_LNG, &two, near, far, bytes, to, everyone);
     },
     32},
    {[](long* near, long* far, int to) {
       return comex_accs_x(COMEX_ACC_LNG, &two, near, dense, far, wide, rows, 1, to, everyone);
     },
     16},
    {[](long* near, long* far, int to) {
       Ends ends(near, far);
       const comex_giov_x_t pairs = ends.out();
       return comex_accv_x(COMEX_ACC_LNG, &two, &pairs, 1, to, everyone);
     },
     4},
    {[](long* near, long* far, int to) {
       return comex_accs_op(COMEX_OP_MAX, COMEX_ACC_LNG, near, dense, far, wide, rows, 1, to, everyone);
     },
     8},
    {[](long* near, long* far, int to) {
       Ends ends(near, far);
       const comex_giov_x_t pairs = ends.out();
       return comex_accv_op(COMEX_OP_OR, COMEX_ACC_LNG, &pairs, 1, to, everyone);
     },
     2},
};

constexpr Begun begun_writes[] = {
    {[](long* near, long* far, int to, comex_request_t* handle) {
       return comex_nbput_x(near, far, bytes, to, everyone, handle);
     },
     16},
    {[](long* near, long* far, int to, comex_request_t* handle) {
       return comex_nbputs_x(near, dense, far, wide, rows, 1, to, everyone, handle);
     },
     8},
    {[](long* near, long* far, int to, comex_request_t* handle) {
       Ends ends(near, far);
       const comex_giov_x_t pairs = ends.out();
       return comex_nbputv_x(&pairs, 1, to, everyone, handle);
     },
     2},
    {[](long* near, long* far, int to, comex_request_t* handle) {
       return comex_nbacc_x(COMEX_ACC_LNG, &two, near, far, bytes, to, everyone, handle);
     },
     32},
    {[](long* near, long* far, int to, comex_request_t* handle) {
       return comex_nbaccs_x(COMEX_ACC_LNG, &two, near, dense, far, wide, rows, 1, to, everyone, handle);
     },
     16},
    {[](long* near, long* far, int to, comex_request_t* handle) {
       Ends ends(near, far);
       const comex_giov_x_t pairs = ends.out();
       return comex_nbaccv_x(COMEX_ACC_LNG, &two, &pairs, 1, to, everyone, handle);
     },
     4},
    {[](long* near, long* far, int to, comex_request_t* handle) {
       return comex_nbacc_op(COMEX_OP_SUM, COMEX_ACC_LNG, near, far, bytes, to, everyone, handle);
     },
     16},
    {[](long* near, long* far, int to, comex_request_t* handle) {
       return comex_nbaccs_op(COMEX_OP_SUM, COMEX_ACC_LNG, near, dense, far, wide, rows, 1, to, everyone,
                              handle);
     },
     8},
    {[](long* near, long* far, int to, comex_request_t* handle) {
       Ends ends(near, far);
       const comex_giov_x_t pairs = ends.out();
       return comex_nbaccv_op(COMEX_OP_XOR, COMEX_ACC_LNG, &pairs, 1, to, everyone, handle);
     },
     2},
};

constexpr Form reads[] = {
    {[](long* near, long* far, int from) { return comex_get_x(far, near, bytes, from, everyone); }, 16},
    {[](long* near, long* far, int from) {
       return comex_gets_x(far, wide, near, dense, rows, 1, from, everyone);
     },
     8},
    {[](long* near, long* far, int from) {
       Ends ends(near, far);
       const comex_giov_x_t pairs = ends.in();
       return comex_getv_x(&pairs, 1, from, everyone);
     },
     2},
};

constexpr Begun begun_reads[] = {
    {[](long* near, long* far, int from, comex_request_t* handle) {
       return comex_nbget_x(far, near, bytes, from, everyone, handle);
     },
     16},
    {[](long* near, long* far, int from, comex_request_t* handle) {
       return comex_nbgets_x(far, wide, near, dense, rows, 1, from, everyone, handle);
     },
     8},
    {[](long* near, long* far, int from, comex_request_t* handle) {
       Ends ends(near, far);
       const comex_giov_x_t pairs = ends.in();
       return comex_nbgetv_x(&pairs, 1, from, everyone, handle);
     },
     2},
};

long sum_of(const long* words) {
  long sum = 0;
  for (int i = 0; i < many; ++i) sum += words[i];
  return sum;
}

constexpr Case cases[] = {
    {"writes", right,
     [](Bed& bed) {
       const auto a = bed.allocate(std::size(writes) * many);
       long* const src = bed.local<long>(many, 1);
       for (std::size_t i = 0; i < std::size(writes); ++i)
         bed.done(writes[i].make(src, a[bed.next()] + i * many, bed.next()));
       bed.barrier();
       for (std::size_t i = 0; i < std::size(writes); ++i)
         bed.require(bed.read(a[bed.me] + i * many, many) == writes[i].sum, "what was written");
     }},
    {"writes_that_are_waited_for", right,
     [](Bed& bed) {
       const auto a = bed.allocate(std::size(begun_writes) * many);
       long* const src = bed.local<long>(many, 1);
       std::array<comex_request_t, std::size(begun_writes)> handles{};
       for (std::size_t i = 0; i < handles.size(); ++i)
         bed.done(begun_writes[i].make(src, a[bed.next()] + i * many, bed.next(), &handles[i]));
       for (comex_request_t& handle : handles) bed.done(comex_wait(&handle));
       src[0] = 9;  // it may be used again
       bed.barrier();
       for (std::size_t i = 0; i < handles.size(); ++i)
         bed.require(bed.read(a[bed.me] + i * many, many) == begun_writes[i].sum, "what was written");
     }},
    {"reads", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       bed.write(a[bed.me], many, 3);
       bed.barrier();
       for (const Form& form : reads) {
         long* const result = bed.local<long>(many);
         bed.done(form.make(result, a[bed.next()], bed.next()));
         bed.require(sum_of(result) == 3 * form.sum, "what was read");
       }
       for (const Begun& form : begun_reads) {
         long* const result = bed.local<long>(many);
         comex_request_t handle = 0;
         bed.done(form.make(result, a[bed.next()], bed.next(), &handle));
         bed.done(comex_wait(&handle));
         bed.require(sum_of(result) == 3 * form.sum, "what was read");
       }
     }},
    {"list_in_two_allocations", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto b = bed.allocate(many);
       long* const src = bed.local<long>(2, 1);
       std::array<void*, 2> from{src, src + 1};
       std::array<void*, 2> to{a[bed.next()], b[bed.next()]};
       const comex_giov_x_t pairs{from.data(), to.data(), 2, sizeof(long)};
       bed.done(comex_putv_x(&pairs, 1, bed.next(), everyone));
       bed.barrier();
       bed.require(bed.read(a[bed.me], many) + bed.read(b[bed.me], many) == 2, "a word in each");
     }},
    {"signals", right,
     [](Bed& bed) {
       const auto data = bed.allocate(2 * many);
       const auto words = bed.allocate(2);
       long* const src = bed.local<long>(many, 1);
       const int to = bed.next();
       comex_request_t handle = 0;
       bed.done(comex_put_signal_x(src, data[to], bytes, words[to], 1, to, everyone));
       bed.done(comex_nbput_signal_add(src, data[to] + many, bytes, words[to] + 1, 1, to, everyone, &handle));
       bed.await(words[bed.me], 1);
       bed.await(words[bed.me] + 1, 1);
       bed.require(bed.read(data[bed.me], 2 * many) == 2 * many, "what came with the signals");
       bed.done(comex_wait(&handle));
     }},
    {"fences_that_are_waited_for", right,
     [](Bed& bed) {
       const auto a = bed.allocate(2 * many);
       comex_request_t handle = 0;
       for (int round = 0; round < 2; ++round) {
         bed.put(a[bed.next()] + round * many, many, bed.next(), bed.me);
         bed.done(comex_nbfence(bed.next(), everyone, round == 0 ? &handle : nullptr));
         bed.done(round == 0 ? comex_wait(&handle) : comex_wait_all(everyone));
         bed.send(bed.next());
         bed.receive(bed.previous());
         bed.require(bed.read(a[bed.me] + round * many, many) == bed.previous() * many,
                     "the neighbour's data");
       }
     }},
    {"group_of_the_living", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       comex_group_t living = COMEX_GROUP_NULL;
       bed.done(comex_group_shrink(everyone, &living));
       bed.done(comex_put(bed.local<long>(many, 2), a[bed.next()], bytes, bed.next(), living));
       bed.done(comex_barrier(living));
       bed.require(bed.read(a[bed.me], many) == 2 * many, "the neighbour's data");
       bed.done(comex_group_free(living));
     }},
    {"groups_of_two_sides", right,
     [](Bed& bed) {
       const auto a = bed.allocate(2 * many);
       const int side = bed.me / 2;
       const int opposite = (bed.me + 2) % needed_workers;
       comex_group_t half = COMEX_GROUP_NULL;
       comex_group_t inter = COMEX_GROUP_NULL;
       comex_group_t both = COMEX_GROUP_NULL;
       comex_group_t parent = COMEX_GROUP_WORLD;
       bed.done(comex_world_parent(&parent));
       bed.require(parent == COMEX_GROUP_NULL, "nobody has spawned this world");
       bed.done(comex_group_split(everyone, side, bed.me, &half));
       bed.done(comex_intergroup_create(half, 0, everyone, 2 - 2 * side, 3, &inter));
       bed.done(comex_put(bed.local<long>(many, 1), a[opposite], bytes, bed.me % 2, inter));
       bed.done(comex_fence_all(inter));
       bed.done(comex_group_merge(inter, side, &both));
       bed.done(comex_put(bed.local<long>(many, 1), a[opposite] + many, bytes, opposite, both));
       bed.done(comex_barrier(both));
       bed.require(bed.read(a[bed.me], 2 * many) == 2 * many, "what the other side has put");
       bed.done(comex_group_free(both));
       bed.done(comex_world_disconnect(&inter));
       bed.done(comex_group_free(half));
     }},
    {"memory_of_two_sides_where_other_memory_was", right,
     [](Bed& bed) {
       const int side = bed.me / 2;
       const int opposite = (bed.me + 2) % needed_workers;
       comex_group_t half = COMEX_GROUP_NULL;
       comex_group_t inter = COMEX_GROUP_NULL;
       comex_group_t copy = COMEX_GROUP_NULL;
       bed.done(comex_group_split(everyone, side, bed.me, &half));
       bed.done(comex_intergroup_create(half, 0, everyone, 2 - 2 * side, 3, &inter));
       bed.done(comex_group_dup(inter, &copy));
       std::array<void*, needed_workers> parts{};
       bed.done(comex_malloc(parts.data(), bytes, everyone));
       bed.done(comex_free(parts[static_cast<std::size_t>(bed.me)], everyone));
       std::array<void*, 2> theirs{};
       bed.done(comex_malloc(theirs.data(), bytes, inter));
       auto* const far = static_cast<long*>(theirs[static_cast<std::size_t>(bed.me % 2)]);
       bed.require(far != nullptr && parts[static_cast<std::size_t>(opposite)] != nullptr, "memory");
       bed.done(comex_put(bed.local<long>(many, 1), far, bytes, bed.me % 2, copy));
       bed.done(comex_barrier(inter));
       bed.done(comex_free(far, inter));
       bed.done(comex_world_disconnect(&copy));
       bed.done(comex_world_disconnect(&inter));
       bed.done(comex_group_free(half));
     }},
    {"kept_memory", right,
     [](Bed& bed) {
       int last_host = 0;
       bed.done(comex_host_of(bed.workers - 1, everyone, &last_host));
       if (last_host == 0) return;  // it takes two hosts
       std::array<void*, needed_workers> parts{};
       bed.done(comex_malloc_kept(parts.data(), bytes, 1, everyone));
       auto* const mine = static_cast<long*>(parts[static_cast<std::size_t>(bed.me)]);
       auto* const theirs = static_cast<long*>(parts[static_cast<std::size_t>(bed.next())]);
       bed.put(theirs, many, bed.next(), 4);
       bed.barrier();
       bed.require(bed.read(mine, many) == 4 * many, "the neighbour's data");
       bed.done(comex_free(mine, everyone));
     }},
    // No member names its own part, or one of its host, and none knows the allocation by what it names
    // itself.
    {"freed_by_addresses_of_the_other_half", right,
     [](Bed& bed) {
       std::array<void*, needed_workers> parts{};
       bed.done(comex_malloc(parts.data(), bytes, everyone));
       bed.done(comex_free(parts[static_cast<std::size_t>((bed.me + 2) % needed_workers)], everyone));
     }},
    // What was refused has accessed nothing, and waits for nothing.
    {"refused_calls", right,
     [](Bed& bed) {
       long* const mine = bed.local<long>(many);
       long* const elsewhere = bed.local<long>(many);  // in no memory of comex
       const std::size_t count[] = {sizeof(long), 2};
       long scale = 1;
       int pending = 0;
       comex_request_t handle = 0;
       comex_group_t copy = COMEX_GROUP_NULL;
       comex_group_t none = COMEX_GROUP_NULL;
       bed.done(comex_group_dup(everyone, &copy));
       bed.done(comex_set_errors(COMEX_ERRORS_RETURN));
       const int codes[] = {comex_put(mine, elsewhere, bytes, bed.me, everyone),
                            comex_nbput(mine, elsewhere, bytes, bed.me, everyone, &handle),
                            comex_nbget(elsewhere, mine, bytes, bed.me, everyone, &handle),
                            comex_put(mine, elsewhere, bytes, needed_workers, copy),
                            comex_puts_x(mine, nullptr, elsewhere, nullptr, count, 1, bed.me, everyone),
                            comex_acc(12345, &scale, mine, elsewhere, bytes, bed.me, everyone),
                            comex_test(nullptr, &pending),
                            comex_barrier(COMEX_GROUP_NULL),
                            comex_world_spawn(nullptr, nullptr, 0, 0, everyone, &none),
                            comex_world_accept("no port", 0, everyone, 0.1, &none),
                            comex_world_connect("no port", 0, everyone, 0.1, &none),
                            comex_world_disconnect(&none)};
       bed.done(comex_set_errors(COMEX_ERRORS_ABORT));
       for (const int code : codes) bed.require(code == COMEX_FAILURE, "a wrong call is refused");
       bed.done(comex_group_free(copy));
     }},
    {"a_forked_child", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const pid_t child = fork();
       if (child == 0) _exit(comex_initialized() == 0 ? 0 : 1);
       int status = -1;
       bed.require(waitpid(child, &status, 0) == child && status == 0, "the child has no runtime");
       bed.put(a[bed.next()], many, bed.next(), 1);
       bed.barrier();
       bed.require(bed.read(a[bed.me], many) == many, "the neighbour's data");
     }},
};

}  // namespace

Cases forms() {
  return cases;
}

}  // namespace comex::checker
