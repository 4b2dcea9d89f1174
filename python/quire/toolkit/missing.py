"""Values that are missing where copies compute: NaN among the results of definitions and in what conditions
compare, which leaves out rows. They are counted where they are errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.errors import ConflictError
from quire.toolkit.agreement import gathered

if TYPE_CHECKING:
    from quire.io.expression import Expression
    from quire.io.matches import Matches
    from quire.toolkit.definitions import DerivedStep
    from quire.toolkit.share import TableShare


def missing_results(step: DerivedStep) -> list[str]:
    """Independent. Return a sentence for each definition of a step with NaN, from a pass over the columns."""
    columns = [name for name, one in step.defined.items() if one.kind == "column"]
    return missing_attributes(step) + (missing_values(step.table, columns, "") if columns else [])


def missing_attributes(step: DerivedStep) -> list[str]:
    """Independent. Return a sentence for each definition of an attribute that is NaN."""
    return [
        f"the attribute {name} is NaN"
        for name, one in step.defined.items()
        if one.kind == "attribute" and is_nan(step.attrs[name])
    ]


def missing_operands(table: Any, condition: Expression) -> list[str]:
    """Independent. Return a sentence for each column with NaN that a condition uses, from a pass."""
    used = [name for name in condition.names if name in table]
    return missing_values(table, used, compared_by(condition))


def compared_by(condition: Expression) -> str:
    """Independent. Return the end of a sentence about columns that a condition uses."""
    return f", which '{condition.text}' compares"


def is_nan(value: Any) -> bool:
    """Independent. Return whether a value, or one of several, is NaN."""
    found = np.asarray(value)
    return found.dtype.kind == "f" and bool(np.isnan(found).any())


def missing_values(table: Any, names: Iterable[str], more: str) -> list[str]:
    """Independent. Return a sentence for each of these columns with NaN."""
    floats = [name for name in names if table[name].type.startswith("float")]
    counts = NanCounts(floats)
    for _, block in table.blocks(floats) if floats and len(table) else ():
        counts.look_at(block)
    return counts.sentences(more)


class NanCounts:
    """The numbers of NaN in some columns of a step, counted in rows that this rank reads or writes."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = dict.fromkeys(names)
        self._nan: Counter[str] = Counter()
        self._rows: Counter[str] = Counter()

    @classmethod
    def of_definitions(cls, step: Any, is_strict: bool) -> NanCounts:
        """Independent. Return the counts for columns that definitions made, if they are `is_strict`."""
        defined = getattr(step, "defined", {}) if is_strict else {}
        return cls(name for name, one in defined.items() if one.kind == "column")

    def look_at(self, block: Mapping[str, Any]) -> None:
        """Independent. Count in a block of rows, also of other columns."""
        for name in self._names.keys() & block.keys():
            if block[name].dtype.kind == "f":
                self._nan[name] += int(np.count_nonzero(np.isnan(block[name])))
                self._rows[name] += len(block[name])

    def sentences(self, more: str = "") -> list[str]:
        """Independent. Return a sentence for each column with NaN."""
        return [
            f"{self._nan[name]} of {self._rows[name]} values of {name} are NaN{more}"
            for name in self._names
            if self._nan[name]
        ]

    def refuse(self, comm: Any, step: Any, path: str, more: str = "") -> None:
        """Collective. Raise ConflictError if any rank has counted NaN."""
        if self._names:
            parts = gathered(comm, lambda: (self._nan, self._rows))
            self._nan, self._rows = (sum(some, Counter()) for some in zip(*parts, strict=True))
            refuse(step, path, self.sentences(more))


class StrictCount:
    """Counts the rows of a share that satisfy a condition, and NaN in the columns that it uses."""

    def __init__(self, share: TableShare, matches: Matches) -> None:
        self._share = share
        self._matches = matches
        self._used = [name for name in matches.condition.names if name in share.table]
        self.nan = NanCounts(self._used)

    def __call__(self) -> int:
        """Independent. Return the number of rows."""
        bound = self._matches.bound
        needed = list(dict.fromkeys([*bound.columns, *self._used]))
        if not needed:
            return self._matches.count()
        total = 0
        for first, block in self._share.table.blocks(needed, None, self._share.rows):
            total += bound.count(block, first, len(block[needed[0]]))
            self.nan.look_at(block)
        return total

    def refuse(self, comm: Any, step: Any, path: str) -> None:
        """Collective. Raise ConflictError if any rank has found NaN."""
        self.nan.refuse(comm, step, path, compared_by(self._matches.condition))


def refuse(step: Any, path: str, sentences: Sequence[str]) -> None:
    """Independent. Raise ConflictError if there are sentences about missing values of a step."""
    if sentences:
        raise ConflictError(
            f"step {step.number}: {'; '.join(sentences)}",
            file=path,
            advice="without --strict this is no error",
        )
