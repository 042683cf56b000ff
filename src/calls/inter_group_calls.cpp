// The calls that create inter-groups of two groups whose leaders share a group, and that merge them.
#include <comex/worlds.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/diagnose.h"
#include "runtime/call.h"
#include "worlds/agreement/agree.h"
#include "worlds/agreement/create_group.h"
#include "worlds/connect/meeting.h"
#include "worlds/joined_worlds.h"

namespace comex::calls {
using namespace worlds;
namespace {

constexpr const char* creation = "intergroup_create";

Failure no_inter_group(int handle) {
  return caller_error("group " + std::to_string(handle) + " is no inter-group");
}

using PortText = std::array<char, 320>;  // a host name has at most 255 letters

struct Leader {
  runtime::Runtime* runtime;
  runtime::ControlRoute route;
  Lpid lpid;
  Gpid other;
  std::uint64_t tag;

  bool accepts() const { return runtime->registry().me() < other; }

  Result<FramedSocket> find(const ShouldAbort& should_abort) {
    const Deadline deadline(static_cast<double>(runtime->world().settings.meet_s));
    bool is_lost = false;
    const ShouldAbort leads_nowhere = [&] {
      return (is_lost = route.control->is_lost()) || has_failed(*runtime, lpid) || should_abort();
    };
    Result<FramedSocket> found = accepts() ? await(deadline, leads_nowhere) : seek(deadline, leads_nowhere);
    if (!found && has_failed(*runtime, lpid)) return environment_error(other_root_has_died);
    if (found || !is_lost) return found;
    return environment_error(name() + " is lost with a world");
  }

 private:
  std::string name() const { return "the other leader, process " + text_of(other) + ","; }
  Failure has_not_called(const Deadline& deadline) const {
    return environment_error(name() + " has not called with tag " + std::to_string(tag) + " within " +
                             deadline.text() +
                             " (COMEX_MEET_S): it is late, or its arguments are wrong or name others");
  }

  // Tells the other leader the port, and later that it is closed if that leader has not come.
  Result<FramedSocket> await(const Deadline& deadline, const ShouldAbort& should_abort) {
    Result<Listener> listener = Listener::open("");
    if (!listener) return listener.take_failure();
    tell(format_port(listener->name()));
    Result<FramedSocket> found = await_leader(*runtime, creation, listener.value(), deadline, should_abort);
    if (found) return found;
    tell("");
    return has_not_called(deadline);
  }
  void tell(const std::string& port) const {
    PortText text{};
    port.copy(text.data(), text.size() - 1);
    const op::Engine::Lock lock = runtime->engine().enter();
    route.control->send(route.rank, op::mailbox_context, tag, 0, std::as_bytes(std::span(text)));
  }

  // The newest port counts. An older one that nobody used in time belongs to an earlier call.
  Result<FramedSocket> seek(const Deadline& deadline, const ShouldAbort& should_abort) {
    PortText text{};
    const auto is_told = [&] {
      return route.control->take(route.rank, op::mailbox_context, tag, 0,
                                 std::as_writable_bytes(std::span(text)));
    };
    for (;;) {
      while (text.front() == '\0') {
        bool is_over = false;
        runtime->engine().wait([&] { return is_told() || (is_over = deadline.is_over() || should_abort()); },
                               {creation, lpid});
        if (is_over) return has_not_called(deadline);
      }
      Result<PortName> port = parse_port(text.data());
      if (!port) return port.take_failure();
      bool is_told_anew = false;
      Result<FramedSocket> found = seek_leader(*runtime, creation, port.value(), deadline,
                                               [&] { return (is_told_anew = is_told()) || should_abort(); });
      if (found || !is_told_anew) return found;
    }
  }
};

// On the leader: finds the way to the other leader through the peer group.
Result<Leader> find_leader(runtime::Runtime& runtime, int peer, int remote_leader, int tag) {
  const groups::Group* group = runtime.groups().find(peer);
  if (group == nullptr)
    return caller_error("peer group " + std::to_string(peer) + " does not exist, or was freed");
  if (remote_leader < 0 || static_cast<std::uint32_t>(remote_leader) >= group->targets().size()) {
    return caller_error("remote leader " + std::to_string(remote_leader) + " is out of range: peer group " +
                        std::to_string(peer) + " has ranks 0 to " +
                        std::to_string(group->targets().size() - 1));
  }
  if (tag < 0) return caller_error("the tag is " + std::to_string(tag) + "; it must not be negative");
  const Lpid lpid = group->targets().lpid(static_cast<std::uint32_t>(remote_leader));
  const Gpid other = runtime.registry().gpid_of(lpid).value();
  if (other == runtime.registry().me())
    return caller_error("both leaders are this process; the two sides share nobody");
  if (std::string lost = runtime.why_lost(group->bridge()); !lost.empty())
    return environment_error(std::move(lost));
  const runtime::ControlRoute route = runtime.route_to(group->bridge(), lpid);
  if (route.control == nullptr) return caller_error("the remote leader cannot be reached any more");
  return Leader{&runtime, route, lpid, other, static_cast<std::uint64_t>(tag)};
}

// Tells all members which side their group is on. The leader knows it from the names of both groups.
worlds::MeetingSide spread_side(runtime::Runtime& runtime, int local, int leader, bool accepts) {
  std::byte word{accepts};
  runtime.extras(local).collective->broadcast(std::span(&word, 1), static_cast<std::uint32_t>(leader));
  return word == std::byte{1} ? worlds::MeetingSide::accepts : worlds::MeetingSide::connects;
}

// What each process of an inter-group sends when it is merged.
struct MergeInput {
  Gpid gpid;
  std::uint64_t context = 0;  // that of the first process is taken
  std::uint64_t is_high = 0;
};

std::vector<Gpid> gpids_of(runtime::Runtime& runtime, const groups::ConnectionTable& table) {
  std::vector<Gpid> gpids;
  for (const Lpid lpid : table.lpids()) gpids.push_back(runtime.registry().gpid_of(lpid).value());
  return gpids;
}

bool is_high(std::span<const MergeInput> inputs, Gpid first_of_side) {
  return std::ranges::find(inputs, first_of_side, &MergeInput::gpid)->is_high != 0;
}

int merge(runtime::Runtime& runtime, const char* name, const groups::Group& group, int inter, bool high,
          int* merged) {
  const MergeInput mine{runtime.registry().me(), runtime.draw_context(), high ? 1U : 0U};
  const std::vector<MergeInput> inputs =
      agree(runtime, name, inter, mine, merged == nullptr ? "the place for the new group is null" : "");
  if (inputs.empty()) return code_of_failure(runtime, inter);

  const std::vector<Gpid> near = gpids_of(runtime, group.members());
  const std::vector<Gpid> far = gpids_of(runtime, group.targets());
  const bool near_is_high = is_high(inputs, near.front());
  const bool far_is_high = is_high(inputs, far.front());
  // If both sides say the same, the side with the lowest process comes first.
  const bool near_first = near_is_high != far_is_high
                              ? far_is_high
                              : *std::ranges::min_element(near) < *std::ranges::min_element(far);
  std::vector<Lpid> lpids = (near_first ? group.members() : group.targets()).lpids();
  std::ranges::copy((near_first ? group.targets() : group.members()).lpids(), std::back_inserter(lpids));
  const auto before = near_first ? std::uint32_t{0} : group.targets().size();
  auto made = std::make_unique<groups::Group>(inputs.front().context, runtime.registry().make_table(lpids),
                                              group.my_rank() + static_cast<int>(before), groups::Endpoints(),
                                              groups::Table(), group.bridge());
  runtime::GroupExtras extras = runtime.extras_of(*made);
  const int handle = runtime.add_group(std::move(made), extras);
  if (!all_have(runtime, name, inter, std::span(&handle, 1))) return code_of_failure(runtime, inter);
  runtime.extras(handle).comm = make_communicator(runtime, name, *runtime.groups().find(handle));
  *merged = handle;
  return COMEX_SUCCESS;
}

}  // namespace
}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

int comex_group_remote_size(comex_group_t inter, int* size) {
  return runtime::tell_of_group(
      "group_remote_size", inter, size,
      [inter](const runtime::Runtime&, const groups::Group& group) -> comex::Result<int> {
        if (!group.is_inter()) return no_inter_group(inter);
        return static_cast<int>(group.targets().size());
      });
}

int comex_intergroup_create(comex_group_t local, int local_leader, comex_group_t peer, int remote_leader,
                            int tag, comex_group_t* inter) {
  const char* name = creation;
  runtime::Runtime* runtime = runtime::enter(name);
  const runtime::CallScope call(name, local);
  if (runtime == nullptr) return COMEX_FAILURE;
  if (const int code = check_all_meet(*runtime, name, local, local_leader, inter, "local leader");
      code != COMEX_SUCCESS)
    return code;
  const bool leads = runtime->groups().find(local)->my_rank() == local_leader;
  comex::Result<Leader> leader = comex::caller_error("");
  if (leads) leader = find_leader(*runtime, peer, remote_leader, tag);
  Meeting meeting{.operation = name, .group = local, .root = local_leader};
  meeting.peer = leads ? peer : COMEX_GROUP_NULL;
  meeting.side = spread_side(*runtime, local, local_leader, leads && leader && leader->accepts());
  meeting.begin = [&](const ShouldAbort& should_abort) -> comex::Result<FramedSocket> {
    if (!leader) return leader.take_failure();
    return leader->find(should_abort);
  };
  return run_meeting(*runtime, meeting, inter);
}

int comex_group_merge(comex_group_t inter, int high, comex_group_t* merged) {
  const char* name = "group_merge";
  const auto [runtime, group] = runtime::enter_group(name, inter);
  if (group == nullptr) return COMEX_FAILURE;
  const runtime::CallScope call(name, inter);
  if (!group->is_inter()) return runtime->reporter().fail({.operation = name}, no_inter_group(inter));
  return merge(*runtime, name, *group, inter, high != 0, merged);
}
