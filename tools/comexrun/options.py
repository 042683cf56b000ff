"""The command line of comexrun. Its own options may stand anywhere before the program; all others are mpirun's."""
from __future__ import annotations

import re
from dataclasses import dataclass, field

from refused import MOST, Refused, whole

# mpirun's options that take words of their own, without their dashes. The word of one that is missing here would be taken
# for the program.
OF_OPEN_MPI = ("x", "app", "bind-to", "map-by", "ppr", "prefix", "preload-files", "rank-by", "N", "am", "cf", "cartofile",
               "cpu-list", "cpu-set", "cpus-per-proc", "cpus-per-rank", "debugger", "hnp", "launch-agent", "max-restarts",
               "max-vm-size", "npernode", "npersocket", "ompi-server", "output-filename", "path", "personality",
               "report-events", "report-pid", "report-uri", "rf", "rankfile", "stdin", "timeout", "tune", "wdir", "wd",
               "xml-file", "xterm", "output", "display", "runtime-options", "dvm", "pset",
               "with-ft", "forward-signals", "stream-buffering", "spawn-timeout", "keepalive")
OF_HYDRA = ("genvlist", "envlist", "configfile", "launcher", "launcher-exec", "rmk", "topolib", "membind", "demux", "iface",
            "ppn", "prepend-pattern", "outfile-pattern", "errfile-pattern", "nameserver", "order-nodes", "localhost", "usize",
            "gpus-per-proc", "bootstrap", "bootstrap-exec", "binding", "outfile", "errfile")
WORDS_OF_MPIRUN = {**dict.fromkeys(OF_OPEN_MPI + OF_HYDRA, 1),
                   **dict.fromkeys(("mca", "gmca", "omca", "gomca", "pmixmca", "prtemca", "genv", "env"), 2)}
JOINED = ("genv", "env")  # hydra takes NAME=VALUE as well as NAME VALUE
LIMITS = {"workers": (1, MOST), "progress_ranks": (0, 1024), "virtual_hosts": (1, MOST)}
NUMBERS = {"n": "workers", "np": "workers", "c": "workers", "progress-ranks": "progress_ranks", "virtual-hosts": "virtual_hosts"}
TEXTS = {"H": "host_list", "host": "host_list", "hosts": "host_list", "hostfile": "host_file", "machinefile": "host_file",
         "default-hostfile": "host_file", "f": "host_file", "mpirun": "mpirun"}
SWITCHES = {"cyclic": "cyclic", "world": "world", "check": "check", "bind": "bind", "dry-run": "dry_run", "oversubscribe": "oversubscribe"}


@dataclass
class Options:
    workers: int = 0
    progress_ranks: int | None = None  # None: as the environment says
    virtual_hosts: int | None = None
    host_list: str = ""
    host_file: str = ""
    mpirun: str = ""
    cyclic: bool = False
    world: bool = False
    check: bool = False
    bind: bool = False
    dry_run: bool = False
    oversubscribe: bool = False
    of_mpirun: list = field(default_factory=list)
    program: list = field(default_factory=list)


def words_behind(name, left):
    """How many words this option of mpirun takes of those that are left."""
    return 1 if name in JOINED and left and "=" in left[0] else WORDS_OF_MPIRUN.get(name, 0)


def parsed(words):
    options, left = Options(), list(words)

    def take(option):
        if not left:
            raise Refused(f"{option}: a word is missing")
        return left.pop(0)

    while left and left[0].startswith("-"):
        option = left.pop(0)
        joined = re.fullmatch(r"(-(?:np?|c))(\d.*)", option)  # -n2
        if joined:
            option = joined[1]
            left.insert(0, joined[2])
        name, separator, value = option.lstrip("-").partition("=")
        if option == "--":
            break
        if name in NUMBERS:
            what = NUMBERS[name]
            setattr(options, what, whole(option.split("=")[0], value if separator else take(option), *LIMITS[what]))
        elif name in TEXTS:
            setattr(options, TEXTS[name], value if separator else take(option))
        elif name in SWITCHES and separator:
            raise Refused(f"{option}: --{name} takes no value")
        elif name in SWITCHES:
            setattr(options, SWITCHES[name], True)
        else:
            options.of_mpirun += [option] + [take(option) for _ in range(0 if separator else words_behind(name, left))]
    options.program = left
    return checked(options)


COUNTED = {"GA_NUM_PROGRESS_RANKS_PER_NODE": "--progress-ranks", "COMEX_VIRTUAL_HOSTS": "--virtual-hosts"}


def checked(options):
    for before, word in zip(options.of_mpirun, options.of_mpirun[1:]):
        name = word.split("=")[0]
        if before in ("-x", "-env", "-genv") and name in COUNTED:
            raise Refused(f"{before} {word}: comexrun has to count with it: say {COUNTED[name]}")
        if before in ("-x", "-env", "-genv") and name == "LD_PRELOAD" and (options.world or options.check):
            raise Refused(f"{before} {word}: it would replace what --world and --check load first; set it in the environment")
    if not options.workers:
        raise Refused("-n WORKERS is missing: how many processes of the program there are to be")
    if not options.program:
        raise Refused("there is no program")
    if ":" in options.program:
        raise Refused("of several programs (\":\") the ranks are not counted: start them by mpirun")
    if options.host_list and options.host_file:
        raise Refused("hosts are named twice, in a list and in a file")
    return options
