#include "nb/fence_ledger.h"

#include <algorithm>

#include "core/status.h"

namespace comex::nb {

FenceLedger::ServerWrites& FenceLedger::look_up(TransportRank rank) {
  ServerWrites& server = servers_[rank];  // the nodes of an unordered_map never move
  server.rank = rank;
  last_server_ = &server;
  return server;
}

FenceLedger::TargetWrites& FenceLedger::look_up(TransportRank server, Gpid gpid) {
  auto found = targets_.find(gpid);
  if (found == targets_.end()) {
    if (sweep_.is_due(targets_.size())) forget_targets();
    found = targets_.try_emplace(gpid).first;
    found->second.server = server;
  }
  last_gpid_ = gpid;
  last_target_ = &found->second;
  return *last_target_;
}

// A target with an unsent write keeps its entry, because its number is still to come.
void FenceLedger::forget_targets() {
  forget(targets_, [this](const auto& each) {
    const ServerWrites* server = find(each.second.server);  // servers that were forgotten are clean
    return each.second.unsent == 0 && (server == nullptr || each.second.last <= server->applied);
  });
  if (targets_.size() > kept / 2) {
    forget(targets_, [this](const auto& each) {
      if (each.second.unsent != 0) return false;
      ServerWrites& server = servers_.at(each.second.server);
      server.blurred = std::max(server.blurred, each.second.last);
      return true;
    });
  }
  last_target_ = nullptr;
  sweep_.has_left(targets_.size());
}

const FenceLedger::ServerWrites* FenceLedger::find(TransportRank rank) const {
  const auto found = servers_.find(rank);
  return found == servers_.end() ? nullptr : &found->second;
}

void FenceLedger::queue(TransportRank rank, Gpid target) {
  ServerWrites& server = server_of(rank);
  server.unsent += 1;
  target_of(rank, target).unsent += 1;
  list(server);
}

void FenceLedger::unqueue(TransportRank rank, Gpid target) {
  ServerWrites& server = server_of(rank);
  TargetWrites& mine = target_of(rank, target);
  COMEX_BUG_IF(server.unsent == 0 || mine.unsent == 0);
  --server.unsent;
  --mine.unsent;
}

void FenceLedger::applied(TransportRank rank, std::uint64_t number) {
  ServerWrites& server = server_of(rank);
  COMEX_BUG_IF(number > server.issued);
  server.applied = std::max(server.applied, number);
}

std::uint64_t FenceLedger::issued(TransportRank rank) const {
  const ServerWrites* server = find(rank);
  return server == nullptr ? 0 : server->issued;
}

std::uint64_t FenceLedger::applied(TransportRank rank) const {
  const ServerWrites* server = find(rank);
  return server == nullptr ? 0 : server->applied;
}

bool FenceLedger::is_unmirrored(TransportRank rank) const {
  const ServerWrites* server = find(rank);
  return server != nullptr && server->is_unmirrored;
}

bool FenceLedger::has_atomics(TransportRank rank) const {
  const ServerWrites* server = find(rank);
  return server != nullptr && server->atomics != 0;
}

bool FenceLedger::dirty(TransportRank rank) const {
  const ServerWrites* server = find(rank);
  return server != nullptr && is_dirty(*server);
}

bool FenceLedger::dirty(TransportRank rank, Gpid target) const {
  const ServerWrites* server = find(rank);
  if (server == nullptr || !is_dirty(*server)) return false;
  if (server->blurred > server->applied || server->is_unmirrored || server->atomics != 0) return true;
  const auto found = targets_.find(target);
  return found != targets_.end() && (found->second.unsent != 0 || found->second.last > server->applied);
}

std::uint64_t FenceLedger::forget_server(TransportRank rank) {
  const auto found = servers_.find(rank);
  if (found == servers_.end()) return 0;
  COMEX_BUG_IF(is_dirty(found->second) || found->second.listed);
  const std::uint64_t issued = found->second.issued;
  if (last_server_ == &found->second) last_server_ = nullptr;
  servers_.erase(found);
  return issued;
}

void FenceLedger::resume(TransportRank rank, std::uint64_t issued) {
  if (issued == 0) return;
  ServerWrites& server = server_of(rank);
  server.issued = server.applied = issued;
}

void FenceLedger::give_up(TransportRank rank) {
  ServerWrites& server = server_of(rank);
  for (auto& [gpid, target] : targets_) {
    if (target.server != rank) continue;
    if (target.unsent != 0 || target.last > server.applied) ++failures_[gpid];
    target.unsent = 0;
  }
  if (server.is_unmirrored || server.blurred > server.applied) given_up_.insert(rank);
  server.unsent = server.atomics = 0;
  server.applied = server.issued;
  server.is_unmirrored = false;
}

std::uint64_t FenceLedger::take_failures(TransportRank server, Gpid target) {
  std::uint64_t count = given_up_.erase(server);
  const auto found = failures_.find(target);
  if (found == failures_.end()) return count;
  count += found->second;
  failures_.erase(found);
  return count;
}

std::uint64_t FenceLedger::take_failures() {
  std::uint64_t count = given_up_.size();
  for (const auto& [target, failures] : failures_) count += failures;
  failures_.clear();
  given_up_.clear();
  return count;
}

}  // namespace comex::nb
