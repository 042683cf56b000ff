# A Spack package. Copy this folder to packages/comex_pr of a package repository; then `spack dev-build comex-pr@0.1.0` in the
# sources, or `spack install comex-pr` beside the archive that README.md of packaging says how to make.
import os

from spack.package import *


class ComexPr(CMakePackage):
    """PGAS one-sided communication runtime on MPI two-sided messages, with the interfaces of ComEx and of ARMCI."""

    url = f"file://{os.getcwd()}/comex-0.1.0.tar.gz"
    manual_download = True

    license("BSD-3-Clause")
    version("0.1.0")

    variant("tools", default=True, description="Build comexrun, comex_info, comex_top and the examples")
    variant("fortran", default=True, description="Build the Fortran module")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.8:", type=("build", "run"))
    depends_on("mpi@3:")
    depends_on("hwloc")
    with when("+tools"):
        depends_on("cli11")
        depends_on("fmt")
        depends_on("ncurses")
        depends_on("nlohmann-json")
        depends_on("help2man", type="build")

    build_targets = ["installed"]

    def cmake_args(self):
        return [
            self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc),
            self.define("COMEX_TESTS", False),
            self.define_from_variant("COMEX_TOOLS", "tools"),
            self.define_from_variant("COMEX_FORTRAN", "fortran"),
            self.define("COMEX_PYTHON_PACKAGE", False),  # it would be for whatever Python outside has numpy
        ]
