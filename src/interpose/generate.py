#!/usr/bin/env python3
"""The wrappers of libcomex_world, from the table of MPI calls.
Usage: generate.py TABLE c|fortran OUTPUT"""
import re
import sys
from pathlib import Path

KINDS = {"workers", "attribute", "errhandler", "begin", "end", "real", "fortran", "none"}
MINE = "comex::interpose::"
CALLER = "__builtin_return_address(0)"


class Argument:
    def __init__(self, text):
        match = re.fullmatch(r"(.*?)(\w+)((?:\[\])*)", text.strip())
        self.type, self.name, self.array = match.group(1).strip(), match.group(2), match.group(3)
        self.is_communicator = self.type == "MPI_Comm" and not self.array
        self.is_text = re.search(r"\bchar\b", self.type) is not None


class Call:
    def __init__(self, kind, prototype):
        self.kind, self.may_be_missing = kind.rstrip("?"), kind.endswith("?")
        match = re.fullmatch(r"(\w+) (MPIX?_\w+)\((.*)\)", prototype)
        if self.kind not in KINDS or match is None:
            raise ValueError(f"not a row of the table: {kind} {prototype}")
        self.result, self.name, self.parameters = match.groups()
        self.arguments = [] if self.parameters == "void" else [Argument(a) for a in self.parameters.split(",")]

    def spellings(self):
        """The names under which mpif.h, `use mpi` and the bindings' own interfaces reach one routine."""
        low = self.name.lower()
        return [low, low + "__", self.name.upper(), self.name + "_f", self.name + "_f08"]


def read_table(path):
    """The calls, and the names of those into which no communicator goes."""
    calls, without = [], []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        kind, rest = line.split(None, 1)
        if kind == "none":
            without += rest.split()
        else:
            calls.append(Call(kind, rest.strip()))
    return calls, without


def wrapped(calls):
    return [call for call in calls if call.kind != "real"]


def replacement(call, argument, keyval, fortran):
    """The statement that puts the workers' communicator in the place of MPI_COMM_WORLD."""
    prefix = "fortran_" if fortran else ""
    if call.kind == "attribute":
        return (f"  {argument} = {MINE}{prefix}attribute_home({argument}, {keyval}, \"{call.name}\", {CALLER});")
    return f"  {argument} = {MINE}{prefix}workers_for({argument}, \"{call.name}\", {CALLER});"


def c_wrapper(call):
    passed = ", ".join(a.name for a in call.arguments)
    lines = [f"COMEX_WORLD_API {call.result} {call.name}({call.parameters}) {{"]
    target = f"P{call.name}({passed})"
    if call.may_be_missing:
        lines.append(f"  {MINE}require(reinterpret_cast<const void*>(P{call.name}), \"P{call.name}\");")
    if call.kind == "begin":
        if "required" in passed:
            lines.append(f"  required = {MINE}thread_level(required);")
        else:
            target = f"{MINE}start_mpi({passed})"
        lines.append(f"  return {MINE}begin({target});")
    elif call.kind == "end":
        lines += [f"  {MINE}end();", f"  return {target};"]
    else:
        communicators = [a.name for a in call.arguments if a.is_communicator]
        if call.kind == "errhandler":
            lines.append(f"  if ({MINE}stands_for_world({communicators[0]})) "
                         f"P{call.name}(MPI_COMM_WORLD, {call.arguments[1].name});")
        keyval = call.arguments[1].name if call.kind == "attribute" else None
        lines += [replacement(call, name, keyval, False) for name in communicators]
        lines.append(f"  return {target};")
    weak = " __attribute__((weak))" if call.may_be_missing else ""
    return [f"int P{call.name}({call.parameters}){weak};"] * (weak != "") + lines + ["}", ""]


def fortran_wrapper(call, name, target):
    """One routine named `name` that ends in `target`; all arguments are addresses, lengths follow."""
    arguments = [a for a in call.arguments if a.name not in ("argc",) and a.type != "char ***"]
    places = [f"a{i}" for i in range(len(arguments))]
    lengths = [f"length{i}" for i, _ in enumerate(a for a in arguments if a.is_text)]
    parameters = ", ".join([f"void* {p}" for p in places] + ["MPI_Fint* ierror"] + [f"size_t {n}" for n in lengths])
    passed = ", ".join(places + ["ierror"] + lengths)
    lines = [f"void {target}({parameters}) __attribute__((weak));", f"COMEX_WORLD_API void {name}({parameters}) {{",
             f"  {MINE}require(reinterpret_cast<const void*>({target}), \"{target}\");"]
    if call.kind == "end":
        lines.append(f"  {MINE}end();")
    if call.kind == "begin":
        if places:
            lines.append(f"  a0 = {MINE}fortran_thread_level(a0);")
        else:
            with_threads = target.replace("init_", "init_thread_")
            lines[0:0] = [f"void {with_threads}(void* a0, void* a1, MPI_Fint* ierror) __attribute__((weak));"]
            lines += [f"  if ({MINE}wants_threads()) {{", "    MPI_Fint required = MPI_THREAD_MULTIPLE, provided = 0;",
                      f"    {with_threads}(&required, &provided, {passed});", f"    {MINE}fortran_begin(ierror);",
                      "    return;", "  }"]
    communicators = [p for p, a in zip(places, arguments) if a.is_communicator]
    if call.kind == "errhandler":
        lines.append(f"  if ({MINE}fortran_stands_for_world(a0)) {target}({passed});")
    lines += [replacement(call, place, "a1", True) for place in communicators]
    lines.append(f"  {target}({passed});")
    if call.kind == "begin":
        lines.append(f"  {MINE}fortran_begin(ierror);")
    return lines + ["}"], parameters


def fortran_wrappers(call):
    low = call.name.lower()
    lines, parameters = fortran_wrapper(call, low + "_", f"p{low}_")
    for other in call.spellings():
        lines.append(f"COMEX_WORLD_API void {other}({parameters}) __attribute__((alias(\"{low}_\")));")
    if call.kind != "fortran":
        lines += fortran_wrapper(call, low + "_f08_", f"p{low}_f08_")[0]
    return lines + [""]


HEAD = """// Made by src/interpose/generate.py from src/interpose/mpi_calls.txt.
#define OMPI_OMIT_MPI1_COMPAT_DECLS 1
#include <mpi.h>

#include "interpose/world.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define COMEX_WORLD_API __attribute__((visibility("default")))

extern "C" {
"""


def main():
    table, language, output = sys.argv[1:]
    calls = wrapped(read_table(table)[0])
    if language == "c":
        lines = [line for call in calls if call.kind != "fortran" for line in c_wrapper(call)]
    else:
        lines = [line for call in calls for line in fortran_wrappers(call)]
    Path(output).write_text(HEAD + "\n" + "\n".join(lines) + "}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
