#!/usr/bin/env python3
"""runs.py --top DIR --source DIR --mpi MPI qa|check|compare ...: the parts of tools/nwchem that run NWChem."""
import argparse
import shutil
import statistics
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]  # which PYTHONSAFEPATH leaves out
import progress
import results
from launch import Launcher, Layout

# Of NWChem's tests: Hartree-Fock, density functionals, perturbation theory, coupled clusters, their gradients,
# optimisations, saddles, frequencies and properties. Each takes less than half a minute on two cores.
TESTS = ("h2o auh2o autosym h2mp2 hess_h2o prop_h2o geom_zmatrix rimp2_ne small_intchk h2o_dk cosmo_h2o h2o_opt sad_ch3hf "
         "dft_he2+ dft_ozone dft_mpwb1khf vectors_rotate dft_li2freq mcscf_ch2 mp2_scs_n2 n2_ccsd tddft_h2o").split()
FEW_TESTS = "h2mp2 h2o_dk sad_ch3hf vectors_rotate".split()
LAYOUTS = [
    Layout(1), Layout(2), Layout(3), Layout(7), Layout(1, progress=2), Layout(3, progress=2), Layout(7, progress=2),
    Layout(2, progress=0), Layout(2, 2), Layout(3, 2), Layout(6, 2), Layout(7, 2), Layout(4, 2, 2), Layout(7, 2, 2),
    Layout(6, 3), Layout(2, 2, cluster=True), Layout(6, 2, cluster=True), Layout(4, 2, 2, cluster=True),
]
CHECKED_LAYOUTS = [Layout(2), Layout(4, 2)]
FEW_LAYOUTS = [Layout(1), Layout(3), Layout(7, progress=2), Layout(3, 2), Layout(6, 2, 2), Layout(2, 2, cluster=True)]
BENCHMARKS = ["sad_ch3hf", "benzene_scf", "benzene_dft", "water_ccsd"]
ARMCI_MPI, COMEX = "armci-mpi", "comex"


def test_file(source, name):
    return Path(source) / "QA/tests" / name / f"{name}.nw"


def own_file(name):
    return Path(__file__).resolve().parent / f"{name}.nw"


def mirrors(file):
    """Whether it uses arrays that each host has a copy of, as density functionals and analytic second derivatives do. To merge
    the copies Global Arrays adds up, over the hosts, the blocks of the workers of one number: of different sizes where hosts
    have not as many workers."""
    text = file.read_text(errors="replace").lower()
    return any(word in text for word in ("dft", "freq", "hessian"))


class Questions:
    """Runs tests, and says whether they answer as the reference does."""

    def __init__(self, launcher):
        self.launcher = launcher
        self.place = launcher.work / f"qa-{launcher.mpi}"
        self.references, self.rivals = {}, {}

    def reference(self, name):
        if name not in self.references:
            file = test_file(self.launcher.source, name)
            copy = self.place / "reference" / f"{name}.out"
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.with_suffix(".out"), copy)
            self.references[name] = results.parsed(self.launcher.source, copy)
        return self.references[name]

    def rival(self, name):
        """What ARMCI-MPI makes of it: a reference may be of another machine, library or version."""
        if name not in self.rivals:
            place = self.place / ARMCI_MPI / name
            run = self.launcher.run(ARMCI_MPI, Layout(2, progress=0), test_file(self.launcher.source, name), place)
            self.rivals[name] = results.parsed(self.launcher.source, run.output) if run.status == 0 else []
        return self.rivals[name]

    def ask(self, layout, name):
        """(agrees, what there is to say, seconds)"""
        if not layout.even() and mirrors(test_file(self.launcher.source, name)):
            return True, "skipped: mirrored arrays want as many workers on each host", 0.0
        run = self.launcher.run(COMEX, layout, test_file(self.launcher.source, name), self.place / layout.short() / name)
        if run.status == 77:
            return True, "skipped: this machine refuses namespaces", run.wall
        if run.status != 0 or not results.ended(run.output):
            return False, f"status {run.status}, see {run.output}", run.wall
        said = results.complaints(run.output)
        if said:
            return False, f"it said: {said[0]}", run.wall
        found = results.parsed(self.launcher.source, run.output)
        differs = results.difference(self.reference(name), found)
        if differs is None:
            return True, "", run.wall
        rival = results.difference(self.rival(name), found)
        if rival is None:
            return True, f"as with ARMCI-MPI, but not as the reference: {differs}", run.wall
        return False, f"{differs}; with ARMCI-MPI: {rival}; see {run.output}", run.wall


def dealt(layouts, tests):
    """Of each layout every third input, so that each input meets a third of the layouts, and neighbours different ones."""
    return [(layout, [test for number, test in enumerate(tests) if (number + at) % 3 == 0]) for at, layout in enumerate(layouts)]


def rows_of(options):
    if options.quick or options.inputs:
        tests = options.inputs or FEW_TESTS
        return [(layout, tests) for layout in (FEW_LAYOUTS if options.quick else LAYOUTS)]
    return dealt(LAYOUTS, TESTS)


def qa(launcher, options):
    launcher.yields = True  # most layouts have more ranks than cores
    questions = Questions(launcher)
    right = wrong = skipped = unlike = 0
    total = sum(len(tests) for _, tests in rows_of(options))
    for layout, tests in rows_of(options):
        print(f"\n{layout.name()}", flush=True)
        for name in tests:
            agrees, note, seconds = questions.ask(layout, name)
            if note.startswith("skipped"):
                skipped += 1
            else:
                right, wrong, unlike = right + agrees, wrong + (not agrees), unlike + (agrees and note != "")
            print(f"  {right + wrong + skipped:3} of {total}  {'ok   ' if agrees else 'WRONG'} {name:16} {seconds:7.1f} s  {note}".rstrip(), flush=True)
    print(f"\n{right} runs are right, {unlike} of them as with ARMCI-MPI only; {wrong} are wrong, {skipped} were skipped")
    return 1 if wrong else 0


def check(launcher, options):
    """The checker of races says nothing of any input."""
    launcher.yields = launcher.checks = True
    found = failed = 0
    for layout in CHECKED_LAYOUTS:
        print(f"\n{layout.name()}", flush=True)
        for name in options.inputs or FEW_TESTS:
            run = launcher.run(COMEX, layout, test_file(launcher.source, name), launcher.work / f"check-{launcher.mpi}" / layout.short() / name)
            said = run.output.read_text(errors="replace")
            lines = [line for line in said.splitlines() if line.startswith("comex check:")]
            ended = run.status == 0 and results.ended(run.output) and "workers are checked" in said
            found, failed = found + len(lines), failed + (not ended)
            print(f"  {name:16} {run.wall:7.1f} s  {len(lines)} found{'' if ended else f', status {run.status}, see {run.output}'}", flush=True)
            print("".join(f"    {line}\n" for line in lines), end="")
    return 1 if found or failed else 0


def benchmark_file(launcher, name):
    own = own_file(name)
    return own if own.exists() else test_file(launcher.source, name)


def spread(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def ratio(values, rivals):
    return f"{statistics.median(values) / statistics.median(rivals):.2f}" if rivals else "-"


def compare(launcher, options):
    """Rounds of all columns, each round in the opposite order of the last, so that what drifts meets all alike."""
    alone = Layout(options.workers, progress=0)
    columns = [("ComEx-PR", COMEX, Layout(options.workers)), ("ComEx-PR, no progress rank", COMEX, alone),
               ("ARMCI-MPI", ARMCI_MPI, alone)]
    place = launcher.work / f"compare-{launcher.mpi}"
    failed = False
    print("Seconds, median (least to most). Ratios of medians to ARMCI-MPI's: below 1 is faster, or cheaper.\n")
    print("| input | ARMCI | wall | ratio | process time | ratio |\n|---|---|---|---|---|---|", flush=True)
    for name in options.inputs or BENCHMARKS:
        walls, costs, answers = [[[] for _ in columns] for _ in range(2)] + [[None] * len(columns)]
        order = list(range(len(columns)))
        turns = [index for number in range(options.rounds) for index in (order if number % 2 == 0 else reversed(order))]
        for index in progress.shown(turns, name):
            _, armci, layout = columns[index]
            run = launcher.run(armci, layout, benchmark_file(launcher, name), place / f"{armci}-{layout.short()}" / name)
            if run.status != 0 or not results.ended(run.output):
                print(f"{name}: status {run.status}, see {run.output}", file=sys.stderr)
                failed = True
                continue
            walls[index].append(run.wall)
            costs[index].append(run.process)
            answers[index] = results.parsed(launcher.source, run.output)
        for index, (title, _, _) in enumerate(columns):
            if not walls[index]:
                continue
            print(f"| {name} | {title} | {spread(walls[index])} | {ratio(walls[index], walls[-1])} "
                  f"| {spread(costs[index])} | {ratio(costs[index], costs[-1])} |", flush=True)
            if not walls[-1]:
                continue
            differs = results.difference(answers[-1], answers[index])
            if differs:
                print(f"{name}, {title}: {differs}", file=sys.stderr)
                failed = True
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser()
    for option in ("top", "source", "mpi"):
        parser.add_argument(f"--{option}", required=True)
    commands = parser.add_subparsers(dest="command", required=True)
    asking = commands.add_parser("qa")
    asking.add_argument("--quick", action="store_true")
    asking.add_argument("inputs", nargs="*")
    checking = commands.add_parser("check")
    checking.add_argument("inputs", nargs="*")
    comparing = commands.add_parser("compare")
    comparing.add_argument("--rounds", type=int, default=5)
    comparing.add_argument("--workers", type=int, default=2)
    comparing.add_argument("inputs", nargs="*")
    options = parser.parse_args()
    launcher = Launcher(options.top, options.source, options.mpi)
    return {"qa": qa, "check": check, "compare": compare}[options.command](launcher, options)


if __name__ == "__main__":
    sys.exit(main())
