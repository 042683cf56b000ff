"""comex_bench: what one-sided operations cost, on this runtime, on others, and at the machine's floor.

Launches the columns in turn, round after round, so that what disturbs the machine disturbs all alike; tells medians
and quartiles. Every result is checked: status 1 when one is wrong or a column failed."""
import argparse
import os
import platform
import shutil
import subprocess
import sys
import time

import columns as columns_
import compare
import launch
import model
import report
import scale
from results import Results
from table import csv_table, markdown_table, text_table


def arguments():
    parser = argparse.ArgumentParser(prog="comex_bench", description=__doc__.split("\n\n")[0])
    parser.add_argument("--np", type=int, default=2, metavar="N", help="workers of every column (2)")
    parser.add_argument("--rounds", type=int, metavar="N", help="launches of every column (7)")
    parser.add_argument("--ms", type=float, metavar="MS", help="least length of a trial (20)")
    parser.add_argument("--rows", default="", help="names, or their beginnings up to a dot: put,lock.all")
    parser.add_argument("--columns", default="", help="names, or near for all of the same host: comex,floors,virtual")
    parser.add_argument("--column", action="append", default=[], metavar="NAME=PROGRAM[:PROGRESS-RANKS]",
                        help="a column of another runtime, measured by a bench_any built for it")
    parser.add_argument("--sweep", default="", metavar="NAME=VALUE,...",
                        help="every column once for each value of an environment variable")
    parser.add_argument("--cores", default="", metavar="LIST", help="run on these cores only, as for taskset")
    parser.add_argument("--seed", type=int, default=1, help="of the random targets and offsets")
    parser.add_argument("--quick", action="store_true", help="one short round: is every row right?")
    parser.add_argument("--json", metavar="FILE", help="write everything")
    parser.add_argument("--csv", metavar="FILE", help="write a line for each row and column")
    parser.add_argument("--report", metavar="FILE", help="write one self-contained HTML page")
    parser.add_argument("--from", dest="source", metavar="FILE", help="measure nothing: read a --json file")
    parser.add_argument("--markdown", metavar="FILE", help="write tables for the documentation")
    parser.add_argument("--compare", nargs=2, metavar=("BEFORE", "AFTER"), help="of two --json files, what moved")
    parser.add_argument("--model", action="store_true", help="memory and messages for 1,000 to 1,000,000 ranks")
    parser.add_argument("--scale", metavar="N,...", help="start, collectives and memory with so many workers")
    parser.add_argument("--list", action="store_true", help="the columns and rows there are")
    parser.add_argument("--seconds", type=int, default=300, help="limit of a launch (300)")
    parser.add_argument("--bin", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--vrun", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--source-dir", required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def said(*line):
    try:
        return subprocess.run(line, capture_output=True, text=True, timeout=20).stdout.strip()
    except OSError:
        return ""


def about(args):
    """What a figure means nothing without."""
    cpu = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
               platform.machine())
    cores = int(said("taskset", "-c", args.cores, "nproc") if args.cores else len(os.sched_getaffinity(0)))
    in_sources = ["git", "-C", args.source_dir]
    commit = said(*in_sources, "rev-parse", "--short", "HEAD")
    if commit and said(*in_sources, "status", "--porcelain", "--untracked-files=no"):
        commit += " and changes"
    mpi = said("mpirun", "--version").splitlines()
    mpi = mpi[0].replace("mpirun (Open MPI)", "Open MPI") if mpi else ""
    return {"date": time.strftime("%Y-%m-%d %H:%M"), "commit": commit, "cpu": cpu, "cores": cores,
            "kernel": platform.release(), "mpi": mpi, "workers": args.np, "rounds": args.rounds,
            "load": f"{os.getloadavg()[0]:.1f}", "allocations": args.allocations, "ms": args.ms,
            "settings": {k: v for k, v in os.environ.items() if k.startswith(("COMEX_", "GA_", "OMPI_MCA_"))}}


def can_run(column, plan):
    """Why not, or nothing."""
    if not os.access(launch.program_path(column, plan), os.X_OK):
        missing = " (libarmci-mpi-dev was missing when this was built)" if column.name == "armci_mpi" else ""
        return f"no program {launch.program_path(column, plan)}{missing}"
    if column.place == "cluster":
        probe = subprocess.run([plan.vrun, "1", "true"], capture_output=True, text=True, timeout=60)
        if probe.returncode != 0:
            return (probe.stdout + probe.stderr).strip() or "no virtual cluster"
    return ""


def measure_round(results, columns, plan, wants_idle, idle_seconds):
    """One launch of each column; the problems there were."""
    problems = []
    for column in columns:
        if sys.stderr.isatty():
            print(f"\r\033[K{column.title} ...", end="", file=sys.stderr, flush=True)
        outcome = launch.run(column, plan)
        for row, (value, unit, verdict) in outcome.rows.items():
            results.add(row, column.name, value, unit, verdict)
        if outcome.service:
            results.about.setdefault("service", {})[column.name] = outcome.service
        if outcome.problem or outcome.skipped:
            problems.append(f"{column.title}: {outcome.problem or outcome.skipped}")
        if wants_idle and column.counts_idle:
            used = launch.idle_percent(column, plan, idle_seconds)
            if used is None:
                problems.append(f"{column.title}: its sleeping job could not be watched")
            else:
                results.add("idle", column.name, used, "percent of a core", "verified")
    return problems


def measure(args):
    options = ["--ms", str(args.ms), "--allocations", str(args.allocations), "--places", str(args.places),
               "--seed", str(args.seed)] + (["--rows", args.rows] if args.rows else [])
    plan = launch.Plan(args.bin, args.vrun, args.np, options, args.seconds, args.cores)
    chosen = columns_.choose(columns_.all_columns() + [columns_.extra_column(c) for c in args.column],
                             [name for name in args.columns.split(",") if name])
    if args.sweep:
        chosen = columns_.sweep(chosen, args.sweep)
    for column in chosen:
        column.why_absent = can_run(column, plan)
    results = Results(about(args), [{"name": c.name, "title": c.title, "place": c.place, "absent": c.why_absent}
                                    for c in chosen])
    wants_idle = not args.rows or "idle" in args.rows.split(",")
    problems = []
    runnable = [c for c in chosen if not c.why_absent]
    for number in range(args.rounds):
        # Each round begins with another column, so that none always follows the same one.
        turned = runnable[number % len(runnable):] + runnable[:number % len(runnable)] if runnable else []
        problems += measure_round(results, turned, plan, wants_idle, 1 if args.quick else 4)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    return results, problems


def show_scale(args):
    plan = launch.Plan(args.bin, args.vrun, 2, [], args.seconds, args.cores)
    column = columns_.choose(columns_.all_columns(), ["comex"])[0]
    lines, problems = scale.table(column, plan, [int(n) for n in args.scale.split(",")], args.rounds or 3)
    write(args.markdown, "\n".join(lines) + "\n")
    print("\n".join(lines + [f"problem: {problem}" for problem in problems]))
    return 1 if problems else 0


def listing(args):
    for column in columns_.all_columns():
        print(f"{column.name:<16}{column.title}")
    print(subprocess.run([os.path.join(args.bin, "bench_comex"), "--list"], capture_output=True, text=True).stdout +
          "idle percent of a core")


def write(path, text):
    if path:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def settle(args):
    """What --quick means, unless said otherwise."""
    args.rounds = args.rounds or (1 if args.quick else 7)
    args.ms = args.ms or (0.5 if args.quick else 20)
    args.allocations, args.places = (100, 512) if args.quick else (1000, 8192)
    if args.np < 2:
        sys.exit("comex_bench: --np: at least 2 workers, an origin and a target")
    if not shutil.which("mpirun"):
        sys.exit("comex_bench: there is no mpirun")


def show(args, results, problems):
    print(text_table(results))
    write(args.json, results.to_json())
    write(args.csv, csv_table(results))
    write(args.report, report.page(results))
    if args.markdown:
        write(args.markdown, markdown_table(results, [c["name"] for c in results.columns], results.ordered_rows()))
    for row, column in results.wrong():
        print(f"WRONG result: {row} of {column}")
    for problem in problems:
        print(f"problem: {problem}")
    return 1 if problems or results.wrong() or not results.rows else 0


def main():
    args = arguments()
    if args.model:
        return model.show(args.bin)
    if args.list:
        return listing(args)
    if args.compare:
        before, after = (Results.from_json(open(path, encoding="utf-8").read()) for path in args.compare)
        print(compare.text(before, after))
        return 0
    if args.source:
        return show(args, Results.from_json(open(args.source, encoding="utf-8").read()), [])
    if args.scale:
        return show_scale(args)
    settle(args)
    try:
        results, problems = measure(args)
    except ValueError as error:
        sys.exit(f"comex_bench: {error}")
    return show(args, results, problems)


if __name__ == "__main__":
    sys.exit(main())
