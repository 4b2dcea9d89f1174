"""Small files in every registered format, for tests that do not depend on a format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import quire
from quire.io.formats import format_info, format_infos
from quire.io.types import Array


@cache
def step_formats() -> list[str]:
    """Return the names of the formats whose files hold several steps."""
    return [info.name for info in format_infos() if not info.one_step]


def formats_of_uneven_steps() -> list[str]:
    """Return the names of the formats whose steps may differ in structure."""
    return [name for name in step_formats() if _holds_uneven_steps(name)]


def _holds_uneven_steps(format_name: str) -> bool:
    with TemporaryDirectory() as folder:
        try:
            with quire.create(Path(folder) / "uneven", format=format_name) as out:
                for number in (1, 2):
                    with out.step(number) as step:
                        step.put("xy"[:number], np.zeros(1))
        except quire.ConflictError:
            return False
    return True


def holds_texts(format_name: str) -> bool:
    """Return whether the files of a format have columns of texts."""
    with TemporaryDirectory() as folder:
        try:
            with quire.create(Path(folder) / "texts", format=format_name) as out, out.step(0) as step:
                step.put("name", np.array(["a"], object))
        except quire.UnsupportedError:
            return False
    return True


def table_formats() -> list[str]:
    """Return the names of the formats whose steps may have any tables."""
    return [info.name for info in format_infos() if info.tables]


def stream_formats() -> list[str]:
    """Return the names of the formats that hold streams."""
    return [info.name for info in format_infos() if info.holds_streams]


def path_for(folder: Path, format_name: str, stem: str = "file") -> Path:
    """Return a path with a suffix of the format."""
    return folder / f"{stem}{format_info(format_name).suffixes[0]}"


def write_table(
    path: Path, format_name: str, columns: Mapping[str, Any], number: int = 0, **options: Any
) -> None:
    """Write a file with one step of these columns."""
    with quire.create(path, quire.SELF, format=format_name, **options) as out, out.step(number) as step:
        for name, values in columns.items():
            step.put(name, values)


def sample_columns(rows: int) -> dict[str, Array]:
    """Return columns of a few types that every format can hold."""
    rng = np.random.default_rng(rows)
    return {
        "x": rng.normal(size=rows),
        "px": rng.normal(size=rows),
        "q": rng.normal(size=rows).astype(np.float32),
        "id": np.arange(rows, dtype=np.int64) * 3,
    }


def same(left: Array, right: Array) -> bool:
    """Return whether two arrays have the same type, shape and values; not-a-numbers are equal."""
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    return bool(np.array_equal(left, right, equal_nan=left.dtype.kind == "f"))


def refusal(action: Callable[[], object]) -> quire.Error | None:
    """Return the error with which a format refuses data that it cannot hold, or None if it holds them."""
    try:
        action()
    except (quire.UnsupportedError, quire.TypeMismatchError) as error:
        return error
    return None
