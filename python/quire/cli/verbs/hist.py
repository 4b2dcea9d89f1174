"""quire hist: histograms of columns."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from quire.cli import completion
from quire.cli.verb import Stage


class Norm(StrEnum):
    """What becomes 1."""

    NONE = "none"
    SUM = "sum"
    AREA = "area"
    PEAK = "peak"


Names = Annotated[
    list[str],
    typer.Argument(metavar="NAMES...", help="Columns, or patterns.", autocompletion=completion.columns),
]
Bins = Annotated[
    str, typer.Option("--bins", metavar="N", help="Number of bins: 100, or 60x40. [default: 20]")
]
Width = Annotated[
    list[float] | None,
    typer.Option("--width", metavar="X", help="Width of the bins instead, once or for each column."),
]
Limits = Annotated[
    list[str] | None,
    typer.Option(
        "--range", metavar="A:B", help="Range of the bins, once or for each column; A: and :B are open."
    ),
]
Weight = Annotated[
    str,
    typer.Option(
        "--weight", metavar="NAME", autocompletion=completion.columns, help="Sum this column, not rows."
    ),
]
Normalize = Annotated[Norm, typer.Option("--norm", metavar="NORM", help="What becomes 1: sum, area or peak.")]
Cdf = Annotated[bool, typer.Option("--cdf", help="Add the share of rows up to the end of each bin.")]
Sides = Annotated[bool, typer.Option("--sides", help="Add an empty bin at each end.")]
Common = Annotated[
    str,
    typer.Option(
        "--common",
        autocompletion=completion.columns,
        metavar="NAME",
        help="The same bins for all columns, as column NAME.",
    ),
]
Joint = Annotated[bool, typer.Option("--joint", help="One histogram of two columns.")]
Average = Annotated[bool, typer.Option("--average", help="With --joint: the mean of the weight.")]


def hist(
    columns: Names,
    bins: Bins = "",
    width: Width = None,
    limits: Limits = None,
    weight: Weight = "",
    norm: Normalize = Norm.NONE,
    cdf: Cdf = False,
    sides: Sides = False,
    common: Common = "",
    joint: Joint = False,
    average: Average = False,
) -> Stage:
    """Make a row of each bin of a histogram.

    A bin contains its lower limit, and not its upper one; without an upper limit the last bin contains the
    maximum. Each column gets a column of the middles of its bins and NAME_frequency; the attribute
    NAME_outside is the number of rows in no bin. With --joint there is a row for each cell of two columns.

    Example: quire hist beam.h5 bunch.h5 x,y --bins 50

    Example: quire hist beam.h5 phase.h5 x px --joint --bins 60x40 --steps 20
    """
    from quire.toolkit.selection import parse_names
    from quire.verbs.hist import hist as binned

    names = parse_names(columns) or []
    wanted: dict[str, Any] = {
        "bins": numbers(bins),
        "width": width,
        "limits": [pair(text) for text in limits] if limits else None,
        "weight": weight,
        "norm": norm.value,
        "cdf": cdf,
        "sides": sides,
        "common": common,
        "joint": joint,
        "average": average,
    }
    return Stage(lambda chain: binned(chain, *names, **wanted))


def numbers(text: str) -> list[int] | None:
    """Return numbers of bins, `100` or `60x40`; None without a text. Raises UsageError."""
    from quire.errors import UsageError

    parts = text.split("x") if text else []
    if not all(part.isdecimal() and int(part) for part in parts):
        raise UsageError(f"'{text}' is not a number of bins; write for example 100 or 60x40")
    return [int(part) for part in parts] or None


def pair(text: str) -> tuple[float | None, float | None]:
    """Return the limits `A:B`, of which one may be open. Raises UsageError."""
    from quire.errors import UsageError

    low, colon, high = text.partition(":")
    try:
        found = (float(low) if low else None, float(high) if high else None)
    except ValueError:
        colon = ""
    if not colon:
        raise UsageError(f"'{text}' is not a range; write for example -1e-3:1e-3, 0: or :5")
    return found
