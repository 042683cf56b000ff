// Writes which lines of the process, of all its libraries, have run.
#pragma once

__attribute__((visibility("hidden"))) void comex_keep_counts(void);
