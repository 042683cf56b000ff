// Whether memory that a program names can be read, where a wrong name must end in a line and not in a signal.
//
// One look costs a few system calls. Used for names of operations, which need not be terminated.
#pragma once

namespace comex::armci {

bool is_readable(const char* byte);

}  // namespace comex::armci
