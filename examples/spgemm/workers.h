// Who runs this job: the workers, their communicator, the host each one lives on, and the bytes that
// this worker moved by each route.
//
// Collectives of the program use comm(): MPI_COMM_WORLD holds progress ranks, which never enter them.
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
  MPI_Comm comm() const { return comm_; }
  const std::vector<int>& hosts() const { return host_; }
  // The system's name of the machine that each worker runs on.
  const std::vector<std::string>& machines() const { return machine_; }
  Route route(int worker) const;

  // What the leader says, everybody knows. Collective.
  int from_leader(int value) const;
  // Sends the leader's array to everybody, its length included. Collective.
  void share(std::vector<std::size_t>& values) const { share_as(values); }
  void share(std::vector<std::uint32_t>& values) const { share_as(values); }

 private:
  template <class T>
  void share_as(std::vector<T>& values) const;
  void gather_machines();

  int me_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<int> host_;
  std::vector<std::string> machine_;
};

// Ends the job when a one-sided call failed: `what` names the call.
void require(int code, const char* what);

}  // namespace spgemm
