"""Values that are missing where copies compute: NaN among the results of definitions and in what conditions
compare, which leaves out rows. They are counted where they are errors, in a pass of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

import quire
from quire.errors import ConflictError
from quire.io.expression import Expression
from quire.toolkit.definitions import DerivedStep
from quire.toolkit.selection import select_steps

if TYPE_CHECKING:
    from quire.toolkit.request import Request


def missing_results(step: DerivedStep) -> list[str]:
    """Independent. Return a sentence for each definition of a step with NaN."""
    attributes = [
        f"the attribute {name} is NaN"
        for name, one in step.defined.items()
        if one.kind == "attribute" and is_nan(step.attrs[name])
    ]
    columns = [name for name, one in step.defined.items() if one.kind == "column"]
    return attributes + (missing_values(step.table, columns, "") if columns else [])


def missing_operands(table: Any, condition: Expression) -> list[str]:
    """Independent. Return a sentence for each column with NaN that a condition uses."""
    used = [name for name in condition.names if name in table]
    return missing_values(table, used, f", which '{condition.text}' compares")


def is_nan(value: Any) -> bool:
    """Independent. Return whether a value, or one of several, is NaN."""
    found = np.asarray(value)
    return found.dtype.kind == "f" and bool(np.isnan(found).any())


def missing_values(table: Any, names: Iterable[str], more: str) -> list[str]:
    """Independent. Return a sentence for each of these columns with NaN."""
    floats = [name for name in names if table[name].type.startswith("float")]
    counts = dict.fromkeys(floats, 0)
    for _, block in table.blocks(floats) if floats and len(table) else ():
        for name in floats:
            counts[name] += int(np.count_nonzero(np.isnan(block[name])))
    found = {name: count for name, count in counts.items() if count}
    return [f"{count} of {len(table)} values of {name} are NaN{more}" for name, count in found.items()]


def refuse_missing(path: str, request: Request) -> None:
    """Independent. Raise ConflictError if a request compares or computes missing values."""
    condition = None if request.where is None else Expression(request.where)
    with quire.open(path, quire.SELF, **request.source_options) as file:
        for _, step in select_steps(file, request.steps):
            tables = [step.tables[request.table]] if request.table else list(step.tables.values())
            found = [one for table in tables if condition for one in missing_operands(table, condition)]
            if request.definitions:
                derived = DerivedStep(file, step, request.definitions, request.table, request.replace)
                found += missing_results(derived)
            if found:
                raise ConflictError(
                    f"step {step.number}: {'; '.join(found)}",
                    file=path,
                    advice="without --strict this is no error",
                )
