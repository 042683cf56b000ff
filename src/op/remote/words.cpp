// Starts and sends operations of one message on one word or mutex: rmw, store, lock, release.
//
// A store and a release are writes: they have a number, and a fence covers them. The others, and a release
// that wants an answer, hold a slot until they are answered.
#include "op/remote/remote.h"

namespace comex::op {

using protocol::Verb;
using remote::WordRequest;

remote::Request* Remote::make_word(Verb verb, const RemoteTarget& far, nb::Completion* completion) {
  Request* const request = requests_.make<WordRequest>(far, completion);
  std::get<WordRequest>(request->what).header.verb = verb;
  if (protocol::is_write(verb)) state_.writes.queue(*request->channel);
  return request;
}

void Remote::start_atomic(const AtomicOperation& operation, const RemoteTarget& far,
                          nb::Completion& completion) {
  if (fails_at_once(far, completion)) return;
  Request* const request = make_word(Verb::rmw, far, &completion);
  auto& word = std::get<WordRequest>(request->what);
  word.header.scalar = operation.scalar;
  word.header.atomic = operation.atomic;
  word.header.offset = far.offset_of(operation.far);
  word.header.bytes = scalar_bytes(operation.scalar);
  word.header.set_argument(operation.operand);
  if (!operation.is_blocking) {
    word.header.flags = protocol::non_blocking;
    state_.writes.begin_atomic(*request->channel);
  }
  word.desired = operation.desired;
  word.result = operation.near;
  word.result_bytes = operation.near == nullptr ? 0 : scalar_bytes(operation.scalar);
  enqueue(request);
}

void Remote::start_with_mutex(Verb verb, std::uint64_t mutex, const RemoteTarget& far,
                              nb::Completion& completion, std::uint64_t* answer) {
  if (fails_at_once(far, completion)) return;
  if (verb == Verb::lock) requests_.note_lock();
  Request* const request = make_word(verb, far, &completion);
  auto& word = std::get<WordRequest>(request->what);
  word.header.set_mutex(mutex);
  word.result = answer;
  word.result_bytes = answer == nullptr ? 0 : sizeof *answer;
  enqueue(request);
}

bool Remote::send(Channel& channel, Request& request, WordRequest& word) {
  if (!channel.has_credit()) return false;
  const bool is_write = protocol::is_write(word.header.verb);
  const bool is_answered = !is_write || word.result != nullptr;
  address(word.header, request.far, state_.sender(request.errors_return));
  if (is_answered) {
    const Transfer* const transfer = transfers_.begin(request, word.header);
    if (transfer == nullptr) return false;
    word.header.slot = transfer->slot;
  }
  if (is_write) word.header.number = ++channel.issued;
  state_.post(channel, write_word(word, state_.transport.stage()));
  if (is_write) {
    end_sent(channel, request, true);
  } else {
    request.sent = true;
  }
  return true;
}

}  // namespace comex::op
