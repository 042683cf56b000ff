#!/usr/bin/env python3
"""Kills one process of a job at a random moment: nothing of ours may stay in /dev/shm, and no process.

kill_driver.py ARENA PROGRAM [ROUNDS]
  ARENA: auto, memfd or posix
Victims take turns: each rank (the first leads its host, the last is a progress rank) and the launcher.
COMEX_TEST_SEED sets the moments.
"""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../support"))
from waiting import wait_until  # noqa: E402

MPIRUN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../support/mpirun")
RANKS = 4
PATIENCE = 20  # seconds, only as a guard


def is_running(pid, program):
    """A pid may be given out again: only a process of that program counts, and no zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            if file.read().rpartition(")")[2].split()[0] == "Z":
                return False
        return os.path.realpath(os.readlink(f"/proc/{pid}/exe")) == os.path.realpath(program)
    except OSError:
        return False


def run_round(arena, program, victim, delay, environment):
    """What went wrong, or nothing."""
    before = set(os.listdir("/dev/shm"))
    with tempfile.TemporaryDirectory() as scratch:
        # What the MPI library leaves behind of its own lies apart from /dev/shm, and goes with the directory.
        directory = os.path.join(scratch, "pids")
        os.mkdir(directory)
        command = [MPIRUN, "--scratch", scratch,
                   "-np", str(RANKS), program, directory]
        full = {**os.environ, "COMEX_ARENA": arena, "TMPDIR": scratch, **environment}
        launcher = subprocess.Popen(command, env=full, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE, text=True)
        pids = []
        try:
            if not wait_until(lambda: len(os.listdir(directory)) == RANKS, PATIENCE):
                return "the job does not start"
            pids = sorted(int(name) for name in os.listdir(directory))
            time.sleep(delay)
            if launcher.poll() is not None:
                return f"the job ended by itself: {launcher.stderr.read()}"
            target = launcher.pid if victim == "launcher" else pids[victim]
            os.kill(target, signal.SIGKILL)
            gone = wait_until(lambda: not any(is_running(pid, program) for pid in pids), PATIENCE)
            ended = wait_until(lambda: launcher.poll() is not None, 5)
            left = set(os.listdir("/dev/shm")) - before
            ours = {name for name in left if name.startswith("comex")}  # others are of MPI, and of jobs beside this one
            if not gone:
                return f"still running: {[pid for pid in pids if is_running(pid, program)]}"
            if ours:
                return f"left in /dev/shm: {ours}"
            if not ended:  # all of the job is gone: this one is the MPI library's to mend
                print("note: the launcher hangs after its job has ended")
            return None
        finally:
            for pid in [*pids, launcher.pid]:
                if is_running(pid, program) or (pid == launcher.pid and launcher.poll() is None):
                    os.kill(pid, signal.SIGKILL)
            launcher.wait()


def main():
    arena, program = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    seed = int(os.environ.get("COMEX_TEST_SEED", random.randrange(1 << 30)))
    print(f"seed {seed}")
    chance = random.Random(seed)
    victims = ["launcher", 0, RANKS - 1, *range(1, RANKS - 1)]
    failures = 0
    for index in range(rounds):
        victim = victims[index % len(victims)]
        delay = chance.choice([chance.uniform(0, 0.2), chance.uniform(0, 0.2), chance.uniform(0.2, 0.8)])
        environment = {"COMEX_VIRTUAL_HOSTS": "2"} if chance.random() < 0.4 else {}
        problem = run_round(arena, program, victim, delay, environment)
        print(f"victim {victim} after {delay:.3f} s {environment}: {problem or 'nothing left'}")
        failures += problem is not None
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
