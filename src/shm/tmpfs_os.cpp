#include "shm/tmpfs_os.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>

namespace comex::shm {

namespace {

// Opens a file on a tmpfs that has no mount point and disappears with the file.
int open_on_new_tmpfs() {
  const int context = static_cast<int>(syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC));
  if (context < 0) return -1;
  const auto set = [context](const char* key, const char* value) {
    return syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, key, value, 0) == 0;
  };
  int mount = -1;
  // advise: mappings that ask for large pages get them. size 0: the only limit is the machine's memory.
  const bool is_made = set("huge", "advise") && set("size", "0") &&
                       syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) == 0;
  if (is_made) mount = static_cast<int>(syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0));
  close(context);
  if (mount < 0) return -1;
  // The name only helps people who look at a process's mappings. It is removed at once.
  const int descriptor = openat(mount, "comex", O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  unlinkat(mount, "comex", 0);
  close(mount);
  return descriptor;
}

bool write_file(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const auto length = static_cast<ssize_t>(std::strlen(text));
  const bool is_written = write(file, text, std::strlen(text)) == length;
  close(file);
  return is_written;
}

struct Attempt {
  uid_t user;
  gid_t group;
  int descriptor;
};

// Runs in a child that shares memory and descriptors, so that only the child has the namespaces.
int open_in_own_namespace(void* attempt_of_caller) {
  auto& attempt = *static_cast<Attempt*>(attempt_of_caller);
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return 1;
  // The file system knows only users that the namespace maps.
  std::array<char, 64> map{};
  std::snprintf(map.data(), map.size(), "%u %u 1", attempt.user, attempt.user);
  if (!write_file("/proc/self/uid_map", map.data())) return 1;
  std::snprintf(map.data(), map.size(), "%u %u 1", attempt.group, attempt.group);
  if (!write_file("/proc/self/setgroups", "deny") || !write_file("/proc/self/gid_map", map.data())) return 1;
  attempt.descriptor = open_on_new_tmpfs();
  return 0;
}

int open_in_namespace_of_child() {
  constexpr std::size_t stack_bytes = 64 * 1024;
  const auto stack = std::make_unique<std::max_align_t[]>(stack_bytes / sizeof(std::max_align_t));
  Attempt attempt{geteuid(), getegid(), -1};
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // no signal handler of the program may run in the child
  // The child has no exit signal, so the program's waits and handlers for children never see it.
  const pid_t child = clone(open_in_own_namespace, stack.get() + stack_bytes / sizeof(std::max_align_t),
                            CLONE_VM | CLONE_FILES | CLONE_VFORK, &attempt);
  if (child > 0) {
    while (waitpid(child, nullptr, static_cast<int>(__WCLONE)) < 0 && errno == EINTR) continue;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return attempt.descriptor;
}

}  // namespace

int open_file_with_large_pages() {
  const int descriptor = open_on_new_tmpfs();
  return descriptor >= 0 ? descriptor : open_in_namespace_of_child();
}

}  // namespace comex::shm
