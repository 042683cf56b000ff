// What the leader of another world says when two worlds meet: its facts, and its part of joining the groups.
#include "fuzz/fuzz.h"
#include "groups/joining.h"
#include "groups/joining_parts.h"
#include "unit/groups/worlds.h"
#include "worlds/connect/ports/port_name.h"
#include "worlds/connect/side.h"

namespace comex::fuzz {
namespace {

using groups::testing::some_world;

// One member, which leads; the other leader says what the input holds.
class Alone final : public groups::LeaderChannel {
 public:
  explicit Alone(Input& input) : input_(input) {}

  bool is_leader() const override { return true; }
  std::uint32_t rank() const override { return 0; }
  Result<Bytes> exchange(const Bytes& /*mine*/) override {
    const std::size_t bytes = input_.value<std::uint16_t>();
    if (bytes == UINT16_MAX) return environment_error("the other side has gone");
    return input_.block(bytes);
  }
  std::uint64_t most_exchanged_bytes() const override { return UINT64_MAX; }
  Result<Bytes> broadcast(const Bytes& leaders) override { return leaders; }
  Result<std::vector<Bytes>> gather(const Bytes& mine) override { return std::vector<Bytes>{mine}; }

 private:
  Input& input_;
};

void join(Input& input) {
  groups::WorldRegistry registry(some_world(1, 2), 0);
  const unsigned kind = input.below(8);
  groups::JoinArguments arguments;
  arguments.local = {registry.me()};
  arguments.context = 7;
  arguments.is_spawn = (kind & 1) != 0;
  if ((kind & 2) != 0) arguments.spawned_order = LpidOrder::parent;
  groups::CardHook hook;
  if ((kind & 4) != 0) {
    hook.collect = [](Gpid) { return Result<Bytes>(Bytes(3)); };
    hook.deliver = [](Gpid, const Bytes&) { return Status(); };
  }
  Alone talk(input);
  const Result<groups::JoinResult> joined = groups::join_sides(registry, talk, arguments, hook);
  if (!joined) {
    demand(!joined.failure().text.empty(), "a failure says why");
    return;
  }
  demand(joined->remote.size() == joined->lpids.size(), "each process has a number");
  for (std::size_t rank = 0; rank < joined->lpids.size(); ++rank) {
    const Result<Gpid> gpid = registry.gpid_of(joined->lpids[rank]);
    demand(gpid && gpid.value() == joined->remote[rank], "a number leads back to its process");
  }
  const groups::Table table = registry.make_table(joined->lpids);
  for (const WorldId world : {1u, 2u, 3u}) static_cast<void>(registry.world(world));
}

void read_side(Input& input) {
  const Bytes bytes = input.rest();
  const Result<worlds::SideFacts> theirs = worlds::unpack_side(bytes);
  if (!theirs) return;
  demand(pack_fields(theirs.value()) == bytes, "facts have all of their bytes");
  worlds::SideFacts mine;
  mine.progress_ranks = {{1, 0}, {1, 3}};
  static_cast<void>(worlds::check_sides(mine, theirs.value(), "how"));
  static_cast<void>(worlds::check_sides(theirs.value(), mine, ""));
  const auto turns = worlds::lock_turns(mine, theirs.value());
  for (const worlds::ProgressRankId& rank : mine.progress_ranks)
    demand(turns.contains(rank) && turns.at(rank), "every progress rank has one turn");
}

void read_parts(Input& input) {
  using namespace groups::joining;
  const Bytes bytes = input.rest();
  static_cast<void>(unpack<SideOffer>(bytes));
  static_cast<void>(unpack<JoinDecision>(bytes));
  static_cast<void>(unpack_packages(bytes));
  static_cast<void>(unpack_verdict(bytes));
}

void read_port(Input& input) {
  const Bytes bytes = input.rest();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Result<worlds::PortName> port = worlds::parse_port(text);
  if (!port) return;
  const Result<worlds::PortName> again = worlds::parse_port(worlds::format_port(port.value()));
  demand(again && again.value() == port.value(), "a port's name is read as it was written");
}

}  // namespace
}  // namespace comex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace comex;
  fuzz::Input input({data, size});
  const unsigned kind = input.below(8);
  fuzz::run([&] {
    if (kind < 4) fuzz::join(input);
    if (kind == 4 || kind == 5) fuzz::read_side(input);
    if (kind == 6) fuzz::read_parts(input);
    if (kind == 7) fuzz::read_port(input);
  });
  return 0;
}
