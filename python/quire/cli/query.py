"""quire query: which rows satisfy a condition."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli import completion
from quire.cli.command import command_of_ranks
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import JsonList, plural, printable, say, say_json
from quire.cli.parallel import is_first_rank
from quire.cli.selecting import FirstTable, Index, Steps
from quire.cli.streams import communicator_for, readable
from quire.cli.verbs.arguments import IdColumn
from quire.sizes import size_text

if TYPE_CHECKING:
    from quire.toolkit.query import Query, QueryPlan, StepMatches

Condition = Annotated[
    str,
    typer.Argument(
        metavar="EXPR", help="A condition: 'px > 1 and x < 1e-3'.", autocompletion=completion.expression
    ),
]
Numbers = Annotated[bool, typer.Option("--numbers", help="Print the numbers of the rows.")]
Ids = Annotated[bool, typer.Option("--ids", help="Print the ids of the particles.")]


@command_of_ranks
def query(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A data file; - is standard input.")],
    condition: Condition,
    numbers: Numbers = False,
    ids: Ids = False,
    key: IdColumn = "",
    explain: Annotated[bool, typer.Option("--explain", help="Also print what is read.")] = False,
    steps: Steps = None,
    index: Index = None,
    table: FirstTable = None,
    read_option: ReadOptions = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Count the rows that satisfy a condition, or print their ids.

    Numbers of rows begin at 0, and ids are printed in the order of the rows, one on a line; those of several
    steps are below a line with the step. Blocks of rows that cannot match by an index (quire index) are not
    read; --explain prints how many bytes that saves. Under mpiexec the ranks share the rows. show --where
    prints the values of such rows, filter copies them.

    Example: quire query beam.h5 'x > 3e-4'

    Example: quire query beam.h5 'x > 3e-4' --steps 20 --ids
    """
    import quire
    from quire.errors import UsageError
    from quire.toolkit.query import Query, run_query
    from quire.toolkit.selection import parse_steps

    if numbers and ids:
        raise UsageError("--numbers and --ids exclude each other")
    wanted = "numbers" if numbers else "ids" if ids else ""
    asked = Query(condition, table or "", parse_steps(steps, index=index), wanted, key)
    comm = communicator_for(file)
    with readable(file) as local, quire.open(local, comm, **parse_options(read_option)) as opened:
        show(run_query(opened, asked), asked, explain, json)


def show(matches: Iterator[StepMatches], query: Query, explain: bool, json: bool) -> None:
    """Collective. Print the matches of each step on the first rank, those of several with titles."""
    if json:
        found = list(map(as_dictionary, matches))
        if is_first_rank():
            say_json({"expression": query.condition, "steps": JsonList(iter(found))})
        return
    first = list(itertools.islice(matches, 2))
    has_titles = len(first) > 1 or explain
    for one in itertools.chain(first, matches):
        if not is_first_rank():
            continue
        if one.found is None or has_titles:
            say(f"step {one.step}: {one.count} of {one.rows} rows")
        for line in lines_of(one.plan) if explain else ():
            say(f"  {printable(line)}")
        for value in () if one.found is None else one.found:
            say(id_text(value))


def id_text(value: Any) -> str:
    """Return an id or the number of a row with all digits, those of whole numbers without a point."""
    from quire.toolkit.lines import exact_text

    if isinstance(value, str) or not abs(value) < 1 << 64 or value != int(value):
        return printable(exact_text(value))
    return str(int(value))


def lines_of(plan: QueryPlan) -> list[str]:
    """Return what was read, as lines."""
    names = ", ".join(plan.columns) or "no column"
    before = f", after all rows of {', '.join(plan.aggregated)} for aggregates" if plan.aggregated else ""
    share = f"{size_text(plan.bytes_read)} of {size_text(plan.bytes)}"
    if plan.lists:
        expected = f"{plural(plan.rows_expected, 'row')}, {size_text(plan.bytes_expected)}"
        return [
            f"by the lists of {', '.join(plan.lists)}; expected: {expected}",
            f"reads {plan.rows_read} rows of {names}{before}: {share}",
        ]
    if not plan.limits:
        return [f"reads all rows of {names}{before}: {size_text(plan.bytes)}"]
    source = "the index" if plan.limits == "index" else "limits in the file"
    if plan.rows_read == plan.rows:
        return [
            f"reads all rows of {names}{before}: {size_text(plan.bytes)}; no block is excluded by {source}"
        ]
    return [f"reads {plan.rows_read} rows of {names}, by {source}{before}: {share}"]


def as_dictionary(one: StepMatches) -> dict[str, Any]:
    """Return the matches of a step for JSON."""
    from quire.toolkit.summary import plain

    found = asdict(one)
    values = found.pop("found")
    return found if values is None else found | {"found": plain(values)}
