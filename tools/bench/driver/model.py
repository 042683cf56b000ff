"""comex_bench --model: memory and messages for jobs that nobody can run here.

The bytes come from comex_bench_model, which knows the runtime's structs; the messages from how its collectives are
built (op/group_collective: dissemination, Bruck; a host's workers meet in shared memory, one of them speaks)."""
import json
import math
import os
import subprocess

RANKS_PER_HOST = 64
SIZES = (1_000, 10_000, 100_000, 1_000_000)
MOST_PRIVATE = 1_000_000
MOST_SHARED = 64_000_000


def jobs():
    for ranks in SIZES:
        hosts = -(-ranks // RANKS_PER_HOST)
        yield {"ranks": ranks, "hosts": hosts, "workers": ranks - hosts, "local": RANKS_PER_HOST}


def size_of(table, job):
    return (table["per_rank"] * job["ranks"] + table["per_worker"] * job["workers"] + table["per_host"] * job["hosts"] +
            table["per_local_rank"] * job["local"] + table["fixed"])


def bytes_text(count):
    for limit, divisor, unit in ((1e4, 1, "B"), (1e7, 1e3, "kB"), (1e10, 1e6, "MB"), (math.inf, 1e9, "GB")):
        if count < limit:
            return f"{count / divisor:,.0f} {unit}"
    return ""


def log2_up(n):
    return max(0, math.ceil(math.log2(n)))


def messages(job):
    """(operation, who, how many, bytes sent by one) for one call."""
    hosts, workers, ranks = job["hosts"], job["workers"], job["ranks"]
    gathered = 64 + 40 + 64 + 128 + 8 + 3
    return [
        ("init", "a rank in MPI's all-gathers", 8 * log2_up(ranks), gathered * ranks),
        ("barrier", "a host, whose workers meet in memory", log2_up(hosts), 48 * log2_up(hosts)),
        ("fence_all, nothing written", "a worker", 0, 0),
        ("fence_all, every host written to", "a worker", 2 * (hosts - 1), 48 * (hosts - 1)),
        ("malloc", "a worker", log2_up(workers), 16 * workers),
        ("free", "a worker", log2_up(workers), 16 * workers),
        ("put, acc or rmw and its answer", "an operation", 2, 48),
    ]


def rows_of(tables, place, when):
    return [t for t in tables if t["place"] == place and t["when"] in when]


def section(title, tables, limit=None):
    if not tables:
        return []
    all_jobs = list(jobs())
    lines = [f"{title:<46}" + "".join(f"{job['ranks']:>13,}" for job in all_jobs)]
    for table in tables:
        lines.append(f"  {table['name']:<44}" + "".join(f"{bytes_text(size_of(table, job)):>13}" for job in all_jobs))
    totals = [sum(size_of(t, job) for t in tables) for job in all_jobs]
    lines.append(f"  {'together':<44}" + "".join(f"{bytes_text(total):>13}" for total in totals))
    if limit:
        verdicts = ["kept" if total <= limit else f"{total / limit:.0f} x over" for total in totals]
        lines.append(f"  {'goal: ' + bytes_text(limit):<44}" + "".join(f"{v:>13}" for v in verdicts))
    return lines + [""]


def report(tables):
    lines = [f"Hosts of {RANKS_PER_HOST} ranks, one of them a progress rank. Bytes from the structs of this build.", ""]
    lines += section("private, always", rows_of(tables, "private", ("always",)), MOST_PRIVATE)
    lines += section("private, while a call runs", rows_of(tables, "private", ("init",)))
    lines += section("private, for each allocation", rows_of(tables, "private", ("allocation",)))
    lines += section("private, with mutexes", rows_of(tables, "private", ("mutexes",)))
    lines += section("private, if one talks to everybody", rows_of(tables, "private", ("traffic",)))
    lines += section("shared by a host, always", rows_of(tables, "shared", ("always",)), MOST_SHARED)
    lines += section("a server, if all talk to it", rows_of(tables, "server", ("traffic",)))
    lines.append(f"{'messages of one call: how many / bytes':<46}" + "".join(f"{n:>20,}" for n in SIZES))
    per_job = [messages(job) for job in jobs()]
    for number, (operation, who, _, _) in enumerate(per_job[0]):
        cells = [f"{each[number][2]:,} / {bytes_text(each[number][3])}" for each in per_job]
        lines += [f"  {operation}, by {who}", " " * 46 + "".join(f"{cell:>20}" for cell in cells)]
    return "\n".join(lines)


def show(bin_directory):
    said = subprocess.run([os.path.join(bin_directory, "comex_bench_model")], capture_output=True, text=True, check=True)
    print(report(json.loads(said.stdout)["tables"]))
    return 0
