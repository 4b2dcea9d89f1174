"""quire explain: an expression in infix, and what it is in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli.command import command
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import columns_of_text, printable, say, say_json
from quire.cli.selecting import FirstTable, Index, RpnDefinitions
from quire.cli.streams import readable

if TYPE_CHECKING:
    from quire.io.expression import Expression
    from quire.io.table import Table


@command
def explain(
    expression: Annotated[
        str, typer.Argument(metavar="EXPR", help="An expression, such as 'rpn: x sqr y sqr + sqrt'.")
    ],
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="A file with its names.")] = None,
    table: FirstTable = None,
    index: Index = None,
    rpn_definitions: RpnDefinitions = None,
    read_option: ReadOptions = None,
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Print an expression in infix, without needless parentheses.

    With a file also the kind of the result (a column, or an attribute if it is the same in all rows), its
    type and unit, and the columns that are read. Values are not computed.

    Operators: + - * / % ** < <= > >= == != and or not in like between. Names are those of columns and
    attributes, row, step, page, rows and constants such as c_light, e_charge, mc2_electron, pi.

    Functions: abs sign sqrt cbrt hypot exp expm1 log log10 log2 log1p erf erfc gamma lgamma sin cos tan asin
    acos atan atan2 sinh cosh tanh asinh acosh atanh floor ceil trunc round fmod min max isnan isfinite isinf
    where int float bitand bitor bitxor hash length as_unit bessel_j bessel_y bessel_i bessel_k comp_ellint_1
    comp_ellint_2.

    Of all rows of a table: min max sum mean std rms median count any all first last at_max at_min, and for
    each row lag lead diff cumsum cumprod cummax cummin.

    Expressions in reverse Polish notation begin with rpn:, as in rpn: x sqr y sqr + sqrt.

    Example: quire explain 'rpn: x sqr y sqr + sqrt' beam.h5

    Example: quire explain 'x / max(abs(x)) > 0.9'
    """
    import quire

    parsed = quire.expression(expression, rpn_definitions)
    found: dict[str, Any] = {"expression": parsed.normal_form}
    if file is not None:
        with readable(file) as local, quire.open(local, **parse_options(read_option)) as opened:
            step = opened[index or 0]
            found |= properties(parsed, step.tables[table] if table is not None else step.table)
    if json:
        say_json(found)
        return
    say(printable(found.pop("expression")))
    for line in columns_of_text([(name, printable(text_of(value))) for name, value in found.items()]):
        say(line)


def properties(expression: Expression, table: Table) -> dict[str, Any]:
    """Return what an expression is for a table."""
    bound = expression.bind(table)
    return {
        "kind": "attribute" if bound.is_constant else "column",
        "type": bound.type,
        "unit": bound.unit,
        "condition": bound.is_condition,
        "columns": [name for name in expression.names if name in table],
    }


def text_of(value: Any) -> str:
    """Return a property as text."""
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value or "none"
