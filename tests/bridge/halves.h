// Two worlds made of one launch: the ranks of MPI_COMM_WORLD in two parts, each a world with hosts and
// progress ranks of its own, joined by a bridge as often as a test wants.
//
// Uses the inside of the library, since joining worlds is no business of a program's. A check that fails ends
// the job with its line.
#pragma once

#include <comex/comex.h>
#include <mpi.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <future>
#include <memory>
#include <numeric>
#include <optional>
#include <source_location>
#include <string>
#include <thread>
#include <vector>

#include "runtime/process.h"
#include "worlds/bridge/bridge.h"
#include "worlds/bridge/bridge_services.h"
#include "worlds/connect/dynamic.h"
#include "worlds/joined_worlds.h"

namespace comex::testing {

// Whether MPI has freed a communicator since.
class FreedFlag {
 public:
  explicit FreedFlag(MPI_Comm comm) {
    const auto set = [](MPI_Comm, int, void* flag, void*) {
      *static_cast<bool*>(flag) = true;
      return MPI_SUCCESS;
    };
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, set, &key, nullptr);
    MPI_Comm_set_attr(comm, key, flag_.get());
    MPI_Comm_free_keyval(&key);
  }
  bool get() const { return *flag_; }

 private:
  std::unique_ptr<bool> flag_ = std::make_unique<bool>(false);
};

class Halves {
 public:
  // The first `low` ranks are one world, the others the second.
  Halves(int low, bool wants_threads) {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, wants_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    side = rank < low ? 0 : 1;
    far_leader_ = side == 0 ? low : 0;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half_);
    auto world = runtime::open_world(half_, process_.reporter, 0, std::nullopt, nullptr);
    if (world->is_worker()) {
      process_.runtime =
          std::make_unique<runtime::Runtime>(std::move(world), process_.reporter, worlds::joiner);
      process_.was_initialized = true;
      runtime::detail::current_runtime.store(process_.runtime.get());
      process_.runtime->barrier(groups::world_handle);
    } else {
      progress_world_ = std::move(world);
      loop_ = std::make_unique<runtime::ProgressLoop>(*progress_world_, process_.reporter, worlds::joiner);
    }
    MPI_Comm_split(MPI_COMM_WORLD, is_worker() ? 0 : MPI_UNDEFINED, rank, &workers);
    learn_of_each_other();
  }
  ~Halves() {
    if (is_worker()) {
      comex_finalize();
    } else {
      loop_->run([this] { return loop_->all_have_left(); });
      loop_.reset();
      progress_world_.reset();
    }
    if (workers != MPI_COMM_NULL) MPI_Comm_free(&workers);
    MPI_Comm_free(&half_);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
  }
  Halves(const Halves&) = delete;
  Halves& operator=(const Halves&) = delete;

  bool is_worker() const { return loop_ == nullptr; }
  runtime::Runtime& runtime() const { return *process_.runtime; }
  worlds::BridgeServices& services() const {  // a progress rank's
    return static_cast<worlds::BridgeServices&>(loop_->bridges());
  }

  // One bridge from its opening to its end. `work` is the workers' and is given the bridge.
  template <class Work>
  void round(Work&& work) {
    round_that_ends(Ends::together, [&](BridgeId bridge) {
      work(bridge);
      require(worlds::end_bridge(runtime(), bridge, protocol::Leaving::together),
              "nothing was refused untold");
    });
  }

  // The work ends the bridge, too: all ranks let the wire go together, or none.
  enum class Ends { together, alone };
  template <class Work>
  void round_that_ends(Ends how, Work&& work) {
    worlds::BridgeFacts facts;
    facts.wire = join_halves();
    const FreedFlag is_released(facts.wire.get());
    if (!is_worker()) {
      services().open_bridge(std::move(facts));
      const auto serve = [this] { loop_->run([this] { return !services().has_bridges(); }); };
      const bool leaves_first = side == 0 && !has_guests;  // whom it serves may leave with the others
      if (leaves_first) serve();
      // Without a bridge it would sleep until its doorbell rings, which nobody does for a barrier of MPI.
      if (how == Ends::alone)
        await_first_side([&] {
          if (services().has_bridges()) loop_->run([n = 0]() mutable { return n++ != 0; });
        });
      if (!leaves_first) serve();
      require(is_released.get() == (how == Ends::together),
              "a progress rank ends the bridge as the workers do");
      return;
    }
    work(worlds::open_bridge(runtime(), std::move(facts)));
    require(worlds::joined_worlds(runtime()).bridges.ids().empty(), "the bridge has gone");
    require(is_released.get() == (how == Ends::together), "the bridge ends as it should");
  }

  // Makes a link and returns its other end.
  worlds::FramedSocket link(worlds::LivenessLinks& links, WorldId world) const {
    std::array<int, 2> pair{-1, -1};
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()) == 0, "a pair");
    links.emplace(world, worlds::FramedSocket(worlds::Socket(pair[0])));
    return worlds::FramedSocket(worlds::Socket(pair[1]));
  }

  // The same, but each rank loses the others before the end.
  template <class Work>
  void lost_round(Work&& work) {
    worlds::BridgeFacts facts;
    facts.wire = join_halves();
    const FreedFlag is_released(facts.wire.get());
    constexpr WorldId dying_world = 76;
    constexpr WorldId linked_world = 77;
    worlds::FramedSocket dying = link(facts.links, dying_world);
    worlds::FramedSocket linked = link(facts.links, linked_world);
    if (is_worker()) {
      const BridgeId bridge = worlds::open_bridge(runtime(), std::move(facts));
      work(bridge, dying);
      require(worlds::end_bridge(runtime(), bridge, protocol::Leaving::together), "a lost bridge closes");
    } else {
      services().open_bridge(std::move(facts));
      dying.close();
      loop_->run([this] { return !services().has_bridges(); });
    }
    require(!is_released.get(), "a lost bridge is not released");
    // What is beside MPI goes with a lost bridge: nobody hears of a parting, or here of the link's end.
    require(linked.step(), "the link stays");
    const std::optional<Bytes> word = linked.take();
    require(word && word->front() == static_cast<std::byte>(worlds::LinkEnd::left) && !linked.take(),
            "the other side hears alone that nobody watches here");
    linked.close();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (is_worker())
      require(worlds::joined_worlds(runtime()).watch.take_ended().empty(), "the link is not watched");
  }

  // Both sides meet through MPI as by accept and connect; the first worker of the second side does not get
  // through the opening of the bridge, as another thread keeps the engine, and all others wait for it.
  void meet_with_a_stuck_one(double limit_s) const {
    const bool accepts = side == 0;
    std::unique_ptr<worlds::MpiPort> port;
    std::array<char, 1024> name{};
    if (rank == 0) {
      port = worlds::MpiPort::open().value();
      port->name().copy(name.data(), name.size() - 1);
    }
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
    int size = 0;
    MPI_Comm_size(half_, &size);
    worlds::Roster roster;
    roster.ranks.resize(static_cast<std::size_t>(size));
    std::iota(roster.ranks.begin(), roster.ranks.end(), 0);
    roster.side = accepts ? worlds::MeetingSide::accepts : worlds::MeetingSide::connects;
    roster.port = name.data();
    roster.limit_s = limit_s;
    if (!accepts && is_worker() && runtime().me() == 0) {
      std::promise<void> is_kept;
      std::thread([&] {
        const op::Engine::Lock lock = runtime().engine().enter();
        is_kept.set_value();
        std::this_thread::sleep_for(std::chrono::minutes(5));
      }).detach();
      is_kept.get_future().wait();
    }
    const runtime::World& world = is_worker() ? runtime().world() : *progress_world_;
    worlds::BridgeFacts facts =
        worlds::join_sides(world, process_.reporter, world.wire.get(), roster).value();
    if (!is_worker()) return services().open_bridge(std::move(facts));
    worlds::open_bridge(runtime(), std::move(facts));
  }

  // A group of all workers of both worlds, the low ones first; its collectives travel over the bridge.
  comex_group_t everybody(BridgeId bridge) const {
    std::vector<Lpid> lpids = own;
    lpids.insert(side == 0 ? lpids.end() : lpids.begin(), foreign.begin(), foreign.end());
    const int my_rank = (side == 0 ? 0 : static_cast<int>(foreign.size())) + static_cast<int>(runtime().me());
    return add(std::make_unique<groups::Group>(both_context, runtime().registry().make_table(lpids), my_rank,
                                               groups::Endpoints(), groups::Table(), bridge));
  }
  // Processes of both worlds in any order, the caller among them.
  comex_group_t part_of(BridgeId bridge, const std::vector<Lpid>& lpids) const {
    const auto me = std::ranges::find(lpids, static_cast<Lpid>(runtime().me()));
    return add(std::make_unique<groups::Group>(part_context, runtime().registry().make_table(lpids),
                                               static_cast<int>(me - lpids.begin()), groups::Endpoints(),
                                               groups::Table(), bridge));
  }
  // The caller's world.
  comex_group_t own_part(BridgeId bridge) const {
    return add(std::make_unique<groups::Group>(own_context, runtime().registry().make_table(own),
                                               static_cast<int>(runtime().me()), groups::Endpoints(),
                                               groups::Table(), bridge));
  }
  // The two worlds as the sides of an inter-group.
  comex_group_t inter(BridgeId bridge) const {
    return add(std::make_unique<groups::Group>(inter_context, runtime().registry().make_table(own),
                                               static_cast<int>(runtime().me()), groups::Endpoints(),
                                               runtime().registry().make_table(foreign), bridge));
  }
  // Of all ranks, once the first side has left the bridge; the second works meanwhile.
  template <class Work>
  void await_first_side(Work&& work) const {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int has_left = 0; has_left == 0;) {
      work();
      MPI_Test(&request, &has_left, MPI_STATUS_IGNORE);
    }
  }
  void remove(comex_group_t group) const { runtime().remove_group(group); }

  void require(bool holds, const char* what,
               std::source_location where = std::source_location::current()) const {
    if (holds) return;
    std::fprintf(stderr, "%s:%u: rank %d of side %d: not true: %s\n", where.file_name(), where.line(), rank,
                 side, what);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }

  MPI_Comm workers = MPI_COMM_NULL;  // of both worlds
  int rank = 0;
  int ranks = 0;
  int side = 0;
  bool has_guests = false;  // a progress rank serves the other world's
  std::vector<Lpid> own;
  std::vector<Lpid> foreign;

 private:
  static constexpr std::uint64_t both_context = 1000;
  static constexpr std::uint64_t inter_context = 1001;
  static constexpr std::uint64_t own_context = 1002;
  static constexpr std::uint64_t part_context = 1003;

  runtime::Communicator join_halves() const {
    MPI_Comm between = MPI_COMM_NULL;
    MPI_Comm wire = MPI_COMM_NULL;
    MPI_Intercomm_create(half_, 0, MPI_COMM_WORLD, far_leader_, 5, &between);
    MPI_Intercomm_merge(between, side, &wire);
    MPI_Comm_free(&between);
    return runtime::Communicator(wire);
  }

  comex_group_t add(std::unique_ptr<groups::Group> group) const {
    runtime::GroupExtras extras = runtime().extras_of(*group);
    const int handle = runtime().add_group(std::move(group), extras);
    require(handle >= 0, "there is room for a group");
    return handle;
  }

  // What a meeting would tell: the other world's name and size, and lpids for its workers.
  void learn_of_each_other() {
    struct Card {
      WorldId id = 0;
      std::uint32_t size = 0;
      Id128 nonce;
      Id128 launch;
    } mine;
    if (is_worker()) {
      const groups::WorldDescription& known = runtime().world().description;
      mine = {known.id, known.size, known.nonce, known.launch};
    }
    std::vector<Card> cards(static_cast<std::size_t>(ranks));
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, cards.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
    if (!is_worker()) return;
    own.resize(mine.size);
    std::iota(own.begin(), own.end(), 0);
    for (const Card& card : cards) {
      if (card.size == 0 || card.id == mine.id || !foreign.empty()) continue;
      groups::WorldDescription other;
      other.id = card.id;
      other.size = card.size;
      other.nonce = card.nonce;
      other.launch = card.launch;
      require(static_cast<bool>(runtime().registry().add_world(other)), "the other world is known");
      std::vector<Gpid> gpids;
      for (std::uint32_t worker = 0; worker < card.size; ++worker) gpids.push_back({card.id, worker});
      foreign = runtime().registry().admit(gpids).value();
    }
    require(!foreign.empty(), "the other world has workers");
  }

  runtime::Process& process_ = runtime::process();
  MPI_Comm half_ = MPI_COMM_NULL;
  int far_leader_ = 0;
  std::unique_ptr<runtime::World> progress_world_;
  std::unique_ptr<runtime::ProgressLoop> loop_;
};

}  // namespace comex::testing
