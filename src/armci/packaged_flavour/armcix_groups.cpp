// The calls that make groups by color, and copies of groups.
#include <algorithm>
#include <vector>

#include "armci/export.h"
#include "armci/messages.h"

using namespace comex::armci;

namespace {

int create(comex_group_t parent, std::vector<int>& ranks, ARMCI_Group* new_group) {
  comex_group_t made = COMEX_GROUP_NULL;
  const int result = comex_group_create(static_cast<int>(ranks.size()), ranks.data(), parent, &made);
  if (made != COMEX_GROUP_NULL) state().add_teams(made);
  fill_group(made, new_group);
  return result;
}

}  // namespace

COMEX_C int ARMCIX_Group_split(ARMCI_Group* parent, int color, int key, ARMCI_Group* new_group) {
  const comex::runtime::CallName called(__func__);
  const comex_group_t group = handle_of(parent);
  int me = 0;
  int size = 0;
  comex_group_rank(group, &me);
  comex_group_size(group, &size);
  // first all colors, then all keys; each rank fills in its own
  const auto count = static_cast<std::size_t>(size);
  std::vector<int> wishes(2 * count);
  wishes[static_cast<std::size_t>(me)] = color;
  wishes[count + static_cast<std::size_t>(me)] = key;
  reduce_for_all(enter_collective(SCOPE_ALL, group), wishes.data(), wishes.size(),
                 Reduction::of("or", ARMCI_INT));
  if (color < 0) {
    fill_group(COMEX_GROUP_NULL, new_group);
    return COMEX_SUCCESS;
  }
  std::vector<int> ranks;
  for (int rank = 0; rank < size; ++rank) {
    if (wishes[static_cast<std::size_t>(rank)] == color) ranks.push_back(rank);
  }
  std::ranges::stable_sort(ranks, {},
                           [&](int rank) { return wishes[count + static_cast<std::size_t>(rank)]; });
  return create(group, ranks, new_group);
}

COMEX_C int ARMCIX_Group_dup(ARMCI_Group* parent, ARMCI_Group* new_group) {
  const comex::runtime::CallName called(__func__);
  const comex_group_t group = handle_of(parent);
  int size = 0;
  comex_group_size(group, &size);
  std::vector<int> ranks;
  for (int rank = 0; rank < size; ++rank) ranks.push_back(rank);
  return create(group, ranks, new_group);
}
