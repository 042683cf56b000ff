// checker_cases NAME...   runs these cases, one after another; after the last one, if it is wrong, it goes on
// to finalize at
//                         once, since the calls that clean up would complete requests, for instance
// checker_cases --right   runs all right cases, one after another
// checker_cases --list    prints `name expectation` of each, without MPI
// Where COMEX_TEST_ERRORS names a file, every rank appends its standard error to it by itself: a launcher
// joins the streams of its ranks in mid-line, or loses what they said when the job is aborted.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "bed.h"

using namespace comex::checker;

namespace {

struct Pattern {
  const char* name;
  Cases (*cases)();
};

constexpr Pattern patterns[] = {
    {"remote_remote", remote_remote},
    {"local_remote", local_remote},
    {"atomics", atomics},
    {"strided", strided},
    {"signals", signals},
    {"completion", completion},
    {"lifetime", lifetime},
    {"mutexes", mutexes},
    {"lock_order", lock_order},
    {"collectives", collectives},
    {"endpoints", endpoints},
    {"messages", messages},
    {"synchronous", synchronous},
    {"forms", forms},
    {"mpi_forms", mpi_forms},
    {"mpi4_forms", mpi4_forms},
};

struct Named {
  std::string name;
  const Case* what;
};

std::vector<Named> all_cases() {
  std::vector<Named> all;
  for (const Pattern& pattern : patterns) {
    for (const Case& each : pattern.cases())
      all.push_back({std::string(pattern.name) + "." + each.name, &each});
  }
  return all;
}

bool is_right(const Case& what) {
  return std::strcmp(what.expectation, right) == 0;
}

void send_errors_to_file() {
  const char* const name = std::getenv("COMEX_TEST_ERRORS");
  if (name == nullptr) return;
  const int file = open(name, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (file < 0 || dup2(file, STDERR_FILENO) < 0) std::exit(EXIT_FAILURE);
  close(file);
}

std::vector<Named> choose(std::span<char* const> asked) {
  const std::vector<Named> all = all_cases();
  std::vector<Named> chosen;
  for (const char* const name : asked) {
    const bool all_right = std::strcmp(name, "--right") == 0;
    const auto fits = [&](const Named& each) { return all_right ? is_right(*each.what) : each.name == name; };
    if (std::ranges::none_of(all, fits)) {
      std::fprintf(stderr, "checker_cases: no case '%s'; names are those of --list, or --right\n", name);
      std::exit(2);
    }
    std::ranges::copy_if(all, std::back_inserter(chosen), fits);
  }
  return chosen;
}

void run(const std::vector<Named>& chosen, Bed& bed) {
  for (const Named& each : chosen) {
    if (bed.me == 0) std::fprintf(stderr, "case %s\n", each.name.c_str());
    each.what->run(bed);
    if (is_right(*each.what) || &each != &chosen.back()) bed.end_of_case();
  }
}

void list() {
  for (const Named& each : all_cases()) std::printf("%s %s\n", each.name.c_str(), each.what->expectation);
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char* const> asked(argv + 1, static_cast<std::size_t>(argc - 1));
  if (asked.empty()) {
    std::fprintf(stderr, "checker_cases: which case? --right, --list, or names\n");
    return 2;
  }
  if (std::strcmp(asked[0], "--list") == 0) {
    list();
    return 0;
  }
  const std::vector<Named> chosen = choose(asked);
  send_errors_to_file();
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  // The second init changes nothing.
  if (comex_init() != COMEX_SUCCESS || comex_init_comm(MPI_COMM_WORLD) != COMEX_SUCCESS) return EXIT_FAILURE;
  Bed bed;
  run(chosen, bed);
  if (comex_finalize() != COMEX_SUCCESS) return EXIT_FAILURE;
  if (bed.me == 0) std::printf("ran to the end: %zu\n", chosen.size());
  MPI_Finalize();
}
