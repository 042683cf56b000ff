#include "pr/credits.h"

#include <algorithm>

namespace comex::pr {
namespace {

constexpr unsigned idle_search = 8;   // accounts looked at for one recall
constexpr unsigned idle_windows = 4;  // of messages by others

}  // namespace

Credits::Handle Credits::open(TransportRank rank) {
  Account account;
  account.rank = rank;
  return accounts_.insert(accounts_.end(), account);
}

void Credits::close(Handle account) {
  pool_ += account->window - 1;
  accounts_.erase(account);
}

bool Credits::admit(Handle account) {
  if (account->received == account->told) return false;
  ++account->received;
  account->last_used = ++clock_;
  note_used(account);
  if (account->received == account->told && !account->is_recalling) grow(*account);
  return true;
}

void Credits::grow(Account& account) {
  if (account.window >= max_window_) return;
  const std::uint64_t wanted = std::min(account.window, max_window_ - account.window);
  const std::uint64_t given = std::min(wanted, pool_);
  if (given == 0) has_starved_ = true;
  pool_ -= given;
  account.window += static_cast<std::uint32_t>(given);
}

std::uint64_t Credits::tell(Handle account) {
  if (!account->is_recalling) account->told = account->limit();
  return account->told;
}

bool Credits::owes(Handle account) const {
  if (account->is_recalling) return false;
  return account->limit() - account->told >= std::max(1U, account->window / 2);
}

// An account is idle if no message of it is here and others have sent several windows since its last.
bool Credits::is_idle(const Account& account) const {
  return account.received == account.finished &&
         clock_ - account.last_used >= std::uint64_t{idle_windows} * max_window_;
}

Credits::Account* Credits::pick_idle() {
  const bool is_needed = has_starved_ && pool_ == 0;
  has_starved_ = false;
  if (!is_needed) return nullptr;
  for (unsigned i = 0; i < idle_search && i < accounts_.size(); ++i) {
    const Handle oldest = accounts_.begin();
    note_used(oldest);
    if (oldest->window == 1 || oldest->is_recalling || !is_idle(*oldest)) continue;
    oldest->is_recalling = true;
    return &*oldest;
  }
  return nullptr;
}

bool Credits::return_credits(Handle account, std::uint64_t new_limit) {
  if (!account->is_recalling || new_limit < account->received || new_limit > account->told) return false;
  account->is_recalling = false;
  ++account->credit_returns;
  account->told = new_limit;
  const std::uint64_t kept = std::max<std::uint64_t>(1, new_limit - account->finished);
  pool_ += account->window - kept;
  account->window = static_cast<std::uint32_t>(kept);
  return true;
}

}  // namespace comex::pr
