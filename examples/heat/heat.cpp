// Heat that spreads over a square plate whose edges are kept cold: each worker has a block of rows, and
// between two steps neighbours put their border rows into each other's halo, with a signal. Worker 0 gets the
// whole plate, compares it with its own serial computation and writes a picture of it.
//
//   comexrun -n 3 heat [SIDE [STEPS [PICTURE.png]]]
#include <png.h>

#include <algorithm>
#include <comex/comex.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

namespace {

using Row = std::span<double>;

// Rows 1 to `rows` of a block; rows 0 and rows + 1 are its halo, or the plate's cold edge.
struct Block {
  std::span<double> cells;
  std::size_t side;
  Row row(std::size_t i) const { return cells.subspan(i * side, side); }
};

// Two hot discs.
double start_value(std::size_t i, std::size_t j, std::size_t side) {
  const auto from_disc = [&](double at_i, double at_j) {
    const double di = static_cast<double>(i) / static_cast<double>(side) - at_i;
    const double dj = static_cast<double>(j) / static_cast<double>(side) - at_j;
    return di * di + dj * dj;
  };
  return from_disc(0.35, 0.35) < 0.03 || from_disc(0.7, 0.6) < 0.01 ? 1.0 : 0.0;
}

void fill(const Block& block, std::size_t first, std::size_t rows) {
  std::fill(block.cells.begin(), block.cells.end(), 0.0);
  for (std::size_t i = 1; i <= rows; ++i)
    for (std::size_t j = 1; j + 1 < block.side; ++j) block.row(i)[j] = start_value(first + i, j, block.side);
}

void step(const Block& from, const Block& to, std::size_t rows) {
  for (std::size_t i = 1; i <= rows; ++i) {
    const Row above = from.row(i - 1), here = from.row(i), below = from.row(i + 1), next = to.row(i);
    for (std::size_t j = 1; j + 1 < from.side; ++j)
      next[j] = here[j] + 0.2 * (above[j] + below[j] + here[j - 1] + here[j + 1] - 4 * here[j]);
  }
}

// Black, red, yellow, white.
bool write_picture(const char* file, const Block& plate) {
  std::vector<std::uint8_t> pixels;
  for (const double heat : plate.cells) {
    for (const double below : {0.0, 1.0, 2.0})
      pixels.push_back(static_cast<std::uint8_t>(255 * std::clamp(3 * heat - below, 0.0, 1.0)));
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = image.height = static_cast<png_uint_32>(plate.side);
  image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&image, file, 0, pixels.data(), 0, nullptr) != 0) return true;
  std::printf("heat: %s: %s\n", file, image.message);
  return false;
}

std::vector<double> serial(std::size_t side, int steps) {
  std::vector<double> memory[2] = {std::vector<double>(side * side), std::vector<double>(side * side)};
  const Block blocks[2] = {{memory[0], side}, {memory[1], side}};
  fill(blocks[0], 0, side - 2);
  for (int n = 0; n < steps; ++n) step(blocks[n % 2], blocks[(n + 1) % 2], side - 2);
  return memory[steps % 2];
}

int run(const comex::group& world, std::size_t side, int steps, const char* file) {
  const auto workers = static_cast<std::size_t>(world.size());
  const int me = world.rank();
  // Inner rows first[r] + 1 to first[r + 1] are of worker r.
  std::vector<std::size_t> first, counts;
  for (std::size_t r = 0; r <= workers; ++r) first.push_back((side - 2) * r / workers);
  for (std::size_t r = 0; r < workers; ++r) counts.push_back((first[r + 1] - first[r] + 2) * side);
  const auto rows_of = [&](int rank) { return counts[static_cast<std::size_t>(rank)] / side - 2; };

  // Two states in turn. A neighbour writes a state's halo again two steps later, after it has seen our border
  // between.
  const comex::array<double> states[2] = {{world, counts}, {world, counts}};
  const Block blocks[2] = {{states[0].local(), side}, {states[1].local(), side}};
  const comex::array<long> arrived(world,
                                   2);  // the last step of which a border has come: from above, from below
  std::fill(arrived.local().begin(), arrived.local().end(), -1);
  const std::size_t rows = rows_of(me);
  fill(blocks[0], first[static_cast<std::size_t>(me)], rows);
  fill(blocks[1], first[static_cast<std::size_t>(me)], rows);
  world.barrier();

  for (int n = 0; n < steps; ++n) {
    const auto& state = states[n % 2];
    const Block& now = blocks[n % 2];
    if (me > 0)
      comex::put_signal(now.row(1), state.ptr(me - 1, (rows_of(me - 1) + 1) * side), arrived.ptr(me - 1, 1),
                        n);
    if (me + 1 < world.size())
      comex::put_signal(now.row(rows), state.ptr(me + 1, 0), arrived.ptr(me + 1, 0), n);
    if (me > 0) comex::wait_until(arrived.local()[0], comex::compare::greater_equal, n);
    if (me + 1 < world.size()) comex::wait_until(arrived.local()[1], comex::compare::greater_equal, n);
    step(now, blocks[(n + 1) % 2], rows);
  }
  world.barrier();

  bool is_right = true;
  if (me == 0) {
    std::vector<double> plate(side * side);
    std::vector<comex::future<>> gets;
    for (int r = 0; r < world.size(); ++r) {
      const std::size_t from = (first[static_cast<std::size_t>(r)] + 1) * side;
      const auto to = std::span<double>(plate).subspan(from, rows_of(r) * side);
      gets.push_back(comex::async_get(states[steps % 2].part(r).subspan(side, to.size()), to));
    }
    comex::when_all(std::move(gets)).wait();
    is_right = plate == serial(side, steps);
    std::printf("heat: %d workers, %zu x %zu cells, %d steps: %s\n", world.size(), side, side, steps,
                is_right ? "right" : "WRONG");
    is_right = write_picture(file, {plate, side}) && is_right;
  }
  world.barrier();
  return is_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const comex::runtime runtime(argc, argv);  // progress ranks stay in here
  const long side = argc > 1 ? std::atol(argv[1]) : 256;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 1000;
  if (side - 2 < runtime.world().size() || steps < 0)
    comex_error("heat: each worker needs a row: SIDE > workers + 1", 2);
  return run(runtime.world(), static_cast<std::size_t>(side), steps, argc > 3 ? argv[3] : "heat.png");
}
