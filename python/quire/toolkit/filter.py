"""Copy rows that satisfy a condition to a file of any format: the engine of `quire filter`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quire.toolkit.convert import carry_out
from quire.toolkit.request import CopyReport, Observer, Request


def filter(
    source: str | Path,
    target: str | Path,
    condition: str,
    *,
    table: str = "",
    drop_empty: bool = False,
    comm: Any = None,
    observer: Observer | None = None,
    **request: Any,
) -> CopyReport:
    """Collective. Copy a file, with only the rows of one table that satisfy a condition.

    The rows keep their order. The result does not depend on the number of ranks. Each rank reads an even
    share of the rows twice, to count and to write them. Steps without such rows are kept with empty tables,
    unless `drop_empty`. Keywords of `quire.copy` for the target (`format`, `overwrite`, `options`, ...) are
    passed in `request`.
    """
    wanted = Request(where=condition, table=table, drop_empty=drop_empty, **request)
    return carry_out(source, target, wanted, comm, observer or Observer())
