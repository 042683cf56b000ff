// The places where the program made its calls, numbered in the order in which they were first seen.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace comex::checker {

class Sites {
 public:
  // address: where the call returns to; name: of the call, which is never freed.
  std::uint32_t number_of(const void* address, const char* name);

  // "put (heat.c:57 in exchange)"
  std::string text(std::uint32_t site);
  std::size_t count() const { return sites_.size(); }

 private:
  struct Site {
    const void* address = nullptr;
    const char* name = nullptr;
    std::string text;  // empty until it is asked for
  };
  std::vector<Site> sites_;
  std::map<std::pair<const void*, const char*>, std::uint32_t> numbers_;
};

}  // namespace comex::checker
