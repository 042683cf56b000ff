// COMEX_WORLD=warn: prints one line on standard error for each place in the program that uses MPI_COMM_WORLD.
//
// Any thread may call notice(); each process reports the same place once.
#pragma once

namespace comex::interpose {

void notice(const char* call, const void* caller);

}  // namespace comex::interpose
