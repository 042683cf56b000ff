"""How NWChem is launched: layouts of workers, hosts and progress ranks, one run of one input, what it cost."""
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Layout:
    workers: int
    hosts: int = 1
    progress: int = 1       # ranks of each host that serve; none with ARMCI-MPI
    cluster: bool = False   # hosts of their own network and /dev/shm, else cuts of this one

    def ranks(self):
        return self.workers + self.hosts * self.progress

    def even(self):
        return self.workers % self.hosts == 0

    def name(self):
        kind = "host" if self.hosts == 1 else "hosts of a virtual cluster" if self.cluster else "virtual hosts"
        return f"{count(self.workers, 'worker')}, {self.hosts} {kind}, {count(self.progress, 'progress rank')} each"

    def short(self):
        return f"{self.workers}w-{self.hosts}{'c' if self.cluster else 'h'}-{self.progress}p"


def count(number, what):
    return f"{number} {what}{'' if number == 1 else 's'}"


@dataclass
class Run:
    status: int
    wall: float
    process: float  # seconds of the processor, user and system, of all ranks and the launcher
    output: Path


class Launcher:
    def __init__(self, top, source, mpi):
        self.top, self.source, self.mpi = Path(top), Path(source), mpi
        self.yields = False  # MPICH's waits give their core away: for runs whose time does not count
        self.checks = False  # races are looked for
        self.work = self.top / "build/nwchem"
        # The mpirun that CMake found, and beside it what MPICH's ranks preload.
        self.path = self.top / f"build/release{'-mpich' if mpi == 'mpich' else ''}/mpi"
        self.preload = self.path / "yield_in_progress.so"
        self.checker = self.path.parent / "lib/libcomex_check.so"

    def program(self, armci):
        return self.work / "bin" / f"nwchem-{self.mpi}-{armci}"

    def environment(self, layout):
        wanted = dict(os.environ)
        wanted.pop("COMEX_VIRTUAL_HOSTS", None)
        wanted.update({
            "PATH": f"{self.path}:{wanted['PATH']}",
            "COMEX_TEST_MPI": self.mpi,
            "GA_NUM_PROGRESS_RANKS_PER_NODE": str(layout.progress),
            "NWCHEM_BASIS_LIBRARY": f"{self.source}/src/basis/libraries/",
            "OMP_NUM_THREADS": "1",
        })
        if layout.hosts > 1 and not layout.cluster:
            wanted["COMEX_VIRTUAL_HOSTS"] = str(layout.hosts)
        if layout.cluster:
            wanted["VRUN_SHM"] = "2g"
        preloaded = [self.preload] if self.yields and self.preload.exists() else []
        if self.checks:
            preloaded.append(self.checker)
            wanted["COMEX_CHECK"] = "1"
        if preloaded:
            wanted["LD_PRELOAD"] = ":".join(map(str, preloaded))
        return wanted

    def command(self, layout, program, file, seconds):
        if layout.cluster:
            each = layout.ranks() // layout.hosts
            return [self.top / "tests/hosts/on_hosts", layout.hosts, each, "block", "full", seconds, program, file]
        return ["timeout", "-k", 5, seconds, self.top / "tests/support/mpirun", "-np", layout.ranks(), program, file]

    def run(self, armci, layout, file, place, seconds=600):
        """Runs the input `file` in the empty folder `place`; what it prints is in `place`.out."""
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        output = place.with_name(place.name + ".out")
        words = [str(word) for word in self.command(layout, self.program(armci), file, seconds)]
        begin = time.monotonic()
        with open(output, "wb") as to:
            child = subprocess.Popen(words, cwd=place, env=self.environment(layout), stdin=subprocess.DEVNULL,
                                     stdout=to, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(child.pid, 0)  # with all that the launcher waited for
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - begin
        shutil.rmtree(place, ignore_errors=True)
        return Run(child.returncode, wall, usage.ru_utime + usage.ru_stime, output)
