#!/usr/bin/env python3
"""top_test.py COMEX_TOP JOB LAUNCH: what comex_top says of a job of 4 workers on 2 virtual hosts, alive and stopped."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import jobs

TOP, JOB, LAUNCH = sys.argv[1:]
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)


def top(*options):
    return subprocess.run([TOP, *options], capture_output=True, text=True, timeout=30, check=False)


def look(job):
    said = top("--job", job, "--json", "--interval", "0")
    return json.loads(said.stdout) if said.returncode == 0 else {"ranks": []}


def await_view(job, is_right):
    view = {}
    for _ in range(200):
        view = look(job)
        if view["ranks"] and is_right(view):
            return view
        time.sleep(0.05)
    failures.append(f"after 10 s the view is still {json.dumps(view)[:2000]}")
    return view


def workers(view):
    return {rank["worker"]: rank for rank in view["ranks"] if rank["role"] == "worker"}


def served(view):
    return max((rank["requests"] for rank in view["ranks"] if rank["role"] == "progress"), default=0)


def all_is_done(view):
    """Worker 0 has made its operations, and the others wait for it."""
    here = workers(view)
    return (len(here) == 4 and here[0]["get"]["count"] >= 10 and served(view) >= 10 and
            all("in barrier" in here[worker]["doing"] for worker in (1, 2, 3)))


with tempfile.TemporaryDirectory() as folder:
    go = os.path.join(folder, "go")
    before = jobs.names(TOP, JOB)
    launch = subprocess.Popen([LAUNCH, "60", "6", JOB, go], env={**os.environ, "COMEX_VIRTUAL_HOSTS": "2"})
    job = jobs.await_new(TOP, JOB, before)
    check(job, "a new job")

    view = await_view(job, all_is_done)
    first = workers(view)[0]
    check(first["put"]["count"] == 1000 and first["put"]["bytes"] == 64000, f"1000 puts of 64 B: {first['put']}")
    check(first["get"]["count"] == 10 and first["get"]["bytes"] == 10 << 20, f"10 gets of 1 MiB: {first['get']}")
    check(view["matrix"]["bytes"][0][1] == 64000, "64000 bytes from worker 0 to worker 1 in the matrix")
    check(view["matrix"]["bytes"][0][-1] == 10 << 20, "10 MiB from worker 0 to the last host in the matrix")
    check(sum(known or 0 for row in view["matrix"]["bytes"] for known in row) == 64000 + (10 << 20), "nothing else in the matrix")
    check(sum(rank["role"] == "progress" for rank in view["ranks"]) == 2, "two progress ranks")
    check([host["host"] for host in view["hosts"]] == [0, 1], "two hosts")
    check(all({owner["worker"] for owner in host["owners"]} == {2 * host["host"], 2 * host["host"] + 1} and
              host["arena_bytes_used"] >= 2 << 20 for host in view["hosts"]), "each worker owns its MiB")

    os.kill(first["pid"], signal.SIGSTOP)
    view = await_view(job, lambda view: workers(view)[0]["doing"] == "stopped")
    check(workers(view)[1]["wait"]["call"] == "barrier", "a stopped job is readable")
    os.kill(first["pid"], signal.SIGCONT)

    table = top("--job", job, "--once", "--interval", "0.2").stdout
    check(re.search(r"rates of the last \d", table) and "in barrier for" in table, f"a table of rates:\n{table}")
    page = os.path.join(folder, "page.html")
    said = top("--job", job, "--html", page, "--seconds", "0.5", "--interval", "0.1")
    check(said.returncode == 0 and "<svg" in open(page, encoding="utf-8").read(), f"a page with curves {said.stderr}")
    said = top("--job", job, "--html", page, "--seconds", "0.5", "--interval", "3600")
    check(said.returncode == 0, f"an end before the next look {said.stderr}")
    check(re.fullmatch(r"comex [0-9]+\.[0-9.]+\n", top("--version").stdout), "its version")
    check(top("--job", "none").returncode == 1, "a job that there is not is refused")
    for two in (("--once", "--html", page), ("--json", "--why"), ("--why", "--html", page)):
        check(top("--job", job, *two).returncode not in (0, 1), f"views that exclude each other: {two}")
    check(top("--job", job, "--once", "--interval", "nan").returncode == 2, "no number of seconds is refused")
    with open("/dev/full", "w", encoding="utf-8") as full:
        said = subprocess.run([TOP, "--job", job, "--once"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    check(said.returncode == 1 and "cannot be printed" in said.stderr, f"a full disk is told: {said.stderr}")
    if os.getuid() == 0:  # others do not see it
        said = subprocess.run(["setpriv", "--reuid", "65534", "--clear-groups", TOP, "--list"], capture_output=True, text=True, check=False)
        check(said.returncode == 0 and job not in said.stdout, f"another user sees the job: {said.stdout}{said.stderr}")
        check(said.stdout or said.stderr == "comex_top: no job runs on this machine that this user may read\n",
              f"an empty list without a line: {said.stderr}")

    elsewhere = ["unshare", "--time", "--boottime", "100000", "--monotonic", "100000"]
    if subprocess.run([*elsewhere, "true"], capture_output=True, check=False).returncode == 0:
        said = subprocess.run([*elsewhere, TOP, "--job", job, "--json", "--interval", "0"], capture_output=True, text=True, check=False)
        there = json.loads(said.stdout)
        check("in barrier" in workers(there)[1]["doing"] and workers(there)[1]["wait"]["seconds"] < 100000,
              f"a look from another time namespace: {workers(there)[1]}")

    open(go, "w", encoding="utf-8").close()
    check(launch.wait(timeout=60) == 0, "the job ends well")
    check(job not in jobs.names(TOP, JOB), "a job that has ended is no more")

print("\n".join(failures) or "right")
sys.exit(1 if failures else 0)
