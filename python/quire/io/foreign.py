"""Optional libraries."""

from __future__ import annotations

import importlib
from typing import Any

from quire.errors import UnsupportedError


def require(module: str, purpose: str) -> Any:
    """Independent. Return the module of a library. Raises an unsupported error if it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        package = module.partition(".")[0]
        raise UnsupportedError(
            f"{purpose} needs the Python package {package}, which cannot be imported ({problem})",
            advice=f"install it, for example by: pip install {package}",
        ) from problem
