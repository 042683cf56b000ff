// The programs by which memory models are told apart, with what docs/memory-model.md says of each, and random
// ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rules/program.h"

namespace comex::rules {

struct Shape {
  std::string name;
  std::string because;  // the sentence of the document
  Program program;
  // Outcomes, written by hand; where `with_words` is not set, only what was read.
  std::vector<Outcome> permitted;  // exactly these; if empty, see the next two
  std::vector<Outcome> forbidden;
  std::vector<Outcome> possible;
  bool with_words = false;

  Outcome shown(const Outcome& outcome) const;
};

std::vector<Shape> shapes();

// Writes of one kind to each word, so that every result has a meaning. The same seed gives the same program.
Program random_program(std::uint64_t seed);

}  // namespace comex::rules
