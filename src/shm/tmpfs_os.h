// A nameless file whose pages come when they are touched, large ones where the caller's mapping asks for
// them.
//
// Files of memfd_create get large pages only where an administrator allows them. A tmpfs of one's own has
// them by a mount option, and a user who may not mount may do so in a user namespace of his own. Used by
// PosixOs.
#pragma once

namespace comex::shm {

// A descriptor that is closed on exec; -1 where the system does not allow it.
int open_file_with_large_pages();

}  // namespace comex::shm
