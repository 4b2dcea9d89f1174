"""quire sql: queries in SQL over files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from quire.cli.command import command
from quire.cli.copying import (
    AsJson,
    Durable,
    Format,
    Lossy,
    Overwrite,
    WriteOptions,
    common_request,
    print_report,
    report_change,
    report_warning,
)
from quire.cli.options import Memory, ReadOptions, parse_memory, parse_options
from quire.cli.output import paged
from quire.cli.progress import progress
from quire.cli.selecting import FirstTable, Rows
from quire.cli.show import Looks
from quire.cli.show_options import Commas
from quire.cli.streams import writable

if TYPE_CHECKING:
    from quire.verbs.step_chain import StepChain

Query = Annotated[str, typer.Argument(metavar="QUERY", help="SELECT ... FROM 'FILE', in SQL.")]
Target = Annotated[
    str | None, typer.Argument(metavar="[OUT]", help="The new file; - is standard output. Default: print.")
]
Threads = Annotated[
    int, typer.Option("--threads", min=1, help="Of the engine; sums of several depend on their number.")
]


@command
def sql(
    query: Query,
    target: Target = None,
    table: FirstTable = None,
    rows: Rows = None,
    memory: Memory = None,
    threads: Threads = 1,
    comma: Commas = False,
    format: Format = None,
    option: WriteOptions = None,
    read_option: ReadOptions = None,
    overwrite: Overwrite = False,
    durable: Durable = False,
    lossy: Lossy = False,
    json: AsJson = False,
) -> None:
    """Query files in SQL, and print or write the result.

    A file in quotes is a table with the rows of all its steps; the column step has their numbers.
    'FILE#TABLE' is one of several tables. Only the columns of the query are read. Results that are columns,
    or min, max, avg, sum of one, have units. Missing values are NaN, or empty texts, with a warning. The
    dialect is that of DuckDB, which must be installed.

    Example: quire sql "select step, avg(x) as x, stddev(x) as sx from 'beam.h5' group by step order by step"

    Example: quire sql "select id, x * 1e3 as x_mm from 'beam.h5' where step = 5" millimetres.h5
    """
    from quire.errors import UsageError
    from quire.verbs.sql import result_of
    from quire.verbs.step_chain import StepChain

    if target is not None and (comma or rows is not None):
        raise UsageError("--csv and --rows print the result, which OUT stores")
    request = None
    if target is not None:
        refuse_text(target, format)
        request = common_request(target, format, option, None, None, overwrite, durable=durable, lossy=lossy)
    options = parse_options(read_option)
    with StepChain(*result_of(query, table or "", parse_memory(memory), threads, options)) as chain:
        if target is None or request is None:
            print_result(chain, rows, comma, json)
            return
        from quire.toolkit.request import Observer

        with progress("writing") as bar, writable(target) as local:
            observer = Observer(report_change, bar.expect, bar.advance, None, report_warning)
            report = chain.carry_out(local, request, observer)
    print_report(report, target, request, json)


def refuse_text(target: str, format: str | None) -> None:
    """Raise UsageError for a new file of text, which is no format: the result is printed as text."""
    from quire.errors import UsageError
    from quire.io.formats import format_for_path
    from quire.toolkit.convert import TEXT_SUFFIXES

    if format is None and target.lower().endswith(TEXT_SUFFIXES) and format_for_path(target) is None:
        raise UsageError(
            f"no format is known by the suffix of '{target}'",
            advice=f"quire sql prints the result as text: quire sql QUERY --csv > {target}",
        )


def print_result(chain: StepChain, rows: str | None, comma: bool, json: bool) -> None:
    """Print the rows of a result, those of a long one in part, unless in a layout for programs."""
    from quire.cli.sheets import Viewer
    from quire.cli.views import TextView
    from quire.toolkit.selection import parse_rows

    looks = Looks(comma, None, False, False, False, json)
    looks.check(False, None)
    view = looks.view(True, False, True, None)
    is_short = rows is None and isinstance(view, TextView)
    for step in chain:
        for sentence in step.warnings:
            report_warning(sentence)
    with paged():
        view.show(Viewer(None, parse_rows(rows), is_short, None, False, numbered=False).sheets(iter(chain)))
