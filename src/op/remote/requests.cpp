#include "op/remote/requests.h"

#include <algorithm>

#include "op/remote/transfers.h"

namespace comex::op::remote {
namespace {

// Returns the call of many messages that the request belongs to, or 0.
std::uint32_t call_of(const Request& request) {
  const Data* const data = std::get_if<Data>(&request.what);
  return data != nullptr ? data->operation.call : 0;
}

// Tells all who wait for the request how it has ended.
void tell(Request& request, nb::OperationError how) {
  const auto end = [how](nb::Completion& completion) {
    if (how != nb::OperationError::none) completion.fail(how);
    completion.complete();
  };
  for (nb::Completion* joined : request.joined) end(*joined);
  if (request.completion != nullptr) end(*request.completion);
}

}  // namespace

void Requests::part_done(Request* request, bool failed) {
  if (failed) request->failed = true;
  if (!request->sent || request->parts != 0) return;
  tell(*request, request->failed ? nb::OperationError::reported : nb::OperationError::none);
  release(request);
}

void Requests::release(Request* request) {
  if (is_lock(*request)) --locks_;
  if (request->addresses.capacity() > kept_addresses) std::vector<void*>().swap(request->addresses);
  pool_.give_back(request);
}

void Requests::fail(Request& request, nb::OperationError why) {
  tell(request, why);
  request.joined.clear();
}

// Returns a request of this call for whose end somebody waits, or null.
Request* Requests::awaited(const Channel& channel, std::uint32_t call) const {
  Request* found = nullptr;
  const auto look_at = [&](Request* request) {
    if (request->completion != nullptr && call_of(*request) == call) found = request;
  };
  std::ranges::for_each(channel.queue, look_at);
  state_.slots.for_each([&](const Transfer* transfer) {
    if (transfer != nullptr) look_at(transfer->request);
  });
  return found;
}

void Requests::refuse_write(Channel& channel, const protocol::ReplyHeader& reply) {
  Request* const request = reply.call == 0 ? nullptr : awaited(channel, reply.call);
  if (request != nullptr) {
    request->failed = true;
  } else if (reply.is_first != 0) {  // what is left of the call belongs to a refusal that has been told
    state_.writes.add_failure({reply.world, reply.target});
  }
}

}  // namespace comex::op::remote
