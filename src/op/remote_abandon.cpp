// The end of all operations under way when the servers are lost.
#include <unordered_set>
#include <utility>

#include "op/remote.h"

namespace comex::op {

void Remote::fail_request(Request& request) {
  for (nb::Completion* joined : request.joined) {
    joined->fail();
    joined->complete();
  }
  request.joined.clear();
  if (request.completion == nullptr) return;
  request.completion->fail();
  request.completion->complete();
}

std::size_t Remote::abandon() {
  COMEX_BUG_IF(outbox_.size() != 0);      // who may have to give up servers does not coalesce
  std::unordered_set<Request*> requests;  // one may have several transfers
  for (auto& [rank, channel] : channels_) {
    requests.insert(channel.queue.begin(), channel.queue.end());
    if (channel.reserved != nullptr) requests.insert(channel.reserved);
  }
  slots_.for_each_owner(
      [&](void* transfer) { requests.insert(static_cast<const Transfer*>(transfer)->request); });
  abandoned_ = true;
  for (Request* request : requests) fail_request(*request);
  moving_.clear();
  waiting_.clear();
  last_channel_ = nullptr;
  channels_.clear();
  ledger_ = nb::FenceLedger();
  slots_short_ = false;
  return requests.size();
}

}  // namespace comex::op
