#include "armci/tree.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "armci/wait_loop.h"

namespace comex::armci {
namespace {

// Members of a collective do not agree on how much they pass. Where the other one passes more, some MPIs end
// the job first: they do not ask the communicator's error handler about a request.
[[noreturn]] void refuse_lengths(int from, int theirs, std::size_t mine) {
  const std::string text =
      "a collective call: rank " + std::to_string(from) + " of its communicator passes " +
      (theirs < 0 ? std::string("more") : std::to_string(theirs)) + " bytes and this one " +
      std::to_string(mine) + "; all members have to pass the same length";
  comex_error(text.c_str(), 1);
  std::abort();  // comex_error does not return
}

// Messages in pieces of at most max_piece bytes, between the ranks of a team's communicator. It never waits
// inside MPI.
class TaggedMessages {
 public:
  static constexpr std::size_t max_piece = 256 * 1024;

  explicit TaggedMessages(const Team& team) : team_(team) {}
  TaggedMessages(const TaggedMessages&) = delete;
  TaggedMessages& operator=(const TaggedMessages&) = delete;
  ~TaggedMessages() { wait_for_sends(); }

  // The bytes must not change until wait_for_sends.
  void send(const void* bytes, std::size_t count, int to) {
    if (sends_.size() >= max_sends) {
      wait_for_send(sends_.front());
      sends_.pop_front();
    }
    Send& send = sends_.emplace_back(to);
    require_mpi(
        PMPI_Isend(bytes, static_cast<int>(count), MPI_BYTE, to, team_.tag, team_.comm, &send.request),
        "MPI_Isend");
  }
  void receive(void* bytes, std::size_t count, int from) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    require_mpi(PMPI_Irecv(bytes, static_cast<int>(count), MPI_BYTE, from, team_.tag, team_.comm, &request),
                "MPI_Irecv");
    const int code = wait_for(request, "receive", worker(from), &status);
    int came = -1;  // more than there is room for
    if (code == MPI_SUCCESS) PMPI_Get_count(&status, MPI_BYTE, &came);
    if (came != static_cast<int>(count)) refuse_lengths(from, came, count);
  }
  void wait_for_sends() {
    for (Send& send : sends_) wait_for_send(send);
    sends_.clear();
  }

 private:
  static constexpr std::size_t max_sends = 64;
  struct Send {
    explicit Send(int rank) : to(rank) {}
    int to;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  int worker(int rank) const { return (*team_.world_of)[static_cast<std::size_t>(rank)]; }
  void wait_for_send(Send& send) const {
    require_mpi(wait_for(send.request, "send", worker(send.to)), "MPI_Isend");
  }

  const Team& team_;
  std::deque<Send> sends_;
};

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
  std::byte signal{};
  const auto only_come = [](void*, const void*, std::size_t) {};
  reduce(team, &signal, 1, {sizeof signal, only_come}, Others::spoil);
  broadcast(team, &signal, sizeof signal, 0);
}

}  // namespace comex::armci
