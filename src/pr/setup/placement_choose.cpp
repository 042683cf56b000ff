// The decisions of placement, without hwloc: masks, cores for progress ranks, kinds of memory.
#include <algorithm>
#include <charconv>

#include "pr/setup/placement.h"

namespace comex::pr {

std::string text_of(const CpuMask& cpus) {
  std::string out;
  for (std::size_t cpu = 0; cpu < cpus.size(); ++cpu) {
    if (!cpus[cpu]) continue;
    std::size_t last = cpu;
    while (last + 1 < cpus.size() && cpus[last + 1]) ++last;
    if (!out.empty()) out += ',';
    out += std::to_string(cpu);
    if (last > cpu) out.append("-").append(std::to_string(last));
    cpu = last;
  }
  return out;
}

std::vector<CoreChoice> choose_cores(std::span<const CpuMask> cores, std::span<const CpuMask> workers,
                                     std::span<const CpuMask> progress_ranks) {
  std::vector<CoreChoice> choices;
  if (cores.empty()) return choices;
  CpuMask everything;
  for (const CpuMask& core : cores) everything |= core;
  std::vector<unsigned> taken(cores.size(), 0);
  for (const CpuMask& worker : workers) {
    if ((everything & ~worker).none()) continue;
    for (std::size_t core = 0; core < cores.size(); ++core)
      if ((worker & cores[core]).any()) ++taken[core];
  }
  const bool oversubscribed = workers.size() + progress_ranks.size() > cores.size();
  for (const CpuMask& mine : progress_ranks) {
    // The least taken core first; among those, one it may already run on; among those, the last one, because
    // programs that bind by themselves begin at the first.
    std::size_t best = 0;
    const auto rank = [&](std::size_t core) {
      return std::pair(taken[core], (mine & cores[core]).any() ? 0 : 1);
    };
    for (std::size_t core = 1; core < cores.size(); ++core)
      if (rank(core) <= rank(best)) best = core;
    choices.push_back({best, oversubscribed || taken[best] > 0});
    ++taken[best];
  }
  return choices;
}

std::vector<CpuMask> share_cores(std::span<const CpuMask> cores, std::span<const Role> ranks) {
  if (ranks.size() > cores.size()) return {};
  const auto servers = static_cast<std::size_t>(std::count(ranks.begin(), ranks.end(), Role::progress));
  const std::size_t workers = ranks.size() - servers;
  const std::size_t each = workers == 0 ? 0 : (cores.size() - servers) / workers;
  std::vector<CpuMask> shares;
  auto next = cores.begin();
  for (const Role role : ranks) {
    CpuMask& share = shares.emplace_back();
    for (std::size_t i = 0; i < (role == Role::progress ? 1 : each); ++i, ++next) share |= *next;
  }
  return shares;
}

namespace {

bool is_fast(const MemoryNode& node) {
  return node.kind == "HBM" || node.kind == "MCDRAM";
}

// Memory to which hwloc gives no other name is ordinary memory.
bool is_ordinary(const MemoryNode& node) {
  return node.kind.empty() || node.kind == "DRAM";
}

std::string present(std::span<const MemoryNode> memory) {
  std::string list;
  const auto append = [&](const std::string& word) { list.append(list.empty() ? "" : ", ").append(word); };
  if (std::any_of(memory.begin(), memory.end(), is_ordinary)) append("dram");
  if (std::any_of(memory.begin(), memory.end(), is_fast)) append("hbm");
  for (const MemoryNode& node : memory) append("numa:" + std::to_string(node.number));
  return list.empty() ? "none that hwloc can see" : list;
}

// The first characters of a wrong name. The rest may be anything and is not shown.
std::string first_of(std::string_view name) {
  constexpr std::size_t most = 16;  // "numa:4294967295" has fewer
  const auto is_shown = [](char each) { return each >= ' ' && each <= '~'; };
  const std::string_view first = name.substr(0, most);
  std::string shown(first.begin(), std::find_if_not(first.begin(), first.end(), is_shown));
  if (shown.size() < name.size()) shown += "...";
  return shown;
}

}  // namespace

std::vector<unsigned> nodes_near(const CpuMask& bound, std::span<const MemoryNode> memory) {
  std::vector<unsigned> nodes;
  if (bound.none()) return nodes;
  for (const MemoryNode& node : memory)
    if (is_ordinary(node) && (bound & ~node.near_cpus).none()) nodes.push_back(node.number);
  return nodes;
}

Result<std::vector<unsigned>> nodes_of_kind(std::string_view device, std::span<const MemoryNode> memory) {
  std::vector<unsigned> nodes;
  if (device.empty()) return nodes;
  constexpr std::string_view numa = "numa:";
  unsigned number = 0;
  bool by_number = device.starts_with(numa);
  if (by_number) {
    const char* end = device.data() + device.size();
    const auto [stop, error] = std::from_chars(device.data() + numa.size(), end, number);
    by_number = error == std::errc{} && stop == end;
  }
  for (const MemoryNode& node : memory) {
    if ((device == "dram" && is_ordinary(node)) || (device == "hbm" && is_fast(node)) ||
        (by_number && node.number == number))
      nodes.push_back(node.number);
  }
  if (nodes.empty()) {
    return caller_error("there is no memory of kind '" + first_of(device) +
                        "' here; present: " + present(memory));
  }
  return nodes;
}

}  // namespace comex::pr
