// One world: the workers that a job, or a spawned part of one, consists of, and where each lives.
//
// Rows are by worker number. The own world is made at init from the split; other worlds arrive with
// their description when they meet. Read by route on every operation; written only while it is made.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/ids.h"

namespace comex::groups {

struct WorkerPlace {
  TransportRank rank = no_rank;    // the worker itself
  TransportRank server = no_rank;  // who serves its memory: a progress rank of its host, or itself
  std::uint32_t host = 0;
  std::uint32_t slot = 0;  // host-local index
  std::uint64_t base = 0;  // address of its host's arena in the worker's own address space
};

class ProcessGroup {
 public:
  ProcessGroup(WorldId id, std::vector<WorkerPlace> places, std::vector<std::string> host_names)
      : id_(id), places_(std::move(places)), host_names_(std::move(host_names)) {
    number_pointer_domains();
  }

  WorldId id() const { return id_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(places_.size()); }
  const WorkerPlace& place(Worker worker) const { return places_[worker]; }
  std::uint32_t host_count() const { return static_cast<std::uint32_t>(host_names_.size()); }
  const std::string& host_name(std::uint32_t host) const { return host_names_[host]; }

  // Workers of one number give pointers to each other. It is the host's, unless the arena of that host stands
  // at different addresses: who is not where its first worker is then has a number above all hosts.
  std::uint32_t pointer_domain(Worker worker) const { return pointer_domains_[worker]; }

 private:
  void number_pointer_domains() {
    std::vector<const WorkerPlace*> first_of_host(host_names_.size(), nullptr);
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> elsewhere;
    for (const WorkerPlace& place : places_) {
      const WorkerPlace*& first = first_of_host[place.host];
      if (first == nullptr) first = &place;
      const auto next = static_cast<std::uint32_t>(host_names_.size() + elsewhere.size());
      pointer_domains_.push_back(place.base == first->base
                                     ? place.host
                                     : elsewhere.try_emplace({place.host, place.base}, next).first->second);
    }
  }

  WorldId id_;
  std::vector<WorkerPlace> places_;
  std::vector<std::string> host_names_;
  std::vector<std::uint32_t> pointer_domains_;
};

}  // namespace comex::groups
