#!/usr/bin/env python3
"""Judges a checker of races by small right and wrong programs.

check_cases.py PROGRAM --checker LIBRARY [OPTION...]
  Every wrong case of PROGRAM (checker_cases) is a job with the library preloaded: the checker has to say what is wrong. All
  right cases are one job, of which it has to say nothing. At most two wrong cases may be missed, one of a part, and no right one accused.
check_cases.py PROGRAM --plain [OPTION...]
  Without a checker all cases run to their end, but for those that nothing but a checker would end.
Options:
  --hosts N     virtual hosts, each with a progress rank (1)
  --jobs N      jobs that run at a time (2)
  --part K/N    with a checker: every Nth wrong case from the Kth on, and all right ones
  --only TEXT   only cases whose name contains that, without the job of right cases
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LAUNCH = Path(__file__).resolve().parent.parent / "support/launch"
WORKERS = 4
LIMIT, LIMIT_OF_MANY = 30, 120  # seconds, only as a guard
MOST_MISSED, MOST_MISSED_OF_A_PART = 2, 1
# What a line of the checker has to contain for each expectation of a wrong case.
KEYWORDS = {
    "race": " race:", "signal": " race:", "buffer": " buffer reused:", "freed": " used after free:",
    "unwaited": " never waited for:", "mismatch": " mismatched collectives:", "unlocked": " never unlocked:",
    "twice": " locked twice:", "order": " lock order:", "access": " access:",
}
# These cannot come to their end: the checker ends the job where it finds them.
ENDED_BY_THE_CHECKER = {"freed", "mismatch", "twice"}
# The status of the job by the value of COMEX_CHECK. Nobody can go on behind a mismatch.
MODES = {"freed": {"fail": 3}, "mismatch": {"1": 1, "fail": 3}, "twice": {"fail": 3}}
# These leave something behind; without a checker all others run in one job.
LEFT_TO_FINALIZE = {"unwaited", "unlocked", "access"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--checker", metavar="LIBRARY")
    way.add_argument("--plain", action="store_true")
    parser.add_argument("--hosts", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--part", metavar="K/N", default="1/1")
    parser.add_argument("--only", metavar="TEXT", default="")
    return parser.parse_args()


class Job:
    """One run of PROGRAM: its status and what it printed. Every rank writes its errors to a file by itself."""

    def __init__(self, asked, cases, limit, check):
        command = [LAUNCH, str(limit), str(WORKERS + asked.hosts)]
        environment = {**os.environ, "COMEX_VIRTUAL_HOSTS": str(asked.hosts)}
        if asked.checker:
            environment["COMEX_CHECK"] = check
            command += ["-x", f"LD_PRELOAD={os.path.abspath(asked.checker)}"]
        with tempfile.NamedTemporaryFile(prefix="checker_cases.") as errors:
            environment["COMEX_TEST_ERRORS"] = errors.name
            done = subprocess.run([*command, asked.program, *cases], env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, check=False)
            printed = done.stdout + done.stderr + errors.read()
        self.status = done.returncode
        self.lines = printed.decode(errors="replace").splitlines()
        self.findings = [line for line in self.lines if line.startswith("comex check:")]

    def ran_to_the_end(self):
        return self.status == 0 and any(line.startswith("ran to the end:") for line in self.lines)

    def tail(self):
        return "\n".join("    " + line for line in self.lines[-12:])


def judge_wrong(asked, name, expectation):
    """What is wrong with the verdict on one wrong case, or nothing."""
    for mode, status in MODES.get(expectation, {"1": None}).items():
        job = Job(asked, [name], LIMIT, mode)
        if not any(KEYWORDS[expectation] in line for line in job.findings) or status not in (None, job.status):
            said = job.findings[0] if job.findings else "nothing"
            return f"needs '{KEYWORDS[expectation].strip()}'; COMEX_CHECK={mode}, status {job.status}, said: {said}"
    return None


def fails_to_end(asked, names):
    job = Job(asked, names, LIMIT_OF_MANY, "")
    return None if job.ran_to_the_end() else f"status {job.status}\n{job.tail()}"


def judge_right(asked):
    job = Job(asked, ["--right"], LIMIT_OF_MANY, "1")
    accused, case = [], "?"
    for line in job.lines:  # a case's name comes before what is said of it, but for what comes late
        case = line.removeprefix("case ") if line.startswith("case ") else case
        if line in job.findings:
            accused.append(f"near {case}: {line}")
    if not accused and not job.ran_to_the_end():
        accused.append(f"near {case}: status {job.status}\n{job.tail()}")
    return accused


def listed(program):
    done = subprocess.run([program, "--list"], capture_output=True, text=True, check=True)
    cases = [line.split() for line in done.stdout.splitlines()]
    unknown = [case for case in cases if case[1] != "right" and case[1] not in KEYWORDS]
    names = [name for name, _ in cases]
    if unknown or len(set(names)) != len(names) or not all(re.fullmatch(r"\w+\.\w+", name) for name in names):
        sys.exit(f"check_cases.py: the list of cases is wrong: {unknown or names}")
    return cases


def report(right_job, wrong, verdicts, word):
    """Prints what was missed, or failed, and what was said of right cases: the number of each."""
    missed = [(*case, verdict) for case, verdict in zip(wrong, verdicts) if verdict]
    accused = right_job.result()
    for name, expectation, verdict in missed:
        print(f"{word:8} {name:55} {expectation:9} {verdict}")
    for line in accused:
        print(f"accused  {line}")
    print(f"{len(wrong)} wrong cases or jobs of them, {len(missed)} {word}; {len(accused)} lines against right ones")
    return len(missed), len(accused)


def main():
    asked = arguments()
    cases = [case for case in listed(asked.program) if asked.only in case[0]]
    wrong = [case for case in cases if case[1] != "right"]
    if not wrong and not asked.only:
        sys.exit("check_cases.py: no wrong case")
    first, every = map(int, asked.part.split("/"))
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        right_job = pool.submit(lambda: [] if asked.only else judge_right(asked))
        if asked.checker:
            wrong = wrong[first - 1::every]
            verdicts = pool.map(lambda case: judge_wrong(asked, *case), wrong)
            missed, accused = report(right_job, wrong, verdicts, "missed")
            return 1 if missed > (MOST_MISSED if every == 1 else MOST_MISSED_OF_A_PART) or accused else 0
        together = [case for case in wrong if case[1] not in ENDED_BY_THE_CHECKER | LEFT_TO_FINALIZE]
        alone = [case for case in wrong if case[1] in LEFT_TO_FINALIZE]
        many = pool.submit(lambda: together and fails_to_end(asked, [name for name, _ in together]))
        verdicts = [*pool.map(lambda case: fails_to_end(asked, [case[0]]), alone), many.result()]
        missed, accused = report(right_job, [*alone, (f"{len(together)} together", "-")], verdicts, "failed")
        return 1 if missed or accused else 0


if __name__ == "__main__":
    sys.exit(main())
