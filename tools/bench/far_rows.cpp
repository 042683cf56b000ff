#include <array>
#include <cstring>
#include <memory>

#include "rows.h"

namespace comex::bench {
namespace {

constexpr int usual_trips = 4096;
constexpr int usual_bodies = 64;
constexpr int usual_messages = 16384;
constexpr int window = 64;
constexpr int tag = 1;

template <class Work>
std::function<double()> by_first(const Rig& rig, int usual, Work work) {
  return
      [&rig, usual, work]() mutable { return rig.is_first() ? time_each(rig.operations(usual), work) : 0.0; };
}

// 8 bytes there and 8 bytes back, both sides inside MPI: what a round trip costs without a runtime.
Contender send_and_reply(const Rig& rig) {
  return {"MPI send + reply",
          [&rig] {
            long word = 0;
            if (!rig.is_first() && !rig.is_partner()) return 0.0;
            const int other = rig.is_first() ? rig.partner() : 0;
            return time_each(rig.operations(usual_trips), [&](int) {
              if (rig.is_first()) MPI_Send(&word, 1, MPI_LONG, other, tag, rig.comm());
              MPI_Recv(&word, 1, MPI_LONG, other, tag, rig.comm(), MPI_STATUS_IGNORE);
              if (!rig.is_first()) MPI_Send(&word, 1, MPI_LONG, other, tag, rig.comm());
            });
          },
          {}};
}

// `window` messages at a time, an answer at the end.
Contender stream(const Rig& rig, int bytes, int at_once, int usual, bool from_partner) {
  return {"MPI stream",
          [=, &rig] {
            if (!rig.is_first() && !rig.is_partner()) return 0.0;
            const int other = rig.is_first() ? rig.partner() : 0;
            const bool sends = rig.is_first() != from_partner;
            static std::vector<std::byte> memory;
            memory.resize(static_cast<std::size_t>(bytes) * static_cast<std::size_t>(at_once));
            const int count = rig.operations(usual);
            const auto batch = [&](int) {
              std::vector<MPI_Request> requests(static_cast<std::size_t>(at_once));
              for (int i = 0; i < at_once; ++i) {
                std::byte* const at =
                    memory.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(bytes);
                MPI_Request& request = requests[static_cast<std::size_t>(i)];
                if (sends) {
                  MPI_Isend(at, bytes, MPI_BYTE, other, tag, rig.comm(), &request);
                } else {
                  MPI_Irecv(at, bytes, MPI_BYTE, other, tag, rig.comm(), &request);
                }
              }
              MPI_Waitall(at_once, requests.data(), MPI_STATUSES_IGNORE);
            };
            const int batches = std::max(1, count / at_once);
            return time_each(1,
                             [&](int) {
                               for (int i = 0; i < batches; ++i) batch(i);
                               char end = 0;  // all of it has arrived
                               if (sends) {
                                 MPI_Recv(&end, 1, MPI_CHAR, other, tag, rig.comm(), MPI_STATUS_IGNORE);
                               } else {
                                 MPI_Send(&end, 1, MPI_CHAR, other, tag, rig.comm());
                               }
                             }) /
                   (batches * at_once);
          },
          {}};
}

const Spot& spot(const Rig& rig, int i) {
  return rig.far()[static_cast<std::size_t>(i) % rig.far().size()];
}

long read_word(const Spot& from) {
  long word = 0;
  comex_get(from.at, &word, sizeof word, from.proc, COMEX_GROUP_WORLD);
  return word;
}

Row get_row(const Rig& rig) {
  auto sum = std::make_shared<long>(0);
  const int count = rig.operations(usual_trips);
  Row row{.name = "remote get 8 B", .contenders = {}, .verify = {}};
  row.contenders.push_back({"comex_get",
                            [=, &rig] {
                              for (int i = 0; rig.is_first() && i < static_cast<int>(rig.far().size()); ++i) {
                                long value = 3 * i + 1;
                                comex_put(&value, spot(rig, i).at, sizeof value, rig.partner(),
                                          COMEX_GROUP_WORLD);
                              }
                              comex_barrier(COMEX_GROUP_WORLD);
                              *sum = 0;
                              if (!rig.is_first()) return 0.0;
                              return time_each(count, [&](int i) { *sum += read_word(spot(rig, i)); });
                            },
                            {}});
  row.verify = [=, &rig] {
    long expected = 0;
    for (int i = 0; i < count; ++i) expected += 3 * (i % static_cast<int>(rig.far().size())) + 1;
    return !rig.is_first() || *sum == expected;
  };
  row.contenders.push_back(send_and_reply(rig));
  return row;
}

Row put_row(const Rig& rig) {
  Row row{.name = "remote put 8 B + fence", .contenders = {}, .verify = {}};
  row.contenders.push_back({"comex_put + fence",
                            by_first(rig, usual_trips,
                                     [&rig](int i) {
                                       long value = i + 5;
                                       const Spot& to = spot(rig, i);
                                       comex_put(&value, to.at, sizeof value, to.proc, COMEX_GROUP_WORLD);
                                       comex_fence_proc(to.proc, COMEX_GROUP_WORLD);
                                     }),
                            {}});
  row.verify = [&rig] {
    const int last = rig.operations(usual_trips) - 1;
    return !rig.is_first() || read_word(spot(rig, last)) == last + 5;
  };
  row.contenders.push_back(send_and_reply(rig));
  return row;
}

Row add_row(const Rig& rig) {
  Row row{.name = "remote fetch-and-add", .contenders = {}, .verify = {}};
  row.contenders.push_back({"comex_rmw",
                            [&rig] {
                              long zero = 0;
                              const Spot& word = rig.far().front();
                              if (!rig.is_first()) return 0.0;
                              comex_put(&zero, word.at, sizeof zero, word.proc, COMEX_GROUP_WORLD);
                              return time_each(rig.operations(usual_trips), [&](int) {
                                long old = 0;
                                comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, word.at, 1, word.proc,
                                          COMEX_GROUP_WORLD);
                                keep(old);
                              });
                            },
                            {}});
  row.verify = [&rig] {
    return !rig.is_first() || read_word(rig.far().front()) == rig.operations(usual_trips);
  };
  row.contenders.push_back(send_and_reply(rig));
  return row;
}

Row lock_row(const Rig& rig) {
  auto is_right = std::make_shared<bool>(true);
  Row row{.name = "remote lock + unlock", .contenders = {}, .verify = {}};
  row.contenders.push_back({"comex_lock + unlock",
                            by_first(rig, usual_trips,
                                     [=, &rig](int) {
                                       const int at = rig.partner();
                                       if (comex_lock(0, at) != 0 || comex_unlock(0, at) != 0) {
                                         *is_right = false;
                                       }
                                     }),
                            {}});
  row.verify = [=, &rig] {
    int taken = 1;  // it is free, and now held by nobody else
    if (rig.is_first()) {
      comex_trylock(0, rig.partner(), &taken);
      if (taken == 1) comex_unlock(0, rig.partner());
    }
    return *is_right && taken == 1;
  };
  row.contenders.push_back(send_and_reply(rig));
  return row;
}

// Batches of eight blocks, non-blocking, and a fence at the end of all.
Row body_row(const Rig& rig, bool is_get) {
  constexpr std::size_t all = std::size_t{Rig::block_bytes} * Rig::block_count;
  auto memory = std::make_shared<std::vector<std::byte>>(rig.is_first() ? all : 0);
  const int batches = std::max(1, rig.operations(usual_bodies) / Rig::block_count);
  Row row{.name = is_get ? "remote get 256 KiB" : "remote put 256 KiB", .contenders = {}, .verify = {}};
  row.bytes = Rig::block_bytes;
  const auto value_at = [is_get](std::size_t i) {
    return std::byte((i * 7 + (i >> 12) + (is_get ? 1 : 2)) & 0xff);
  };
  row.contenders.push_back(
      {is_get ? "comex_nbget" : "comex_nbput",
       [=, &rig] {
         std::byte* const fill = is_get ? (rig.is_partner() ? rig.block_of(rig.me()) : nullptr)
                                        : (rig.is_first() ? memory->data() : nullptr);
         for (std::size_t i = 0; fill != nullptr && i < all; ++i) fill[i] = value_at(i);
         comex_barrier(COMEX_GROUP_WORLD);
         if (!rig.is_first()) return 0.0;
         const double all_batches = time_each(1, [&](int) {
           for (int turn = 0; turn < batches; ++turn) {
             for (std::size_t i = 0; i < std::size_t{Rig::block_count}; ++i) {
               std::byte* const mine = memory->data() + i * Rig::block_bytes;
               std::byte* const there = rig.block_of(rig.partner()) + i * Rig::block_bytes;
               if (is_get) {
                 comex_nbget(there, mine, Rig::block_bytes, rig.partner(), COMEX_GROUP_WORLD, nullptr);
               } else {
                 comex_nbput(mine, there, Rig::block_bytes, rig.partner(), COMEX_GROUP_WORLD, nullptr);
               }
             }
             comex_wait_proc(rig.partner(), COMEX_GROUP_WORLD);
           }
           comex_fence_proc(rig.partner(), COMEX_GROUP_WORLD);
         });
         return all_batches / batches / Rig::block_count;
       },
       {}});
  row.verify = [=, &rig] {
    const std::byte* const result = is_get ? (rig.is_first() ? memory->data() : nullptr)
                                           : (rig.is_partner() ? rig.block_of(rig.me()) : nullptr);
    for (std::size_t i = 0; result != nullptr && i < all; ++i) {
      if (result[i] != value_at(i)) return false;
    }
    return true;
  };
  row.contenders.push_back(stream(rig, Rig::block_bytes, Rig::block_count, usual_bodies, is_get));
  return row;
}

Row rate_row(const Rig& rig) {
  auto values = std::make_shared<std::array<long, window>>();
  Row row{.name = "remote nbput 8 B", .contenders = {}, .verify = {}};
  row.contenders.push_back({"comex_nbput",
                            [=, &rig] {
                              if (!rig.is_first()) return 0.0;
                              const int batches = std::max(1, rig.operations(usual_messages) / window);
                              const double batch = time_each(batches, [&](int round) {
                                for (int i = 0; i < window; ++i) {
                                  long& value = (*values)[static_cast<std::size_t>(i)];
                                  value = round * window + i;
                                  const Spot& to = spot(rig, i);
                                  comex_nbput(&value, to.at, sizeof value, to.proc, COMEX_GROUP_WORLD,
                                              nullptr);
                                }
                                comex_wait_proc(rig.partner(), COMEX_GROUP_WORLD);
                              });
                              comex_fence_proc(rig.partner(), COMEX_GROUP_WORLD);
                              return batch / window;
                            },
                            {}});
  row.verify = [=, &rig] {
    for (int i = 0; rig.is_first() && i < window; ++i) {
      if (read_word(spot(rig, i)) != (*values)[static_cast<std::size_t>(i)]) return false;
    }
    return true;
  };
  row.contenders.push_back(stream(rig, sizeof(long), window, usual_messages, false));
  return row;
}

}  // namespace

std::vector<Row> far_rows(const Rig& rig) {
  std::vector<Row> rows;
  if (rig.partner() < 0) return rows;
  rows.push_back(get_row(rig));
  rows.push_back(put_row(rig));
  rows.push_back(add_row(rig));
  rows.push_back(lock_row(rig));
  rows.push_back(body_row(rig, false));
  rows.push_back(body_row(rig, true));
  rows.push_back(rate_row(rig));
  return rows;
}

}  // namespace comex::bench
