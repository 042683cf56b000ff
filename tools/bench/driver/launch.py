"""One launch of one column: builds the command, runs it under a time limit, reads the rows it prints."""
import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass, field

ROW = re.compile(r"ROW (\S+) (\S+) (.+) (verified|WRONG|absent)$")

SERVICE = " this load suggests "


@dataclass
class Plan:
    """What all launches of a run share."""
    bin: str
    vrun: str
    workers: int
    options: list
    seconds: int
    cores: str = ""


@dataclass
class Outcome:
    rows: dict = field(default_factory=dict)  # name -> (value or None, unit, verified | WRONG | absent)
    problem: str = ""
    skipped: str = ""
    service: list = field(default_factory=list)  # what progress ranks say of themselves under COMEX_VERBOSE


def program_path(column, plan):
    return column.program if os.path.isabs(column.program) else os.path.join(plan.bin, column.program)


def command(column, plan, options):
    """The whole command line. mpirun has its own time limit below the driver's, so that it tidies up after itself."""
    program = [program_path(column, plan)] + options
    limit = ["timeout", "-k", "5", str(plan.seconds)]
    ranks = column.ranks(plan.workers)
    if column.place == "cluster":
        here = column.first_target(plan.workers)
        hosts = f"vh1:{here + column.progress_ranks},vh2:{plan.workers - here + column.progress_ranks}"
        inside = " ".join(limit + ["mpirun", "$VMPI", *column.mpi_options, "--host", hosts, "-np", str(ranks)] + program)
        line = [plan.vrun, "2", "sh", "-c", inside]
    else:
        line = limit + ["mpirun", "--oversubscribe", "--bind-to", "none", *column.mpi_options, "-np", str(ranks)]
        line += program
    return (["taskset", "-c", plan.cores] if plan.cores else []) + line


def environment(column, token=""):
    env = {k: v for k, v in os.environ.items() if not k.startswith("COMEX_VIRTUAL")}
    env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", COMEX_BENCH_JOB=token)
    env.update(column.environment)
    return env


def measuring_options(column, plan):
    return plan.options + ["--workers", str(plan.workers), "--first-target", str(column.first_target(plan.workers))]


def start(column, plan, options, token=""):
    return subprocess.Popen(command(column, plan, options), env=environment(column, token), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)


def finish(process, seconds):
    """The output; the whole session of a launch that outlives even its own limit is ended."""
    try:
        return process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()[0]


def read_rows(text):
    rows = {}
    for line in text.splitlines():
        match = ROW.match(line.strip())
        if match:
            name, value, unit, verdict = match.groups()
            rows[name] = (None if value == "-" else float(value), unit, verdict)
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


# -- a sleeping job, seen from outside

def ranks_of(token):
    """Process ids of the ranks of the job with this token."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue  # it has ended, or is not ours to see
        if f"COMEX_BENCH_JOB={token}".encode() in words and any(w.startswith(b"OMPI_COMM_WORLD_RANK=") for w in words):
            found.append(pid)
    return found


def ran_ns(token):
    """Nanoseconds that each rank has been on a core so far."""
    found = {}
    for pid in ranks_of(token):
        with open(f"/proc/{pid}/schedstat") as file:
            found[pid] = int(file.read().split()[0])
    return found


def memory_of(token):
    """(private bytes of a rank on average, memory that the ranks share), as the kernel counts them."""
    private, shared, ranks = 0, 0, ranks_of(token)
    for pid in ranks:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            for line in file:
                name, _, rest = line.partition(":")
                if name in ("Private_Clean", "Private_Dirty"):
                    private += int(rest.split()[0]) * 1024
                elif name == "Pss_Shmem":
                    shared += int(rest.split()[0]) * 1024
    return (private / len(ranks), shared) if ranks else None


def while_asleep(column, plan, seconds, look):
    """What `look(token)` finds while all workers of a job sleep; None when the job did not start."""
    token = f"{os.getpid()}.{time.monotonic_ns()}"
    options = ["--workers", str(plan.workers), "--sleep", str(int(seconds) + 2)]
    process = start(column, plan, options, token)
    found = None
    for line in process.stdout:
        if line.strip() == "asleep":
            time.sleep(2)  # until naps are as long as they get, of 2 ms too
            found = look(token)
            break
    finish(process, plan.seconds + 30)
    return found


def idle_percent(column, plan, seconds):
    """Percent of a core that a host's ranks use together while all workers sleep."""
    def look(token):
        before, began = ran_ns(token), time.monotonic()
        time.sleep(seconds)
        after, ended = ran_ns(token), time.monotonic()
        if not before or before.keys() != after.keys():
            return None
        return sum(after[pid] - before[pid] for pid in before) / (ended - began) / 1e7 / column.hosts
    return while_asleep(column, plan, seconds, look)
