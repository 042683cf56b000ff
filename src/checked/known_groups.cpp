#include "checked/known_groups.h"

#include <algorithm>

#include "checked/next.h"

namespace comex::checker {

GroupEntry* KnownGroups::find(comex_group_t group) {
  const auto known = entries_.find(group);
  if (known == entries_.end()) return nullptr;
  GroupEntry& entry = known->second;
  if (!entry.members.empty()) return &entry;
  int size = 0;
  int remote = 0;
  if (next<&comex_group_size>("comex_group_size")(group, &size) != COMEX_SUCCESS) return nullptr;
  if (entry.is_inter &&
      next<&comex_group_remote_size>("comex_group_remote_size")(group, &remote) == COMEX_SUCCESS)
    size = remote;
  for (int rank = 0; rank < size; ++rank) {
    int worker = -1;
    next<&comex_group_translate_world>("comex_group_translate_world")(group, rank, &worker);
    entry.members.push_back(worker);
    entry.has_others = entry.has_others || worker < 0 || worker >= workers_;
  }
  const bool has_comm = !entry.is_inter && entry.endpoint == 0 && !entry.has_others && size > 1;
  if (has_comm) next<&comex_group_comm>("comex_group_comm")(group, &entry.comm);
  return &entry;
}

std::optional<int> KnownGroups::worker(int proc, comex_group_t group) {
  if (group == COMEX_GROUP_WORLD) return proc >= 0 && proc < workers_ ? std::optional(proc) : std::nullopt;
  const GroupEntry* const entry = find(group);
  if (entry == nullptr || proc < 0 || static_cast<std::size_t>(proc) >= entry->members.size())
    return std::nullopt;
  const int worker = entry->members[static_cast<std::size_t>(proc)];
  return worker >= 0 && worker < workers_ ? std::optional(worker) : std::nullopt;
}

void KnownGroups::keep_comm(comex_group_t group, MPI_Comm comm) {
  GroupEntry* const entry = comm == MPI_COMM_NULL ? nullptr : find(group);
  if (entry == nullptr) return;
  entry->comm = comm;
  entry->owns_comm = true;
}

void KnownGroups::free_comms() {
  std::vector<GroupEntry*> owners;
  for (auto& [group, entry] : entries_)
    if (entry.owns_comm) owners.push_back(&entry);
  std::ranges::sort(owners, {}, &GroupEntry::serial);  // which number a group has, its members need not share
  for (GroupEntry* const entry : owners) PMPI_Comm_free(&entry->comm);
}

void KnownGroups::forget(comex_group_t group) {
  const auto known = entries_.find(group);
  if (known == entries_.end()) return;
  if (known->second.owns_comm) PMPI_Comm_free(&known->second.comm);
  entries_.erase(known);
}

}  // namespace comex::checker
