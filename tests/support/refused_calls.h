// Lets the kernel refuse some system calls of one thread, as it does to programs in trouble.
#pragma once

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <initializer_list>
#include <thread>
#include <vector>

namespace comex {

// Calls `act` in a thread whose calls of these numbers fail with `error`. A filter stays until its thread
// ends.
template <class Act>
void with_refused_calls(std::initializer_list<int> calls, int error, Act&& act) {
  constexpr sock_filter read_number =
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offsetof(seccomp_data, nr)));
  std::vector<sock_filter> rules{read_number};
  for (const int call : calls) {
    rules.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    rules.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)));
  }
  rules.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  std::thread([&] {
    const sock_fprog program{static_cast<unsigned short>(rules.size()), rules.data()};
    ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
    act();
  }).join();
}

}  // namespace comex
