"""The command line of comex_bench. What cannot be is refused here in one line with status 2, before anything is measured."""
import argparse
import os
import shutil
import subprocess

import mpis
from results import Results


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"comex_bench: {message}\n")


def at_least(least, why=""):
    def number(text):
        if not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text}: expected a number of at least {least}{why and ': ' + why}")
        return int(text)
    return number


# As the launches take them (any/bench_any.cpp).
def milliseconds(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 1e-6 <= value <= 1e6:
        raise argparse.ArgumentTypeError(f"{text}: expected 0.000001 to 1000000")
    return value


def seed(text):
    if not text.isdecimal() or int(text) >= 2 ** 64:
        raise argparse.ArgumentTypeError(f"{text}: expected a number of at most {2 ** 64 - 1}")
    return int(text)


def workers(text):
    sizes = [at_least(2, "an origin and a target")(each) for each in text.split(",")]
    if len(set(sizes)) < len(sizes):
        raise argparse.ArgumentTypeError(f"{text}: expected each number once")
    return sizes


def cores(text):
    try:
        is_taken = subprocess.run(["taskset", "-c", text, "true"], capture_output=True, timeout=20).returncode == 0
    except OSError:
        is_taken = False
    if not is_taken:
        raise argparse.ArgumentTypeError(f"{text}: expected cores of this machine, as 0,2 or 0-1")
    return text


def new_file(path):
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise argparse.ArgumentTypeError(f"{path}: cannot be written")
    return path


def a_run(path):
    try:
        with open(path, encoding="utf-8") as file:
            return Results.from_json(file.read())
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise argparse.ArgumentTypeError(f"{path}: not a run that --json has written") from None


def arguments(given=None):
    """Of the command line, or of the list `given`."""
    parser = Parser(prog="comex_bench",
                    description="What one-sided operations cost, on this runtime, on others, and at the machine's floor.")
    parser.add_argument("--np", type=at_least(2, "an origin and a target"), default=2, metavar="N",
                        help="workers of every column (2)")
    parser.add_argument("--rounds", type=at_least(1), metavar="N", help="launches of every column (7)")
    parser.add_argument("--ms", type=milliseconds, metavar="MS", help="least length of a trial (20; 5 with --scale)")
    parser.add_argument("--rows", default="", help="names, or their beginnings up to a dot: put,lock.all")
    parser.add_argument("--columns", default="", help="names, or near for all of the same host: comex,floors,virtual")
    parser.add_argument("--column", action="append", default=[], metavar="NAME=PROGRAM[:PROGRESS-RANKS]",
                        help="a column of another runtime, measured by a bench_any built for it")
    parser.add_argument("--sweep", default="", metavar="NAME=VALUE,...",
                        help="every column once for each value of an environment variable")
    parser.add_argument("--cores", type=cores, metavar="LIST", help="run on these cores only, as for taskset")
    parser.add_argument("--seed", type=seed, default=1, help="of the random targets and offsets")
    parser.add_argument("--quick", action="store_true", help="one short round: is every row there, and right?")
    parser.add_argument("--json", type=new_file, metavar="FILE", help="write everything")
    parser.add_argument("--csv", type=new_file, metavar="FILE", help="write a line for each row and column")
    parser.add_argument("--report", type=new_file, metavar="FILE", help="write one self-contained HTML page")
    parser.add_argument("--from", dest="source", type=a_run, metavar="FILE", help="measure nothing: read a --json file")
    parser.add_argument("--markdown", type=new_file, metavar="FILE", help="write tables for the documentation")
    parser.add_argument("--compare", nargs=2, type=a_run, metavar=("BEFORE", "AFTER"),
                        help="of two --json files, what moved")
    parser.add_argument("--model", action="store_true", help="memory and messages for 1,000 to 1,048,576 ranks")
    parser.add_argument("--scale", type=workers, metavar="N,...",
                        help="start, collectives and memory with so many workers")
    parser.add_argument("--list", action="store_true", help="the columns and rows there are")
    parser.add_argument("--seconds", type=at_least(1), default=300, help="limit of a launch (300)")
    parser.add_argument("--bin", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--mpi", default=mpis.OPEN_MPI, choices=list(mpis.TITLES), help=argparse.SUPPRESS)
    parser.add_argument("--library", default="", help=argparse.SUPPRESS)  # what the MPI says of itself
    parser.add_argument("--tools", default="", help=argparse.SUPPRESS)
    parser.add_argument("--vrun", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--source-dir", default="", help=argparse.SUPPRESS)
    return settled(parser, parser.parse_args(given))


MEASURING = ("np", "rounds", "ms", "rows", "columns", "column", "sweep", "cores", "seed", "quick", "scale", "seconds")
SHOWING = ("json", "csv", "report", "markdown")
# What measures nothing -> the options that mean something beside it.
WITHOUT_MEASURING = {"model": (), "list": (), "compare": (), "source": SHOWING}


def refuse_idle_options(parser, args):
    """Those that would do nothing beside what is asked for."""
    given = [name for name in (*MEASURING, *SHOWING, *WITHOUT_MEASURING) if getattr(args, name) != parser.get_default(name)]
    for asked, beside in WITHOUT_MEASURING.items():
        idle = [name for name in given if name != asked and name not in beside] if asked in given else []
        if idle:
            one, other = ("from" if name == "source" else name for name in (asked, idle[0]))
            parser.error(f"--{one} and --{other} exclude each other")


def settled(parser, args):
    """What --quick and --scale mean, unless said otherwise."""
    refuse_idle_options(parser, args)
    for name in ("rows", "columns", "column", "sweep", "report"):
        if args.scale and getattr(args, name):
            parser.error(f"--scale and --{name} exclude each other")
    args.names = [name for name in args.rows.split(",") if name]
    if args.rows and not args.names:
        parser.error(f"--rows {args.rows}: expected names of rows")
    if not (args.model or args.list or args.source or args.compare) and \
            not shutil.which("mpirun", path=mpis.Build(args.mpi, args.bin, args.tools).environment()["PATH"]):
        parser.error("there is no mpirun")
    args.rounds = args.rounds or (1 if args.quick else 7)
    args.ms = args.ms or (0.5 if args.quick else 5 if args.scale else 20)
    args.allocations, args.places = (10, 64) if args.scale else (100, 512) if args.quick else (1000, 8192)
    return args
