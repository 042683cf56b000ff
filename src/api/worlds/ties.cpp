#include "api/worlds/ties.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace comex::api {
namespace {

constexpr std::uint64_t patience_ms = 5'000;
using PortText = std::array<char, 320>;

std::vector<groups::PortName> exchange_ports(MPI_Comm all, const std::optional<groups::Listener>& mine) {
  PortText text{};
  if (mine) groups::format_port(mine->name()).copy(text.data(), text.size() - 1);
  int size = 0;
  PMPI_Comm_size(all, &size);
  std::vector<PortText> texts(static_cast<std::size_t>(size));
  PMPI_Allgather(text.data(), sizeof text, MPI_BYTE, texts.data(), sizeof text, MPI_BYTE, all);
  std::vector<groups::PortName> ports;
  for (const PortText& each : texts) {
    Result<groups::PortName> port = groups::parse_port(each.data());
    ports.push_back(port ? std::move(port).value() : groups::PortName());
  }
  return ports;
}

}  // namespace

std::vector<groups::Channel> tie_sides(MPI_Comm all, int low, const Reporter& reporter) {
  int rank = 0;
  int size = 0;
  PMPI_Comm_rank(all, &rank);
  PMPI_Comm_size(all, &size);
  const bool is_low = rank < low;
  const bool low_listens = low <= size - low;
  groups::TieTogether place;
  place.mine = static_cast<std::uint32_t>(is_low ? rank : rank - low);
  place.smaller = static_cast<std::uint32_t>(std::min(low, size - low));
  place.larger = static_cast<std::uint32_t>(size) - place.smaller;

  std::optional<groups::Listener> listener;
  if (is_low == low_listens) {
    Result<groups::Listener> opened = groups::Listener::open("");
    if (opened) listener.emplace(std::move(opened).value());
  }
  std::vector<groups::PortName> ports = exchange_ports(all, listener);
  if (!low_listens) ports.erase(ports.begin(), ports.begin() + low);

  std::vector<groups::Channel> channels;
  if (listener) {
    groups::await_ties(*listener, groups::expected_ties(place), patience_ms, channels);
  } else if (is_low != low_listens) {
    Result<groups::Channel> channel = groups::tie_to(place, ports, patience_ms);
    if (channel) {
      channels.push_back(std::move(channel).value());
    } else {
      reporter.notice("the life of the other side is not watched: " + channel.failure().text);
    }
  }
  return channels;
}

}  // namespace comex::api
