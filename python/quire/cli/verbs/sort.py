"""quire sort: order rows by columns."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import completion
from quire.cli.options import Memory, parse_memory
from quire.cli.verb import Stage

Keys = Annotated[
    list[str],
    typer.Argument(
        metavar="KEY...",
        help="A column; NAME:asc, NAME:desc, NAME:abs, NAME:natural.",
        autocompletion=completion.columns,
    ),
]
Unique = Annotated[bool, typer.Option("--unique", help="Keep the first of rows that are equal in the keys.")]
Count = Annotated[
    str, typer.Option("--count", metavar="NAME", help="With --unique: column for their number.")
]
ByAttributes = Annotated[bool, typer.Option("--steps-by", help="Order the steps by attributes instead.")]


def sort(
    keys: Keys,
    unique: Unique = False,
    count: Count = "",
    steps_by: ByAttributes = False,
    memory: Memory = None,
) -> Stage:
    """Sort the rows of each step by columns.

    Rows that are equal in the keys keep their order, NaN come last. A key is the name of a column; with :desc
    the greatest value comes first, :abs orders by absolute values, :natural orders the numbers in texts, so
    that Q2 is before Q10. Other tables are left out.

    Example: quire sort beam.h5 sorted.h5 z

    Example: quire sort beam.h5 far.h5 px:desc:abs id --steps 5
    """
    from quire.errors import UsageError
    from quire.toolkit.selection import parse_names
    from quire.verbs import order

    names = parse_names(keys) or []
    if count and not unique:
        raise UsageError("--count needs --unique")
    if steps_by:
        return Stage(lambda chain: order.sort_steps(chain, names))
    limit = parse_memory(memory)
    if unique:
        return Stage(lambda chain: order.unique(chain.limited(limit), names, count=count))
    return Stage(lambda chain: order.sort(chain.limited(limit), names))
