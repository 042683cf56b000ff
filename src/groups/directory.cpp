#include "groups/directory.h"

#include <map>
#include <utility>
#include <vector>

namespace comex::groups {

void Directory::number_pointer_domains() const {
  std::vector<const WorkerPlace*> first_of_host(hosts_.size(), nullptr);
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> aside;
  for (std::size_t worker = 0; worker < places_.size(); ++worker) {
    const WorkerPlace& place = places_[worker];
    const WorkerPlace*& first = first_of_host[place.host];
    if (first == nullptr) first = &place;
    const auto next = static_cast<std::uint32_t>(hosts_.size() + aside.size());
    numbers_[worker].pointer_domain = place.base == first->base
                                          ? place.host
                                          : aside.try_emplace({place.host, place.base}, next).first->second;
  }
}

}  // namespace comex::groups
