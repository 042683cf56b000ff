// Operations: what they access, the buffers that belong to them, and what their words tell about order.
#include "checked/checker.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include "checked/exchange.h"
#include "checked/next.h"

namespace comex::checker {
namespace {

std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

Region near_region(const TransferPart& part) {
  return {address_of(part.near), one_side(part.patch, Side::near)};
}

Region far_region(const TransferPart& part) {
  return {address_of(part.far), one_side(part.patch, Side::far)};
}

// The runtime refuses null addresses.
bool is_followed(const TransferPart& part) {
  return !part.patch.empty() && part.near != nullptr && part.far != nullptr;
}

bool is_word(const Region& region) {
  const std::uint64_t bytes = region.shape.counts[0];
  return region.shape.contiguous() && std::has_single_bit(bytes) && bytes <= 8 && region.begin % bytes == 0;
}

std::int64_t load_word(std::uint64_t address, std::uint64_t bytes) {
  std::int64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address), bytes);
  return value;
}

}  // namespace

Checker::ThreadLevels Checker::agree_on_levels() {
  MPI_Comm comm = MPI_COMM_NULL;
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  std::int64_t levels[] = {-level, level};
  if (next<&comex_group_comm>("comex_group_comm")(COMEX_GROUP_WORLD, &comm) == COMEX_SUCCESS)
    raise_over(comm, levels);
  return {static_cast<int>(-levels[0]), static_cast<int>(levels[1])};
}

Checker::Checker(int workers, int me, bool ends_job)
    : workers_(workers),
      me_(me),
      levels_(agree_on_levels()),
      endpoints_(levels_.lowest >= MPI_THREAD_SERIALIZED ? endpoints_each : 1),
      ends_job_(ends_job),
      history_(static_cast<std::size_t>(workers * endpoints_)),
      groups_(workers),
      clock_memory_(workers, me, workers * endpoints_) {
  const std::size_t each = static_cast<std::size_t>(endpoints_);
  const std::size_t origins = static_cast<std::size_t>(workers) * each;
  for (std::size_t i = 0; i < each; ++i)
    clocks_.emplace_back(origins, static_cast<std::size_t>(me) * each + i);
  lock_steps_.origins = origins;
  MPI_Comm comm = MPI_COMM_NULL;
  if (next<&comex_group_comm>("comex_group_comm")(COMEX_GROUP_WORLD, &comm) == COMEX_SUCCESS)
    wire_ = duplicate(comm);
  groups_.keep_comm(COMEX_GROUP_WORLD, wire_);
}

int& Checker::acting() {
  static thread_local int endpoint = 0;
  return endpoint;
}

int& Checker::driven_endpoint() {
  static thread_local int endpoint = 0;
  return endpoint;
}

void Checker::act_for(comex_group_t group) {
  const Guard guard(mutex_);
  acting() = groups_.endpoint(group);
  if (acting() != 0) driven_endpoint() = acting();
  link_endpoints();
}

void Checker::act_for_thread() {
  const Guard guard(mutex_);
  acting() = has_endpoints_ ? driven_endpoint() : 0;
  link_endpoints();
}

// The threads of a process start and join where nobody sees it: what the worker itself does is taken to be in
// order with what its endpoints do.
void Checker::link_endpoints() {
  if (!has_endpoints_) return;
  const auto learn_of = [&](std::size_t from, std::size_t to) {
    if (clocks_[to].join(clocks_[from].row())) history_.clocks_changed(clocks_[to].me());
    clocks_[from].tick();
  };
  const auto me = static_cast<std::size_t>(acting());
  if (me != 0) return learn_of(0, me);
  for (std::size_t i = 1; i < clocks_.size(); ++i) learn_of(i, 0);
}

std::string Checker::rank_text(std::uint16_t origin) const {
  const int endpoint = origin % endpoints_;
  return "rank " + std::to_string(origin / endpoints_) +
         (endpoint == 0 ? "" : " (its endpoint " + std::to_string(endpoint) + ")");
}

std::optional<int> Checker::worker_of(int proc, comex_group_t group) {
  act_for(group);
  const Guard guard(mutex_);
  return groups_.worker(proc, group);
}

bool Checker::is_own(std::uint64_t address) const {
  const auto after = own_memory_.upper_bound(address);
  return after != own_memory_.begin() && std::prev(after)->second.holds(address);
}

std::vector<int> Checker::all_workers() const {
  std::vector<int> all(static_cast<std::size_t>(workers_));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void Checker::tell(const std::string& kind, const std::string& text) {
  findings_.tell(kind + ": rank " + std::to_string(me_) + ": " + text);
}

Started Checker::start_of(const FollowedCall& call, int owner, Ending ending) {
  Started started{.ending = ending};
  started.origin = origin();
  started.owner = static_cast<std::uint16_t>(owner);
  started.site = site_of(call);
  return started;
}

void Checker::clash(const FollowedCall& call, const Buffer& buffer) {
  const auto found = pending_.clash(buffer);
  if (!found) return;
  const std::string mine = text_of(call);
  const std::string other = sites_.text(found->owner->site);
  findings_.tell("buffer " + mine + other, "buffer reused: rank " + std::to_string(me_) + ": " + mine +
                                               (buffer.is_filled ? " changes" : " reads") +
                                               " a buffer that " + other +
                                               (found->is_filled ? " still fills" : " still reads") +
                                               ", before that is known to be complete");
}

void Checker::use_buffer(const FollowedCall& call, Started& started, const TransferPart& part,
                         bool is_filled) {
  const Region region = near_region(part);
  if (region.begin == 0 || region.shape.empty()) return;
  const Buffer buffer{region, is_filled};
  clash(call, buffer);
  if (is_own(region.begin)) {
    const bool one_word = !is_filled && is_word(region);  // it may be a flag that is handed on
    const Use use = is_filled ? Use::write : one_word ? Use::word_read : Use::read;
    const AccessIndex access = history_.add(own_access(use, started.site), region, clocks());
    started.accesses.push_back(access);
    if (one_word) history_.read_word(access, load_word(region.begin, region.shape.counts[0]), false);
  }
  if (started.ending != Ending::on_return) started.buffers.push_back(buffer);
}

// Live parts of collective allocations are known here; of other memory its owner tells what is freed.
void Checker::check_freed(const FollowedCall& call, int owner, std::uint64_t begin, std::uint64_t end) {
  {
    const Guard guard(mutex_);
    const auto after = live_.upper_bound({owner, begin});
    if (after != live_.begin() && std::prev(after)->first.first == owner && std::prev(after)->second >= end)
      return;
  }
  if (!clock_memory_.is_freed(owner, begin, end)) return;
  const Guard guard(mutex_);
  tell("used after free",
       text_of(call) + " names memory of rank " + std::to_string(owner) + ", which has freed it");
  end_if_wanted(true);  // before the runtime refuses the operation, and ends the job in its own way
}

// Who sees the word that an operation changes knows that its sources in the caller's own part have been read,
// so that is done before the clocks are released.
void Checker::finish_sources(Started& started) {
  for (const AccessIndex access : started.accesses) history_.finish(access, clocks().now());
  started.others.insert(started.others.end(), started.accesses.begin(), started.accesses.end());
  started.accesses.clear();
}

int Checker::start(const CheckedTransfer& transfer, Ending ending) {
  const std::optional<int> owner = worker_of(transfer.proc, transfer.group);
  if (!owner) return 0;
  learn_inbox();
  for (const TransferPart& part : transfer.parts) {
    if (is_followed(part)) check_freed(transfer.call, *owner, address_of(part.far), far_region(part).end());
  }
  std::vector<Time> released;
  std::optional<ClockRow> flag;
  const bool is_put = transfer.move == Move::put;
  int number = 0;
  {
    const Guard guard(mutex_);
    Started started = start_of(transfer.call, *owner, ending);
    started.is_write = transfer.move != Move::get;
    for (const TransferPart& part : transfer.parts) {
      if (!is_followed(part)) continue;
      const Region region = far_region(part);
      use_buffer(transfer.call, started, part, transfer.move == Move::get);
      const bool one_word = transfer.parts.size() == 1 && is_word(region);
      Access kind{
          .site = started.site, .owner = started.owner, .use = Use::accumulate, .type = transfer.type};
      if (transfer.move == Move::get) {
        kind.use = one_word ? Use::word_read : Use::read;
        const AccessIndex access = history_.add(kind, region, clocks());
        started.accesses.push_back(access);
        if (!one_word) continue;
        started.word = WordRead{access, address_of(part.near), region.shape.counts[0]};
        started.clocks = clock_memory_.word(*owner, region.begin);
        continue;
      }
      if (is_put) kind.use = one_word ? Use::word_write : Use::write;
      if (one_word) flag = clock_memory_.word(*owner, region.begin);
      if (kind.use == Use::word_write) kind.value = load_word(address_of(part.near), region.shape.counts[0]);
      started.others.push_back(history_.add(kind, region, clocks()));
      history_.await_fence(started.others.back());
    }
    if (flag) {
      finish_sources(started);
      released = release();
    }
    number = pending_.add(std::move(started));
  }
  // An accumulate does not publish through the word's row, since no program waits for one by get.
  if (flag && is_put) clock_memory_.raise(*flag, released);
  if (flag) clock_memory_.raise(clock_memory_.flags(*owner), released);
  return number;
}

int Checker::start(const CheckedWord& change, Ending ending) {
  const std::optional<int> owner = worker_of(change.proc, change.group);
  if (!owner) return 0;
  learn_inbox();
  check_freed(change.call, *owner, address_of(change.word), address_of(change.word) + change.bytes);
  std::vector<Time> released;
  const ClockRow row = clock_memory_.word(*owner, address_of(change.word));
  int number = 0;
  {
    const Guard guard(mutex_);
    Started started = start_of(change.call, *owner, ending);
    started.is_write = change.is_signal || change.result == nullptr;
    history_.fence(origin(), started.owner, clocks().now());  // it comes after all earlier writes there
    Access kind{.value = change.value, .site = started.site, .owner = started.owner};
    for (const TransferPart& part : change.data) {
      if (!is_followed(part)) continue;
      use_buffer(change.call, started, part, false);
      kind.use = Use::write;
      started.accesses.push_back(history_.add(kind, far_region(part), clocks()));
    }
    kind.use = change.use;
    const Region word{address_of(change.word), contiguous_patch(change.bytes)};
    const AccessIndex access = history_.add(kind, word, clocks());
    const bool is_read = change.use == Use::word_read && change.result != nullptr;
    if (!is_read) started.accesses.push_back(access);
    finish_sources(started);
    if (is_read) {  // done, and its value known, when it is complete
      started.accesses.push_back(access);
      started.word = WordRead{access, address_of(change.result), change.bytes};
    }
    if (change.result != nullptr)
      use_buffer(change.call, started, {change.result, nullptr, contiguous_patch(change.bytes)}, true);
    if (!change.is_signal) started.clocks = row;
    if (!is_read) released = release();
    number = pending_.add(std::move(started));
  }
  if (released.empty()) return number;  // nobody sees that a word was read
  clock_memory_.raise(row, released);
  clock_memory_.raise(change.is_flag ? clock_memory_.flags(*owner) : clock_memory_.inbox(*owner), released);
  return number;
}

void Checker::issued(int started, std::optional<int> real_handle) {
  const Guard guard(mutex_);
  Started* const taken = pending_.find(started);
  if (taken == nullptr) return;
  if (real_handle) taken->real_handle = *real_handle;
  for (Buffer& buffer : taken->buffers)
    if (!buffer.is_filled) buffer.checksum = checksum(buffer.region);
}

bool Checker::find_real_handle(int started, int& real_handle) {
  act_for_thread();
  const Guard guard(mutex_);
  const Started* const found = pending_.find(started);
  if (found != nullptr) real_handle = found->real_handle;
  return found != nullptr;
}

int Checker::renumbered(int real_handle) {
  const Guard guard(mutex_);
  return pending_.add({.real_handle = real_handle, .ending = Ending::handle});
}

void Checker::abandon(int started) {
  const Guard guard(mutex_);
  const auto found = pending_.take(started);
  if (!found) return;
  for (const AccessIndex access : found->accesses) history_.drop(access);
  for (const AccessIndex access : found->others) history_.drop(access);
}

void Checker::finish(const Started& started, bool is_flag) {
  const Time now = clocks_[static_cast<std::size_t>(started.origin % endpoints_)].now();
  for (const AccessIndex access : started.accesses) history_.finish(access, now);
  if (started.word)
    history_.read_word(started.word->access, load_word(started.word->result, started.word->bytes), is_flag);
  for (const Buffer& buffer : started.buffers) {
    if (!buffer.checksum || checksum(buffer.region) == *buffer.checksum) continue;
    tell("buffer reused", "the program changed the source of " + sites_.text(started.site) +
                              " before that was known to be complete");
  }
}

int Checker::complete(int started, bool keeps_handle) {
  std::optional<ClockRow> row;
  int real_handle = 0;
  {
    const Guard guard(mutex_);
    const Started* const found = pending_.find(started);
    if (found == nullptr) return COMEX_SUCCESS;
    row = found->clocks;
    real_handle = found->real_handle;
  }
  // Of a handle that is complete nothing need be kept, since a wait for it succeeds, unless it was refused.
  int is_open = 0;
  int refusal = COMEX_SUCCESS;
  if (keeps_handle && real_handle != 0) {
    refusal = next<&comex_test>("comex_test")(&real_handle, &is_open);
    keeps_handle = refusal != COMEX_SUCCESS || is_open != 0;
  }
  std::vector<Time> learnt;
  if (row) learnt = clock_memory_.read(*row);
  std::optional<Started> done;
  {
    const Guard guard(mutex_);
    const bool is_flag = row && clocks().join(learnt);
    if (is_flag) history_.clocks_changed(origin());
    done = keeps_handle ? pending_.settle(started, refusal) : pending_.take(started);
    if (done) finish(*done, is_flag);
    // What it covers is an index, which holds only until the next comparison: of another thread, too.
    if (done && done->is_fence) fence_accesses(done->owner, done->covers);
  }
  if (!done) return COMEX_SUCCESS;
  if (done->is_fence) fence_operations(done->owner, done->serial);
  return done->refusal;
}

// After a barrier most settled operations are complete in the runtime too: their entries go, except for
// refused ones.
void Checker::take_settled() {
  std::vector<std::pair<int, int>> settled;  // with the real handle
  {
    const Guard guard(mutex_);
    for (const auto& [number, started] : pending_.all()) {
      if (started.is_settled && started.real_handle != 0 && started.refusal == COMEX_SUCCESS)
        settled.emplace_back(number, started.real_handle);
    }
  }
  for (auto& [number, real_handle] : settled) {
    int is_open = 0;
    const int refusal = next<&comex_test>("comex_test")(&real_handle, &is_open);
    const Guard guard(mutex_);
    Started* const found = pending_.find(number);
    if (refusal != COMEX_SUCCESS && found != nullptr) found->refusal = refusal;
    if (refusal == COMEX_SUCCESS && is_open == 0) pending_.take(number);
  }
}

void Checker::complete_where(const std::function<bool(const Started&)>& is_complete) {
  std::vector<std::pair<int, bool>> found;  // and whether the program still has a handle
  {
    const Guard guard(mutex_);
    for (const auto& [number, started] : pending_.all()) {
      if (!started.is_settled && !started.is_declared && started.ending != Ending::on_return &&
          is_complete(started))
        found.emplace_back(number, started.ending == Ending::handle);
    }
  }
  for (const auto& [number, keeps_handle] : found) complete(number, keeps_handle);
}

}  // namespace comex::checker
