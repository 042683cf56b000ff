#include "support/loopback_mailbox.h"

#include <algorithm>

#include "core/status.h"

namespace comex::transport {

using Lock = std::lock_guard<std::mutex>;

LoopbackMailbox::LoopbackMailbox(TransportRank size) : sources_(static_cast<std::size_t>(size)) {}

void LoopbackMailbox::put_letter(LoopbackLetter letter) {
  const Lock lock(mutex_);
  ++sources_.at(static_cast<std::size_t>(letter.from)).counts.messages;
  letters_.push_back(std::move(letter));
}

bool LoopbackMailbox::take_letter(LoopbackLetter& letter) {
  const Lock lock(mutex_);
  const auto oldest = std::find_if(letters_.begin(), letters_.end(), [this](const LoopbackLetter& waiting) {
    return !sources_[static_cast<std::size_t>(waiting.from)].messages_held;
  });
  if (oldest == letters_.end()) return false;
  letter = std::move(*oldest);
  letters_.erase(oldest);
  return true;
}

void LoopbackMailbox::put_flight(std::shared_ptr<LoopbackFlight> flight) {
  const Lock lock(mutex_);
  LoopbackCounts& counts = sources_.at(static_cast<std::size_t>(flight->from)).counts;
  ++counts.bodies;
  counts.body_bytes += flight->bytes.size();
  on_the_way_.push_back(std::move(flight));
}

void LoopbackMailbox::expect(TransportRank from, int tag, std::shared_ptr<LoopbackLanding> landing) {
  const Lock lock(mutex_);
  lanes_[{from, tag}].landings.push_back(std::move(landing));
  match({from, tag});
}

void LoopbackMailbox::withdraw(const std::shared_ptr<LoopbackLanding>& landing) {
  const Lock lock(mutex_);
  for (auto& [name, lane] : lanes_) std::erase(lane.landings, landing);
}

void LoopbackMailbox::land() {
  const Lock lock(mutex_);
  if (on_the_way_.empty()) return;
  std::deque<std::shared_ptr<LoopbackFlight>> still_held;
  for (auto& flight : on_the_way_) {
    if (sources_[static_cast<std::size_t>(flight->from)].bodies_held) {
      still_held.push_back(std::move(flight));
    } else {
      const LaneName name{flight->from, flight->tag};
      lanes_[name].flights.push_back(std::move(flight));
      match(name);
    }
  }
  on_the_way_ = std::move(still_held);
}

void LoopbackMailbox::match(LaneName name) {
  Lane& lane = lanes_[name];
  while (!lane.flights.empty() && !lane.landings.empty()) {
    LoopbackFlight& flight = *lane.flights.front();
    LoopbackLanding& landing = *lane.landings.front();
    const bool body_is_longer_than_its_receive = flight.bytes.size() > landing.bytes.size();
    COMEX_BUG_IF(body_is_longer_than_its_receive);
    std::copy(flight.bytes.begin(), flight.bytes.end(), landing.bytes.begin());
    landing.received_bytes = flight.bytes.size();
    landing.complete = true;
    flight.taken.store(true, std::memory_order_release);
    lane.flights.pop_front();
    lane.landings.pop_front();
  }
  if (lane.flights.empty() && lane.landings.empty()) lanes_.erase(name);
}

void LoopbackMailbox::hold_messages(TransportRank from, bool held) {
  const Lock lock(mutex_);
  sources_.at(static_cast<std::size_t>(from)).messages_held = held;
}

void LoopbackMailbox::hold_bodies(TransportRank from, bool held) {
  const Lock lock(mutex_);
  sources_.at(static_cast<std::size_t>(from)).bodies_held = held;
}

std::size_t LoopbackMailbox::held_messages(TransportRank from) const {
  const Lock lock(mutex_);
  if (!sources_.at(static_cast<std::size_t>(from)).messages_held) return 0;
  return static_cast<std::size_t>(std::count_if(letters_.begin(), letters_.end(),
                                                [from](const LoopbackLetter& l) { return l.from == from; }));
}

LoopbackCounts LoopbackMailbox::counts(TransportRank from) const {
  const Lock lock(mutex_);
  return sources_.at(static_cast<std::size_t>(from)).counts;
}

bool LoopbackMailbox::empty() const {
  const Lock lock(mutex_);
  return letters_.empty() && on_the_way_.empty() && lanes_.empty();
}

}  // namespace comex::transport
