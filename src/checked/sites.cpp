#include "checked/sites.h"

#include <execinfo.h>

#include <array>
#include <string_view>

#include "checked/next.h"
#include "runtime/facade.h"

namespace comex::checker {
namespace {

// Of a call that the ARMCI library makes, the place in the program.
const void* outside_of_armci(const void* address) {
  std::array<void*, 24> frames{};
  const int depth = backtrace(frames.data(), frames.size());
  bool is_inside = false;
  for (int i = 0; i < depth; ++i) {
    void* const frame = frames[static_cast<std::size_t>(i)];
    const bool is_armci = is_of_armci(frame);
    if (is_inside && !is_armci) return frame;
    is_inside = is_inside || is_armci;
  }
  return address;
}

}  // namespace

std::uint32_t Sites::number_of(const void* address, const char* name) {
  constexpr std::string_view prefix = "comex_";
  if (std::string_view(name).starts_with(prefix)) name += prefix.size();
  if (comex_call_name != nullptr) name = comex_call_name;
  if (is_of_armci(address)) address = outside_of_armci(address);
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
