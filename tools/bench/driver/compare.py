"""Two runs side by side: which rows moved beyond their spread."""
from results import counted, more_is_better, title
from table import number

LEAST = 1.05  # a median that moved less is no news, however narrow the spread


def moved(before, after):
    """The ratio of the medians if the quartiles do not overlap, else None. Nothing of what came out wrong."""
    if "WRONG" in (before.verdict, after.verdict) or not before.samples or not after.samples:
        return None
    if before.low <= after.high and after.low <= before.high:
        return None
    if before.median <= 0 or after.median <= 0:
        return float("inf") if after.median > before.median else 0.0
    ratio = after.median / before.median
    return ratio if max(ratio, 1 / ratio) >= LEAST else None


def compare(before, after):
    """(row, column, ratio, is it better) of what moved, and how many cells both runs have."""
    found, common = [], 0
    for row in after.ordered_rows():
        unit = after.rows[row]["unit"]
        for column, cell in after.rows[row]["cells"].items():
            old = before.cell(row, column)
            if old is None:
                continue
            common += 1
            ratio = moved(old, cell)
            if ratio is not None:
                found.append((row, column, ratio, (ratio > 1) == more_is_better(unit)))
    return found, common


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
    for heading, one, other in (("Only before", before, after), ("Only after", after, before)):
        rows = [row for row in one.ordered_rows() if row not in other.rows]
        names = [c["name"] for c in one.columns if c["name"] not in [o["name"] for o in other.columns]]
        lines += [f"{heading}: {kind}: {', '.join(found)}" for kind, found in (("rows", rows), ("columns", names)) if found]
    fewest = min([len(c.samples) for r in (before, after) for e in r.rows.values() for c in e["cells"].values()
                  if c.samples] or [0])
    lines.append(f"{len(found)} of {common} figures moved beyond their quartiles and by 5 % or more")
    if fewest < 4:
        lines.append(f"(with {counted(fewest, 'round')} there is hardly a spread to compare with: measure at least 7)")
    for key in ("commit", "cpu", "workers", "load"):
        if before.about.get(key) != after.about.get(key):
            lines.append(f"{key}: {before.about.get(key)} -> {after.about.get(key)}")
    return "\n".join(lines)
