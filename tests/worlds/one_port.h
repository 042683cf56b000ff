// Two worlds connect to one port of a third at the same time: both are served, in whatever order.
//
// For three launches of workers that know nobody else. Used by three.
#pragma once

#include <array>
#include <set>

#include "worlds/worlds.h"

namespace comex::testing {

// Side 0 has the port; it does not accept before both others are about to connect.
inline void two_connect_at_one_port(const Job& job, int side, const std::string& file, double limit_s) {
  const bool leads = job.me == 0;
  std::array<char, 400> port{};
  std::vector<comex_group_t> peers;
  std::set<std::uint32_t> met;
  if (side == 0) {
    if (leads) {
      job.done(comex_world_open_port(port.data(), static_cast<int>(port.size())));
      publish(file, port.data());
      for (const char* other : {".1", ".2"}) look_up(file + other);
    }
    for (comex_group_t& peer : peers = {COMEX_GROUP_NULL, COMEX_GROUP_NULL}) {
      job.done(comex_world_accept(port.data(), 0, everyone, limit_s, &peer));
    }
    if (leads) job.done(comex_world_close_port(port.data()));
  } else {
    const std::string found = leads ? look_up(file) : "";
    if (leads) publish(file + "." + std::to_string(side), "connects");
    job.done(comex_world_connect(found.c_str(), 0, everyone, limit_s, &peers.emplace_back()));
  }
  for (const comex_group_t peer : peers) {
    int far = 0;
    job.done(comex_group_remote_size(peer, &far));
    std::vector<comex_gpid_t> gpids(static_cast<std::size_t>(far));
    job.done(comex_gpids(peer, far, gpids.data(), nullptr));
    met.insert(gpids.front().world);
  }
  const auto number = [](unsigned of_side) { return (of_side + 1) << 24; };
  const std::set<std::uint32_t> wanted = side == 0 ? std::set{number(1), number(2)} : std::set{number(0)};
  job.require(met == wanted, "whom one has met at the port");
  for (comex_group_t& peer : peers) {
    comex_group_t merged = COMEX_GROUP_NULL;
    job.done(comex_group_merge(peer, side == 0 ? 0 : 1, &merged));
    data_travels(job, merged);
    job.done(comex_world_disconnect(&merged));
  }
  for (comex_group_t& peer : peers) job.done(comex_world_disconnect(&peer));
}

}  // namespace comex::testing
