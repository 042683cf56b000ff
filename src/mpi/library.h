// What is known of an MPI implementation and its launcher beyond the standard.
//
// The runtime is right without any of it: `plain` knows nothing. What is known saves time (messages that MPI
// sends at once, yields) and lets messages name what a user can do. This is the only room that knows one
// implementation from another; there is one file for each. Everything here is constant; runtime chooses once
// for a process (runtime/environment).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/settings.h"
#include "mpi/yield.h"

namespace comex::mpi {

// The longest message in bytes that MPI sends at once, even if its receiver is not ready, a multiple of 16.
// A longer one waits for a handshake, which costs two more trips. 0: not known.
struct EagerBytes {
  std::uint32_t within_machine = 0;
  std::uint32_t between_machines = 0;
  friend bool operator==(const EagerBytes&, const EagerBytes&) = default;
};

// What the launcher tells this process by its environment, also before MPI has started. Empty: not told.
struct LaunchedProcess {
  bool is_launched = false;           // false: it was started alone
  std::optional<int> rank;            // in MPI_COMM_WORLD
  std::optional<int> size;            // of MPI_COMM_WORLD
  std::optional<int> size_on_host;    // how many of these are on this host
  std::optional<int> number_on_host;  // among the processes of all jobs of this launch on this host
  std::string launch;                 // the same for all jobs of a launch, and different for two launches
  std::optional<std::uint32_t> job;   // within the launch, from 1
  std::string name_server;            // by which this launch learns of others
};

// Where each thing that is known comes from, in words for comex_info; empty: it is not known.
struct Knowledge {
  std::string_view eager_messages = {};  // the longest messages that MPI sends at once
  std::string_view yields = {};          // a switch for yields inside MPI
  std::string_view ranks = {};           // numbers of processes before MPI has started
  std::string_view launches = {};        // names of launches and numbers of their jobs
  std::string_view threads = {};         // how MPI_Init starts with threads
  std::string_view name_server = {};     // how launches learn of each other
};

// An MPI of which nothing is known but the standard. The others begin with it and add what they know.
class Library {
 public:
  virtual ~Library() = default;
  virtual std::string_view name() const { return "an MPI of which only the standard is known"; }
  // A process that may have been launched is taken as launched: MPI itself will say when it cannot start
  // others.
  virtual LaunchedProcess launched(const Lookup&) const {
    LaunchedProcess told;
    told.is_launched = true;
    return told;
  }
  // Call it after MPI has started.
  virtual EagerBytes eager_bytes() const { return {}; }
  virtual YieldSwitch yield_switch() const { return {}; }
  // The launcher ends a job when one of its processes ends with a failure before MPI has started. Where it
  // does not, the others would wait in MPI_Init.
  virtual bool ends_jobs_before_mpi() const { return false; }
  // How a user makes MPI_Init start with threads, as the end of "MPI_Init starts with threads ...".
  virtual std::string_view how_to_have_threads() const {
    return "if the program calls MPI_Init_thread with MPI_THREAD_MULTIPLE";
  }
  // How two launches come to share a name server, without which MPI cannot connect them; empty: they need
  // none.
  virtual std::string_view how_to_share_a_name_server() const { return ""; }
  virtual Knowledge knowledge() const { return {}; }
};

const Library& plain();
const Library& open_mpi();
const Library& mpich();

// A pure function: `version` is what MPI_Get_library_version returns.
const Library& library_of(std::string_view version, MpiKnowledge knowledge);

// The number that a text is, and that the environment has under a name; empty: it is none.
std::optional<std::uint64_t> whole_number(std::string_view text);
std::optional<int> number_in(const Lookup& environment, std::string_view name);

}  // namespace comex::mpi
