// The checker of one worker between init and finalize: it follows the program's calls, keeps what they access
// and what the worker knows of the others, and lets the owners of the memory compare all accesses when the
// workers meet.
//
// Any thread may call every function. What tells the workers of each other is moved by operations of the
// runtime, while no lock is held.
#pragma once

#include <comex.h>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "checked/clock_memory.h"
#include "checked/findings.h"
#include "checked/known_groups.h"
#include "checked/sites.h"
#include "checker/history.h"
#include "checker/lock_order.h"
#include "checker/pending.h"
#include "checker/shadow.h"

namespace comex::checker {

inline constexpr int failed_check = 3;  // status of a job that a finding ends

// Of all workers together, in one collective of MPI.
inline constexpr std::int64_t most_bytes_compared = INT32_MAX;

// A call of the program: its name, and where it returns to.
struct FollowedCall {
  const char* name = nullptr;
  const void* site = nullptr;
};

// What an operation moves between one place of each side.
struct TransferPart {
  const void* near = nullptr;
  const void* far = nullptr;
  Patch patch;
};

enum class Move : std::uint8_t { put, get, accumulate };

struct CheckedTransfer {
  FollowedCall call;
  int proc = 0;
  comex_group_t group = COMEX_GROUP_WORLD;
  Move move{};
  std::uint8_t type = 0;  // of an accumulate's elements
  std::vector<TransferPart> parts = {};
};

// An operation on one word of the target: rmw, atomic, and signals with what they bring.
struct CheckedWord {
  FollowedCall call;
  int proc = 0;
  comex_group_t group = COMEX_GROUP_WORLD;
  const void* word = nullptr;
  std::uint64_t bytes = 8;
  Use use = Use::atomic;
  std::int64_t value = 0;               // that a signal stores
  std::vector<TransferPart> data = {};  // that a signal brings
  const void* result = nullptr;         // where the old value goes
  bool is_signal = false;               // the caller learns nothing from the word
  bool is_flag = false;                 // set whatever it was, so that its owner may poll it by plain loads
};

struct CheckedFence {
  FollowedCall call;
  int proc = 0;
  comex_group_t group = COMEX_GROUP_WORLD;
};

// Who learns of whom in a collective of MPI.
struct Flow {
  enum class Way : std::uint8_t { among_all, from_root, to_root, to_higher_ranks, to_one } way{};
  int root = 0;  // or the one
};

class Checker {
 public:
  static constexpr int endpoints_each = 4;  // that are told apart: the worker itself and three more

  // Collective over the workers. ends_job: a finding that makes it useless to go on ends the job at once, and
  // any other one at finalize.
  Checker(int workers, int me, bool ends_job);

  // An operation, before it is called. Returns what stands for it until it is complete, also as its handle; 0
  // if it is not followed because its target is unknown or of another world.
  int start(const CheckedTransfer& transfer, Ending ending);
  int start(const CheckedWord& change, Ending ending);
  int start(const CheckedFence& fence, Ending ending);
  // The runtime has taken it, and given it a handle if the program wanted one.
  void issued(int started, std::optional<int> real_handle);
  // keeps_handle: the program has not asked for it yet. Returns a refusal that the runtime told meanwhile,
  // and the program does not know of; else success.
  int complete(int started, bool keeps_handle = false);
  void abandon(int started);  // the call failed
  // False: it is complete.
  bool find_real_handle(int started, int& real_handle);
  // A handle of the checker's for one of an operation that it does not follow, as those of the runtime may
  // have numbers like its own.
  int renumbered(int real_handle);

  // After the call.
  void fenced(int proc, comex_group_t group);
  void fenced_all(comex_group_t group);
  void fenced_everybody(comex_group_t group);  // by a call over this group
  void take_settled();                         // after a barrier
  void fenced_allocation(const void* own, comex_group_t group);
  void waited(int proc, comex_group_t group);
  void waited_all(comex_group_t group);
  void saw_words(const void* words, std::size_t count);

  // Around a collective call: `meet` before it, `met` after it. is_barrier: it fences all that goes to
  // members.
  void meet(const FollowedCall& call, comex_group_t group, bool is_barrier);
  void met(comex_group_t group);
  void made_group(comex_group_t parent, comex_group_t group);
  void made_part(comex_group_t parent, comex_group_t group);  // or a copy
  void made_endpoints(comex_group_t parent, const comex_group_t* groups, int count);
  void made_inter_group(comex_group_t group);
  void met_parents(comex_group_t parent);
  void freeing_group(const FollowedCall& call, comex_group_t group);
  // Messages and collectives of MPI that the program makes itself.
  void sends(MPI_Comm comm, const Flow& flow);
  void received();
  void begins_receive();
  // is_complete: else it is when some request of this worker is found complete later.
  void sent_synchronously(MPI_Comm comm, int dest, bool is_complete);
  // Whether all of a communicator are workers, on one side.
  bool reaches_exactly(MPI_Comm comm) const;
  void met_over(MPI_Comm comm, const Flow& flow);

  // Memory.
  void allocated(const FollowedCall& call, void* const* parts, std::size_t bytes, comex_group_t group);
  void freeing(const FollowedCall& call, const void* ptr, comex_group_t group);
  void allocated_locally(const FollowedCall& call, const void* ptr, std::size_t bytes);
  void freeing_locally(const FollowedCall& call, const void* ptr);
  void access_begins(const FollowedCall& call, const void* ptr, std::size_t bytes, bool is_write);
  void access_ends(const FollowedCall& call, const void* ptr);

  // Mutexes. False: the caller holds it already, and does not call.
  bool may_lock(const FollowedCall& call, int number, int owner);
  // has_waited: false for a call that only tries.
  void locked(const FollowedCall& call, int number, int owner, bool has_waited);
  bool may_unlock(int number, int owner);  // false: it was locked twice, and is still held
  void destroys_mutexes(const FollowedCall& call);

  // Collective over the workers: the last comparison, and what is still open. Ends the job if it has to.
  // False: a refusal was told here whose handle the program has not waited for.
  bool finalize(const FollowedCall& call);

 private:
  struct Allocation {
    std::vector<int> members;
    std::vector<Range> parts = {};
    std::uint32_t site = 0;
  };
  struct Held {
    Mutex mutex;
    std::uint32_t site = 0;
    std::thread::id thread = {};
    int times = 1;
  };
  using Guard = std::lock_guard<std::mutex>;

  // What `read` returns while it has the lock.
  template <class Read>
  auto locked(const Read& read) {
    const Guard guard(mutex_);
    return read();
  }

  // Each call begins by who makes it: an endpoint if it goes through a handle of one, or names no group and
  // the thread has last used one.
  void act_for(comex_group_t group);
  void act_for_thread();
  void link_endpoints();
  Clocks& clocks() { return clocks_[static_cast<std::size_t>(acting())]; }
  std::uint16_t origin() { return static_cast<std::uint16_t>(clocks().me()); }
  static int& acting();
  static int& driven_endpoint();  // that the thread has last used
  struct ThreadLevels {           // of MPI, on all workers
    int lowest = MPI_THREAD_SINGLE;
    int highest = MPI_THREAD_SINGLE;
  };
  static ThreadLevels agree_on_levels();
  std::string rank_text(std::uint16_t origin) const;

  std::optional<int> worker_of(int proc, comex_group_t group);
  std::vector<int> all_workers() const;
  std::uint32_t site_of(const FollowedCall& call) { return sites_.number_of(call.site, call.name); }
  std::string text_of(const FollowedCall& call) {
    return call.name == nullptr ? "another call" : sites_.text(site_of(call));
  }
  // "KIND: rank N: TEXT", of what this worker does.
  void tell(const std::string& kind, const std::string& text);
  Access own_access(Use use, std::uint32_t site) const {
    return {.site = site, .owner = static_cast<std::uint16_t>(me_), .use = use};
  }
  Started start_of(const FollowedCall& call, int owner, Ending ending);
  bool is_own(std::uint64_t address) const;
  void use_buffer(const FollowedCall& call, Started& started, const TransferPart& part, bool is_filled);
  void check_freed(const FollowedCall& call, int owner, std::uint64_t begin, std::uint64_t end);
  void clash(const FollowedCall& call, const Buffer& buffer);
  void note_memory(const FollowedCall& call, Use use, const Range& part);
  std::vector<Time> release();
  void learn_inbox();
  void learn_flags();
  void learn(std::span<const Time> row);
  void learn_row(const ClockRow& row);
  void finish_sources(Started& started);
  void finish(const Started& started, bool is_flag);
  void complete_where(const std::function<bool(const Started&)>& is_complete);
  std::vector<int> own_members(comex_group_t group);
  // A fence by the worker itself covers its endpoints, too; one through a handle, what went through those of
  // its endpoint.
  bool fence_covers(std::size_t origin) { return acting() == 0 || origin == clocks().me(); }
  // fence(origin, its time) for each that a fence of the caller covers. Whoever the worker itself tells of
  // the fence learns that what its endpoints have written is there.
  template <class Fence>
  void fence_origins(const Fence& fence) {
    for (const Clocks& each : clocks_)
      if (fence_covers(each.me())) fence(static_cast<std::uint16_t>(each.me()), each.now());
    if (acting() == 0) link_endpoints();
  }
  bool fence_completes(const Started& started);  // of its target, or an allocation with a part there
  void fence_worker(int worker);
  // The two parts of fence_worker(), for what began before the limit. The first one takes the lock, the
  // second one needs it.
  void fence_operations(int worker, std::uint64_t serial_limit = UINT64_MAX);
  void fence_accesses(int worker, AccessIndex limit = SIZE_MAX);
  std::vector<int> fence_parts(std::uint64_t address);
  // The clock of an endpoint before which its worker has made so many.
  int clock_of(int endpoint) const { return 1 + endpoint % (endpoints_ - 1); }
  std::vector<int> same_endpoints(comex_group_t parent, comex_group_t group, std::size_t size);
  void learn_from_endpoints(const GroupEntry& entry);
  void meet_endpoints(const FollowedCall& call, comex_group_t group, const GroupEntry& entry);
  MPI_Comm meant_by(MPI_Comm comm) const;
  std::vector<int> told_over(MPI_Comm comm, const Flow& flow) const;
  void publish_to(const std::vector<int>& workers);
  void learn_from(const std::vector<int>& workers);
  void meet_over(const FollowedCall& call, comex_group_t group, MPI_Comm comm, bool compares = false);
  void end_mismatched(comex_group_t group, const std::string& who_makes_what);
  void tell_mismatch(const FollowedCall& call, comex_group_t group, MPI_Comm comm);
  void compare_all();
  void keep_own_frees();
  void forget_compared();
  void allocated_somewhere(const GroupEntry& entry, comex_group_t group);
  void tell_conflict(const Conflict& conflict, const std::string& earlier_site,
                     const std::string& later_site);
  std::vector<std::vector<std::string>> gather_sites();
  void keep_steps(const Mutex& taken, std::uint32_t site);
  void compare_lock_order();
  void tell_open(const FollowedCall& call);
  // Whose own part holds the address; else any whose part does, since hosts may use one address for several.
  const Allocation* allocation_of(std::uint64_t address) const;
  std::string place_of(std::uint64_t address);
  void end_if_wanted(bool has_findings);

  const int workers_;
  const int me_;
  const ThreadLevels levels_;
  const int endpoints_;  // endpoints_each, or 1 where MPI's thread level allows only one
  const bool ends_job_;
  std::mutex mutex_;            // guards what follows
  std::vector<Clocks> clocks_;  // of the worker itself, and of its endpoints
  bool has_endpoints_ = false;
  int next_endpoint_ = 0;
  History history_;
  std::size_t compared_bytes_ = 0;  // of the history, which were compared before
  Pending pending_;
  Sites sites_;
  Findings findings_;
  KnownGroups groups_;
  LockSteps lock_steps_;
  std::vector<Held> held_;
  std::vector<Allocation> allocations_;
  std::map<std::uint64_t, Range> own_memory_;
  std::vector<Access>
      freed_;  // own memory that was freed before the last comparison, and not allocated since
  std::map<std::pair<int, std::uint64_t>, std::uint64_t> live_;  // parts of allocations: owner and begin, end
  std::vector<std::pair<const void*, int>> open_accesses_;
  ClockMemory clock_memory_;
  std::set<int> synchronous_;  // who has been sent a message whose request tells that it is being received
  MPI_Comm wire_ = MPI_COMM_NULL;
};

}  // namespace comex::checker
