#include "checked/known_groups.h"

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
  own_comms_.push_back(comm);
}

void KnownGroups::free_comms() {
  for (MPI_Comm& comm : own_comms_) PMPI_Comm_free(&comm);
}

void KnownGroups::forget(comex_group_t group) {
  const auto known = entries_.find(group);
  if (known == entries_.end()) return;
  MPI_Comm& comm = known->second.comm;
  if (std::erase(own_comms_, comm) != 0) PMPI_Comm_free(&comm);
  entries_.erase(known);
}

}  // namespace comex::checker
