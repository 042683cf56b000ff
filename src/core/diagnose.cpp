#include "core/diagnose.h"

#include <cstdint>

namespace comex {
namespace {

// A host name or the value of a setting may hold control characters, which would break the line.
std::string one_line(std::string line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return line;
}

std::string target_text(const Target& target) {
  std::string text = " to target " + std::to_string(target.rank);
  if (target.group != 0) text += " of group " + std::to_string(target.group);
  if (target.worker < 0 || (target.worker == target.rank && !target.world)) return text;
  text += " (worker " + std::to_string(target.worker);
  if (target.world) text += " of world " + std::to_string(*target.world);
  return text + ")";
}

}  // namespace

Target::Target(const TargetName& named, const std::optional<Gpid>& who, std::optional<WorldId> own) {
  if (who) {
    rank = worker = static_cast<int>(who->rank);
    if (who->world != own) world = who->world;
  }
  if (named) {
    rank = named.rank;
    group = named.group;
  }
}

std::string hexadecimal(std::uint64_t value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), "0123456789abcdef"[value % 16]);
    value /= 16;
  } while (value != 0);
  return "0x" + digits;
}

std::string text_of(Gpid gpid) {
  return "(" + std::to_string(gpid.world) + "," + std::to_string(gpid.rank) + ")";
}

std::string format_line(const Identity& who, const Context& where, std::string_view text) {
  std::string line = "comex: ";
  line += who.rank >= 0 ? "rank " + std::to_string(who.rank) : std::string("a rank");
  if (who.endpoint >= 0) line += ", endpoint " + std::to_string(who.endpoint) + ",";
  line += " on " + (who.host.empty() ? std::string("an unknown host") : who.host) + ": ";
  if (where.operation != nullptr) {
    line += where.operation;
    if (where.target.rank >= 0) line += target_text(where.target);
    if (where.address != nullptr)
      line += ", address " + hexadecimal(reinterpret_cast<std::uintptr_t>(where.address));
    line += ": ";
  }
  line.append(text);
  return one_line(std::move(line));
}

std::string listed(std::string_view what, std::span<const int> numbers) {
  constexpr std::size_t most = 8;
  if (numbers.empty()) return {};
  std::string text = std::string(what) + (numbers.size() > 1 ? "s " : " ") + std::to_string(numbers[0]);
  const std::size_t named = numbers.size() > most ? most - 1 : numbers.size();
  for (std::size_t i = 1; i < named; ++i) {
    text += (i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i]);
  }
  if (named < numbers.size()) text += " and " + std::to_string(numbers.size() - named) + " others";
  return text;
}

}  // namespace comex
