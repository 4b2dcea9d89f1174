"""Common to convert, define and filter: options, the copy, and its report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli import completion
from quire.cli.command import answer, report_unreadable
from quire.cli.hints import refuse_expression
from quire.cli.options import parse_options
from quire.cli.output import columns_of_text, plural, printable, remark, say, say_json
from quire.cli.parallel import is_first_rank
from quire.cli.progress import progress
from quire.cli.streams import communicator_for, display_name, is_standard_output, readable, writable

if TYPE_CHECKING:
    from quire.errors import UsageError
    from quire.toolkit.request import CopyReport, Request

Source = Annotated[str, typer.Argument(metavar="IN", help="A data file; - is standard input.")]
Target = Annotated[str, typer.Argument(metavar="OUT", help="The new file; - is standard output.")]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", "-f", autocompletion=completion.formats, help="Format of OUT. Default: by its suffix."
    ),
]
WriteOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option", autocompletion=completion.write_options, help="Option of the writer, NAME=VALUE."
    ),
]
TheTable = Annotated[
    str,
    typer.Option(
        "--table", autocompletion=completion.tables, help="Name of the table, if there are several."
    ),
]
Transport = Annotated[
    str, typer.Option("--transport", autocompletion=completion.transports, help="Transport of the writer.")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an existing OUT.")]
Durable = Annotated[bool, typer.Option("--durable", help="Flush to the device, to survive a power failure.")]
Lossy = Annotated[bool, typer.Option("--lossy", help="Allow conversions that change values.")]
Strict = Annotated[
    bool, typer.Option("--strict", help="Write nothing, and exit with 1, if values are missing.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing about what is written.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def unnamed_format() -> UsageError:
    """Independent. Return the error of a data file on standard output without a format."""
    from quire.errors import UsageError
    from quire.io.formats import format_infos

    names = ", ".join(one.name for one in format_infos() if one.tables)
    return UsageError(f"standard output has no suffix: give --format, one of {names}")


def inputs_and_output(paths: Sequence[str]) -> tuple[list[str], str]:
    """Independent. Return the names of the inputs, and that of the new file, which is the last one.

    Raises UsageError.
    """
    from quire.errors import UsageError

    *sources, target = paths
    if not sources:
        raise UsageError(f"'{target}' is the only name: give the inputs, and at last the new file")
    return sources, target


def report_warning(sentence: str) -> None:
    """Print a warning about the source on standard error, on the first rank."""
    if is_first_rank():
        remark(f"warning: {printable(sentence)}")


def report_change(kind: str, sentence: str) -> None:
    """Print what is lost, renamed, reshaped, added or changed on standard error, on the first rank."""
    if is_first_rank():
        remark(f"{kind}: {printable(sentence)}")


def reporting_once() -> Callable[[str, str], None]:
    """Return what prints a change once: most are the same for all files."""
    reported: set[tuple[str, str]] = set()

    def report_once(kind: str, sentence: str) -> None:
        if (kind, sentence) not in reported:
            reported.add((kind, sentence))
            report_change(kind, sentence)

    return report_once


def sentences(report: CopyReport, request: Request) -> dict[str, list[str]]:
    """Return the messages of a report by kind. Empty lists are left out, except for losses."""
    kinds = {"renamed": report.renamed, "reshaped": report.reshaped, "changes": report.changes}
    always = {"changes"} if request.profile is not None else set()
    return {"losses": report.losses} | {kind: some for kind, some in kinds.items() if some or kind in always}


def common_request(
    target: str,
    format: str | None,
    option: list[str] | None,
    read_option: list[str] | None,
    steps: str | None,
    overwrite: bool,
    index: int | None = None,
    **others: Any,
) -> Request:
    """Return the request for the common options. Raises UsageError."""
    from quire.toolkit.request import Request
    from quire.toolkit.selection import parse_steps

    if others.get("profile") is None:
        refuse_expression(target, format)
    if is_standard_output(target) and format is None and others.get("profile") is None:
        raise unnamed_format()
    return Request(
        format=format,
        options=parse_options(option),
        source_options=parse_options(read_option),
        steps=parse_steps(steps, index=index),
        overwrite=overwrite,
        **others,
    )


def copy_file(
    title: str,
    source: str,
    target: str,
    request: Request,
    json: bool,
    dry_run: bool = False,
    more: Callable[[CopyReport], dict[str, int]] = lambda report: {},
    with_defined: bool = False,
    report_each: Callable[[str, str], None] = report_change,
    say_answers: Callable[[dict[str, Any]], None] = say_json,
) -> CopyReport:
    """Collective. Carry out a request and print the result, as a line of text or as JSON.

    Exits with the code of a bad file if damaged steps of the source were left out.

    `more` returns further numbers to print, by name. `with_defined` prints what definitions made. With
    `dry_run` only losses and changes are reported, and the command exits. `report_each` is called with the
    kind and the sentence of each loss and change, and with `json` `say_answers` with the result.
    """
    from quire.cli.trace import trace
    from quire.toolkit.convert import carry_out, rehearse
    from quire.toolkit.request import Observer

    comm = communicator_for(source, target)
    with readable(source) as local_source:
        if dry_run:
            expected = rehearse(
                local_source,
                target,
                request,
                Observer(change=report_each, warning=report_warning),
            )
            if json and is_first_rank():
                say_answers({"path": target, "steps": expected.steps} | sentences(expected, request))
            report_unreadable(source, expected.unreadable)
            answer(not expected.losses)
        with progress(title) as bar, writable(target) as local_target:
            observer = Observer(report_each, bar.expect, bar.advance, trace, report_warning)
            report = carry_out(local_source, local_target, request, comm, observer)
    print_report(report, target, request, json, more(report), with_defined, say_answers)
    report_unreadable(source, report.unreadable)
    return report


def print_report(
    report: CopyReport,
    target: str,
    request: Request,
    json: bool,
    numbers: dict[str, int] | None = None,
    with_defined: bool = False,
    say_answers: Callable[[dict[str, Any]], None] = say_json,
) -> None:
    """Independent. Print what was copied, on the first rank, unless the target is standard output.

    `numbers` are further ones, by name.
    """
    if not is_first_rank() or is_standard_output(target):
        return
    more = numbers or {}
    if json:
        answers = {"path": target, "steps": report.steps, "rows": report.rows}
        if report.streams:
            answers |= {"streams": report.streams, "stream_bytes": report.stream_bytes}
        if with_defined:
            answers["defined"] = [
                {"name": name, "kind": one.kind, "type": one.type, "unit": one.unit}
                for name, one in report.defined.items()
            ]
        say_answers(answers | more | sentences(report, request))
        return
    extra = "".join(f", {name.replace('_', ' ')}: {value}" for name, value in more.items())
    what = f"{plural(report.steps, 'step')}, {plural(report.rows, 'row')}"
    if report.streams:
        what = f"{plural(report.streams, 'stream')}, {plural(report.stream_bytes, 'byte')}"
    say(f"{display_name(target)}: {what}{extra}")
    if with_defined:
        print_defined(report)


def print_defined(report: CopyReport) -> None:
    """Independent. Print what definitions made: name, kind, type and unit."""
    cells = [
        [printable(name), one.kind, one.type, printable(one.unit)] for name, one in report.defined.items()
    ]
    for line, one in zip(columns_of_text(cells, "  "), report.defined.values(), strict=True):
        is_noted = one.kind == "attribute" and one.is_implied
        say(f"{line}  (one value per step; --as column makes a column)" if is_noted else line)
