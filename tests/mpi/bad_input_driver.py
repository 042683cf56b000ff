#!/usr/bin/env python3
"""Runs bad_input and compares the lines it must cause with those that the whole job printed.

bad_input_driver.py ROUTE PROGRAM [SAMPLES]
  ROUTE: direct (one host), forced (one host, through its two progress ranks), remote (two virtual hosts),
         arguments (what is refused wherever the target is),
         outside (calls before init and after finalize), settings (wrong settings)
  SAMPLES: in how many cases of the route to check that the job ends by default (the rest return errors only), or "all".
           Which ones is drawn by a seed that is printed; COMEX_TEST_SEED repeats a draw.
"""
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FORCED = {f"COMEX_ENABLE_{verb}_{route}": "0" for verb in ("PUT", "GET", "ACC") for route in ("SMP", "SELF")}
TWO_SERVERS = {"GA_NUM_PROGRESS_RANKS_PER_NODE": "2"}
ROUTES = {"arguments": (3, {}), "direct": (4, {}), "forced": (5, {**FORCED, **TWO_SERVERS}), "remote": (6, {"COMEX_VIRTUAL_HOSTS": "2"})}
BEGIN = re.compile(r"comex: (?:rank (\d+)|a rank) on (\S+): (?:(\S+?)(?: to target (-?\d+))?(?:, address (0x[0-9a-f]+))?: )?(.*)")
MPIRUN = str(Path(__file__).resolve().parent.parent / "support/mpirun")
failures = []


def check(claim, what):
    if not claim:
        failures.append(what)
        print("FAILED:", what)


INTO_FILE = ["sh", "-c", 'exec "$0" "$@" 2>>"$ERRORS"']


def run(ranks, environment, program, *arguments, apps=None):
    """Exit status, standard output and the lines of ours on standard error.

    Every rank appends to one file by itself: a launcher joins the streams of its ranks in mid-line when they come fast, or
    loses what they said when the job is aborted.
    """
    command = ["timeout", "-k", "5", "50", MPIRUN]
    command += apps if apps else ["-np", str(ranks), *INTO_FILE, program, *arguments]
    for attempt in range(3):
        with tempfile.NamedTemporaryFile() as errors:
            full = dict(os.environ, ERRORS=errors.name, **environment)
            done = subprocess.run(command, env=full, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  check=False)
            said = errors.read().decode().splitlines() + done.stderr.splitlines()
        if done.returncode >= 0:
            break
        # The launcher itself died, as Open MPI's does at times while a job aborts; its ranks cannot make it.
        print(f"note: mpirun died of signal {-done.returncode}, attempt {attempt + 1}")
    ours = [line for line in said if line.startswith("comex:")]
    others = [line for line in said if line not in ours and re.search(r"(?i)signal|segmentation|bus error|sanitizer", line)]
    check(not others, f"{arguments} {environment}: {others}")
    return done.returncode, done.stdout, ours


def fits(line, expected):
    _, operation, target, address, text = expected
    found = BEGIN.fullmatch(line)
    if not found:
        return False
    # Before MPI has started, a launcher of which nothing is known tells no rank.
    is_named = found[1] == "0" or (found[1] is None and os.environ.get("COMEX_MPI_KNOWLEDGE") == "none")
    return (is_named and found[3] is not None and re.fullmatch(operation, found[3]) is not None
            and (int(target) < 0 or found[4] == target)
            and (int(address, 16) == 0 or (found[5] is not None and int(found[5], 16) == int(address, 16)))
            and re.search(text, found[6]) is not None)


def expectations(stdout):
    for line in stdout.splitlines():
        if line.startswith("wrong\t"):
            check(False, line)
    return [line.split("\t")[1:] for line in stdout.splitlines() if line.startswith("expect\t")]


def match_all(expected, lines):
    """Each expectation has one line of its own, and no line is left."""
    owner = {}

    def give_line_to(index, tried):
        for at, line in enumerate(lines):
            if at in tried or not fits(line, expected[index]):
                continue
            tried.add(at)
            if at not in owner or give_line_to(owner[at], tried):
                owner[at] = index
                return True
        return False

    for index, each in enumerate(expected):
        check(give_line_to(index, set()), f"no line for {each}")
    left = [line for at, line in enumerate(lines) if at not in owner]
    check(not left, "lines that nothing asked for:\n  " + "\n  ".join(left))


def ends_the_job(status, lines, what):
    check(1 <= status <= 123, f"{what}: exit status {status}")
    check(len(lines) == 1, f"{what}: {len(lines)} lines: {lines}")


def check_route(route, program, samples):
    ranks, environment = ROUTES[route]
    status, stdout, lines = run(ranks, environment, program, "arguments" if route == "arguments" else "cases")
    expected = expectations(stdout)
    check(status == 0 and "finished" in stdout, f"exit status {status}; the end of the lines: {lines[-3:]}")
    match_all(expected, lines)
    print(f"{len(expected)} errors returned, {len(lines)} lines")
    cases = [each[0] for each in expected if not each[0].endswith(" tells")]
    if samples != "all":
        seed = int(os.environ.get("COMEX_TEST_SEED", random.randrange(1 << 30)))
        print(f"seed {seed}")
        cases = random.Random(seed).sample(cases, min(int(samples), len(cases)))
    for case in cases:
        status, stdout, lines = run(ranks, environment, program, "case", case)
        ends_the_job(status, lines, case)
        match_all(expectations(stdout), lines)
        print(f"ended by: {lines[0] if lines else None}")


def calls_that_need_a_runtime():
    """The names of the public functions, but those that may be called at any time."""
    headers = Path(__file__).resolve().parents[2] / "include/comex"
    text = "".join((headers / name).read_text() for name in ("comex.h", "extended.h", "worlds.h"))
    names = re.findall(r"^COMEX_API [^(;]*?\bcomex_(\w+)\(", text, re.MULTILINE)
    return set(names) - {"init", "init_args", "init_comm", "finalize", "initialized", "error", "set_errors", "get_errors",
                         "version", "thread_level", "error_text"}


def check_outside(program):
    status, stdout, lines = run(3, {}, program, "outside")
    check(status == 0 and "finished" in stdout, f"exit status {status}")
    expected = expectations(stdout)
    for when in ("before comex_init", "after comex_finalize"):
        called = {each[0].removesuffix(" " + when) for each in expected if each[0].endswith(when)}
        check(called >= calls_that_need_a_runtime(), f"not called {when}: {calls_that_need_a_runtime() - called}")
    match_all(expected, lines)
    for mode, text in (("before", "before comex_init"), ("after", "after comex_finalize")):
        status, _, lines = run(3, {}, program, mode)
        ends_the_job(status, lines, mode)
        match_all([[mode, "wait", "-1", "0", "called " + text]], lines)


def check_settings(program):
    wrong = [({"COMEX_WAIT": "sometimes"}, "COMEX_WAIT.*sometimes.*auto, spin, yield or sleep"),
             ({"COMEX_NAP_MAX_US": "5"}, "COMEX_NAP_MAX_US.*10 to 1000000"),
             ({"GA_NUM_PROGRESS_RANKS_PER_NODE": "1025"}, "GA_NUM_PROGRESS_RANKS_PER_NODE.*0 to 1024"),
             ({"COMEX_ENABLE_PUT_SMP": "maybe"}, "COMEX_ENABLE_PUT_SMP.*maybe.*yes or no"),
             ({"COMEX_ON_FAILURE": "continue", "COMEX_TRACE": "trace"}, "COMEX_ON_FAILURE=continue and COMEX_TRACE do not go"),
             ({"COMEX_ON_FAILURE": "continue", "COMEX_CHECK": "1"}, "COMEX_CHECK and COMEX_ON_FAILURE=continue do not"),
             ({"COMEX_CHECK": "1"}, "COMEX_CHECK is set, and no checker sees the program's calls"),
             ({"COMEX_ON_FAILURE": "continue", "GA_NUM_PROGRESS_RANKS_PER_NODE": "0"}, "takes a progress rank on every host"),
             ({"COMEX_VIRTUAL_HOSTS": "0,x,1"}, "COMEX_VIRTUAL_HOSTS.*x"),
             ({"COMEX_VIRTUAL_HOSTS": "0,1"}, "COMEX_VIRTUAL_HOSTS lists 2 entries.*3 ranks")]
    for environment, text in wrong:
        status, _, lines = run(3, environment, program, "idle")
        ends_the_job(status, lines, environment)
        match_all([[str(environment), "init", "-1", "0", text]], lines)
    apps = ["-np", "1", "-x", "COMEX_SPIN_US=1", "-x", "COMEX_CHUNK_BYTES=64k", *INTO_FILE, program, "idle", ":",
            "-np", "2", "-x", "COMEX_SPIN_US=2", "-x", "COMEX_CHUNK_BYTES=32k", *INTO_FILE, program, "idle"]
    status, _, lines = run(3, {}, program, "idle", apps=apps)
    ends_the_job(status, lines, "different values")
    for text in ("COMEX_CHUNK_BYTES", "32", "64", "MPI rank 1", "MPI rank 0"):
        check(text in "".join(lines), f"different values: no {text} in {lines}")
    status, stdout, lines = run(3, {"COMEX_ENABEL_PUT_SMP": "0"}, program, "idle")
    check(status == 0 and "finished" in stdout, f"an unknown name ends the job: {status}")
    check(len(lines) == 1 and "COMEX_ENABEL_PUT_SMP" in lines[0] and "COMEX_ENABLE_PUT_SMP" in lines[0],
          f"an unknown name: {lines}")
    apps = ["-np", "1", *INTO_FILE, program, "idle", ":", "-np", "2", "-x", "COMEX_WIAT=1", *INTO_FILE, program, "idle"]
    status, stdout, lines = run(3, {}, program, "idle", apps=apps)
    check(status == 0 and "finished" in stdout, f"unknown names on some ranks end the job: {status}")
    check(len(lines) == 1 and "COMEX_WIAT" in lines[0] and lines[0].endswith("(on MPI rank 1)"),
          f"unknown names on some ranks: {lines}")


def main():
    route, program = sys.argv[1:3]
    if route == "outside":
        check_outside(program)
    elif route == "settings":
        check_settings(program)
    else:
        check_route(route, program, sys.argv[3] if len(sys.argv) > 3 else "6")
    print("failed" if failures else "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
