#include "api/armci/state.h"

#include <algorithm>

namespace comex::armci {

State& state() {
  static State* only = new State;  // never destroyed: calls may come from exit handlers
  return *only;
}

Domains Domains::of_world() {
  Domains domains;
  int size = 0;
  comex_group_size(COMEX_GROUP_WORLD, &size);
  std::map<int, int> id_of_host;
  for (int proc = 0; proc < size; ++proc) {
    int host = 0;
    comex_host_of(proc, COMEX_GROUP_WORLD, &host);
    const auto next = static_cast<int>(id_of_host.size());
    const int id = id_of_host.try_emplace(host, next).first->second;
    domains.id_of.push_back(id);
    if (id == next) domains.members.emplace_back();
    domains.members[static_cast<std::size_t>(id)].push_back(proc);
  }
  return domains;
}

void State::open() {
  comex_group_rank(COMEX_GROUP_WORLD, &me);
  comex_group_size(COMEX_GROUP_WORLD, &size);
  default_group.store(COMEX_GROUP_WORLD);
  domains = Domains::of_world();
  add_teams(COMEX_GROUP_WORLD);
  is_open = true;
  open_flavour();
}

void State::close() {
  close_flavour();
  const std::lock_guard lock(teams_lock);
  aggregates.forget();
  for (const auto& [group, its_teams] : teams) forget_group(group);
  teams.clear();
  default_group.store(COMEX_GROUP_WORLD);
  is_open = false;
}

void State::add_teams(comex_group_t group) {
  auto made = std::make_unique<GroupTeams>(group, GroupTeams::Context::own);
  const std::lock_guard lock(teams_lock);
  teams[group] = std::move(made);
}

void State::remove_teams(comex_group_t group) {
  const std::lock_guard lock(teams_lock);
  teams.erase(group);
}

GroupTeams& State::teams_of(comex_group_t group) {
  const std::lock_guard lock(teams_lock);
  std::unique_ptr<GroupTeams>& found = teams[group];
  if (!found) found = std::make_unique<GroupTeams>(group, GroupTeams::Context::the_group_s);
  return *found;
}

}  // namespace comex::armci
