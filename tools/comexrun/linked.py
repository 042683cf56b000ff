"""Which MPI a program is linked with. Started by another one's mpirun, each of its ranks would be a job of its own."""
import os
import re
import shutil
import subprocess

from refused import Refused


def mpi_of(path):
    """The names of the MPI libraries that it loads; none of a script, of what is linked statically, or without ldd."""
    if shutil.which("ldd") is None:
        return set()
    said = subprocess.run(["ldd", path], capture_output=True, text=True, check=False)
    return set(re.findall(r"\blib(?:mpi|mpich)\.so\.\d+", said.stdout)) if said.returncode == 0 else set()


def check(program, libraries):
    path = shutil.which(program)
    theirs = mpi_of(path) if path else set()
    ours = mpi_of(os.path.join(libraries, "libcomex.so")) if theirs else set()
    if ours and not theirs & ours:
        raise Refused(f"{program} is linked with {', '.join(sorted(theirs))}, and this comexrun starts programs of "
                      f"{', '.join(sorted(ours))}: use the comexrun of the program's MPI")
