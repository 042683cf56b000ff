"""comex_bench --scale: what growing jobs cost on this machine, as far as it goes: start, collectives, memory.

A run like any other, with a column for each number of workers: round after round through all of them."""
from dataclasses import replace

import columns
import launch
from results import Results
from table import above, markdown_table

# What is asked of a launch -> how it is called here.
NEAR_ROWS = {row: row for row in ("init_finalize", "malloc_free.1048576", "barrier", "put_fence.8", "put_fence_all.8")}
# Again on two virtual hosts; puts have half of the workers as targets, on the other one.
FAR_ROWS = {"init_finalize": "init_finalize.far", "malloc_free.1048576": "malloc_free.far", "barrier": "barrier.far",
            "put_fence_all.8": "put_fence_all.far"}
MEMORY_ROWS = ("memory.private", "memory.shared")  # counted, not timed: once
ROWS = (*NEAR_ROWS.values(), *FAR_ROWS.values(), *MEMORY_ROWS)


def take_launch(results, column, rows, plan):
    """What one launch tells of the rows; the problems there were."""
    outcome = launch.run(column, replace(plan, options=[*plan.options, "--rows", ",".join(rows)]))
    found = {name: outcome.rows[row] for row, name in rows.items() if row in outcome.rows}
    for name, (value, unit, verdict) in found.items():
        results.add(name, str(plan.workers), value, unit, verdict)
    why = outcome.problem or outcome.skipped or ", ".join(f"did not tell {row}" for row in rows.values() if row not in found)
    return [f"{plan.workers} workers, {column.title}: {why}"] if why else []


def take_memory(results, column, plan):
    """What a job that has started and sleeps keeps; the problems there were."""
    memory, said = launch.while_asleep(column, plan, 1, launch.memory_of)
    for row, count in zip(MEMORY_ROWS, memory or ()):
        results.add(row, str(plan.workers), count, "bytes", "verified" if said.status == 0 else "WRONG")
    return [] if memory else [f"{plan.workers} workers, {column.title}: its sleeping job did not tell its memory"]


def measure(plan, sizes, rounds, about, keep=lambda results, problems: None):
    """The run, and the problems there were. A number of workers that has failed is not tried again. keep: called with
    both after every round."""
    near, far = columns.choose(columns.all_columns(plan.own.mpi), ["comex", "virtual"])
    results = Results(about, [{"name": str(n), "title": f"{n} workers", "place": near.place, "absent": ""} for n in sizes])
    problems = {}
    for number in range(rounds):
        for workers in launch.turned([n for n in sizes if not problems.get(n)], number):
            job = replace(plan, workers=workers)
            problems[workers] = take_launch(results, near, NEAR_ROWS, job) + take_launch(results, far, FAR_ROWS, job)
            if number == 0:
                problems[workers] += take_memory(results, near, job)
        keep(results, sum(problems.values(), []))
    return results, sum(problems.values(), [])


def lines(run):
    sizes = [c["name"] for c in run.columns]
    workers = f"{min(map(int, sizes))} to {max(map(int, sizes))}"
    return above(run, {"workers": workers}) + "\n\n" + markdown_table(run, sizes, [row for row in ROWS if row in run.rows])
