#include "nb/fence_ledger.h"

#include <algorithm>

#include "core/status.h"

namespace comex::nb {

FenceLedger::Server& FenceLedger::look_up(TransportRank rank) {
  Server& server = servers_[rank];  // nodes of an unordered_map stay in place
  server.rank = rank;
  last_server_ = &server;
  return server;
}

FenceLedger::Target& FenceLedger::look_up(Gpid gpid) {
  last_gpid_ = gpid;
  last_target_ = &targets_[gpid];
  return *last_target_;
}

const FenceLedger::Server* FenceLedger::find(TransportRank rank) const {
  const auto found = servers_.find(rank);
  return found == servers_.end() ? nullptr : &found->second;
}

void FenceLedger::queue(TransportRank rank, Gpid target) {
  Server& server = server_of(rank);
  server.unsent += 1;
  target_of(target).unsent += 1;
  list(server);
}

void FenceLedger::unqueue(TransportRank rank, Gpid target) {
  Server& server = server_of(rank);
  Target& mine = target_of(target);
  COMEX_BUG_IF(server.unsent == 0 || mine.unsent == 0);
  --server.unsent;
  --mine.unsent;
}

void FenceLedger::applied(TransportRank rank, std::uint64_t number) {
  Server& server = server_of(rank);
  COMEX_BUG_IF(number > server.issued);
  server.applied = std::max(server.applied, number);
}

std::uint64_t FenceLedger::issued(TransportRank rank) const {
  const Server* server = find(rank);
  return server == nullptr ? 0 : server->issued;
}

std::uint64_t FenceLedger::applied(TransportRank rank) const {
  const Server* server = find(rank);
  return server == nullptr ? 0 : server->applied;
}

bool FenceLedger::dirty(TransportRank rank) const {
  const Server* server = find(rank);
  return server != nullptr && is_dirty(*server);
}

bool FenceLedger::dirty(TransportRank rank, Gpid target) const {
  const auto found = targets_.find(target);
  if (found == targets_.end()) return false;
  return found->second.unsent != 0 || found->second.last > applied(rank);
}

std::uint64_t FenceLedger::take_failures(Gpid target) {
  const auto found = failures_.find(target);
  if (found == failures_.end()) return 0;
  const std::uint64_t count = found->second;
  failures_.erase(found);
  return count;
}

std::uint64_t FenceLedger::take_failures() {
  if (failures_.empty()) return 0;
  std::uint64_t count = 0;
  for (const auto& [target, failures] : failures_) count += failures;
  failures_.clear();
  return count;
}

}  // namespace comex::nb
