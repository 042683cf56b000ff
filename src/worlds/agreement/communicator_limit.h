// A limit for MPI's making of a group's communicator, with COMEX_ON_FAILURE=continue.
//
// The runtime's own agreement has just found all members alive. If one dies now, neither it nor those who
// already know of its death call MPI, which may wait for them for ever, and a call of MPI cannot be
// cancelled. So a thread looks at who has died, and if MPI goes on waiting it ends this process with one
// line. The others notice that as any death.
#pragma once

#include <stop_token>
#include <thread>
#include <vector>

#include "core/ids.h"
#include "groups/connection_table.h"

namespace comex::runtime {
class Runtime;
}

namespace comex::worlds {

class CommunicatorLimit {
 public:
  // Around the call of MPI, which is collective over `members`.
  CommunicatorLimit(runtime::Runtime& runtime, const char* operation, const groups::ConnectionTable& members);
  CommunicatorLimit(const CommunicatorLimit&) = delete;
  CommunicatorLimit& operator=(const CommunicatorLimit&) = delete;

 private:
  void watch(const std::stop_token& is_over) const;
  std::vector<int> dead_members() const;

  runtime::Runtime& runtime_;
  const char* operation_;
  std::vector<Worker> members_;
  std::jthread watch_;
};

}  // namespace comex::worlds
