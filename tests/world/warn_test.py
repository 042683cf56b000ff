#!/usr/bin/env python3
"""COMEX_WORLD=warn names each place that uses MPI_COMM_WORLD once a process, and leaves the program as it is.
Usage: warn_test.py LAUNCH LIBRARY SOURCE ADDR2LINE PROGRAM FORTRAN_PROGRAM..."""
import os
import re
import subprocess
import sys
import unittest

LAUNCH, LIBRARY, SOURCE, ADDR2LINE, PROGRAM, *FORTRAN_PROGRAMS = sys.argv[1:]
NOTICE = re.compile(r"comex: rank (\d+): (\w+) was given MPI_COMM_WORLD.* at (\S+)\((\w*)\+(0x[0-9a-f]+)\)")


def marked_lines():
    """place -> line number in the source"""
    with open(SOURCE, encoding="utf-8") as text:
        found = [(re.search(r"/\* place (\d) \*/", line), n) for n, line in enumerate(text, 1)]
    return {int(match.group(1)): n for match, n in found if match}


def run(*command):
    environment = dict(os.environ, COMEX_WORLD="warn")
    done = subprocess.run([LAUNCH, "30", "3", "-x", "LD_PRELOAD=" + LIBRARY, *command], env=environment,
                          capture_output=True, text=True, check=False)
    return done, [match.groups() for match in map(NOTICE.search, done.stderr.splitlines()) if match]


class Warn(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done, cls.notices = run(PROGRAM)
        cls.status, cls.output, cls.errors = done.returncode, done.stdout, done.stderr

    def test_the_program_runs_as_if_the_library_were_not_there(self):
        self.assertEqual(self.status, 0, self.errors)
        self.assertEqual(sorted(self.output.split("\n"))[-2:], ["rank 0 keeps its place", "rank 1 keeps its place"])

    def test_each_place_is_named_once_by_each_process(self):
        said = sorted((rank, call) for rank, call, *_ in self.notices)
        before = [(rank, call) for rank in "012" for call in ("MPI_Comm_rank", "MPI_Comm_size")]
        after = [(rank, "MPI_Comm_compare") for rank in "01"]  # rank 2 does not return from comex_init
        self.assertEqual(said, sorted(before + after), self.errors)

    def test_the_place_is_where_the_source_has_it(self):
        lines = marked_lines()
        place_of = {"MPI_Comm_rank": 1, "MPI_Comm_size": 2, "MPI_Comm_compare": 3}
        self.assertTrue(self.notices)
        for _, call, image, symbol, offset in self.notices:
            self.assertEqual(os.path.basename(image), os.path.basename(PROGRAM))
            if symbol:
                continue  # offsets from a symbol need the symbol's own address
            found = subprocess.run([ADDR2LINE, "-e", PROGRAM, offset], capture_output=True, text=True, check=True)
            self.assertRegex(found.stdout, rf"places\.c:{lines[place_of[call]]}\b")

    def test_fortran_is_named_where_the_program_calls(self):
        for program in FORTRAN_PROGRAMS:
            done, notices = run(program, "3")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(("0", "MPI_Cart_create"), [notice[:2] for notice in notices])
            self.assertEqual({os.path.basename(notice[2]) for notice in notices}, {os.path.basename(program)})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
