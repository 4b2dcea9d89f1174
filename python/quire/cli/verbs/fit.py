"""quire fit: least-squares fits of columns."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quire.cli import completion
from quire.cli.verb import Stage

Columns = Annotated[
    list[str],
    typer.Argument(
        metavar="COLUMN...", help="Columns to fit, or patterns.", autocompletion=completion.columns
    ),
]
Versus = Annotated[
    str,
    typer.Option(
        "--versus",
        metavar="NAMES",
        autocompletion=completion.columns,
        help="Column of the variable; two (x,y) for a polynomial of two.",
    ),
]
TheModel = Annotated[
    str,
    typer.Option(
        "--model",
        autocompletion=completion.constants("quire.verbs.fitting", "NAMED"),
        help="polynomial, chebyshev, spline, gaussian, lorentzian, exponential, sine, sloped_sine, "
        "damped_sine, or an expression of columns and parameters.",
    ),
]
Order = Annotated[
    int | None,
    typer.Option(
        "--order", metavar="N", help="Of a polynomial or a spline. Default: 1, of a spline 3.", min=0
    ),
]
Orders = Annotated[
    list[str] | None, typer.Option("--orders", metavar="LIST", help="Of the terms of a polynomial: 0,2,4")
]
Revise = Annotated[
    bool, typer.Option("--revise", help="Leave out orders while the reduced chi squared falls.")
]
Knots = Annotated[int, typer.Option("--knots", metavar="N", help="Breakpoints of a spline, ends included.")]
Sigma = Annotated[
    str,
    typer.Option(
        "--sigma",
        metavar="NAME",
        autocompletion=completion.columns,
        help="Column of the errors; * is the fitted column.",
    ),
]
Start = Annotated[
    list[str] | None,
    typer.Option("--start", metavar="NAME=X", help="Values of parameters to begin with: a=1,b=-2"),
]
Fix = Annotated[
    list[str] | None,
    typer.Option("--fix", metavar="NAME=X", help="Values of parameters that are not fitted."),
]
Bounds = Annotated[
    list[str] | None,
    typer.Option("--bounds", metavar="NAME=A:B", help="Limits of parameters; one may be left out."),
]
Name = Annotated[
    str, typer.Option("--name", help="Beginning of the names of results; * is the fitted column.")
]
Rows = Annotated[
    bool, typer.Option("--parameters", help="Make a row of each parameter: column, name, value, sigma, unit.")
]
Curve = Annotated[
    int, typer.Option("--curve", metavar="N", help="Make N rows of the fitted curve, at even distances.")
]
Covariance = Annotated[bool, typer.Option("--covariance", help="Add the covariances of parameters.")]


def fit(
    columns: Columns,
    versus: Versus = "",
    model: TheModel = "polynomial",
    order: Order = None,
    orders: Orders = None,
    revise: Revise = False,
    knots: Knots = 10,
    sigma: Sigma = "",
    start: Start = None,
    fix: Fix = None,
    bounds: Bounds = None,
    name: Name = "",
    parameters: Rows = False,
    curve: Curve = 0,
    covariance: Covariance = False,
) -> Stage:
    """Fit columns of each step, or of each group, by least squares.

    Columns COLUMN_fit and COLUMN_residual are added, and attributes: COLUMN_PARAMETER and
    COLUMN_PARAMETER_sigma, COLUMN_fit_rms, COLUMN_fit_chi_squared (reduced), COLUMN_fit_points and
    COLUMN_fit_converged. A fit that does not converge is NaN, is reported, and sets the exit code 1.

    Example: quire fit beam.h5 line.h5 px --versus x --steps 5

    Example: quire run beam.h5 / group 'slice=bin(z, 10)' / fit px --versus x / pages collapse

    Example: quire fit beam.h5 wave.h5 x --versus z --model 'a + b*cos(k*z)' --start a=0,b=1e-4,k=3e3
    """
    from quire.toolkit.selection import parse_names
    from quire.verbs.fit import fit as fitted

    how: dict[str, Any] = {
        "versus": parse_names(versus) or (),
        "model": model,
        "order": order,
        "orders": tuple(whole(word) for word in parse_names(orders) or ()),
        "revise": revise,
        "knots": knots,
        "sigma": sigma,
        "start": numbers(start),
        "fixed": numbers(fix),
        "bounds": limits(bounds),
        "name": name,
        "parameters": parameters,
        "curve": curve,
        "covariance": covariance,
    }
    names = parse_names(columns) or ()
    return Stage(lambda chain: fitted(chain, *names, **how))


def whole(word: str) -> int:
    """Return a whole number. Raises UsageError."""
    from quire.errors import UsageError

    try:
        return int(word)
    except ValueError:
        raise UsageError(f"'{word}' is not a whole number; write for example 0,2") from None


def number(word: str) -> float:
    """Return a number. Raises UsageError."""
    from quire.errors import UsageError

    try:
        return float(word)
    except ValueError:
        raise UsageError(f"'{word}' is not a number; write for example 0.5") from None


def numbers(words: list[str] | None) -> dict[str, float]:
    """Return the values of `NAME=X` by name. Raises UsageError."""
    from quire.cli.options import parse_options
    from quire.toolkit.selection import parse_names

    return {name: number(word) for name, word in parse_options(parse_names(words), "a=0.5").items()}


def limits(words: list[str] | None) -> dict[str, tuple[float | None, float | None]]:
    """Return the limits of `NAME=A:B` by name. Raises UsageError."""
    from quire.cli.options import parse_options
    from quire.errors import UsageError
    from quire.toolkit.selection import parse_names

    found = {}
    for name, text in parse_options(parse_names(words), "a=0:10").items():
        low, colon, high = text.partition(":")
        if not colon:
            raise UsageError(f"'{text}' has no limits; write for example --bounds {name}=0:10")
        found[name] = (number(low) if low else None, number(high) if high else None)
    return found
