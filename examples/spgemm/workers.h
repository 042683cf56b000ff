// Who runs this job: the workers, their communicator, the host each one lives on, and the bytes that
// this worker moved by each route.
//
// Collectives of the program use comm(): MPI_COMM_WORLD holds progress ranks, which never enter them.
//
// With COMEX_ON_FAILURE=continue a worker may die. The memory it brought stays, so workers keep their
// numbers; those who live meet in a smaller group from then on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <comex/comex.h>

namespace spgemm {

enum class Route : unsigned char { own, same_host, remote };

struct Traffic {
  std::array<std::uint64_t, 3> bytes{};  // by Route
  void add(Route route, std::size_t count) { bytes[static_cast<std::size_t>(route)] += count; }
};

class Workers {
 public:
  Workers();  // after comex_init; collective

  int me() const { return me_; }
  int count() const { return static_cast<int>(host_.size()); }
  bool leader() const { return me_ == 0; }
  const std::vector<int>& living() const { return living_; }  // ascending
  MPI_Comm comm() const { return comm_; }
  const std::vector<int>& hosts() const { return host_; }
  // The system's name of the machine that each worker runs on.
  const std::vector<std::string>& machines() const { return machine_; }
  Route route(int worker) const;

  // All who live meet, and everything that they have written is there. False if one has died since the last
  // shrink: then all call that. Collective.
  bool meet() const;
  void shrink();

  // What the leader says, everybody knows. Collective.
  int from_leader(int value) const;
  // Sends the leader's array to everybody, its length included. Collective.
  void share(std::vector<std::size_t>& values) const { share_as(values); }
  void share(std::vector<std::uint32_t>& values) const { share_as(values); }

 private:
  template <class T>
  void share_as(std::vector<T>& values) const;
  void gather_machines();
  void join(comex_group_t group);

  int me_ = 0;
  comex_group_t group_ = COMEX_GROUP_WORLD;
  std::vector<int> living_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<int> host_;
  std::vector<std::string> machine_;
};

// Frees over all workers, of whom some may have died.
void free_over_all(void* memory);

// Ends the job when a one-sided call failed: `what` names the call.
void require(int code, const char* what);

}  // namespace spgemm
