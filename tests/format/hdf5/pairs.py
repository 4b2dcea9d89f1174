"""Pairs of files for tests: the first one has the metadata, the other one next to it the raw data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import quire

ROWS = 100


def write_file(path: Path, steps: int = 2, first: float = 0.0, **options: Any) -> Path:
    """A file with a column that begins with `first`."""
    with quire.create(path, **options) as out:
        for number in range(steps):
            with out.step(number) as step:
                step.put("x", np.arange(ROWS) + first + number)
    return path


def write(path: Path, steps: int = 2, first: float = 0.0, **options: Any) -> Path:
    """The same for a pair, or with split=False for a single file."""
    return write_file(path, steps, first, **{"split": True, **options})


def raw_of(path: Path) -> Path:
    return path.with_name(path.name.removesuffix("-m.h5") + "-r.h5")


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())
