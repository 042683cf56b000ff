#include "armci/tree.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "armci/piecewise_messages.h"

namespace comex::armci {
namespace {

struct TreePlace {
  int parent = -1;            // a rank of the communicator; -1: this is the root
  std::vector<int> children;  // the nearest first
};

TreePlace place_in(const Team& team, int root) {
  const int size = team.size();
  const int mine = (team.index - root + size) % size;
  const auto rank_at = [&](int from_root) {
    return team.ranks[static_cast<std::size_t>((from_root + root) % size)];
  };
  TreePlace place;
  const int lowest_bit = mine == 0 ? size : mine & -mine;
  for (int bit = 1; bit < lowest_bit && mine + bit < size; bit *= 2) {
    place.children.push_back(rank_at(mine + bit));
  }
  if (mine != 0) place.parent = rank_at(mine & (mine - 1));
  return place;
}

}  // namespace

void refuse_lengths(int from, int theirs, std::size_t mine) {
  const std::string text =
      "a collective call: rank " + std::to_string(from) + " of its communicator passes " +
      (theirs < 0 ? std::string("more") : std::to_string(theirs)) + " bytes and this one " +
      std::to_string(mine) + "; all members have to pass the same length";
  comex_error(text.c_str(), 1);
  std::abort();  // comex_error does not return
}

void broadcast(const Team& team, void* bytes, std::size_t count, int root) {
  const TreePlace place = place_in(team, root);
  TaggedMessages messages(team);
  auto* at = static_cast<std::byte*>(bytes);
  for (std::size_t left = count; left != 0;) {
    const std::size_t piece = std::min(left, TaggedMessages::max_piece);
    if (place.parent >= 0) messages.receive(at, piece, place.parent);
    for (auto child = place.children.rbegin(); child != place.children.rend(); ++child) {
      messages.send(at, piece, *child);
    }
    at += piece;
    left -= piece;
  }
}

void reduce(const Team& team, void* x, std::size_t elements, const Reduction& reduction, Others others) {
  const TreePlace place = place_in(team, 0);
  const std::size_t width = reduction.element_bytes();
  const std::size_t elements_a_piece = TaggedMessages::max_piece / width;
  const bool changes_it = reduction.prepares() || !place.children.empty();
  const bool needs_copy = others == Others::keep && place.parent >= 0 && changes_it;
  const std::size_t piece_bytes = std::min(elements, elements_a_piece) * width;
  std::vector<std::byte> came(place.children.empty() ? 0 : piece_bytes);
  std::vector<std::byte> copy(needs_copy ? piece_bytes : 0);
  TaggedMessages messages(team);
  auto* at = static_cast<std::byte*>(x);
  for (std::size_t left = elements; left != 0;) {
    const std::size_t piece = std::min(left, elements_a_piece);
    std::byte* partial = at;
    if (needs_copy) {
      messages.wait_for_sends();
      std::memcpy(copy.data(), at, piece * width);
      partial = copy.data();
    }
    reduction.prepare(partial, piece);
    for (const int child : place.children) {
      messages.receive(came.data(), piece * width, child);
      reduction.combine(partial, came.data(), piece);
    }
    if (place.parent >= 0) messages.send(partial, piece * width, place.parent);
    at += piece * width;
    left -= piece;
  }
}

void team_barrier(const Team& team) {
  const TreePlace place = place_in(team, 0);
  const std::byte signal{};
  std::byte came{};
  TaggedMessages messages(team);  // it waits for what was sent, so that goes before the bytes
  for (const int child : place.children) messages.receive(&came, 1, child);
  if (place.parent >= 0) {
    messages.send(&signal, 1, place.parent);
    messages.receive(&came, 1, place.parent);
  }
  for (const int child : place.children) messages.send(&signal, 1, child);
}

}  // namespace comex::armci
