"""The part of Quire for MPI. `quire` imports it when a communicator is passed to it."""

from typing import Final

from quire import _core

__version__: Final = "0.1.0"

if _core.__version__ != __version__:
    raise ImportError(
        f"quire-mpi {__version__} cannot be used with quire {_core.__version__}; "
        "install both in the same version"
    )
if _core.has_mpi():
    raise ImportError("this build of quire has MPI; uninstall quire-mpi")

from quire_mpi import _part as _part
