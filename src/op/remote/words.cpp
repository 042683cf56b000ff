#include "op/remote/words.h"

namespace comex::op::remote {

using protocol::Verb;

Request* Words::make_atomic(const AtomicOperation& operation, const RemoteTarget& far,
                            nb::Completion& completion) {
  Request* const request = requests_.make<WordRequest>(far, &completion);
  WordRequest& word = std::get<WordRequest>(request->what);
  word.header.verb = Verb::rmw;
  word.header.scalar = operation.scalar;
  word.header.atomic = operation.atomic;
  word.header.offset = far.offset_of(operation.far);
  word.header.bytes = scalar_bytes(operation.scalar);
  word.header.set_argument(operation.operand);
  if (!operation.is_blocking) {
    word.header.flags = protocol::non_blocking;
    request->channel->last_fence = nullptr;
    state_.writes.begin_atomic(*request->channel);
  }
  word.desired = operation.desired;
  word.result = operation.near;
  word.result_bytes = operation.near == nullptr ? 0 : scalar_bytes(operation.scalar);
  return request;
}

Request* Words::make_store(const void* far_word, std::uint64_t value, const RemoteTarget& far,
                           std::uint8_t flags, nb::Completion* sent) {
  Request* const request = requests_.make<WordRequest>(far, sent);
  Header& header = std::get<WordRequest>(request->what).header;
  header.verb = Verb::store;
  header.flags = flags;
  header.offset = far.offset_of(far_word);
  header.bytes = sizeof value;
  header.set_value(value);
  return as_write(request);
}

Request* Words::make_lock(Verb verb, std::uint64_t mutex, const RemoteTarget& far, nb::Completion& completion,
                          std::uint64_t* acquired) {
  Request* const request = requests_.make<WordRequest>(far, &completion);
  WordRequest& word = std::get<WordRequest>(request->what);
  word.header.verb = verb;
  word.header.set_mutex(mutex);
  word.result = acquired;
  word.result_bytes = acquired == nullptr ? 0 : sizeof *acquired;
  return request;
}

Request* Words::make_unlock(std::uint64_t mutex, const RemoteTarget& far, nb::Completion& completion) {
  return requests_.make<Reserved>(far, &completion, Reserved{Verb::unlock, mutex});
}

Request* Words::make_release(std::uint64_t mutex, const RemoteTarget& far, nb::Completion& completion) {
  return as_write(make_lock(Verb::release, mutex, far, completion));
}

Request* Words::as_write(Request* request) {
  request->channel->last_fence = nullptr;
  state_.writes.queue(*request->channel);
  return request;
}

bool Words::send(Channel& channel, Request& request, WordRequest& word) {
  if (!channel.has_credit()) return false;
  const bool is_write = protocol::is_write(word.header.verb);
  address(word.header, request.far, state_.sender(request.errors_return));
  if (is_write) {
    word.header.number = ++channel.issued;
  } else {
    const Transfer* const transfer = transfers_.begin(request, word.header);
    if (transfer == nullptr) return false;
    word.header.slot = transfer->slot;
  }
  state_.post(channel, write_word(word, state_.transport.stage()));
  request.sent = true;
  if (is_write) {
    Writes::unqueue(channel);
    requests_.part_done(&request, false);
  }
  return true;
}

}  // namespace comex::op::remote
