"""The figures to reach, each a limit computed from the same run, and whether the run keeps it.

A goal looks at one row and column; the limit comes from the floors or competitors beside it. Where the run has the column
but not its figure, or not the one beside it, the goal is told as not judged; one without its column is no goal of the run."""
from dataclasses import dataclass
from itertools import product

import mpis
from columns import PUSH_ROWS, all_columns, coalesce_us, is_named, wants_third
from results import GROUPS, group_of, more_is_better, title
from table import number

SIZES = (8, 64, 512, 4096, 32768, 262144, 2097152, 4194304)
BIG = (262144, 2097152, 4194304)
STRIPE = 16384
BARRIER = "barrier ahead of MPI_Barrier"
KERNELS = ("get_compute_acc", "gups")
LATER = "busy.get.8"
BESIDE_PUT = "beside_put.get.8"
BY_MESSAGE = ("forced", "virtual", "copied")
# To be kept in every round: its worst one is judged.
KEPT_ALWAYS = ("lock.longest_wait", "unattended.longest", BESIDE_PUT)


def on_any_mpi(*names):
    """These columns, and those of the MPI that the build does not use."""
    return names + tuple(f"{name}_{kind}" for name in names for kind in mpis.TITLES)


# Another runtime -> its columns, of which the better figure counts.
RIVALS = {"ARMCI-MPI": on_any_mpi("armci_mpi", "armci_mpi_sm"), "MPI RMA": on_any_mpi("rma")}
RIVALS_BY_MESSAGE = {"ARMCI-MPI": ("armci_mpi_messages",), "MPI RMA": ("rma_messages",)}
FLOORS_OF = {"virtual": ("floors_virtual", "floors"), "cluster": ("floors_cluster",)}
FAR_RIVALS = {"cluster": {"ARMCI-MPI": on_any_mpi("armci_mpi_cluster"), "MPI RMA": on_any_mpi("rma_cluster")},
              **dict.fromkeys(BY_MESSAGE, RIVALS_BY_MESSAGE)}


@dataclass
class Judged:
    topic: str
    what: str
    measured: float
    limit: float
    unit: str

    @property
    def strain(self):
        """Of the limit: at most 1 where it is kept."""
        least, most = (self.limit, self.measured) if more_is_better(self.unit) else (self.measured, self.limit)
        return least / most if most > 0 else 1.0 if least <= 0 else float("inf")

    @property
    def is_met(self):
        return self.strain <= 1


def has_column(run, column):
    return any(c["name"] == column and not c.get("absent") for c in run.columns)


def is_absent(run, row, column):
    """By what the column cannot have, or its program said."""
    if any(c.name == column and c.cannot_have(row) for c in all_columns()):
        return True
    cell = run.cell(row, column)
    if cell is not None:
        return cell.verdict == "absent"
    return wants_third(row) and run.about.get("workers", 2) < 3


def figure(run, row, column):
    """The median of the rounds; of what is to be kept in each of them, as a longest wait, the most."""
    median = run.median(row, column)
    return median if median is None or row not in KEPT_ALWAYS else max(run.cell(row, column).samples)


def best(run, row, columns):
    """The better of a runtime's figures."""
    found = [one for one in (figure(run, row, column) for column in columns) if one is not None]
    return (max if more_is_better(run.rows[row]["unit"]) else min)(found) if found else None


def those_that_ran(run, rivals):
    """Of the runtimes, with their columns that ran."""
    found = {name: [column for column in columns if has_column(run, column)] for name, columns in rivals.items()}
    return {name: columns for name, columns in found.items() if columns}


def near_rivals(run):
    """Where none ran, all are told as not judged."""
    return those_that_ran(run, RIVALS) or RIVALS


def is_whole(run):
    """Not of a few rows only, that were asked for by name: it has some of every group."""
    return {group_of(row) for row in run.rows} >= {name for name, _ in GROUPS}


def shared_rows(run, others, column="comex"):
    """Rows in which the column can be beside one of the others: those that both have, except the cost of idling, which has
    a goal of its own."""
    return [row for row in run.rows if not is_named(row, ["idle"]) and not is_absent(run, row, column)
            and not all(is_absent(run, row, other) for other in others)]


def near(run):
    floor = lambda row: run.median(row, "floors")
    for size in SIZES:
        for verb in ("put", "get"):
            row = f"{verb}.{size}"
            yield "same host: put, get within 5 % + 10 ns of the floor", row, "comex", floor(row), 1.05, 10
        row = f"acc.{size}"
        stripes = 10 * -(-size // STRIPE)
        yield "same host: acc within 10 % + 20 ns + 10 ns a stripe", row, "comex", floor(row), 1.10, 20 + stripes
    rivals = near_rivals(run)
    for others, row in product(rivals.values(), ("put.8", "get.8")):
        yield f"same host: 8 B four times ahead of {' and '.join(rivals)}", row, "comex", best(run, row, others), 0.25, 0
    for shape in ("128x512", "16x4096", "32x32x256"):
        for row in (f"puts.{shape}", f"gets.{shape}"):
            yield "same host: strided put, get within 10 % + 20 ns of the plain loop", row, "comex", floor(row), 1.10, 20
        row = f"accs.{shape}"
        yield "same host: strided acc within 10 % of the plain loop, 30 % where rows are below 512 B", row, "comex", \
            floor(row), 1.3 if shape.endswith("x256") else 1.10, 0
    for row in ("fetch_add.alone", "compare_swap"):
        yield "same host: the atomic + 10 ns", row, "comex", floor(row), 1, 10


def by_cpp(run):
    """The C++ interface beside the C calls that it makes."""
    for row in run.rows:
        if not is_absent(run, row, "comex_cpp") and run.rows[row]["unit"] == "ns":
            yield "same host: comex.hpp within 2 ns of C", row, "comex_cpp", run.median(row, "comex"), 1, 2


def meetings(run):
    workers = run.about.get("workers", 2)
    cores = run.about.get("cores", 2)
    yield "same host: lock alone under 50 ns", "lock.alone", "comex", 50, 1, 0
    if workers == 2:
        yield "same host: lock by two under 0.6 us", "lock.all", "comex", 600, 1, 0
    elif workers > cores:
        yield "same host: at most two futex hand-offs", "lock.all", "comex", run.median("floor.futex_handoff", "floors"), 2, 0
    yield "same host: longest wait at most twice the mean", "lock.longest_wait", "comex", 2, 1, 0
    barriers = [run.median("barrier", other) for other in ("floors", *on_any_mpi("rma"))]  # all are MPI's
    yield BARRIER, "barrier", "comex", min((b for b in barriers if b is not None), default=None), 1, 0
    rivals = near_rivals(run)
    for row, others in product(KERNELS, rivals.values()):
        yield f"kernels ahead of {' and '.join(rivals)}", row, "comex", best(run, row, others), 1, 0


def far_strided(run, column, percent):
    for shape, size in (("128x512", 65536), ("16x4096", 65536), ("32x32x256", 262144)):
        for verb in ("put", "get", "acc"):
            yield f"{column}: strided at {percent} % of contiguous", f"{verb}s.{shape}", column, \
                run.median(f"{verb}.{size}", column), 100 / percent, 0


def computing(run):
    """All workers but the one that asks."""
    others = run.about.get("workers", 2) - 1
    return {1: "a computing process", 2: "two computing processes"}.get(others, f"{others} computing processes")


def least_trip(run, place):
    """MPI's small message and its reply. Of virtual hosts the quicker of two: as many processes as ours, or one host's."""
    trips = [run.median("floor.send_reply.8", floors) for floors in FLOORS_OF[place]]
    return min((trip for trip in trips if trip is not None), default=None)


def far(run, place):
    floors = f"floors_{place}"
    trip = least_trip(run, place)
    factor, extra = (1, 200) if place == "virtual" else (1.15, 0)
    for row in ("get.8", "fetch_add.alone", "compare_swap", "put_fence.8"):
        yield f"{place}: a small request within " + ("200 ns" if extra else "15 %") + " of send + reply", row, place, trip, factor, extra
    yield f"{place}: lock + unlock within two round trips", "lock.alone", place, trip, 2, 0
    for size in BIG:
        for verb in ("put", "get"):
            row = f"{verb}.{size}"
            streams = place == "cluster" and size >= 1 << 20
            yield (f"{place}: large put, get " + ("ahead of" if streams else "within 5 % of") + " MPI"), row, place, \
                run.median(row, floors), 1 if streams else 1 / 0.95, 0
        row = f"acc.{size}"
        message, adding, parts = run.median(f"put.{size}", floors), run.median(row, "floors"), "the message alone"
        if place == "virtual":
            message, parts = message + adding if message and adding else None, "message and addition"
        yield f"{place}: large acc within 15 % of {parts}", row, place, message, 1 / 0.85, 0
    yield from far_strided(run, place, 85)
    ahead = 5 if place == "virtual" else 100
    for row in ("nbput.8", "nbacc.8", "nbrmw.8"):
        yield f"{place}: non-blocking 8 B at {ahead} times MPI's rate", row, place, run.median(row, floors), 1 / ahead, 0
    coalesce_ns = 1e3 * coalesce_us(run.about.get("settings", {}))
    for row in PUSH_ROWS if coalesce_ns else ():
        yield f"{place}: what nobody waits for is sent within COMEX_COALESCE_US", row, place, coalesce_ns, 1, 0
    yield f"{place}: idle progress rank under 3 % of a core", "idle", place, 3, 1, 0
    for row in ("first_get.idle", "idle.first_get"):  # the second in the state that the share is taken in
        yield f"{place}: first request after idling within 350 us", row, place, 350e3, 1, 0
    yield from beside_computing(run, place)
    yield beside_put(place)


def beside_put(column):
    return f"{column}: 8 B beside large puts, 99th percentile under 1 ms", BESIDE_PUT, column, 1e6, 1, 0


def beside_computing(run, column):
    """Where no more compute than there are cores."""
    if run.about.get("workers", 2) - 1 > run.about.get("cores", 2):
        return
    others = computing(run)
    yield f"{column}: first request beside {others} within 300 us", "first_get.busy", column, 300e3, 1, 0
    yield f"{column}: later requests beside {others} within 2 us", LATER, column, 2e3, 1, 0


def named(run, row, column):
    """The title, and the floor where the goal is a time that does not come from it."""
    floor = {LATER: "floor.send_reply.8", BESIDE_PUT: "floor.beside_put.8"}.get(row)
    trip = run.median(floor, "floors" if column == "forced" else f"floors_{column}") if floor else None
    return title(row) + (f" (MPI's send + reply: {number(trip, 'ns')})" if trip else "")


def gets_by_all(run, column="virtual"):
    """More processes than cores, all of whom ask at once."""
    if run.about.get("workers", 2) <= run.about.get("cores", 2):
        return
    for size in (8, 200):
        yield f"{column}, oversubscribed: small gets by all within 1.5 times MPI's send + reply", f"get_by_all.{size}", column, \
            run.median(f"floor.send_reply_by_all.{size}", f"floors_{column}"), 1.5, 0


def oversubscribed(run):
    """More processes than cores: no row behind ARMCI-MPI or MPI RMA."""
    if run.about.get("workers", 2) <= run.about.get("cores", 2):
        return
    for name, others in those_that_ran(run, RIVALS).items():
        for row in shared_rows(run, others):
            yield f"oversubscribed: not behind {name} in any row", row, "comex", best(run, row, others), 1, 0


def first_in_every_row(run):
    """Two workers on one host: not behind anybody, in no row that both have."""
    if run.about.get("workers", 2) != 2:
        return
    rivals = those_that_ran(run, RIVALS)
    for others in rivals.values():
        for row in shared_rows(run, others):
            yield f"same host: not behind {' or '.join(rivals)} in any row", row, "comex", best(run, row, others), 1, 0


def kernels_by_message(run):
    for column, runtimes in FAR_RIVALS.items():
        rivals = those_that_ran(run, runtimes)
        for row, others in product(KERNELS, rivals.values()):
            yield f"{column}: kernels ahead of {' and '.join(rivals)}", row, column, best(run, row, others), 1, 0


def first_by_message(run):
    """The other rows, where everything is a message, beside the same rivals."""
    for column, runtimes in FAR_RIVALS.items():
        rivals = those_that_ran(run, runtimes) if has_column(run, column) else {}
        for others in rivals.values():
            for row in shared_rows(run, others, column):
                if row not in KERNELS:
                    yield f"{column}: not behind {' or '.join(rivals)} in any row", row, column, best(run, row, others), 1, 0


def beside_rivals_by_message(run, _=None):
    yield from kernels_by_message(run)
    yield from first_by_message(run)


def unlike_fewer(run, fewer, column="comex"):
    """row -> why that of fewer workers is no measure for it."""
    few, why = f"{fewer.about.get('workers', 2)} workers", {}
    for row, entry in run.rows.items():
        if is_absent(fewer, row, column):
            why[row] = f"{few} have no such row"
        elif more_is_better(entry["unit"]) and (least := fewer.median(row, column)) is not None and least < 1:
            why[row] = f"{few} reach less than 1 %"
    return {row: text for row, text in why.items() if run.median(row, column) is not None}


def beside_fewer(run, fewer):
    """The same rows with fewer workers, of another run on the same machine."""
    for column, row in product(("comex", "forced"), run.rows):
        if row not in ("barrier", "lock.all", "lock.longest_wait", *unlike_fewer(run, fewer, column)):
            where = "" if column == "comex" else f"{column}, "
            yield f"{where}oversubscribed: within three times that of three ranks, but barrier and contended locks", row, \
                column, fewer.median(row, column), 1 / 3 if more_is_better(run.rows[row]["unit"]) else 3, 0


def rules(run, fewer):
    yield from near(run)
    yield from by_cpp(run)
    yield from meetings(run)
    yield from first_in_every_row(run)
    yield from beside_computing(run, "forced")
    yield beside_put("forced")
    yield from far(run, "virtual")
    yield from far(run, "cluster")
    yield from beside_rivals_by_message(run)
    yield from far_strided(run, "copied", 70)
    yield from gets_by_all(run)
    yield from oversubscribed(run)
    if fewer is not None:
        yield from beside_fewer(run, fewer)
    yield "same host: idle progress rank under 1 % of a core", "idle", "comex", 1, 1, 0


def judge(run, fewer=None, by=rules):
    judged = []
    for topic, row, column, base, factor, extra in by(run, fewer):
        measured = figure(run, row, column)
        if measured is not None and base is not None:
            judged.append(Judged(topic, named(run, row, column), measured, base * factor + extra, run.rows[row]["unit"]))
    return judged


def unjudged(run, fewer=None, by=rules):
    """topic -> titles of rows that want a figure: their own, or the one that makes the limit. Of a run of a few rows,
    only these are looked at."""
    missing, whole = {}, is_whole(run)
    for topic, row, column, base, _, _ in by(run, fewer):
        if not (whole or row in run.rows) or not has_column(run, column) or is_absent(run, row, column):
            continue
        if base is None or run.median(row, column) is None:
            missing.setdefault(topic, {})[title(row)] = True
    return {topic: list(rows) for topic, rows in missing.items()}


def without_measure(run, fewer=None):
    """What nothing can be judged by, and in a few words why."""
    rivals = [column for columns in RIVALS_BY_MESSAGE.values() for column in columns]
    alone = [c for c in BY_MESSAGE if any(run.median(row, c) is not None for row in KERNELS)]
    if alone and not those_that_ran(run, RIVALS_BY_MESSAGE):
        yield f"kernels of {', '.join(alone)}", f"their rivals, {' and '.join(rivals)}, did not run"
    for column in ("comex", "forced") if fewer is not None else ():
        for row, why in unlike_fewer(run, fewer, column).items():
            yield title(row) + ("" if column == "comex" else f", {column}") + ", beside three ranks", why


def unjudged_text(run, fewer=None, by=rules):
    """One line, or nothing."""
    told = [f"{topic} ({', '.join(rows)})" for topic, rows in unjudged(run, fewer, by).items()]
    told += [f"{what} ({why})" for what, why in without_measure(run, fewer)]
    return "not judged: " + "; ".join(told) if told else ""


def by_topic(judged):
    topics = {}
    for one in judged:
        topics.setdefault(one.topic, []).append(one)
    return topics


def worst(found):
    return max(found, key=lambda one: one.strain)


def missed(judged):
    """(topic, or nothing where it is that of the row before; row) of every row that misses its goal."""
    for topic, found in by_topic(judged).items():
        for number, one in enumerate(one for one in found if not one.is_met):
            yield "" if number else topic, one
