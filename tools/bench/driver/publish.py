"""The generated parts of docs/performance.md, from the JSON of runs. Called by tools/bench/publish."""
import sys

import goals
from results import GROUPS, Results, group_of
from table import markdown_table, number, shown


def replaced(text, name, block):
    """The text with `block` between the marks of that name."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    head, found, rest = text.partition(begin)
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"no marks for {name}")
    return head + begin + block + "\n" + end + tail


def facts(run):
    about = run.about
    settings = ", ".join(f"{k}={v}" for k, v in about.get("settings", {}).items()
                         if not k.startswith(("COMEX_BENCH", "OMPI_MCA_"))) or "none"
    return (f"{about['cpu']}, {about['cores']} cores, Linux {about['kernel']}, {about['mpi']}. {about['date']}, commit "
            f"{about['commit']}. {about['workers']} workers, {about['rounds']} rounds, load before the run {about['load']}, "
            f"settings: {settings}. More ranks than cores make Open MPI yield; bound to nothing; single copy as it comes.")


def goal_lines(run, fewer=None):
    lines = ["| goal | rows that keep it | hardest row | measured | limit |", "|---|---|---|---|---|"]
    for topic, found in goals.by_topic(goals.judge(run, fewer)).items():
        hardest = goals.worst(found)
        lines.append(f"| {topic} | {sum(one.is_met for one in found)} of {len(found)} | {hardest.what} | "
                     f"{number(hardest.measured, hardest.unit)} | {number(hardest.limit, hardest.unit)} |")
    missing = goals.unjudged(run, fewer)
    if missing:
        lines += ["", "not judged: " + "; ".join(f"{topic} ({', '.join(rows)})" for topic, rows in missing.items())]
    return "\n".join(lines)


def tables(run, columns):
    parts = []
    for group, _ in GROUPS:
        rows = [row for row in run.ordered_rows() if group_of(row) == group]
        if any(run.cell(row, c) is not None for row in rows for c in columns):
            parts.append(f"#### {group}\n\n{markdown_table(run, columns, rows)}")
    return "\n\n".join(parts)


def sweep_lines(run):
    lines = ["| COMEX_NAP_MAX_US | idle, % of a core a host | first get 8 B after idling |", "|---|---|---|"]
    for c in run.columns:
        cells = [shown(run.cell(row, c["name"]), run.rows[row]["unit"]) for row in ("idle", "first_get.idle")]
        lines.append(f"| {c['name'].partition('@')[2]} | {cells[0]} | {cells[1]} |")
    return "![the same, plotted](performance-naps.png)\n\n" + "\n".join(lines)


def load(path):
    with open(path, encoding="utf-8") as file:
        return Results.from_json(file.read())


def beside_lines(run):
    rows = [row for row in run.ordered_rows() if row.startswith("beside_put")]
    return markdown_table(run, [c["name"] for c in run.columns], rows) + "\n\n" + goal_lines(run)


def main(page, folder):
    """`folder` holds the runs that publish has made."""
    run, many, swept, three = (load(f"{folder}/{name}.json") for name in ("two", "crowded", "naps", "three"))
    with open(page, encoding="utf-8") as file:
        text = file.read()
    near = ["comex", "armci", "armci_mpi", "rma", "floors"]
    far = ["forced", "virtual", "copied", "floors_virtual", "cluster", "floors_cluster"]
    text = replaced(text, "facts", "![comex_bench's page](performance.png)\n\n" + facts(run))
    text = replaced(text, "goals", goal_lines(run))
    text = replaced(text, "near", tables(run, near))
    text = replaced(text, "far", tables(run, far))
    text = replaced(text, "crowded", facts(many) + "\n\n" + goal_lines(many, run) + "\n\n" + tables(many, near))
    text = replaced(text, "naps", sweep_lines(swept))
    text = replaced(text, "beside", beside_lines(three))
    with open(f"{folder}/scale.md", encoding="utf-8") as file:
        text = replaced(text, "scale", file.read().strip())
    with open(f"{folder}/model.txt", encoding="utf-8") as file:
        text = replaced(text, "model", "```text\n" + file.read().rstrip() + "\n```")
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
