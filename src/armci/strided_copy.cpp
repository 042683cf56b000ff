// Packs and unpacks local strided patches.
#include <cstring>

#include "armci/export.h"
#include "armci/state.h"
#include "armci/strided_pieces.h"

using namespace comex::armci;

namespace {

long checked_runs(const int* count, int stride_levels) {
  pass();
  const long runs = run_count(count, stride_levels);
  if (runs < 0) comex_error("a strided patch has a negative count, or stride levels outside 0 to 8", 1);
  return runs;
}

}  // namespace

COMEX_C void armci_write_strided(void* ptr, int stride_levels, int stride[], int count[], char* buf) {
  const comex::runtime::CallName called(__func__);
  const long runs = checked_runs(count, stride_levels);
  const auto bytes = static_cast<std::size_t>(count[0]);
  visit_runs({ptr, stride}, {ptr, stride}, count, stride_levels, runs, [&](const char* run, const char*) {
    std::memcpy(buf, run, bytes);
    buf += bytes;
  });
}

COMEX_C void armci_read_strided(void* ptr, int stride_levels, int stride[], int count[], char* buf) {
  const comex::runtime::CallName called(__func__);
  const long runs = checked_runs(count, stride_levels);
  const auto bytes = static_cast<std::size_t>(count[0]);
  visit_runs({ptr, stride}, {ptr, stride}, count, stride_levels, runs, [&](char* run, const char*) {
    std::memcpy(run, buf, bytes);
    buf += bytes;
  });
}
