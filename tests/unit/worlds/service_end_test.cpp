// When a progress rank ends its service on a bridge: one letter for each worker and for how it has left.
#include "worlds/bridge/bridge_map.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace comex::worlds {
namespace {

using protocol::Leaving;

// o: of the own world and served here, e: served elsewhere, g: a guest from another world, f: foreign. Behind
// it: . is there, t left together with all, a alone, x with its world.
ServiceState after(std::string_view workers) {
  std::vector<WorkerOnWire> wire;
  for (std::size_t i = 0; i < workers.size(); i += 3) {
    const char who = workers[i];
    const char how = workers[i + 1];
    WorkerOnWire worker{who == 'o' || who == 'e', who == 'o' || who == 'g'};
    if (how != '.')
      worker.left = how == 't' ? Leaving::together : how == 'a' ? Leaving::alone : Leaving::ended;
    wire.push_back(worker);
  }
  return service_for(wire);
}

TEST(ServiceEnd, comes_for_all_at_once_where_all_leave_together) {
  EXPECT_EQ(after("o. o. f. f."), ServiceState::goes_on);
  EXPECT_EQ(after("ot ot f. f."), ServiceState::goes_on);
  EXPECT_EQ(after("ot ot ft f."), ServiceState::goes_on);
  EXPECT_EQ(after("ot ot ft ft"), ServiceState::parts);
}

TEST(ServiceEnd, comes_when_the_own_world_has_left_while_others_stay) {
  EXPECT_EQ(after("oa o. f. f."), ServiceState::goes_on);
  EXPECT_EQ(after("oa oa f. f."), ServiceState::ends);
  EXPECT_EQ(after("oa oa fa f."), ServiceState::ends);
  EXPECT_EQ(after("oa oa fa fa"), ServiceState::ends);
}

TEST(ServiceEnd, waits_for_those_of_the_own_world_whom_others_serve) {
  EXPECT_EQ(after("oa e. f."), ServiceState::goes_on);
  EXPECT_EQ(after("oa ea f."), ServiceState::ends);
  EXPECT_EQ(after("e. ea f."), ServiceState::goes_on);
}

TEST(ServiceEnd, does_not_come_with_the_leaving_of_others) {
  EXPECT_EQ(after("o. o. fa fa"), ServiceState::goes_on);
  EXPECT_EQ(after("o. o. fx fx"), ServiceState::goes_on);
}

TEST(ServiceEnd, waits_for_guests_of_another_world) {
  EXPECT_EQ(after("oa oa g. f."), ServiceState::is_for_guests);
  EXPECT_EQ(after("oa oa ga f."), ServiceState::ends);
  EXPECT_EQ(after("oa oa gx f."), ServiceState::ends);
  EXPECT_EQ(after("o. oa g. f."), ServiceState::goes_on);
}

// Its processes say so when they end, and nobody is to be told that it has parted.
TEST(ServiceEnd, comes_with_that_of_a_world_that_finalizes_without_parting) {
  EXPECT_EQ(after("ox ox f. f."), ServiceState::goes_on);
  EXPECT_EQ(after("oa ox g. f."), ServiceState::goes_on);
}

}  // namespace
}  // namespace comex::worlds
