// What the members of a group tell each other in malloc and free, and what follows from it. Pure.
//
// Both calls begin with a word from each member and the verdict on them, so that those who allocate while
// others free learn of it: among few the words are gathered, among many the verdicts on one word each are
// merged. A verdict is all it takes where everybody frees by its own address what was allocated over this
// very group. Else a gather of claims follows: about another's address, which only its owner can tell the
// allocation of, about another group of the same members, and about mistakes. Used by the memory calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace comex::runtime {

class Word {
 public:
  Word() = default;
  static Word allocated(const void* own) { return {allocates, reinterpret_cast<std::uint64_t>(own)}; }
  static constexpr Word not_allocated() { return {refused, 0}; }
  static Word frees_nth(std::uint64_t nth) { return {frees, nth << kind_bits}; }  // over the group, from 1
  static Word frees_nothing() { return frees_nth(0); }
  static Word frees_by_claim() { return {claims, 0}; }

  bool is_allocating() const { return kind() == allocates || kind() == refused; }
  bool has_failed() const { return kind() == refused; }
  void* address() const { return reinterpret_cast<void*>(bits_); }  // of who allocated; null for 0 bytes
  bool needs_claim() const { return kind() == claims; }
  std::uint64_t nth() const {  // of who frees without a claim; else, and of who frees nothing, 0
    return kind() == frees ? bits_ >> kind_bits : 0;
  }

 private:
  enum Kind : std::uint64_t { allocates, refused, frees, claims };  // in the bits that an address has clear
  static constexpr unsigned kind_bits = 2;

  constexpr Word(Kind kind, std::uint64_t value) : bits_(value | kind) {}
  Kind kind() const { return Kind(bits_ & ((1u << kind_bits) - 1)); }

  std::uint64_t bits_ = 0;
};
static_assert(sizeof(Word) == 8);

// What words come to, from one upwards; the same however they are grouped. Travels as bytes.
class CollectiveVerdict {
 public:
  CollectiveVerdict() = default;  // on none
  CollectiveVerdict(std::size_t member, const Word& word);
  explicit CollectiveVerdict(std::span<const Word> all);
  void merge(const CollectiveVerdict& other);

  // Some members allocate and some free: the first of the fewer. None: all do the same.
  std::optional<std::size_t> odd_one() const;
  // The first who could not allocate.
  std::optional<std::size_t> failed() const;
  // Which allocation over the group all of those who free name, 0 if nobody names one. None: claims must
  // tell.
  std::optional<std::uint64_t> same_nth() const;

 private:
  static constexpr std::uint32_t nobody = UINT32_MAX;
  struct Side {
    std::uint32_t count = 0;
    std::uint32_t first = nobody;
    void merge(const Side& other);
  };

  Side allocating_;
  Side freeing_;
  std::uint32_t failed_ = nobody;
  std::uint32_t needs_claims_ = 0;
  std::uint64_t nth_ = 0;
};
static_assert(sizeof(CollectiveVerdict) == 32 && std::is_trivially_copyable_v<CollectiveVerdict>);

// What a member makes of the address it was given.
struct Claim {
  enum Kind : std::uint64_t { nothing, known, unknown, wrong };  // unknown: its owner must say
  Kind kind = nothing;
  std::uint64_t id = 0;       // of the allocation that is known
  std::uint64_t address = 0;  // that was given, known or not
};

enum class Mistake : std::uint8_t { no_allocation, another_allocation, one_of_several };
struct Mistaken {
  std::size_t member;
  Mistake mistake;
};
// The first claim that cannot be right, whatever owners say.
std::optional<Mistaken> first_mistake(std::span<const Claim> claims);
// 0: nobody knows one.
std::uint64_t known_id(std::span<const Claim> claims);
// The members whose address is unknown, and is none of those by which others know the allocation.
std::vector<std::size_t> unanswered(std::span<const Claim> claims);
// What the owners answer who are asked for an address; 0: it is none of theirs. Hosts may use one address for
// several allocations.
struct Answered {
  std::uint64_t id = 0;  // 0: nobody has it
  bool is_one_of_several = false;
};
Answered answered(std::span<const std::uint64_t> ids);
// Of those members the first whose address nobody has. `addresses`: everybody's in the allocation, any order.
std::optional<std::size_t> first_stranger(std::span<const Claim> claims, std::span<const std::size_t> members,
                                          std::vector<std::uint64_t> addresses);

}  // namespace comex::runtime
