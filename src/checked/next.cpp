#include "checked/next.h"

#include <comex.h>
#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace comex::checker {
namespace {

// Where the loader has put the code of one library.
struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool holds(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= begin && at < end;
  }
};

Range range_around(const void* inside) {
  struct Wanted {
    std::uintptr_t at;
    Range found;
  } search{reinterpret_cast<std::uintptr_t>(inside), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& wanted = *static_cast<Wanted*>(data);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& part = object->dlpi_phdr[i];
          const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
          if (part.p_type == PT_LOAD && wanted.at >= begin && wanted.at < begin + part.p_memsz)
            wanted.found = {begin, begin + part.p_memsz};
        }
        return 0;
      },
      &search);
  return search.found;
}

}  // namespace

void* next_symbol(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found != nullptr) return found;
  std::fprintf(stderr, "comex check: %s is called, and no library behind the checker has it\n", name);
  std::abort();
}

bool is_runtime(const void* address) {
  static const Range runtime = range_around(next_symbol("comex_version"));
  return runtime.holds(address);
}

bool is_in_armci_messages(const void* address) {
  static const Range armci = range_around(dlsym(RTLD_DEFAULT, "armci_msg_snd"));
  return armci.holds(address);
}

bool is_in_armci(const void* address) {
  Dl_info object{};
  if (dladdr(address, &object) == 0 || object.dli_fname == nullptr) return false;
  const std::string_view path = object.dli_fname;
  return path.substr(path.rfind('/') + 1).starts_with("libarmci");
}

}  // namespace comex::checker
