"""quire group: make a step of each group of rows."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import completion
from quire.cli.options import Memory, parse_memory
from quire.cli.verb import Stage

By = Annotated[
    list[str],
    typer.Argument(
        metavar="BY...",
        autocompletion=completion.expression,
        help="A column, or bin(z,50), gap(t,1e-9), every(100), change(k).",
    ),
]


def group(by: By, memory: Memory = None) -> Stage:
    """Make a step of each group of rows, with its value as an attribute.

    Groups are the values of a column; bins of equal width, bin(COLUMN, COUNT); rows between gaps, gap(COLUMN,
    DISTANCE), by default of twice the mean distance; blocks of rows, every(COUNT); or runs of equal values,
    change(COLUMN). NAME=bin(z, 50) names the attribute. With several, each combination that has rows is a
    group. In a chain the next verbs work on each group, and stats makes one row of each.

    Example: quire group beam.h5 slices.h5 'slice=bin(z, 10)' --steps 5

    Example: quire run beam.h5 / group 'slice=bin(z, 10)' / stats 'std(x)' emittance_nx
    """
    from quire.verbs.group import group as grouped

    limit = parse_memory(memory)
    return Stage(lambda chain: grouped(chain.limited(limit), *by))
