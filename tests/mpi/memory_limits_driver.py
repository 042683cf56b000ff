#!/usr/bin/env python3
"""Runs memory_limits under a limit and looks at the line it prints.

memory_limits_driver.py LIMIT PROGRAM
  LIMIT: address_space (ulimit -v), file_size (ulimit -f), no_files (ulimit -f below the arena's own tables),
         mount (a small /dev/shm), at_once (the same, too small for all together), cgroup (memory.max),
         cgroup_in_small_pieces (the same, taken to its last bytes), everything (a request of 100 TB)
Exit status 77: this machine does not let us set that limit.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

MIB = 1 << 20
MPIRUN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../support/mpirun")
# How the program is wrapped, its environment, the size of a piece, and what the line must name.
LIMITS = {
    "address_space": (["sh", "-c", 'ulimit -v 1200000; exec "$0" "$@"'], {}, 30 * MIB, "arena's reservation|ulimit -v"),
    "file_size": (["sh", "-c", 'ulimit -f 1048576; exec "$0" "$@"'], {}, 20 * MIB, "file-size limit|ulimit -f"),
    "no_files": (["sh", "-c", 'ulimit -f 40000; exec "$0" "$@"'], {}, MIB, "the file-size limit"),
    "mount": ([], {"COMEX_ARENA": "posix"}, MIB, "the shared-memory mount /dev/shm"),
    "at_once": ([], {"COMEX_ARENA": "posix"}, 16 * MIB, "the shared-memory mount /dev/shm"),
    "cgroup": ([], {}, 20 * MIB, "a cgroup's memory limit"),
    "cgroup_in_small_pieces": ([], {}, MIB // 4, "a cgroup's memory limit"),
    "everything": ([], {}, 100 * 1000 ** 4, "the machine's memory"),
}


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(77)


def in_small_mount(command):
    script = 'mount -t tmpfs -o size=24m comex_test /dev/shm && exec "$0" "$@"'
    probe = subprocess.run(["unshare", "-m", "sh", "-c", script, "true"], capture_output=True, check=False)
    if probe.returncode != 0:
        skip(f"no mount namespace: {probe.stderr.decode().strip()}")
    # Open MPI's own segments go elsewhere: the mount is ours alone to fill.
    return ["unshare", "-m", "sh", "-c", script, *command]


class Cgroup:
    """A group below the top with a limit, or a reason why there is none."""

    def __init__(self):
        self.path = None
        reasons = []
        for top, limit in (("/sys/fs/cgroup", "memory.max"), ("/sys/fs/cgroup/unified", "memory.max"),
                           ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")):
            try:
                if not os.path.exists(f"{top}/cgroup.procs"):
                    raise OSError(f"{top} is no cgroup")
                self.path = tempfile.mkdtemp(prefix="comex_test_", dir=top)
                with open(f"{self.path}/{limit}", "r+", encoding="ascii") as file:
                    file.write(str(400 * MIB))
                return
            except OSError as error:
                reasons.append(str(error))
                self.remove()
        skip("no cgroup of our own: " + "; ".join(reasons))

    def wrap(self, command):
        return ["sh", "-c", f'echo $$ > {self.path}/cgroup.procs && exec "$0" "$@"', *command]

    def remove(self):
        path, self.path = self.path, None
        for _ in range(100):  # its last processes may be on their way out
            try:
                if path:
                    os.rmdir(path)
                return
            except OSError:
                time.sleep(0.05)


def run(limit, program, ranks, environment):
    wrap, settings, piece, _ = LIMITS[limit]
    command = ["timeout", "-k", "5", "50", MPIRUN, "--scratch", "/tmp", "-np", str(ranks), *wrap, program,
               "none" if limit == "no_files" else "short", str(piece)]
    group = Cgroup() if limit.startswith("cgroup") else None
    if limit in ("mount", "at_once"):
        command = in_small_mount(command)
    if group:
        command = group.wrap(command)
    try:
        return subprocess.run(command, env={**os.environ, **settings, **environment}, capture_output=True,
                              text=True, check=False)
    finally:
        if group:
            group.remove()


def problems_of(done, limit):
    named = LIMITS[limit][3]
    lines = [line for line in done.stderr.splitlines() if line.startswith("comex: rank")]
    collective = [line for line in lines if ": malloc: " in line]
    if done.returncode != 0 or "went on" not in done.stdout:
        yield f"exit status {done.returncode}"
    local = [line.split(" on ")[0] for line in lines if ": malloc_local: " in line]
    if not local or len(set(local)) != len(local):
        yield f"lines for calls of malloc_local without room: {local}; each process tells once"
    if len(collective) != 1:
        yield f"{len(collective)} lines for one malloc that does not fit"
    shape = (r"comex: rank \d+ on \S+: malloc: not enough shared memory for worker \d+: "
             r"wanted (\d+) bytes(?:, with [^;]*? (\d+))?, free (by now )?(\d+), limited by .*(" + named + r").*; on this host (worker \d+ holds \d+ in \d+|nobody holds any).*; \S+")
    for line in collective:
        found = re.match(shape, line)
        if not found:
            yield f"the line lacks something: {line}"
        elif not found[3] and int(found[2] or found[1]) <= int(found[4]):
            yield f"by its numbers it would fit: {line}"
    if re.search(r"(?i)bus error|signal|segmentation", done.stderr):
        yield "a signal"


def main():
    limit, program = sys.argv[1:3]
    status = 0
    layouts = [(3, {}), (6, {"COMEX_VIRTUAL_HOSTS": "2"})]
    # Arenas of two pretended hosts do not know what the other is just taking of one cgroup.
    for ranks, environment in layouts[:1] if limit.startswith("cgroup") or limit == "no_files" else layouts:
        done = run(limit, program, ranks, environment)
        problems = list(problems_of(done, limit))
        for problem in problems:
            print("FAILED:", problem)
            status = 1
        print(done.stdout + done.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
