"""The sizes of strings, which columns of files need before their values are written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class TextSize:
    """The bytes (UTF-8) of the strings of a column: of all together, and of the longest one."""

    total: int = 0
    longest: int = 0

    def add(self, total: int, longest: int) -> None:
        """Independent. Add those of further strings."""
        self.total += total
        self.longest = max(self.longest, longest)
