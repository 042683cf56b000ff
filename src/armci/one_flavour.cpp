#include "armci/one_flavour.h"

#include <cstring>

#include "flavour.h"

comex::runtime::FlavourMark comex_armci_flavour = {comex::armci::flavour_name, nullptr};

namespace comex::armci {
namespace {

__attribute__((constructor)) void note_flavour() {
  if (std::strcmp(comex_armci_flavour.name, flavour_name) != 0) comex_armci_flavour.other = flavour_name;
}

}  // namespace

const char* other_flavour() {
  return comex_armci_flavour.other;
}

}  // namespace comex::armci
