"""The pages that runs make: their parts, what stands above them, and the pages that are published."""
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import columns
import publish
from made_run import ABOUT, run
from results import Results

HERE = os.path.dirname(os.path.abspath(publish.__file__))


class Publish(unittest.TestCase):
    def test_runs_make_the_page_and_what_is_missing_stays(self):
        marks = "".join(f"<!-- {name}: begin -->\nold {name}\n<!-- {name}: end -->\n"
                        for name in [part[0] for part in publish.OVERVIEW + publish.TABLES])
        results = run(barrier__comex=5.0, barrier__floors=6.0)
        results.about.update(ABOUT, service={"comex": ["served 3"]})
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as said:
            for name in ("two", "four", "crowded", "load"):
                with open(f"{folder}/{name}.json", "w", encoding="utf-8") as file:
                    file.write(results.to_json())
            page = publish.rewritten(marks, folder, publish.OVERVIEW + publish.TABLES)
        self.assertIn("| row | ComEx-PR, Open MPI | ARMCI-MPI, shared windows, Open MPI |", page)
        self.assertIn("| barrier | 5.00 ns |", page)
        self.assertEqual(page.count("| 2 | 5.00 ns | 6.00 ns | kept |"), 3)
        self.assertIn("served 3", page)
        self.assertIn(" 1 round,", page)
        self.assertIn("old rivals", page)
        self.assertIn("rivals.json: its part of the page stays", said.getvalue())

    def test_its_modules_are_found_by_a_python_that_looks_in_no_scripts_folder(self):
        with tempfile.TemporaryDirectory() as docs:
            os.mkdir(f"{docs}/benchmarks")
            for page in ("performance.md", "benchmarks/tables.md"):
                with open(f"{docs}/{page}", "w", encoding="utf-8") as file:
                    file.write("as it was\n")
            made = subprocess.run([sys.executable, "-B", publish.__file__, docs, docs], env=os.environ | {"PYTHONSAFEPATH": "1"},
                                  capture_output=True, text=True, check=False)
            self.assertEqual(made.returncode, 0, made.stderr)

    def test_the_published_pages_have_a_place_for_every_part_and_show_the_published_run(self):
        docs = os.path.join(HERE, "..", "..", "..", "docs")
        with open(f"{docs}/performance.md", encoding="utf-8") as file:
            overview = file.read()
        with open(f"{docs}/benchmarks/tables.md", encoding="utf-8") as file:
            tables = file.read()
        for page, names in ((overview, [part[0] for part in publish.OVERVIEW]),
                            (tables, [part[0] for part in publish.TABLES] + ["model"])):
            self.assertEqual(re.findall(r"<!-- (\w+): begin -->", page), names)
            for name in names:
                self.assertEqual(page.count(f"<!-- {name}: end -->\n"), 1)
        with open(f"{docs}/benchmarks/tables.json", encoding="utf-8") as file:
            published = Results.from_json(file.read())
        self.assertEqual(publish.replaced(overview, "summary", publish.summary_lines(published)), overview)
        self.assertIn(publish.above(published), tables)
        for picture in re.findall(r"!\[.*?\]\((.*?)\)", tables):
            self.assertTrue(os.path.exists(f"{docs}/benchmarks/{picture}"), picture)

    def test_naps_are_told_by_the_share_and_both_first_requests_also_where_a_run_lacks_one(self):
        results = Results({**ABOUT, "workers": 2, "cores": 2}, [{"name": "virtual@100", "title": "t", "place": "virtual"}])
        results.add("idle", "virtual@100", 2.5, "percent of a core", "verified")
        results.add("first_get.idle", "virtual@100", 304e3, "ns", "verified")
        self.assertIn("| 100 | 2.5 % | not measured | 304 us |", publish.sweep_lines(results))
        results.add("idle.first_get", "virtual@100", 900e3, "ns", "verified")
        self.assertIn("| 100 | 2.5 % | 900 us | 304 us |", publish.sweep_lines(results))

    def test_machine_and_commit_stand_above_every_part_of_figures(self):
        results = run(barrier__comex=5.0, barrier__floors=6.0)
        results.about.update(ABOUT)
        results.add("idle", "comex", 1.0, "percent of a core", "verified")
        results.add("first_get.idle", "comex", 1.0, "ns", "verified")
        for block in (publish.barrier_lines([results]), publish.sweep_lines(results), publish.beside_lines(results)):
            self.assertIn("c, 2 cores, Linux k, m. d, commit 0. 2 workers, 1 round,", block.partition("|")[0])

    def test_every_column_is_shown_where_it_was_measured(self):
        chosen = lambda wanted: sorted(c.name for c in columns.choose(columns.all_columns(), wanted))
        self.assertEqual(sorted({*publish.NEAR, *publish.FAR}), chosen([]))
        self.assertEqual(sorted(publish.CROWDED), chosen(["near"]))

    def test_three_workers_measure_what_is_judged_of_them(self):
        with open(os.path.join(HERE, "..", "publish"), encoding="utf-8") as file:
            named = re.search(r"--np 3 [^>]*? --rows (\S+)", file.read().replace("\\\n", ""))[1].split(",")
        for row in ("beside_put.get.8", "busy.get.8", "first_get.busy", "floor.send_reply.8"):
            self.assertTrue(columns.is_named(row, named), row)

    def test_loads_are_told_by_the_quickest_number_and_what_is_suggested(self):
        results = Results({**ABOUT, "workers": 8, "cores": 2}, [{"name": f"forced@{n}", "title": "t", "place": "near"} for n in (1, 2)])
        for name, gups, task in (("forced@1", 3.0, 9.0), ("forced@2", 5.0, 8.0)):
            results.add("gups", name, gups, "ns", "verified")
            results.add("get_compute_acc", name, task, "ns", "verified")
        results.about["service"] = {"forced@1": ["x; this load suggests 2 progress ranks on its host, which has 1"],
                                    "forced@2": ["x; this load suggests 1 progress rank on its host, which has 2",
                                                 "x; this load suggests 3 progress ranks on its host, which has 2"]}
        self.assertIn("\n\nQuickest with 1: random update (GUPS). Quickest with 2: get-compute-accumulate task. "
                      "Suggested: 2 where there are 1, 1 or 3 where there are 2.\n\n", publish.load_lines(results))

    def test_three_workers_show_all_their_rows(self):
        results = run(beside_put__virtual=5.0, busy__virtual=5.0)
        results.about.update(ABOUT, workers=3)
        self.assertIn("| busy |", publish.beside_lines(results))

    def test_generated_blocks_replace_their_former_selves(self):
        text = "a\n<!-- figures: begin -->\nold\n<!-- figures: end -->\nb\n"
        self.assertEqual(publish.replaced(text, "figures", "new"),
                         "a\n<!-- figures: begin -->\nnew\n<!-- figures: end -->\nb\n")
        self.assertRaises(ValueError, publish.replaced, "nothing", "figures", "new")


if __name__ == "__main__":
    unittest.main()
