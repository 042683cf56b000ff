"""The driver's decisions, without a launcher: statistics, command lines, the page. Its goals, what counts as moved, its
launches of their own kind and the pages of the documentation have tests of their own."""
import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import columns
import launch
import main
import mpis
import options
import report
from made_run import ABOUT, column, run
from results import Results, quantile, title
from table import above, csv_table, number, text_table

PLAN = launch.Plan(mpis.Build("openmpi", "/bin/there"), "/vrun", 3, ["--ms", "1"], 60)


def source_of(name):
    """Of the measuring program."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "any", name), encoding="utf-8") as file:
        return file.read()


class Statistics(unittest.TestCase):
    def test_quartiles_lie_between_samples(self):
        self.assertEqual([quantile([4, 1, 3, 2, 5], q) for q in (1, 2, 3)], [2, 3, 4])
        self.assertEqual(quantile([1, 2], 2), 1.5)

    def test_a_wrong_round_stays_wrong(self):
        results = Results()
        for verdict in ("verified", "WRONG", "verified"):
            results.add("put.8", "comex", 5.0, "ns", verdict)
        self.assertEqual(results.wrong(), [("put.8", "comex")])

    def test_json_brings_back_the_same_run(self):
        before = run(put_8__comex=5.0)
        after = Results.from_json(before.to_json())
        self.assertEqual(after.to_json(), before.to_json())
        self.assertEqual(after.median("put.8", "comex"), 5.0)


class Launching(unittest.TestCase):
    def test_progress_ranks_come_on_top_of_the_workers(self):
        self.assertEqual([column(n).ranks(3) for n in ("comex", "rma", "virtual", "cluster")], [4, 3, 5, 5])

    def test_targets_are_on_the_other_host(self):
        self.assertEqual(column("comex").first_target(3), 1)
        self.assertEqual(column("virtual").first_target(3), 2)  # of blocks 0 1 | 2

    def test_hosts_of_the_cluster_get_their_share(self):
        line = " ".join(launch.command(column("cluster"), PLAN, []))
        self.assertIn("--host vh1:3,vh2:2 -np 5 /bin/there/bench_comex", line)

    def test_a_folder_with_a_blank_is_one_word_of_the_cluster_too(self):
        plan = launch.Plan(mpis.Build("openmpi", "/with blank"), "/vrun", 3, ["--ms", "1"], 60)
        inside = launch.command(column("cluster"), plan, ["--rows", "a b"])[-1]
        self.assertTrue(inside.endswith(" -np 5 '/with blank/bench_comex' --rows 'a b'"), inside)
        self.assertIn(" mpirun $VMPI ", inside)

    def test_what_a_column_cannot_have_is_not_measured(self):
        for name in ("rma_messages", "rma_cluster"):
            asked = launch.measuring_options(column(name), PLAN)
            self.assertIn("lock", asked[asked.index("--without") + 1].split(","))
        self.assertNotIn("--without", launch.measuring_options(column("comex"), PLAN))
        self.assertNotIn("--without", launch.measuring_options(columns.extra_column("theirs=/bin/true"), PLAN))

    def test_armci_mpi_runs_on_either_kind_of_windows_and_shared_ones_lack_nothing(self):
        there = columns.choose(columns.all_columns(), [])
        default, shared = (next(c for c in there if c.name == name) for name in ("armci_mpi", "armci_mpi_sm"))
        self.assertEqual((shared.program, shared.lacks, default.mpi_options), (default.program, default.lacks, ()))
        self.assertIn("--mca osc_rdma_priority 50", " ".join(launch.command(shared, PLAN, [])))

    def test_the_floor_with_single_copy_off_runs_as_what_it_stands_beside(self):
        self.assertEqual(column("floors_copied").environment, column("copied").environment)
        self.assertTrue(column("floors_copied").by_default)

    def test_pushes_are_counted_unless_nothing_lies_anywhere(self):
        args = mock.Mock(names=["unattended"], np=2, quick=True)
        for setting, counts in (("", True), ("50", True), ("0", False), ("00", False), ("-0", False)):
            with mock.patch.dict(os.environ, {columns.COALESCE: setting}), \
                    mock.patch.multiple(launch, run=mock.DEFAULT, pushed=mock.DEFAULT) as made:
                made["run"].return_value, made["pushed"].return_value = launch.Outcome(), {}
                main.measure_round(Results({}), [column("virtual")], PLAN, args, {"virtual": []})
            self.assertEqual(made["pushed"].called, counts, setting)

    def test_columns_of_the_other_mpi_are_launched_by_its_own_build(self):
        for own, other, folder in (("openmpi", "mpich", "/b/release-mpich"), ("mpich", "openmpi", "/b/release")):
            plan = launch.Plan(mpis.of_folder(own, "/b/release" if own == "openmpi" else "/b/release-mpich"), "/v", 2, [], 60)
            rma = next(c for c in columns.all_columns(own) if c.name == f"rma_{other}")
            line, env = " ".join(launch.command(rma, plan, [])), launch.environment(rma, plan)
            self.assertIn(f"{folder}/bin/bench_rma", line)
            self.assertEqual("--oversubscribe" in line, other == "openmpi")
            self.assertTrue(env["PATH"].startswith(f"{folder}/mpi:"))
            self.assertEqual(env["COMEX_TEST_MPI"], other)

    def test_every_column_names_its_mpi(self):
        for own in mpis.TITLES:
            self.assertEqual([c.title for c in columns.all_columns(own) if not c.title.endswith(tuple(mpis.TITLES.values()))], [])
            self.assertEqual(len({c.name for c in columns.all_columns(own)}), len(columns.all_columns(own)))

    def test_cores_bind_the_whole_launch(self):
        plan = launch.Plan(mpis.Build("openmpi", "/b"), "/v", 2, [], 60, "0,1")
        self.assertEqual(launch.command(column("rma"), plan, [])[:3], ["taskset", "-c", "0,1"])

    def test_a_launch_adds_no_name_that_the_runtime_would_ask_about(self):
        with mock.patch.dict(os.environ, {"COMEX_VIRTUAL_HOSTS": "3"}, clear=True):
            self.assertEqual([name for name in launch.environment(column("floors"), PLAN, "t") if name.startswith("COMEX_")],
                             ["COMEX_TEST_MPI"])

    def test_rows_are_read_and_noise_is_not(self):
        rows = launch.read_rows("hello\nROW put.8 4.5 ns verified\nROW lock.longest_wait 3 x mean WRONG\nROW g - ns absent")
        self.assertEqual(rows, {"put.8": (4.5, "ns", "verified"), "lock.longest_wait": (3.0, "x mean", "WRONG"),
                                "g": (None, "ns", "absent")})

    def test_another_runtime_is_a_column(self):
        other = columns.extra_column("theirs=/bin/true:1")
        self.assertEqual((other.name, other.program, other.ranks(2)), ("theirs", "/bin/true", 3))
        for wrong in ("theirs", "theirs=/bin/true:x", "comex=/bin/true", "a,b=/bin/true", "none=/bin/none", "folder=/bin"):
            self.assertRaises(columns.Refused, columns.extra_column, wrong)
        with self.assertRaisesRegex(columns.Refused, "/bin/false: there is a column x already"):
            columns.extra_columns(["x=/bin/true", "y=/bin/true", "x=/bin/false"])

    def test_a_sweep_is_a_column_for_each_value(self):
        swept = columns.sweep([column("virtual")], "COMEX_NAP_MAX_US=100,200")
        self.assertEqual([c.name for c in swept], ["virtual@100", "virtual@200"])
        self.assertEqual(swept[1].environment, {"COMEX_VIRTUAL_HOSTS": "2", "COMEX_NAP_MAX_US": "200"})

    def test_a_sweep_has_each_value_once(self):
        with self.assertRaisesRegex(columns.Refused, "each value once"):
            columns.sweep([column("virtual")], "NAP=1,2,1")

    def test_swept_progress_ranks_are_launched(self):
        swept = columns.sweep([column("forced")], "GA_NUM_PROGRESS_RANKS_PER_NODE=1,4")
        self.assertEqual([c.ranks(8) for c in swept], [9, 12])

    def test_unknown_columns_are_refused(self):
        self.assertRaises(ValueError, columns.choose, columns.all_columns(), ["none"])
        self.assertEqual([c.name for c in columns.choose(columns.all_columns(), ["cluster"])], ["cluster"])
        self.assertEqual({c.place for c in columns.choose(columns.all_columns(), ["near"])}, {"near"})

    def test_columns_of_special_runs_are_asked_for_by_name(self):
        self.assertNotIn("rma_cluster", [c.name for c in columns.choose(columns.all_columns(), [])])
        self.assertEqual([c.name for c in columns.choose(columns.all_columns(), ["rma_cluster"])], ["rma_cluster"])
        self.assertIn("mpirun $VMPI --mca osc pt2pt --host vh1:1,vh2:1 -np 2",
                      " ".join(launch.command(column("rma_cluster"), launch.Plan(mpis.Build("openmpi", "/b"), "/v", 2, [], 60), [])))


class Options(unittest.TestCase):
    def refused(self, *given):
        """The one line that is said."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as ended:
            options.arguments(["--bin", "/b", "--vrun", "/v", *given])
        self.assertEqual(ended.exception.code, 2)
        self.assertEqual(said.getvalue().count("\n"), 1)
        return said.getvalue()

    def test_what_cannot_be_is_refused_in_one_line(self):
        for given in (("--rounds", "0"), ("--scale", "2", "--rows", "put"), ("--ms", "0"), ("--ms", "x"), ("--ms", "nan"),
                      ("--ms", "2e6"), ("--ms", "1e-7"), ("--seed", "-1"), ("--seed", "x"), ("--seed", str(2 ** 64)),
                      ("--np", "1"), ("--scale", "x"), ("--scale", "2,"), ("--scale", "2,4,2"),
                      ("--cores", "nonsense"), ("--rows", ","), ("--seconds", "0"), ("--json", "/no/folder/run.json"),
                      ("--from", "/no/run.json"), ("--compare", "/no/run.json", "/no/run.json"), ("--unknown",)):
            self.assertIn(given[0], self.refused(*given))

    def test_what_would_do_nothing_is_refused(self):
        for given in (("--model", "--np", "4"), ("--list", "--rows", "put"), ("--model", "--json", "/tmp/run.json"),
                      ("--list", "--model"), ("--model", "--quick")):
            self.assertIn("exclude each other", self.refused(*given))
        self.assertTrue(options.arguments(["--bin", "/b", "--vrun", "/v", "--model"]).model)

    def test_a_file_that_is_no_run_is_refused(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            for content in ("{", "{}", "[]", "1", '{"about": {}, "columns": [], "rows": [{"name": "r", "unit": "ns", "cells": []}]}'):
                file.truncate(0)
                file.write(content)
                file.flush()
                self.assertIn("not a run", self.refused("--from", file.name))

    def test_the_limits_of_a_launch_are_those_of_the_driver(self):
        source = source_of("bench_any.cpp")
        self.assertIn("read_number(text, 1e-6, ms, 1e6)", source)
        self.assertIn("std::uint64_t seed", source_of("rig.h"))
        for ms, seed in (("1e-6", "0"), ("1000000", str(2 ** 64 - 1))):
            args = options.arguments(["--bin", "/b", "--vrun", "/v", "--ms", ms, "--seed", seed])
            self.assertEqual((args.ms, args.seed), (float(ms), int(seed)))

    def test_a_quick_run_is_short_for_its_launches_and_others_are_not(self):
        short_ns = float(re.search(r"is_short\(\) const \{ return trial_ns < ([\de]+);", source_of("rig.h"))[1])
        small, large = map(int, re.search(r"is_short\(\) \? (\d+) << 20 : (\d+) << 20", source_of("progress_rows.h")).groups())
        taken = [options.arguments(["--bin", "/b", "--vrun", "/v", *given]).ms for given in ((), ("--quick",))]
        self.assertEqual([ms * 1e6 < short_ns for ms in taken], [False, True])
        self.assertLessEqual(8 * small, large)

    def test_quick_is_one_round_unless_more_are_asked_for(self):
        taken = [options.arguments(["--bin", "/b", "--vrun", "/v", *given]) for given in
                 ((), ("--quick",), ("--quick", "--rounds", "3"))]
        self.assertEqual([(args.rounds, args.ms) for args in taken], [(7, 20), (1, 0.5), (3, 0.5)])


class Showing(unittest.TestCase):
    def test_the_list_says_which_columns_cannot_run_and_why(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "bench_comex")
            with open(program, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n")
            os.chmod(program, 0o755)
            with contextlib.redirect_stdout(io.StringIO()) as said:
                status = main.listing(options.arguments(["--bin", folder, "--vrun", "/bin/true", "--list"]))
        lines = said.getvalue().splitlines()
        self.assertIn("comex                     ComEx-PR, Open MPI", lines)
        self.assertIn(f"rma                       MPI-3 RMA, Open MPI; cannot run: no program {folder}/bench_rma", lines)
        self.assertTrue([line for line in lines if line.startswith("armci_mpi ") and "; skipped here: no program" in line])
        self.assertEqual(status, 1)

    def test_a_run_says_how_long_it_took(self):
        self.assertEqual([main.duration(s) for s in (38.71, 119.6, 1020)], ["38.7 s", "2 min 0 s", "17 min 0 s"])

    def test_numbers_have_three_digits(self):
        self.assertEqual([number(v, "ns") for v in (1.234, 56.78, 789.0, 1234.0, 5.6e6)],
                         ["1.23 ns", "56.8 ns", "789 ns", "1.23 us", "5.60 ms"])

    def test_titles_say_sizes(self):
        self.assertEqual(title("put.2097152"), "put, 2 MiB")
        self.assertEqual(title("accs.32x32x256"), "strided acc, 32 x 32 x 256 B")

    def test_the_page_stands_alone(self):
        page = report.page(run(put_8__comex=5.0, put_8__floors=3.0, put_512__comex=9.0, put_8__rma=40.0))
        self.assertIn("<svg", page)
        self.assertNotIn("http", page.replace("http-equiv", ""))
        self.assertIn("8.00 ×", page)

    def test_what_is_wrong_is_not_drawn(self):
        results = run(put_8__comex=5.0, put_64__comex=6.0)
        results.add("put.64", "comex", 6.0, "ns", "WRONG")
        self.assertEqual([size for size, *_ in report.points(results, "put", "comex")], [8])

    def test_a_sweep_is_plotted_also_from_zero(self):
        for values in ((100, 200), (0, 1, 64)):
            results = Results({}, [{"name": f"virtual@{v}", "title": f"virtual, NAP={v}", "place": "virtual",
                                    "absent": ""} for v in values])
            for value in values:
                results.add("idle", f"virtual@{value}", (value + 1) / 100, "percent of a core", "verified")
            page = report.page(results)
            self.assertIn("NAP</text>", page)
            self.assertIn("1 %", page)
            self.assertEqual(page.count("<circle"), len(values))

    def test_figures_stand_below_each_other_however_long_a_title_is(self):
        lines = text_table(run(**{"idle.first_get__comex": 5.0, "unattended.longest__comex": 5.0})).splitlines()
        figures = [line for line in lines if "5.00 ns" in line]
        self.assertEqual((len(figures), len({line.index("5.00 ns") for line in figures})), (2, 1))

    def test_figures_of_fewer_rounds_than_asked_for_are_named(self):
        results = run(put_8__comex=5.0, put_8__rma=5.0)
        results.about |= ABOUT | {"rounds": 4}
        for _ in range(3):
            results.add("barrier", "rma", 9.0, "ns", "verified")
            results.add("memory.private", "rma", 9.0, "bytes", "verified")
        for text in (text_table(results), above(results)):
            self.assertEqual([line for line in text.splitlines() if "fewer" in line],
                             ["fewer rounds than 4: MPI-3 RMA, Open MPI: barrier (3 rounds)"])

    def test_a_run_that_is_ended_keeps_its_whole_rounds_and_is_seen_to_be_ended(self):
        def measured(results, *_):
            if results.rows:
                raise KeyboardInterrupt
            results.add("put.8", "comex", 5.0, "ns", "verified")
            return []
        with tempfile.TemporaryDirectory() as folder:
            args = options.arguments(["--bin", "/b", "--vrun", "/v", "--columns", "comex", "--json", f"{folder}/run.json"])
            with mock.patch.object(options, "arguments", return_value=args), \
                    mock.patch.object(main, "about", return_value=ABOUT | {"rounds": 7, "cores": 2, "workers": 2}), \
                    mock.patch.object(main, "can_run", return_value=("", False)), \
                    mock.patch.object(main.coverage, "rows_of", return_value={"comex": ["put.8"]}), \
                    mock.patch.object(main, "measure_round", measured), \
                    mock.patch.object(main.signal, "signal"), \
                    mock.patch.object(main.os, "kill", side_effect=InterruptedError) as killed, \
                    self.assertRaises(InterruptedError):
                main.main()
            self.assertEqual(killed.call_args.args, (os.getpid(), main.signal.SIGINT))
            with open(f"{folder}/run.json", encoding="utf-8") as file:
                self.assertTrue(above(Results.from_json(file.read())).endswith("ComEx-PR, Open MPI: 1 round of 7"))

    def test_a_run_is_kept_in_files_alone(self):
        args = mock.Mock(json="/dev/null")
        with mock.patch.object(main, "write") as written:
            main.keep(args, Results({}), [])
        written.assert_not_called()

    def test_rows_of_three_workers_are_refused_to_two(self):
        args = options.arguments(["--bin", "/b", "--vrun", "/v", "--rows", "beside_put.get.8", "--columns", "virtual"])
        with mock.patch.object(main.coverage, "rows_of", return_value={"virtual": ["put.8", "beside_put.get.8"]}), \
                self.assertRaisesRegex(columns.Refused, "--np 3"):
            main.measure(args)

    def test_tables_name_every_row(self):
        results = run(put_8__comex=5.0, barrier__comex=900.0)
        for text in (text_table(results), csv_table(results)):
            self.assertTrue("barrier" in text and "put" in text)

    def test_a_figure_in_another_unit_is_wrong(self):
        results = run(put_8__comex=5.0)
        results.add("put.8", "rma", 0.005, "us", "verified")
        self.assertEqual(results.wrong(), [("put.8", "rma")])

    def test_problems_of_a_run_are_told_again_when_its_file_is_looked_at(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            kept = f"{folder}/run.json"
            made = mock.Mock(scale=None, json=kept, csv="", report="", markdown="", model=False, list=False, compare=None,
                             source=None)
            with mock.patch.object(options, "arguments", return_value=made), \
                    mock.patch.object(main, "measure", return_value=(run(put_8__comex=5.0), ["rma: did not tell get.8"])):
                self.assertEqual(main.main(), 1)
            with open(kept, encoding="utf-8") as file:
                made.source = Results.from_json(file.read())
            with mock.patch.object(options, "arguments", return_value=made):
                self.assertEqual(main.main(), 1)
        self.assertEqual(said.getvalue().count("problem: rma: did not tell get.8"), 2)

    def test_a_reader_that_leaves_early_ends_the_printing_without_a_word(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/run.json", "w", encoding="utf-8") as file:
                file.write(run(put_8__comex=5.0).to_json())
            look = subprocess.Popen([sys.executable, "-B", main.__file__, "--bin", "/b", "--vrun", "/v", "--from", file.name],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            look.stdout.close()
            self.assertEqual((look.wait(timeout=60), look.stderr.read()), (-signal.SIGPIPE, b""))
            look.stderr.close()

    def test_its_modules_are_found_by_a_python_that_looks_in_no_scripts_folder(self):
        asked = subprocess.run([sys.executable, "-B", main.__file__, "--help"], env=os.environ | {"PYTHONSAFEPATH": "1"},
                               capture_output=True, text=True, check=False)
        self.assertEqual((asked.returncode, asked.stderr), (0, ""))

    def test_a_launch_measures_floors_of_their_own_behind_all_other_rows(self):
        rows = re.search(r"Rows all_rows\(\) \{(.*?)\n\}", source_of("bench_any.cpp"), re.S)[1]
        self.assertEqual(re.findall(r"add_(\w+)_rows\(rows\)", rows)[-1], "floor")


if __name__ == "__main__":
    unittest.main()
