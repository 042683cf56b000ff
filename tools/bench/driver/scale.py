"""comex_bench --scale: what growing jobs cost on this machine, as far as it goes: start, collectives, memory."""
from dataclasses import replace

import launch
from model import bytes_text
from results import quantile
from table import number

ROWS = ("init_finalize", "malloc_free.1048576", "barrier", "put_fence.8", "put_fence_all.8")
FAR_ROWS = ("put_fence_all.8",)  # again with half of the workers as targets, on another host


def medians(column, plan, rows, rounds):
    """A cell for each of the rows, or the reason why not."""
    samples = {}
    options = ["--ms", "5", "--allocations", "10", "--places", "64", "--rows", ",".join(rows)]
    plan = replace(plan, options=options)
    for _ in range(rounds):
        outcome = launch.run(column, plan)
        if outcome.problem:
            return outcome.problem.splitlines()[0]
        if any(verdict == "WRONG" for _, _, verdict in outcome.rows.values()):
            return "a wrong result"
        for row, (value, _, _) in outcome.rows.items():
            samples.setdefault(row, []).append(value)
    return [number(quantile(samples[row], 2), "ns") if row in samples else "-" for row in rows]


def measured(near, far, plan, rounds):
    """The cells of one line: both columns' rows, private bytes of a rank and shared bytes, or the reason why not."""
    cells = []
    for column, rows in ((near, ROWS), (far, FAR_ROWS)):
        found = medians(column, plan, rows, rounds)
        if isinstance(found, str):
            return f"{column.title}: {found}"
        cells += found
    memory, _ = launch.while_asleep(near, plan, 1, launch.memory_of)
    return cells + [bytes_text(b) for b in memory or (0, 0)]


def table(near, far, plan, sizes, rounds):
    lines = ["| workers | init + finalize | malloc + free, 1 MiB | barrier | put + fence, 8 B | 8 B to all + fence_all | "
             "the same to half, on another host | private, a rank | shared |", "|---" * 9 + "|"]
    problems = []
    for workers in sizes:
        found = measured(near, far, replace(plan, workers=workers), rounds)
        if isinstance(found, str):
            problems.append(f"{workers} workers: {found}")
            continue
        lines.append("| " + " | ".join([str(workers)] + found) + " |")
    return lines, problems
