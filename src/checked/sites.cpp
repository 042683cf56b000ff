#include "checked/sites.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string_view>

#include "checked/next.h"
#include "runtime/facade.h"

namespace comex::checker {
namespace {

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

// Of a call that the ARMCI library makes, the place in the program.
const void* outside_of_armci(const void* address) {
  std::array<void*, 24> frames{};
  const int depth = backtrace(frames.data(), frames.size());
  bool is_inside = false;
  for (int i = 0; i < depth; ++i) {
    void* const frame = frames[static_cast<std::size_t>(i)];
    const bool is_armci = is_in_armci(frame);
    if (is_inside && !is_armci) return frame;
    is_inside = is_inside || is_armci;
  }
  return address;
}

// Where the program made the call that returns to `address`: file, line and function where debugging
// information tells them, else the object and the offset in it.
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

}  // namespace

std::uint32_t Sites::number_of(const void* address, const char* name) {
  constexpr std::string_view prefix = "comex_";
  if (std::string_view(name).starts_with(prefix)) name += prefix.size();
  if (comex_call_name != nullptr) name = comex_call_name;
  if (is_in_armci(address)) address = outside_of_armci(address);
  const auto [at, is_new] = numbers_.try_emplace({address, name}, static_cast<std::uint32_t>(sites_.size()));
  if (is_new) sites_.push_back({address, name, {}});
  return at->second;
}

std::string Sites::text(std::uint32_t site) {
  Site& of = sites_[site];
  if (of.text.empty()) of.text = std::string(of.name) + " (" + text_of_site(of.address) + ")";
  return of.text;
}

}  // namespace comex::checker
