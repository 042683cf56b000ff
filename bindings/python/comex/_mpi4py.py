"""Communicators of mpi4py, where it is built for the MPI of this package."""
import re
import sys

from comex._build import MPI_FAMILY, MPI_LIBRARY


def _refuse(version):
    names = [" ".join(text.split("\n")[0].split(",")[0].split()) for text in (MPI_LIBRARY, version)]
    raise ImportError(f"comex: this package is built for {names[0]}, and mpi4py for {names[1]}: two MPIs cannot work in one "
                      "process, so that communicators are neither taken nor given")


def refuse_other():
    """Before the package's own MPI comes in: an mpi4py of another MPI may be there already."""
    loaded = sys.modules.get("mpi4py.MPI")
    if loaded is not None and not re.search(MPI_FAMILY, loaded.Get_library_version()):
        _refuse(loaded.Get_library_version())


def mpi():
    """The module mpi4py.MPI."""
    refuse_other()
    if "mpi4py.MPI" not in sys.modules:
        try:
            import mpi4py
        except ImportError:
            raise ImportError("comex: mpi4py is not installed, so that communicators are neither taken nor given") from None
        mpi4py.rc.initialize = False  # for an mpi4py of another MPI has nothing to start here
        from mpi4py import MPI
        refuse_other()
        return MPI
    return sys.modules["mpi4py.MPI"]
