"""quire outliers: leave out, mark or replace outliers."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quire.cli import completion
from quire.cli.verb import Stage
from quire.cli.verbs.arguments import Names

Deviations = Annotated[
    float | None,
    typer.Option("--deviations", metavar="X", help="Standard deviations from the mean. [default: 2]"),
]
Absolute = Annotated[float | None, typer.Option("--absolute", metavar="X", help="Greatest magnitude.")]
FromMean = Annotated[
    float | None, typer.Option("--from-mean", metavar="X", help="Greatest distance from the mean.")
]
Limits = Annotated[str, typer.Option("--range", metavar="A:B", help="Least and greatest value.")]
Chance = Annotated[
    float | None,
    typer.Option(
        "--chance", metavar="P", help="Least probability of such a value among those of a Gaussian."
    ),
]
Percentiles = Annotated[
    str, typer.Option("--percentiles", metavar="A:B", help="Limits by the sorted values: 1:99.")
]
Fullest = Annotated[
    int | None, typer.Option("--fullest-of", metavar="N", help="Keep the fullest of N bins alone.")
]
Passes = Annotated[int, typer.Option("--passes", metavar="N", help="Number of repetitions.")]
Invert = Annotated[bool, typer.Option("--invert", help="Keep the outliers instead.")]
Mark = Annotated[
    str, typer.Option("--mark", metavar="NAME", help="Leave all rows; column NAME is 1 for outliers.")
]
Replace = Annotated[
    str,
    typer.Option(
        "--replace", metavar="BY", help="Leave all rows; BY is last, next, interpolated or a number."
    ),
]
Versus = Annotated[
    str,
    typer.Option(
        "--versus", metavar="NAME", autocompletion=completion.columns, help="Column to interpolate over."
    ),
]


def outliers(
    columns: Names,
    deviations: Deviations = None,
    absolute: Absolute = None,
    from_mean: FromMean = None,
    limits: Limits = ":",
    chance: Chance = None,
    percentiles: Percentiles = ":",
    fullest_of: Fullest = None,
    passes: Passes = 1,
    invert: Invert = False,
    mark: Mark = "",
    replace: Replace = "",
    versus: Versus = "",
) -> Stage:
    """Leave out the rows in which a column is an outlier.

    Columns are judged one by one, and one outlier is enough; NaN is none. Without a criterion outliers are
    more than 2 standard deviations from the mean; with several criteria one is enough.

    Example: quire outliers beam.h5 core.h5 x,y --deviations 3 --passes 2

    Example: quire outliers beam.h5 marked.h5 z --percentiles 1:99 --mark is_tail
    """
    from quire.cli.verbs.hist import pair
    from quire.toolkit.selection import parse_names
    from quire.verbs.extrema import outliers as judged

    names = parse_names(columns) or []
    minimum, maximum = pair(limits)
    lower, upper = pair(percentiles)
    wanted: dict[str, Any] = {
        "deviations": deviations,
        "absolute": absolute,
        "absolute_deviation": from_mean,
        "minimum": minimum,
        "maximum": maximum,
        "chance": chance,
        "lower_percentile": lower,
        "upper_percentile": upper,
        "unpopular_bins": fullest_of,
        "passes": passes,
        "invert": invert,
        "mark": mark,
        "replace": replacement(replace),
        "versus": versus,
    }
    return Stage(lambda chain: judged(chain, *names, **wanted))


def replacement(text: str) -> str | float | None:
    """Return what replaces outliers: a word, a number, or nothing. Raises UsageError."""
    from quire.errors import UsageError

    if text in ("last", "next", "interpolated"):
        return text
    try:
        return float(text) if text else None
    except ValueError:
        raise UsageError(f"'{text}' is not one of last, next, interpolated, or a number") from None
