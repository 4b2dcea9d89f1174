"""quire interp: columns at other places."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quire.cli import completion
from quire.cli.verb import Stage
from quire.cli.verbs.arguments import Order, Versus
from quire.cli.verbs.hist import pair

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAMES...]", help="Columns, or patterns. Default: all.", autocompletion=completion.columns
    ),
]
At = Annotated[str, typer.Option("--at", metavar="X,...", help="The places: 0,0.5,2")]
Count = Annotated[int | None, typer.Option("--count", metavar="N", help="So many places, evenly spaced.")]
Spacing = Annotated[float | None, typer.Option("--spacing", metavar="X", help="Places at this distance.")]
Limits = Annotated[
    str, typer.Option("--range", metavar="A:B", help="Range of --count and --spacing; A: and :B are open.")
]
File = Annotated[
    str, typer.Option("--file", metavar="FILE", help="Places are the column of the same name in FILE.")
]
Spline = Annotated[bool, typer.Option("--spline", help="A spline of this order through all rows.")]
OUTSIDE = ("nan", "saturate", "extrapolate", "wrap", "error")
Beyond = Annotated[
    str,
    typer.Option(
        "--outside",
        autocompletion=completion.words(*OUTSIDE),
        metavar="HOW",
        help="Outside of the rows: nan, saturate, extrapolate, wrap or error; A,B below and above.",
    ),
]
Monotonic = Annotated[
    bool, typer.Option("--monotonic", help="Leave out rows that do not continue the order of --versus.")
]


def interp(
    columns: Names = None,
    *,
    versus: Versus,
    at: At = "",
    count: Count = None,
    spacing: Spacing = None,
    limits: Limits = ":",
    file: File = "",
    order: Order = 1,
    spline: Spline = False,
    outside: Beyond = "nan",
    monotonic: Monotonic = False,
) -> Stage:
    """Make a table of columns at other places, by interpolation.

    Values are those of the polynomial through the --order + 1 rows around a place, by default of a straight
    line. --versus must increase or decrease from row to row. Columns of texts are left out.

    Example: quire interp beam.h5 halves.h5 x,y --versus id --spacing 0.5

    Example: quire interp beam.h5 places.h5 --versus id --at 1.5,20 --order 3
    """
    from quire.toolkit.selection import parse_names
    from quire.verbs.calculus import interp as interpolated

    names = parse_names(columns) or []
    wanted: dict[str, Any] = {
        "versus": versus,
        "count": count,
        "spacing": spacing,
        "limits": pair(limits),
        "order": order,
        "method": "spline" if spline else "lagrange",
        "outside": sides(outside),
        "monotonic": monotonic,
    }
    places = numbers(at) if at else None
    if not file:
        return Stage(lambda chain: interpolated(chain, *names, at=places, **wanted))

    def verb(chain: Any, mate: Any) -> Any:
        from quire.errors import UsageError

        if places is not None:
            raise UsageError("give either --at or --file")
        return interpolated(chain, *names, at=mate, **wanted)

    return Stage(verb, [file])


def sides(text: str) -> tuple[str, str]:
    """Return what is below and what is above the range. Raises UsageError."""
    from quire.errors import UsageError

    words = text.split(",")
    if len(words) > 2 or any(word not in OUTSIDE for word in words):
        raise UsageError(
            f"'{text}' does not say what is outside of the rows; known are {', '.join(OUTSIDE)}, "
            "one for both sides or two"
        )
    return words[0], words[-1]


def numbers(text: str) -> list[float]:
    """Return the numbers between commas. Raises UsageError."""
    from quire.errors import UsageError

    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise UsageError(f"'{text}' is not a list of numbers; write for example 0,0.5,2") from None
