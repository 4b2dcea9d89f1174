"""Rows for which a condition holds, into a file of any format: the engine of `quire filter`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    pass
from quire.toolkit.request import CopyReport, Observer


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
    """Collective. Copy a file, of one table only the rows for which a condition holds.

    The rows keep their order; the result does not depend on the number of ranks. Each rank looks at its
    even share of the rows twice: to count, then to write. Steps without such rows stay, empty, unless
    `drop_empty`.
    Keywords of `quire.copy` for the target (`format`, `overwrite`, `options`, ...) go into `request`.
    """
    from quire.toolkit.convert import carry_out
    from quire.toolkit.request import Observer, Request

    wanted = Request(where=condition, table=table, drop_empty=drop_empty, **request)
    return carry_out(source, target, wanted, comm, observer or Observer())
