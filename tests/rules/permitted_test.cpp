// The model says of known programs what docs/memory-model.md says of them.
#include "rules/permitted.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "rules/shapes.h"

namespace comex::rules {
namespace {

std::string text_of(const std::set<Outcome>& outcomes) {
  std::string text;
  for (const Outcome& each : outcomes) {
    text += " (";
    for (const long value : each) text += std::to_string(value) + " ";
    text.back() = ')';
  }
  return text;
}

TEST(Permitted, is_of_each_shape_what_the_document_says) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name + ": " + shape.because + "\n" + shape.program.describe());
    const Permitted permitted = permitted_outcomes(shape.program);
    ASSERT_TRUE(permitted.is_complete);
    EXPECT_FALSE(permitted.may_hang);
    std::set<Outcome> shown;
    for (const Outcome& each : permitted.outcomes) shown.insert(shape.shown(each));
    const bool is_exact = !shape.permitted.empty();
    EXPECT_TRUE(is_exact || (!shape.forbidden.empty() && !shape.possible.empty())) << "says nothing";
    if (is_exact) {
      const std::set<Outcome> wanted(shape.permitted.begin(), shape.permitted.end());
      EXPECT_TRUE(shown == wanted) << "permits" << text_of(shown) << ", must permit" << text_of(wanted);
    }
    for (const Outcome& each : shape.forbidden) EXPECT_FALSE(shown.contains(each)) << text_of({each});
    for (const Outcome& each : shape.possible) EXPECT_TRUE(shown.contains(each)) << text_of({each});
  }
}

TEST(Permitted, finds_that_a_wait_for_what_nobody_writes_hangs) {
  EXPECT_TRUE(permitted_outcomes(made({0}, {{wait_until(0, 1)}, {}})).may_hang);
  EXPECT_TRUE(permitted_outcomes(made({0}, {{lock()}, {lock()}})).may_hang);
  EXPECT_TRUE(permitted_outcomes(made({0}, {{barrier()}, {}})).may_hang);
}

TEST(Permitted, tells_when_it_has_not_seen_all) {
  const Program program = made({0, 1}, {{put(0, 1), put(1, 1)}, {get(0), get(1)}});
  EXPECT_FALSE(permitted_outcomes(program, 3).is_complete);
  EXPECT_TRUE(permitted_outcomes(program).is_complete);
}

TEST(RandomPrograms, are_the_same_for_the_same_seed_and_have_every_kind_of_instruction) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Program program = random_program(seed);
    ASSERT_EQ(program.describe(), random_program(seed).describe());
    const std::string text = program.describe();
    for (const char* word : {"put ", "get ", "acc ", "swap ", "fetch_add ", "nb ", "then add", ", then w",
                             "fence 0", "fence all", "wait all", "barrier", "unlock"}) {
      if (text.find(word) != std::string::npos) seen.insert(word);
    }
  }
  EXPECT_EQ(seen.size(), 13u);
}

// More fences permit no more outcomes.
TEST(RandomPrograms, permit_less_with_a_fence_behind_each_instruction) {
  unsigned compared = 0, fewer = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Program program = random_program(seed);
    Program fenced = program;
    for (auto& worker : fenced.workers) {
      std::vector<Instruction> list;
      for (const Instruction& each : worker) {
        list.push_back(each);
        list.push_back(fence_all());
      }
      worker = std::move(list);
    }
    const Permitted loose = permitted_outcomes(program, 5000);
    const Permitted tight = permitted_outcomes(fenced, 5000);
    if (!loose.is_complete || !tight.is_complete) continue;
    ++compared;
    ASSERT_FALSE(loose.may_hang || tight.may_hang) << program.describe();
    ASSERT_FALSE(tight.outcomes.empty());
    EXPECT_TRUE(std::includes(loose.outcomes.begin(), loose.outcomes.end(), tight.outcomes.begin(),
                              tight.outcomes.end()))
        << program.describe();
    fewer += tight.outcomes.size() < loose.outcomes.size() ? 1u : 0u;
  }
  EXPECT_GT(compared, 15u);
  EXPECT_GT(fewer, 2u);
}

}  // namespace
}  // namespace comex::rules
