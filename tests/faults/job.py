"""One job of the victim with one fault, and what is left of it (see faults.py)."""
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import survivors  # noqa: E402
from bad_link import make_bad  # noqa: E402
from waiting import wait_until  # noqa: E402
MPIRUN = str(HERE.parent / "support/mpirun")
LIMIT_S = 20  # within which a job with a fault has ended, if its layout has no other
START_LIMIT_S = 60
GOING_ON_LIMIT_S = 100  # the same for a job that goes on: it has to do all of its work, on a machine that may be slow
STALL_S = 1
PHASES = ("init malloc put_body get acc rmw lock barrier fence group_commit free spawn connect disconnect finalize "
          "held shrink malloc_kept keep recover").split()
COUNT = struct.Struct(f"32s{len(PHASES)}I")  # struct fault_count
FAILURE_LINE = re.compile(r"^comex: (?:a )?rank (?!.* has been waiting for ).*$", re.M)
NAMING_LINE = re.compile(r"^comex: rank \d+ on [^ ]+: \S", re.M)
LOST_LINE = re.compile(r"^comex: host \d+ \(\S+\) does not answer", re.M)


class Layout:
    """The victim's ranks, and of phases.cpp how many rounds take about a second."""

    def __init__(self, ranks, rounds, lines=1, doomed=None, hosts=None, is_cluster=False, limit_s=LIMIT_S, **settings):
        self.ranks = ranks
        self.rounds = rounds
        self.lines = lines  # about one failure, at most: those of other worlds lose a world
        self.doomed = doomed  # this worker of survivors.cpp dies by itself
        self.hosts = hosts  # how many there are in a job that goes on without its dead
        self.is_cluster = is_cluster  # of ../hosts/vrun, with the driver within
        self.limit_s = limit_s
        self.settings = settings

    def words(self, is_long):
        """Of the command; `is_long`: the fault may come at any moment."""
        if self.hosts is None:
            return [self.rounds if is_long else 1]
        return [self.rounds if is_long else 2] + ([] if self.doomed is None else [self.doomed])


LAYOUTS = {
    "one_host": Layout(3, 500),
    "two_hosts": Layout(5, 80, COMEX_VIRTUAL_HOSTS="2"),
    "no_progress_ranks": Layout(3, 100, COMEX_VIRTUAL_HOSTS="2", GA_NUM_PROGRESS_RANKS_PER_NODE="0",
                                COMEX_ARENA="posix"),
    "cluster": Layout(6, 60, is_cluster=True),
}
ENDING = ("one_host", "two_hosts", "no_progress_ranks")
# Of worlds.cpp, which spawns one more process: that one has the time to start, and each call the time to fail.
WORLDS = "worlds"
LAYOUTS[WORLDS] = Layout(3, 0, 4, limit_s=60, COMEX_MEET_S="15")
# Of survivors.cpp.
GO_ON = {"COMEX_ON_FAILURE": "continue", "COMEX_TIMEOUT_S": "6"}
GOING_ON = {
    "survivors_on_one_host": Layout(4, 400, hosts=1, **GO_ON),
    "survivors_on_two_hosts": Layout(6, 250, hosts=2, COMEX_VIRTUAL_HOSTS="2", **GO_ON),
    "survivors_of_two_on_one_host": Layout(5, 2, doomed=1, hosts=1, **GO_ON),
    "survivors_of_two_on_two_hosts": Layout(8, 2, doomed=1, hosts=2, COMEX_VIRTUAL_HOSTS="2", **GO_ON),
}
LAYOUTS.update(GOING_ON)
LAYOUTS["survivors_on_cluster"] = Layout(6, 100, hosts=2, is_cluster=True, **GO_ON)
CLUSTER = Path("/mnt")  # see vrun


class Skipped(Exception):
    """Says why this machine cannot do what a point asks for."""


def send(pid, what):
    """A signal to a process that may have ended, before it was found even; whether there was one."""
    try:
        if pid is not None:
            os.kill(pid, what)
        return pid is not None
    except ProcessLookupError:
        return False


def state_of(pid):
    """As /proc has it: T is stopped, Z a zombie; nothing if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return ""


def variables_of(pid):
    try:
        return set(Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"))
    except OSError:
        return set()


def names_in_shm():
    return {name for name in os.listdir("/dev/shm") if name.startswith("comex")}


class Job:
    """Starts the victim; `folder` tells its processes from those of any other job."""

    def __init__(self, program, library, layout, folder, point="", words=(1,), options=(), kills=()):
        self.program = os.path.realpath(program)
        self.folder = folder
        (folder / "page").write_bytes(bytes(4096))
        self.mark = f"COMEX_TEST_FAULTS={folder}".encode()
        settings = {"COMEX_TEST_FAULTS": str(folder), "COMEX_TEST_FAULT": point, "LD_PRELOAD": library}
        if kills:
            settings["COMEX_TEST_FAULT_KILLS"] = ",".join(map(str, kills))
        command = [MPIRUN, "--scratch", str(folder)]
        for name, value in settings.items():
            command += ["-x", f"{name}={value}"]
        if layout.hosts is not None:
            command.append("--go-on")
        command += [*options, "-np", str(layout.ranks), program, *map(str, words)]
        environment = {**os.environ, "COMEX_STALL_S": str(STALL_S), "TMPDIR": str(folder), **layout.settings}
        self.fault_phase = point.partition("/")[0]
        self.said = open(folder / "said", "wb")  # closed by end()
        self.launcher = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=self.said,
                                         stderr=subprocess.STDOUT)

    def text(self):
        return (self.folder / "said").read_text(encoding="utf-8", errors="replace")

    def word(self, index):
        """Of struct fault_page."""
        return struct.unpack_from("I", (self.folder / "page").read_bytes(), 4 * index)[0]

    def phase(self):
        return PHASES[self.word(0)]

    def is_hit(self):
        return self.word(1) != 0

    def hit(self):
        with open(self.folder / "page", "r+b") as page:
            page.seek(4)
            page.write(struct.pack("I", 1))

    def ask_to_end(self, ranks):
        first = struct.calcsize("III32i")  # of the words `ends`
        with open(self.folder / "page", "r+b") as page:
            for rank in ranks:
                page.seek(first + 4 * rank)
                page.write(struct.pack("I", 1))

    def pid_of(self, rank):
        wanted = {f"{name}={rank}".encode() for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK")}
        for pid in self.pids():
            if wanted & variables_of(pid):
                return pid
        return None

    def pids(self):
        found = []
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                if os.path.realpath(os.readlink(f"/proc/{name}/exe")) != self.program:
                    continue
            except OSError:
                continue
            if self.mark in variables_of(name) and state_of(name) not in ("", "Z"):
                found.append(int(name))
        return found

    def stopped(self):
        return [pid for pid in self.pids() if state_of(pid) == "T"]

    def steps(self):
        """{(rank, phase, function): how many steps} so far."""
        steps = {}
        for file in sorted(self.folder.glob("steps.*")):
            rank = int(file.suffix[1:])
            for name, *counts in COUNT.iter_unpack(file.read_bytes()):
                function = name.rstrip(b"\0").decode()
                for phase, count in zip(PHASES, counts):
                    if function and count:
                        steps[rank, phase, function] = count
        return steps

    def has_ended(self):
        return self.launcher.poll() is not None

    def end(self):
        for pid in self.pids():
            send(pid, signal.SIGKILL)
        if not self.has_ended():
            self.launcher.kill()
        self.launcher.wait()
        self.said.close()


def record(program, library, layout):
    """{(rank, phase, function): how many steps} of a job without a fault."""
    with tempfile.TemporaryDirectory() as scratch:
        job = Job(program, library, layout, Path(scratch), words=layout.words(False))
        try:
            is_over = wait_until(job.has_ended, 2 * layout.limit_s)
            if not is_over or (job.launcher.returncode != 0 and layout.doomed is None):
                raise SystemExit(f"the job does not even end well without a fault:\n{job.text()}")
        finally:
            job.end()
        return job.steps()


def look_at_others(job, layout, phase):
    """Whether they say that they wait, or fail. Who waits in MPI itself, to make a communicator or to end, cannot."""
    if phase in ("init", "group_commit", "finalize"):
        return None
    if wait_until(lambda: NAMING_LINE.search(job.text()) or LOST_LINE.search(job.text()), layout.limit_s):
        return None
    # A progress rank that nobody needed any more: the others are in MPI_Finalize.
    if "all data right" in job.text() or survivors.all_have_left(layout, job.text()):
        return None
    return f"nobody says that he waits, {layout.limit_s} s after the fault"


def look_at_stop(job, layout, point, pause_s):
    """Lets a stopped process go on, or looks whether the others say whom they wait for. What is wrong, or nothing."""
    if not wait_until(lambda: job.stopped() or job.has_ended(), layout.limit_s) or not job.stopped():
        return None  # the point was not reached
    if point.action == "pause":
        time.sleep(pause_s)
        for pid in job.stopped():
            send(pid, signal.SIGCONT)
        return None
    return look_at_others(job, layout, job.phase() if point.phase == "random" else point.phase)


def kill_host(job, layout, point):
    """All ranks of the host of this one, which end before their next steps, or wait or compute."""
    ranks = survivors.ranks_with(layout, point.place)
    pids = [job.pid_of(rank) for rank in ranks]
    if any(pids):
        job.hit()
    job.ask_to_end(ranks)
    time.sleep(0.2)
    for pid in pids:
        send(pid, signal.SIGKILL)


def kill_last(job, layout, point):
    """The progress rank of a host, when it has told that all workers have died."""
    *workers, server = survivors.ranks_with(layout, point.place)
    told = [re.compile(rf"^comex: worker {survivors.worker_of(layout, rank)} on \S+ has died", re.M) for rank in workers]
    wait_until(lambda: job.has_ended() or all(line.search(job.text()) for line in told), LIMIT_S)
    time.sleep(0.1)
    send(job.pid_of(server), signal.SIGKILL)


def change_link(action, host, pause_s, job, layout):
    """Of a host of the cluster; what is wrong, or nothing."""
    link = f"v{host}"
    if action in ("delay", "loss"):
        make_bad(host, delay_s=0.001) if action == "delay" else make_bad(host, loss=0.005)
        return None
    subprocess.run(["ip", "link", "set", link, "down"], check=True)
    if action == "cut":
        return look_at_others(job, layout, job.phase())
    time.sleep(pause_s)
    subprocess.run(["ip", "link", "set", link, "up"], check=True)
    return None


def disturb(job, layout, point, pause_s):
    """At a moment that is no step. What is wrong, or nothing."""
    if not wait_until(lambda: len(job.pids()) == layout.ranks or job.has_ended(), START_LIMIT_S):
        return "the job does not start"
    # Nothing is promised in init.
    if layout.hosts is not None and not wait_until(lambda: job.phase() != "init" or job.has_ended(), START_LIMIT_S):
        return "the job does not start"
    time.sleep(point.ordinal / 1000)
    pid = job.pid_of(point.place) if point.function == "rank" else job.launcher.pid
    if point.function == "host":
        pid = int((CLUSTER / f"vh{point.place}/ready").read_text(encoding="utf-8"))
    if job.has_ended() or pid is None:
        return None
    job.fault_phase = job.phase()
    if point.action == "host":
        return kill_host(job, layout, point)
    if point.function == "link":
        job.hit()
        return change_link(point.action, point.place, pause_s, job, layout)
    # A process that is about to end takes a signal, but neither stops nor dies of it.
    send(pid, signal.SIGSTOP)
    if not wait_until(lambda: state_of(pid) in ("T", "Z", ""), LIMIT_S) or state_of(pid) != "T":
        return None
    job.hit()
    if point.action == "kill":
        send(pid, signal.SIGKILL)
        return None
    return look_at_stop(job, layout, point, pause_s)


def judge_end(job, layout, point):
    """What is wrong with how the job has ended, or nothing."""
    text = job.text()
    status = job.launcher.returncode
    if ": wrong: " in text:
        return "wrong data"
    if "comex: bug at" in text:
        return "a fault is told as a bug"
    if status == 0:
        if ": all data right" not in text:
            return "status 0, and the data was not checked"
        return "status 0, and a process was killed" if point.action == "kill" and job.is_hit() else None
    if not job.is_hit():
        return f"status {status} without a fault"
    if point.action == "kill":
        return None
    if point.action in ("pause", "heal", "delay", "loss"):
        return f"status {status}, and nothing was lost"
    lines = FAILURE_LINE.findall(text)
    if not lines and job.word(2):
        return None  # MPI has ended the job as the program's communicator says
    if not 1 <= len(lines) <= layout.lines:
        return f"{len(lines)} lines about a failure, not {layout.lines}"
    if not all(NAMING_LINE.match(line) for line in lines):
        return "a line does not name rank, host and operation"
    # Of a meeting that fails, the time limit of another member may be told first.
    if point.action == "mpi" and layout.lines == 1 and not any(point.function.removeprefix("P") in line for line in lines):
        return "no line names the call of MPI"
    return None


def is_at_end(job, layout, point):
    """Whether nothing more has to come."""
    if layout.hosts is not None and job.fault_phase == "finalize" and survivors.have_left(job, layout, point):
        return True
    # Over several hosts the launcher may wait for the dead for ever.
    is_without_launcher = layout.is_cluster and layout.hosts is not None and survivors.have_left(job, layout, point)
    return (job.has_ended() or is_without_launcher) and not job.pids()


def run(program, library, layout, point, pause_s, options=()):
    """(what is wrong or None, whether the point was reached, what the job said)"""
    before = names_in_shm()
    with tempfile.TemporaryDirectory() as scratch:
        is_random = point.phase == "random"
        told_action = {"pause": "stop", "host": "kill", "fade": "kill"}.get(point.action, point.action)
        told_point = "" if is_random else f"{point.step}:{told_action}"
        is_bad_link = point.action in ("delay", "loss")
        limit_s = GOING_ON_LIMIT_S if is_bad_link or point.action in ("pause", "heal") else layout.limit_s
        words = layout.words(is_random or point.action == "fade")
        if is_bad_link:
            words[0] //= 3
        job = Job(program, library, layout, Path(scratch), told_point, words, options, survivors.killed_with(layout, point))
        problem = None
        try:
            if not is_random:  # limits count from the fault, since starts on a busy machine take long
                wait_until(lambda: job.is_hit() or job.has_ended(), START_LIMIT_S)
            if is_random:
                problem = disturb(job, layout, point, pause_s)
            elif point.action in ("stop", "pause"):
                problem = look_at_stop(job, layout, point, pause_s)
            elif point.action == "fade" and job.is_hit():
                kill_last(job, layout, point)
            is_over = (point.action == "stop" and bool(job.stopped())) or (point.action == "cut" and job.is_hit())
            if is_over:
                job.end()
            elif not wait_until(lambda: is_at_end(job, layout, point), limit_s):
                if job.pids():
                    problem = f"still running after {limit_s} s: {job.pids()}"
                else:  # all of the job is gone: this one is the MPI library's to mend
                    print(f"note: the launcher hangs after its job has ended ({point.name})")
                    if layout.hosts is None:
                        return None, True, ""
            if not is_over and problem is None:
                judge = survivors.judge if survivors.goes_on(job, layout, point) else judge_end
                problem = judge(job, layout, point)
            is_reached = job.is_hit()
            text = job.text()
        finally:
            job.end()
        left = names_in_shm() - before
        if left:
            problem = f"left in /dev/shm: {left}"
        return problem, is_reached, text
