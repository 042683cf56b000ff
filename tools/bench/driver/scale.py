"""comex_bench --scale: what growing jobs cost on this machine, as far as it goes: start, collectives, memory."""
from dataclasses import replace

import launch
from model import bytes_text
from results import quantile
from table import number

ROWS = ("init_finalize", "malloc_free.1048576", "barrier", "put_fence.8")


def measured(column, plan, rounds):
    """Medians of ROWS, private bytes of a rank and shared bytes, or the reason why not."""
    samples = {}
    for _ in range(rounds):
        outcome = launch.run(column, plan)
        if outcome.problem:
            return outcome.problem.splitlines()[0]
        if any(verdict == "WRONG" for _, _, verdict in outcome.rows.values()):
            return "a wrong result"
        for row, (value, _, _) in outcome.rows.items():
            samples.setdefault(row, []).append(value)
    memory = launch.while_asleep(column, plan, 1, launch.memory_of)
    cells = [number(quantile(samples[row], 2), "ns") if row in samples else "-" for row in ROWS]
    return cells + [bytes_text(b) for b in memory or (0, 0)]


def table(column, plan, sizes, rounds):
    lines = ["| workers | init + finalize | malloc + free, 1 MiB | barrier | put + fence, 8 B | private, a rank | shared |",
             "|---|---|---|---|---|---|---|"]
    problems = []
    for workers in sizes:
        options = ["--ms", "5", "--allocations", "10", "--places", "64", "--rows", ",".join(ROWS)]
        found = measured(column, replace(plan, workers=workers, options=options), rounds)
        if isinstance(found, str):
            problems.append(f"{workers} workers: {found}")
            continue
        lines.append("| " + " | ".join([str(workers)] + found) + " |")
    return lines, problems
