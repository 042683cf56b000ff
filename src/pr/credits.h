// Flow control of one server: who may send how many messages, so that its memory stays bounded.
//
// Pure bookkeeping. Every account has a window of 1 of its own; a fixed pool lends more, doubling the
// window of whoever used up its limit, and takes back from the longest idle when it is empty and
// somebody starves. Promise: messages admitted and not finished <= accounts + pool. Used by Server.
#pragma once

#include <cstdint>
#include <list>

#include "core/ids.h"

namespace comex::pr {

class Credits {
 public:
  struct Account {
    TransportRank rank = no_rank;
    std::uint64_t received = 0;    // credited messages since the start
    std::uint64_t finished = 0;    // of these, those that hold nothing any more
    std::uint64_t told = 1;        // the limit that the origin knows
    std::uint32_t window = 1;      // of which window - 1 are the pool's
    std::uint64_t last_used = 0;   // by the ledger's clock, which counts messages
    std::uint16_t surrenders = 0;  // seen; wraps
    bool is_withdrawing = false;

    std::uint64_t limit() const { return finished + window; }
  };
  using Handle = std::list<Account>::iterator;

  Credits(std::uint64_t pool, std::uint32_t max_window) : pool_(pool), max_window_(max_window) {}

  Handle open(TransportRank rank);
  void close(Handle account);  // what it had goes back to the pool

  bool admit(Handle account);  // a credited message came; false: it was over the limit
  void finish(Handle account) { ++account->finished; }

  // The limit to put into a message to the origin, which knows it then; as before while withdrawing.
  std::uint64_t tell(Handle account);
  bool owes(Handle account) const;  // worth a message of its own

  // After somebody starved: whom to ask to surrender, or null. Asking counts as using.
  Account* pick_idle();
  bool surrender(Handle account, std::uint64_t new_limit);  // false: not one the origin may name

  std::uint64_t pool() const { return pool_; }

 private:
  void recheck_credits(Handle account) { accounts_.splice(accounts_.end(), accounts_, account); }
  void grow(Account& account);
  bool is_idle(const Account& account) const;

  std::list<Account> accounts_;  // the longest unused first
  std::uint64_t pool_;
  std::uint32_t max_window_;
  std::uint64_t clock_ = 0;
  bool has_starved_ = false;
};

}  // namespace comex::pr
