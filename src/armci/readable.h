// Tests whether a program's memory can be read, so that a wrong name gives an error line, not a signal.
//
// One test takes a few system calls. Used for names of operations, which need not be terminated.
#pragma once

namespace comex::armci {

bool is_readable(const char* byte);

}  // namespace comex::armci
