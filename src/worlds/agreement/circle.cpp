#include "worlds/agreement/circle.h"

#include "worlds/agreement/roll_call.h"

namespace comex::worlds {
namespace {

// One for each who asked first, so that what nobody takes does not add up.
std::uint64_t name_of(Gpid first) {
  return std::uint64_t{first.world} << 32 | first.rank;
}

}  // namespace

void Circle::ask(std::span<const Route> awaited) {
  ask_on({asks, runtime_.book.me(), mine_.call, ++round_, {}, {}}, awaited);
}

bool Circle::is_closed(std::span<const Route> awaited) {
  std::vector<op::ControlMessages*> wires{&runtime_.control};
  for (const BridgeId id : runtime_.bridges.ids()) wires.push_back(&runtime_.bridges.find(id)->control);
  for (op::ControlMessages* const control : wires) {
    Question question;
    Route from{control, no_rank};
    const auto bytes = std::as_writable_bytes(std::span(&question, 1));
    while (control->take_any(op::circle_context, from.rank, bytes)) {
      if (hears(from, question, awaited)) return true;
    }
  }
  return false;
}

bool Circle::hears(const Route& from, const Question& question, std::span<const Route> awaited) {
  const auto known = asked_.find({question.first, question.first_call});
  if (question.kind == proves) {
    if (question.wait.call != mine_.call || known == asked_.end()) return false;
    return close(question, &known->second);
  }
  if (question.kind != asks || !keeps_waiting(from, question.wait)) return false;
  const Asked asked{question.round, question.wait.call, question.sender, from};
  if (question.first == runtime_.book.me()) {
    return question.first_call == mine_.call && close(question, &asked);
  }
  if (known != asked_.end() && known->second.round >= question.round) return false;
  asked_[{question.first, question.first_call}] = asked;
  ask_on(question, awaited);
  return false;
}

// The asker waits for this process, which cannot come while it waits itself.
bool Circle::keeps_waiting(const Route& from, const Wait& asker) const {
  if (asker.digest == mine_.digest) return mine_.rank == 0 && has_come_(asker.rank, asker.call);
  if (asker.rank == 0) return true;
  // The leader has not answered a call of which the word still lies here.
  MembersWord word;
  return from.control->look(from.rank, op::mailbox_context, asker.digest,
                            2 * static_cast<std::uint32_t>(asker.rank),
                            std::as_writable_bytes(std::span(&word, 1))) &&
         word.kind == MembersWord::comes && word.call == asker.call;
}

void Circle::ask_on(const Question& question, std::span<const Route> awaited) {
  Question mine = question;
  mine.sender = runtime_.book.me();
  mine.wait = mine_;
  for (const Route& to : awaited) {
    send(to, mine);
    told_[{to.control, to.rank}].insert(question.first);
  }
}

bool Circle::close(const Question& last, const Asked* parent) {
  neighbour_ = {last.sender, last.wait.list};
  asker_ = parent->asker;
  const bool is_back = last.kind == proves && parent->asker == last.first;
  if (!is_back) {
    Question proof{proves, last.first, last.first_call, last.round, runtime_.book.me(), mine_};
    proof.wait.call = parent->call;
    send(parent->back, proof);
  }
  return true;
}

void Circle::retract() {
  for (const auto& [to, firsts] : told_) {
    for (const Gpid first : firsts) send({to.first, to.second}, {nothing, first, 0, 0, {}, {}});
  }
  told_.clear();
}

void Circle::send(const Route& to, const Question& question) {
  to.control->send(to.rank, op::circle_context, name_of(question.first), question.kind == proves ? 1 : 0,
                   std::as_bytes(std::span(&question, 1)));
}

}  // namespace comex::worlds
