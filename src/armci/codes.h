// Converts the interface's codes to those of comex.h. An unknown code is passed on, and comex.h refuses it.
#pragma once

#include "flavour.h"

namespace comex::armci {

// A code of comex.h that the interface does not have becomes -1, which is refused.
inline int unknown_code(int code, int first, int last) {
  return code >= first && code <= last ? -1 : code;
}

inline int rmw_code(int op) {
  switch (op) {
    case ARMCI_SWAP:
      return COMEX_SWAP;
    case ARMCI_SWAP_LONG:
      return COMEX_SWAP_LONG;
    case ARMCI_FETCH_AND_ADD:
      return COMEX_FETCH_AND_ADD;
    case ARMCI_FETCH_AND_ADD_LONG:
      return COMEX_FETCH_AND_ADD_LONG;
    default:
      return unknown_code(op, COMEX_SWAP, COMEX_FETCH_AND_XOR_LONG);
  }
}

inline int acc_code(int datatype) {
  switch (datatype) {
    case ARMCI_ACC_INT:
      return COMEX_ACC_INT;
    case ARMCI_ACC_LNG:
      return COMEX_ACC_LNG;
    case ARMCI_ACC_FLT:
      return COMEX_ACC_FLT;
    case ARMCI_ACC_DBL:
      return COMEX_ACC_DBL;
    case ARMCI_ACC_CPL:
      return COMEX_ACC_CPL;
    case ARMCI_ACC_DCP:
      return COMEX_ACC_DCP;
    default:
      return unknown_code(datatype, COMEX_ACC_INT, COMEX_ACC_LNG);
  }
}

}  // namespace comex::armci
