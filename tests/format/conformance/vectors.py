"""The places of conformance vectors: data files, each next to the truth of a reference program."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[3]
ENDINGS = (".json", ".json.gz")

Truth = dict[str, Any]


@dataclass(frozen=True)
class Vector:
    """A data file and its truth; `folder` and `name` are for messages."""

    folder: str
    name: str
    data: Path
    truth: Path

    def load(self) -> Truth:
        """Read the truth."""
        text = (
            gzip.decompress(self.truth.read_bytes())
            if self.truth.suffix == ".gz"
            else self.truth.read_bytes()
        )
        truth = json.loads(text)
        assert isinstance(truth, dict), f"{self.truth} is no truth"
        return truth


def root() -> Path:
    """The directory in QUIRE_GOLDEN; else the shared one next to the project; else tests/data."""
    if given := os.environ.get("QUIRE_GOLDEN"):
        return Path(given).resolve()
    shared = PROJECT.parent / "shared" / "golden"
    return shared if shared.is_dir() else PROJECT / "tests" / "data"


def vectors() -> list[Vector]:
    """Every data file with a truth below the root, in order of their paths."""
    top = root()
    return [vector for truth in sorted(top.rglob("*.json*")) for vector in _vector_of(truth, top)]


def _vector_of(truth: Path, top: Path) -> Iterator[Vector]:
    name = truth.name.removesuffix(".gz").removesuffix(".json")
    for data in (truth.with_name(name), *sorted(truth.parent.glob(escape(name) + ".*"))):
        if data.exists() and not data.name.endswith(ENDINGS):
            yield Vector(truth.parent.relative_to(top).as_posix(), data.name, data, truth)
            return
    # Truths may be in a folder of their own, next to those of the files.
    if truth.parent.name == "truth":
        above = truth.parent.parent
        for folder in (above, *sorted(above.iterdir())):
            if (folder / name).exists():
                yield Vector(folder.relative_to(top).as_posix(), name, folder / name, truth)
                return
