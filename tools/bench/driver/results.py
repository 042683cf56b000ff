"""A run's figures: samples by row and column, medians and quartiles of them, and the JSON that keeps them."""
import json
import re

SIZES = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (10 ** 6, "MB"), (1, "B"))
VERBS = {"nbput": "non-blocking put", "nbget": "non-blocking get", "nbacc": "non-blocking acc",
         "puts": "strided put", "gets": "strided get", "accs": "strided acc", "putv": "vector put",
         "getv": "vector get", "accv": "vector acc", "put_fence": "put + fence",
         "put_fence_all": "put to all + fence_all", "nbrmw": "non-blocking fetch-and-add",
         "malloc_free": "malloc + free", "malloc_fresh": "malloc, fresh", "malloc_fresh_used": "malloc and use, fresh", "malloc_used": "malloc, use and free",
         "local_fresh": "malloc of own memory, fresh", "local_fresh_used": "malloc and use of own memory, fresh", "local_again": "malloc + free of own memory",
         "local_used": "malloc, use and free of own memory"}
TITLES = {
    "fetch_add.alone": "fetch-and-add, alone", "fetch_add.all": "fetch-and-add, by all workers",
    "get_by_all.8": "get, 8 B, by all workers", "get_by_all.200": "get, 200 B, by all workers",
    "floor.send_reply_by_all.8": "MPI send + reply, 8 B, by all workers, in pairs",
    "floor.send_reply_by_all.200": "MPI send + reply, 200 B, by all workers, in pairs",
    "compare_swap": "compare-and-swap", "lock.alone": "lock + unlock, alone", "lock.all": "lock + unlock, by all",
    "lock.longest_wait": "lock by all: longest wait",
    "init_finalize": "init + finalize", "overlap.put.1048576": "overlap of a 1 MiB put",
    "overlap.get.1048576": "overlap of a 1 MiB get", "busy.get.8": "get 8 B while others compute",
    "busy.fetch_add": "fetch-and-add while others compute", "busy.acc_fence.8": "acc 8 B + fence while others compute",
    "first_get.idle": "first get 8 B after 20 ms of idling", "idle.first_get": "first get 8 B after 2 s of idling", "first_get.busy": "first get 8 B, others compute",
    "beside_put.get.8": "get 8 B beside large puts, 99th percentile",
    "unattended.put.8": "put 8 B that nobody waits for, and its answer", "unattended.waited": "put 8 B that nobody waits for: until it is sent, mean",
    "unattended.longest": "put 8 B that nobody waits for: until it is sent, longest",
    "init_finalize.far": "init + finalize, two hosts", "malloc_free.far": "malloc + free, 1 MiB, two hosts",
    "barrier.far": "barrier, two hosts", "put_fence_all.far": "put to half of all, on another host, + fence_all, 8 B",
    "memory.private": "private memory, a rank", "memory.shared": "shared memory",
    "get_compute_acc": "get-compute-accumulate task", "gups": "random update (GUPS)", "idle": "idle host",
    "floor.beside_put.8": "MPI send + reply, 8 B, beside a stream of 256 KiB, 99th percentile",
    "floor.send_reply.8": "MPI send + reply, 8 B", "floor.futex_handoff": "futex hand-off",
    "floor.cache_line.8": "a cache line to the other core and back",
}
GROUPS = (("Contiguous", r"(put|get|acc)\.|put_fence"), ("Non-blocking, 64 at a time", r"nb"),
          ("Strided and vector", r"(put|get|acc)[sv]\."), ("Atomics, locks, collectives", r"get_by_all|fetch|compare|lock|barrier|init"), ("Memory", r"local_|malloc"),
          ("Beside computing", r"overlap|busy|beside|first|idle|unattended"), ("Kernels", r"get_compute|gups"), ("Floors", r"floor"))


def size_text(count):
    for unit, name in SIZES:
        if count >= unit and count % unit == 0:
            return f"{count // unit} {name}"
    return str(count)


def counted(count, thing):
    return f"{count} {thing}{'' if count == 1 else 's'}"


def title(row):
    if row in TITLES:
        return TITLES[row]
    verb, _, rest = row.partition(".")
    if not rest:
        return VERBS.get(verb, verb)
    return f"{VERBS.get(verb, verb)}, {size_text(int(rest)) if rest.isdigit() else rest.replace('x', ' x ') + ' B'}"


def group_of(row):
    return next((name for name, pattern in GROUPS if re.match(pattern, row)), "Other")


def more_is_better(unit):
    return unit == "percent"


def quantile(values, quarter):
    """Between the two nearest samples, as is usual."""
    values = sorted(values)
    at = (len(values) - 1) * quarter / 4
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


class Cell:
    def __init__(self, samples=(), verdict="verified"):
        self.samples = list(samples)
        self.verdict = verdict

    def add(self, value, verdict):
        if value is not None:
            self.samples.append(value)
        if self.verdict != "WRONG":
            self.verdict = verdict

    @property
    def median(self):
        return quantile(self.samples, 2) if self.samples else None

    @property
    def low(self):
        return quantile(self.samples, 1) if self.samples else None

    @property
    def high(self):
        return quantile(self.samples, 3) if self.samples else None


class Results:
    def __init__(self, about=None, columns=()):
        self.about = about or {}
        self.columns = [dict(c) for c in columns]  # name, title, place, absent
        self.rows = {}                             # name -> {"unit", "cells": {column: Cell}}

    def add(self, row, column, value, unit, verdict):
        entry = self.rows.setdefault(row, {"unit": unit, "cells": {}})
        if value is not None and unit != entry["unit"]:
            verdict = "WRONG"
        entry["cells"].setdefault(column, Cell()).add(value, verdict)

    def cell(self, row, column):
        return self.rows.get(row, {"cells": {}})["cells"].get(column)

    def median(self, row, column):
        """Nothing of what came out wrong."""
        cell = self.cell(row, column)
        return cell.median if cell and cell.verdict != "WRONG" else None

    def wrong(self):
        """(row, column) of everything that did not come out right."""
        return [(row, column) for row, entry in self.rows.items() for column, cell in entry["cells"].items()
                if cell.verdict == "WRONG"]

    def thin(self):
        """(row, column, rounds) of every time that fewer rounds have brought than were asked for."""
        asked = self.about.get("rounds", 0)
        return [(row, column, len(cell.samples)) for row, entry in self.rows.items() for column, cell in entry["cells"].items()
                if 0 < len(cell.samples) < asked and entry["unit"] != "bytes"]

    def to_json(self):
        rows = [{"name": name, "title": title(name), "unit": entry["unit"],
                 "cells": {c: {"median": cell.median, "low": cell.low, "high": cell.high, "samples": cell.samples,
                               "verdict": cell.verdict} for c, cell in entry["cells"].items()}}
                for name, entry in self.rows.items()]
        return json.dumps({"about": self.about, "columns": self.columns, "rows": rows}, indent=1)

    @staticmethod
    def from_json(text):
        data = json.loads(text)
        results = Results(data["about"], data["columns"])
        for row in data["rows"]:
            results.rows[row["name"]] = {"unit": row["unit"], "cells": {
                c: Cell(cell["samples"], cell["verdict"]) for c, cell in row["cells"].items()}}
        return results

    def ordered_rows(self):
        order = [name for name, _ in GROUPS]
        return sorted(self.rows, key=lambda row: order.index(group_of(row)) if group_of(row) in order else 99)
