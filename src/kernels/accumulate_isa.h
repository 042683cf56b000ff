// The accumulate functions of each instruction set. accumulate.cpp chooses among them.
#pragma once

#include "kernels/accumulate.h"

namespace comex::kernels {

AccumulateKernel accumulate_baseline(Scalar scalar);
AccumulateKernel accumulate_avx2(Scalar scalar);
AccumulateKernel accumulate_avx512(Scalar scalar);

}  // namespace comex::kernels
