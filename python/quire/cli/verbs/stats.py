"""The stage `stats` of a chain: reduce each step, or each group, to a row."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quire.cli import completion
from quire.cli.verb import Stage

What = Annotated[
    list[str],
    typer.Argument(
        metavar="WHAT...",
        autocompletion=completion.expression,
        help="mean(x), slope(y,versus=s), a column, or a quantity of the beam.",
    ),
]
Keep = Annotated[bool, typer.Option("--keep-rows", help="Keep the rows; results are attributes.")]
Convention = Annotated[
    str | None, typer.Option("--convention", help="Phase-space convention of the columns.")
]
Species = Annotated[str | None, typer.Option("--species", help="Species of the particles.")]


AcrossColumns = Annotated[
    bool,
    typer.Option("--across-columns", help="Keep the rows; results of several columns of each are columns."),
]
Window = Annotated[
    int | None, typer.Option("--window", metavar="N", min=1, help="Make a row of each N successive rows.")
]
Blocks = Annotated[bool, typer.Option("--blocks", help="With --window: windows do not overlap.")]


def stats(
    what: What,
    keep_rows: Keep = False,
    across_columns: AcrossColumns = False,
    window: Window = None,
    blocks: Blocks = False,
    convention: Convention = None,
    species: Species = None,
) -> Stage:
    """Make a row of each step, or of each group: its attributes, and reductions of its columns.

    With --across-columns a reduction is of several columns, such as 'm=mean(bpm*)', in each row; with
    --window N of N successive rows.

    Example: quire run beam.h5 / group 'slice=bin(z, 10)' / stats 'std(x)' emittance_nx / write slices.h5

    Example: quire run beam.h5 / stats --window 100 'mean(x)' 'std(x)' / write moving.h5
    """
    from quire.errors import UsageError
    from quire.verbs.stats import reduced
    from quire.verbs.stats import stats as rows_of

    given: dict[str, Any] = {"convention": convention, "species": species}
    beam = {name: value for name, value in given.items() if value is not None}
    if keep_rows:
        if across_columns or window is not None or blocks:
            raise UsageError("--keep-rows makes attributes, not columns across columns or in windows")
        return Stage(lambda chain: reduced(chain, *what, **beam))
    how: dict[str, Any] = {"across_columns": across_columns, "window": window, "blocks": blocks}
    return Stage(lambda chain: rows_of(chain, *what, **how, **beam))
