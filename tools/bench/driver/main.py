"""comex_bench: what one-sided operations cost, on this runtime, on others, and at the machine's floor.

Launches the columns in turn, round after round, so that what disturbs the machine disturbs all alike; tells medians
and quartiles. Every result is checked: status 1 when one is wrong or a column failed, of --compare in the later run."""
import itertools
import os
import platform
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # which PYTHONSAFEPATH leaves out
import columns as columns_
import compare
import coverage
import launch
import model
import mpis
import options
import report
import scale
from results import Results
from table import csv_table, markdown_table, text_table

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "..", "lib"))
import progress


def said(*line):
    try:
        return subprocess.run(line, capture_output=True, text=True, timeout=20).stdout.strip()
    except OSError:
        return ""


SKIPPED = 77  # of a program that cannot run on this machine


def commit_of_build(folder):
    """As the build wrote it beside its programs: what was built, not what the sources are by now."""
    try:
        with open(os.path.join(folder, "comex_bench.commit"), encoding="utf-8") as file:
            return file.read().strip() or "unknown"
    except OSError:
        return "unknown"


def about(args):
    """What a figure means nothing without."""
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        cpu = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    cores = int(said("taskset", "-c", args.cores, "nproc") if args.cores else len(os.sched_getaffinity(0)))
    return {"date": time.strftime("%Y-%m-%d %H:%M"), "commit": commit_of_build(args.bin), "cpu": cpu, "cores": cores,
            "kernel": platform.release(), "mpi": args.library, "workers": args.np, "rounds": args.rounds,
            "load": f"{os.getloadavg()[0]:.1f}", "allocations": args.allocations, "ms": args.ms,
            "settings": {k: v for k, v in os.environ.items() if k.startswith(("COMEX_", "GA_", "OMPI_MCA_"))}}


def can_run(column, plan):
    """Why not, or nothing; and whether the machine or the build is free to be so."""
    if column.mpi and not os.path.isdir(plan.build_of(column).bin):
        return f"no build with it in {os.path.dirname(plan.build_of(column).bin)}", True
    if not os.access(launch.program_path(column, plan), os.X_OK):
        missing = " (libarmci-mpi-dev was missing when this was built)" if column.program == "bench_armci_mpi" else ""
        return f"no program {launch.program_path(column, plan)}{missing}", column.program == "bench_armci_mpi"
    if column.place == "cluster":
        probe = subprocess.run([plan.vrun, "1", "true"], env=launch.environment(column, plan), capture_output=True, text=True, timeout=60)
        if probe.returncode != 0:
            return (probe.stdout + probe.stderr).strip() or "no virtual cluster", probe.returncode == SKIPPED
    return "", False


def measure_round(results, columns, plan, args, expected):
    """One launch of each column; the problems there were."""
    problems = []
    wants_idle, wants_pushes = (not args.names or any(columns_.is_named(row, args.names) for row in rows)
                                for rows in columns_.OWN_LAUNCHES)
    for column in columns:
        outcome = launch.run(column, plan)
        for row, (value, unit, verdict) in outcome.rows.items():
            results.add(row, column.name, value, unit, verdict)
        if outcome.service:
            results.about.setdefault("service", {})[column.name] = outcome.service
        if outcome.problem or outcome.skipped:
            problems.append(f"{column.title}: {outcome.problem or outcome.skipped}")
        else:
            problems += coverage.lacks(column, expected[column.name], args.names, outcome, args.np)
        if wants_idle and column.counts_idle:
            problems += measure_idle(results, column, plan, args.quick)
        if wants_pushes and column.counts_pushes and columns_.coalesce_us(launch.environment(column, plan)):
            problems += taken_in(results, column, columns_.PUSH_ROWS, launch.pushed(column, plan), "counting")
    return problems


def measure_idle(results, column, plan, is_quick):
    """The rows of a sleeping job; the problems there were."""
    found = launch.idle(column, plan, *((1, 1) if is_quick else (4, 3)))
    return taken_in(results, column, columns_.IDLE_ROWS, found, "sleeping")


def taken_in(results, column, wanted, found, kind):
    """Of a job of its own kind; the problems there were."""
    for row, (value, unit, verdict) in found.items():
        results.add(row, column.name, value, unit, verdict)
    return [f"{column.title}: its {kind} job did not tell {row}" for row in wanted if row not in found]


def chosen_columns(args):
    """The columns of this run."""
    extra = columns_.extra_columns(args.column)
    wanted = [name for name in args.columns.split(",") if name]
    for column in extra:
        if wanted and not {column.name, "near"} & set(wanted):
            raise columns_.Refused(f"--column {column.name}: --columns names what is measured, and not {column.name}")
    chosen = columns_.choose(columns_.all_columns(args.mpi) + extra, wanted)
    return columns_.sweep(chosen, args.sweep) if args.sweep else chosen


def plan_of(args):
    switches = ["--ms", str(args.ms), "--allocations", str(args.allocations), "--places", str(args.places),
                "--seed", str(args.seed)] + (["--rows", args.rows] if args.rows else [])
    return launch.Plan(mpis.Build(args.mpi, args.bin, args.tools), args.vrun, args.np, switches, args.seconds, args.cores)


def measure(args):
    if args.scale:
        return scale.measure(plan_of(args), args.scale, args.rounds, about(args) | {"workers": max(args.scale)},
                             lambda results, problems: keep(args, results, problems))
    plan = plan_of(args)
    chosen = chosen_columns(args)
    expected = coverage.rows_of(chosen, plan)
    for name in coverage.unknown(args.names, {row for rows in (*expected.values(), *columns_.OWN_LAUNCHES) for row in rows}):
        raise columns_.Refused(f"--rows: no row {name} in these columns; --list names them")
    if args.np < 3 and args.names and all(columns_.wants_third(name) for name in args.names):
        raise columns_.Refused(f"--rows {args.rows}: needs three workers, two of them origins: --np 3")
    for column in chosen:
        column.why_absent, column.may_be_absent = can_run(column, plan)
    results = Results(about(args), [{"name": c.name, "title": c.title, "place": c.place, "absent": c.why_absent}
                                    for c in chosen])
    problems = [f"{c.title}: did not run: {c.why_absent}" for c in chosen if c.why_absent and not c.may_be_absent]
    runnable = [c for c in chosen if not c.why_absent]
    launches = progress.shown([c for number in range(args.rounds) for c in launch.turned(runnable, number)], "launches")
    for _ in range(args.rounds):
        problems += measure_round(results, itertools.islice(launches, len(runnable)), plan, args, expected)
        keep(args, results, problems)
    for _ in launches:  # ends what shows them
        pass
    return results, problems


def keep(args, results, problems):
    """What has been measured so far: of a run that is ended its whole rounds stay."""
    results.about["problems"] = problems
    if args.json and (not os.path.exists(args.json) or os.path.isfile(args.json)):
        write(args.json, results.to_json())


def listing(args):
    plan, missing = plan_of(args), 0
    for column in columns_.all_columns(args.mpi):
        why, may_be_absent = can_run(column, plan)
        told = f"; {'skipped here' if may_be_absent else 'cannot run'}: {' '.join(why.split())}" if why else ""
        print(f"{column.name:<26}{column.title}{told}")
        missing += bool(why) and not may_be_absent
    print(subprocess.run([os.path.join(args.bin, "bench_comex"), "--list"], capture_output=True, text=True).stdout +
          "idle percent of a core\n" + "\n".join(f"{row} ns" for row in (*columns_.IDLE_ROWS[1:], *columns_.PUSH_ROWS)))
    return 1 if missing else 0


def duration(seconds):
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def write(path, text):
    if path:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def show(args, results, problems):
    table = scale.lines(results) if args.scale else \
        markdown_table(results, [c["name"] for c in results.columns], results.ordered_rows())
    print(table if args.scale else text_table(results))
    write(args.json, results.to_json())
    write(args.csv, csv_table(results))
    if args.report:
        write(args.report, report.page(results))
    write(args.markdown, table + "\n")
    for row, column in results.wrong():
        print(f"WRONG result: {row} of {column}")
    for problem in problems:
        print(f"problem: {problem}")
    return 1 if problems or results.wrong() or not results.rows else 0


def main():
    args = options.arguments()
    if args.list or args.compare or args.source or args.model:  # a reader may want the first lines alone
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if args.model:
        return model.show(args.bin)
    if args.list:
        return listing(args)
    if args.compare:
        print(compare.text(*args.compare))
        return 1 if compare.is_worse(*args.compare) else 0
    if args.source:
        return show(args, args.source, args.source.about.get("problems", []))
    began = time.monotonic()
    try:
        results, problems = measure(args)
    except columns_.Refused as error:
        print(f"comex_bench: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # who called is to see that it was ended
        os.kill(os.getpid(), signal.SIGINT)
    results.about["problems"] = problems  # a run that is looked at again tells them again
    status = show(args, results, problems)
    print(f"measured in {duration(time.monotonic() - began)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
