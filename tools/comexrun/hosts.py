"""Which hosts a job has, and how many slots each: by the command line, by the batch system, or this machine alone."""
from __future__ import annotations

import os
import re
from dataclasses import dataclass

from refused import Refused, whole


@dataclass(frozen=True)
class Host:
    name: str           # empty: this machine, which needs no name
    slots: int | None   # None: nobody says


def merged(named):
    """One host for each name, in the order of their first places. The slots of a repeated name add up, one where no number
    is given."""
    slots = {}
    for name, count in named:
        slots[name] = count if name not in slots else (slots[name] or 1) + (count or 1)
    return [Host(name, count) for name, count in slots.items()]


def count_of(text, where):
    return whole(where, text, 1, what="a number of slots")


def of_list(text):
    """a,b:4,c"""
    named = []
    for word in text.split(","):
        name, separator, count = word.partition(":")
        if not name or name.startswith("+"):
            raise Refused(f"hosts {text}: expected names, or names with numbers of slots: a:4,b:4")
        named.append((name, count_of(count, f"hosts {text}") if separator else None))
    return merged(named)


def of_file(text, path, a_line=None):
    """A host in each line: `a`, `a slots=4` (Open MPI), `a:4` (hydra). a_line: the slots of a line without a number."""
    named = []
    for line in text.splitlines():
        words = re.sub(r"\s*=\s*", "=", line.split("#")[0]).split()
        if not words:
            continue
        name, separator, count = words[0].partition(":")
        slots = count_of(count, path) if separator else a_line
        for word in words[1:]:
            key, _, value = word.partition("=")
            if key == "slots":
                slots = count_of(value, path)
        named.append((name, slots))
    if not named:
        raise Refused(f"{path}: names no host")
    # A file that repeats names has a line for each slot.
    repeats = len({name for name, _ in named}) < len(named)
    return merged([(name, 1 if repeats and slots is None else slots) for name, slots in named])


def expanded(text):
    """Slurm's counts: 8(x2),4 is 8, 8, 4."""
    counts = []
    for word in text.split(","):
        match = re.fullmatch(r"([0-9]{1,9})(?:\(x([0-9]{1,6})\))?", word)
        if not match:
            raise Refused(f"Slurm's counts \"{text}\" are not understood")
        counts += [int(match[1])] * int(match[2] or 1)
    return counts


RANGE = "[0-9]{1,18}(?:-[0-9]{1,18})?"


def nodes_of(text):
    """Slurm's names: n[01-03,07],m2 is n01, n02, n03, n07, m2."""
    names = []
    if text.count("[") != text.count("]"):
        raise Refused(f"Slurm's nodes \"{text}\" are not understood; name them by --host")
    for word in re.findall(r"(?:[^,\[\]]|\[[^\]]*\])+", text):
        match = re.fullmatch(rf"([^\[]*)\[({RANGE}(?:,{RANGE})*)\](.*)", word)
        if not match and "[" in word:
            raise Refused(f"Slurm's nodes \"{text}\" are not understood; name them by --host")
        if not match:
            names.append(word)
            continue
        for part in match[2].split(","):
            first, _, last = part.partition("-")
            for number in range(int(first), int(last or first) + 1):
                names += [f"{match[1]}{number:0{len(first)}}{rest}" for rest in nodes_of(match[3]) or [""]]
    return names


def of_slurm(environment):
    names = nodes_of(environment["SLURM_JOB_NODELIST"])
    told = environment.get("SLURM_TASKS_PER_NODE") if "SLURM_NTASKS" in environment else None
    counts = expanded(told or environment.get("SLURM_JOB_CPUS_PER_NODE", ",".join(["1"] * len(names))))
    if len(counts) != len(names):
        raise Refused(f"Slurm names {len(names)} nodes, but {len(counts)} counts of tasks")
    return [Host(name, count) for name, count in zip(names, counts)]


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Refused(f"{path}: this is no text") from None


def here():
    """This machine; a slot is a core that this process may run on."""
    cores = set()
    for cpu in os.sched_getaffinity(0):
        try:
            cores.add(read(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"))
        except Refused:
            cores.add(cpu)
    return Host("", len(cores))


def found(options, environment):
    if options.host_list:
        return of_list(options.host_list)
    if options.host_file:
        return of_file(read(options.host_file), options.host_file)
    if "SLURM_JOB_NODELIST" in environment:
        return of_slurm(environment)
    if environment.get("PBS_NODEFILE"):
        return of_file(read(environment["PBS_NODEFILE"]), environment["PBS_NODEFILE"], a_line=1)
    return [here()]
