#!/usr/bin/env python3
"""judge_coverage.py REPORT.json TOP: judges what gcovr counted in src.
Prints the lines that ran, the branches of error handling that were taken, and each function of src with lines that did
not run, but those that tests/coverage/unreached.txt explains. Status 1: below 95 % of the lines or 90 % of the branches, a
function without an explanation, or a stale explanation.
The branches of error handling are the two outcomes of each condition of an `if` whose condition, or whose first statement,
has a word with fail, error, errno, fatal or refus: there a Failure is made, tested or reported."""
import json
import re
import sys
from pathlib import Path

LEAST_LINES, LEAST_BRANCHES = 95.0, 90.0
SPEAKS_OF_FAILURE = re.compile(r"fail|error|errno|fatal|refus", re.IGNORECASE)
IF = re.compile(r"\bif \(")


def ifs_of_errors(text):
    """(first line, last line, conditions) of each `if` of a source whose condition or first statement speaks of a failure."""
    plain = re.sub(r'"(\\.|[^"\\\n])*"|//[^\n]*', lambda found: " " * len(found.group()), text)
    for match in IF.finditer(plain):
        end, depth = match.end(), 1
        while depth and end < len(plain):
            depth += {"(": 1, ")": -1}.get(plain[end], 0)
            end += 1
        condition = plain[match.end():end - 1]
        if SPEAKS_OF_FAILURE.search(condition + re.split("[;}]", plain[end:], maxsplit=1)[0]):
            first = plain.count("\n", 0, match.start()) + 1
            yield first, first + condition.count("\n"), 1 + condition.count("&&") + condition.count("||")


def outcomes(branches, conditions):
    """The two branches of each condition. Those of calls, which return or throw, and of what is guarded are left out;
    gcovr does not mark them where they never ran, but there they come last."""
    of_calls = {place + step for place, branch in enumerate(branches) if branch["throw"] for step in (-1, 0)}
    return [branch for place, branch in enumerate(branches) if place not in of_calls][:2 * conditions]


def share(part, whole):
    return 100.0 * part / whole if whole else 100.0


def explained(listing):
    """{file or file:function: reason} of a list with one of them and its reason a line."""
    reasons, reason = {}, ""
    for line in listing.read_text().splitlines():
        if line and not line.startswith("#"):
            place, told = line.split(maxsplit=1)
            reason = reason if told == "the same" else told
            reasons[place] = reason
    return reasons


def plain_name(name):
    """The last part of a demangled name: `serve` of `comex::pr::Server::serve(int)`."""
    name = re.sub(r"\[abi:\w+\]|\{lambda.*|\(anonymous namespace\)", "", name)
    name = re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", name)).split("(")[0]
    return name.rstrip(":").split("::")[-1].split(" ")[-1] or "lambda"


def main():
    report, top = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    reasons = explained(top / "tests/coverage/unreached.txt")
    used, missing = set(), []
    lines_run = lines = taken = branches = listed = 0
    for file in sorted(report["files"], key=lambda each: each["file"]):
        name = file["file"]
        of_line = {line["line_number"]: line["branches"] for line in file["lines"]}
        for first, last, conditions in ifs_of_errors((top / name).read_text()):
            found = outcomes([branch for number in range(first, last + 1) for branch in of_line.get(number, [])], conditions)
            branches += len(found)
            taken += sum(branch["count"] > 0 for branch in found)
        starts = sorted({(each["lineno"], plain_name(each["name"])) for each in file["functions"]})
        missed = {}
        for line in file["lines"]:
            if line.get("gcovr/noncode") or line.get("gcovr/excluded"):
                continue
            number = line["line_number"]
            lines += 1
            lines_run += line["count"] > 0
            if line["count"] == 0:
                function = next((found for start, found in reversed(starts) if start <= number), "")
                missed.setdefault(function, []).append(number)
        for function, numbers in missed.items():
            key = next((each for each in (f"{name}:{function}", name) if each in reasons), None)
            if key is None:
                missing.append(f"  {name}:{function} {','.join(map(str, numbers))}")
            else:
                used.add(key)
                listed += len(numbers)
    print("\n".join(["Lines that no test runs and nothing explains:"] + missing) if missing else "Every other line is explained.")
    stale = sorted(name for name in set(reasons) - used if not reasons[name].startswith("at times"))
    for each in stale:
        print(f"tests/coverage/unreached.txt: {each} is gone, or all of it runs")
    print(f"lines of src that ran: {share(lines_run, lines):.1f} % ({lines_run} of {lines}; {listed} others are explained)")
    print(f"branches of error handling: {share(taken, branches):.1f} % ({taken} of {branches})")
    sys.exit(1 if missing or stale or share(lines_run, lines) < LEAST_LINES or share(taken, branches) < LEAST_BRANCHES else 0)


if __name__ == "__main__":
    main()
