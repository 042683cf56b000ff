// What a rank does, in words of shared memory that other processes of its host may read at any time.
//
// Each rank writes its own block with atomic stores and takes no lock; of another's block, others write only
// the Question and how the rank has ended. A reader sees counts that may be a moment old. Threads of one
// worker that count at once may lose a count. Blocks lie in the arena, one for each slot of the host, so they
// can be read while the rank is stopped or hangs. Written by runtime, calls and op; read by runtime,
// and by watch for comex_top.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/trace.h"

namespace comex::activity {

enum class Kind : std::uint8_t { put, get, acc, rmw };
inline constexpr unsigned kinds = 4;
inline constexpr std::array<const char*, kinds> kind_names = {"put", "get", "acc", "rmw"};

// What a wait waits for: data of an operation, a fence, a mutex, other members of a collective call, a word
// of memory (wait_until), a message of ARMCI, or something else, such as a free handle.
enum class Waiting : std::uint8_t { data, fence, mutex, members, word, message, other };
inline constexpr unsigned waitings = 7;

// Why a request lies in a queue of its server: an earlier request of its origin is not done, its body has not
// come, its origin has not taken its data, there is no memory to stage it in, another process holds the lock
// of the block that it accumulates to, or its mirrors do not have the earlier writes yet.
enum class Obstacle : std::uint8_t { order, body, taker, staging, lock, mirror };
inline constexpr unsigned obstacles = 6;

inline constexpr unsigned size_classes = 16;          // powers of four: up to 4^0, 4^1, ... bytes
inline constexpr std::uint32_t most_host_rows = 256;  // rows for other hosts; more hosts share these
inline constexpr std::size_t most_groups = 64;        // of a rank, that its block names
inline constexpr std::size_t most_waits = 4;          // of a rank's threads at once, that its block names
inline constexpr std::size_t most_queue_heads = 8;    // of a progress rank, that its block shows
// If a call is repeated later than this after its last attempt, the rank does not count as waiting by it.
inline constexpr std::uint64_t attempts_apart_ns = 2'000'000'000;
inline constexpr std::uint64_t layout_version = 9;

// Most words have one writer, so that adding needs no atomic addition.
class Word {
 public:
  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }
  void set(std::uint64_t value) { value_.store(value, std::memory_order_relaxed); }
  void add(std::uint64_t more) { set(get() + more); }
  // What was written before can be seen by who sees the value with `acquire`.
  void release(std::uint64_t value) { value_.store(value, std::memory_order_release); }
  std::uint64_t acquire() const { return value_.load(std::memory_order_acquire); }
  // When several replace the same value, it is true for one of them.
  bool replace(std::uint64_t old, std::uint64_t value) { return value_.compare_exchange_strong(old, value); }

 private:
  std::atomic<std::uint64_t> value_;
};

// How often, and how much: bytes of operations, nanoseconds of waits.
struct Tally {
  Word count;
  Word amount;
  void count_one(std::uint64_t more) {
    count.add(1);
    amount.add(more);
  }
};

// Who the rank is; all but `end` is written once when its world is open.
struct alignas(64) Owner {
  static constexpr std::uint64_t has_left = 1;  // its end is no failure from here on
  static constexpr std::uint64_t has_died = 2;  // the job knows, and goes on without it

  Word version;  // layout_version once the block is in use; 0: nobody's
  Word pid;
  Word started;   // when its process began, as /proc has it: a later one may have its pid
  Word rank;      // in the wire: the MPI rank of the job
  Word worker;    // worker number + 1; 0: a progress rank
  Word host;      // number of its host in the job
  Word since_ns;  // by the system's monotonic clock
  Word peers;     // rows behind the block: one for each slot of the host, those of other hosts, one for other
                  // worlds
  Word slots;     // of the host
  Word slot;      // its own
  Word end;       // 0, has_left, or has_died, which a progress rank of its host writes
};

// A wait that a thread of the rank is in; `since_ns` is 0 when there is none in this row.
struct alignas(64) CurrentWait {
  static constexpr std::size_t name_bytes = 24;
  Word since_ns;
  Word taken;                             // 1: by a thread
  std::array<Word, name_bytes / 8> name;  // the call, as the program made it, padded with zeros
  Word target;   // process id + 1, a worker number in the own world; 0: none in particular
  Word server;   // MPI rank + 1 of the progress rank that has to answer; 0: none
  Word named;    // how the call names it: its rank + 1 : 32 | the group's handle : 32
  Word waiting;  // of Waiting : 32 | 0 or the hash of its call : 32, which no other name changes
  Word context;  // of the group whose members it waits for; 0: the world, or nobody in particular
  Word mutex;    // index + 1 of the mutex that it waits for; 0: none
};

// A call that returns at once and that the rank repeats because it has not succeeded: a trylock or a test.
struct alignas(64) Attempts {
  CurrentWait call;  // since the first attempt; nobody takes the row
  Word handle;       // that was tested; 0: none
  Word last_ns;      // when the last attempt failed
};

// The groups but the world that the rank is a member of, by the contexts that all members know them by. More
// than most_groups are left out.
struct Groups {
  std::array<Word, most_groups> contexts;  // 0: none
};

// The first request in the queue of one origin.
struct QueueHead {
  Word from;      // MPI rank + 1 of its origin; 0: there is none in this row
  Word target;    // worker + 1; 0: several
  Word what;      // its verb : 32 | of Obstacle : 32
  Word bytes;     // of its body
  Word number;    // tells it from the next one of its origin
  Word since_ns;  // when it was first seen here
};

// What a progress rank has served.
struct alignas(64) Served {
  Word requests;
  Word items;        // operations of batches
  Word queued;       // requests in queues now
  Word queued_peak;  // the most there have been
  Word busy_ns;      // of rounds in which something moved; of all time since its owner's since_ns
  Word refused;
  std::array<QueueHead, most_queue_heads> heads;  // of the queues of some origins, not in order
};

// What others of the host ask of this rank about the whole job (runtime/opening/job_watch).
struct alignas(64) Question {
  Word stalled;     // of a progress rank: not 0 since a worker of this host has waited too long
  Word asked;       // of a progress rank, from outside: a number, for which `answered` waits
  Word answered;    // the last `asked` for which the state of the job is there
  Word descriptor;  // of the object with that state, in the progress rank's process
  Word bytes;       // of the state, which begins behind the object's reserved prefix
  Word told_ns;     // of the lowest rank of the host: when a line last said why nothing goes on; 0: never
};

struct alignas(64) Block {
  Owner owner;
  std::array<CurrentWait, most_waits>
      current;         // a thread takes the first that is free; without one it is not shown
  Attempts attempts;   // the last ones of any thread
  Word wait_ended_ns;  // when the last wait ended; 0: there was none
  Served served;
  Question question;
  alignas(64) Groups groups;
  std::array<Tally, waitings> waits;
  alignas(64) Word outstanding;  // remote operations on the own world, when it last drove the transport
  alignas(64) std::array<std::array<Word, size_classes>, kinds> sizes;  // counted with COMEX_STATS only
};

// What the owner has done to one peer, by kind: a worker of its host, all of another host, or all of other
// worlds.
struct alignas(64) Peer {
  std::array<Tally, kinds> by_kind;
};
static_assert(sizeof(Peer) == 64);

constexpr std::uint32_t peers_for(std::uint32_t slots, std::uint32_t hosts) {
  return slots + std::min(hosts, most_host_rows) + 1;
}
constexpr std::uint64_t bytes_for(std::uint32_t slots, std::uint32_t hosts) {
  return sizeof(Block) + peers_for(slots, hosts) * sizeof(Peer);
}

// The class of a size: the least power of four that holds it.
constexpr unsigned class_of(std::uint64_t bytes) {
  const unsigned log2_up = bytes <= 1 ? 0 : static_cast<unsigned>(std::bit_width(bytes - 1));
  return std::min((log2_up + 1) / 2, size_classes - 1);
}

// Writes the block of this process. Without a block (a default one) it does nothing.
class Recorder {
 public:
  Recorder() = default;
  // `log`: with COMEX_TRACE, else null.
  Recorder(std::byte* block, std::uint32_t slots, std::uint32_t hosts, bool counts_sizes,
           trace::Log* log = nullptr)
      : block_(reinterpret_cast<Block*>(block)),
        peers_(reinterpret_cast<Peer*>(block + sizeof(Block))),
        slots_(slots),
        hosts_(hosts),
        host_rows_(std::min(hosts, most_host_rows)),
        counts_all_(counts_sizes || log != nullptr),
        log_(log) {}

  explicit operator bool() const { return block_ != nullptr; }
  Block& block() const { return *block_; }
  // COMEX_STATS or COMEX_TRACE: every wait is timed, every size counted.
  bool counts_all() const { return counts_all_; }

  // Each returns the number of the operation's event in the trace, for end_event; 0: there is none, or it
  // moves less than `least_timed` bytes, and its end is not looked at.
  [[gnu::always_inline]] std::uint32_t count_near(Kind kind, std::uint32_t slot, std::uint64_t bytes,
                                                  std::uint64_t least_timed = 0) const {
    return count(slot, slot, kind, bytes, least_timed);
  }
  std::uint32_t count_far(Kind kind, std::uint32_t host, std::uint64_t bytes) const {
    return count(slots_ + host % host_rows_, slots_ + host, kind, bytes);
  }
  std::uint32_t count_other_world(Kind kind, std::uint64_t bytes) const {
    return count(slots_ + host_rows_, slots_ + hosts_, kind, bytes);
  }
  void end_event(std::uint32_t event) const { log_->end(event); }  // it is not 0

  struct Wait {
    const char* name = "";
    Waiting waiting = Waiting::other;
    std::uint32_t kind = 0;  // see call_hash
    std::int64_t target = -1;
    std::int64_t server = -1;
    std::int64_t group = 0;  // 0: it is named by its worker number
    std::int64_t rank = -1;
    std::uint64_t context = 0;
    std::int64_t mutex = -1;
  };
  // Returns the row of the wait, for end_wait().
  std::size_t begin_wait(const Wait& wait, std::uint64_t now_ns) const {
    const auto row =
        std::ranges::find_if(block_->current, [](CurrentWait& each) { return each.taken.replace(0, 1); });
    const auto number = static_cast<std::size_t>(row - block_->current.begin());
    if (number == most_waits) return number;
    write(*row, wait, now_ns);
    return number;
  }
  void end_wait(std::size_t row, const Wait& wait, std::uint64_t since_ns, std::uint64_t now_ns) const {
    block_->wait_ended_ns.set(now_ns);
    if (row < most_waits) {
      block_->current[row].since_ns.set(0);
      block_->current[row].taken.release(0);
    }
    block_->waits[static_cast<std::size_t>(wait.waiting)].count_one(now_ns - since_ns);
    if (log_ == nullptr) return;
    log_->add_as_is({.begin_ns = since_ns,
                     .end_ns = now_ns,
                     .name = wait.name,
                     .peer = static_cast<std::int32_t>(wait.target),
                     .what = trace::What::wait});
  }

  // The attempt that has failed last, if it was of this kind and not long ago: its handle, and since when
  // attempts of the kind have failed. Nothing if another call was made, or one has succeeded.
  struct Failed {
    int handle = 0;
    std::uint64_t since_ns = 0;
  };
  std::optional<Failed> failed_before(std::uint32_t kind, std::uint64_t now_ns) const {
    const Attempts& attempts = block_->attempts;
    const std::uint64_t since_ns = attempts.call.since_ns.get();
    const bool is_same = since_ns != 0 && static_cast<std::uint32_t>(attempts.call.waiting.get()) == kind;
    if (!is_same || now_ns - attempts.last_ns.get() >= attempts_apart_ns) return std::nullopt;
    return Failed{static_cast<int>(attempts.handle.get()), since_ns};
  }
  // Another one has failed that is shown as the one before.
  void repeat_attempt(std::uint64_t now_ns) const { block_->attempts.last_ns.set(now_ns); }
  void show_attempt(const Wait& wait, int handle, std::uint64_t since_ns, std::uint64_t now_ns) const {
    block_->attempts.handle.set(static_cast<std::uint64_t>(handle));
    block_->attempts.last_ns.set(now_ns);
    block_->attempts.call.since_ns.set(0);  // while the row changes
    write(block_->attempts.call, wait, since_ns);
  }
  // One of this kind has succeeded, with this handle if it is about one.
  void end_attempts(std::uint32_t kind, int handle = 0) const {
    if (block_ == nullptr) return;
    Attempts& attempts = block_->attempts;
    const bool is_same = static_cast<std::uint32_t>(attempts.call.waiting.get()) == kind &&
                         attempts.handle.get() == static_cast<std::uint64_t>(handle);
    if (is_same) attempts.call.since_ns.set(0);
  }

  void enter_group(std::uint64_t context) const { replace_context(0, context); }
  void leave_group(std::uint64_t context) const { replace_context(context, 0); }

 private:
  static void write(CurrentWait& row, const Wait& wait, std::uint64_t now_ns) {
    char name[CurrentWait::name_bytes] = {};
    std::memcpy(name, wait.name, std::min(std::strlen(wait.name), sizeof name - 1));
    for (std::size_t i = 0; i < row.name.size(); ++i) {
      std::uint64_t part = 0;
      std::memcpy(&part, name + i * sizeof part, sizeof part);
      row.name[i].set(part);
    }
    row.target.set(static_cast<std::uint64_t>(wait.target + 1));
    row.server.set(static_cast<std::uint64_t>(wait.server + 1));
    row.named.set(static_cast<std::uint64_t>(wait.rank + 1) << 32 | static_cast<std::uint32_t>(wait.group));
    row.waiting.set(static_cast<std::uint64_t>(wait.waiting) << 32 | wait.kind);
    row.context.set(wait.context);
    row.mutex.set(static_cast<std::uint64_t>(wait.mutex + 1));
    row.since_ns.release(now_ns);
  }
  void replace_context(std::uint64_t old, std::uint64_t context) const {
    if (block_ == nullptr) return;
    auto& contexts = block_->groups.contexts;
    const auto found = std::ranges::find(contexts, old, &Word::get);
    if (found != contexts.end()) found->set(context);
  }
  // `place`: the row that there would be if every host had one of its own.
  [[gnu::always_inline]] std::uint32_t count(std::uint32_t row, std::uint32_t place, Kind kind,
                                             std::uint64_t bytes, std::uint64_t least_timed = 0) const {
    peers_[row].by_kind[static_cast<std::size_t>(kind)].count_one(bytes);
    return counts_all_ ? count_more(place, kind, bytes, least_timed) : 0;
  }
  [[gnu::noinline, gnu::cold]] std::uint32_t count_more(std::uint32_t place, Kind kind, std::uint64_t bytes,
                                                        std::uint64_t least_timed) const {
    const auto index = static_cast<std::size_t>(kind);
    block_->sizes[index][class_of(bytes)].add(1);
    if (log_ == nullptr) return 0;
    const std::uint32_t event =
        log_->add({.bytes = bytes, .name = kind_names[index], .peer = static_cast<std::int32_t>(place)});
    return bytes < least_timed ? 0 : event;
  }

  Block* block_ = nullptr;
  Peer* peers_ = nullptr;
  std::uint32_t slots_ = 0;
  std::uint32_t hosts_ = 1;
  std::uint32_t host_rows_ = 1;
  bool counts_all_ = false;
  trace::Log* log_ = nullptr;
};

// Tells calls apart, whatever other names they are made by. Never 0.
constexpr std::uint32_t call_hash(std::string_view call) {
  std::uint32_t hash = 2166136261;
  for (const char letter : call) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619;
  return hash | 1;
}

// What a call of this name waits for, if it waits.
constexpr Waiting waiting_of(std::string_view call, bool has_server) {
  const auto begins = [&](std::string_view word) { return call.starts_with(word); };
  if (begins("fence") || begins("wait_proc") || begins("wait_all")) return Waiting::fence;
  if (begins("lock") || begins("unlock")) return Waiting::mutex;
  if (begins("wait_until")) return Waiting::word;
  if (begins("receive") || begins("send")) return Waiting::message;
  if (begins("malloc_local") || begins("free_local")) return Waiting::other;
  for (const std::string_view word :
       {"barrier", "malloc", "free", "group", "create_mutexes", "destroy_mutexes", "meet", "init", "finalize",
        "gather", "broadcast", "reduction"}) {
    if (begins(word)) return Waiting::members;
  }
  return has_server || begins("wait") || begins("nb") ? Waiting::data : Waiting::other;
}

}  // namespace comex::activity
