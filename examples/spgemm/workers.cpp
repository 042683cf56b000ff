#include "workers.h"

#include <algorithm>

namespace spgemm {

Workers::Workers() {
  int count = 0;
  require(comex_group_rank(COMEX_GROUP_WORLD, &me_), "comex_group_rank");
  require(comex_group_size(COMEX_GROUP_WORLD, &count), "comex_group_size");
  join(COMEX_GROUP_WORLD);
  host_.resize(static_cast<std::size_t>(count));
  for (int worker = 0; worker < count; ++worker)
    require(comex_host_of(worker, COMEX_GROUP_WORLD, &host_[static_cast<std::size_t>(worker)]),
            "comex_host_of");
  gather_machines();
}

void Workers::join(comex_group_t group) {
  int count = 0;
  require(comex_group_size(group, &count), "comex_group_size");
  require(comex_group_comm(group, &comm_), "comex_group_comm");
  living_.resize(static_cast<std::size_t>(count));
  for (int rank = 0; rank < count; ++rank)
    require(comex_group_translate_world(group, rank, &living_[static_cast<std::size_t>(rank)]),
            "comex_group_translate_world");
  group_ = group;
}

bool Workers::meet() const {
  require(comex_fence_all(COMEX_GROUP_WORLD), "comex_fence_all");
  const int code = comex_barrier(group_);
  if (code != COMEX_PROC_FAILED) require(code, "comex_barrier");
  return code == COMEX_SUCCESS;
}

void Workers::shrink() {
  comex_group_t smaller = COMEX_GROUP_NULL;
  require(comex_group_shrink(group_, &smaller), "comex_group_shrink");
  join(smaller);
  if (living_.front() != 0) comex_error("spgemm: worker 0, which has the input, has died", 1);
}

void Workers::gather_machines() {
  constexpr std::size_t width = MPI_MAX_PROCESSOR_NAME;
  std::array<char, width> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  std::vector<char> all(host_.size() * width);
  MPI_Allgather(name.data(), static_cast<int>(width), MPI_CHAR, all.data(), static_cast<int>(width), MPI_CHAR,
                comm_);
  for (std::size_t worker = 0; worker < host_.size(); ++worker) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(worker * width);
    machine_.emplace_back(first, std::find(first, first + static_cast<std::ptrdiff_t>(width), '\0'));
  }
}

Route Workers::route(int worker) const {
  if (worker == me_) return Route::own;
  const bool same = host_[static_cast<std::size_t>(worker)] == host_[static_cast<std::size_t>(me_)];
  return same ? Route::same_host : Route::remote;
}

int Workers::from_leader(int value) const {
  MPI_Bcast(&value, 1, MPI_INT, 0, comm_);
  return value;
}

template <class T>
void Workers::share_as(std::vector<T>& values) const {
  unsigned long long length = values.size();
  MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG_LONG, 0, comm_);
  values.resize(length);
  constexpr std::size_t piece = std::size_t{1} << 24;  // MPI counts are int
  for (std::size_t at = 0; at < values.size(); at += piece) {
    const std::size_t here = std::min(piece, values.size() - at);
    MPI_Bcast(values.data() + at, static_cast<int>(here * sizeof(T)), MPI_BYTE, 0, comm_);
  }
}

template void Workers::share_as(std::vector<std::size_t>&) const;
template void Workers::share_as(std::vector<std::uint32_t>&) const;

void free_over_all(void* memory) {
  const int code = comex_free(memory, COMEX_GROUP_WORLD);
  if (code != COMEX_PROC_FAILED) require(code, "comex_free");
}

void require(int code, const char* what) {
  if (code != COMEX_SUCCESS) comex_error((std::string("spgemm: ") + what + " failed").c_str(), 1);
}

}  // namespace spgemm
