// The real Os: Linux memfd or unnamed O_TMPFILE objects, futexes and open-file-description locks.
#pragma once

#include <memory>

#include "shm/os.h"

namespace comex::shm {

std::unique_ptr<Os> make_posix_os();

}  // namespace comex::shm
