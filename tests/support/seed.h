// The seed of a randomised test program: its second argument, else COMEX_TEST_SEED, else random.
#pragma once

#include <cstdlib>
#include <random>

namespace comex::testing {

inline unsigned long chosen_seed(int argc, char** argv) {
  if (argc > 2) return std::strtoul(argv[2], nullptr, 10);
  if (const char* text = std::getenv("COMEX_TEST_SEED"); text != nullptr && *text != '\0')
    return std::strtoul(text, nullptr, 10);
  return std::random_device{}();
}

}  // namespace comex::testing
