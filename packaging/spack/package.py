# A package for a repository of Spack: copy it to packages/quire/package.py.
from spack.package import *


class Quire(CMakePackage):
    """Parallel I/O for the self-describing data of accelerator and particle-in-cell codes."""

    license("BSD-3-Clause")

    # No release is published yet: the sources are those of `spack develop`.
    version("0.1.0", no_cache=True)

    variant("mpi", default=True, description="Communicators and transports of MPI")
    variant("shared", default=True, description="A shared library instead of a static one")
    variant("fortran", default=True, description="The Fortran module")
    variant("python", default=False, description="The Python package and the command quire")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hdf5@1.10.8:")
    depends_on("hdf5+mpi", when="+mpi")
    depends_on("hdf5~mpi", when="~mpi")
    depends_on("mpi@3.1:", when="+mpi")
    depends_on("libdeflate")
    depends_on("pugixml")
    depends_on("xxhash")
    depends_on("xz")
    depends_on("zlib-api")
    depends_on("zstd")

    extends("python@3.11:", when="+python")
    depends_on("py-nanobind", type="build", when="+python")
    depends_on("py-numpy", type=("build", "run"), when="+python")
    depends_on("py-rich", type=("build", "run"), when="+python")
    depends_on("py-typer@0.12:0.28", type=("build", "run"), when="+python")
    depends_on("py-mpi4py", type="run", when="+python+mpi")

    conflicts("%gcc@:11")

    def cmake_args(self):
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("QUIRE_MPI", "mpi"),
            self.define_from_variant("QUIRE_FORTRAN", "fortran"),
            self.define_from_variant("QUIRE_PYTHON", "python"),
            self.define("QUIRE_EXAMPLES", False),
            self.define("QUIRE_HDF5_ROOT", self.spec["hdf5"].prefix),
        ]
        if self.spec.satisfies("+mpi"):
            args.append(self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc))
        if self.spec.satisfies("+python"):
            args.append(self.define("Python_EXECUTABLE", python.path))
            args.append(self.define("QUIRE_PYTHON_FOLDER", python_platlib))
        return args
