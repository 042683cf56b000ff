#!/usr/bin/env python3
"""The tables of MPI calls and of Fortran's names against this machine's MPI libraries and mpi.h.
Usage: coverage_test.py SRC_INTERPOSE LIBCOMEX_WORLD LIBMPI NM CC INCLUDE_DIR..."""
import fnmatch
import functools
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOM, WORLD, LIBMPI, NM, CC, *INCLUDES = sys.argv[1:]
sys.path.insert(0, ROOM)
import generate  # noqa: E402

FORTRAN_LIBRARIES = ("mpi_mpifh", "mpi_usempif08", "mpi_usempi_ignore_tkr", "mpi_usempi", "mpichfort")


def functions_of(library):
    out = subprocess.run([NM, "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in out.splitlines()]
    return {row[2].split("@")[0] for row in rows if len(row) == 3 and row[1] in "TWi"}


def fortran_functions():
    found = {}
    for name in FORTRAN_LIBRARIES:
        library = Path(LIBMPI).parent / f"lib{name}.so"
        if library.exists():
            found[name] = functions_of(library)
    return found


class Spellings:
    """Finds the routine that a name in a Fortran library stands for."""

    def __init__(self, families):
        patterns = sorted({name for family in families for name in family.names}, key=len, reverse=True)
        self.patterns = [re.compile(self.expression(pattern)) for pattern in patterns]
        self.found = {}

    @staticmethod
    def expression(pattern):
        return (pattern.replace("mpi_", "(?P<x>mpix?)_").replace("MPI_", "(?P<x>MPIX?)_")
                .replace("NAME", "(?P<stem>[A-Z0-9_]+)").replace("Name", "(?P<stem>[A-Z][a-z0-9_]*)")
                .replace("name", "(?P<stem>[a-z0-9_]+?)"))

    def routine(self, name):
        if name not in self.found:
            self.found[name] = self.search(name)
        return self.found[name]

    def search(self, name):
        for pattern in self.patterns:
            match = pattern.fullmatch(name)
            if match:
                return f"{match['x']}_{match['stem']}".lower()
        return None


def uncovered(exported, fortran, wrappers, calls, without, spellings):
    """What the libraries export, and neither the wrappers, the tables nor mpi.h know of."""
    wrapped = {call.name.lower() for call in generate.wrapped(calls)}
    known = {call.name.lower() for call in calls}
    known |= {name.lower() for name, parameters in prototypes().items() if not takes_communicator(parameters)}
    free = re.compile("|".join(fnmatch.translate(name.lower()) for name in without))

    def verdict(name, low):
        if low in wrapped and name not in wrappers:
            return "has a row and no wrapper"
        is_listed = low in known or free.match(low)
        return None if is_listed else "is not in the table"

    for name in sorted(n for n in exported if re.match(r"MPIX?_", n)):
        said = verdict(name, name.lower())
        if said:
            yield f"libmpi: {name} {said}"
    for library, names in fortran.items():
        for name in sorted(n for n in names if re.match(r"MPIX?_|mpix?_", n)):
            said = verdict(name, spellings.routine(name) or name.lower())
            if said:
                yield f"{library}: {name} {said}"


@functools.cache
def prototypes():
    """name -> the text of its parameters, as mpi.h and mpi-ext.h declare them"""
    include = "#include <mpi.h>\n#if __has_include(<mpi-ext.h>)\n#include <mpi-ext.h>\n#endif\n"
    command = [CC, "-E", "-P", "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0", *(f"-I{d}" for d in INCLUDES), "-xc", "-"]
    text = subprocess.run(command, input=include, capture_output=True, text=True, check=True).stdout
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", text)
    return {m.group(1): re.sub(r"\s+", " ", m.group(2))
            for m in re.finditer(r"\b\w+\s+(MPIX?_\w+)\s*\(((?:[^();]|\([^();]*\))*)\)\s*;", text)}


def types(parameters):
    """The type of each parameter, without its name; `T x[]` and `T *x` are one."""
    found = []
    for part in ([] if parameters.strip() in ("", "void") else parameters.split(",")):
        stars = part.count("*") + part.count("[")
        words = re.findall(r"\w+", part)
        found.append((tuple(w for w in words if w not in (words[-1], "const")), stars))
    return found


def takes_communicator(parameters):
    return any(words == ("MPI_Comm",) and stars == 0 for words, stars in types(parameters))


class Coverage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.calls, cls.without = generate.read_table(generate.TABLES / "mpi_calls.txt")
        cls.families = generate.read_names(generate.TABLES / "fortran_names.txt")
        cls.exported, cls.fortran = functions_of(LIBMPI), fortran_functions()
        cls.wrappers = functions_of(WORLD)
        cls.spellings = Spellings(cls.families)

    def missing(self, calls=None, wrappers=None, spellings=None):
        return list(uncovered(self.exported, self.fortran, wrappers or self.wrappers, calls or self.calls,
                              self.without, spellings or self.spellings))

    def test_the_libraries_were_found(self):
        self.assertGreater(len(self.exported), 300)
        self.assertIn("MPI_Send", self.exported)

    def test_every_exported_function_is_wrapped_or_listed(self):
        self.assertEqual(self.missing(), [])

    def test_only_these_keep_the_real_world(self):
        self.assertEqual([call.name for call in self.calls if call.kind == "real"], ["MPI_Abort", "MPI_Comm_c2f"])

    def test_a_call_left_out_is_noticed(self):
        fewer = [call for call in self.calls if call.name != "MPI_Cart_create"]
        said = "\n".join(self.missing(calls=fewer))
        self.assertIn("libmpi: MPI_Cart_create is not in the table", said)
        self.assert_fortran_says(said, "mpi_cart_create_f08_", "is not in the table")
        lacking = self.wrappers - {"MPI_Bcast", "mpi_bcast_"}
        said = "\n".join(self.missing(wrappers=lacking))
        self.assertIn("libmpi: MPI_Bcast has a row and no wrapper", said)
        self.assert_fortran_says(said, "mpi_bcast_", "has a row and no wrapper")

    def assert_fortran_says(self, said, name, verdict):
        for library in (library for library, names in self.fortran.items() if name in names):
            self.assertIn(f"{library}: {name} {verdict}", said)

    def test_a_spelling_left_out_is_noticed(self):
        for family in self.families:
            fewer = [other for other in self.families if other is not family]
            without_it = "\n".join(self.missing(spellings=Spellings(fewer)))
            for name in (generate.spelling(pattern, "MPI_Allgather") for pattern in family.names):
                if name.lower() != "mpi_allgather":
                    self.assert_fortran_says(without_it, name, "is not in the table")
                unwrapped = "\n".join(self.missing(wrappers=self.wrappers - {name}))
                self.assert_fortran_says(unwrapped, name, "has a row and no wrapper")

    def test_rows_agree_with_the_header(self):
        declared, rows = prototypes(), {call.name: call for call in self.calls}
        self.assertGreater(len(declared), 300)
        for name, parameters in sorted(declared.items()):
            if name in rows:
                self.assertEqual(types(rows[name].parameters), types(parameters), name)
            else:
                self.assertFalse(takes_communicator(parameters), f"{name} takes a communicator and has no row")

    def test_what_moves_data_over_a_communicator_orders(self):
        moves_nothing = re.compile(r"MPI_(Pack|Unpack|Win|Attr|Comm_[gs]et_attr|Comm_(at|de)tach_buffer)")
        for call in self.calls:
            if call.communicators and call.has_choice_buffer() and not call.makes_persistent():
                self.assertTrue(call.ways or moves_nothing.match(call.name), call.name)

    def test_no_wrapper_lacks_what_it_calls(self):
        for call in generate.wrapped(self.calls):
            if call.name in self.exported:
                self.assertIn("P" + call.name, self.exported)
            for family in self.families:
                for name in (generate.spelling(pattern, call.name) for pattern in family.names):
                    beneath = {generate.spelling(pattern, call.name) for pattern in family.beneath}
                    for library in (library for library, names in self.fortran.items() if name in names):
                        is_there = beneath & self.fortran[library]
                        self.assertTrue(is_there, f"{library}: nothing is beneath {name}")

    def test_nothing_else_is_exported(self):
        self.assertEqual([n for n in self.wrappers if not re.match(r"mpix?_", n, re.I)], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
