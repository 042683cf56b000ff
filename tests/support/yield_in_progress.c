/* Preloaded into the tests with MPICH on UCX, which never yields within MPI: with more ranks than cores each
 * wait would cost time slices of those waited for. Here progress that found nothing gives its core away. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*progress)(void*);
  /* Python opens MPI for itself, where RTLD_NEXT does not look. */
  if (!progress)
    *(void**)&progress = dlsym(dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD), "ucp_worker_progress");
  const unsigned done = progress(worker);
  if (done == 0) sched_yield();
  return done;
}
