// The calls for contiguous put, get and accumulate.
#include "armci/codes.h"
#include "armci/nonblocking.h"

using namespace comex::armci;

COMEX_ARMCI_PAIR_AFTER(, Put, put, (void* src, void* dst, int bytes, int proc), src, dst, bytes, proc)

COMEX_ARMCI_PAIR_AFTER(, Get, get, (void* src, void* dst, int bytes, int proc), src, dst, bytes, proc)

COMEX_ARMCI_PAIR_AFTER(, Acc, acc, (int datatype, void* scale, void* src, void* dst, int bytes, int proc),
                       acc_code(datatype), scale, src, dst, bytes, proc)
