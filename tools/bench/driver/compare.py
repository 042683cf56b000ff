"""Two runs side by side: which rows moved beyond their spread, and what became of those that came out wrong."""
from results import counted, more_is_better, title
from table import number

LEAST = 1.05  # a median that moved less is no news, however narrow the spread


BECAME_WRONG = "Became WRONG"
# (before, after) -> what is said of the cell
CHANGES = {("right", "wrong"): BECAME_WRONG, ("none", "wrong"): BECAME_WRONG, ("wrong", "wrong"): "Still WRONG",
           ("wrong", "right"): "Right again", ("wrong", "none"): "Was WRONG, has no figure now",
           ("right", "none"): "Has no figure any more", ("none", "right"): "Has a figure now"}


def state(cell):
    if cell is None or (cell.verdict != "WRONG" and not cell.samples):
        return "none"
    return "wrong" if cell.verdict == "WRONG" else "right"


def changes(before, after):
    """What is said -> the cells (row, column) that it is said of. Of a row or column that one run lacks altogether, only
    what is wrong there."""
    both = {c["name"] for c in before.columns} & {c["name"] for c in after.columns}
    cells = {(row, column): True for run in (before, after) for row in run.ordered_rows() for column in run.rows[row]["cells"]}
    found = {}
    for row, column in cells:
        was, now = state(before.cell(row, column)), state(after.cell(row, column))
        is_shared = column in both and row in before.rows and row in after.rows
        if (was, now) in CHANGES and (is_shared or "wrong" in (was, now)):
            found.setdefault(CHANGES[was, now], []).append((row, column))
    return found


def is_worse(before, after):
    """Whether something is wrong now that was not, or a launch failed."""
    return BECAME_WRONG in changes(before, after) or bool(after.about.get("problems"))


def moved(before, after):
    """Of two right cells: the ratio of the medians if the quartiles do not overlap, else None."""
    if before.low <= after.high and after.low <= before.high:
        return None
    if before.median <= 0 or after.median <= 0:
        return float("inf") if after.median > before.median else 0.0
    ratio = after.median / before.median
    return ratio if max(ratio, 1 / ratio) >= LEAST else None


def compare(before, after):
    """(row, column, ratio, is it better) of what moved, and how many cells both runs have a right figure for."""
    found, common = [], 0
    for row in after.ordered_rows():
        unit = after.rows[row]["unit"]
        for column, cell in after.rows[row]["cells"].items():
            old = before.cell(row, column)
            if state(old) != "right" or state(cell) != "right":
                continue
            common += 1
            ratio = moved(old, cell)
            if ratio is not None:
                found.append((row, column, ratio, (ratio > 1) == more_is_better(unit)))
    return found, common


def fewest_rounds(before, after):
    """Of any cell that is compared by its spread; memory is looked at once."""
    return min([min(len(before.cell(row, column).samples), len(cell.samples))
                for row, entry in after.rows.items() if entry["unit"] != "bytes" for column, cell in entry["cells"].items()
                if state(before.cell(row, column)) == state(cell) == "right"], default=0)


def text(before, after):
    found, common = compare(before, after)
    lines = []
    for better, heading in ((True, "Better"), (False, "Worse")):
        rows = [one for one in found if one[3] == better]
        if rows:
            lines += [heading] + [
                f"  {title(row):<38}{column:<16}{number(before.median(row, column), before.rows[row]['unit']):>10} -> "
                f"{number(after.median(row, column), after.rows[row]['unit']):<10} x {ratio:.2f}"
                for row, column, ratio, _ in rows]
    for said, cells in changes(before, after).items():
        for column in dict.fromkeys(column for _, column in cells):
            lines.append(f"{said}: {column}: {', '.join(title(row) for row, name in cells if name == column)}")
    lines += [f"Problem {when}: {problem}" for when, run in (("before", before), ("after", after))
              for problem in run.about.get("problems", [])]
    for heading, one, other in (("Only before", before, after), ("Only after", after, before)):
        rows = [row for row in one.ordered_rows() if row not in other.rows]
        names = [c["name"] for c in one.columns if c["name"] not in [o["name"] for o in other.columns]]
        lines += [f"{heading}: {kind}: {', '.join(found)}" for kind, found in (("rows", rows), ("columns", names)) if found]
    fewest = fewest_rounds(before, after)
    lines.append(f"{len(found)} of {common} figures moved beyond their quartiles and by 5 % or more")
    if fewest < 4:
        lines.append(f"(with {counted(fewest, 'round')} there is hardly a spread to compare with: measure at least 7)")
    for key in ("commit", "cpu", "workers", "load"):
        if before.about.get(key) != after.about.get(key):
            lines.append(f"{key}: {before.about.get(key)} -> {after.about.get(key)}")
    return "\n".join(lines)
