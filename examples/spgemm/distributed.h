// What lies in the workers' memory: a block matrix and the counter that hands out tasks.
//
// Blocks are dealt out like cards: block n belongs to worker n mod workers. Creating and destroying
// either object is collective. Every byte moved is counted by route.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "workers.h"

namespace spgemm {

class DistributedMatrix {
 public:
  struct Shape {
    std::size_t blocks = 0;
    std::size_t block = 0;  // rows and columns of each
    int copies = 0;         // on other hosts
  };
  // All blocks are zero. Collective.
  DistributedMatrix(const Workers& workers, Traffic& traffic, const Shape& shape);
  ~DistributedMatrix();
  DistributedMatrix(const DistributedMatrix&) = delete;
  DistributedMatrix& operator=(const DistributedMatrix&) = delete;

  std::size_t block_elements() const { return block_ * block_; }
  std::size_t block() const { return block_; }

  // One block each. `from` of put may be reused on return; the others complete with the request.
  void put(std::size_t number, std::vector<double>& from);
  comex_request_t start_get(std::size_t number, double* to);
  // Returns where the block is once the requests are complete: in the own memory, or in `to`.
  const double* start_read(std::size_t number, double* to, std::vector<comex_request_t>& requests);
  comex_request_t start_accumulate(std::size_t number, double* from);

 private:
  int owner(std::size_t number) const;
  void* address(std::size_t number) const;
  int bytes() const { return static_cast<int>(block_elements() * sizeof(double)); }
  void count(std::size_t number);

  const Workers& workers_;
  Traffic& traffic_;
  std::size_t block_;
  std::vector<void*> base_;
};

// A counter on worker 0, and who has claimed each task. Each number below `tasks` is handed out once, and
// again where its worker has died.
class TaskCounter {
 public:
  TaskCounter(const Workers& workers, Traffic& traffic, std::size_t tasks);  // collective
  ~TaskCounter();
  TaskCounter(const TaskCounter&) = delete;
  TaskCounter& operator=(const TaskCounter&) = delete;

  std::optional<std::size_t> claim();  // nothing: all are taken

  // For each task, whether its worker has died. All tasks have been claimed, and the living have met since.
  std::vector<bool> undone() const;
  // Hands these out from the next meeting on; the same ones on all workers.
  void draw_again(std::vector<std::size_t> tasks);

 private:
  long* claimer(std::size_t task) const;
  void draw();

  const Workers& workers_;
  Traffic& traffic_;
  std::size_t tasks_;
  std::optional<std::vector<std::size_t>> again_;  // not set: all
  long me_plus_one_;
  bool draws_ = false;  // the next number is on its way, to number_
  long number_ = 0;
  comex_request_t drawing_{};
  std::vector<void*> base_;
};

}  // namespace spgemm
