"""The words of a launch, for Open MPI's mpirun and for hydra, MPICH's."""
from dataclasses import dataclass

OPEN_MPI, HYDRA = "openmpi", "hydra"


def kind_of(version):
    """By what `mpirun --version` says; hydra's options are those of MPICH and its relatives."""
    return OPEN_MPI if "Open MPI" in version or "OpenRTE" in version or "PRRTE" in version else HYDRA


@dataclass(frozen=True)
class Launch:
    shares: list       # of the hosts
    variables: dict    # settings for the ranks
    preload: str = ""  # a library for the ranks alone
    oversubscribed: bool = False  # more ranks than slots on some host
    unbound: bool = False  # the ranks bind themselves
    outlive: str = ""  # the job goes on without dead ranks; below this script, where the launcher is hydra


def names_variable(words, name):
    """Whether the user gives the variable to mpirun."""
    return any(before in ("-x", "-env", "-genv") and word.split("=")[0] == name for before, word in zip(words, words[1:]))


def binds(words):
    return any(word.lstrip("-").split("=")[0].split(":")[0] in ("bind-to", "cpu-set", "cpu-list", "rankfile", "rf", "slot-list")
               for word in words)


def words_of(kind, mpirun, launch, of_mpirun, program):
    named = [share for share in launch.shares if share.host.name]
    hosts = ",".join(f"{share.host.name}:{share.ranks}" for share in named)
    total = str(sum(share.ranks for share in launch.shares))
    words = [mpirun]
    if kind == OPEN_MPI:
        for name in launch.variables:
            words += ["-x", name]
        if launch.preload:
            words += ["-x", f"LD_PRELOAD={launch.preload}"]
        if launch.oversubscribed:
            words.append("--oversubscribe")
        if (launch.oversubscribed or launch.unbound) and not binds(of_mpirun):
            words += ["--bind-to", "none"]
        if launch.outlive:
            words.append("--enable-recovery")
        words += ["--host", hosts] if hosts else []
        return [*words, "-np", total, *of_mpirun, *program]
    if launch.preload:
        words += ["-genv", "LD_PRELOAD", launch.preload]
    if launch.outlive:
        words.append("-disable-auto-cleanup")
        program = [launch.outlive, *program]
    words += ["-hosts", hosts] if hosts else []
    return [*words, "-n", total, *of_mpirun, *program]  # hydra hands on the environment
