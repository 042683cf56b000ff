#include "worlds/agreement/trouble.h"

#include "worlds/connect/card_hook.h"

namespace comex::worlds {
namespace {

template <class TextOf>
ListText cut_list(std::size_t size, const TextOf& text_of_member) {
  constexpr std::size_t most = 90;
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    const std::string next = text_of_member(i);
    if (text.size() + next.size() > most) {
      text += " ... " + std::to_string(size) + " in all";
      break;
    }
    text += (text.empty() ? "" : " ") + next;
  }
  text = "{" + text + "}";
  ListText cut{};
  text.copy(cut.data(), cut.size() - 1);
  return cut;
}

}  // namespace

std::string short_text(Gpid gpid) {
  return "(" + std::to_string(gpid.world) + "," + std::to_string(gpid.rank) + ")";
}

ListText list_text(std::span<const Gpid> members) {
  return cut_list(members.size(), [&](std::size_t i) { return short_text(members[i]); });
}

ListText list_text(std::span<const std::string> members) {
  return cut_list(members.size(), [&](std::size_t i) { return members[i]; });
}

std::string line_of(const FoundingTrouble& trouble, const ListText& mine) {
  const std::string who = text_of(trouble.whose);
  const std::string theirs = trouble.list.data();
  if (trouble.kind == FoundingTrouble::refused) {
    return who + ", which the list of members names, was refused for its arguments" +
           (theirs.empty() ? "" : " " + theirs);
  }
  if (trouble.kind == FoundingTrouble::ahead) {
    return who +
           ", which the list of members names, has been refused or has given up in more calls than others on "
           "it, "
           "and does not come";
  }
  const std::string ours = mine.data();
  const std::string allowed = "; all members name the same ones in one order";
  if (trouble.kind == FoundingTrouble::circle) {
    return who + ", with the members " + theirs + ", and this process, with " + ours +
           ", wait for each other in a circle" + allowed;
  }
  return who + ", which the list of members " + ours + " names, names " + theirs + allowed;
}

}  // namespace comex::worlds
