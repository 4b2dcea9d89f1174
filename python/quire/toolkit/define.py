"""Copy a file and add what expressions compute: the engine of `quire define`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quire.errors import UsageError, errors_in_family
from quire.toolkit.convert import carry_out
from quire.toolkit.definitions import Definition, parse_definitions
from quire.toolkit.request import CopyReport, Observer, Request


@errors_in_family
def define(
    source: str | Path,
    target: str | Path,
    definitions: Sequence[Definition | str],
    *,
    table: str = "",
    replace: bool = False,
    comm: Any = None,
    observer: Observer | None = None,
    **request: Any,
) -> CopyReport:
    """Collective. Copy a file, and add columns and attributes that are computed by expressions.

    Definitions are evaluated in order for each step; each may use those before it. An existing name is an
    error unless `replace`, when the expression uses the old values. Blocks are copied as by `quire.copy`; its
    keywords for the target (`format`, `overwrite`, `options`, ...) are passed in `request`.

    Raises MissingError, UsageError and TypeMismatchError that name the definition.
    """
    parsed = parse_definitions(definitions)
    if not parsed:
        raise UsageError("nothing is defined; write NAME=EXPRESSION")
    wanted = Request(definitions=tuple(parsed), table=table, replace=replace, **request)
    return carry_out(source, target, wanted, comm, observer or Observer())
