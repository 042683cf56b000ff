"""One launch of one column: builds the command, runs it under a time limit, reads the rows it prints."""
import os
import re
import shlex
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field, replace

import columns
import mpis

ROW = re.compile(r"ROW (\S+) (\S+) (.+) (verified|WRONG|absent)$")

SERVICE = " this load suggests "
TOKEN = "BENCH_JOB"  # in every process of a job, to know it by; no name that the runtime would take for a setting
PUSHED = re.compile(r"batches sent for computing workers: (\d+), after ([\d.]+) us on average, ([\d.]+) us at most")


@dataclass
class Plan:
    """What all launches of a run share."""
    own: mpis.Build
    vrun: str
    workers: int
    options: list
    seconds: int
    cores: str = ""

    def build_of(self, column):
        return mpis.beside(self.own) if column.mpi else self.own


@dataclass
class Outcome:
    rows: dict = field(default_factory=dict)  # name -> (value or None, unit, verified | WRONG | absent)
    problem: str = ""
    skipped: str = ""
    service: list = field(default_factory=list)  # what progress ranks say of themselves under COMEX_VERBOSE


def program_path(column, plan):
    return column.program if os.path.isabs(column.program) else os.path.join(plan.build_of(column).bin, column.program)


def command(column, plan, options):
    """The whole command line. mpirun has its own time limit below the driver's, so that it tidies up after itself."""
    program = [program_path(column, plan)] + options
    limit = ["timeout", "-k", "5", str(plan.seconds)]
    ranks = column.ranks(plan.workers)
    if column.place == "cluster":
        here = column.first_target(plan.workers)
        hosts = f"vh1:{here + column.progress_ranks},vh2:{plan.workers - here + column.progress_ranks}"
        words = shlex.join([*column.mpi_options, "--host", hosts, "-np", str(ranks)] + program)
        line = [plan.vrun, "2", "sh", "-c", f"{shlex.join(limit)} mpirun $VMPI {words}"]
    else:
        line = limit + [*mpis.LAUNCHERS[plan.build_of(column).mpi], *column.mpi_options, "-np", str(ranks)] + program
    return (["taskset", "-c", plan.cores] if plan.cores else []) + line


def environment(column, plan, token=""):
    env = {k: v for k, v in os.environ.items() if not k.startswith("COMEX_VIRTUAL")}
    env.update(plan.build_of(column).environment())
    env[TOKEN] = token
    env.update(column.environment)
    return env


def measuring_options(column, plan):
    lacks = ["--without", ",".join(column.lacks)] if column.lacks else []
    return plan.options + lacks + ["--workers", str(plan.workers), "--first-target", str(column.first_target(plan.workers))]


def start(column, plan, options, token=""):
    return subprocess.Popen(command(column, plan, options), env=environment(column, plan, token), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)


def finish(process, seconds):
    """The output; the whole session of a launch that outlives even its own limit is ended, or when the run is."""
    try:
        return process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        end_session(process)
        return process.communicate()[0]
    except KeyboardInterrupt:
        end_session(process)
        raise


def end_session(process):
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def turned(items, number):
    """The order of that round: each begins with another one, so that none always follows the same one."""
    at = number % len(items) if items else 0
    return items[at:] + items[:at]


def figure(text):
    """Not a number for what is none, which no row may have."""
    try:
        return None if text == "-" else float(text)
    except ValueError:
        return float("nan")


def read_rows(text):
    rows = {}
    for line in text.splitlines():
        match = ROW.match(line.strip())
        if match:
            name, value, unit, verdict = match.groups()
            rows[name] = (figure(value), unit, verdict)
    return rows


def run(column, plan):
    outcome = Outcome()
    process = start(column, plan, measuring_options(column, plan))
    text = finish(process, plan.seconds + 30)
    outcome.rows = read_rows(text)
    outcome.service = [line.strip() for line in text.splitlines() if SERVICE in line]
    if process.returncode == 77:
        outcome.skipped = text.strip().splitlines()[-1] if text.strip() else "skipped"
    elif process.returncode != 0:
        said = [line for line in text.splitlines() if not line.startswith("ROW ")][-15:]
        why = f"ended after {plan.seconds} s" if process.returncode == 124 else f"status {process.returncode}"
        outcome.problem = why + "\n" + "\n".join(said)
    return outcome


# -- what the progress ranks count

def pushed_rows(outcome):
    """From what the progress ranks of a launch said: how long batches that their workers left alone lay there."""
    found = [tuple(map(float, told)) for line in outcome.service for told in PUSHED.findall(line)]
    batches = sum(count for count, _, _ in found)
    if not batches:
        return {}
    is_right = outcome.rows.get("unattended.put.8", (None, "", ""))[2] == "verified" and not outcome.problem
    waited = sum(count * mean for count, mean, _ in found) / batches
    return {row: (us * 1e3, "ns", "verified" if is_right else "WRONG")
            for row, us in zip(columns.PUSH_ROWS, (waited, max(longest for _, _, longest in found)))}


def pushed(column, plan):
    """The rows of a launch whose origin leaves puts alone, and whose progress ranks tell what they have counted."""
    told = replace(column, environment={**column.environment, "COMEX_VERBOSE": "1"})
    at = plan.options.index("--rows") if "--rows" in plan.options else len(plan.options)
    return pushed_rows(run(told, replace(plan, options=plan.options[:at] + ["--rows", "unattended"] + plan.options[at + 2:])))


# -- a sleeping job, seen from outside


def ranks_of(token):
    """Process id -> rank, of the ranks of the job with this token."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue  # it has ended, or is not ours to see
        ranks = [w.partition(b"=")[2].decode() for w in words if w.startswith(mpis.RANK_VARIABLES)]
        if ranks and f"{TOKEN}={token}".encode() in words:
            found[pid] = ranks[0]
    return found


def ran_ns(token):
    """Nanoseconds that each rank has been on a core so far, with all of its threads."""
    found = {}
    for pid in ranks_of(token):
        try:
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
                    found[pid] = found.get(pid, 0) + int(file.read().split()[0])
        except OSError:
            found.pop(pid, None)  # it has ended, which makes the job not whole
    return found


def memory_of(token):
    """(private bytes of a rank on average, memory that the ranks share), as the kernel counts them."""
    private, shared, ranks = 0, 0, ranks_of(token)
    for pid in ranks:
        try:
            with open(f"/proc/{pid}/smaps_rollup") as file:
                told = file.readlines()
        except OSError:
            return None  # it has ended: the job does not sleep
        for line in told:
            name, _, rest = line.partition(":")
            if name in ("Private_Clean", "Private_Dirty"):
                private += int(rest.split()[0]) * 1024
            elif name == "Pss_Shmem":
                shared += int(rest.split()[0]) * 1024
    return (private / len(ranks), shared) if ranks else None


@dataclass
class Asleep:
    """What a job said whose workers slept."""
    workers: list = field(default_factory=list)  # their ranks, as they say themselves
    rows: dict = field(default_factory=dict)
    status: int = 0


def while_asleep(column, plan, seconds, look, requests=0):
    """(what `look(token)` finds while all workers of a job sleep, None when the job did not start; what the job said)."""
    token = f"{os.getpid()}.{time.monotonic_ns()}"
    options = ["--workers", str(plan.workers), "--sleep", str(int(seconds) + 3), "--requests", str(requests)]
    process = start(column, plan, options, token)
    end_of_it = threading.Timer(plan.seconds + 30, end_session, [process])  # mpirun's own limit comes before
    end_of_it.start()
    said, found, lines = Asleep(), None, []
    try:
        for line in process.stdout:
            lines.append(line.strip())
            if line.startswith("worker "):
                said.workers.append(line.split()[1])
            if found is None and "asleep" in lines and len(said.workers) == plan.workers:
                time.sleep(2)  # until naps are as long as they get, of 2 ms too
                found = look(token)
        finish(process, plan.seconds + 30)
    finally:
        end_of_it.cancel()
        end_session(process)
    said.rows, said.status = read_rows("\n".join(lines)), process.returncode
    return found, said


def idle_verdict(column, plan, before, after, ranks, said):
    """Whether what ran was this job with its progress ranks, from beginning to end, and answered rightly behind it."""
    servers = set(ranks.values()) - set(said.workers)
    is_whole = len(ranks) == column.ranks(plan.workers) and len(servers) == column.hosts * column.progress_ranks
    answered = said.rows.get("idle.first_get", (None, "", "missing"))[2] == "verified"
    is_same = before.keys() == after.keys() == ranks.keys()
    return "verified" if is_whole and is_same and answered and said.status == 0 else "WRONG"


def idle(column, plan, seconds, requests):
    """The rows of a job that sleeps: percent of a core that a host's ranks use together while all workers sleep, and
    what the requests take that come then. Nothing where there was no such job."""
    def look(token):
        before, began = ran_ns(token), time.monotonic()
        time.sleep(seconds)
        after, ended = ran_ns(token), time.monotonic()
        return before, after, ended - began, ranks_of(token)
    found, said = while_asleep(column, plan, seconds, look, requests)
    if found is None or not found[0]:
        return {}
    before, after, taken, ranks = found
    used = sum(after[pid] - before[pid] for pid in before.keys() & after.keys()) / taken / 1e7 / column.hosts
    return {"idle": (used, "percent of a core", idle_verdict(column, plan, before, after, ranks, said)), **said.rows}
