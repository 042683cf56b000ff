"""The generated parts of docs/performance.md and docs/benchmarks/tables.md, from the JSON of runs. Called by
tools/bench/publish.

A run that the folder lacks leaves its part of a page as it is, and is named."""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # which PYTHONSAFEPATH leaves out
import goals
import scale
from results import GROUPS, Results, group_of, title
from table import above, factor, markdown_table, number, shown

SUGGESTED = re.compile(r"this load suggests (\d+) progress rank")


def replaced(text, name, block):
    """The text with `block` between the marks of that name."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    head, found, rest = text.partition(begin)
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"no marks for {name}")
    return head + begin + block + "\n" + end + tail


def goal_lines(run, fewer=None, by=goals.rules):
    lines = ["| goal | rows that keep it | hardest row | measured | limit |", "|---|---|---|---|---|"]
    judged = goals.judge(run, fewer, by)
    for topic, found in goals.by_topic(judged).items():
        hardest = goals.worst(found)
        lines.append(f"| {topic} | {sum(one.is_met for one in found)} of {len(found)} | {hardest.what} | "
                     f"{number(hardest.measured, hardest.unit)} | {number(hardest.limit, hardest.unit)} |")
    told = goals.unjudged_text(run, fewer, by)
    return "\n".join(lines + missed_lines(judged) + (["", told] if told else []))


def missed_lines(judged):
    missed = [f"| {topic} | {one.what} | {number(one.measured, one.unit)} | {number(one.limit, one.unit)} | "
              f"{factor(one.strain)} |" for topic, one in goals.missed(judged)]
    return ["", "Every row that misses its goal:", "", "| goal | row | measured | limit | factor |", "|---|---|---|---|---|",
            *missed] if missed else []


def tables(run, columns):
    parts = []
    for group, _ in GROUPS:
        rows = [row for row in run.ordered_rows() if group_of(row) == group]
        if any(run.cell(row, c) is not None for row in rows for c in columns):
            parts.append(f"### {group}\n\n{markdown_table(run, columns, rows)}")
    return "\n\n".join(parts)


def summary_lines(run):
    """Medians of a few rows: this runtime beside others and the machine's floors."""
    titles = {c["name"]: c["title"] for c in run.columns if c["name"] in SUMMARY_COLUMNS}
    chosen = [c for c in SUMMARY_COLUMNS if c in titles]
    lines = ["| row | " + " | ".join(titles[c] for c in chosen) + " |", "|---" * (len(chosen) + 1) + "|"]
    for row in SUMMARY_ROWS:
        if row in run.rows:
            cells = [shown(run.cell(row, c), run.rows[row]["unit"]) or "-" for c in chosen]
            lines.append(f"| {title(row)} | " + " | ".join(cells) + " |")
    return above(run) + "\n\n" + "\n".join(lines)


def sweep_lines(run):
    rows = ("idle", "idle.first_get", "first_get.idle")
    lines = ["| COMEX_NAP_MAX_US | " + " | ".join(title(row) for row in rows) + " |", "|---" * (len(rows) + 1) + "|"]
    for c in run.columns:
        cells = [shown(run.cell(row, c["name"]), run.rows[row]["unit"]) if row in run.rows else "not measured" for row in rows]
        lines.append(f"| {c['name'].partition('@')[2]} | " + " | ".join(cells) + " |")
    return above(run) + "\n\n![the same, plotted](naps.png)\n\n" + "\n".join(lines)


def barrier_lines(runs):
    """The same goal at every number of workers."""
    lines = ["| workers | barrier | MPI_Barrier | barrier ahead of MPI_Barrier |", "|---|---|---|---|"]
    for run in runs:
        for one in goals.judge(run):
            if one.topic == goals.BARRIER:
                lines.append(f"| {run.about['workers']} | {number(one.measured, one.unit)} | {number(one.limit, one.unit)} | "
                             f"{'kept' if one.is_met else 'not kept'} |")
    return "\n".join([f"- {above(run)}" for run in runs] + [""] + lines)


def rival_lines(run):
    told = goal_lines(run, by=goals.beside_rivals_by_message)
    return above(run) + "\n\n" + told + "\n\n" + tables(run, [c["name"] for c in run.columns])


def load_lines(run):
    """A line for each number of progress ranks, and what they said of themselves."""
    rows = run.ordered_rows()
    lines = ["| progress ranks | " + " | ".join(title(row) for row in rows) + " |", "|---" * (len(rows) + 1) + "|"]
    for c in run.columns:
        cells = [shown(run.cell(row, c["name"]), run.rows[row]["unit"]) for row in rows]
        lines.append(f"| {c['name'].partition('@')[2]} | " + " | ".join(cells) + " |")
    return "\n\n".join([above(run), "\n".join(lines), load_told(run)]) + service_block(run)


def load_told(run):
    """What the figures and the lines come to: the quickest number for each row, and how many each number's lines suggest."""
    counts = {c["name"]: c["name"].partition("@")[2] for c in run.columns}
    quickest, wished = {}, []
    for row in run.ordered_rows():
        found = {c: run.median(row, c) for c in counts if run.median(row, c) is not None}
        if found:
            quickest.setdefault(counts[min(found, key=found.get)], []).append(title(row))
    for c, count in counts.items():
        numbers = [int(n) for line in run.about.get("service", {}).get(c, []) for n in SUGGESTED.findall(line)]
        if numbers:
            wished.append(" or ".join(map(str, dict.fromkeys([min(numbers), max(numbers)]))) + f" where there are {count}")
    told = [f"Quickest with {count}: {', '.join(rows)}." for count, rows in quickest.items()]
    return " ".join(told + ([f"Suggested: {', '.join(wished)}."] if wished else []))


def service_block(run):
    """What the progress ranks of a run said of themselves."""
    said = [line for c in run.columns for line in run.about.get("service", {}).get(c["name"], [])]
    return "\n\n" + "\n".join(["```text", *said, "```"]) if said else ""


def beside_lines(run):
    table = markdown_table(run, [c["name"] for c in run.columns], run.ordered_rows())
    return above(run) + "\n\n" + table + "\n\n" + goal_lines(run) + service_block(run)


NEAR = ["comex", "armci", "armci_mpi", "armci_mpi_sm", "rma", "floors", "comex_mpich", "armci_mpi_mpich", "rma_mpich"]
CROWDED = ["comex", "forced", *NEAR[1:]]
FAR = ["forced", "virtual", "copied", "floors_virtual", "floors_copied", "cluster", "floors_cluster"]
SUMMARY_COLUMNS = ["comex", "armci_mpi_sm", "rma", "floors", "virtual", "floors_virtual", "cluster", "floors_cluster"]
SUMMARY_ROWS = ["put.8", "get.8", "acc.8", "put.4096", "get.4096", "put.262144", "get.262144", "acc.262144", "nbput.8",
                "puts.16x4096", "fetch_add.alone", "lock.alone", "barrier", "malloc_free.1048576", "init_finalize", "first_get.busy",
                "get_compute_acc", "gups"]
# A part of a page: its marks, the runs it is made of, and how.
OVERVIEW = (("summary", ["two"], summary_lines),)  # docs/performance.md
TABLES = (                                         # docs/benchmarks/tables.md
    ("facts", ["two"], lambda run: "![comex_bench's page](../performance.png)\n\n" + above(run)),
    ("goals", ["two"], goal_lines),
    ("near", ["two"], lambda run: tables(run, NEAR)),
    ("far", ["two"], lambda run: tables(run, FAR)),
    ("crowded", ["crowded", "two"],
     lambda many, run: "\n\n".join((above(many), goal_lines(many, run), tables(many, CROWDED)))),
    ("barriers", ["two", "four", "crowded"], lambda *runs: barrier_lines(runs)),
    ("naps", ["naps"], sweep_lines),
    ("beside", ["three"], beside_lines),
    ("rivals", ["rivals"], rival_lines),
    ("crowded_rivals", ["crowded_rivals"], rival_lines),
    ("load", ["load"], load_lines),
    ("scale", ["scale"], scale.lines),
)


def text_of(path):
    """What the file holds, or nothing and a word about it."""
    if not os.path.exists(path):
        print(f"publish: there is no {path}: its part of the page stays", file=sys.stderr)
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def rewritten(text, folder, parts):
    """The page with everything new that `folder` has for these parts of it."""
    names = dict.fromkeys(name for _, needed, _ in parts for name in needed)
    found = {name: text_of(f"{folder}/{name}.json") for name in names}
    runs = {name: Results.from_json(data) for name, data in found.items() if data is not None}
    for marks, needed, made in parts:
        if all(name in runs for name in needed):
            text = replaced(text, marks, made(*(runs[name] for name in needed)))
    return text


def with_model(text, folder):
    model = text_of(f"{folder}/model.txt")
    return text if model is None else replaced(text, "model", f"```text\n{model.strip()}\n```")


def rewrite(page, change):
    with open(page, encoding="utf-8") as file:
        text = change(file.read())
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)


def main(docs, folder):
    """`docs` holds the pages, `folder` the runs that publish has made."""
    rewrite(f"{docs}/performance.md", lambda text: rewritten(text, folder, OVERVIEW))
    rewrite(f"{docs}/benchmarks/tables.md", lambda text: with_model(rewritten(text, folder, TABLES), folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
