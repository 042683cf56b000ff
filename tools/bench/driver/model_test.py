"""The model of comex_bench --model: its arithmetic, what keeps the goals, and what calls cost."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import model


class Model(unittest.TestCase):
    def test_tables_grow_with_what_they_are_counted_by(self):
        table = {"name": "t", "place": "private", "when": "always", "per_rank": 2, "per_worker": 0, "per_host": 100,
                 "per_local_rank": 0, "fixed": 7, "per_doubling": 30, "steps": []}
        job = {"ranks": 1000, "hosts": 16, "workers": 984, "local": 64}
        self.assertEqual(model.size_of(table, job), 2000 + 1600 + 7 + 10 * 30)

    def test_what_shrinks_as_jobs_grow_stands_in_steps(self):
        table = {"per_rank": 0, "per_worker": 0, "per_host": 0, "per_local_rank": 0, "fixed": 0, "per_doubling": 0,
                 "steps": [[10, 4, 0], [20, 2, 5]]}
        sizes = [model.size_of(table, {"ranks": ranks, "workers": 1, "hosts": 0, "local": 0}) for ranks in (10, 11, 20, 21)]
        self.assertEqual(sizes, [40, 27, 45, 0])

    def test_goals_are_judged_by_what_stands_and_by_what_grows(self):
        empty = {"per_rank": 0, "per_worker": 0, "per_host": 0, "per_local_rank": 0, "fixed": 0, "per_doubling": 0, "steps": []}
        tables = [empty | {"name": "a", "place": "private", "when": "always", "fixed": 900_000},
                  empty | {"name": "b", "place": "private", "when": "mutexes", "fixed": 50_000},
                  empty | {"name": "c", "place": "private", "when": "allocation", "fixed": 200_000},
                  empty | {"name": "d", "place": "shared", "when": "always", "fixed": 640_000_000},
                  empty | {"name": "e", "place": "shared", "when": "mutexes", "fixed": 64_000_000}]
        said = model.report(tables, SIZES)
        self.assertIn("what stands always: private kept, shared 10 x", said)
        self.assertIn("private, and with mutexes, one of every worker: kept", said)
        self.assertIn("and for each allocation over the world: 1.1 x", said)
        self.assertIn("shared, and with mutexes, one of every worker: 11 x", said)
        self.assertRaises(ValueError, model.report, tables + [empty | {"name": "f", "place": "private", "when": "?"}], SIZES)

    def test_what_one_process_of_a_host_holds_counts_for_both_goals(self):
        empty = {"per_rank": 0, "per_worker": 0, "per_host": 0, "per_local_rank": 0, "fixed": 0, "per_doubling": 0, "steps": []}
        tables = [empty | {"name": "a", "place": "private", "when": "always", "fixed": 500_000},
                  empty | {"name": "b", "place": "lowest", "when": "init", "fixed": 32_000_000},
                  empty | {"name": "c", "place": "shared", "when": "always", "fixed": 64_000_000}]
        said = model.report(tables, SIZES)
        self.assertIn("shared, and while init runs: 1.5 x", said)
        self.assertIn("private to the lowest rank of each host, while init runs: 32 x", said)

    def test_the_largest_job_is_that_of_the_goals(self):
        job = list(model.jobs())[-1]
        self.assertEqual((job["hosts"] * 64, job["hosts"]), (job["ranks"], 16384))
        said = model.report([], SIZES)
        self.assertIn("goals at 1,048,576 ranks on 16,384 hosts: 1 MB private", said)

    def test_a_server_is_judged_at_the_largest_job_and_where_it_is_worst_off(self):
        empty = {"per_rank": 0, "per_worker": 0, "per_host": 0, "per_local_rank": 0, "fixed": 0, "per_doubling": 0, "steps": []}
        tables = [empty | {"name": "a", "place": "server", "when": "traffic", "per_rank": 6144},
                  empty | {"name": "b", "place": "server", "when": "staging", "steps": [[1000, 61440, 0]]}]
        said = model.report(tables, SIZES)
        self.assertIn("P x 4 KiB + pool, 4,312 MB\n  if all talk to it: 6,442 MB, 1.5 x\n", said)
        self.assertIn("has to stage: 6,442 MB, 1.5 x; 3.2 x at 1,000 ranks\n", said)

    def test_calls_that_tell_everybody_about_everybody_are_named(self):
        lines = {line[2:56].strip(): line[56:] for line in model.step_lines(SIZES)}
        self.assertTrue(lines["malloc: verdict, gather of addresses"].endswith("not kept: O(P), O(P^2) by all"))
        self.assertTrue(lines["free, nothing unfenced: verdict, meeting"].endswith("  kept"))
        self.assertTrue(lines["barrier, nothing unfenced: the meeting"].endswith("448 B  kept"))
        self.assertTrue(lines["fence_all, nothing written"].endswith("0 B  kept"))

    def test_mutexes_are_made_by_one_word_between_hosts(self):
        job = {"ranks": 1024, "hosts": 16, "workers": 1008, "local": 64}
        calls = {name: sent for name, _, sent in model.calls(job, SIZES)}
        self.assertEqual(calls["create_mutexes, nothing unfenced: a maximum"], (8, 4, 4 * (32 + 8)))
        lines = {line[2:56].strip(): line[56:] for line in model.step_lines(SIZES)}
        self.assertTrue(lines["create_mutexes, nothing unfenced: a maximum"].endswith("560 B  kept"))

    def test_init_sends_minima_and_its_first_ranks_what_their_gathers_bring(self):
        job = {"ranks": 1024, "hosts": 16, "workers": 1008, "local": 64}
        self.assertEqual(model.calls(job, SIZES)[0][2], (20, 20, 2 * 8 * 10))
        self.assertEqual(model.calls(job, SIZES)[1][2], (16, 16, 8 * 1024 + 80 * 16))
        self.assertEqual(model.calls(job, SIZES)[2][2], (30, 30, 3 * 8 * 1023))
        large = {"ranks": 1 << 20, "hosts": 1 << 14, "workers": 63 << 14, "local": 64}
        self.assertEqual(model.calls(large, SIZES)[1][2][0], 4 * 14)

    def test_bodies_just_above_the_eager_limit_are_told(self):
        told = " ".join(" ".join(model.operation_lines(SIZES)).split())
        self.assertIn("just above MPI's eager limit in up to four messages that MPI sends at once", told)

    def test_long_messages_of_a_gather_travel_in_pieces(self):
        self.assertEqual(model.gathered(8, 16, SIZES), (3, 3, 7 * 16 + 3 * 32))
        steps, messages, _ = model.gathered(1024, 16, SIZES)
        self.assertEqual((steps, messages), (10, 8 + 2 + 3))  # the last two: 256 and 512 blocks

    def test_windows_of_a_gather_are_answered_but_for_the_last_of_a_step(self):
        window = SIZES["window"]
        self.assertEqual(model.gathered(2, 2 * window + 1, SIZES)[:2], (1, 8 + 8 + 1 + 2))

    def test_free_counts_its_fence_and_its_meeting(self):
        job = {"ranks": 1024, "hosts": 16, "workers": 1008, "local": 64}
        calls = {name: sent for name, _, sent in model.calls(job, SIZES)}
        fence = calls["fence_all, every host written to"]
        free = calls["free, every host written to: fence, verdict, meeting"]
        self.assertEqual(free, (8 + 2 + 4, 4 + 30 + 4, 4 * (32 + 32) + fence[2] + 4 * 32))


SIZES = {"request": 80, "reply": 56, "control": 32, "message": 4000, "item": 16, "repeated": 8, "address": 8, "window": 8 * 3968,
         "verdict": 32, "pool": 16 << 20, "reserve": 256 << 20, "chunk": 1 << 18, "piece": 2048, "maximum": 8,
         "minima": 2, "splits": 3, "split": 8, "rank": 4, "node_rank": 4, "host_row": 72}


if __name__ == "__main__":
    unittest.main()
