"""The goals: where each limit comes from, what keeps it, what is listed as missed, and what is told as not judged."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import goals
import publish
import report
from made_run import run
from results import Results, title


class Goals(unittest.TestCase):
    def test_a_limit_comes_from_the_floor_of_the_same_run(self):
        judged = goals.judge(run(put_8__comex=12.0, put_8__floors=3.0))
        self.assertEqual([(one.limit, one.is_met) for one in judged], [(3.0 * 1.05 + 10, True)])

    def test_without_a_floor_nothing_is_judged(self):
        self.assertEqual(goals.judge(run(put_8__comex=12.0)), [])

    def test_strided_transfers_are_judged_by_the_contiguous_ones_of_their_column(self):
        judged = goals.judge(run(gets_128x512__copied=140.0, get_65536__copied=100.0, gets_128x512__virtual=140.0,
                                 get_65536__virtual=100.0))
        self.assertEqual({one.topic.split(":")[0]: one.is_met for one in judged}, {"copied": True, "virtual": False})

    def test_strided_accumulates_are_judged_there_too(self):
        judged = goals.judge(run(accs_128x512__cluster=120.0, acc_65536__cluster=100.0))
        self.assertEqual([(one.topic, one.is_met) for one in judged], [("cluster: strided at 85 % of contiguous", False)])

    def test_only_strided_puts_and_gets_may_add_to_the_plain_loop(self):
        judged = goals.judge(run(puts_128x512__comex=125.0, puts_128x512__floors=100.0, accs_128x512__comex=115.0,
                                 accs_128x512__floors=100.0, accs_32x32x256__comex=125.0, accs_32x32x256__floors=100.0))
        self.assertEqual([(one.topic.partition(" within ")[0], round(one.limit), one.is_met) for one in judged], [
            ("same host: strided put, get", 130, True), ("same host: strided acc", 110, False),
            ("same host: strided acc", 130, True)])

    def test_a_large_accumulate_adds_beside_the_message_only_where_hosts_are_one(self):
        figures = {"acc_262144__floors": 50.0}
        for place in ("virtual", "cluster"):
            figures |= {f"acc_262144__{place}": 110.0, f"put_262144__floors_{place}": 100.0}
        judged = [one for one in goals.judge(run(**figures)) if "large acc" in one.topic]
        self.assertEqual([(one.topic, round(one.limit * 0.85)) for one in judged], [
            ("virtual: large acc within 15 % of message and addition", 150),
            ("cluster: large acc within 15 % of the message alone", 100)])

    def test_computing_neighbours_are_counted_up_to_the_cores(self):
        results = run()
        results.add("first_get.busy", "virtual", 200e3, "ns", "verified")
        for workers, cores, others in ((2, 2, "a computing process"), (3, 2, "two computing processes"), (5, 4, "4 computing processes")):
            results.about.update(workers=workers, cores=cores)
            self.assertEqual([one.topic for one in goals.judge(results)],
                             [f"virtual: first request beside {others} within 300 us"])
        results.about.update(workers=5, cores=2)
        self.assertEqual(goals.judge(results), [])

    def test_mpi_without_a_runtime_stands_beside_the_goal_of_small_gets_beside_large_puts(self):
        results = run()
        results.add("beside_put.get.8", "cluster", 2e6, "ns", "verified")
        self.assertNotIn("MPI", goals.judge(results)[0].what)
        results.add("floor.beside_put.8", "floors_cluster", 3e6, "ns", "verified")
        self.assertEqual([(one.limit, one.is_met) for one in goals.judge(results)], [(1e6, False)])
        self.assertIn("(MPI's send + reply: 3.00 ms)", goals.judge(results)[0].what)

    def test_requests_beside_computing_are_judged_wherever_they_are_remote(self):
        results = run()
        for column, trip in (("comex", None), ("forced", "floors"), ("virtual", "floors_virtual"), ("cluster", "floors_cluster")):
            results.add("busy.get.8", column, 3e3, "ns", "verified")
            if trip == "floors_cluster":
                results.add("floor.send_reply.8", trip, 14.9e3, "ns", "verified")
        judged = [one for one in goals.judge(results) if "later requests" in one.topic]
        self.assertEqual([(one.topic.partition(":")[0], one.limit, one.is_met) for one in judged],
                         [(column, 2e3, False) for column in ("forced", "virtual", "cluster")])
        self.assertIn("| get 8 B while others compute (MPI's send + reply: 14.9 us) | 3.00 us | 2.00 us | 1.50 x |",
                      publish.goal_lines(results))

    def test_a_first_request_is_judged_in_the_state_in_which_the_share_was_taken_too(self):
        results = run()
        results.add("first_get.idle", "virtual", 304e3, "ns", "verified")
        results.add("idle.first_get", "virtual", 900e3, "ns", "verified")
        results.add("idle.first_get", "rma", 9.0, "ns", "verified")
        results.add("idle.first_get", "comex", 10.0, "ns", "verified")
        self.assertEqual([(one.what, one.is_met) for one in goals.judge(results)], [
            ("first get 8 B after 20 ms of idling", True), ("first get 8 B after 2 s of idling", False)])

    def test_what_nobody_waits_for_is_judged_by_the_setting(self):
        results = run()
        for row, value in (("unattended.waited", 45e3), ("unattended.longest", 61e3), ("unattended.put.8", 900e3)):
            results.add(row, "cluster", value, "ns", "verified")
        self.assertEqual([(one.topic, one.limit, one.is_met) for one in goals.judge(results)], [
            ("cluster: what nobody waits for is sent within COMEX_COALESCE_US", 50e3, True),
            ("cluster: what nobody waits for is sent within COMEX_COALESCE_US", 50e3, False)])
        self.assertIn("until it is sent, longest | 61.0 us | 50.0 us | 1.22 x |", publish.goal_lines(results))
        results.about["settings"] = {"COMEX_COALESCE_US": "70"}
        self.assertTrue(all(one.is_met for one in goals.judge(results)))
        for worse in (90e3, 60e3):
            results.add("unattended.longest", "cluster", worse, "ns", "verified")
        self.assertEqual([(one.measured, one.is_met) for one in goals.judge(results)], [(45e3, True), (90e3, False)])

    def test_small_requests_between_virtual_hosts_are_held_against_the_quicker_of_mpis_two_trips(self):
        results = run()
        for name, trip in (("floors_virtual", 1e3), ("floors", 700.0)):
            results.add("floor.send_reply.8", name, trip, "ns", "verified")
        results.add("get.8", "virtual", 950.0, "ns", "verified")
        self.assertEqual([(one.limit, one.is_met) for one in goals.judge(results)], [(900, False)])
        results.add("floor.send_reply.8", "floors_cluster", 10.0, "ns", "verified")
        self.assertEqual([one.limit for one in goals.judge(results)], [900])

    def test_a_whole_run_of_before_tells_which_rows_it_lacks(self):
        results = run()
        for row in ("put.8", "nbput.8", "puts.128x512", "barrier", "malloc_free.16", "first_get.idle", "gups", "floor.send_reply.8"):
            results.add(row, "virtual", 9.0, "ns", "verified")
        topic = "virtual: later requests beside a computing process within 2 us"
        self.assertEqual(goals.unjudged(results)[topic], ["get 8 B while others compute"])
        del results.rows["gups"]  # a run of a few rows was not asked for more
        self.assertNotIn(topic, goals.unjudged(results))

    def test_only_barriers_and_contended_locks_are_not_held_beside_few(self):
        rows = ("put_fence_all.8", "fetch_add.all", "init_finalize", "barrier", "lock.all", "lock.longest_wait")
        few, many = run(), run()
        for results, time, saved in ((few, 10.0, 30.0), (many, 29.0, 9.0)):
            for row in rows:
                results.add(row, "comex", time, "ns", "verified")
            results.add("overlap.put.1048576", "comex", saved, "percent", "verified")
        judged = [one for one in goals.judge(many, few) if "three times" in one.topic]
        self.assertEqual([(one.what, round(one.limit), one.is_met) for one in judged], [
            (title(row), 30, True) for row in rows[:3]] + [("overlap of a 1 MiB put", 10, False)])
        for results, time in ((few, 10.0), (many, 31.0)):
            results.add("get.8", "forced", time, "ns", "verified")
        self.assertEqual([(one.limit, one.is_met) for one in goals.judge(many, few) if one.topic.startswith("forced, over")],
                         [(30, False)])

    def test_small_gets_by_all_are_held_beside_messages_where_processes_outnumber_cores(self):
        results = run()
        for size, took in ((8, 14.0), (200, 16.0)):
            results.add(f"floor.send_reply_by_all.{size}", "floors_virtual", 10.0, "ns", "verified")
            results.add(f"get_by_all.{size}", "virtual", took, "ns", "verified")
        by_all = lambda: [one for one in goals.judge(results)
                          if "small gets by all" in one.topic]
        results.about.update(workers=2, cores=2)
        self.assertEqual(by_all(), [])
        results.about["workers"] = 4
        self.assertEqual([(one.what, one.limit, one.is_met) for one in by_all()],
                         [(title("get_by_all.8"), 15, True), (title("get_by_all.200"), 15, False)])

    def test_what_few_workers_cannot_have_is_told_and_why(self):
        few, many = run(), run()
        few.add("beside_put.get.8", "comex", None, "ns", "absent")
        many.add("beside_put.get.8", "comex", 5.0, "ns", "verified")
        for results, saved in ((few, 0.2), (many, 0.0)):
            results.add("overlap.put.1048576", "comex", saved, "percent", "verified")
        told = "; get 8 B beside large puts, 99th percentile, beside three ranks (2 workers have no such row); overlap of a " \
               "1 MiB put, beside three ranks (2 workers reach less than 1 %)"
        self.assertTrue(goals.unjudged_text(many, few).endswith(told))
        self.assertNotIn("; oversubscribed: within three times", publish.goal_lines(many, few))
        self.assertNotIn(told, goals.unjudged_text(many))

    def test_what_a_column_cannot_have_is_no_row_of_it_whatever_a_launch_told(self):
        results = run()
        for verdict in ("WRONG", "verified"):
            results.add("lock.alone", "virtual", 9.0, "ns", "verified")
            for name in ("rma_messages", "rma_cluster"):
                results.add("lock.alone", name, 8.0, "ns", verdict)
                self.assertTrue(goals.is_absent(results, "lock.alone", name))
            results.columns = [c for c in results.columns if not c["name"].startswith("armci")]
            self.assertEqual(goals.judge(results, by=goals.beside_rivals_by_message), [])
            self.assertEqual(goals.unjudged(results, by=goals.beside_rivals_by_message), {})

    def test_only_rivals_that_ran_are_named(self):
        results = run(gups__cluster=9.0, gups__rma_cluster=8.0, gups__comex=9.0, gups__armci_mpi_sm=8.0, put_8__comex=1.0,
                      put_8__armci_mpi=9.0, put_8__cluster=9.0, put_8__rma_cluster=10.0)
        results.columns = [c for c in results.columns if c["name"] not in ("armci_mpi_cluster", "rma")]
        self.assertEqual([one.topic for one in goals.judge(results)], [
            "same host: 8 B four times ahead of ARMCI-MPI", "kernels ahead of ARMCI-MPI",
            *2 * ["same host: not behind ARMCI-MPI in any row"], "cluster: kernels ahead of MPI RMA",
            "cluster: not behind MPI RMA in any row"])

    def test_the_better_of_two_columns_of_a_runtime_counts(self):
        results = run(gups__comex=9.0, gups__armci_mpi=10.0, gups__armci_mpi_sm=8.0, put_8__comex=9.0, put_8__armci_mpi=40.0,
                      put_8__armci_mpi_sm=50.0, init_finalize__comex=9.0, init_finalize__armci_mpi=8.0)
        for name, saved, waited in (("comex", 50.0, 3.0), ("armci_mpi", 10.0, 4.0), ("armci_mpi_sm", 60.0, 5.0)):
            results.add("overlap.put.1048576", name, saved, "percent", "verified")
            results.add("lock.longest_wait", name, waited, "x mean", "verified")
        for workers, topic in ((2, "same host: not behind ARMCI-MPI or MPI RMA in any row"),
                               (8, "oversubscribed: not behind ARMCI-MPI in any row")):
            results.about["workers"] = workers
            self.assertEqual({one.what: one.limit for one in goals.judge(results) if one.topic == topic}, {
                title("gups"): 8.0, title("put.8"): 40.0, title("init_finalize"): 8.0, title("overlap.put.1048576"): 60.0,
                title("lock.longest_wait"): 4.0})
        self.assertEqual([one.limit for one in goals.judge(results) if "ahead of" in one.topic], [10.0, 8.0])
        self.assertEqual(report.best_rival(results, "gups"), ("armci_mpi_sm", 8.0))

    def test_kernels_without_a_rival_are_told(self):
        results = run(gups__forced=9.0, gups__copied=9.0)
        results.columns = [c for c in results.columns if not c["name"].endswith("_messages")]
        told = "; kernels of forced, copied (their rivals, armci_mpi_messages and rma_messages, did not run)"
        self.assertIn(told, publish.goal_lines(results))

    def test_kernels_by_message_are_judged_where_others_ran(self):
        judged = goals.judge(run(gups__virtual=9.0, gups__rma_messages=8.0, gups__armci_mpi_messages=10.0))
        self.assertEqual([(one.topic, one.is_met) for one in judged], [
            ("virtual: kernels ahead of ARMCI-MPI and MPI RMA", True),
            ("virtual: kernels ahead of ARMCI-MPI and MPI RMA", False)])

    def test_rows_by_message_are_held_against_those_of_others_who_have_them(self):
        results = run(get_4096__virtual=9.0, get_4096__rma_messages=8.0, get_4096__armci_mpi_messages=10.0,
                      compare_swap__virtual=9.0, compare_swap__rma_messages=9.5, gups__virtual=9.0)
        topic = "virtual: not behind ARMCI-MPI or MPI RMA in any row"
        judged = [one for one in goals.judge(results, by=goals.beside_rivals_by_message) if one.topic == topic]
        self.assertEqual([(one.what, one.limit, one.is_met) for one in judged], [
            ("get, 4 KiB", 10.0, True), ("get, 4 KiB", 8.0, False), ("compare-and-swap", 9.5, True)])

    def test_what_nobody_waits_for_is_held_against_the_setting(self):
        topic = "virtual: what nobody waits for is sent within COMEX_COALESCE_US"
        for setting, limits in (("", [50e3]), ("200", [200e3]), ("0", []), ("00", []), ("-0", []), ("soon", [50e3])):
            results = run(unattended__virtual=1.0)
            results.add("unattended.waited", "virtual", 40e3, "ns", "verified")
            results.about["settings"] = {"COMEX_COALESCE_US": setting}
            self.assertEqual([one.limit for one in goals.judge(results) if one.topic == topic], limits)

    def test_a_figure_that_few_workers_have_not_is_not_called_small(self):
        few, many = run(), run()
        few.add("overlap.put.1048576", "comex", 80.0, "percent", "WRONG")
        many.add("overlap.put.1048576", "comex", 80.0, "percent", "verified")
        self.assertNotIn("less than 1 %", goals.unjudged_text(many, few))
        self.assertIn("overlap of a 1 MiB put", goals.unjudged_text(many, few))

    def test_the_longest_wait_of_all_rounds_counts(self):
        results = run(lock_all__comex=1.0)
        for waited, theirs in ((1.5, 2.5), (3.0, 2.5), (1.5, 4.0)):
            results.add("lock.longest_wait", "comex", waited, "x mean", "verified")
            results.add("lock.longest_wait", "rma", theirs, "x mean", "verified")
        judged = [(one.measured, one.limit) for one in goals.judge(results) if "longest" in one.what]
        self.assertEqual(judged, [(3.0, 2.0), (3.0, 4.0)])

    def test_many_workers_are_judged_beside_few_where_one_is_active(self):
        few = run(put_8__comex=10.0, get_8__comex=10.0, barrier__comex=10.0)
        judged = goals.judge(run(put_8__comex=29.0, get_8__comex=31.0, barrier__comex=90.0), few)
        self.assertEqual([(one.limit, one.is_met) for one in judged], [(30.0, True), (30.0, False)])

    def test_a_missed_goal_is_seen(self):
        judged = goals.judge(run(put_8__comex=12.0, put_8__rma=24.0))
        self.assertEqual({one.topic: one.is_met for one in judged}, {
            "same host: 8 B four times ahead of ARMCI-MPI and MPI RMA": False,
            "same host: not behind ARMCI-MPI or MPI RMA in any row": True})

    def test_two_workers_are_to_be_first_in_every_row(self):
        results = run(init_finalize__comex=9.0, barrier__comex=9.0, barrier__rma=8.0, barrier__armci_mpi=10.0)
        for name, saved in (("comex", 50.0), ("rma", 60.0), ("armci_mpi", 0.0)):
            results.add("overlap.put.1048576", name, saved, "percent", "verified")
        judged = [one for one in goals.judge(results) if "in any row" in one.topic]
        self.assertEqual([(one.what, one.is_met) for one in judged], [
            ("barrier", True), ("overlap of a 1 MiB put", True), ("barrier", False), ("overlap of a 1 MiB put", False)])

    def test_with_more_processes_than_cores_every_row_counts(self):
        results = run(init_finalize__comex=9.0, init_finalize__armci_mpi=8.0)
        results.about["workers"] = 8
        for name, saved, waited in (("comex", 50.0, 20.0), ("armci_mpi", 40.0, 10.0)):
            results.add("overlap.put.1048576", name, saved, "percent", "verified")
            results.add("lock.longest_wait", name, waited, "x mean", "verified")
        judged = [one for one in goals.judge(results) if one.topic.startswith("oversubscribed")]
        self.assertEqual([(one.what, one.is_met) for one in judged], [
            ("init + finalize", False), ("overlap of a 1 MiB put", True), ("lock by all: longest wait", False)])

    def test_with_more_processes_than_cores_no_row_is_behind_windows(self):
        results = run(init_finalize__comex=9.0, barrier__comex=9.0, barrier__rma=8.0)
        for workers, topic in ((8, "oversubscribed: not behind MPI RMA in any row"),
                               (2, "same host: not behind ARMCI-MPI or MPI RMA in any row")):
            results.about["workers"] = workers
            judged = [one for one in goals.judge(results) if "in any row" in one.topic]
            self.assertEqual([(one.topic, one.what, one.is_met) for one in judged], [(topic, "barrier", False)])

    def test_a_barrier_is_to_be_ahead_of_the_quicker_of_two_of_mpi(self):
        judged = goals.judge(run(barrier__comex=9.0, barrier__floors=10.0, barrier__rma=8.0))
        self.assertEqual([(one.limit, one.is_met) for one in judged if one.topic == goals.BARRIER], [(8.0, False)])

    def test_what_came_out_wrong_is_neither_judged_nor_a_limit(self):
        for wrong in ("comex", "floors"):
            results = run(put_8__comex=4.0, put_8__floors=3.0)
            results.add("put.8", wrong, 3.5, "ns", "WRONG")
            self.assertEqual(goals.judge(results), [])
            self.assertIn("put, 8 B", goals.unjudged_text(results))

    def test_small_gets_beside_large_puts_have_a_limit_wherever_a_progress_rank_serves_them(self):
        results = run()
        for column in ("forced", "virtual", "cluster"):
            results.add("beside_put.get.8", column, 1.1e6, "ns", "verified")
        self.assertEqual([(one.limit, one.is_met) for one in goals.judge(results)], 3 * [(1e6, False)])

    def test_every_row_that_misses_is_listed_once_under_its_topic(self):
        results = run(put_8__comex=15.0, put_8__floors=1.0, get_8__comex=22.0, get_8__floors=1.0, put_64__comex=3.0,
                      put_64__floors=3.0)
        topic = "same host: put, get within 5 % + 10 ns of the floor"
        listed = publish.goal_lines(results).partition("Every row that misses its goal:")[2].partition("not judged")[0]
        self.assertIn(f"| {topic} | put, 8 B | 15.0 ns | 11.1 ns | 1.36 x |\n|  | get, 8 B | 22.0 ns | 11.1 ns | 1.99 x |", listed)
        self.assertNotIn("64 B", listed)
        page = report.page(results).partition("Every row that misses its goal:")[2].partition("</table>")[0]
        self.assertTrue("get, 8 B" in page and "1.99 x" in page and "64 B" not in page)

    def test_where_all_is_kept_no_row_is_listed(self):
        results = run(put_8__comex=3.0, put_8__floors=3.0)
        self.assertNotIn("Every row that misses", publish.goal_lines(results) + report.page(results))

    def test_nothing_beside_something_is_beyond_any_factor(self):
        results = run()
        for name, saved in (("comex", 0.0), ("rma", 60.0)):
            results.add("overlap.put.1048576", name, saved, "percent", "verified")
        self.assertIn("| 0.0 % | 60 % | ∞ |", publish.goal_lines(results))

    def test_a_goal_that_wants_a_figure_is_told(self):
        results = run(put_8__floors=3.0, put_8__comex=4.0, get_8__comex=4.0)
        results.add("beside_put.get.8", "virtual", None, "ns", "absent")
        missing = goals.unjudged(results)
        self.assertEqual(missing["same host: put, get within 5 % + 10 ns of the floor"], ["get, 8 B"])
        self.assertFalse([topic for topic in missing if topic.startswith("virtual: 8 B beside")])
        self.assertIn("not judged: same host: put, get within 5 % + 10 ns of the floor (get, 8 B)", publish.goal_lines(results))

    def test_kernels_over_the_cluster_are_judged_where_others_ran(self):
        judged = goals.judge(run(gups__cluster=9.0, gups__rma_cluster=8.0, gups__armci_mpi_cluster=10.0))
        self.assertEqual([(one.topic, one.is_met) for one in judged], [
            ("cluster: kernels ahead of ARMCI-MPI and MPI RMA", True),
            ("cluster: kernels ahead of ARMCI-MPI and MPI RMA", False)])


if __name__ == "__main__":
    unittest.main()
