#include "pr/credits.h"

#include <algorithm>

namespace comex::pr {
namespace {

constexpr unsigned idle_search = 8;  // accounts looked at for one withdrawal

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
  touch(account);
  if (account->received == account->told && !account->is_withdrawing) grow(*account);
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
  if (!account->is_withdrawing) account->told = account->limit();
  return account->told;
}

bool Credits::owes(Handle account) const {
  if (account->is_withdrawing) return false;
  return account->limit() - account->told >= std::max(1U, account->window / 2);
}

Credits::Account* Credits::pick_idle() {
  if (!has_starved_ || pool_ != 0) return nullptr;
  has_starved_ = false;
  for (unsigned i = 0; i < idle_search && i < accounts_.size(); ++i) {
    const Handle oldest = accounts_.begin();
    touch(oldest);
    if (oldest->window == 1 || oldest->is_withdrawing || !oldest->is_idle()) continue;
    oldest->is_withdrawing = true;
    return &*oldest;
  }
  return nullptr;
}

bool Credits::surrender(Handle account, std::uint64_t new_limit) {
  if (!account->is_withdrawing || new_limit < account->received || new_limit > account->told) return false;
  account->is_withdrawing = false;
  ++account->surrenders;
  account->told = new_limit;
  const std::uint64_t kept = std::max<std::uint64_t>(1, new_limit - account->finished);
  pool_ += account->window - kept;
  account->window = static_cast<std::uint32_t>(kept);
  return true;
}

}  // namespace comex::pr
