// What the members of a group conclude from each other's words and claims.
#include "runtime/allocation_words.h"

#include <gtest/gtest.h>

namespace comex::runtime {
namespace {

using Words = std::vector<AllocationWord>;
using Claims = std::vector<Claim>;
using Members = std::vector<std::size_t>;

alignas(64) char memory[2 * 64];
const AllocationWord one = AllocationWord::allocated(memory);
const AllocationWord nothing = AllocationWord::frees_nothing();

Claim known(std::uint64_t id, std::uint64_t address) {
  return {Claim::known, id, address};
}
Claim unknown(std::uint64_t address) {
  return {Claim::unknown, 0, address};
}

TEST(AllocationWords, carry_an_address_or_that_there_is_none) {
  EXPECT_TRUE(one.is_allocating());
  EXPECT_FALSE(one.has_failed());
  EXPECT_EQ(one.address(), memory);
  EXPECT_EQ(AllocationWord::allocated(nullptr).address(), nullptr);
  EXPECT_FALSE(AllocationWord::allocated(nullptr).has_failed());
  EXPECT_TRUE(AllocationWord::not_allocated().is_allocating());
  EXPECT_TRUE(AllocationWord::not_allocated().has_failed());
}

TEST(AllocationWords, carry_which_allocation_is_freed) {
  constexpr std::uint64_t last = (1u << 24) - 1;
  EXPECT_EQ(AllocationWord::frees_nth(last).nth(), last);
  EXPECT_EQ(nothing.nth(), 0u);
  for (const AllocationWord& word :
       {AllocationWord::frees_nth(last), nothing, AllocationWord::frees_by_claim()}) {
    EXPECT_FALSE(word.is_allocating());
    EXPECT_FALSE(word.has_failed());
  }
  EXPECT_TRUE(AllocationWord::frees_by_claim().needs_claim());
  EXPECT_FALSE(nothing.needs_claim());
}

std::optional<std::size_t> member_of(const AllocationVerdict& verdict) {
  const auto odd = verdict.odd_one();
  return odd ? std::optional(odd->member) : std::nullopt;
}
std::optional<std::size_t> odd_one(const Words& all) {
  return member_of(AllocationVerdict(all));
}
std::optional<std::uint64_t> same_nth(const Words& all) {
  return AllocationVerdict(all).same_nth();
}

TEST(AllocationWords, tell_who_allocates_where_more_free_and_the_other_way_round) {
  EXPECT_EQ(odd_one(Words{one, one, AllocationWord::not_allocated()}), std::nullopt);
  EXPECT_EQ(odd_one(Words{nothing, AllocationWord::frees_nth(3), AllocationWord::frees_by_claim()}),
            std::nullopt);
  EXPECT_EQ(odd_one(Words{one, nothing, one, one}), 1u);
  EXPECT_EQ(odd_one(Words{nothing, nothing, one}), 2u);
  EXPECT_EQ(odd_one(Words{nothing, one, one}), 0u);
  EXPECT_EQ(odd_one(Words{nothing, one}), 0u);
}

TEST(AllocationWords, tell_who_makes_mutexes_beside_other_calls) {
  const auto made = AllocationWord::made_mutexes(true), refused = AllocationWord::made_mutexes(false);
  EXPECT_EQ(odd_one(Words{made, refused, made}), std::nullopt);
  EXPECT_EQ(AllocationVerdict(Words{made, refused, made}).failed(), 1u);
  const auto odd = AllocationVerdict(Words{made, one, made, nothing, made, one}).odd_one();
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->member, 3u);
  EXPECT_STREQ(odd->does, "frees");
  EXPECT_STREQ(odd->others_do, "make mutexes");
}

TEST(AllocationWords, are_enough_where_all_who_name_one_name_the_same) {
  EXPECT_EQ(same_nth(Words{nothing, nothing}), 0u);
  EXPECT_EQ(same_nth(Words{nothing, AllocationWord::frees_nth(7), nothing, AllocationWord::frees_nth(7)}),
            7u);
  EXPECT_EQ(same_nth(Words{AllocationWord::frees_nth(6), AllocationWord::frees_nth(7)}), std::nullopt);
  EXPECT_EQ(same_nth(Words{AllocationWord::frees_nth(6), AllocationWord::frees_by_claim()}), std::nullopt);
}

TEST(AllocationWords, tell_who_is_the_first_that_could_not_allocate) {
  EXPECT_EQ(AllocationVerdict(Words{one, one}).failed(), std::nullopt);
  EXPECT_EQ(AllocationVerdict(Words{one, AllocationWord::not_allocated(), AllocationWord::not_allocated()})
                .failed(),
            1u);
}

// Trees over different numbers of members group them differently.
TEST(AllocationWords, come_to_one_verdict_however_they_are_grouped) {
  const Words kinds{one,
                    AllocationWord::not_allocated(),
                    nothing,
                    AllocationWord::frees_nth(6),
                    AllocationWord::frees_nth(7),
                    AllocationWord::frees_by_claim(),
                    AllocationWord::made_mutexes(true),
                    AllocationWord::made_mutexes(false)};
  constexpr std::size_t members = 4;
  const auto part = [](const Words& all, std::size_t first, std::size_t last) {
    AllocationVerdict verdict(first, all[first]);
    for (std::size_t i = first + 1; i < last; ++i) verdict.merge({i, all[i]});
    return verdict;
  };
  for (std::size_t pick = 0; pick < kinds.size() * kinds.size() * kinds.size() * kinds.size(); ++pick) {
    Words all;
    for (std::size_t rest = pick; all.size() < members; rest /= kinds.size()) {
      all.push_back(kinds[rest % kinds.size()]);
    }
    const AllocationVerdict whole(all);
    for (std::size_t cut = 1; cut < members; ++cut) {
      for (const bool turned : {false, true}) {
        AllocationVerdict merged = turned ? part(all, cut, members) : part(all, 0, cut);
        merged.merge(turned ? part(all, 0, cut) : part(all, cut, members));
        EXPECT_EQ(member_of(merged), member_of(whole)) << pick << ", " << cut;
        EXPECT_EQ(merged.failed(), whole.failed()) << pick << ", " << cut;
        EXPECT_EQ(merged.same_nth(), whole.same_nth()) << pick << ", " << cut;
      }
    }
  }
}

TEST(AllocationClaims, that_are_wrong_or_about_another_allocation_are_mistakes_of_the_first_who_makes_one) {
  EXPECT_FALSE(first_mistake(Claims{{}, known(5, 64), unknown(128), known(5, 192)}));
  EXPECT_EQ(first_mistake(Claims{known(5, 64), {}, {Claim::wrong, 0, 8}, known(6, 192)}), 2u);
  EXPECT_EQ(first_mistake(Claims{{}, known(5, 64), known(6, 192), {Claim::wrong, 0, 8}}), 2u);
}

TEST(AllocationClaims, are_about_the_allocation_that_the_first_who_knows_one_means) {
  EXPECT_EQ(known_id(Claims{{}, unknown(64), known(5, 128), known(6, 192)}), 5u);
  EXPECT_EQ(known_id(Claims{{}, unknown(64)}), 0u);
}

TEST(AllocationClaims, about_what_others_name_as_their_own_are_answered) {
  EXPECT_EQ(unanswered(Claims{known(5, 64), unknown(64), unknown(128), known(5, 192), unknown(192), {}}),
            Members{2});
  EXPECT_EQ(unanswered(Claims{unknown(128), {}, unknown(64)}), (Members{0, 2}));
}

TEST(AllocationClaims, about_an_address_that_nobody_has_are_a_strangers) {
  const Claims claims{unknown(64), known(5, 192), unknown(256), unknown(320)};
  const Members members{0, 2, 3};
  EXPECT_EQ(first_stranger(claims, members, {320, 192, 64, 256}), std::nullopt);
  EXPECT_EQ(first_stranger(claims, members, {0, 192, 64, 0}), 2u);
  EXPECT_EQ(first_stranger(claims, members, {}), 0u);
}

}  // namespace
}  // namespace comex::runtime
