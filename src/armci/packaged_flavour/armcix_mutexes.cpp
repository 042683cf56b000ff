// Mutexes of a group's own: ticket locks in the owner's memory, reached with read-modify-write by any member.
//
//   lock     my = next++;  wait until serving == my       next, serving: one long each
//   trylock  s = serving;  if next == s: next = s + 1     serving never passes next, so s is then served
//   unlock   serving++
#include <algorithm>
#include <array>
#include <vector>

#include "armci/state.h"
#include "armci/wait_loop.h"

struct armcix_mutex_hdl_s {
  void* mine = nullptr;       // the allocation's own part
  std::vector<void*> blocks;  // by rank of the group
  std::vector<int> counts;
  std::vector<int> world_of;
  std::vector<std::vector<char>> held;  // by this process; each is guarded by its mutex
};

namespace {

using namespace comex::armci;

struct Ticket {
  long next;
  long serving;
};

struct Named {
  Ticket* words;
  int proc;    // its rank in the world
  char* held;  // by this process
};

// Programs name the owner by its rank in the world, as ARMCI_Lock does.
Named find(armcix_mutex_hdl_t handle, int mutex, int proc) {
  if (handle == nullptr) comex_error("a mutex handle that was not made", 1);
  const auto rank =
      static_cast<std::size_t>(std::ranges::find(handle->world_of, proc) - handle->world_of.begin());
  if (rank == handle->world_of.size() || mutex < 0 || mutex >= handle->counts[rank]) {
    comex_error("a mutex of a handle is out of range", mutex);
  }
  return {static_cast<Ticket*>(handle->blocks[rank]) + mutex, proc,
          &handle->held[rank][static_cast<std::size_t>(mutex)]};
}

// A word that is out of reach tells nothing of who holds the mutex.
void require_words(int code) {
  end_at_death(code);
  if (code != COMEX_SUCCESS) comex_error("the words of a handle's mutexes are out of reach", code);
}

long add(const Named& named, long* word, int extra) {
  long old = 0;
  require_words(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, word, extra, named.proc, COMEX_GROUP_WORLD));
  return old;
}

}  // namespace

COMEX_C armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group* group) {
  const comex::runtime::CallName called(__func__);
  if (count < 0) comex_error("a negative number of mutexes", count);
  auto* handle = new armcix_mutex_hdl_s;
  const comex_group_t over = handle_of(group);
  int me = 0;
  comex_group_rank(over, &me);
  handle->world_of = world_ranks(over);
  handle->blocks.resize(handle->world_of.size());
  // The count lies before the mutexes, so that every member can read it.
  const int made =
      allocate(handle->blocks.data(), (static_cast<std::size_t>(count) + 1) * sizeof(Ticket), over, nullptr);
  end_at_death(made);
  if (made != COMEX_SUCCESS) {
    delete handle;
    return nullptr;
  }
  handle->mine = handle->blocks[static_cast<std::size_t>(me)];
  auto* mine = static_cast<Ticket*>(handle->mine);
  for (int i = 0; i <= count; ++i) mine[i] = {0, 0};
  mine[0].next = count;
  end_at_death(comex_barrier(over));
  for (std::size_t rank = 0; rank < handle->world_of.size(); ++rank) {
    Ticket head{};
    void*& block = handle->blocks[rank];
    require_words(comex_get(block, &head, sizeof head, handle->world_of[rank], COMEX_GROUP_WORLD));
    block = static_cast<Ticket*>(block) + 1;
    handle->counts.push_back(static_cast<int>(head.next));
    handle->held.emplace_back(static_cast<std::size_t>(head.next), 0);
  }
  return handle;
}

COMEX_C int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t handle) {
  const comex::runtime::CallName called(__func__);
  if (handle == nullptr) return COMEX_FAILURE;
  const int result = release(handle->mine);
  delete handle;
  return result;
}

COMEX_C void ARMCIX_Lock_hdl(armcix_mutex_hdl_t handle, int mutex, int proc) {
  const comex::runtime::CallName called(__func__);
  const Named named = find(handle, mutex, proc);
  const long mine = add(named, &named.words->next, 1);
  for (WaitLoop loop("lock", -1); add(named, &named.words->serving, 0) != mine;) loop.wait_a_round();
  *named.held = 1;
}

COMEX_C int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t handle, int mutex, int proc) {
  const comex::runtime::CallName called(__func__);
  const Named named = find(handle, mutex, proc);
  const long serving = add(named, &named.words->serving, 0);
  std::array<long, 2> words{serving, serving + 1};
  require_words(comex_rmw(COMEX_COMPARE_AND_SWAP_LONG, words.data(), &named.words->next, 0, named.proc,
                          COMEX_GROUP_WORLD));
  if (words[0] != serving) return 1;
  *named.held = 1;
  return 0;
}

COMEX_C void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t handle, int mutex, int proc) {
  const comex::runtime::CallName called(__func__);
  const Named named = find(handle, mutex, proc);
  if (*named.held == 0) comex_error("an unlock of a mutex that is not held here", mutex);
  *named.held = 0;
  add(named, &named.words->serving, 1);
}
