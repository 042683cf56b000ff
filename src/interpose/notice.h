// COMEX_WORLD=warn: one line on standard error for each place in the program that names MPI_COMM_WORLD.
//
// Any thread may call notice(); the same place is reported once by each process.
#pragma once

namespace comex::interpose {

void notice(const char* call, const void* caller);

}  // namespace comex::interpose
