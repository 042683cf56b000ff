"""Launches of their own kind: jobs that sleep and are watched, jobs whose progress ranks count."""
import os
import subprocess
import sys
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import launch
import mpis
from made_run import column

PLAN = launch.Plan(mpis.Build("openmpi", "/bin/there"), "/vrun", 3, ["--ms", "1"], 60)


class Sleeping(unittest.TestCase):
    RANKS = {"11": "0", "12": "1", "13": "2", "14": "3", "15": "4"}  # three workers, two progress ranks

    def verdict(self, workers=("0", "1", "3"), ranks=RANKS, before=RANKS, after=RANKS, answer="verified", status=0):
        said = launch.Asleep(list(workers), {"idle.first_get": (1.0, "ns", answer)} if answer else {}, status)
        return launch.idle_verdict(column("virtual"), PLAN, dict(before), dict(after), dict(ranks), said)

    def test_idling_is_right_when_the_progress_ranks_were_watched_and_then_answered(self):
        self.assertEqual(self.verdict(), "verified")

    def test_idling_is_wrong_where_a_process_was_another_or_an_answer_was(self):
        fewer = {pid: rank for pid, rank in self.RANKS.items() if pid != "15"}
        for wrong in ({"ranks": fewer, "before": fewer, "after": fewer}, {"after": fewer}, {"workers": ("0", "1", "?")},
                      {"workers": ("0", "1", "7")}, {"answer": "WRONG"}, {"answer": ""}, {"status": 1}):
            self.assertEqual(self.verdict(**wrong), "WRONG", wrong)

    def idle(self, script, ran):
        """The rows of a job that the script plays and of which `ran` are the looks at it."""
        def start(*_):
            return subprocess.Popen([sys.executable, "-c", script], text=True, stdout=subprocess.PIPE, start_new_session=True)
        with mock.patch.multiple(launch, start=start, ran_ns=mock.Mock(side_effect=ran),
                                 ranks_of=mock.Mock(return_value=self.RANKS)), mock.patch("launch.time.sleep"):
            return launch.idle(column("virtual"), PLAN, 1, 1)

    def test_a_sleeping_job_tells_its_workers_in_any_order_and_then_its_request(self):
        script = "for line in ('worker 3', 'asleep', 'worker 0', 'worker 1', 'ROW idle.first_get 9 ns verified'): print(line, flush=True)"
        looks = [dict.fromkeys(self.RANKS, 0), dict.fromkeys(self.RANKS, 1)]
        rows = self.idle(script, looks)
        self.assertEqual(rows["idle"][1:], ("percent of a core", "verified"))
        self.assertEqual(rows["idle.first_get"], (9.0, "ns", "verified"))

    def test_a_job_that_did_not_fall_asleep_tells_nothing(self):
        self.assertEqual(self.idle("print('worker 0')", []), {})


class Counting(unittest.TestCase):
    SAID = "progress rank 1 served 9 requests; batches sent for computing workers: {}, after {} us on average, {} us at most, " \
           "1 later than 50.0 us; this load suggests 1 progress rank on its host, which has 1"

    def rows(self, *told, verdict="verified", problem=""):
        return launch.pushed_rows(launch.Outcome({"unattended.put.8": (9.0, "ns", verdict)}, problem,
                                                 service=[self.SAID.format(*one) for one in told] + ["x this load suggests 1"]))

    def test_what_progress_ranks_count_becomes_rows(self):
        self.assertEqual(self.rows((10, 40.0, 60.5), (30, 20.0, 48.0)), {
            "unattended.waited": (25e3, "ns", "verified"), "unattended.longest": (60.5e3, "ns", "verified")})

    def test_a_count_of_nothing_or_of_a_wrong_launch_is_no_figure(self):
        self.assertEqual(self.rows(), {})
        for wrong in ({"verdict": "WRONG"}, {"problem": "status 1"}):
            self.assertEqual({verdict for _, _, verdict in self.rows((10, 40.0, 60.5), **wrong).values()}, {"WRONG"})

    def test_a_counting_launch_runs_its_row_alone_and_tells(self):
        for options in (["--ms", "1"], ["--ms", "1", "--rows", "put,unattended"], ["--rows", "put", "--ms", "1"]):
            with mock.patch.object(launch, "run", return_value=launch.Outcome()) as ran:
                launch.pushed(column("virtual"), launch.Plan(mpis.Build("openmpi", "/b"), "/v", 3, options, 60))
            told, plan = ran.call_args.args
            self.assertEqual(told.environment, {"COMEX_VIRTUAL_HOSTS": "2", "COMEX_VERBOSE": "1"})
            self.assertEqual((plan.options.count("--rows"), plan.options[plan.options.index("--rows") + 1]), (1, "unattended"))
            self.assertIn("--ms", plan.options)


if __name__ == "__main__":
    unittest.main()
