#include "api/worlds/trouble.h"

#include "api/worlds/card_hook.h"

namespace comex::api {

ListText list_text(std::span<const Gpid> members) {
  constexpr std::size_t most = 90;
  std::string text;
  for (const Gpid member : members) {
    const std::string next = "(" + std::to_string(member.world) + "," + std::to_string(member.rank) + ")";
    if (text.size() + next.size() > most) {
      text += " ... " + std::to_string(members.size()) + " in all";
      break;
    }
    text += (text.empty() ? "" : " ") + next;
  }
  text = "{" + text + "}";
  ListText cut{};
  text.copy(cut.data(), cut.size() - 1);
  return cut;
}

std::string line_of(const FoundingTrouble& trouble, const ListText& mine) {
  const std::string who = text_of(trouble.whose);
  if (trouble.kind == FoundingTrouble::refused)
    return who + ", which the list of members names, was refused for its arguments";
  if (trouble.kind == FoundingTrouble::ahead) {
    return who + ", which the list of members names, has been refused or has given up in more calls than others on it, " +
           "and does not come";
  }
  const std::string theirs = trouble.list.data();
  const std::string ours = mine.data();
  const std::string allowed = "; all members name the same ones in one order";
  if (trouble.kind == FoundingTrouble::circle) {
    return who + ", with the members " + theirs + ", and this process, with " + ours +
           ", wait for each other in a circle" + allowed;
  }
  return who + ", which the list of members " + ours + " names, names " + theirs + allowed;
}

}  // namespace comex::api
