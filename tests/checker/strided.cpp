// Strided and vector operations: what counts are the bytes that they name, and not the boxes around them.
#include <array>

#include "bed.h"

namespace comex::checker {
namespace {

// A matrix of longs at one worker, by rows.
constexpr int rows = 6;
constexpr int columns = 8;
constexpr int size = rows * columns;
constexpr int word = sizeof(long);

enum class Kind { put, get, acc };

// `width` columns from column `first`, in all rows from `row`, between a matrix and dense local memory of
// `value`s.
long* move_columns(Bed& bed, Kind kind, long* matrix, int first, int width, int at, long value = 1,
                   int row = 0) {
  long* const dense = bed.local<long>(size, value);
  int dense_stride[1] = {width * word};
  int matrix_stride[1] = {columns * word};
  int count[2] = {width * word, rows - row};
  long* const there = matrix + row * columns + first;
  long scale = 1;
  switch (kind) {
    case Kind::put:
      bed.done(comex_puts(dense, dense_stride, there, matrix_stride, count, 1, at, everyone));
      break;
    case Kind::get:
      bed.done(comex_gets(there, matrix_stride, dense, dense_stride, count, 1, at, everyone));
      break;
    case Kind::acc:
      bed.done(comex_accs(COMEX_ACC_LNG, &scale, dense, dense_stride, there, matrix_stride, count, 1, at,
                          everyone));
  }
  return dense;
}

// The words of a matrix with these numbers.
long* move_list(Bed& bed, Kind kind, long* matrix, std::initializer_list<int> numbers, int at,
                long value = 1) {
  long* const dense = bed.local<long>(size, value);
  std::vector<void*> here;
  std::vector<void*> there;
  for (const int number : numbers) {
    there.push_back(matrix + number);
    here.push_back(dense + here.size());
  }
  const int count = static_cast<int>(numbers.size());
  comex_giov_t out{here.data(), there.data(), count, word};
  comex_giov_t in{there.data(), here.data(), count, word};
  long scale = 1;
  switch (kind) {
    case Kind::put:
      bed.done(comex_putv(&out, 1, at, everyone));
      break;
    case Kind::get:
      bed.done(comex_getv(&in, 1, at, everyone));
      break;
    case Kind::acc:
      bed.done(comex_accv(COMEX_ACC_LNG, &scale, &out, 1, at, everyone));
  }
  return dense;
}

// A box of 2 x 2 x 2 words in a cube with edges of 4, from its corner.
void put_box(Bed& bed, long* cube, int corner, int to) {
  const std::array<std::ptrdiff_t, 2> dense_stride{2 * word, 4 * word};
  const std::array<std::ptrdiff_t, 2> cube_stride{4 * word, 16 * word};
  const std::array<std::size_t, 3> count{2 * word, 2, 2};
  bed.done(comex_puts_x(bed.local<long>(8, 1), dense_stride.data(), cube + corner, cube_stride.data(),
                        count.data(), 2, to, everyone));
}

constexpr Case cases[] = {
    {"columns_that_overlap", race,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       if (bed.me == 0) move_columns(bed, Kind::put, a[2], 0, 4, 2);
       if (bed.me == 1) move_columns(bed, Kind::put, a[2], 3, 4, 2);
     }},
    {"sum_and_put_of_a_common_column", race,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       if (bed.me == 0) move_columns(bed, Kind::acc, a[2], 0, 3, 2);
       if (bed.me == 3) move_columns(bed, Kind::put, a[2], 2, 3, 2);
     }},
    {"sum_and_get_of_common_columns", race,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       if (bed.me != 2) move_columns(bed, Kind::acc, a[2], 1, 5, 2);
       if (bed.me == 1) move_columns(bed, Kind::get, a[2], 1, 5, 2);
     }},
    {"get_and_put_of_a_row_and_a_column", race,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       if (bed.me == 0) bed.put(a[2] + 2 * columns, columns, 2);
       if (bed.me == 1) move_columns(bed, Kind::get, a[2], 5, 2, 2);
     }},
    {"lists_that_overlap", race,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       if (bed.me == 0) move_list(bed, Kind::put, a[3], {1, 2, 9, 20}, 3);
       if (bed.me == 1) move_list(bed, Kind::put, a[3], {3, 19, 30, 9, 2}, 3);
     }},
    {"list_and_block", race,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       if (bed.me == 0) move_list(bed, Kind::acc, a[3], {0, 11, 40}, 3);
       if (bed.me == 1) bed.put(a[3] + 8, 8, 3);
     }},
    {"list_and_column", race,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       if (bed.me == 0) move_list(bed, Kind::get, a[3], {0, 1, 2 * columns + 4}, 3);
       if (bed.me == 2) move_columns(bed, Kind::put, a[3], 3, 2, 3);
     }},
    {"boxes_with_a_common_edge", race,
     [](Bed& bed) {
       const auto a = bed.allocate(64);
       if (bed.me == 0) put_box(bed, a[3], 0, 3);
       if (bed.me == 1) put_box(bed, a[3], 1 + 4, 3);
     }},
    {"owner_writes_a_row_that_a_column_crosses", race,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       if (bed.me == 0) move_columns(bed, Kind::put, a[1], 6, 2, 1);
       if (bed.me == 1) bed.write(a[1] + 3 * columns, columns);
     }},
    {"source_columns_in_the_own_part", race,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       const auto b = bed.allocate(size);
       int stride[1] = {columns * word};
       int count[2] = {2 * word, rows};
       if (bed.me == 0) bed.put(a[1] + columns, columns, 1);
       if (bed.me == 1) bed.done(comex_puts(a[1], stride, b[2], stride, count, 1, 2, everyone));
     }},
    {"list_published_without_fence", race,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       const auto flag = bed.allocate(1);
       if (bed.me == 0) {
         move_list(bed, Kind::put, a[3], {4, 5, 6, 7}, 3);
         bed.put(flag[3], 1, 3);
       }
       if (bed.me == 3) {
         bed.await(flag[3], 1);
         bed.read(a[3] + 4, 4);
       }
     }},
    {"columns_waited_for_and_not_fenced", race,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       if (bed.me == 0) {
         comex_request_t handle = 0;
         int stride[1] = {columns * word};
         int count[2] = {word, rows};
         bed.done(comex_nbputs(bed.local(size), stride, a[3], stride, count, 1, 3, everyone, &handle));
         bed.done(comex_wait(&handle));
         bed.send(1);
       }
       if (bed.me == 1) {
         bed.receive(0);
         move_columns(bed, Kind::get, a[3], 0, 3, 3);
       }
     }},

    {"columns_that_interleave", right,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       move_columns(bed, Kind::put, a[2], 2 * bed.me, 2, 2, bed.me);
       bed.fence(2);
       bed.require(move_columns(bed, Kind::get, a[2], 2 * bed.me, 2, 2)[2 * rows - 1] == bed.me,
                   "the own column");
       bed.barrier();
       if (bed.me == 2) bed.require(bed.read(a[2], size) == 12 * rows, "the sum of the matrix");
     }},
    {"puts_gets_and_sums_in_columns_of_their_own", right,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       if (bed.me == 0) move_columns(bed, Kind::put, a[3], 0, 1, 3);
       if (bed.me == 1) move_columns(bed, Kind::get, a[3], 1, 3, 3);
       if (bed.me == 2) move_columns(bed, Kind::acc, a[3], 4, 4, 3);
       bed.barrier();
       if (bed.me == 3) bed.require(bed.read(a[3], size) == 5 * rows, "the sum of the matrix");
     }},
    {"rows_that_interleave", right,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       int dense_stride[1] = {columns * word};
       int stride[1] = {2 * columns * word};
       int count[2] = {columns * word, rows / 2};
       if (bed.is({0, 1})) {
         bed.done(comex_puts(bed.local<long>(size, 1), dense_stride, a[2] + bed.me * columns, stride, count,
                             1, 2, everyone));
       }
       bed.barrier();
       if (bed.me == 2) bed.require(bed.read(a[2], size) == size, "even and odd rows");
     }},
    {"bytes_of_one_word", right,
     [](Bed& bed) {
       const auto a = bed.allocate<char>(64);
       int dense_stride[1] = {2};
       int stride[1] = {8};
       int count[2] = {2, 8};
       bed.done(comex_puts(bed.local<char>(16, 1), dense_stride, a[1] + 2 * bed.me, stride, count, 1, 1,
                           everyone));
       bed.barrier();
       if (bed.me == 1) bed.require(bed.read(a[1], 64) == 64, "all bytes");
     }},
    {"lists_without_common_words", right,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       const int own = bed.me;
       move_list(bed, Kind::put, a[0], {own, own + 4, own + 12, own + 40}, 0);
       bed.done(comex_fence_all(everyone));
       move_list(bed, Kind::acc, a[0], {own + 4, own + 40}, 0);
       bed.barrier();
       if (bed.me == 0) bed.require(bed.read(a[0], size) == 24, "the sum of all lists");
     }},
    {"lists_columns_and_blocks_on_a_board", right,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       if (bed.me == 0) move_columns(bed, Kind::put, a[3], 0, 1, 3);
       if (bed.me == 1) move_list(bed, Kind::put, a[3], {1, columns + 1, columns + 2}, 3);
       if (bed.me == 2) bed.put(a[3] + 2 * columns + 1, columns - 1, 3);
       if (bed.me == 3) bed.write(a[3] + 2, columns - 2, 1);
       bed.barrier();
       if (bed.me == 3) bed.require(bed.read(a[3], size) == rows + 3 + 7 + 6, "the sum of the board");
     }},
    {"sums_of_common_columns", right,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       move_columns(bed, Kind::acc, a[2], bed.me, 3, 2);
       bed.acc(a[2], columns, 2);
       move_list(bed, Kind::acc, a[2], {3, 3, 11}, 2);
       bed.barrier();
       if (bed.me == 2) bed.require(bed.read(a[2], size) == 4 * (3 * rows + columns + 3), "the sum of all");
     }},
    {"columns_read_by_all", right,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       bed.write(a[bed.me], size, 3);
       bed.barrier();
       move_list(bed, Kind::get, a[1], {0, 9, 18}, 1);
       bed.require(move_columns(bed, Kind::get, a[1], bed.me, 4, 1)[4 * rows - 1] == 3, "the columns");
       bed.require(bed.read(a[bed.me], size) == 3 * size, "the own matrix");
     }},
    {"get_into_columns_of_the_own_part", right,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       const auto b = bed.allocate(size);
       bed.write(b[bed.me], size, 2);
       bed.barrier();
       int stride[1] = {columns * word};
       int count[2] = {4 * word, rows};
       bed.done(comex_gets(b[bed.next()], stride, a[bed.me], stride, count, 1, bed.next(), everyone));
       move_columns(bed, Kind::put, a[bed.next()], 4, 4, bed.next());
       bed.barrier();
       bed.require(bed.read(a[bed.me], size) == 3 * size / 2, "both halves");
     }},
    {"boxes_of_a_cube", right,
     [](Bed& bed) {
       const auto a = bed.allocate(64);
       put_box(bed, a[3], (bed.me % 2) * 2 + (bed.me / 2) * 8, 3);
       put_box(bed, a[3], (bed.me % 2) * 2 + (bed.me / 2) * 8 + 32, 3);
       bed.barrier();
       if (bed.me == 3) bed.require(bed.read(a[3], 64) == 64, "the whole cube");
     }},
    {"one_origin_over_its_own_columns", right,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       const int to = bed.next();
       move_columns(bed, Kind::put, a[to], 0, 5, to, 2);
       move_columns(bed, Kind::acc, a[to], 3, 5, to, 3);
       move_list(bed, Kind::put, a[to], {4, 4}, to, 9);
       const long* const seen = move_columns(bed, Kind::get, a[to], 3, 2, to);
       bed.require(seen[0] == 5 && seen[1] == 9, "the own writes in order");
     }},
    {"halves_that_move_on_by_phases", right,
     [](Bed& bed) {
       const auto a = bed.allocate(size);
       for (int phase = 0; phase < needed_workers; ++phase) {
         move_columns(bed, Kind::put, a[0], 2 * ((bed.me + phase) % needed_workers), 2, 0, bed.me, phase);
         bed.barrier();
       }
       bed.require(bed.get(a[0] + 5 * columns, 1, 0)[0] == 1, "who was last in column 0");
     }},
};

}  // namespace

Cases strided() {
  return cases;
}

}  // namespace comex::checker
