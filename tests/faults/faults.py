#!/usr/bin/env python3
"""Lets one thing go wrong in each of many jobs, at named points: each job goes on with right data or ends with one line.

faults.py [OPTION...] PROGRAM LIBRARY
  PROGRAM, LIBRARY     phases.cpp (or worlds.cpp) and what is loaded before it (faults.h)
  --layout NAME        one of one_host, two_hosts, no_progress_ranks (these by default), cluster, worlds of worlds.cpp, and
                       those of survivors.cpp, which --go-on takes by default
  --go-on              with COMEX_ON_FAILURE=continue: the others go on without the dead (survivors.py)
  --points N           how many points, drawn by COMEX_TEST_SEED
  --each               one of every step and action of each rank, of a drawn ordinal, instead
  --match PATTERN      only of points whose whole name this regular expression matches
  --point POINT        this one, in the layout that is named; may be given again
  --pause SECONDS      how long a process is stopped that goes on later
  --list               prints all points, and runs none

POINT is STEP:ACTION, for example malloc/PMPI_Isend#3@1:kill: the step of faults.h, and one of
  kill                 the process is killed: the job ends, or goes on without it
  host                 all processes of its host are killed: the others go on
  fade                 the same, its progress rank last
  stop                 it is stopped for ever: the others say whom they wait for
  pause                it is stopped for a while: the job goes on, with right data
  mpi                  the call of MPI fails: the job goes on, or ends with one line that names rank, host and call
  ENOMEM ...           the call of the operating system fails with this errno: the same
  short                it reads or writes half of what was asked for: the same
At random, RANK, launcher, host or link being that of ORDINAL milliseconds after the start:
  random/rank#ORDINAL@RANK:kill|host|pause|stop     random/launcher#ORDINAL@0:kill
  random/host#ORDINAL@HOST:kill                a host of the virtual cluster dies
  random/link#ORDINAL@HOST:cut|heal|delay|loss its link goes for ever, for a while, or is bad
Nothing of a job may stay in /dev/shm, and no process. Two jobs run at a time.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import job
import survivors

DEEPEST = 40  # ordinals beyond are not drawn, since polls are of any number
POLLS = ("PMPI_Test", "PMPI_Testany", "PMPI_Iprobe", "syscall", "poll")  # the ordinal of any may be missing in the next run
# What a call of the operating system may say; others may say ENOMEM.
ERRNOS = {
    "accept4": "EMFILE ENOMEM EINTR", "close": "EINTR ENOSPC", "connect": "EINTR ENOMEM", "fallocate": "EINTR ENOSPC",
    "fcntl": "EINTR ENOMEM", "fstat": "ENOMEM", "ftruncate": "EINTR ENOSPC", "getifaddrs": "ENOMEM EMFILE",
    "memfd_create": "ENOMEM EMFILE", "open": "EMFILE ENOMEM EINTR", "openat": "EMFILE ENOMEM ENOSPC",
    "poll": "EINTR ENOMEM", "posix_fallocate": "ENOSPC ENOMEM EINTR", "pread": "EINTR", "pwrite": "EINTR ENOSPC",
    "recv": "EINTR", "send": "EINTR ENOMEM", "socket": "EMFILE ENOMEM", "socketpair": "EMFILE ENOMEM",
    "syscall": "EINTR ENOMEM", "waitpid": "EINTR", "write": "EINTR ENOSPC",
}
SHORTENED = ("pread", "pwrite", "recv", "send", "write")
# These say how MPI is and do not fail in a way that anybody could mend.
INFALLIBLE = ("PMPI_Get_library_version", "PMPI_Query_thread")
# Of a hundred points, so many are of the kind.
SHARES = {"kill": 30, "mpi": 30, "errno": 24, "short": 4, "pause": 4, "stop": 4, "random": 4}
SHARES_OF_DEATHS = {"kill": 60, "host": 12, "fade": 3, "random": 10, "pause": 4, "stop": 4, "mpi": 4, "errno": 4}
RANDOM = [("rank", "kill"), ("launcher", "kill"), ("rank", "pause"), ("rank", "stop")]
RANDOM_IN_CLUSTER = [("host", "kill"), ("link", "heal"), ("link", "cut"), ("launcher", "kill"), ("rank", "kill"),
                     ("link", "delay"), ("link", "loss"), ("rank", "pause")]
RANDOM_DEATHS = [("rank", "kill"), ("rank", "host")]
DEATHS_IN_CLUSTER = [("host", "kill"), ("rank", "kill"), ("rank", "host")]
LATEST_MS = 1200


class Point:
    def __init__(self, name):
        match = re.fullmatch(r"((\w+)/(\w+)#(\d+)@(\d+)):(\w+)", name)
        if match is None:
            raise SystemExit(f"{name} is no point (PHASE/FUNCTION#ORDINAL@RANK:ACTION)")
        self.name = name
        self.step, self.phase, self.function, self.action = match[1], match[2], match[3], match[6]
        self.ordinal, self.place = int(match[4]), int(match[5])

    def kind(self):
        if self.phase == "random":
            return "random"
        return "errno" if self.action.startswith("E") else self.action


def actions_at(function, layout):
    if layout.doomed is not None:
        yield "kill"
        return
    yield from ("kill", "pause", "stop")
    if layout.hosts is not None and layout.hosts > 1:
        yield "host"
        if function == "begins":
            yield "fade"
    if function == "begins":
        return
    if function.startswith("PMPI_"):
        if function not in INFALLIBLE:
            yield "mpi"
        return
    yield from ERRNOS.get(function, "ENOMEM").split()
    if function in SHORTENED:
        yield "short"


def points_of(steps, layout):
    for (rank, phase, function), count in sorted(steps.items()):
        reliable = max(1, count // 4) if function in POLLS else count
        for ordinal in range(1, min(reliable, DEEPEST) + 1):
            for action in actions_at(function, layout):
                yield Point(f"{phase}/{function}#{ordinal}@{rank}:{action}")


def random_points(kinds, ranks, wanted, chance):
    for index in range(wanted):
        function, action = kinds[index % len(kinds)]
        place = {"rank": chance.randrange(ranks), "launcher": 0}.get(function, 2)
        yield Point(f"random/{function}#{chance.randrange(LATEST_MS)}@{place}:{action}")


def in_cluster(asked, name, point):
    """Runs this program on the first host of a virtual cluster, for this one point."""
    command = [str(job.HERE.parent / "hosts/vrun"), "2", sys.executable, os.path.realpath(__file__), "--inside",
               "--pause", str(asked.pause), "--layout", name, "--point", point.name, asked.program, asked.library]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if ended.returncode == 77:
        raise job.Skipped(re.search(r"^(?:vrun: skipped|skipped \S+): (.*)", ended.stdout, re.M)[1])
    problem = None if ended.returncode == 0 else f"status {ended.returncode} of the driver inside"
    return problem, "not reached" not in ended.stdout, ended.stdout


def cluster_options(library):
    """Of mpirun over the hosts of the cluster, and what is loaded first there: see leave_endpoints.c."""
    leave_endpoints = os.path.join(os.path.dirname(shutil.which("mpirun") or ""), "leave_endpoints.so")
    if os.environ.get("COMEX_TEST_MPI") == "mpich" and os.path.exists(leave_endpoints):
        library += ":" + leave_endpoints
    return [*os.environ["VMPI"].split(), "--host", "vh1:3,vh2:3"], library


def spread(points, wanted, chance, shares):
    """So many of them, of every kind, and of every phase as evenly as they go."""
    drawn = []
    for kind, share in shares.items():
        by_phase = {}
        for point in points:
            if point.kind() == kind:
                by_phase.setdefault(point.phase, []).append(point)
        queues = list(by_phase.values())
        for queue in queues:
            chance.shuffle(queue)
        chance.shuffle(queues)
        left = max(1, round(wanted * share / 100))
        while left > 0 and any(queues):
            for queue in queues:
                if queue and left > 0:
                    drawn.append(queue.pop())
                    left -= 1
    chance.shuffle(drawn)
    return drawn


def one_of_each(points, chance):
    by_step = {}
    for point in points:
        by_step.setdefault((point.phase, point.function, point.place, point.action), []).append(point)
    return [chance.choice(same) for same in by_step.values()]


def untested_imports(library):
    """Functions of MPI that libcomex imports and steps.def does not have."""
    linked = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
    comex = re.search(r"=> (\S+/libcomex\.so\S*)", linked)[1]
    names = subprocess.run(["nm", "-D", "--undefined-only", comex], capture_output=True, text=True, check=True).stdout
    table = (job.HERE / "steps.def").read_text(encoding="utf-8")
    known = set(re.findall(r"\bMPI\((\w+),", table)) | {"Abort", "Error_string", "Initialized", "Finalized"}
    return sorted(set(re.findall(r"\bPMPI_(\w+)", names)) - known)


def draw(asked, names, chance):
    """The (layout, point) to run, or all that there are."""
    work = []
    for name in names:
        layout = job.LAYOUTS[name]
        wanted = asked.points // len(names)
        if layout.is_cluster:
            kinds = RANDOM_IN_CLUSTER if layout.hosts is None else DEATHS_IN_CLUSTER
            points = random_points(kinds, layout.ranks, wanted, chance)
        else:
            points = list(points_of(job.record(asked.program, asked.library, layout), layout))
            if layout.hosts is not None:
                points = [point for point in points if survivors.is_drawn(layout, point)]
            if name != job.WORLDS and layout.doomed is None:
                kinds = RANDOM if layout.hosts is None else RANDOM_DEATHS[:layout.hosts]
                points += random_points(kinds, layout.ranks, wanted, chance)
            points = [point for point in points if re.fullmatch(asked.match, point.name)]
            if asked.each:
                points = one_of_each(points, chance)
            elif not asked.list:
                points = spread(points, wanted, chance, SHARES if layout.hosts is None else SHARES_OF_DEATHS)
        work += [(name, point) for point in points]
    return work


def run_all(asked, work):
    """How many points of each kind were right, and how many not reached, skipped or wrong."""
    tally = Counter()

    def one(name, point):
        try:
            if job.LAYOUTS[name].is_cluster and not asked.inside:
                problem, is_reached, text = in_cluster(asked, name, point)
            else:
                options, library = cluster_options(asked.library) if asked.inside else ((), asked.library)
                problem, is_reached, text = job.run(asked.program, library, job.LAYOUTS[name], point, asked.pause,
                                                    options)
        except job.Skipped as skipped:
            tally["skipped"] += 1
            print(f"skipped {point.name}: {skipped}")
            return
        if problem is None:
            tally[point.kind() if is_reached else "not reached"] += 1
            if asked.point:
                print(f"{point.name}: {'right' if is_reached else 'not reached'}\n{text}", end="")
            return
        tally["wrong"] += 1
        print(f"WRONG --layout {name} --point '{point.name}': {problem}\n{text}", end="", flush=True)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, *zip(*work)))
    print(", ".join(f"{kind}: {count}" for kind, count in sorted(tally.items())))
    return tally


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layout", choices=job.LAYOUTS)
    parser.add_argument("--go-on", action="store_true")
    parser.add_argument("--points", type=int, default=100)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--match", default=".*")
    parser.add_argument("--point", action="append")
    parser.add_argument("--pause", type=float, default=2)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("program")
    parser.add_argument("library")
    asked = parser.parse_args()
    if missing := untested_imports(asked.program):
        print(f"steps.def lacks what libcomex calls: {missing}")
        return 1
    names = [asked.layout] if asked.layout else job.GOING_ON if asked.go_on else job.ENDING
    if asked.point:
        work = [(name, Point(point)) for name in names for point in asked.point]
    else:
        seed = int(os.environ.get("COMEX_TEST_SEED", random.randrange(1 << 30)))
        print(f"seed {seed}")
        chance = random.Random(seed)
        work = draw(asked, names, chance)
    if asked.list:
        for name, point in work:
            print(f"--layout {name} --point '{point.name}'")
        return 0
    if not work:
        print("there is no such point")
        return 2
    tally = run_all(asked, work)
    if not asked.point and not asked.each and tally["not reached"]:
        # Another job may not take a step that the recorded one took: others are drawn in place of those points.
        more = run_all(asked, draw(asked, names, chance)[:tally["not reached"]])
        tally.subtract({"not reached": tally["not reached"]})
        tally.update(more)
    if tally["skipped"] == len(work):
        return 77
    if not asked.inside and tally["not reached"] > (0 if asked.point else len(work) // 3):
        print("too few of the points were reached")
        return 1
    return 1 if tally["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
