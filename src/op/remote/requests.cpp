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

bool is_reported(const Channel& channel, std::uint32_t call) {
  return std::ranges::find(channel.reported, call, &ReportedCall::call) != channel.reported.end();
}

}  // namespace

void Requests::part_done(Request* request, bool failed) {
  if (failed) request->failed = true;
  if (!request->sent || request->parts != 0) return;
  if (request->completion != nullptr) {
    if (const std::uint32_t call = call_of(*request)) end_call(*request, call);
    if (request->failed) request->completion->fail();
    request->completion->complete();
  }
  release(request);
}

void Requests::release(Request* request) {
  if (is_lock(*request)) --locks_;
  if (request->addresses.capacity() > kept_addresses) std::vector<void*>().swap(request->addresses);
  pool_.give_back(request);
}

void Requests::fail(Request& request, nb::OperationError why) {
  for (nb::Completion* joined : request.joined) {
    joined->fail(why);
    joined->complete();
  }
  request.joined.clear();
  if (request.completion == nullptr) return;
  request.completion->fail(why);
  request.completion->complete();
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

// The call counts as reported until all of its messages so far have been answered.
void Requests::note_reported(Channel& channel, std::uint32_t call) {
  std::erase_if(channel.reported, [&](const ReportedCall& each) {
    return each.call == call || (each.number <= channel.applied && awaited(channel, each.call) == nullptr);
  });
  channel.reported.push_back({call, channel.issued});
}

// The wait for it tells this refusal; later ones of the call are not reported.
void Requests::end_call(const Request& request, std::uint32_t call) {
  if (request.failed || is_reported(*request.channel, call)) note_reported(*request.channel, call);
}

void Requests::refuse_write(Channel& channel, const protocol::ReplyHeader& reply) {
  if (reply.call != 0) {
    if (Request* request = awaited(channel, reply.call)) {
      request->failed = true;
      return;
    }
    if (is_reported(channel, reply.call)) return;
    note_reported(channel, reply.call);
  }
  state_.writes.add_failure({reply.world, reply.target});
}

}  // namespace comex::op::remote
