"""What counts as moved between two runs, and what is told of cells that came, went or are not right."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare
from made_run import run


class Comparing(unittest.TestCase):
    def test_what_moved_beyond_the_quartiles_is_told(self):
        found, common = compare.compare(run(put_8__comex=10.0, get_8__comex=10.0), run(put_8__comex=5.0, get_8__comex=10.1))
        self.assertEqual(common, 2)
        self.assertEqual([(row, better) for row, _, _, better in found], [("put.8", True)])

    def test_overlapping_quartiles_are_no_news(self):
        before, after = run(), run()
        for value in (5, 10, 15, 20):
            before.add("barrier", "comex", value, "ns", "verified")
            after.add("barrier", "comex", value + 4, "ns", "verified")
        self.assertEqual(compare.compare(before, after)[0], [])

    def test_what_was_nothing_or_has_become_so_has_moved(self):
        before, after = run(), run()
        for row, old, new in (("overlap.put.1048576", 89, 0), ("idle", 0, 40), ("first_get.idle", 0, 0)):
            before.add(row, "comex", old, "percent", "verified")
            after.add(row, "comex", new, "percent", "verified")
        self.assertEqual({row: ratio for row, _, ratio, _ in compare.compare(before, after)[0]},
                         {"overlap.put.1048576": 0.0, "idle": float("inf")})
        self.assertIn("x inf", compare.text(before, after))

    def test_what_came_out_wrong_is_not_compared(self):
        after = run(put_8__comex=5.0)
        after.add("put.8", "comex", 5.0, "ns", "WRONG")
        self.assertEqual(compare.compare(run(put_8__comex=10.0), after)[0], [])

    def wrong(self, **medians):
        """A run like those of run(), all of it WRONG."""
        made = run(**medians)
        for row, name in [(row, name) for row, entry in made.rows.items() for name in entry["cells"]]:
            made.add(row, name, 1.0, "ns", "WRONG")
        return made

    def test_only_what_is_compared_by_its_spread_can_have_too_few_rounds(self):
        before, after = run(put_8__comex=10.0), run(put_8__comex=10.0)
        for one in (before, after):
            one.add("memory.private", "comex", 5.0, "bytes", "verified")
        after.add("get.8", "comex", 5.0, "ns", "verified")
        self.assertNotIn("hardly a spread", compare.text(before, after))
        before.add("get.8", "comex", 5.0, "ns", "verified")
        self.assertIn("with 1 round there is hardly a spread", compare.text(before, after))

    def test_what_became_wrong_is_told_and_is_worse(self):
        before, after = run(put_8__comex=10.0), self.wrong(put_8__comex=10.0)
        for one, other, said in ((before, after, "Became WRONG"), (after, after, "Still WRONG"), (after, before, "Right again"),
                                 (run(), after, "Became WRONG"), (after, run(get_8__comex=1.0), "Was WRONG, has no figure now")):
            self.assertIn(f"{said}: comex: put, 8 B", compare.text(one, other))
            self.assertEqual(compare.is_worse(one, other), said == "Became WRONG")
        self.assertEqual(compare.compare(before, after)[1], 0)

    def test_cells_that_came_or_went_are_told(self):
        one, both = run(put_8__comex=10.0, put_8__rma=1.0, get_8__comex=1.0), run(put_8__comex=10.0, get_8__comex=1.0, get_8__rma=1.0)
        told = compare.text(one, both)
        self.assertIn("Has no figure any more: rma: put, 8 B", told)
        self.assertIn("Has a figure now: rma: get, 8 B", told)
        self.assertIn("of 2 figures", told)
        self.assertFalse(compare.is_worse(one, both))

    def test_a_launch_that_failed_is_worse(self):
        after = run(put_8__comex=10.0)
        after.about["problems"] = ["MPI-3 RMA: status 1"]
        self.assertTrue(compare.is_worse(run(put_8__comex=10.0), after))
        self.assertIn("Problem after: MPI-3 RMA: status 1", compare.text(run(put_8__comex=10.0), after))

    def test_what_only_one_run_has_is_named(self):
        told = compare.text(run(put_8__comex=10.0, gone__comex=1.0), run(put_8__comex=10.0, come__comex=1.0))
        self.assertIn("Only before: rows: gone", told)
        self.assertIn("Only after: rows: come", told)
        self.assertNotIn("columns", told)


if __name__ == "__main__":
    unittest.main()
