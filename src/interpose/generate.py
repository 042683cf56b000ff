#!/usr/bin/env python3
"""The wrappers of libcomex_world, from the table of MPI calls and the table of Fortran's names for them.
Usage: generate.py c|fortran OUTPUT"""
import re
import sys
from pathlib import Path

TABLES = Path(__file__).resolve().parent.parent / "mpi"
sys.path.insert(0, str(TABLES))
from mpi_calls import CALLER, read_table, rows_of  # noqa: E402

FAMILIES = {"every", "f08", "buffers", "large", "both"}
MINE = "comex::interpose::"


class Family:
    """One way in which Fortran programs reach routines."""

    def __init__(self, row):
        words, beneath = (half.split() for half in row.split(">"))
        self.which, self.names, self.beneath = words[0], words[1:], beneath
        if self.which not in FAMILIES or not self.names or not self.beneath:
            raise ValueError(f"not a row of the table: {row}")

    def has(self, call, names_of_calls):
        if call.is_large_form(names_of_calls):
            return False
        if self.which == "every":
            return True
        is_large = call.name + "_c" in names_of_calls
        has_buffer = call.has_choice_buffer()
        fits = {"f08": True, "buffers": has_buffer, "large": is_large, "both": is_large and has_buffer}
        return call.kind != "fortran" and fits[self.which]


def spelling(pattern, call_name):
    """The name that `pattern` gives a routine: mpi_name_ and MPI_Cart_get make mpi_cart_get_."""
    prefix, stem = call_name.split("_", 1)
    if prefix == "MPIX":
        pattern = re.sub(r"(?i)(mpi)(r?_)", lambda m: m[1] + ("X" if m[1].isupper() else "x") + m[2], pattern)
    stems = {"NAME": stem.upper(), "Name": stem, "name": stem.lower()}
    return re.sub("NAME|Name|name", lambda m: stems[m[0]], pattern)


def read_names(path):
    return [Family(row) for row in rows_of(path)]


def wrapped(calls):
    return [call for call in calls if call.kind not in ("real", "none")]


def replacement(call, communicator, keyval):
    """The expression that stands for the communicator: the workers' one for MPI_COMM_WORLD."""
    if call.kind == "attribute":
        return f"{MINE}attribute_home({communicator}, {keyval}, \"{call.name}\", {CALLER})"
    return f"{MINE}workers_for({communicator}, \"{call.name}\", {CALLER})"


def c_wrapper(call):
    lines = [f"COMEX_WORLD_API {call.result} {call.name}({call.parameters}) {{"]
    target = f"P{call.name}({call.passed})"
    if call.may_be_missing:
        lines.append(f"  {MINE}require(reinterpret_cast<const void*>(P{call.name}), \"P{call.name}\");")
    if call.kind == "begin":
        if "required" in call.passed:
            lines.append(f"  required = {MINE}thread_level(required);")
        else:
            target = f"{MINE}start_mpi({call.passed})"
        lines.append(f"  return {MINE}begin({target});")
    elif call.kind == "group":
        lines += [f"  const int result = {target};",
                  f"  return result == MPI_SUCCESS ? {MINE}keep_workers({call.arguments[-1].name}) : result;"]
    else:
        if call.kind == "errhandler":
            lines.append(f"  if ({MINE}stands_for_world({call.communicators[0]})) "
                         f"P{call.name}(MPI_COMM_WORLD, {call.arguments[1].name});")
        keyval = call.arguments[1].name if call.kind == "attribute" else None
        lines += [f"  {name} = {replacement(call, name, keyval)};" for name in call.communicators]
        lines.append(f"  return {target};")
    weak = " __attribute__((weak))" if call.may_be_missing else ""
    declared = [f"int P{call.name}({call.parameters}){weak};"] if weak else []
    lines = [f"#undef {call.name}", *declared, *lines, "}"]  # an mpi.h may have a macro of that name
    if "MPI_Session" in call.parameters:  # an mpi.h may lack the type
        lines = ["#ifdef MPI_SESSION_NULL"] + lines + ["#endif"]
    return lines + [""]


def first_of(names):
    """An expression: the first of these routines that exists, or null."""
    return " : ".join([f"{name} != nullptr ? {name}" for name in names[:-1]] + [names[-1]])


def fortran_wrapper(call, names, beneath):
    """The routine of these names, which calls the first of `beneath` that exists. All arguments are addresses,
    and lengths follow."""
    arguments = [a for a in call.arguments if a.name != "argc" and a.type != "char ***"]
    places = [f"a{i}" for i in range(len(arguments))]
    lengths = [f"length{i}" for i, _ in enumerate(a for a in arguments if a.is_text)]
    parameters = ", ".join([f"void* {p}" for p in places] + ["MPI_Fint* ierror"] + [f"size_t {n}" for n in lengths])
    passed = ", ".join(places + ["ierror"] + lengths)
    declared = [f"void {target}({parameters}) __attribute__((weak));" for target in beneath]
    lines = [f"COMEX_WORLD_API void {names[0]}({parameters}) {{",
             f"  auto* const beneath = {first_of(beneath)};",
             f"  {MINE}require(reinterpret_cast<const void*>(beneath), \"{beneath[0]}\");"]
    if call.kind == "begin":
        if places:
            lines.append(f"  a0 = {MINE}fortran_thread_level(a0);")
        else:
            threaded = [target.replace("init_", "init_thread_") for target in beneath]
            declared += [f"void {name}(void* a0, void* a1, MPI_Fint* ierror) __attribute__((weak));"
                         for name in threaded]
            lines += [f"  if ({MINE}wants_threads()) {{", f"    auto* const threaded = {first_of(threaded)};",
                      f"    {MINE}require(reinterpret_cast<const void*>(threaded), \"{threaded[0]}\");",
                      "    MPI_Fint required = MPI_THREAD_MULTIPLE, provided = 0;",
                      f"    threaded(&required, &provided, {passed});", f"    {MINE}fortran_begin(ierror);",
                      "    return;", "  }"]
    communicators = [p for p, a in zip(places, arguments) if a.is_communicator]
    if call.kind == "errhandler":
        lines.append(f"  if ({MINE}stands_for_world({MINE}fortran_comm(a0))) beneath({passed});")
    for place in communicators:
        given = replacement(call, f"{MINE}fortran_comm({place})", "*static_cast<MPI_Fint*>(a1)")
        # One that is not replaced is passed on as it is: MPI may ignore it, and then it may be anything.
        lines += [f"  MPI_Fint taken_{place} = 0;", f"  if (MPI_Comm taken = {given}; taken != {MINE}fortran_comm({place})) {{",
                  f"    taken_{place} = PMPI_Comm_c2f(taken);", f"    {place} = &taken_{place};", "  }"]
    if call.kind == "group":  # ierror may be absent
        lines += ["  MPI_Fint result = MPI_SUCCESS;", f"  beneath({passed.replace('ierror', '&result')});",
                  f"  if (result == MPI_SUCCESS) result = {MINE}fortran_keep_workers({places[-1]});",
                  "  if (ierror != nullptr) *ierror = result;"]
    else:
        lines.append(f"  beneath({passed});")
    if call.kind == "begin":
        lines.append(f"  {MINE}fortran_begin(ierror);")
    aliases = [f"COMEX_WORLD_API void {other}({parameters}) __attribute__((alias(\"{names[0]}\")));"
               for other in names[1:]]
    return declared + lines + ["}"] + aliases


def fortran_wrappers(call, families, names_of_calls):
    lines = []
    for family in families:
        if family.has(call, names_of_calls):
            lines += fortran_wrapper(call, *([spelling(n, call.name) for n in names]
                                             for names in (family.names, family.beneath)))
    return lines + [""]


HEAD = """// Made by src/interpose/generate.py from the tables mpi_calls.txt and fortran_names.txt of src/mpi.
#include <mpi.h>

#include <cstddef>

#include "interpose/world.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define COMEX_WORLD_API __attribute__((visibility("default")))

extern "C" {
"""


def main():
    language, output = sys.argv[1:]
    calls = wrapped(read_table(TABLES / "mpi_calls.txt")[0])
    if language == "c":
        lines = [line for call in calls if call.kind != "fortran" for line in c_wrapper(call)]
    else:
        families, names_of_calls = read_names(TABLES / "fortran_names.txt"), {call.name for call in calls}
        lines = [line for call in calls for line in fortran_wrappers(call, families, names_of_calls)]
    Path(output).write_text(HEAD + "\n" + "\n".join(lines) + "}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
