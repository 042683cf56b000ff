"""Whether a run is whole: every wanted row verified in every column that ran, save those that a column cannot have.

Which rows our own programs have stands in rows.txt, so that none is lost with the code that measured it; what a foreign
one has it says itself (--list). Called by the driver with what each launch printed."""
import math
import os
import subprocess

import launch
from columns import Refused, is_named, wants_third


def listed(program):
    """The rows of a program, [] where it is not there; one that names none measures nothing."""
    try:
        said = subprocess.run([program, "--list"], capture_output=True, text=True, timeout=60)
    except OSError:
        return []
    except subprocess.TimeoutExpired:
        raise Refused(f"{program} --list does not end") from None
    rows = [line.split()[0] for line in said.stdout.splitlines() if line.strip()]
    if said.returncode != 0 or not rows:
        raise Refused(f"{program} --list names no rows (status {said.returncode}): {said.stderr.strip()[-300:]}")
    return rows


def pinned():
    """The rows of our own programs, those of the floors too."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "rows.txt"), encoding="utf-8") as file:
        return file.read().split()


def rows_of(columns, plan):
    """column name -> the rows it is to have. A foreign program, which may be older, answers for its own ones only."""
    ours, lists = pinned(), {}
    for column in columns:
        program = launch.program_path(column, plan)
        if program not in lists:
            lists[program] = listed(program)
        more = [] if column.is_foreign else [row for row in lists[program] if row not in ours]
        if more:
            raise Refused(f"{program} has rows that rows.txt does not name: {', '.join(more)}")
    return {c.name: lists[launch.program_path(c, plan)] if c.is_foreign else [row for row in ours if not c.cannot_have(row)]
            for c in columns}


def is_figure(value, unit):
    """Only a share may be nothing."""
    may_be_nothing = unit in ("percent", "percent of a core")
    return value is not None and math.isfinite(value) and (value > 0 or (value == 0 and may_be_nothing))


def unknown(names, rows):
    """Those of --rows that name nothing."""
    return [name for name in names if not any(is_named(row, [name]) for row in rows)]


def lacks(column, rows, names, outcome, workers):
    """Lines about the wanted rows that the launch did not bring."""
    found = {"ended well and did not tell": [], "says that it has no": [], "has no number for": []}
    for row in rows:
        if (names and not is_named(row, names)) or column.cannot_have(row) or \
                (wants_third(row) and workers < 3):
            continue
        value, unit, verdict = outcome.rows.get(row, (None, "", "missing"))
        if verdict == "missing":
            found["ended well and did not tell"].append(row)
        elif verdict == "absent" and not column.is_foreign:
            found["says that it has no"].append(row)
        elif verdict == "verified" and not is_figure(value, unit):
            found["has no number for"].append(row)
    return [f"{column.title}: {what} {', '.join(rows)}" for what, rows in found.items() if rows]
