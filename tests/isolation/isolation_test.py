#!/usr/bin/env python3
"""isolation_test.py COMEX_TOP HANG DIFFERENTIAL LAUNCH [MEET]: jobs beside users and jobs that must not get at them.

- Another user of the machine opens, reads, traces, signals and watches nothing of a job.
- With MEET, a program that opens a port, instead: another user finds no cookie of the port, and is told nothing without it.
- Names in /dev/shm that somebody made before, links too, change nothing: the arena has no name there.
- Two jobs of one user, in namespaces of processes of their own where the same pids occur, share /dev/shm and are both right.
Exit status 77: this user may not become another one."""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "tools/comex_top/tests"))
import jobs

TOP, HANG, DIFFERENTIAL, LAUNCH = sys.argv[1:5]
MEET = sys.argv[5] if len(sys.argv) > 5 else ""
INTRUDER = str(Path(__file__).with_name("intruder.py"))
GUEST = str(Path(__file__).with_name("guest.py"))
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
SEIZED = {"tracing"}  # a debugger's security module may refuse it even to the same user


def output(command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)


class RunningJob:
    """Two workers and a progress rank that sleep, until the end of the block."""

    def __init__(self, **environment):
        self.environment = {**os.environ, **environment}

    def __enter__(self):
        before = jobs.names(TOP, HANG)
        self.launch = subprocess.Popen([LAUNCH, "60", "3", HANG, "sleeps"], env=self.environment, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            mine = jobs.names(TOP, HANG) - before
            if mine:
                self.name = mine.pop()
                self.pids = [str(rank["pid"]) for rank in self.ranks()]
                if len(self.pids) == 3:
                    return self
            time.sleep(0.05)
        raise RuntimeError("the job does not start")

    def ranks(self):
        said = output([TOP, "--job", self.name, "--json", "--interval", "0"]).stdout
        return json.loads(said)["ranks"] if said else []

    def __exit__(self, *_):
        for pid in self.pids:
            try:
                os.kill(int(pid), 9)
            except ProcessLookupError:
                pass  # the launcher was quicker
        self.launch.wait(timeout=75)


class AnotherUser(unittest.TestCase):
    def assert_closed(self, **environment):
        with RunningJob(**environment) as job:
            own = set(output([sys.executable, INTRUDER, *job.pids]).stdout.split())
            other = output([*NOBODY, sys.executable, INTRUDER, *job.pids])
            self.assertEqual(other.returncode, 0, other.stderr)
            self.assertEqual(other.stdout, "", "ways that are open to another user")
            # The same tries find every way open to the user whose job it is.
            self.assertGreaterEqual(own | SEIZED, {"descriptors_by_path", "descriptors_to_write", "memory", "signals", "tracing"})

    def test_gets_at_nothing(self):
        self.assert_closed()

    def test_gets_at_nothing_where_memory_is_of_the_mount(self):
        self.assert_closed(COMEX_ARENA="posix")

    def test_sees_no_job(self):
        with RunningJob() as job:
            self.assertIn(job.name, output([TOP, "--list"]).stdout)
            said = output([*NOBODY, TOP, "--job", job.name, "--why"])
            self.assertNotEqual(said.returncode, 0)
            self.assertNotIn("worker", said.stdout + said.stderr)


class Port(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "port"
        self.launch = subprocess.Popen([LAUNCH, "60", "3", MEET, "accept", str(self.file), "whole"], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.end)
        for _ in range(400):
            if self.file.exists():
                return
            time.sleep(0.05)
        raise RuntimeError("no port is opened")

    def end(self):
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
                if words[0] == MEET.encode() and str(self.file).encode() in words:
                    os.kill(int(process.name), 9)
            except OSError:
                pass  # it has ended meanwhile
        self.launch.wait(timeout=75)

    def test_tells_another_user_nothing(self):
        host, port, cookie = self.file.read_text(encoding="utf-8").strip().rsplit(":", 2)
        guest = [*NOBODY, sys.executable, GUEST, host.strip("[]"), port]
        other = output(guest, input=cookie)
        self.assertEqual(other.returncode, 0, other.stderr)
        self.assertEqual(other.stdout, "", "what another user learns")
        with subprocess.Popen([sys.executable, "-c", "input()", cookie], stdin=subprocess.PIPE) as careless:
            self.assertIn("cmdline", output(guest, input=cookie).stdout, "the guest finds a cookie that is there")
            careless.communicate(b"\n")


def shm_names():
    return {path.name for path in Path("/dev/shm").iterdir() if path.name.startswith("comex")}


class NamesInTheMount(unittest.TestCase):
    def test_there_are_none_of_ours_while_a_job_runs(self):
        before = shm_names()
        with RunningJob(COMEX_ARENA="posix"):
            self.assertEqual(shm_names(), before)

    def test_those_of_others_change_nothing(self):
        """Files, folders and links by the names that one would guess, made by another user before the job."""
        with tempfile.TemporaryDirectory() as folder:
            precious = Path(folder) / "precious"
            precious.write_text("kept", encoding="utf-8")
            made = [Path("/dev/shm") / f"comex{end}" for end in ("", "-0", "_arena", "_1", ".0")]
            try:
                for number, path in enumerate(made):
                    if number % 3 == 0:
                        path.symlink_to(precious)
                    elif number % 3 == 1:
                        path.mkdir()
                    else:
                        path.write_text("x", encoding="utf-8")
                    os.chown(path, 65534, 65534, follow_symlinks=False)
                environment = {**os.environ, "COMEX_ARENA": "posix"}
                self.assertEqual(output([LAUNCH, "50", "3", DIFFERENTIAL, "50"], env=environment).returncode, 0)
                self.assertEqual(precious.read_text(encoding="utf-8"), "kept")
            finally:
                for path in made:
                    if path.is_dir() and not path.is_symlink():
                        path.rmdir()
                    else:
                        path.unlink(missing_ok=True)


class TwoJobs(unittest.TestCase):
    def test_with_equal_pids_in_one_mount_are_both_right(self):
        apart = ["unshare", "--pid", "--fork", "--mount-proc"]
        if output([*apart, "true"]).returncode != 0:
            self.skipTest("this machine refuses namespaces")
        # Launchers, and Open MPI's own shared memory, name files by pids: each job gets a folder for them.
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            both = [subprocess.Popen([*apart, LAUNCH, "55", "3", DIFFERENTIAL, "300"], stdout=subprocess.PIPE,
                                     env={**os.environ, "COMEX_ARENA": "posix", "TMPDIR": folder,
                                          "OMPI_MCA_btl_vader_backing_directory": folder},
                                     stderr=subprocess.STDOUT, text=True) for folder in (one, two)]
            for job in both:
                said, _ = job.communicate(timeout=60)
                self.assertEqual(job.returncode, 0, said)
                self.assertIn("ok", said)


if __name__ == "__main__":
    if os.geteuid() != 0 or output([*NOBODY, "true"]).returncode != 0:
        print("SKIPPED: this user may not become another one")
        sys.exit(77)
    ran = unittest.main(argv=[sys.argv[0], *(["Port"] if MEET else ["AnotherUser", "NamesInTheMount", "TwoJobs"])],
                        exit=False).result
    sys.exit(1 if not ran.wasSuccessful() else 77 if ran.skipped else 0)
