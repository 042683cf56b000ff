// An MPI of which nothing is known but the standard. The others begin with it and add what they know.
#pragma once

#include "mpi/library.h"

namespace comex::mpi {

class Plain : public Library {
 public:
  std::string_view name() const override { return "an MPI of which only the standard is known"; }
  // A process that may have been launched is taken as launched: MPI itself will say when it cannot start
  // others.
  LaunchedProcess launched(const Lookup&) const override {
    LaunchedProcess told;
    told.is_launched = true;
    return told;
  }
  EagerBytes eager_bytes() const override { return {}; }
  YieldSwitch yield_switch() const override { return {}; }
  bool ends_jobs_before_mpi() const override { return false; }
  std::string_view how_to_have_threads() const override {
    return "if the program calls MPI_Init_thread with MPI_THREAD_MULTIPLE";
  }
  std::string_view how_to_share_a_name_server() const override { return ""; }
  Knowledge knowledge() const override { return {}; }
};

// The number that a text is, and that the environment has under a name; empty: it is none.
std::optional<std::uint64_t> whole_number(std::string_view text);
std::optional<int> number_in(const Lookup& environment, std::string_view name);

}  // namespace comex::mpi
