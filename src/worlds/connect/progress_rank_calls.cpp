#include "worlds/connect/progress_rank_calls.h"

#include "worlds/connect/leader_channel.h"

namespace comex::worlds {
namespace {

enum CallPhase : std::uint32_t { order, ask, give_back, granted };

}  // namespace

void ProgressRankCalls::on_message(transport::Transport& transport, MPI_Comm wire,
                                   const transport::Message& message) {
  protocol::ControlHeader header;
  COMEX_BUG_IF(message.data.size() < sizeof header);
  std::memcpy(&header, message.data.data(), sizeof header);
  COMEX_BUG_IF(header.context != progress_call_context);
  if (is_dead(wire, message.from)) return;  // it sent this before
  if (header.phase == ask) {
    lock_queue_.push_back({&transport, wire, message.from, header.sequence});
    if (lock_queue_.size() == 1) grant_next();
  } else if (header.phase == give_back) {
    drop_requests([&](const LockRequest& each) {
      return each.wire == wire && each.rank == message.from && each.number == header.sequence;
    });
  } else {
    COMEX_BUG_IF(header.phase != order);
    op::ControlMessages& arriving = arriving_.try_emplace(wire, transport).first->second;
    arriving.on_message(message);
    if (auto roster = arriving.take(message.from, progress_call_context, 0, order))
      orders_.push_back({wire, unpack_fields<Roster>(*roster).value()});
  }
}

void ProgressRankCalls::grant_next() {
  const LockRequest& next = lock_queue_.front();
  op::ControlMessages(*next.transport).send(next.rank, progress_call_context, next.number, granted, {});
}

std::optional<ProgressRankCalls::Order> ProgressRankCalls::take_order() {
  if (orders_.empty()) return std::nullopt;
  Order next = std::move(orders_.front());
  orders_.pop_front();
  return next;
}

void ProgressRankCalls::forget(MPI_Comm wire) {
  drop_requests([wire](const LockRequest& each) { return each.wire == wire; });
  std::erase_if(orders_, [wire](const Order& each) { return each.wire == wire; });
  arriving_.erase(wire);
}

void ProgressRankCalls::forget_dead(MPI_Comm wire, std::vector<TransportRank> ranks) {
  wire_of_dead_ = wire;
  dead_ = std::move(ranks);
  drop_requests([this](const LockRequest& each) { return is_dead(each.wire, each.rank); });
}

bool ProgressRankCalls::is_dead(MPI_Comm wire, TransportRank rank) const {
  return wire == wire_of_dead_ && std::ranges::find(dead_, rank) != dead_.end();
}

void ProgressRankCalls::drop_requests(const std::function<bool(const LockRequest&)>& is_over) {
  const bool is_free = !lock_queue_.empty() && is_over(lock_queue_.front());
  std::erase_if(lock_queue_, is_over);
  if (is_free && !lock_queue_.empty()) grant_next();
}

Status MeetingLock::take(TransportRank progress_rank, const Deadline& deadline) {
  {
    const op::Engine::Lock lock = runtime_.engine().enter();
    control_.send(progress_rank, progress_call_context, number_, ask, {});
  }
  bool is_mine = false;
  bool has_lost = false;
  runtime_.engine().wait(
      [&] {
        is_mine = control_.take(progress_rank, progress_call_context, number_, granted, {});
        has_lost = has_lost_();
        return is_mine || has_lost || deadline.is_over();
      },
      {"meeting"});
  taken_.push_back(progress_rank);
  if (has_lost) return members_are_lost();
  if (is_mine) return {};
  return environment_error(
      "a progress rank, which other meetings and partings may use, was not free within " + deadline.text() +
      " (COMEX_MEET_S)");
}

MeetingLock::~MeetingLock() {
  if (taken_.empty()) return;
  const op::Engine::Lock lock = runtime_.engine().enter();
  for (const TransportRank each : taken_) control_.send(each, progress_call_context, number_, give_back, {});
}

void call_progress_ranks(runtime::Runtime& runtime, op::ControlMessages& control,
                         std::span<const TransportRank> progress_ranks, const Roster& roster) {
  const Bytes bytes = pack_fields(roster);
  const op::Engine::Lock lock = runtime.engine().enter();
  for (const TransportRank rank : progress_ranks) control.send(rank, progress_call_context, 0, order, bytes);
}

}  // namespace comex::worlds
