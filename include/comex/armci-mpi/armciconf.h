/*
 * armciconf.h: what the packaged flavour was built with, under the names that its clients ask for.
 */
#ifndef COMEX_ARMCI_MPI_ARMCICONF_H_
#define COMEX_ARMCI_MPI_ARMCICONF_H_

#define ENABLE_PROGRESS 1 /* remote operations proceed without the target's help */
#define HAVE_DLFCN_H 1
#define HAVE_ERRNO_H 1
#define HAVE_EXECINFO_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_MACRO_VA_ARGS 1
#define HAVE_MULTIPLE_PRAGMA_WEAK 1
#define HAVE_NANOSLEEP 1
#define HAVE_PRAGMA_WEAK 1
#define HAVE_PTHREADS 1
#define HAVE_PTHREAD_PRIO_INHERIT 1
#define HAVE_STDINT_H 1
#define HAVE_STDIO_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRINGS_H 1
#define HAVE_STRING_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_TIME_H 1
#define HAVE_UNISTD_H 1
#define HAVE_USLEEP 1
#define HAVE__FUNCTION__
#define HAVE__FUNC__
#define STDC_HEADERS 1
#define USE_WEAK_SYMBOLS 1 /* ARMCI_X is weak, PARMCI_X is behind it */

#endif
