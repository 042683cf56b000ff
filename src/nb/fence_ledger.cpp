#include "nb/fence_ledger.h"

#include <algorithm>

#include "core/status.h"

namespace comex::nb {

FenceLedger::Server& FenceLedger::server_of(TransportRank rank) {
  Server& server = servers_[rank];
  server.rank = rank;
  return server;
}

const FenceLedger::Server* FenceLedger::find(TransportRank rank) const {
  const auto found = servers_.find(rank);
  return found == servers_.end() ? nullptr : &found->second;
}

void FenceLedger::queue(TransportRank rank, Gpid target) {
  Server& server = server_of(rank);
  server.unsent += 1;
  targets_[target].unsent += 1;
  if (!server.listed) {
    server.listed = true;
    dirty_.push_back(&server);
  }
}

std::uint64_t FenceLedger::issue(TransportRank rank, Gpid target) {
  Server& server = server_of(rank);
  return targets_[target].last = ++server.issued;
}

void FenceLedger::unqueue(TransportRank rank, Gpid target) {
  Server& server = server_of(rank);
  Target& mine = targets_[target];
  COMEX_BUG_IF(server.unsent == 0 || mine.unsent == 0);
  server.unsent -= 1;
  mine.unsent -= 1;
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
  std::uint64_t count = 0;
  for (const auto& [target, failures] : failures_) count += failures;
  failures_.clear();
  return count;
}

}  // namespace comex::nb
