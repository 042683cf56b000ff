#include "checked/next.h"

#include <comex.h>
#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "checker/access.h"

namespace comex::checker {
namespace {

// Where the loader has put the code of the library around an address.
Range range_around(const void* inside) {
  struct Wanted {
    std::uint64_t at;
    Range found;
  } search{reinterpret_cast<std::uint64_t>(inside), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& wanted = *static_cast<Wanted*>(data);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& part = object->dlpi_phdr[i];
          const std::uint64_t begin = object->dlpi_addr + part.p_vaddr;
          const Range here{begin, begin + part.p_memsz};
          if (part.p_type == PT_LOAD && here.holds(wanted.at)) wanted.found = here;
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
  return runtime.holds(reinterpret_cast<std::uint64_t>(address));
}

bool is_in_armci_messages(const void* address) {
  static const Range armci = range_around(dlsym(RTLD_DEFAULT, "armci_msg_snd"));
  return armci.holds(reinterpret_cast<std::uint64_t>(address));
}

bool is_in_armci(const void* address) {
  Dl_info object{};
  if (dladdr(address, &object) == 0 || object.dli_fname == nullptr) return false;
  const std::string_view path = object.dli_fname;
  return path.substr(path.rfind('/') + 1).starts_with("libarmci");
}

}  // namespace comex::checker
