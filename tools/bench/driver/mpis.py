"""The MPIs that columns can be of, and how each starts a job: that of this build, and the other one of the presets where a
build with it lies beside this one."""
import os
from dataclasses import dataclass

OPEN_MPI, MPICH, THIRD = "openmpi", "mpich", "other"
TITLES = {OPEN_MPI: "Open MPI", MPICH: "MPICH", THIRD: "this MPI"}
LAUNCHERS = {OPEN_MPI: ["mpirun", "--oversubscribe", "--bind-to", "none"], MPICH: ["mpirun"], THIRD: ["mpirun"]}
# Without it large messages are copied twice, through memory of MPI's, and no longer straight out of the sender's.
NO_SINGLE_COPY = {OPEN_MPI: {"OMPI_MCA_btl_vader_single_copy_mechanism": "none"}, MPICH: {"UCX_TLS": "posix,sysv,self"}, THIRD: {}}
RANK_VARIABLES = (b"OMPI_COMM_WORLD_RANK=", b"PMI_RANK=")


@dataclass(frozen=True)
class Build:
    """A build of the measuring programs."""
    mpi: str
    bin: str         # its programs
    tools: str = ""  # its mpirun, mpicc, ...; empty: the first in PATH

    def environment(self):
        """What makes mpirun, and the virtual cluster, those of this MPI."""
        path = os.environ.get("PATH", "")
        return {"PATH": f"{self.tools}:{path}" if self.tools else path, "COMEX_TEST_MPI": self.mpi,
                "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def kinds(own):
    """That of the build, and the one that may lie beside it."""
    return {OPEN_MPI: (OPEN_MPI, MPICH), MPICH: (MPICH, OPEN_MPI), THIRD: (THIRD,)}[own]


def of_folder(mpi, folder):
    return Build(mpi, os.path.join(folder, "bin"), os.path.join(folder, "mpi"))


def beside(own):
    """The build of the other MPI, as the presets name the folders: release, release-mpich. It may not be there."""
    folder = os.path.dirname(own.bin)
    if own.mpi == OPEN_MPI:
        return of_folder(MPICH, f"{folder}-{MPICH}")
    other = folder.removesuffix(f"-{MPICH}")
    return of_folder(OPEN_MPI, other if other != folder else f"{folder}-{OPEN_MPI}")
