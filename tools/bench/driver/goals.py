"""The figures to reach, each a limit computed from the same run, and whether the run keeps it.

A goal looks at one row and column; the limit comes from the floors or competitors beside it. Where the run lacks one of
them, the goal is not judged."""
from dataclasses import dataclass

from results import title

SIZES = (8, 64, 512, 4096, 32768, 262144, 2097152, 4194304)
BIG = (262144, 2097152, 4194304)
STRIPE = 16384


@dataclass
class Judged:
    topic: str
    what: str
    measured: float
    limit: float
    unit: str

    @property
    def is_met(self):
        return self.measured <= self.limit


def near(run):
    floor = lambda row: run.median(row, "floors")
    for size in SIZES:
        for verb in ("put", "get"):
            row = f"{verb}.{size}"
            yield "same host: put, get within 5 % + 10 ns of the floor", row, "comex", floor(row), 1.05, 10
        row = f"acc.{size}"
        stripes = 10 * -(-size // STRIPE)
        yield "same host: acc within 10 % + 20 ns + 10 ns a stripe", row, "comex", floor(row), 1.10, 20 + stripes
    for other in ("armci_mpi", "rma"):
        for row in ("put.8", "get.8"):
            yield "same host: 8 B four times ahead of ARMCI-MPI and MPI RMA", row, "comex", run.median(row, other), 0.25, 0
    for verb in ("puts", "gets", "accs"):
        for shape in ("128x512", "16x4096", "32x32x256"):
            row = f"{verb}.{shape}"
            factor = 1.3 if verb == "accs" and shape.endswith("x256") else 1.10
            yield "same host: strided within 10 % + 20 ns of the plain loop", row, "comex", floor(row), factor, 20
    for row in ("fetch_add.alone", "compare_swap"):
        yield "same host: the atomic + 10 ns", row, "comex", floor(row), 1, 10


def meetings(run):
    workers = run.about.get("workers", 2)
    cores = run.about.get("cores", 2)
    yield "same host: lock alone under 50 ns", "lock.alone", "comex", 50, 1, 0
    if workers == 2:
        yield "same host: lock by two under 0.6 us", "lock.all", "comex", 600, 1, 0
    elif workers > cores:
        yield "same host: at most two futex hand-offs", "lock.all", "comex", run.median("floor.futex_handoff", "floors"), 2, 0
    yield "same host: longest wait at most twice the mean", "lock.longest_wait", "comex", 2, 1, 0
    yield "barrier ahead of MPI_Barrier", "barrier", "comex", run.median("barrier", "floors"), 1, 0
    for row in ("get_compute_acc", "gups"):
        for other in ("armci_mpi", "rma"):
            yield "kernels ahead of ARMCI-MPI and MPI RMA", row, "comex", run.median(row, other), 1, 0


def far_strided(run, column, percent):
    for shape, size in (("128x512", 65536), ("16x4096", 65536), ("32x32x256", 262144)):
        for verb in ("put", "get"):
            yield f"{column}: strided at {percent} % of contiguous", f"{verb}s.{shape}", column, \
                run.median(f"{verb}.{size}", column), 100 / percent, 0


def far(run, place):
    floors = f"floors_{place}"
    trip = run.median("floor.send_reply.8", floors)
    factor, extra = (1, 200) if place == "virtual" else (1.15, 0)
    for row in ("get.8", "fetch_add.alone", "put_fence.8"):
        yield f"{place}: a small request within " + ("200 ns" if extra else "15 %") + " of send + reply", row, place, trip, factor, extra
    yield f"{place}: lock + unlock within two round trips", "lock.alone", place, trip, 2, 0
    for size in BIG:
        for verb in ("put", "get"):
            row = f"{verb}.{size}"
            streams = place == "cluster" and size >= 1 << 20
            yield (f"{place}: large put, get " + ("ahead of" if streams else "within 5 % of") + " MPI"), row, place, \
                run.median(row, floors), 1 if streams else 1 / 0.95, 0
        row = f"acc.{size}"
        message, adding = run.median(f"put.{size}", floors), run.median(row, "floors")
        if message and adding:
            limit = message + adding if place == "virtual" else message
            yield f"{place}: large acc within 15 % of message and addition", row, place, limit, 1 / 0.85, 0
    yield from far_strided(run, place, 85)
    ahead = 5 if place == "virtual" else 100
    for row in ("nbput.8", "nbacc.8", "nbrmw.8"):
        yield f"{place}: non-blocking 8 B at {ahead} times MPI's rate", row, place, run.median(row, floors), 1 / ahead, 0
    yield f"{place}: idle progress rank under 3 % of a core", "idle", place, 3, 1, 0
    yield f"{place}: first request after idling within 350 us", "first_get.idle", place, 350e3, 1, 0
    yield f"{place}: first request beside computing within 300 us", "first_get.busy", place, 300e3, 1, 0
    yield f"{place}: 8 B beside large puts, 99th percentile under 1 ms", "beside_put.get.8", place, 1e6, 1, 0
    if place == "virtual":
        yield f"{place}: later requests beside computing within 2 us", "busy.get.8", place, 2e3, 1, 0


def oversubscribed(run):
    """One active origin among more processes than cores: every row ahead of ARMCI-MPI."""
    if run.about.get("workers", 2) <= run.about.get("cores", 2):
        return
    for row, entry in run.rows.items():
        if entry["unit"] == "ns" and not row.startswith(("idle", "init")):
            yield "oversubscribed: every row ahead of ARMCI-MPI", row, "comex", run.median(row, "armci_mpi"), 1, 0


def beside_fewer(run, fewer):
    """The same rows with fewer workers, of another run on the same machine."""
    for row, entry in run.rows.items():
        origin_alone = not row.startswith(("barrier", "lock.all", "lock.longest", "fetch_add.all", "idle", "init"))
        if entry["unit"] == "ns" and origin_alone:
            yield "oversubscribed: every row within three times that of fewer workers", row, "comex", \
                fewer.median(row, "comex"), 3, 0


def judge(run, fewer=None):
    rules = [*near(run), *meetings(run), *far(run, "virtual"), *far(run, "cluster"),
             *far_strided(run, "copied", 70), *oversubscribed(run)]
    if fewer is not None:
        rules += beside_fewer(run, fewer)
    rules.append(("same host: idle progress rank under 1 % of a core", "idle", "comex", 1, 1, 0))
    judged = []
    for topic, row, column, base, factor, extra in rules:
        measured = run.median(row, column)
        if measured is None or base is None:
            continue
        judged.append(Judged(topic, title(row), measured, base * factor + extra, run.rows[row]["unit"]))
    return judged


def by_topic(judged):
    topics = {}
    for one in judged:
        topics.setdefault(one.topic, []).append(one)
    return topics


def worst(found):
    return max(found, key=lambda one: one.measured / max(one.limit, 1e-9))
