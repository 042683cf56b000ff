#include "rules/program.h"

#include <cstring>
#include <utility>

namespace comex::rules {
namespace {

using testing::Verb;

testing::Operation operation_of(Verb verb) {
  testing::Operation operation;
  operation.verb = verb;
  operation.element = testing::Element::int64;
  operation.bytes = static_cast<int>(word_bytes);
  operation.landing_bytes = verb == Verb::get || verb == Verb::rmw ? 2 * word_bytes : 0;
  return operation;
}

Instruction access(Verb verb, int word, long value) {
  Instruction made;
  made.kind = Kind::access;
  made.word = word;
  made.value = value;
  made.operation = operation_of(verb);
  made.operation.far = word_bytes * word;
  return made;
}

Instruction simple(Kind kind, int target = 0, int word = 0, long value = 0) {
  Instruction made;
  made.kind = kind;
  made.target = target;
  made.word = word;
  made.value = value;
  return made;
}

Instruction signal(Instruction made, testing::Signal how, int word, long value) {
  made.operation.signal = how;
  made.operation.signal_far = word_bytes * word;
  made.operation.signal_value = value;
  return made;
}

std::string name_of_access(const Instruction& each) {
  const testing::Operation& operation = each.operation;
  const std::string word = "w" + std::to_string(each.word);
  const std::string value = std::to_string(each.value);
  switch (operation.verb) {
    case Verb::get:
      return "get " + word;
    case Verb::acc:
      return "acc " + word + " += " + value;
    case Verb::rmw:
      return (operation.rmw == testing::RmwKind::swap ? "swap " : "fetch_add ") + word + ", " + value;
    case Verb::put:
      break;
  }
  std::string text = "put " + word + " = " + value;
  if (operation.signal != testing::Signal::none) {
    text += operation.signal == testing::Signal::set ? ", then w" : ", then add to w";
    text += std::to_string(operation.signal_far / word_bytes) + ": " + std::to_string(operation.signal_value);
  }
  return text;
}

std::string name_of(const Instruction& each) {
  const std::string word = "w" + std::to_string(each.word);
  switch (each.kind) {
    case Kind::access:
      return (each.is_blocking ? "" : "nb ") + name_of_access(each);
    case Kind::fence:
      return "fence " + std::to_string(each.target);
    case Kind::fence_all:
      return "fence all";
    case Kind::wait_all:
      return "wait all";
    case Kind::barrier:
      return "barrier";
    case Kind::lock:
      return "lock";
    case Kind::unlock:
      return "unlock";
    case Kind::wait_until:
      return "wait until " + word + " == " + std::to_string(each.value);
    case Kind::load:
      return "load " + word;
    case Kind::store:
      return "store " + word + " = " + std::to_string(each.value);
  }
  return "?";
}

}  // namespace

std::size_t Program::reads() const {
  std::size_t count = 0;
  for (const auto& worker : workers)
    for (const Instruction& each : worker) count += each.reads() ? 1u : 0u;
  return count;
}

std::string Program::describe() const {
  std::string text;
  for (std::size_t word = 0; word < homes.size(); ++word)
    text += "w" + std::to_string(word) + " at " + std::to_string(homes[word]) + "  ";
  for (std::size_t worker = 0; worker < workers.size(); ++worker) {
    text += "\n  worker " + std::to_string(worker) + ":";
    for (const Instruction& each : workers[worker]) text += " " + name_of(each) + ";";
  }
  return text;
}

Instruction put(int word, long value) {
  return access(Verb::put, word, value);
}

Instruction acc(int word, long value) {
  Instruction made = access(Verb::acc, word, value);
  const long one = 1;
  std::memcpy(made.operation.scale.data(), &one, sizeof one);
  return made;
}

Instruction get(int word) {
  return access(Verb::get, word, 0);
}

Instruction fetch_add(int word, long value) {
  Instruction made = access(Verb::rmw, word, value);
  made.operation.rmw = testing::RmwKind::fetch_and_add;
  made.operation.is_long = true;
  made.operation.extra = static_cast<int>(value);
  return made;
}

Instruction swap(int word, long value) {
  Instruction made = access(Verb::rmw, word, value);
  made.operation.rmw = testing::RmwKind::swap;
  made.operation.is_long = true;
  made.operation.operand = {value, 0};
  return made;
}

Instruction put_signal(int word, long value, int signal_word, long signal_value) {
  return signal(put(word, value), testing::Signal::set, signal_word, signal_value);
}

Instruction put_signal_add(int word, long value, int signal_word, long added) {
  return signal(put(word, value), testing::Signal::add, signal_word, added);
}

Instruction nb(Instruction access) {
  access.is_blocking = false;
  return access;
}

Instruction fence(int target) {
  return simple(Kind::fence, target);
}
Instruction fence_all() {
  return simple(Kind::fence_all);
}
Instruction wait_all() {
  return simple(Kind::wait_all);
}
Instruction barrier() {
  return simple(Kind::barrier);
}
Instruction lock() {
  return simple(Kind::lock);
}
Instruction unlock() {
  return simple(Kind::unlock);
}
Instruction wait_until(int word, long value) {
  return simple(Kind::wait_until, 0, word, value);
}
Instruction load(int word) {
  return simple(Kind::load, 0, word);
}
Instruction store(int word, long value) {
  return simple(Kind::store, 0, word, value);
}

Program made(std::vector<int> homes, std::vector<std::vector<Instruction>> workers) {
  for (auto& worker : workers) {
    for (Instruction& each : worker)
      if (each.kind == Kind::access) each.target = homes[static_cast<std::size_t>(each.word)];
  }
  return {std::move(homes), std::move(workers)};
}

}  // namespace comex::rules
