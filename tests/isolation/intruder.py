#!/usr/bin/env python3
"""intruder.py PID...: tries to get at these processes as an intruder would, and prints one line for each way that is open.

Run by isolation_test.py as another user, and once as the jobs' own: then the ways are open, which shows that it can tell."""
import ctypes
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
PTRACE_SEIZE, PTRACE_DETACH = 0x4206, 17
PIDFD_OPEN, PIDFD_GETFD = 434, 438  # x86-64 and every architecture since
HIGHEST_DESCRIPTOR = 64


class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


def can_open(path, how):
    try:
        os.close(os.open(path, how))
        return True
    except OSError:
        return False


def descriptors_by_path(pid):
    """Whatever is open there: the arena is a nameless object, so this is the only way to a name for it."""
    return any(can_open(f"/proc/{pid}/fd/{number}", os.O_RDONLY) for number in range(HIGHEST_DESCRIPTOR))


def descriptors_to_write(pid):
    """The doorbells lie in the arena: who may not write there rings none."""
    return any(can_open(f"/proc/{pid}/fd/{number}", os.O_RDWR) for number in range(HIGHEST_DESCRIPTOR))


def descriptors_by_pidfd(pid):
    pidfd = libc.syscall(PIDFD_OPEN, pid, 0)
    if pidfd < 0:
        return False
    found = [number for number in range(HIGHEST_DESCRIPTOR) if libc.syscall(PIDFD_GETFD, pidfd, number, 0) >= 0]
    os.close(pidfd)
    return bool(found)


def list_of_descriptors(pid):
    try:
        return bool(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return False


def mapped_files(pid):
    try:
        return bool(os.listdir(f"/proc/{pid}/map_files"))
    except OSError:
        return False


def memory(pid):
    return can_open(f"/proc/{pid}/mem", os.O_RDWR)


def mappings(pid):
    """Where the arena lies."""
    return can_open(f"/proc/{pid}/maps", os.O_RDONLY)


def environment(pid):
    return can_open(f"/proc/{pid}/environ", os.O_RDONLY)


def read_by_the_kernel(pid):
    """Any byte: the address is refused only once the process may be read."""
    into = ctypes.create_string_buffer(1)
    here, there = Vector(ctypes.addressof(into), 1), Vector(4096, 1)
    result = libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    return result >= 0 or ctypes.get_errno() not in (1, 3)  # EPERM, ESRCH


def tracing(pid):
    if libc.ptrace(PTRACE_SEIZE, pid, None, None) != 0:
        return False
    return True  # the kernel lets go when this process ends


def signals(pid):
    try:
        os.kill(pid, 0)
        return True
    except OSError:
        return False


WAYS = [descriptors_by_path, descriptors_to_write, descriptors_by_pidfd, list_of_descriptors, mapped_files, memory, mappings,
        environment, read_by_the_kernel, tracing, signals]

if __name__ == "__main__":
    for way in WAYS:
        if any(way(int(pid)) for pid in sys.argv[1:]):
            print(way.__name__)
