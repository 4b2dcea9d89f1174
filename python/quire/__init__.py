"""Parallel I/O for the self-describing data of accelerator and particle-in-cell codes."""

from quire._core import __version__

__all__ = ["__version__"]
