"""Results as text: a table for the terminal, Markdown for the documentation, CSV for everybody else."""
import csv
import io

from results import counted, group_of, title


def bytes_text(count):
    for limit, divisor, unit in ((1e4, 1, "B"), (1e7, 1e3, "kB"), (1e10, 1e6, "MB"), (float("inf"), 1e9, "GB")):
        if count < limit:
            return f"{count / divisor:,.0f} {unit}"
    return ""


def number(value, unit):
    """Three digits that count, in the unit that suits."""
    if value is None:
        return ""
    if unit == "bytes":
        return bytes_text(value)
    if unit.startswith("percent"):
        return f"{value:.1f} %" if value < 10 else f"{value:.0f} %"
    if unit != "ns":
        return f"{value:.1f} x" if value < 100 else f"{value:,.0f} x"
    for limit, divisor, name in ((1e3, 1, "ns"), (1e6, 1e3, "us"), (1e9, 1e6, "ms"), (float("inf"), 1e9, "s")):
        if value < limit:
            scaled = value / divisor
            return f"{scaled:.2f} {name}" if scaled < 10 else f"{scaled:.1f} {name}" if scaled < 100 else f"{scaled:.0f} {name}"
    return ""


def factor(times):
    return "∞" if times == float("inf") else f"{times:.2f} x" if times < 10 else number(times, "x")


def facts(about):
    """What a figure means nothing without."""
    settings = ", ".join(f"{k}={v}" for k, v in about.get("settings", {}).items()) or "none"
    return (f"{about['cpu']}, {about['cores']} cores, Linux {about['kernel']}, {about['mpi']}. {about['date']}, commit "
            f"{about['commit']}. {about['workers']} workers, {counted(about['rounds'], 'round')}, load before the run {about['load']}, "
            f"settings: {settings}. More ranks than cores make Open MPI yield; bound to nothing; single copy as it comes.")


def shown(cell, unit):
    if cell is None:
        return ""
    if cell.verdict == "absent" or not cell.samples:
        return "-"
    return number(cell.median, unit) + (" WRONG" if cell.verdict == "WRONG" else "")


def spread(cell, unit):
    if cell is None or len(cell.samples) < 2:
        return ""
    return f"{number(cell.low, unit)} .. {number(cell.high, unit)}"


def text_table(results):
    columns = [c for c in results.columns if not c.get("absent")]
    lines, group = [], None
    width = max([len(c["name"]) for c in columns] + [10]) + 1
    first = max(map(len, map(title, results.rows)), default=0) + 1
    for row in results.ordered_rows():
        entry = results.rows[row]
        if group_of(row) != group:
            group = group_of(row)
            lines += ["", f"{group:<{first}}" + "".join(f"{c['name']:>{width}}" for c in columns)]
        cells = [shown(entry["cells"].get(c["name"]), entry["unit"]) for c in columns]
        lines.append(f"{title(row):<{first}}" + "".join(f"{text:>{width}}" for text in cells))
    lines += ["", "median of the rounds; - : this column has no such row"]
    lines += thin_lines(results)
    lines += [f"not run: {c['title']}: {c['absent']}" for c in results.columns if c.get("absent")]
    return "\n".join(lines)


def markdown_table(results, columns, rows):
    names = {c["name"]: c["title"] for c in results.columns}
    columns = [c for c in columns if c in names]
    lines = ["| row | " + " | ".join(names[c] for c in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for row in rows:
        entry = results.rows[row]
        cells = []
        for c in columns:
            cell = entry["cells"].get(c)
            around = spread(cell, entry["unit"])
            cells.append(shown(cell, entry["unit"]) + (f" ({around})" if around else ""))
        if any(cell not in ("", "-") for cell in cells):
            lines.append(f"| {title(row)} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def thin_lines(results):
    """Which figures come from fewer rounds than were asked for, by column."""
    lines = []
    for column in results.columns:
        found = [(row, rounds) for row, name, rounds in results.thin() if name == column["name"]]
        figures = sum(bool(entry["cells"].get(column["name"])) for entry in results.rows.values())
        if found and len(found) == figures and len({rounds for _, rounds in found}) == 1:
            lines.append(f"{column['title']}: {counted(found[0][1], 'round')} of {results.about['rounds']}")
        elif found:
            rows = "; ".join(f"{title(row)} ({counted(rounds, 'round')})" for row, rounds in found)
            lines.append(f"fewer rounds than {results.about['rounds']}: {column['title']}: {rows}")
    return lines


def above(results, changed=()):
    """What stands above a table of a run; `changed`: facts that are to be told otherwise."""
    return "\n\n".join([facts(results.about | dict(changed)), *thin_lines(results)])


def csv_table(results):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["row", "column", "unit", "median", "low_quartile", "high_quartile", "rounds", "verdict"])
    for row in results.ordered_rows():
        entry = results.rows[row]
        for column, cell in entry["cells"].items():
            writer.writerow([row, column, entry["unit"], cell.median, cell.low, cell.high, len(cell.samples),
                             cell.verdict])
    return out.getvalue()
