// Random programs: see shapes.h.
#include <algorithm>
#include <random>

#include "rules/shapes.h"

namespace comex::rules {
namespace {

// What is written to a word: "Kinds do not mix".
enum class Written : std::uint8_t { by_put, by_acc, by_rmw };

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  Program make() {
    const int workers = between(2, 3);
    const int words = between(2, 3);
    std::vector<int> homes;
    for (int word = 0; word < words; ++word) {
      homes.push_back(below(workers));
      // Words of puts are the most telling.
      written_.push_back(below(3) != 0 ? Written::by_put : below(2) == 0 ? Written::by_acc : Written::by_rmw);
    }
    homes_ = homes;
    std::vector<std::vector<Instruction>> lists;
    const bool has_barrier = below(6) == 0;
    for (int worker = 0; worker < workers; ++worker) {
      lists.push_back(list(workers == 2 ? between(3, 4) : between(2, 3)));
      if (has_barrier)
        lists.back().insert(lists.back().begin() + below(size_of(lists.back()) + 1), barrier());
      if (below(6) == 0) guard(lists.back());
      const bool is_open = std::any_of(lists.back().begin(), lists.back().end(),
                                       [](const Instruction& each) { return !each.is_blocking; });
      if (is_open) lists.back().push_back(wait_all());
    }
    return made(std::move(homes), std::move(lists));
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  static int size_of(const std::vector<Instruction>& list) { return static_cast<int>(list.size()); }
  int any_word() { return below(static_cast<int>(homes_.size())); }

  std::vector<Instruction> list(int accesses) {
    std::vector<Instruction> made;
    for (int i = 0; i < accesses; ++i) {
      const int word = any_word();
      Instruction each = below(2) == 0 ? get(word) : write(word);
      if (below(4) == 0) each = nb(each);
      made.push_back(each);
      if (i + 1 < accesses && below(3) == 0)
        made.push_back(below(4) == 0 ? fence_all() : fence(homes_[static_cast<std::size_t>(word)]));
    }
    return made;
  }

  Instruction write(int word) {
    switch (written_[static_cast<std::size_t>(word)]) {
      case Written::by_acc:
        return acc(word, 1);
      case Written::by_rmw:
        return below(3) == 0 ? swap(word, ++value_) : fetch_add(word, 1);
      case Written::by_put:
        break;
    }
    const int signal = any_word();
    const bool is_beside =
        signal != word && homes_[static_cast<std::size_t>(signal)] == homes_[static_cast<std::size_t>(word)];
    ++value_;
    if (!is_beside || below(2) == 0) return put(word, value_);
    switch (written_[static_cast<std::size_t>(signal)]) {
      case Written::by_put:
        return put_signal(word, value_, signal, value_ + 100);
      case Written::by_rmw:
        return put_signal_add(word, value_, signal, 1);
      default:
        return put(word, value_);
    }
  }

  // Between lock and unlock: all of it, unless a barrier stands there, which the others wait for too.
  void guard(std::vector<Instruction>& list) {
    for (const Instruction& each : list)
      if (each.kind == Kind::barrier) return;
    list.insert(list.begin(), lock());
    list.push_back(unlock());
  }

  std::mt19937_64 random_;
  std::vector<int> homes_;
  std::vector<Written> written_;
  int value_ = 0;
};

}  // namespace

Program random_program(std::uint64_t seed) {
  return Maker(seed).make();
}

}  // namespace comex::rules
