// Keeps the credits of one server: how many messages each origin may send, so that memory stays bounded.
//
// Every origin has an account with a window of one message. A fixed pool lends more: it doubles the window of
// an origin that used up its limit. When the pool is empty and an origin starves, the account that was idle
// longest has to return what it does not use. Messages admitted and not finished never exceed accounts +
// pool. Used by Server.
#pragma once

#include <cstdint>
#include <list>

#include "core/ids.h"

namespace comex::pr {

class Credits {
 public:
  struct Account {
    TransportRank rank = no_rank;
    std::uint64_t received = 0;        // credited messages since the start
    std::uint64_t finished = 0;        // of these, those that hold nothing any more
    std::uint64_t told = 1;            // the limit that the origin knows
    std::uint32_t window = 1;          // of which window - 1 are the pool's
    std::uint64_t last_used = 0;       // by the ledger's clock, which counts messages
    std::uint16_t credit_returns = 0;  // seen; wraps
    bool is_recalling = false;

    std::uint64_t limit() const { return finished + window; }
  };
  using Handle = std::list<Account>::iterator;

  Credits(std::uint64_t pool, std::uint32_t max_window) : pool_(pool), max_window_(max_window) {}

  Handle open(TransportRank rank);
  void close(Handle account);  // what it had goes back to the pool

  bool admit(Handle account);  // a credited message came; false: it was over the limit
  void finish(Handle account) { ++account->finished; }

  // Returns the limit for a message to the origin, which knows it then. A recall leaves it as it was.
  std::uint64_t tell(Handle account);
  bool owes(Handle account) const;  // the new limit is worth a message of its own

  // After an origin starved: the account that is asked to return credits, or null. Being asked counts as use.
  Account* pick_idle();
  bool return_credits(Handle account, std::uint64_t new_limit);  // false: not one the origin may name

  std::uint64_t pool() const { return pool_; }

 private:
  void note_used(Handle account) { accounts_.splice(accounts_.end(), accounts_, account); }
  void grow(Account& account);
  bool is_idle(const Account& account) const;

  std::list<Account> accounts_;  // the longest unused first
  std::uint64_t pool_;
  std::uint32_t max_window_;
  std::uint64_t clock_ = 0;
  bool has_starved_ = false;
};

}  // namespace comex::pr
