#!/usr/bin/env python3
"""The functions of MPI's that libcomex_check stands before, from the table of MPI calls.
Usage: generate.py OUTPUT"""
import sys
from pathlib import Path

TABLES = Path(__file__).resolve().parent.parent / "mpi"
sys.path.insert(0, str(TABLES))
from mpi_calls import CALLER, read_table  # noqa: E402

# How follow_mpi.h is told of each way.
COLLECTIVE = {"among_all": "among_all", "from_root": "from_root, root", "to_root": "to_root, root",
              "to_higher_ranks": "to_higher_ranks"}
MESSAGE = {"to_one": "to_one, dest", "to_all": "among_all", "to_workers": "among_all"}

HEAD = """// Made by src/checked/generate.py from src/mpi/mpi_calls.txt.
#include "checked/follow_mpi.h"

using namespace comex::checker;

"""


def flow(call, ways):
    """The communicator and the flow of the call, if it orders in one of these ways."""
    is_known = len(call.communicators) == 1 and "to_workers" not in call.ways
    communicator = call.communicators[0] if is_known else "MPI_COMM_NULL"
    return next((f"{communicator}, Flow{{{flow}}}" for way, flow in ways.items() if way in call.ways), None)


def told(what):
    """The checker is told of a call that the program makes."""
    return f"  if (Checker* const check = following({CALLER})) check->{what};"


def wrapper(call):
    # An mpi.h may declare a function with other qualifiers, or as a macro: so it is defined by another name.
    own = f"follow_{call.name}({call.parameters})"
    real = f"next<&follow_{call.name}>(\"{call.name}\")({call.passed})"
    meets = flow(call, COLLECTIVE)
    tells = meets if meets and call.starts_request() else flow(call, MESSAGE)
    lines = [f"extern \"C\" __attribute__((visibility(\"default\"))) int {own} __asm__(\"{call.name}\");",
             f"int {own} {{"]
    if tells:
        lines.append(told(f"sends({tells})"))
    if meets and not tells:
        passed = "".join(f", {a.name}" for a in call.arguments)
        real = f"follow_collective<&follow_{call.name}>(\"{call.name}\", {CALLER}, {meets}{passed})"
    if "begins_receive" in call.ways:
        lines.append(told("begins_receive()"))
    behind = []
    if "receive" in call.ways and not call.starts_request():
        is_done = "".join(f", *{a.name}" for a in call.arguments if a.name in ("flag", "outcount"))
        behind.append(f"  follow_receive({CALLER}{is_done});")
    if "synchronous" in call.ways:
        is_complete = "false" if call.starts_request() else "true"
        behind.append(told(f"sent_synchronously(comm, dest, {is_complete})"))
    if behind:
        lines += [f"  const int code = {real};", *behind]
        real = "code"
    return lines + [f"  return {real};", "}", ""]


def is_followed(call):
    return bool(call.ways - {"receive"}) or ("receive" in call.ways and not call.starts_request())


def main():
    calls = [call for call in read_table(TABLES / "mpi_calls.txt")[0] if is_followed(call)]
    lines = [line for call in calls for line in wrapper(call)]
    Path(sys.argv[1]).write_text(HEAD + "\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
