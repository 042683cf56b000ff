"""What makes a run whole: which rows are wanted of a column, and what is said of those that a launch did not bring."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import columns
import coverage
import launch
import mpis
from made_run import column


class Coverage(unittest.TestCase):
    ROWS = ["put.8", "compare_swap", "beside_put.get.8", "lock.all", "lock.alone"]

    def lacks(self, name, text, names=(), workers=2):
        outcome = launch.Outcome(rows=launch.read_rows(text))
        return coverage.lacks(column(name), self.ROWS, list(names), outcome, workers)

    def test_every_row_is_to_be_told(self):
        told = "ROW put.8 4 ns verified\nROW lock.all 4 ns verified"
        self.assertEqual(self.lacks("armci", told), ["ComEx-PR, by ARMCI, Open MPI: ended well and did not tell lock.alone"])
        self.assertEqual(self.lacks("armci", told + "\nROW lock.alone 4 ns verified"), [])

    def test_only_declared_rows_may_be_absent(self):
        told = "ROW put.8 4 ns verified\nROW compare_swap - ns absent"
        self.assertEqual(self.lacks("armci", told, ["put", "compare_swap"]), [])
        self.assertEqual(self.lacks("rma", told, ["put", "compare_swap"]),
                         ["MPI-3 RMA, Open MPI: says that it has no compare_swap"])

    def test_three_workers_are_to_measure_beside_large_puts(self):
        told = "ROW beside_put.get.8 - ns absent"
        self.assertEqual(self.lacks("comex", told, ["beside_put"]), [])
        self.assertEqual(len(self.lacks("comex", told, ["beside_put"], workers=3)), 1)

    def test_a_figure_is_a_number_and_no_time_is_nothing(self):
        for value in ("nan", "inf", "abc", "0", "-3"):
            self.assertEqual(self.lacks("comex", f"ROW put.8 {value} ns verified", ["put"]),
                             ["ComEx-PR, Open MPI: has no number for put.8"])
        self.assertEqual(len(self.lacks("comex", "ROW put.8 0 x mean verified", ["put"])), 1)
        self.assertEqual(self.lacks("comex", "ROW put.8 - ns verified", ["put"]), ["ComEx-PR, Open MPI: has no number for put.8"])
        self.assertEqual(self.lacks("comex", "ROW put.8 0 percent verified", ["put"]), [])

    def test_another_runtime_may_lack_what_it_says(self):
        other = columns.extra_column("theirs=/bin/true")
        outcome = launch.Outcome(rows=launch.read_rows("ROW put.8 - ns absent"))
        self.assertEqual(coverage.lacks(other, ["put.8"], [], outcome, 2), [])
        self.assertEqual(len(coverage.lacks(other, ["put.8"], [], launch.Outcome(), 2)), 1)

    def test_unknown_rows_are_found(self):
        self.assertEqual(coverage.unknown(["put", "lock.all", "loc", "putt"], self.ROWS), ["loc", "putt"])

    def test_a_program_that_names_no_rows_is_refused_and_one_that_is_not_there_has_none(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(coverage.listed(f"{folder}/none"), [])
            for text in ("exit 3", "echo put.8; exit 3", "true"):
                with open(f"{folder}/bench", "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\n{text}\n")
                os.chmod(f"{folder}/bench", 0o755)
                with self.assertRaises(columns.Refused):
                    coverage.listed(f"{folder}/bench")

    def rows_of(self, said, *chosen):
        with tempfile.TemporaryDirectory() as folder:
            for program in {c.program for c in chosen}:
                path = os.path.join(folder, program)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\nprintf '{said}'\n")
                os.chmod(path, 0o755)
            return coverage.rows_of(list(chosen), launch.Plan(mpis.Build("openmpi", folder), "/vrun", 2, [], 60))

    def test_a_row_that_a_program_lost_is_still_wanted(self):
        wanted = self.rows_of("put.8 ns\n", column("comex"), column("armci"), column("floors"))
        self.assertIn("gups", wanted["comex"])
        self.assertIn("compare_swap", wanted["comex"])
        self.assertNotIn("compare_swap", wanted["armci"])
        self.assertEqual([name for name, rows in wanted.items() if "floor.futex_handoff" in rows], ["floors"])

    def test_a_new_row_has_to_be_pinned(self):
        with self.assertRaisesRegex(columns.Refused, "rows.txt does not name: put.7$"):
            self.rows_of("put.8 ns\nput.7 ns\n", column("comex"))

    def test_the_pinned_rows_are_those_that_were_asked_for(self):
        rows = coverage.pinned()
        self.assertEqual(len(rows), len(set(rows)))
        sizes = [8 ** power for power in range(1, 8)] + [65536]
        asked = [f"{verb}.{size}" for verb in ("put", "get", "acc") for size in (*sizes, 4194304)]
        asked += [f"nb{verb}.{size}" for verb in ("put", "get", "acc") for size in (8, 1024)] + ["nbrmw.8"]
        asked += [f"{verb}s.{shape}" for verb in ("put", "get", "acc") for shape in ("128x512", "16x4096", "32x32x256")]
        asked += [f"{verb}v.1000x8" for verb in ("put", "get", "acc")]
        asked += ["put_fence.8", "put_fence.4096", "put_fence_all.8", "fetch_add.alone", "fetch_add.all", "compare_swap",
                  "lock.alone", "lock.all", "lock.longest_wait", "barrier", "malloc_free.1048576", "init_finalize",
                  "overlap.put.1048576", "overlap.get.1048576", "busy.get.8", "busy.fetch_add", "busy.acc_fence.8",
                  "first_get.idle", "first_get.busy", "unattended.put.8", "beside_put.get.8", "get_compute_acc", "gups",
                  "floor.send_reply.8", "floor.beside_put.8", "floor.futex_handoff"]
        self.assertEqual([row for row in asked if row not in rows], [])


if __name__ == "__main__":
    unittest.main()
