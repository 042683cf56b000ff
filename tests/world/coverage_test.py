#!/usr/bin/env python3
"""The table of MPI calls against the MPI libraries and mpi.h of this machine.
Usage: coverage_test.py SRC_INTERPOSE LIBCOMEX_WORLD LIBMPI NM CC INCLUDE_DIR..."""
import fnmatch
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOM, WORLD, LIBMPI, NM, CC, *INCLUDES = sys.argv[1:]
sys.path.insert(0, ROOM)
import generate  # noqa: E402

FORTRAN_LIBRARIES = ("mpi_mpifh", "mpi_usempif08", "mpi_usempi_ignore_tkr", "mpi_usempi")
# A routine under the names that Fortran compilers and the bindings' own interfaces give it.
FORTRAN_NAME = re.compile(r"(mpix?_[a-z0-9_]*?)(?:_f08)?_{0,2}|(MPIX?_[A-Z0-9_]+)|(MPIX?_[A-Z][a-z0-9_]*?)_f(?:08)?")


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


def uncovered(exported, fortran, wrappers, calls, without):
    """What the libraries export and neither the wrappers nor the table know of."""
    wrapped = {call.name.lower() for call in calls if call.kind != "real"}
    known = {call.name.lower() for call in calls}
    free = [name.lower() for name in without]

    def is_free(name):
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in free)

    for name in sorted(n for n in exported if re.match(r"MPIX?_", n)):
        low = name.lower()
        if low in wrapped and name not in wrappers:
            yield f"libmpi: {name} has a row and no wrapper"
        elif low not in known and not is_free(low):
            yield f"libmpi: {name} is not in the table"
    for library, names in fortran.items():
        for name in sorted(names):
            match = FORTRAN_NAME.fullmatch(name)
            if not match:
                continue
            low = next(group for group in match.groups() if group).lower()
            if low in wrapped and name not in wrappers:
                yield f"{library}: {name} has a row and no wrapper"
            elif low not in known and not is_free(low):
                yield f"{library}: {name} is not in the table"


def prototypes():
    """name -> the text of its parameters, as mpi.h and mpi-ext.h declare them"""
    include = "#include <mpi.h>\n#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)\n#include <mpi-ext.h>\n#endif\n"
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


class Coverage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.calls, cls.without = generate.read_table(Path(ROOM) / "mpi_calls.txt")
        cls.exported, cls.fortran = functions_of(LIBMPI), fortran_functions()
        cls.wrappers = functions_of(WORLD)

    def missing(self, calls=None, without=None, wrappers=None):
        return list(uncovered(self.exported, self.fortran, wrappers or self.wrappers, calls or self.calls,
                              without or self.without))

    def test_the_libraries_were_found(self):
        self.assertGreater(len(self.exported), 300)
        self.assertIn("MPI_Send", self.exported)

    def test_every_exported_function_is_wrapped_or_listed(self):
        self.assertEqual(self.missing(), [])

    def test_only_abort_keeps_the_real_world(self):
        self.assertEqual([call.name for call in self.calls if call.kind == "real"], ["MPI_Abort"])

    def test_a_call_left_out_is_noticed(self):
        fewer = [call for call in self.calls if call.name != "MPI_Cart_create"]
        said = "\n".join(self.missing(calls=fewer))
        self.assertIn("libmpi: MPI_Cart_create is not in the table", said)
        if "mpi_usempif08" in self.fortran:
            self.assertIn("mpi_usempif08: mpi_cart_create_f08_ is not in the table", said)
        lacking = self.wrappers - {"MPI_Bcast", "mpi_bcast_"}
        said = self.missing(wrappers=lacking)
        self.assertIn("libmpi: MPI_Bcast has a row and no wrapper", said)
        if "mpi_mpifh" in self.fortran:
            self.assertIn("mpi_mpifh: mpi_bcast_ has a row and no wrapper", said)

    def test_rows_agree_with_the_header(self):
        declared, rows = prototypes(), {call.name: call for call in self.calls}
        self.assertGreater(len(declared), 300)
        for name, parameters in sorted(declared.items()):
            takes = any(words == ("MPI_Comm",) and stars == 0 for words, stars in types(parameters))
            if name in rows:
                self.assertEqual(types(rows[name].parameters), types(parameters), name)
            else:
                self.assertFalse(takes, f"{name} takes a communicator and has no row")

    def test_no_wrapper_lacks_what_it_calls(self):
        for call in generate.wrapped(self.calls):
            if call.name in self.exported:
                self.assertIn("P" + call.name, self.exported)
            for library, names in self.fortran.items():
                for ending in ("_", "_f08_"):
                    if call.name.lower() + ending in names:
                        self.assertIn("p" + call.name.lower() + ending, names, library)

    def test_nothing_else_is_exported(self):
        self.assertEqual([n for n in self.wrappers if not re.match(r"mpix?_", n, re.I)], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
