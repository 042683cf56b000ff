"""The columns: which program is launched how. Each has the same number of workers on the same cores; what a runtime
takes for its own use (progress ranks) comes on top and shares those cores."""
import os
from dataclasses import dataclass, field, replace

import mpis

# Everything by message, also to memory that is near.
BY_MESSAGE = {f"COMEX_ENABLE_{verb}_{where}": "0" for verb in ("PUT", "GET", "ACC") for where in ("SELF", "SMP")}

# Rows of launches of their own, which the driver makes of what it sees and hears of them.
IDLE_ROWS = ("idle", "idle.first_get")  # share of a core, and the first request in the same state
PUSH_ROWS = ("unattended.waited", "unattended.longest")  # by the progress ranks' count
COALESCE = "COMEX_COALESCE_US"  # 0: nothing lies anywhere, and no batch is counted
OWN_LAUNCHES = (IDLE_ROWS, PUSH_ROWS)


def is_named(row, names):
    """Whether one of the names is the row's, or its beginning up to a dot; as the programs read --rows."""
    return any(row == name or row.startswith(f"{name}.") for name in names)


def coalesce_us(settings):
    """What the settings say, however they write it; the runtime refuses what is no number."""
    try:
        return float(settings.get(COALESCE) or 50)
    except ValueError:
        return 50.0


def wants_third(row):
    """Whether two workers cannot have it."""
    return is_named(row, ["beside_put", "floor.beside_put"])


class Refused(ValueError):
    """What the user asked for cannot be; one line says why."""


@dataclass
class Column:
    name: str
    title: str
    place: str                # near, virtual or cluster: where the targets are
    program: str
    progress_ranks: int = 0   # on each host
    environment: dict = field(default_factory=dict)
    mpi_options: tuple = ()
    counts_idle: bool = False
    counts_pushes: bool = False  # its progress ranks tell how long what they send for workers lay there
    lacks: tuple = ()         # rows it cannot have: names, or beginnings up to a dot; no launch measures them
    by_default: bool = True   # unless it is asked for by name
    mpi: str = ""             # the kind of MPI, where it is not that of the build
    why_absent: str = ""      # filled in when it cannot run here
    may_be_absent: bool = False  # and the machine or the build is free to be so

    @property
    def is_foreign(self):
        return os.path.isabs(self.program)

    @property
    def hosts(self):
        return 1 if self.place == "near" else 2

    def cannot_have(self, row):
        return (row.startswith("floor.") and self.program != "bench_floors") or (is_named(row, ["idle"]) and not self.counts_idle) or \
            (row in PUSH_ROWS and not self.counts_pushes) or is_named(row, self.lacks)

    def ranks(self, workers):
        return workers + self.hosts * self.progress_ranks

    def first_target(self, workers):
        """Targets are the other workers of the only host, or all workers of the second one."""
        return 1 if self.place == "near" else (workers + 1) // 2


VIRTUAL = {"COMEX_VIRTUAL_HOSTS": "2"}
# Open MPI's default for windows is slower on one host, and its compare-and-swap crashes (4.1.4).
BEST_WINDOWS = ("--mca", "osc", "sm")
# ARMCI-MPI makes its mutexes by MPI_Win_create, which these do not have: it ends the job ("invalid window"). With the
# default's priority below theirs, 50 in place of 101 beside 100, memory is on these and only mutexes are on the default.
SHARED_WINDOWS_FIRST = ("--mca", "osc_rdma_priority", "50")
# Windows without shared memory. Between hosts of the virtual cluster the default finds none at all.
MESSAGE_WINDOWS = ("--mca", "osc", "pt2pt")

# What the interfaces do not have (as Need in any/runtime.h): ARMCI no compare-and-swap, and no word that what nobody waits
# for arrives; MPI's windows neither that nor a start of their own; the floors neither allocations nor a start, nor anything that several do to one place without a runtime.
ARMCI_LACKS = ("compare_swap", "unattended")
RMA_LACKS = ("init_finalize", "unattended")
# comex.hpp has no implicit requests, and what it leaves to C is measured there.
CPP_LACKS = ("nbput", "nbget", "nbacc", "nbrmw", "puts", "gets", "accs", "putv", "getv", "accv", "local_fresh", "local_fresh_used", "local_again",
             "local_used", "malloc_fresh", "malloc_fresh_used", "malloc_used", "malloc_free", "init_finalize", "unattended", "overlap", "put_fence_all")
# The locks of windows by messages let two in at once (Open MPI 4.1.4), on one machine and between hosts; every row of
# locks looks for that.
RMA_MESSAGES_LACK = RMA_LACKS + ("lock",)
FLOORS_LACK = ("init_finalize", "malloc_free", "malloc_fresh", "malloc_fresh_used", "malloc_used", "get_compute_acc", "beside_put", "unattended")
# The floor of another host is messages of equal bytes to it.
MESSAGES_LACK = FLOORS_LACK + ("puts", "gets", "accs", "putv", "getv", "accv", "get_by_all", "fetch_add.all", "compare_swap", "lock",
                               "overlap", "busy", "first_get", "gups", "floor.futex_handoff", "floor.cache_line")


def of_either(kind):
    """The columns that any MPI has."""
    windows = BEST_WINDOWS if kind == mpis.OPEN_MPI else ()
    far_windows, far_locks = (MESSAGE_WINDOWS, RMA_MESSAGES_LACK) if kind == mpis.OPEN_MPI else ((), RMA_LACKS)
    copied = {**VIRTUAL, **mpis.NO_SINGLE_COPY[kind]}
    return [
        Column("comex", "ComEx-PR", "near", "bench_comex", 1, counts_idle=True),
        Column("comex_cpp", "ComEx-PR, by comex.hpp", "near", "bench_comex_cpp", 1, lacks=CPP_LACKS, by_default=False),
        Column("armci", "ComEx-PR, by ARMCI", "near", "bench_armci", 1, lacks=ARMCI_LACKS),
        Column("armci_mpi", "ARMCI-MPI", "near", "bench_armci_mpi", counts_idle=True, lacks=ARMCI_LACKS),
        Column("rma", "MPI-3 RMA", "near", "bench_rma", mpi_options=windows, lacks=RMA_LACKS),
        Column("floors", "floor", "near", "bench_floors", 1, lacks=FLOORS_LACK),
        Column("forced", "ComEx-PR, by the progress rank", "near", "bench_comex", 1, dict(BY_MESSAGE)),
        Column("virtual", "ComEx-PR, two virtual hosts", "virtual", "bench_comex", 1, dict(VIRTUAL), counts_idle=True,
               counts_pushes=True),
        Column("floors_virtual", "MPI messages, virtual hosts", "virtual", "bench_floors", 1, dict(VIRTUAL),
               lacks=MESSAGES_LACK),
        Column("copied", "ComEx-PR, two virtual hosts, single copy off", "virtual", "bench_comex", 1, dict(copied)),
        Column("floors_copied", "MPI messages, virtual hosts, single copy off", "virtual", "bench_floors", 1, dict(copied),
               lacks=MESSAGES_LACK),
        Column("cluster", "ComEx-PR, two hosts of the virtual cluster", "cluster", "bench_comex", 1,
               counts_idle=True, counts_pushes=True),
        Column("floors_cluster", "MPI messages, virtual cluster", "cluster", "bench_floors", 1, lacks=MESSAGES_LACK),
        # Rivals of what takes everything by message on one machine.
        Column("armci_mpi_cluster", "ARMCI-MPI, virtual cluster", "cluster", "bench_armci_mpi", mpi_options=far_windows,
               lacks=ARMCI_LACKS, by_default=False),
        Column("rma_cluster", "MPI-3 RMA, virtual cluster", "cluster", "bench_rma", mpi_options=far_windows,
               lacks=far_locks, by_default=False),
    ]


def of_open_mpi():
    """Ways to have windows that MPICH does not offer."""
    return [
        Column("armci_mpi_sm", "ARMCI-MPI, shared windows", "near", "bench_armci_mpi", mpi_options=SHARED_WINDOWS_FIRST,
               lacks=ARMCI_LACKS),
        Column("rma_messages", "MPI-3 RMA, by messages", "virtual", "bench_rma", mpi_options=MESSAGE_WINDOWS,
               lacks=RMA_MESSAGES_LACK, by_default=False),
        Column("armci_mpi_messages", "ARMCI-MPI, by messages", "virtual", "bench_armci_mpi", mpi_options=MESSAGE_WINDOWS,
               lacks=ARMCI_LACKS, by_default=False),
    ]


# Of the MPI that the build does not use, unless others are asked for by name.
OTHERS_BY_DEFAULT = ("comex", "armci_mpi", "rma")


def all_columns(own=mpis.OPEN_MPI):
    """Those of the build's MPI under their names, and those of the other one with its kind behind: rma_mpich."""
    found = []
    for kind in mpis.kinds(own):
        for column in of_either(kind) + (of_open_mpi() if kind == mpis.OPEN_MPI else []):
            title = f"{column.title}, {mpis.TITLES[kind]}"
            if kind != own:
                column = replace(column, name=f"{column.name}_{kind}", mpi=kind,
                                 by_default=column.name in OTHERS_BY_DEFAULT)
            found.append(replace(column, title=title))
    return found


def extra_column(text):
    """--column NAME=PROGRAM[:PROGRESS-RANKS]: any other runtime, by a bench_any of its own."""
    name, separator, rest = text.partition("=")
    program, _, ranks = rest.partition(":")
    if not separator or not name or "," in name or not program or not (ranks or "0").isdigit():
        raise Refused(f"--column {text}: expected NAME=PROGRAM or NAME=PROGRAM:PROGRESS-RANKS")
    if name in [c.name for c in all_columns()] + ["near"]:
        raise Refused(f"--column {text}: there is a column {name} already")
    if not os.access(program, os.X_OK) or os.path.isdir(program):
        raise Refused(f"--column {text}: {program} is no program that can be started")
    return Column(name, name, "near", os.path.abspath(program), int(ranks or 0))


def extra_columns(texts):
    """One for each text; a name may stand for one program only."""
    extra = [extra_column(text) for text in texts]
    for number, column in enumerate(extra):
        if column.name in [other.name for other in extra[:number]]:
            raise Refused(f"--column {texts[number]}: there is a column {column.name} already")
    return extra


def choose(columns, wanted):
    """Those named in the list `wanted`, the usual ones if it is empty. `near` names the usual ones that
    have their targets on the same host."""
    known = {c.name for c in columns} | {"near"}
    for name in wanted:
        if name not in known:
            raise Refused(f"--columns: no column {name}; there are {', '.join(c.name for c in columns)}, and near for some")
    def is_near(column):
        return column.place == "near" and (column.by_default or column.is_foreign)
    return [c for c in columns if (not wanted and c.by_default) or c.name in wanted or ("near" in wanted and is_near(c))]


def sweep(chosen, text):
    """--sweep NAME=VALUE,VALUE...: every column once for each value of an environment variable. Another number of
    progress ranks needs other ranks to be launched, on top of the same workers."""
    name, separator, values = text.partition("=")
    if not separator or not name or not values:
        raise Refused(f"--sweep {text}: expected NAME=VALUE,VALUE,...")
    if len(set(values.split(","))) < len(values.split(",")):
        raise Refused(f"--sweep {text}: expected each value once")
    swept = [replace(c, name=f"{c.name}@{value}", title=f"{c.title}, {name}={value}",
                     environment={**c.environment, name: value}) for c in chosen for value in values.split(",")]
    if name == "GA_NUM_PROGRESS_RANKS_PER_NODE" and not all(value.isdigit() for value in values.split(",")):
        raise Refused(f"--sweep {text}: expected numbers of progress ranks")
    if name == "GA_NUM_PROGRESS_RANKS_PER_NODE":
        for column in swept:
            column.progress_ranks = int(column.environment[name])
    return swept
