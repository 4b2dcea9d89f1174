"""quire calc: the value of an expression that needs no file."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quire.cli.command import command
from quire.cli.get import Form, Unit
from quire.cli.output import say
from quire.cli.selecting import RpnDefinitions


@command
def calc(
    expression: Annotated[
        str, typer.Argument(metavar="EXPR", help="An expression, such as 'sqrt(2) * mc2_electron'.")
    ],
    form: Form = None,
    unit: Unit = False,
    rpn_definitions: RpnDefinitions = None,
) -> None:
    """Print the value of an expression of numbers, for shell scripts.

    Write an expression that begins with a minus sign in parentheses, or after --. A value that is no number,
    such as that of 1/0, is an error.

    Example: quire calc 'sqrt(1 + 20**2) * mc2_electron'

    Example: quire calc --format %.15g 'rpn: 20 sqr 1 + sqrt mev *'
    """
    import quire
    from quire.errors import UsageError
    from quire.toolkit.lines import exact_text, printer

    one = exact_text if form is None else printer(form)
    if one is None:
        raise UsageError(f"'{form}' is not a format for one value; write for example %.6e")
    bound = quire.expression(expression, rpn_definitions).compile([])
    say(bound.unit if unit else one(finite(bound.value, expression)))


def finite(value: Any, expression: str) -> Any:
    """Return a value. Raises UsageError for numbers that are infinite or NaN."""
    import math

    from quire.errors import UsageError

    if not isinstance(value, str) and not math.isfinite(value):
        raise UsageError(f"the value of '{expression}' is {value}, and no finite number")
    return value
