"""comexrun: mpirun that counts workers. See USAGE."""
import os
import re
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # which PYTHONSAFEPATH leaves out
import hosts
import launchers
import linked
import manager
import options as options_
from refused import Refused, whole
from split import is_oversubscribed, split

USAGE = """Usage: comexrun -n WORKERS [OPTIONS] [MPIRUN OPTIONS] PROGRAM [ARGUMENTS]
Starts so many workers of a program, and with them the progress ranks that serve them: the ranks that mpirun is told to
start are the workers and GA_NUM_PROGRESS_RANKS_PER_NODE more on each host. Options that are not named here go to mpirun.

  -n, -np N             workers, dealt evenly over the hosts in blocks of neighbouring ranks
  --progress-ranks K    on each host (GA_NUM_PROGRESS_RANKS_PER_NODE, else 1); 0: workers serve themselves
  --cyclic              progress ranks and the groups they serve are dealt round the ranks of a host
  --virtual-hosts N     cuts each host into N that share no memory, each with its progress ranks
  --host LIST           hosts, with their slots where they are known: a:8,b:8
  --hostfile FILE       a host in each line: "a", "a slots=8" or "a:8". Without both, the hosts are those of the batch
                        job (Slurm, PBS), else this machine
  --oversubscribe       more workers than slots
  --world               for programs that know only MPI_COMM_WORLD: preloads libcomex_world
  --check               finds races and other misuse in the program: preloads libcomex_check (COMEX_CHECK=1)
  --bind                each rank to cores of its own, where a host has enough (COMEX_BIND=all)
  --mpirun PATH         the launcher, in place of that of the MPI which this runtime was built with
  --dry-run             prints the command, and how the job would be split, and starts nothing
  --version             as the first word: prints the version of the runtime, and starts nothing

Where the environment has COMEX_ON_FAILURE=continue, the launcher is told to let the others live when a rank has died.

The launch gets a COMEX_MANAGER from 1 to 255 that no other launch by comexrun has meanwhile, unless it is set already, or
named by -x, -env or -genv. Launches know each other by the files in COMEXRUN_DIR; else in a folder of the user in
XDG_RUNTIME_DIR, or in /tmp where that cannot be written to, for the launches of one machine. For those of several machines
name a folder that all share.
"""
PROGRESS = "GA_NUM_PROGRESS_RANKS_PER_NODE"
VIRTUAL = "COMEX_VIRTUAL_HOSTS"
PACKED, CYCLIC = (f"GA_PROGRESS_RANKS_DISTRIBUTION_{way}" for way in ("PACKED", "CYCLIC"))


def setting(name, given, limits):
    """As given on the command line, or by the environment; 1 if nobody says."""
    text = os.environ.get(name, "")
    if given is not None or not text:
        return 1 if given is None else given
    return whole(name, text, *limits)


def launcher(options, built_with):
    """The mpirun to start, and its kind."""
    path = shutil.which(options.mpirun or built_with) or (not options.mpirun and shutil.which("mpirun"))
    if not path:
        raise Refused(f"there is no {options.mpirun or 'mpirun in PATH'}")
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise Refused(f"{path} cannot be started: {error.strerror}") from error
    return path, launchers.kind_of(said.stdout + said.stderr)


def preloaded(options, libraries):
    """What the ranks are started with: the checker stands in front of libcomex_world."""
    chosen = []
    for option in ("check", "world"):
        if getattr(options, option):
            chosen.append(os.path.join(libraries, f"libcomex_{option}.so"))
            if re.search("[ :]", libraries):  # ld.so would go on without the library
                raise Refused(f"--{option}: {libraries} has a blank or a colon in its path, which LD_PRELOAD cannot hold")
            if not os.path.exists(chosen[-1]):
                raise Refused(f"--{option}: there is no {chosen[-1]}")
    return ":".join(filter(None, (*chosen, os.environ.get("LD_PRELOAD")))) if chosen else ""


def variables_of(options, progress_ranks, virtual_hosts):
    """The settings that ranks on other machines have to hear of, too: those that were counted with."""
    variables = {name: os.environ[name] for name in (PROGRESS, VIRTUAL, PACKED, CYCLIC) if os.environ.get(name)}
    if options.progress_ranks is not None:
        variables[PROGRESS] = str(progress_ranks)
    if options.virtual_hosts is not None:
        variables[VIRTUAL] = str(virtual_hosts)
    if options.cyclic:
        variables.update({PACKED: "0", CYCLIC: "1"})
    if options.bind:
        variables["COMEX_BIND"] = "all"
    if options.check:
        variables["COMEX_CHECK"] = os.environ.get("COMEX_CHECK", "1")
        if variables["COMEX_CHECK"] == "0":
            raise Refused("--check: COMEX_CHECK=0 in the environment turns it off")
    if goes_on():
        variables["COMEX_ON_FAILURE"] = "continue"
    return variables


def goes_on():
    return os.environ.get("COMEX_ON_FAILURE", "").lower() == "continue"


def show(words, variables, picture):
    print(shlex.join([f"{name}={value}" for name, value in variables.items()] + words), flush=True)
    if os.access(picture[0], os.X_OK):
        print(flush=True)
        return subprocess.run(picture, check=False).returncode
    return 0


def start(words, built_with, folder, libraries):
    options = options_.parsed(words)
    progress_ranks = setting(PROGRESS, options.progress_ranks, options_.LIMITS["progress_ranks"])
    virtual_hosts = setting(VIRTUAL, options.virtual_hosts, options_.LIMITS["virtual_hosts"])
    shares = split(options.workers, hosts.found(options, os.environ), progress_ranks, virtual_hosts, options.oversubscribe)
    mpirun, kind = launcher(options, built_with)
    if not options.mpirun:
        linked.check(options.program[0], libraries)
    variables = variables_of(options, progress_ranks, virtual_hosts)
    if "COMEX_MANAGER" in os.environ:
        variables["COMEX_MANAGER"] = os.environ["COMEX_MANAGER"]
    elif not options.dry_run and not launchers.names_variable(options.of_mpirun, "COMEX_MANAGER"):
        variables["COMEX_MANAGER"] = str(manager.take())
    launch = launchers.Launch(shares, variables, preloaded(options, libraries),
                              options.oversubscribe or is_oversubscribed(shares), options.bind,
                              os.path.join(os.path.dirname(os.path.abspath(__file__)), "outlive") if goes_on() else "")
    command = launchers.words_of(kind, mpirun, launch, options.of_mpirun, options.program)
    if options.dry_run:
        ranks = [share.ranks for share in shares]
        on_hosts = ",".join(map(str, ranks)) if len(ranks) > 1 else "1"  # a single number is one of hosts
        picture = [os.path.join(folder, "comex_info"), "--ranks", str(sum(ranks)), "--hosts", on_hosts,
                   "--progress-ranks", str(progress_ranks), "--virtual-hosts", str(virtual_hosts)]
        return show(command, variables, picture + (["--cyclic"] if options.cyclic else []))
    os.environ.update(variables)
    try:
        os.execv(mpirun, command)
    except OSError as error:
        raise Refused(f"{mpirun}: {error.strerror}") from None


def answer():
    built_with, folder, libraries, version, *words = sys.argv[1:]  # from the script that the build makes
    if not words:
        print(USAGE, end="", file=sys.stderr)
        return 2
    if words[0] in ("-h", "--help"):
        print(USAGE, end="", flush=True)
        return 0
    if words[0] == "--version":
        print(f"comex {version}", flush=True)
        return 0
    return start(words, built_with, folder, libraries)


def main():
    try:
        return answer()
    except Refused as error:
        print(f"comexrun: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python prints what is left once more when it ends
        if isinstance(error, BrokenPipeError):  # who reads what --dry-run or --help print has seen enough
            return 0
        print(f"comexrun: {error.strerror}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
