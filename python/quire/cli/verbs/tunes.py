"""quire tunes: the strongest frequencies of columns, to high precision."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.cli import completion
from quire.cli.verb import Stage
from quire.cli.verbs.arguments import Names, Spacing, Times

Pair = Annotated[
    str,
    typer.Option(
        "--pair",
        autocompletion=completion.columns,
        metavar="NAME",
        help="Conjugate column; * is the name of the column: p*.",
    ),
]
Count = Annotated[int, typer.Option("--count", metavar="N", help="Number of frequencies.")]
Least = Annotated[
    float, typer.Option("--least", metavar="X", help="Least share of the power that a line has, from 0 to 1.")
]


def tunes(
    columns: Names,
    pair: Pair = "",
    versus: Times = "",
    spacing: Spacing = None,
    count: Count = 1,
    least: Least = 0.0,
) -> Stage:
    """Find the strongest frequencies of columns to high precision (NAFF).

    Rows are turns, or evenly spaced times. Each column gets NAME_frequency, NAME_amplitude, NAME_phase and
    NAME_significance. With --pair frequencies are distinguished over the whole range of 1 per row.

    Example: quire tunes beam.h5 tunes.h5 x,y --pair 'p*' --count 2
    """
    from quire.toolkit.selection import parse_names
    from quire.verbs.spectra import tunes as found

    names = parse_names(columns) or []
    return Stage(
        lambda chain: found(
            chain, *names, pair=pair, versus=versus, spacing=spacing, count=count, least=least
        )
    )
