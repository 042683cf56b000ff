// Opens a nameless file whose pages are allocated on touch, as large pages where the mapping asks for them.
//
// Files of memfd_create get large pages only where an administrator allows them. A tmpfs gets them by a mount
// option, and a user who may not mount can do so in a user namespace of their own. Used by PosixOs.
#pragma once

namespace comex::shm {

// Returns a descriptor that is closed on exec, or -1 where the system does not allow this.
int open_file_with_large_pages();

}  // namespace comex::shm
