#include "checked/next.h"

#include <comex.h>
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
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

// Debugging information of the objects of this process, read when a site is first told of.
class Sources {
 public:
  Sources() : session_(dwfl_begin(&callbacks_)) {
    if (session_ == nullptr) return;
    dwfl_linux_proc_report(session_, getpid());
    dwfl_report_end(session_, nullptr, nullptr);
  }

  // Empty: it has none.
  std::string line_of(const void* address) const {
    const auto at = reinterpret_cast<Dwarf_Addr>(address) - 1;  // within the call, not behind it
    Dwfl_Module* const module = session_ == nullptr ? nullptr : dwfl_addrmodule(session_, at);
    if (module == nullptr) return {};
    Dwfl_Line* const line = dwfl_module_getsrc(module, at);
    int number = 0;
    const char* const file =
        line == nullptr ? nullptr : dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
    const char* const function = dwfl_module_addrname(module, at);
    const std::string inside = function == nullptr ? "" : std::string(" in ") + function;
    if (file == nullptr) return {};
    const std::string_view path = file;
    return std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(number) + inside;
  }

 private:
  // dwfl_standard_find_debuginfo would ask servers for files, by DEBUGINFOD_URLS.
  Dwfl_Callbacks callbacks_{.find_elf = dwfl_linux_proc_find_elf,
                            .find_debuginfo = dwfl_build_id_find_debuginfo,
                            .section_address = nullptr,
                            .debuginfo_path = nullptr};
  Dwfl* session_ = nullptr;
};

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

bool is_message_of_armci(const void* address) {
  static const Range armci = range_around(dlsym(RTLD_DEFAULT, "armci_msg_snd"));
  return armci.holds(address);
}

bool is_of_armci(const void* address) {
  Dl_info object{};
  return dladdr(address, &object) != 0 && object.dli_fname != nullptr &&
         std::strstr(object.dli_fname, "/libarmci") != nullptr;
}

std::string text_of_site(const void* address) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  static const Sources sources;
  if (std::string line = sources.line_of(address); !line.empty()) return line;
  Dl_info object{};
  if (dladdr(address, &object) == 0 || object.dli_fname == nullptr) return "an unknown place";
  std::array<char, 32> offset{};
  std::snprintf(
      offset.data(), offset.size(), "+0x%zx",
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(object.dli_fbase) - 1);
  const std::string_view path = object.dli_fname;
  return std::string(path.substr(path.rfind('/') + 1)) + offset.data();
}

}  // namespace comex::checker
