// All of comex.hpp, for several layouts of the job. Usage: cpp_interface [threads]
//   cpp_interface alone    the runtime's start and end; MPI is the program's
//   cpp_interface leaves   an exception on one worker ends the job, since the others wait for it
//   cpp_interface large    calls of more than 2 GiB; needs 4.4 GB
//   cpp_interface spawn    two worlds; needs slots for one process more
//   cpp_interface tasks    coroutines alone; compiled without optimization too
#include <cstdlib>
#include <new>

#include "mpi/cpp_patches.h"
#include "mpi/cpp_waits.h"

using namespace comex::testing;

namespace {

thread_local std::size_t allocations = 0;  // by operator new

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const made = std::malloc(bytes)) return made;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* made) noexcept {
  std::free(made);
}
[[gnu::noinline]] void operator delete(void* made, std::size_t) noexcept {
  std::free(made);
}

namespace {

void groups(const Job& job) {
  const comex::group world = comex::group::world();
  comex::group half = world.split(job.me % 2, -job.me);
  job.equal(half.size(), (job.workers + 1 - job.me % 2) / 2, "the size of a half");
  job.equal(half.translate(half.rank(), world), job.me, "the rank of a member in the world");
  job.equal(half.rank(), half.size() - 1 - job.me / 2, "the rank by a key that falls");
  const comex::array<int> memory(half, 1);
  memory.local()[0] = 0;
  half.barrier();
  comex::fetch_add(memory.ptr(0), 1);
  half.barrier();
  if (half.rank() == 0) job.equal(memory.local()[0], half.size(), "the counter of a half");
  half.fence();
  half.wait();
  half.wait(0);

  const std::vector<int> ranks{job.workers - 1, 0};
  if (job.workers > 1) {
    const comex::group pair = world.create(ranks);
    const bool is_in = job.me == 0 || job.me == job.workers - 1;
    job.require(static_cast<bool>(pair) == is_in, "who has a group of two");
    job.equal(pair.rank(), is_in ? (job.me == 0 ? 1 : 0) : -1, "the rank in a group of two");
    const comex::group same = world.duplicate();
    job.equal(same.host_of(0), job.host(0), "a host");
    int compared = MPI_UNEQUAL;
    MPI_Comm_compare(same.comm(), job.comm, &compared);
    job.equal(compared, MPI_CONGRUENT, "the communicator of a duplicate");
    comex::group side = world.split(job.me == 0 ? 0 : 1);
    comex::inter_group inter = comex::make_inter_group(side, 0, world, job.me == 0 ? 1 : 0, 3);
    job.equal(inter.size() + inter.remote_size(), job.workers, "both sides");
    const comex::group merged = inter.merge(job.me == 0);
    job.equal(merged.rank(), job.me == 0 ? job.workers - 1 : job.me - 1, "the rank in a merged group");
  }
  std::vector<comex::group> ends = comex::endpoints(world, 1);
  job.equal(ends.at(0).size(), job.workers, "the endpoints");
  ends[0].barrier();
  comex::group moved = std::move(half);
  job.require(!half && moved, "a group that was moved");  // NOLINT: that is what is asked
  half = std::move(moved);
}

// Refused operations throw, by the call or by the next fence, and nothing else is lost.
void refusals(const Job& job) {
  const comex::array<long> memory(comex::group::world(), 8);
  std::fill(memory.local().begin(), memory.local().end(), 5);
  comex::group::world().barrier();
  static long outside[2];
  const int target = (job.me + 1) % job.workers;
  const comex::global_ptr<long> wrong(outside, target);
  long value = 1;
  const auto refused = [&](auto&& call) {
    const bool is_thrown = throws_error(call) || throws_error([&] { comex::fence(wrong); });
    job.require(is_thrown, "an operation on a wrong address");
    job.require(!throws_error([&] { comex::group::world().fence(); }), "told twice");
  };
  refused([&] { comex::put(value, wrong); });
  refused([&] { (void)comex::get(wrong); });
  refused([&] { comex::accumulate(value, wrong); });
  refused([&] { comex::fetch_add(wrong, 1); });
  refused([&] { comex::async_put(value, wrong).wait(); });
  refused([&] { (void)comex::async_get(wrong).get(); });
  refused(
      [&] { (void)comex::when_all(comex::async_get(memory.ptr(target)), comex::async_get(wrong)).get(); });
  refused([&] { (void)comex::async_get(wrong).then([](long seen) { return seen; }).get(); });
  refused([&] { (void)comex::run(element(wrong)); });
  refused([&] {
    comex::put(comex::patch<const long, 1>(&value, {1}), comex::global_patch<long, 1>(wrong, {1}));
  });
  refused([&] { comex::put_signal(value, memory.ptr(target), wrong, 1); });
  try {
    (void)comex::get(comex::global_ptr<long>(outside, job.workers + 3));
    job.fail("a rank that is none");
  } catch (const comex::error& failure) {
    const std::string said = failure.what();
    job.require(said.starts_with("comex: rank ") && said.find(": get") != std::string::npos, failure.what());
    job.require(*comex_error_text() == '\0', "a line is told once");
    job.require(failure.target() == job.workers + 3 && failure.bytes() == 8, "what an error says");
  }
  job.require(throws_error([] { comex::group::view(977).barrier(); }), "a group that is none");
  std::vector<std::size_t> counts(static_cast<std::size_t>(job.workers), 1);
  counts.back() = SIZE_MAX / sizeof(long) + 1;
  job.require(
      throws<std::length_error>([&] { const comex::array<long> none(comex::group::world(), counts); }),
      "a part of one worker that has no room");
  comex::put(7L, memory.ptr(target, 1));
  comex::group::world().barrier();
  job.equal(memory.local()[0], 5, "a word after refusals");
  job.equal(memory.local()[1], 7, "a put after refusals");
  job.equal(outside[0], 0, "a word that is nobody's target");
  comex::group::world().barrier();
}

// What an exception leaves behind is freed at the end, and the collective destructors make no calls.
void passing_exceptions(const Job& job) {
  bool was_caught = false;
  comex::global_ptr<long> there;
  try {
    const comex::array<long> left(comex::group::world(), 8);
    const comex::group dup = comex::group::world().duplicate();
    there = left.ptr(job.me);
    comex::put(3L, there);
    if (job.me == 0) throw std::string("mine");
    throw std::string("others");
  } catch (const std::string& text) {
    was_caught = text == (job.me == 0 ? "mine" : "others");
  }
  job.require(was_caught, "an exception that passes");
  job.equal(comex::get(there), 3, "a word that an exception has left");
}

// One of everything that ends with the runtime.
struct Left {
  explicit Left(const comex::group& world)
      : side(world.split(world.rank() == 0 ? 0 : 1)), memory(world, 1), put(comex::async_put(value, to())) {
    if (world.size() == 1) return;
    inter.emplace(comex::make_inter_group(side, 0, world, world.rank() == 0 ? 1 : 0, 3));
  }
  comex::global_ptr<long> to() const { return memory.ptr(memory.ranks() - 1); }

  long value = 1;
  comex::group side;
  std::optional<comex::inter_group> inter;
  comex::array<long> memory;
  comex::buffer<long> own{1};
  comex::mutexes set{1};
  comex::future<> put;
};
std::unique_ptr<Left> left_behind;  // until the next runtime is on, or the program ends

// What an earlier runtime has left ends, and nothing of this one, whose handles may be the same.
int replace_left(const comex::group& world) {
  auto fresh = std::make_unique<Left>(world);
  left_behind.swap(fresh);
  fresh.reset();
  left_behind->side.barrier();
  if (left_behind->inter) left_behind->inter->merge(world.rank() == 0).barrier();
  comex::mutex own = left_behind->set.at(0, world.rank());
  const std::scoped_lock locked(own);
  return comex::get(left_behind->to()) == 1 ? 0 : 1;
}

int live_alone(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm over = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &over);
  int wrong = throws_error([] { comex::runtime none(MPI_COMM_NULL); }) ? 0 : 1;
  for (int life = 0; life < 2; ++life) {
    comex::runtime first(over);
    comex::runtime runtime = std::move(first);
    if (!runtime.is_worker()) continue;
    int mode = -1;
    comex_get_errors(&mode);
    if (mode != COMEX_ERRORS_RETURN) ++wrong;
    const comex::runtime joined;
    const comex::group world = runtime.world();
    const comex::array<int> memory(world, 1);
    memory.local()[0] = 0;
    world.barrier();
    comex::fetch_add(memory.ptr(0), 1);
    world.barrier();
    if (world.rank() == 0 && memory.local()[0] != world.size()) ++wrong;
    world.barrier();
    wrong += replace_left(world);
  }
  if (comex_initialized() != 0) ++wrong;
  int mode = -1;
  comex_get_errors(&mode);
  if (mode != COMEX_ERRORS_ABORT) ++wrong;
  MPI_Comm_free(&over);
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("cpp_interface alone: %d wrong\n", wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}

int leave() {
  try {
    const comex::runtime runtime;
    const comex::array<int> memory(runtime.world(), 1);
    if (runtime.world().rank() == 0) throw std::string("mine");
    runtime.world().barrier();
  } catch (const std::string&) {
    std::printf("cpp_interface leaves: caught outside\n");
  }
  return 0;
}

void cross(const Job& job, const comex::group& merged) {
  const comex::array<long> memory(merged, 1);
  memory.local()[0] = 0;
  merged.barrier();
  comex::fetch_add(memory.ptr(0), 2);
  comex::fetch_add(memory.ptr(merged.size() - 1), 1);
  merged.barrier();
  if (merged.rank() == 0) job.equal(memory.local()[0], 2L * merged.size(), "a counter of two worlds");
  if (merged.rank() == merged.size() - 1) job.equal(memory.local()[0], merged.size(), "the last counter");
  merged.barrier();
}

void two_worlds(const Job& job, const char* program) {
  constexpr double limit_s = 20;
  const comex::group world = comex::group::world();
  if (std::optional<comex::inter_group> parent = comex::parent()) {
    cross(job, parent->merge(true));
    comex::inter_group met = comex::connect({world}, job.arguments.back().c_str(), limit_s);
    job.require(met.remote_size() > 0, "a world that was met");
    met.disconnect();
    parent->disconnect();
    return;
  }
  std::optional<comex::open_port> port;
  if (job.me == 0) port.emplace();
  const std::vector<std::string> arguments{"spawn", port ? port->text() : ""};
  const comex::inter_group children = comex::spawn({world}, program, arguments, 1);
  job.equal(children.remote_size(), 1, "the children");
  cross(job, children.merge(false));
  comex::inter_group met = comex::accept({world}, port ? port->text() : "", limit_s);
  job.equal(met.size(), job.workers, "the side that accepts");
  met.disconnect();
}

// Once the thread has the block that its results lie in. The runtime's pools may still grow now and then.
void small_operations_allocate_nothing(const Job& job) {
  const comex::array<long> memory(comex::group::world(), 2);
  const comex::global_ptr<long> there = memory.ptr((job.me + 1) % job.workers);
  const auto work = [&] {
    long value = 7;
    comex::put(value, there);
    comex::accumulate(value, there, 2L);
    (void)comex::get(there);
    (void)comex::fetch_add(there + 1, 1);
    comex::async_put(value, there).wait();
    (void)comex::async_get(there).wait();
    (void)comex::async_fetch_add(there + 1, 1).wait();
  };
  work();
  comex::group::world().barrier();
  const std::size_t before = allocations;
  for (int i = 0; i < 1000; ++i) work();
  const std::size_t made = allocations - before;
  comex::group::world().barrier();
  job.require(made < 50, "small operations allocate");
}

void check_all(Job& job) {
  job.check("values and spans", [&] { values_and_spans(job); });
  job.check("pointers", [&] { pointers(job); });
  job.check("sums of all types", [&] { sums(job); });
  job.check("words of ints", [&] { words_of<int>(job); });
  job.check("words of longs", [&] { words_of<long>(job); });
  job.check("words of unsigned ints", [&] { words_of<unsigned>(job); });
  job.check("words of unsigned longs", [&] { words_of<unsigned long>(job); });
  job.check("typed words of ints", [&] { typed_words<int>(job); });
  job.check("typed words of unsigned longs", [&] { typed_words<unsigned long>(job); });
  job.check("typed words of floats", [&] { typed_words<float>(job); });
  job.check("typed words of doubles", [&] { typed_words<double>(job); });
  job.check("combinations", [&] { combinations(job); });
  job.check("wide words", [&] { wide_words(job); });
  job.check("parts of any size", [&] { parts_of_any_size(job); });
  job.check("patches", [&] { patches(job); });
  job.check("patches of many dimensions", [&] { patches_of_many_dimensions(job); });
  job.check("splits of large transfers", [&] { splits(job); });
  job.check("scattered pieces", [&] { scattered_pieces(job); });
  job.check("combined patches", [&] { combined_patches(job); });
  job.check("small operations allocate nothing", [&] { small_operations_allocate_nothing(job); });
  job.check("futures", [&] { futures(job); });
  job.check("several requests", [&] { several_requests(job); });
  job.check("tasks", [&] { tasks(job); });
  job.check("guarded counters", [&] { guarded_counters(job); });
  job.check("waits for several words", [&] { waits_for_several_words(job); });
  job.check("signals and counters", [&] { signals_and_counters(job); });
  job.check("groups", [&] { groups(job); });
  job.check("refusals", [&] { refusals(job); });
  job.check("passing exceptions", [&] { passing_exceptions(job); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "alone") return live_alone(argc, argv);
  if (argc > 1 && std::string(argv[1]) == "leaves") return leave();
  const char* const program = argv[0];
  Job job(argc, argv, "cpp_interface");
  const comex::runtime joined;
  if (job.has("spawn")) {
    job.check("two worlds", [&] { two_worlds(job, program); });
  } else if (job.has("large")) {
    job.check("more than two gigabytes", [&] { more_than_two_gigabytes(job); });
  } else if (job.has("tasks")) {
    job.check("tasks", [&] { tasks(job); });
  } else {
    check_all(job);
  }
}
