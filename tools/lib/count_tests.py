#!/usr/bin/env python3
"""count_tests.py REPORT.xml...: adds up ctest's JUnit reports, names what failed and why anything was skipped.
An entry of many tests counts as these, by GoogleTest's report of it: REPORT.gtest/ENTRY.xml.
The last line is `N passed, N failed, N skipped`; status 1 when a test failed or none ran."""
import sys
import xml.etree.ElementTree as tree
from pathlib import Path


def reason(case):
    """The line of the test's own output that speaks of skipping, else what ctest knows."""
    output = case.findtext("system-out") or ""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    spoken = [line for line in lines if "skip" in line.lower() and not line.startswith("[")]
    if spoken:
        return spoken[0]
    for number, line in enumerate(lines):  # GoogleTest: file:line: Skipped, then the reason
        if line.endswith("Skipped") and number + 1 < len(lines):
            return lines[number + 1]
    note = case.find("skipped")
    return note.get("message", "no reason given") if note is not None else "did not run"


def cases_of_entry(case, report):
    """(name, passed | failed | skipped, why it was skipped) of the tests of an entry that is many."""
    found = []
    for test in tree.parse(report).getroot().iter("testcase"):
        verdict, why = "passed", ""
        note = test.find("skipped")
        if test.find("failure") is not None:
            verdict = "failed"
        elif note is not None or test.get("status") == "notrun":
            said = (note.get("message") or "").splitlines() if note is not None else []
            verdict, why = "skipped", " ".join(said[1:]) or "disabled"  # the first line is the place
        found.append((f"{test.get('classname')}.{test.get('name')}", verdict, why))
    # Whatever else is wrong, such as what a sanitizer says at the end, is the whole program's.
    if case.get("status") != "run" and not any(verdict == "failed" for _, verdict, _ in found):
        found.append((case.get("name"), "failed", ""))
    return found


def cases(case, details):
    """The same of any entry."""
    report = details / f"{case.get('name')}.xml"
    status = case.get("status")
    if report.exists():
        return cases_of_entry(case, report)
    if status == "run":  # a program of many tests that reports none has not come to its end
        return [(case.get("name"), "failed" if ".half_" in case.get("name") else "passed", "")]
    if status == "disabled" or (status != "fail" and case.find("skipped") is not None):
        return [(case.get("name"), "skipped", reason(case))]
    return [(case.get("name"), "failed", "")]


def main():
    passed, failed, skipped = 0, [], {}
    for path in map(Path, sys.argv[1:]):
        for case in tree.parse(path).getroot().iter("testcase"):
            for name, verdict, why in cases(case, path.with_suffix(".gtest")):
                if verdict == "passed":
                    passed += 1
                elif verdict == "failed":
                    failed.append(f"{path.stem}: {name}")
                else:
                    skipped.setdefault(why, []).append(f"{path.stem}: {name}")
    for name in failed:
        print(f"failed   {name}")
    for why, names in skipped.items():
        print(f"skipped  {len(names)} ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''}): {why}")
    print(f"{passed} passed, {len(failed)} failed, {sum(map(len, skipped.values()))} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
