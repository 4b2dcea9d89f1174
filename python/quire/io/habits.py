"""Names that programs use from the habit of h5py and pandas: their errors say what to write instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from quire.errors import UsageError

FILE_MODES = {"r", "w", "a", "x", "w-", "r+", "rb", "wb", "ab", "rw"}

NO_MODE = "quire.open reads, quire.create writes a new file, quire.append adds steps to one; none has a mode"

FRAME_NAMES = (
    "describe", "drop", "dtypes", "groupby", "head", "hist", "iloc", "index", "loc", "plot", "query",
    "sample", "sort_values", "tail", "to_csv",
)  # fmt: skip
"""Names of pandas, of what reads a table as a DataFrame."""


class Hinting:
    """An object whose error about an attribute that it does not have says what to write instead."""

    _instead: ClassVar[Mapping[str, str]] = {}

    def _instead_of(self, name: str) -> str | None:
        """Independent. Return what to write instead of an attribute; None if nothing is known."""
        return self._instead.get(name)

    if not TYPE_CHECKING:  # type checkers and editors shall report such attributes

        def __getattr__(self, name: str) -> Any:
            message = f"'{type(self).__name__}' object has no attribute '{name}'"
            instead = None if name.startswith("_") else self._instead_of(name)
            if instead is not None:
                message += f"; write {instead}"
            raise AttributeError(message, name=name, obj=self)


OF_FILES: Mapping[str, str] = {
    name: f"file[0].{name} for the first step: a file is a sequence of steps"
    for name in ("columns", "fields", "items", "keys", "streams", "table", "tables", "to_pandas", "values")
} | {
    "attributes": "file.attrs",
    "steps": "file itself, which is a sequence of steps: for step in file, file[0], file.step(10)",
}

OF_STEPS: Mapping[str, str] = {
    "where": "step.table.where",
    "read": "step.table.read",
    "blocks": "step.table.blocks",
    "attributes": "step.attrs",
    "data": "step.to_pandas()",
    "to_dataframe": "step.to_pandas()",
} | {name: f"step.to_pandas().{name}" for name in FRAME_NAMES}

OF_TABLES: Mapping[str, str] = {name: text.replace("step.", "table.") for name, text in OF_STEPS.items()} | {
    "attributes": "step.attrs",
    "attrs": "step.attrs",
}


OF_WRITERS: Mapping[str, str] = {
    name: f"with out.step(number) as step: step.{name}"
    for name in ("put", "put_constant", "put_field", "put_table", "set")
} | {
    "create_dataset": 'with out.step(number) as step: step.put("x", values, unit="m")',
    "create_group": "with out.step(number) as step",
    "attributes": "out.attrs",
}

OF_WRITTEN_STEPS: Mapping[str, str] = {
    "create_dataset": 'step.put("x", values, unit="m")',
    "put_frame": "step.put_table(frame)",
    "attributes": "step.attrs",
}


def instead_of_array(kind: str, name: str) -> str | None:
    """Independent. Return what to write instead of an attribute of an array, of a column or field."""
    if name in ("value", "values", "data", "to_numpy"):
        return f"{kind}[:] for the values"
    if name == "units":
        return f"{kind}.unit"
    if name == "attrs":
        return f"{kind}.unit, {kind}.symbol or {kind}.description"
    return f"{kind}[:].{name}" if hasattr(np.ndarray, name) else None


def is_mode(value: object) -> bool:
    """Independent. Return whether a value is a mode of opening a file in Python and h5py."""
    return isinstance(value, str) and value in FILE_MODES


def refuse_habits(options: Mapping[str, Any]) -> None:
    """Independent. Raises UsageError for options of other libraries that no format has."""
    if is_mode(options.get("mode")):
        raise UsageError(f"there is no mode '{options['mode']}'", advice=NO_MODE)
    if "overwrite" in options:
        raise UsageError(
            "there is no option 'overwrite'",
            advice="quire.create replaces an existing file, quire.append keeps its steps",
        )
