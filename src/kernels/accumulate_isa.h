// The accumulate functions of each instruction set. accumulate.cpp chooses among them.
#pragma once

#include "kernels/accumulate.h"

namespace comex::kernels {

AccumulateKernel accumulate_baseline(Scalar scalar, Combine combine);
AccumulateKernel accumulate_avx2(Scalar scalar, Combine combine);
AccumulateKernel accumulate_avx512(Scalar scalar, Combine combine);

}  // namespace comex::kernels
