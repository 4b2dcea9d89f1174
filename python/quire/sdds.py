"""Whole SDDS files in memory: load, save, read, write. See docs/sdds.md."""

from quire.interfaces.sdds import TYPES, DataSet, Element, load, read, save, write

__all__ = ["TYPES", "DataSet", "Element", "load", "read", "save", "write"]
