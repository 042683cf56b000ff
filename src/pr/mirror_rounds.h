// Counts the rounds in which a progress rank sends what was written to kept memory to its mirrors.
//
// It is pure. Who waits for mirrors asks for a ticket, the number of the first round that begins afterwards:
// what was written before is taken by that round or an earlier one. One round is under way at a time. The
// servers of a progress rank ask; runtime/kept runs the rounds.
#pragma once

#include <cstdint>

namespace comex::pr {

class MirrorRounds {
 public:
  std::uint64_t ask() { return wanted_ = begun_ + 1; }
  bool is_over(std::uint64_t ticket) const { return over_ >= ticket; }

  bool is_under_way() const { return begun_ != over_; }
  bool is_wanted() const { return wanted_ > begun_; }
  void begin() { ++begun_; }
  void end() { over_ = begun_; }

 private:
  std::uint64_t wanted_ = 0;
  std::uint64_t begun_ = 0;
  std::uint64_t over_ = 0;
};

}  // namespace comex::pr
