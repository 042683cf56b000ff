// What makes it certain that a group will not come about, and how a line says it.
//
// Values that founders hand on to each other in their words. Used by everything below founding.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "core/ids.h"

namespace comex::worlds {

// The members that a founder names, as a line of text, cut where they are many. Travels as bytes.
using ListText = std::array<char, 120>;
ListText list_text(std::span<const Gpid> members);
ListText list_text(std::span<const std::string> members);
std::string short_text(Gpid gpid);  // "(0,1)"

// Travels as bytes.
struct FoundingTrouble {
  enum Kind : std::uint64_t { none, refused, ahead, other_list, circle };
  Kind kind = none;
  Gpid whose;
  ListText list = {};  // theirs, where lists differ; what was refused, if that is known
};
// For who names the members `mine`.
std::string line_of(const FoundingTrouble& trouble, const ListText& mine);

}  // namespace comex::worlds
