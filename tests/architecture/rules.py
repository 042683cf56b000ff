#!/usr/bin/env python3
"""The house rules of docs/architecture.md, checked over the sources: who may include whom, where MPI and the
operating system may be named, lengths, words of unfinished business, preprocessor branches inside functions, names of types;
and that the page and the links of src/CMakeLists.txt say the same.
Usage: rules.py ROOT    prints one line per breach and ends with status 1 if there is one."""
import re
import sys
from pathlib import Path

# A room may include itself and these. `interface` rooms are open but for their implementations, listed below.
MAY_INCLUDE = {
    "core": set(),
    "kernels": {"core"},
    "shm": {"core"},
    "mpi": {"core"},
    "transport": {"core", "mpi"},
    "groups": {"core", "transport", "shm"},
    "nb": {"core", "kernels", "transport", "shm/idle"},
    "op": {"core", "kernels", "shm", "transport", "groups", "nb"},
    "pr": {"core", "kernels", "shm", "transport"},
    "watch": {"core", "shm"},
    "runtime": {"core", "kernels", "shm", "mpi", "transport", "groups", "nb", "op", "pr", "watch"},
    "worlds": {"core", "kernels", "shm", "mpi", "transport", "groups", "nb", "op", "pr", "watch", "runtime"},
    "calls": {"core", "kernels", "shm", "mpi", "transport", "groups", "nb", "op", "pr", "watch", "runtime", "worlds"},
    "armci": {"runtime/facade"},
    "interpose": set(),
    "checker": {"core"},
    "checked": {"core", "checker", "runtime/facade"},
}
# They make what the others are given.
COMPOSING = {"runtime", "worlds", "calls"}
# Implementations behind a seam: their own room and those that compose know them, nobody else.
IMPLEMENTATION = re.compile(r"(transport/mpi_|shm/posix_os)")
MPI_PLACES = re.compile(
    r"src/(transport/mpi_|runtime/|worlds/|calls/|armci/|interpose/|checked/)|include/|bindings/|tests/|examples/|tools/bench/")
OS_PLACES = re.compile(
    r"src/(shm/([a-z]+_)?os\b|shm/idle|pr/setup/placement|worlds/connect/ports/|mpi/symbols|runtime/environment"
    r"|armci/readable|checked/(next|sites|process))")
OS_HEADER = re.compile(
    r"^(sys/.*|linux/.*|netinet/.*|arpa/.*|unistd\.h|fcntl\.h|dlfcn\.h|sched\.h|signal\.h|pthread\.h|poll\.h|netdb\.h"
    r"|pwd\.h|dirent\.h|spawn\.h|semaphore\.h|mqueue\.h|time\.h|hwloc.*|numa.*)$")
# Only src/mpi knows one MPI implementation from another. Libraries that are named after their MPI may be spelt out.
MPI_NAMES = re.compile(
    r"\b(Open[ _-]?MPI|MVAPICH2?|Intel(\(R\))? MPI|Cray|hydra|srun|mpiexec|PRRTE|vader|smsc)\b|\b(lib|is_)(mpich|openmpi)|\b(btl|mca_base)_|\bMPI_LOCALNRANKS\b|\bompi-server\b|\bopal_"
    r"|\b(OMPI|ORTE|PRTE|PMIX|PMI|MPIR|HYDRA|I_MPI|MV2|SLURM|UCX)_|\b(?-i:MPICH|mpich)(?![a-z])", re.I)
# Tests, and those who launch jobs, have to know launchers.
MPI_KNOWERS = re.compile(r"src/mpi/|tests/|cmake/|packaging/|tools/|(examples/(\w+/)?)?(README|CHANGELOG|CMakeLists|CMakePresets)|docs/|[.]")
CPP = {".c", ".cc", ".cpp", ".h", ".hpp"}
# Both say again who may include whom.
TABLES = "docs/architecture.md"
LINKS = "src/CMakeLists.txt"
# Libraries that are linked in cmake/, and not by src/CMakeLists.txt.
OWN_LIBRARIES = {"armci", "interpose", "checked"}
# Headers of which a build sees one.
SAME_NAME_ON_PURPOSE = {"FinalizeResult"}
HARD_STOP = 400
MOST_FILES = 40
# Written so that this file does not contain the words itself.
UNFINISHED = re.compile(r"\b(TO[D]O|FIX[M]E|XX[X]|HA[C]K|un[i]mplemented|not im[p]lemented)\b")


def strip(text):
    """The text without comments, literals and their line breaks' meaning: lines stay where they were."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'", blank, text, flags=re.S)


def includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r"\s*#\s*include\s*[<\"]([^>\"]+)[>\"]", line)
        if match:
            yield number, match.group(1)


def allowed(room, target):
    if target.split("/")[0] == room:
        return True
    if room not in COMPOSING and IMPLEMENTATION.match(target):
        return False
    return any(target == one or target.startswith((one + "/", one + ".")) for one in MAY_INCLUDE[room])


def check_includes(name, text):
    parts = name.split("/")
    room = parts[1] if parts[0] == "src" and len(parts) > 2 else None
    for number, target in includes(text):
        place = f"{name}:{number}"
        if room and room not in MAY_INCLUDE:
            yield f"{place}: {room} is not a room of the house"
        elif room and target.split("/")[0] in MAY_INCLUDE and not allowed(room, target):
            yield f"{place}: {room} may not include {target}"
        if target == "mpi.h" and not MPI_PLACES.match(name):
            yield f"{place}: <mpi.h> does not belong here"
        if room and OS_HEADER.match(target) and not OS_PLACES.match(name):
            yield f"{place}: <{target}> belongs to the operating system's places"
        if room and re.match(r"hwloc", target) and not name.startswith("src/pr/setup/placement"):
            yield f"{place}: hwloc belongs to pr/setup/placement"
        if room and target.startswith("comex") and room not in COMPOSING | OWN_LIBRARIES:
            yield f"{place}: the room does not know the public headers"


def check_branches(name, text):
    """No #if where an open brace is something else than a namespace, a linkage block or a type."""
    code = strip(text)
    scopes, head = [], ""
    for number, line in enumerate(code.splitlines(), 1):
        if re.match(r"\s*#", line):
            if re.match(r"\s*#\s*(if|ifdef|ifndef|elif|else)\b", line) and "block" in scopes:
                yield f"{name}:{number}: a preprocessor branch inside a function"
            continue
        for character in line + "\n":
            if character == "{":
                outer = re.search(r"\b(namespace|extern|class|struct|union|enum)\b[^()]*$", head)
                scopes.append("outer" if outer else "block")
                head = ""
            elif character == "}":
                if scopes:
                    scopes.pop()
                head = ""
            elif character == ";":
                head = ""
            else:
                head += character


def check_text(name, text):
    lines = text.splitlines()
    if len(lines) > HARD_STOP:
        yield f"{name}: {len(lines)} lines; the hard stop is {HARD_STOP}"
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line):
            yield f"{name}:{number}: unfinished business: {line.strip()}"
    if name.startswith("src/") and name.endswith(".h"):
        if not text.startswith("//"):
            yield f"{name}: a header opens with what it owns, promises and who calls it"
        if "#pragma once" not in text:
            yield f"{name}: no #pragma once"


def check_implementations(name, text):
    if MPI_KNOWERS.match(name):
        return
    for number, line in enumerate(text.splitlines(), 1):
        named = MPI_NAMES.search(re.sub(r"(lib)?armci-(openmpi|mpich)", "", line))
        if named:
            yield f"{name}:{number}: {named.group(0)} is one MPI implementation's: src/mpi alone knows it"


def check_environment(sources):
    """Libraries of their own have places of their own."""
    places = [f"{name}:{number}" for name, text in sources.items() if name.startswith("src/")
              for number, line in enumerate(strip(text).splitlines(), 1) if re.search(r"\bgetenv\s*\(", line)]
    by_library = {}
    for place in places:
        room = place.split("/")[1]
        by_library.setdefault(room if room in OWN_LIBRARIES else "", []).append(place)
    for library in by_library.values():
        if len(library) > 1:
            yield "getenv is called in more than one place: " + ", ".join(library)


def check_folders(sources):
    """A folder of src that holds more files than that has more than one role."""
    folders = {}
    for name in sources:
        if name.startswith("src/"):
            folder = name.rpartition("/")[0]
            folders[folder] = folders.get(folder, 0) + 1
    for folder, count in folders.items():
        if count > MOST_FILES:
            yield f"{folder}: {count} files; a folder of src holds at most {MOST_FILES}"


def check_table(text):
    """The tables of the architecture page name the rooms, and what each may include, as MAY_INCLUDE does."""
    told = {}
    table = text.partition("### Who may include whom")[2].partition("\n\n- ")[0]
    for left, right in re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|$", table, re.M):
        names = {name.strip() for name in right.partition(";")[0].split(",")} - {"nothing"}
        told.update({room.strip(): names for room in left.split(",") if room.strip() != "folder"})
    for room in sorted(told.keys() | MAY_INCLUDE.keys()):
        if told.get(room) != MAY_INCLUDE.get(room):
            yield f"{TABLES}: the table of includes and rules.py differ on {room}"
        if room in MAY_INCLUDE and f"\n| src/{room} |" not in text:
            yield f"{TABLES}: the table of rooms has no row for src/{room}"


def check_links(text):
    """A room links no room that it may not include, and reaches, through others perhaps, each that it may."""
    links = {name: set(re.findall(r"\broom_(\w+)", rest))
             for name, rest in re.findall(r"^comex_room\((\w+)([^)]*)\)", text, re.M)}

    def reached(room):
        found, to_visit = set(), [room]
        while to_visit:
            new = links.get(to_visit.pop(), set()) - found
            found |= new
            to_visit += new
        return found
    for room in sorted(links.keys() ^ (MAY_INCLUDE.keys() - OWN_LIBRARIES)):
        yield f"{LINKS}: {room} is a library there or a room of rules.py, and not both"
    for room in sorted(links.keys() & MAY_INCLUDE.keys()):
        allowed_rooms = {name.split("/")[0] for name in MAY_INCLUDE[room]}
        for other in sorted(links[room] - allowed_rooms):
            yield f"{LINKS}: {room} links {other}, which it may not include"
        for other in sorted(allowed_rooms - reached(room)):
            yield f"{LINKS}: {room} may include {other} and does not link it"


TYPE = re.compile(r"^(?:class|struct|union|enum class|enum|using|concept)\s+"
                  r"(?:\[\[\w+\]\]\s+|alignas\([^)]*\)\s+)*(\w+)(?:\s+final)?\s*(?::[^:;{][^;{]*)?[{=]", re.M)


def check_types(sources):
    """One name, one type: a reader who searches for a type finds one. Nested types are named with their class."""
    places = {}
    for name, text in sources.items():
        if name.startswith("src/") and name.endswith(".h"):
            code = strip(text)
            for match in TYPE.finditer(code):
                line = code.count("\n", 0, match.start()) + 1
                places.setdefault(match.group(1), []).append(f"{name}:{line}")
    for type_name, found in places.items():
        if len(found) > 1 and type_name not in SAME_NAME_ON_PURPOSE:
            yield f"{found[1]}: {type_name} is the name of another type: {found[0]}"


def breaches(sources):
    for name, text in sources.items():
        suffix = Path(name).suffix
        yield from check_text(name, text)
        yield from check_implementations(name, text)
        if suffix in CPP:
            yield from check_includes(name, text)
            if name.startswith("src/"):
                yield from check_branches(name, text)
    yield from check_environment(sources)
    yield from check_folders(sources)
    yield from check_types(sources)
    for name, check in ((TABLES, check_table), (LINKS, check_links)):
        if name in sources:
            yield from check(sources[name])


def read(root):
    found = {}
    for top in ("src", "include", "bindings", "tools", "tests", "examples", "cmake", "packaging"):
        for path in sorted((root / top).rglob("*")):
            data = "/data/" in path.as_posix() or path.suffix in (".mtx", ".pyc")
            if path.is_file() and path.name != ".gitkeep" and not data:
                found[path.relative_to(root).as_posix()] = path.read_text(encoding="utf-8", errors="replace")
    found[TABLES] = (root / TABLES).read_text(encoding="utf-8")
    return found


def main():
    sources = read(Path(sys.argv[1]))
    found = list(breaches(sources))
    print("\n".join(found) if found else f"{len(sources)} files keep the rules")
    return 1 if found or not any(name.startswith("src/") for name in sources) else 0


if __name__ == "__main__":
    sys.exit(main())
