// A tour of the C++ interface: distributed arrays, patches, a shared counter with coroutines, mutexes and
// signals. Every stop checks its own numbers.
//
//   comexrun -n 3 tour
#include <algorithm>
#include <array>
#include <comex/comex.hpp>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace {

struct Job {
  comex::group world = comex::group::world();
  int me = world.rank();
  int workers = world.size();
  int next = (me + 1) % workers;
  int before = (me + workers - 1) % workers;
};

// An array has a part on each worker. Ranges are put and got; futures tell when.
bool neighbours(const Job& job) {
  constexpr std::size_t count = 1000;
  const comex::array<double> numbers(job.world, count);
  std::vector<double> mine(count);
  std::iota(mine.begin(), mine.end(), 1000.0 * job.me);
  comex::put(mine, numbers.part(job.next));
  job.world.barrier();  // now all of it is there, for everybody
  const bool is_right = numbers.local().back() == 1000.0 * job.before + 999;

  // The first elements of all, at once, and their sum as soon as they are here.
  std::vector<comex::future<double>> firsts;
  for (int rank = 0; rank < job.workers; ++rank) firsts.push_back(comex::async_get(numbers.ptr(rank)));
  auto sum = comex::when_all(std::move(firsts)).then([](const std::vector<double>& all) {
    return std::accumulate(all.begin(), all.end(), 0.0);
  });
  const bool is_sum_right = sum.get() == 1000.0 * job.workers * (job.workers - 1) / 2;
  job.world.barrier();
  return is_right && is_sum_right;
}

// Each worker owns some rows of a matrix. It is transposed by patches: a block of the own rows becomes a
// block of somebody's columns, since a patch may have any strides on either side.
bool transposed(const Job& job) {
  constexpr std::size_t rows = 8;
  const std::size_t order = rows * static_cast<std::size_t>(job.workers);
  const comex::array<double> result(job.world, rows * order);
  const std::size_t first_row = rows * static_cast<std::size_t>(job.me);
  std::vector<double> mine(rows * order);
  std::iota(mine.begin(), mine.end(), static_cast<double>(first_row * order));
  const comex::patch<const double, 2> source(mine.data(), {rows, order});
  for (int rank = 0; rank < job.workers; ++rank) {
    const auto block = source.sub({0, rows * static_cast<std::size_t>(rank)}, {rows, rows});
    // Element (i, j) of this patch is element (j, first_row + i) of the other worker's rows.
    comex::put(block, comex::global_patch<double, 2>(result.ptr(rank, first_row), {rows, rows}, {1, order}));
  }
  job.world.barrier();
  const comex::patch<double, 2> here(result.local().data(), {rows, order});
  bool is_right = true;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < order; ++j) {
      is_right = is_right && here(i, j) == static_cast<double>(j * order + first_row + i);
    }
  }
  job.world.barrier();
  return is_right;
}

// A task of this worker: draws numbers until there are none, gets a row for each, and accumulates its square.
// While one waits for the counter or a row, others go on.
constexpr long rows_in_all = 100;
constexpr std::size_t row_size = 50;

comex::task<long> square_rows(const comex::counter& numbers, const comex::array<double>& rows,
                              const comex::array<double>& sums) {
  std::array<double, row_size> row{};
  long done = 0;
  for (;;) {
    const long number = co_await numbers.async_next();
    if (number >= rows_in_all) co_return done;
    const int owner = static_cast<int>(number % rows.ranks());
    const auto place = static_cast<std::size_t>(number / rows.ranks()) * row_size;
    co_await comex::async_get(rows.part(owner).subspan(place, row_size), row);
    for (double& element : row) element *= element;
    co_await comex::async_accumulate(row, sums.ptr(0));
    ++done;
  }
}

bool shared_work(const Job& job) {
  const std::size_t most = row_size * (static_cast<std::size_t>(rows_in_all / job.workers) + 1);
  const comex::array<double> rows(job.world, most);
  const comex::array<double> sums(job.world, row_size);
  const comex::array<long> done(job.world, 1);
  for (std::size_t i = 0; i < most; ++i) {
    const auto number = static_cast<double>(i / row_size) * job.workers + job.me;
    rows.local()[i] = number + static_cast<double>(i % row_size);
  }
  std::fill(sums.local().begin(), sums.local().end(), 0.0);
  done.local()[0] = 0;
  const comex::counter numbers(job.world);  // a barrier too
  const auto [first, second, third] = comex::run(
      square_rows(numbers, rows, sums), square_rows(numbers, rows, sums), square_rows(numbers, rows, sums));
  comex::accumulate(first + second + third, done.ptr(0));
  job.world.barrier();
  bool is_right = job.me != 0 || done.local()[0] == rows_in_all;
  for (std::size_t i = 0; job.me == 0 && i < row_size; ++i) {
    double expected = 0;
    for (long number = 0; number < rows_in_all; ++number) {
      const double element = static_cast<double>(number) + static_cast<double>(i);
      expected += element * element;
    }
    is_right = is_right && sums.local()[i] == expected;  // whole numbers: exact in any order
  }
  job.world.barrier();
  return is_right;
}

// What no single operation does is done under a mutex: the longest line of all workers, on worker 0.
bool guarded(const Job& job) {
  constexpr std::size_t most = 64;
  const comex::mutexes set(job.me == 0 ? 1 : 0);
  const comex::array<char> line(job.world, most);
  std::fill(line.local().begin(), line.local().end(), '\0');
  job.world.barrier();
  const std::string mine(static_cast<std::size_t>(10 + job.me % 50), static_cast<char>('a' + job.me % 26));
  {
    comex::mutex only = set.at(0, 0);
    const std::scoped_lock lock(only);
    std::array<char, most> there{};
    comex::get(line.part(0), there);
    if (mine.size() > std::string(there.data()).size()) comex::put(mine, line.ptr(0));
    comex::fence(line.ptr(0));  // before the unlock, which publishes nothing by itself
  }
  job.world.barrier();
  const auto longest = static_cast<std::size_t>(10 + std::min(job.workers - 1, 49));
  const bool is_right = job.me != 0 || std::string(line.local().data()).size() == longest;
  job.world.barrier();
  return is_right;
}

// Data and the news of it in one call, round a ring; and a refused address, after which all goes on.
bool told(const Job& job) {
  const comex::signal bell(job.world);
  const comex::array<int> words(job.world, 4);
  bell.put(std::vector<int>{1, 2, 3, job.me}, words.ptr(job.next), 1);
  bell.wait_until(comex::compare::equal, 1);
  bool is_right = words.local()[3] == job.before;
  try {
    (void)comex::get(words.ptr(job.workers - 1) + (1 << 30));
    is_right = false;
  } catch (const comex::error& refused) {
    std::printf("worker %d: as it should be: %s\n", job.me, refused.what());
  }
  job.world.barrier();
  return is_right;
}

}  // namespace

int main(int argc, char** argv) {
  const comex::runtime runtime(argc, argv);  // progress ranks stay in here and serve the others
  const Job job;
  const std::pair<const char*, bool (*)(const Job&)> stops[] = {{"neighbours", neighbours},
                                                                {"transposed", transposed},
                                                                {"shared work", shared_work},
                                                                {"guarded", guarded},
                                                                {"told", told}};
  bool are_right = true;
  for (const auto& [name, stop] : stops) {
    const bool is_right = stop(job);
    if (!is_right || job.me == 0)
      std::printf("worker %d: %s: %s\n", job.me, name, is_right ? "right" : "WRONG");
    are_right = are_right && is_right;
  }
  return are_right ? 0 : 1;
}
