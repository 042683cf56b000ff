#include "armci/state.h"

namespace comex::armci {

State& state() {
  pass();
  static State* only = new State;  // never destroyed: exit handlers may call the façade
  return *only;
}

std::vector<int> world_ranks(comex_group_t group) {
  int size = 0;
  comex_group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank)
    comex_group_translate_world(group, rank, &ranks[static_cast<std::size_t>(rank)]);
  return ranks;
}

Domains Domains::of_world() {
  Domains domains;
  int size = 0;
  int before = -1;
  comex_group_size(COMEX_GROUP_WORLD, &size);
  for (int proc = 0; proc < size; ++proc) {
    int host = 0;
    comex_host_of(proc, COMEX_GROUP_WORLD, &host);
    if (host != before) domains.members.emplace_back();
    before = host;
    domains.id_of.push_back(static_cast<int>(domains.members.size()) - 1);
    domains.members.back().push_back(proc);
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
  memory.clear();
  for (const auto& [group, its_teams] : teams) forget_group(group);
  teams.clear();
  default_group.store(COMEX_GROUP_WORLD);
  is_open = false;
}

void State::add_teams(comex_group_t group) {
  auto its_teams = std::make_unique<GroupTeams>(group, true, domains.id_of);
  const std::lock_guard lock(teams_lock);
  teams[group] = std::move(its_teams);
}

void State::remove_teams(comex_group_t group) {
  std::unique_lock lock(teams_lock);
  const auto removed = teams.extract(group);
  lock.unlock();
  if (!removed.empty()) end_at_death(comex_group_free(removed.mapped()->duplicate()));
}

GroupTeams& State::teams_of(comex_group_t group) {
  const std::lock_guard lock(teams_lock);
  std::unique_ptr<GroupTeams>& found = teams[group];
  if (!found || found->is_borrowed()) found = std::make_unique<GroupTeams>(group, false, domains.id_of);
  return *found;
}

}  // namespace comex::armci
