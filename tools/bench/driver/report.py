"""One self-contained HTML page of a run: what leads, curves over size, ratios to the others, goals, and every figure."""
import os
from html import escape

import goals
import svg
from results import GROUPS, group_of, more_is_better, title
from table import factor, number, shown, spread

RIVALS = tuple(column for columns in goals.RIVALS.values() for column in columns)
WIDEST = 32.0  # bars end there
TILES = ("put.8", "get.262144", "fetch_add.alone", "accs.128x512", "barrier", "get_compute_acc")
# Which columns share a plot, and the colour each keeps throughout.
NEAR = (("comex", "c-ours"), ("armci_mpi", "c-other"), ("armci_mpi_sm", "c-fourth"), ("rma", "c-third"),
        ("floors", "c-floor"))
VIRTUAL = (("virtual", "c-ours"), ("forced", "c-third"), ("floors_virtual", "c-floor"))
CLUSTER = (("cluster", "c-ours"), ("floors_cluster", "c-floor"))


def titles(run):
    return {c["name"]: c["title"] for c in run.columns}


def times(ratio):
    return f"{ratio:,.0f} ×" if ratio >= 100 else f"{ratio:.1f} ×" if ratio >= 10 else f"{ratio:.2f} ×"


def best_rival(run, row):
    """(name, median) of the best column of another runtime, or None."""
    found = [(name, run.median(row, name)) for name in RIVALS if run.median(row, name)]
    if not found:
        return None
    return (max if more_is_better(run.rows[row]["unit"]) else min)(found, key=lambda one: one[1])


def header(run):
    about = run.about
    facts = (("machine", f"{about.get('cpu', '')}, {about.get('cores', '')} cores"), ("kernel", about.get("kernel", "")),
             ("MPI", about.get("mpi", "")), ("workers", about.get("workers", "")),
             ("rounds", about.get("rounds", "")), ("commit", about.get("commit", "")), ("date", about.get("date", "")),
             ("load before", about.get("load", "")))
    items = "".join(f"<li>{name} <b>{escape(str(value))}</b></li>" for name, value in facts if value != "")
    return f'<h1>What one-sided operations cost</h1><ul class="facts">{items}</ul>'


def tiles(run):
    parts = []
    for row in TILES:
        ours, rival = run.median(row, "comex"), best_rival(run, row) if row in run.rows else None
        if not ours:
            continue
        beside = ""
        if rival:
            beside = f"{times(rival[1] / ours)} faster than {titles(run)[rival[0]]}" if rival[1] >= ours else \
                f"{times(ours / rival[1])} slower than {titles(run)[rival[0]]}"
        parts.append(f'<div class="tile"><div class="name">{escape(title(row))}</div>'
                     f'<div class="value">{number(ours, run.rows[row]["unit"])}</div>'
                     f'<div class="beside">{escape(beside)}</div></div>')
    return f'<div class="tiles">{"".join(parts)}</div>' if parts else ""


def points(run, verb, column):
    found = []
    for row in run.rows:
        name, _, size = row.partition(".")
        cell = run.cell(row, column)
        if name == verb and size.isdigit() and run.median(row, column) is not None and cell.low > 0:
            found.append((int(size), cell.low, cell.median, cell.high))
    return sorted(found)


def curves(run, heading, text, columns):
    names = titles(run)
    plots, used = [], set()
    for verb, what in (("put", "put"), ("get", "get"), ("acc", "accumulate, double")):
        series = [(names[c], cls, points(run, verb, c)) for c, cls in columns if c in names]
        series = [one for one in series if one[2]]
        if series:
            used |= {(name, cls) for name, cls, _ in series}
            plots.append(f'<div class="card"><h3>{what}</h3>{svg.log_curves(f"{heading}: {what}", series)}</div>')
    if not plots:
        return ""
    legend = "".join(f'<li class="{cls}"><i></i><span>{escape(names[c])}</span></li>' for c, cls in columns
                     if c in names and (names[c], cls) in used)
    return (f'<h2>{heading}</h2><p>{text}</p><ul class="legend">{legend}</ul><div class="plots">{"".join(plots)}</div>')


def ratios(run):
    rows = []
    for row in run.ordered_rows():
        ours = run.median(row, "comex")
        rival = best_rival(run, row)
        if run.rows[row]["unit"] == "ns" and ours and rival:
            rows.append((row, rival[1] / ours, rival[0]))
    if not rows:
        return ""
    widest = min(WIDEST, max(2.0, max(max(r, 1 / r) for _, r, _ in rows)))
    names = titles(run)
    body = "".join(f'<div class="name">{escape(title(row))}</div>{svg.ratio_bar(ratio, widest)}'
                   f'<div class="ratio">{times(ratio)}</div><div class="rival">{escape(names[rival])}</div>'
                   for row, ratio, rival in rows)
    return ('<h2>Ahead of the best other runtime</h2><p>Same host. How many times as long the faster of the other runtimes '
            f'takes: to the right this one is ahead. The bars are on a log scale that ends at {widest:.0f} ×.</p>'
            f'<div class="card ratios">{body}</div>')


def goal_table(run):
    judged = goals.judge(run)
    topics = goals.by_topic(judged)
    if not topics:
        return ""
    lines = []
    for topic, found in topics.items():
        met, hardest = sum(one.is_met for one in found), goals.worst(found)
        cls = "met" if met == len(found) else "missed"
        lines.append(f'<tr><td class="what">{escape(topic)}</td><td class="{cls}">{met} of {len(found)}</td>'
                     f'<td>{escape(hardest.what)}</td><td>{number(hardest.measured, hardest.unit)}</td>'
                     f'<td>{number(hardest.limit, hardest.unit)}</td></tr>')
    missing = goals.unjudged_text(run)
    told = f"<p>{escape(missing)}</p>" if missing else ""
    return ('<h2>Goals</h2><p>Each limit is computed from the floors and columns of this very run; shown is the row that '
            'is hardest on its limit.</p><div class="card scroll"><table><thead><tr><th>goal</th><th>rows that keep it</th>'
            f'<th>hardest row</th><th>measured</th><th>limit</th></tr></thead><tbody>{"".join(lines)}</tbody></table></div>{missed_table(judged)}{told}')


def missed_table(judged):
    lines = [f'<tr><td class="what">{escape(topic)}</td><td>{escape(one.what)}</td><td>{number(one.measured, one.unit)}</td>'
             f'<td>{number(one.limit, one.unit)}</td><td class="missed">{factor(one.strain)}</td></tr>'
             for topic, one in goals.missed(judged)]
    return ('<p>Every row that misses its goal:</p><div class="card scroll"><table><thead><tr><th>goal</th><th>row</th>'
            f'<th>measured</th><th>limit</th><th>factor</th></tr></thead><tbody>{"".join(lines)}</tbody></table></div>'
            if lines else "")


def swept(run):
    """A plot for each row and each column that was swept over more than one value."""
    families = {}
    for c in run.columns:
        name, _, value = c["name"].partition("@")
        if value.isdigit():
            families.setdefault(name, []).append((int(value), c["name"], c["title"].rpartition(", ")[2].partition("=")[0]))
    plots = []
    for name, members in families.items():
        for row in run.ordered_rows():
            unit = run.rows[row]["unit"]
            cells = [(v, run.cell(row, c)) for v, c, _ in sorted(members) if run.median(row, c) is not None]
            found = [(v, c.low, c.median, c.high) for v, c in cells if c.low > 0]
            if len(found) > 1:
                plot = svg.log_curves(title(row), [(name, "c-ours", found)], x_name=members[0][2],
                                      y_label=svg.percent_label if unit.startswith("percent") else svg.time_label)
                plots.append(f'<div class="card"><h3>{escape(title(row))}, {escape(name)}</h3>{plot}</div>')
    return f'<h2>One setting, several values</h2><div class="plots">{"".join(plots)}</div>' if plots else ""


def cell_html(cell, unit, is_best):
    text = shown(cell, unit)
    classes = " ".join(name for name, holds in (("best", is_best), ("wrong", cell is not None and cell.verdict == "WRONG"))
                       if holds)
    around = spread(cell, unit)
    return f'<td class="{classes}">{text}{f"<small>{around}</small>" if around else ""}</td>'


def figures(run):
    columns = [c for c in run.columns if not c.get("absent")]
    head = "".join(f"<th>{escape(c['title'])}</th>" for c in columns)
    parts = ["<h2>Every figure</h2><p>Medians, and quartiles below them; the best runtime on the same host is bold. "
             "Every result was checked; what came out wrong says so. armci.h has no fetch-and-add that does not block: all "
             "ARMCI columns tell the blocking one.</p>"]
    for group, _ in GROUPS:
        rows = [row for row in run.ordered_rows() if group_of(row) == group]
        if not rows:
            continue
        body = []
        for row in rows:
            entry = run.rows[row]
            rivals = {c: run.median(row, c) for c in ("comex",) + RIVALS if run.median(row, c) is not None}
            pick = max if more_is_better(entry["unit"]) else min
            best = pick(rivals, key=rivals.get) if len(rivals) > 1 else None
            cells = "".join(cell_html(entry["cells"].get(c["name"]), entry["unit"], c["name"] == best) for c in columns)
            body.append(f"<tr><td>{escape(title(row))}</td>{cells}</tr>")
        parts.append(f'<div class="card scroll" style="margin-bottom:12px"><table><thead><tr><th>{escape(group)}</th>{head}'
                     f'</tr></thead><tbody>{"".join(body)}</tbody></table></div>')
    absent = "".join(f"<li>{escape(c['title'])}: {escape(c['absent'])}</li>" for c in run.columns if c.get("absent"))
    return "".join(parts) + (f"<p>Not run:</p><ul>{absent}</ul>" if absent else "")


def page(run):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "report.css"), encoding="utf-8") as file:
        style = file.read()
    body = "".join((
        header(run), tiles(run),
        curves(run, "Same host", "Time of one blocking call at random places, both axes logarithmic; bands are quartiles. "
               "The floor is a store, memcpy or daxpy on the same memory.", NEAR),
        ratios(run),
        curves(run, "By message, on one machine", "Two virtual hosts share no memory, so every call is a message to a "
               "progress rank. Below them: one MPI message of the same size, with an answer where one is due.", VIRTUAL),
        curves(run, "Over the virtual cluster", "Two hosts in namespaces of their own, joined by TCP over virtual Ethernet.",
               CLUSTER),
        swept(run), goal_table(run), figures(run)))
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>comex_bench</title>'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head>'
            f'<body><main>{body}<footer>Made by comex_bench. Lower is better, but for overlap.</footer></main></body></html>\n')
