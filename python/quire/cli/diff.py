"""quire diff: compare the contents of two files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli import completion
from quire.cli.command import ExitCode, answer, command, complain, even_unread
from quire.cli.copying import AsJson
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import columns_of_text, printable, remark, say, say_json
from quire.cli.progress import progress
from quire.cli.selecting import Columns, Index, Rows, Steps, Where
from quire.cli.streams import STANDARD, display_name, readable

if TYPE_CHECKING:
    from quire.toolkit.difference import Difference
    from quire.toolkit.value_difference import Mismatch, Rules, ValueDifference


Left = Annotated[str, typer.Argument(metavar="A", help="First data file.")]
Right = Annotated[str, typer.Argument(metavar="B", help="Second data file, of any format.")]
Relative = Annotated[float, typer.Option("--rtol", min=0, help="Allowed relative difference.")]
Absolute = Annotated[float, typer.Option("--atol", min=0, help="Allowed absolute difference.")]
Ignore = Annotated[
    list[str] | None, typer.Option("--ignore", autocompletion=completion.anything, help="Names to ignore.")
]
Attributes = Annotated[bool, typer.Option(help="Compare attributes.")]
Units = Annotated[bool, typer.Option(help="Compare units.")]
Types = Annotated[bool, typer.Option("--types", help="Also compare types.")]
Representation = Annotated[bool, typer.Option(help="Also compare the sign of zero and the bits of NaN.")]
AsStored = Annotated[
    bool, typer.Option("--as-stored", help="Compare elements by table and row, not by number.")
]
ByPosition = Annotated[
    bool,
    typer.Option("--by-position", help="Match steps, tables, columns and fields by order, not by name."),
]
Key = Annotated[
    str,
    typer.Option(
        "--key",
        metavar="NAME",
        autocompletion=completion.columns,
        help="Match rows by the values of this column, such as id.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing, only set the exit code.")]


@command
def diff(
    left: Left,
    right: Right,
    relative: Relative = 0.0,
    absolute: Absolute = 0.0,
    columns: Columns = None,
    rows: Rows = None,
    where: Where = None,
    steps: Steps = None,
    index: Index = None,
    ignore: Ignore = None,
    attributes: Attributes = True,
    units: Units = True,
    types: Types = False,
    representation: Representation = True,
    as_stored: AsStored = False,
    by_position: ByPosition = False,
    key: Key = "",
    quiet: Quiet = False,
    read_option: ReadOptions = None,
    json: AsJson = False,
) -> None:
    """Compare the contents of two files, which may have different formats.

    Steps are matched by number, tables and columns by name, rows by position. Elements are matched by number,
    whatever block or rank they are stored in. For files of programs with other names, --by-position matches
    steps, tables, columns and fields by their order; for rows in another order, --key matches them by the
    values of a column. Numbers are equal if |a - b| <= atol + rtol * max(|a|,
    |b|). Without a tolerance 0 and -0 differ, and so do NaN of different bits; --no-representation ignores
    both.

    The exit code is 0 if the files are the same, 1 if they differ, and 3 if one is damaged. The whole steps
    of a damaged file are compared.

    Example: quire diff beam.h5 beam.h5 --rtol 1e-12
    """
    from quire.errors import UsageError
    from quire.toolkit.selection import RowSelection, parse_names, parse_rows, parse_steps
    from quire.toolkit.value_difference import Rules

    rules = Rules(
        relative=relative,
        absolute=absolute,
        steps=parse_steps(steps, index=index),
        columns=parse_names(columns),
        rows=RowSelection(parse_rows(rows), where),
        ignore=parse_names(ignore) or (),
        units=units,
        types=types,
        attributes=attributes,
        representation=representation,
        as_stored=as_stored,
        by_position=by_position,
        key=key,
    )
    if key and not rules.rows.is_all:
        raise UsageError("--key matches all rows; leave out --rows and --where")
    if left == right == STANDARD:
        raise UsageError("standard input cannot be both files")
    found = compared(left, right, rules, parse_options(read_option))
    with even_unread():
        if json:
            say_json(as_dictionary(found))
        elif not quiet:
            print_differences(found)
    if not (json or quiet or by_position) and found.has_other_names:
        remark("names differ: --by-position compares columns in their order")
    if found.damages:
        for damage in found.damages:
            complain(damage)
        raise typer.Exit(ExitCode.BAD_FILE)
    answer(found.same)


def compared(left: str, right: str, rules: Rules, options: dict[str, Any]) -> Difference:
    """Compare two files, which may be standard input or pipes."""
    from quire.cli.trace import trace
    from quire.toolkit.difference import difference

    with (
        readable(left, is_only=False) as one,
        readable(right, is_only=False) as other,
        progress("comparing") as bar,
    ):
        found = difference(one, other, rules, progress=bar.advance, observe=trace, **options)
        # Copies of pipes and of texts have names of their own.
        for local, path in ((one, left), (other, right)):
            if local != path:
                found.rename(local, display_name(path))
        return found


def print_differences(found: Difference) -> None:
    """Print the differences. Prints nothing if there are none."""
    for problem in found.problems:
        say(printable(problem))
    if found.more_problems:
        say(f"and {found.more_problems} more of this kind")
    differing = [column for column in found.columns if column.different]
    if not differing:
        return
    lines = [["column", "differing", "largest absolute", "largest relative", "first at", "left", "right"]]
    lines += [column_cells(column) for column in differing]
    for line in columns_of_text(lines):
        say(line)
    for column in differing:
        if column.different_representation:
            say(printable(representation_text(column)))
        if column.elements:
            say(printable(elements_text(column)))


def column_cells(column: ValueDifference) -> list[str]:
    """Return a differing column as cells of text."""
    name = f"{column.table}/{column.name}" if column.table else column.name
    counts = f"{column.different} of {column.compared}"
    sizes = [f"{column.largest_absolute:.3g}", f"{column.largest_relative:.3g}"]
    first = column.first
    if first is None:
        return [printable(name), counts, *sizes]
    return [printable(name), counts, *sizes, place(first), value_text(first.left), value_text(first.right)]


def elements_text(column: ValueDifference) -> str:
    """Return the elements that differ in a variable, or the first of them."""
    listed = ", ".join(str(id) for id in column.elements)
    more = ", ..." if column.different_elements > len(column.elements) else ""
    noun = "element" if column.different_elements == 1 else "elements"
    return f"{column.table}/{column.name} differs in {column.different_elements} {noun}: {listed}{more}"


def representation_text(column: ValueDifference) -> str:
    """Return how many of the differing values are equal as numbers."""
    name = f"{column.table}/{column.name}" if column.table else column.name
    which = "the sign of zero or the bits of NaN"
    return (
        f"{name}: {column.different_representation} differ in {which} only (--no-representation ignores that)"
    )


def place(first: Mismatch) -> str:
    """Return step and row (indices in a field) of a mismatch; for an element the coefficient."""
    if first.element is not None:
        return f"step {first.step} element {first.element} coefficient {first.row[0]}"
    row = first.row[0] if len(first.row) == 1 else list(first.row)
    return f"step {first.step} row {row}"


def value_text(value: Any) -> str:
    """Return a value with all its digits."""
    from quire.toolkit.summary import plain

    return printable(str(plain(value)))


def as_dictionary(found: Difference) -> dict[str, Any]:
    """Return the comparison for JSON."""
    return {
        "left": found.left,
        "right": found.right,
        "same": found.same,
        "problems": found.problems,
        "more_problems": found.more_problems,
        "damages": found.damages,
        "columns": [column_dictionary(column) for column in found.columns],
    }


def column_dictionary(column: ValueDifference) -> dict[str, Any]:
    """Return a column for JSON."""
    from quire.toolkit.summary import plain

    first = column.first
    return {
        "table": column.table,
        "name": column.name,
        "compared": column.compared,
        "different": column.different,
        "different_representation": column.different_representation,
        "largest_absolute": plain(column.largest_absolute),
        "largest_relative": plain(column.largest_relative),
        "different_elements": column.different_elements,
        "elements": column.elements,
        "first": None
        if first is None
        else {
            "step": first.step,
            "element": first.element,
            "row": first.row[0] if len(first.row) == 1 else list(first.row),
            "left": plain(first.left),
            "right": plain(first.right),
        },
    }
