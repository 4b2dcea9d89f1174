"""Optional libraries."""

from __future__ import annotations

import importlib
from typing import Any, Final

from quire.errors import UnsupportedError

EXTRAS: Final = {
    "contourpy": "plot",
    "duckdb": "toolkit",
    "matplotlib": "plot",
    "mpi4py": "mpi",
    "pandas": "frames",
    "pyarrow": "toolkit",
    "scipy": "toolkit",
    "starlette": "view",
    "uvicorn": "view",
}
"""The optional dependencies of Quire to which packages belong."""


def installing(module: str) -> str:
    """Independent. Return the command that installs the package of a module."""
    package = module.partition(".")[0]
    return f"pip install 'quire[{EXTRAS[package]}]'" if package in EXTRAS else f"pip install {package}"


def require(module: str, purpose: str) -> Any:
    """Independent. Return the module of a library. Raises an unsupported error if it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        package = module.partition(".")[0]
        raise UnsupportedError(
            f"{purpose} needs the Python package {package}, which cannot be imported ({problem})",
            advice=f"install it, for example by: {installing(module)}",
        ) from problem
