#!/usr/bin/env python3
"""count_tests.py REPORT.xml...: adds up ctest's JUnit reports, names what failed and why anything was skipped.
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


def main():
    passed, failed, skipped = 0, [], {}
    for path in map(Path, sys.argv[1:]):
        for case in tree.parse(path).getroot().iter("testcase"):
            name = f"{path.stem}: {case.get('name')}"
            status = case.get("status")
            if status == "run":
                passed += 1
            elif status == "fail":
                failed.append(name)
            elif status == "disabled" or case.find("skipped") is not None:
                skipped.setdefault(reason(case), []).append(name)
            else:
                failed.append(name)
    for name in failed:
        print(f"failed   {name}")
    for why, names in skipped.items():
        print(f"skipped  {len(names)} ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''}): {why}")
    print(f"{passed} passed, {len(failed)} failed, {sum(map(len, skipped.values()))} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
