"""quire integ: integrals of columns."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from quire.cli.verb import Stage
from quire.cli.verbs.arguments import Names, Sigma, Versus


class Rule(StrEnum):
    """How an integral is found."""

    TRAPEZOID = "trapezoid"
    GILL_MILLER = "gill_miller"


Method = Annotated[Rule, typer.Option("--method", metavar="RULE", help="The rule: trapezoid or gill_miller.")]


def integ(columns: Names, versus: Versus, method: Method = Rule.TRAPEZOID, sigma: Sigma = "") -> Stage:
    """Add the integrals of columns, from the first row to each row.

    NAME_integral is added for each column. With --sigma there is its standard deviation NAME_integral_sigma;
    the rule of Gill and Miller, for smooth functions, estimates its error NAME_integral_error.

    Example: quire integ beam.h5 sums.h5 x,y --versus id
    """
    from quire.toolkit.selection import parse_names
    from quire.verbs.calculus import integ as integrated

    names = parse_names(columns) or []
    wanted: dict[str, Any] = {"versus": versus, "method": method.value, "sigma": sigma}
    return Stage(lambda chain: integrated(chain, *names, **wanted))
