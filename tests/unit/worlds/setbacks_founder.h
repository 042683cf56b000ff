// A founder of groups for the tests of setbacks: it says of itself, and makes of words, what Hearsay does.
//
// Words arrive at once, or when they are told to. No runtime, no time: who is told to gives up.
#pragma once

#include "worlds/agreement/setbacks.h"

#include <deque>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace comex::worlds {

using Said = Setbacks::Said;
using Verdict = Setbacks::Verdict;

inline constexpr std::uint64_t list = 100;
inline constexpr std::uint64_t other_list = 200;

// A process that names all of the others in its calls, and says what Hearsay says for it.
class Founder {
 public:
  explicit Founder(std::uint32_t rank) : rank_(rank) {}

  void begin(std::uint64_t digest, std::initializer_list<Founder*> others) {
    call_ = ++calls_;
    digest_ = digest;
    others_ = others;
    for (Founder* const other : others_) {
      About& about = about_[other->rank_];
      about.number = setbacks_.next(pair(*other));
      about.heard = 0;
      if (!setbacks_.take_back(pair(*other)).empty())
        send(*other, {.kind = Said::nothing, .number = about.number}, call_);
    }
  }
  void wait() {
    for (Founder* const other : others_) wait(*other);
  }
  // What it makes of the newest words of the other.
  Verdict hear(Founder& other) {
    About& about = about_[other.rank_];
    const std::optional<Mail> setback = std::exchange(about.setback, std::nullopt);
    const bool is_earlier =
        setback && about.of_call && Setbacks::is_of_earlier_call(setback->said, about.of_call->said);
    if (is_earlier) {
      const Verdict verdict = hear(other, *setback);
      if (Setbacks::is_final(verdict, call_, setback->said)) return verdict;
    }
    Verdict verdict = Verdict::nothing;
    if (const auto mail = std::exchange(about.of_call, std::nullopt)) verdict = hear(other, *mail);
    if (setback && !is_earlier) verdict = hear(other, *setback);
    return verdict;
  }
  // Words arrive only when they are told to.
  void be_slow() { is_slow_ = true; }
  bool word_arrives(const Founder& from) {
    About& about = about_[from.rank_];
    if (about.under_way.empty()) return false;
    const Mail mail = about.under_way.front();
    about.under_way.pop_front();
    (Setbacks::is_setback(mail.said.kind) ? about.setback : about.of_call) = mail;
    return true;
  }
  bool has_mail(const Founder& from) {
    const About& about = about_[from.rank_];
    return about.of_call || about.setback;
  }
  bool is_behind(const Founder& other) const { return setbacks_.is_behind(pair(other)); }
  // Because of what `culprit` said; of nobody on the list where it is null.
  void give_up(const Founder* culprit) {
    for (Founder* const other : others_) {
      const std::uint64_t number = setbacks_.next(pair(*other));
      Said said{.kind = Said::gave_up, .number = number, .first = number, .heard = heard(*other)};
      said.is_of_me = other == culprit;
      send(*other, said, call_);
      setbacks_.fail(pair(*other), {no_bridge}, other == culprit);
    }
  }
  void succeed() {
    for (Founder* const other : others_) setbacks_.settle(pair(*other));
  }
  void is_refused(std::initializer_list<Founder*> others, std::uint64_t digest = list) {
    digest_ = digest;
    for (Founder* const other : others) {
      const Setbacks::Pair with = pair(*other);
      for (const auto& mail : {about_[other->rank_].setback, about_[other->rank_].of_call}) {
        if (mail) setbacks_.learn(with, mail->said);
      }
      send(*other, {.kind = Said::refused, .number = setbacks_.next(with), .first = setbacks_.first(with)},
           0);
      setbacks_.fail(pair(*other), {no_bridge}, false);
    }
  }

 private:
  struct Mail {
    Said said;
    std::uint64_t call = 0;
    std::uint64_t digest = 0;
  };
  struct About {
    std::uint64_t number = 1;
    std::uint64_t heard = 0;
    std::optional<Mail> of_call;
    std::optional<Mail> setback;
    std::deque<Mail> under_way;
  };
  static Setbacks::Pair pair(const Founder& other) { return {0, {0, other.rank_}, 0}; }
  Verdict hear(Founder& other, Mail mail) {
    mail.said.is_same_list = mail.digest == digest_;
    const bool waits = mail.said.kind == Said::waits;
    if (waits || mail.said.kind == Said::nothing) about_[other.rank_].heard = mail.call;
    const Verdict verdict = setbacks_.hear(pair(other), call_, mail.said);
    if (verdict == Verdict::answer || (verdict == Verdict::doubt && waits)) wait(other);
    return verdict;
  }
  std::uint64_t heard(const Founder& other) { return about_[other.rank_].heard; }
  void wait(Founder& other) {
    send(other, {.kind = Said::waits, .number = about_[other.rank_].number, .heard = heard(other)}, call_);
  }
  void send(Founder& other, const Said& said, std::uint64_t call) {
    other.about_[rank_].under_way.push_back({said, call, digest_});
    if (!is_slow_) other.word_arrives(*this);
  }

  std::uint32_t rank_;
  bool is_slow_ = false;
  Setbacks setbacks_;
  std::uint64_t calls_ = 1000 * (rank_ + 1);
  std::uint64_t call_ = 0;
  std::uint64_t digest_ = 0;
  std::vector<Founder*> others_;
  std::map<std::uint32_t, About> about_;
};

}  // namespace comex::worlds
