"""Growing jobs: which launches there are in which order, what is told of them, and what is not hidden."""
import contextlib
import io
import os
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import launch
import main
import mpis
import options
import report
import scale
from made_run import ABOUT
from results import Results

PLAN = launch.Plan(mpis.Build("openmpi", "/b"), "/v", 2, ["--ms", "5"], 60)


class Scale(unittest.TestCase):
    def measured(self, sizes, rounds, run=None, memory=(3e6, 1e6), status=0):
        """The run and its problems, of launches that answer all they are asked unless `run` says otherwise."""
        self.launched = []

        def answered(column, plan):
            self.launched.append((column.name, plan.workers))
            rows = plan.options[plan.options.index("--rows") + 1].split(",")
            value = 1e6 * len(self.launched)
            return run(plan) if run else launch.Outcome({row: (value, "ns", "verified") for row in rows})
        with mock.patch.multiple(launch, run=answered, while_asleep=lambda *_: (memory, launch.Asleep(status=status))):
            return scale.measure(PLAN, sizes, rounds, {**ABOUT, "cores": 2, "workers": 8, "rounds": rounds})

    def test_rounds_go_through_all_sizes_and_each_begins_with_another(self):
        self.measured([2, 4, 8], 2)
        self.assertEqual([workers for name, workers in self.launched if name == "comex"], [2, 4, 8, 4, 8, 2])

    def test_every_round_is_kept_as_it_ends(self):
        kept = []
        with mock.patch.multiple(launch, run=lambda *_: launch.Outcome({}), while_asleep=lambda *_: (None, launch.Asleep())):
            scale.measure(PLAN, [2], 3, dict(ABOUT), lambda results, problems: kept.append(len(problems)))
        self.assertEqual(kept, [3, 3, 3])

    def test_medians_stand_with_quartiles_and_machine_and_commit_above(self):
        run, problems = self.measured([2, 8], 3)
        self.assertEqual((problems, len(run.cell("barrier", "8").samples)), ([], 3))
        first, _, table = scale.lines(run).partition("\n\n")
        self.assertIn("commit 0. 2 to 8 workers, 3 rounds,", first)
        self.assertIn("| barrier | 7.00 ms (4.00 ms .. 8.00 ms) | 5.00 ms (4.00 ms .. 8.00 ms) |", table)
        self.assertIn("| barrier, two hosts | 8.00 ms (5.00 ms .. 9.00 ms) | ", table)
        self.assertIn("| private memory, a rank | 3,000 kB | 3,000 kB |", table)

    def test_a_row_that_is_not_told_and_a_job_that_does_not_sleep_are_problems(self):
        _, problems = self.measured([2], 1, run=lambda plan: launch.Outcome({}), memory=None)
        self.assertIn("did not tell malloc_free.far, did not tell barrier.far, did not tell put_fence_all.far", problems[1])
        self.assertIn("its sleeping job did not tell its memory", problems[2])

    def test_a_size_that_fails_is_not_tried_again_and_the_others_are(self):
        self.measured([2, 4], 3, run=lambda plan: launch.Outcome(problem="status 1" if plan.workers == 4 else "", rows={
            row: (1.0, "ns", "verified") for row in scale.NEAR_ROWS}))
        self.assertEqual([workers for name, workers in self.launched if name == "comex"], [2, 4, 2, 2])

    def test_a_job_that_ends_badly_has_no_right_memory(self):
        run, _ = self.measured([2], 1, status=1)
        self.assertEqual(run.wrong(), [("memory.private", "2"), ("memory.shared", "2")])

    def test_it_has_seven_rounds_and_keeps_everything(self):
        self.assertEqual(options.arguments(["--bin", "/b", "--vrun", "/v", "--scale", "2"]).rounds, 7)
        run, problems = self.measured([2, 8], 2)
        with tempfile.NamedTemporaryFile("r", suffix=".json") as kept, tempfile.NamedTemporaryFile("r", suffix=".md") as page:
            args = options.arguments(["--bin", "/b", "--vrun", "/v", "--scale", "2,8", "--json", kept.name, "--markdown", page.name])
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(main.show(args, run, problems), 0)
            self.assertEqual((page.read(), said.getvalue()), (scale.lines(run) + "\n",) * 2)
            again = Results.from_json(kept.read())
        self.assertEqual(scale.lines(again), scale.lines(run))
        self.assertIn("8 workers", report.page(again))


if __name__ == "__main__":
    unittest.main()
