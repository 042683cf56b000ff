#!/usr/bin/env python3
"""launches.py [-b BARE] [-r ROLE,ROLE...] PROGRAM SCENARIO RANKS... [ARGUMENT...]: launches of PROGRAM meet.

Starts an ompi-server beside them where the scenario wants one, ends everything after a time limit, and judges status
and words of all. RANKS: of each launch; ROLE: its first argument, by default accept and connect. In the scenario `killed`
the last launch is killed once it says that it is ready, or with the argument `abort` ends by itself with one line; all
others must name its world, and so in `finalized`, where it ends without parting. In `broken` and `held_up` one worker of the
last launch dies, and the others of it say that they go on. BARE: a program of MPI alone, launched before in the same way with the first argument; by how
many KiB it has grown, the lesser of its sides, is one more argument of PROGRAM."""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT_S = 45
MPIRUN = str(Path(__file__).resolve().parent.parent / "support/mpirun")


def environment(manager, more=()):
    keep = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", COMEX_MANAGER=str(manager))
    keep.update(more)
    return keep


class Launch:
    def __init__(self, place, role, ranks, manager, server, arguments, more_environment=()):
        self.out = place / f"{role}.out"
        command = [MPIRUN, "-np", str(ranks)] + (["--go-on"] if "COMEX_ON_FAILURE" in dict(more_environment) else [])
        if server:
            # One server, named in two ways.
            command += ["--name-server", f"file:{os.path.relpath(server) if manager % 2 else server}"]
        command += arguments
        with open(self.out, "wb") as out:
            self.process = subprocess.Popen(command, env=environment(manager, more_environment), stdout=out, stderr=subprocess.STDOUT,
                                            start_new_session=True)

    def wait(self, until):
        try:
            return self.process.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            return None

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def text(self):
        return self.out.read_text(errors="replace")


def ours():
    return {name for name in os.listdir("/dev/shm") if name.startswith("comex")}


def descendants(pid):
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        found += [int(child)] + descendants(int(child))
    return found


def start_server(place):
    if shutil.which("ompi-server") is None:
        print("ompi-server is not installed")
        sys.exit(77)
    for attempt in range(3):  # on a full machine it sometimes comes up without writing where it is
        uri = place / f"server{attempt}"
        process = subprocess.Popen(["ompi-server", "--no-daemonize", "-r", str(uri)], env=environment(0),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        for _ in range(400):
            if uri.exists() and uri.read_text().strip():
                return process, uri
            time.sleep(0.02)
        process.kill()
        process.wait()
    sys.exit("ompi-server does not start")


# What each scenario wants: a server, manager numbers, and words that both sides must print.
WANTED = {
    "collision": (True, (3, 3), r"manager.*COMEX_MANAGER|COMEX_MANAGER.*manager"),
    "no_server": (False, (1, 2), r"--ompi-server"),
    "no_ports": (False, (1, 2), r"joins no worlds: MPI_Open_port|could not open a port of MPI"),
}
DEATHS = {"broken": 1, "held_up": 2}  # of a worker of the last launch, which has so many progress ranks
LOSSES = ("killed", "finalized", "broken")  # of the last launch's world, or of a worker of it that goes on
PLAIN = (True, (1, 2, 3), None)


def bare_growth_kib(place, roles, program, ranks, rounds):
    place.mkdir()
    server, uri = start_server(place)
    yields = {"OMPI_MCA_mpi_yield_when_idle": "1"}  # else they spin where cores are fewer
    sides = [Launch(place, role, count, 0, uri, [program, role, str(place / "port"), rounds], yields)
             for role, count in zip(roles, ranks)]
    until = time.monotonic() + LIMIT_S
    try:
        statuses = [side.wait(until) for side in sides]
    finally:
        for side in sides:
            side.kill()
        server.kill()
        server.wait()
    grown = [re.search(rf"^(-?\d+) KiB more after {rounds} rounds$", side.text(), re.M) for side in sides]
    if None in grown or statuses != [0] * len(sides):
        sys.exit(f"{program}: statuses {statuses}\n" + "\n".join(side.text() for side in sides))
    return str(min(int(each.group(1)) for each in grown))


def run(place, roles, program, scenario, ranks, more):
    wants_server, managers, words = WANTED.get(scenario, PLAIN)
    server, uri = start_server(place) if wants_server else (None, None)
    name = "refused" if words else scenario
    port = str(place / "port")
    aborts = "abort" in more
    before = ours()
    servers = str(DEATHS.get(scenario))
    goes_on = {roles[-1]: {"COMEX_ON_FAILURE": "continue", "GA_NUM_PROGRESS_RANKS_PER_NODE": servers}} if scenario in DEATHS else {}
    sides = [Launch(place, role, count, manager, uri, [program, role, port, name, *more], goes_on.get(role, ()))
             for role, count, manager in zip(roles, ranks, managers)]
    until = time.monotonic() + (2 * LIMIT_S if scenario == "rounds" else LIMIT_S)
    errors = []
    try:
        if scenario == "killed":
            while not Path(port + ".ready").exists() and time.monotonic() < until:
                time.sleep(0.02)
            if aborts:
                status = sides[-1].wait(until)
                if not status or sides[-1].text().count("gives up") != 1:
                    errors.append(f"{sides[-1].out.stem}: status {status}, or not the one line of who gives up")
            else:
                for pid in descendants(sides[-1].process.pid):
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass  # its launcher was quicker
                sides[-1].kill()
            expected = sides[:-1]
        else:
            expected = sides
        for side in expected:
            status = side.wait(until)
            if side is sides[-1] and scenario in DEATHS:  # a launcher says by its status that somebody died
                alive = set(re.findall(r"worker (\d+) goes on", side.text()))
                if status is None or len(alive) != ranks[-1] - DEATHS[scenario] - 1:
                    errors.append(f"{side.out.stem}: status {status}, workers {alive or 'none'} go on")
            elif status != 0:
                errors.append(f"{side.out.stem}: " + ("ended by the time limit" if status is None else f"status {status}"))
            if words and not re.search(words, side.text()):
                errors.append(f"{side.out.stem}: does not say {words}")
            told = set(re.findall(r"world (\d+) has", side.text()))
            lost = {str(len(sides) << 24)} if scenario in LOSSES and side is not sides[-1] else set()
            if told != lost:
                errors.append(f"{side.out.stem}: tells of the loss of {told or 'none'}, must be of {lost or 'none'}")
            tells_when = scenario == "killed" and Path(program).name == "worlds_meet" and side is not sides[-1]
            if tells_when and not re.search(r"nothing was called[\s\S]*has died", side.text()):
                errors.append(f"{side.out.stem}: told of the death before the library was called")
    finally:
        for side in sides:
            side.kill()
        if server:
            server.kill()
            server.wait()
    left = ours() - before
    if left:
        errors.append("left in /dev/shm: " + ", ".join(sorted(left)))
    return errors, sides


def main():
    options = argparse.ArgumentParser()
    options.add_argument("-b", dest="bare")
    options.add_argument("-r", dest="roles", default="accept,connect")
    for name in ("program", "scenario"):
        options.add_argument(name)
    options.add_argument("rest", nargs="+")  # ranks, then arguments of the program
    given = options.parse_args()
    roles = given.roles.split(",")
    ranks, more = [int(each) for each in given.rest[:len(roles)]], given.rest[len(roles):]
    with tempfile.TemporaryDirectory() as directory:
        if given.bare:
            more.append(bare_growth_kib(Path(directory) / "bare", roles, given.bare, ranks, more[0]))
        errors, sides = run(Path(directory), roles, given.program, given.scenario, ranks, more)
        if errors or "-v" in os.environ.get("COMEX_TEST_SHOW", ""):
            print("arguments: " + " ".join(more))
            for side in sides:
                print(f"== {side.out.stem}\n{side.text()}")
        print("\n".join(errors) if errors else "ok")
        sys.exit(1 if errors else 0)


main()
