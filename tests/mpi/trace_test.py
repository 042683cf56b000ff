#!/usr/bin/env python3
"""trace_test.py LAUNCH PROGRAM: COMEX_TRACE of 4 workers on 2 virtual hosts, one progress rank each: the tracks, the
operations of worker 0, slices that nest, arrows from requests to where they are served, and a log that is full."""
import collections
import json
import os
import subprocess
import sys
import tempfile

LAUNCH, PROGRAM = sys.argv[1:]
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)


def run(name, *arguments, ends_well=True, directory=None, **settings):
    said = subprocess.run([LAUNCH, "60", "6", PROGRAM, *arguments], env={**os.environ, "COMEX_VIRTUAL_HOSTS": "2", "COMEX_TRACE": name, **settings},
                          cwd=directory, capture_output=True, text=True, timeout=80, check=False)
    check((said.returncode == 0) == ends_well, f"status {said.returncode}: {said.stdout}{said.stderr}")
    return said.stdout + said.stderr


def slices_nest(slices):
    """On one track, in thousandths of a microsecond."""
    open_until = []
    for begin, end in sorted(((round(each["ts"] * 1000), round((each["ts"] + each["dur"]) * 1000)) for each in slices),
                             key=lambda each: (each[0], -each[1])):
        while open_until and open_until[-1] <= begin:
            open_until.pop()
        if open_until and end > open_until[-1] + 1:
            return False
        open_until.append(end)
    return True


with tempfile.TemporaryDirectory() as folder:
    place = os.path.join(folder, "start")  # which the workers leave
    os.mkdir(place)
    run("trace.json", directory=place, COMEX_STATS="job.txt")
    left = sorted(os.listdir(place)) + os.listdir(folder)
    check(left == ["job.txt", "trace.json", "start"], f"each output is one file, where the job began: {left}")
    check(os.path.getsize(os.path.join(place, "job.txt")) != 0, "the statistics are there")
    with open(os.path.join(place, "trace.json"), encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]

    tracks = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    # Ranks of two hosts: workers 0 and 1, progress rank 2, workers 2 and 3, progress rank 5.
    check(tracks == {0: "worker 0 (rank 0)", 1: "worker 1 (rank 1)", 2: "progress rank (rank 2)", 3: "worker 2 (rank 3)",
                     4: "worker 3 (rank 4)", 5: "progress rank (rank 5)"}, f"six tracks: {tracks}")
    hosts = {event["pid"] for event in events}
    check(hosts == {0, 1}, f"two hosts: {hosts}")

    slices = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            check(event["ts"] >= 0 and event["dur"] >= 0, f"a time before the beginning: {event}")
            slices[event["tid"]].append(event)
    made = collections.Counter((each["name"], each["args"].get("to"), each["args"].get("bytes")) for each in slices[0])
    check(made["put", "worker 1", 64] == 7, f"7 puts to worker 1: {made}")
    check(made["get", "worker 1", 1 << 20] == 3, f"3 gets from worker 1: {made}")
    check(made["get", "host 1", 1 << 20] == 5, f"5 gets from the other host: {made}")
    check(made["put", "host 1", 64] == 100, f"100 puts to the other host: {made}")
    gets = [each for each in slices[0] if each["name"] == "get"]
    check(all(each["dur"] > 1 for each in gets), "a get of 1 MiB lasts")
    check(any(each["name"] == "wait in barrier" for each in slices[4]), "worker 3 waits in the barrier")
    for tid, track in slices.items():
        check(slices_nest(track), f"the slices of {tracks[tid]} nest")

    begun = {event["id"]: event["ts"] for event in events if event["ph"] == "s"}
    ended = {event["id"]: event["ts"] for event in events if event["ph"] == "f"}
    check(set(ended) == set(begun), f"arrows that only begin or only end: {set(begun) ^ set(ended)}")
    check(len(ended) >= 7, f"5 gets, a batch and a fence: {len(ended)} arrows")
    check(all(begun[each] <= ended[each] for each in ended if each in begun), "nothing is served before it is sent")

    small = os.path.join(folder, "small.json")
    run(small, COMEX_TRACE_EVENTS="10")
    with open(small, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    check(sum(event["ph"] == "X" and event["tid"] == 0 for event in events) <= 10, "at most ten events")
    check(any(event["name"] == "thread_labels" and "later events are not here" in event["args"]["labels"] for event in events),
          "a full log says so")

    again = os.path.join(folder, "again")
    os.mkdir(again)
    run("twice.json", again, directory=again)
    traces = os.listdir(again) + [each for each in os.listdir(folder) if each.startswith("twice")]
    check(len(traces) == 2 and not any("-" in each for each in traces), f"each world's trace is one file: {traces}")

    lost = os.path.join(folder, "no", "such", "folder")
    said = run(lost, ends_well=False)
    check(f"init: COMEX_TRACE={lost}: this file cannot be written" in said, f"a folder that there is not is named: {said}")

print("\n".join(failures) or "right")
sys.exit(1 if failures else 0)
