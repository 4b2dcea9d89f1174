"""Sidecars, through which programs for visualization read a data file."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli import completion
from quire.cli.command import report_unreadable
from quire.cli.output import plural, printable, remark, say, say_json
from quire.cli.streams import is_stream

if TYPE_CHECKING:
    from quire.toolkit.visible import ViewReport

Positions = Annotated[
    str | None,
    typer.Option(
        "--positions", autocompletion=completion.columns, help="Columns of x, y and z in a sidecar."
    ),
]
Time = Annotated[
    str | None,
    typer.Option("--time", autocompletion=completion.attributes, help="Attribute of the time in a sidecar."),
]


def parse_positions(text: str | None) -> list[str] | None:
    """Return the names of the columns of positions."""
    return None if text is None else [name.strip() for name in text.split(",")]


def write_sidecar(kind: str, source: str, target: str, json: bool, **options: Any) -> ViewReport:
    """Write the sidecar of a file and report what it cannot describe."""
    from quire.errors import UsageError

    if is_stream(source) or is_stream(target):
        raise UsageError("a sidecar refers to a file by its name: give names of files")
    if kind == "vtkhdf":
        from quire.toolkit.vtkhdf import write_vtkhdf as write
    else:
        from quire.toolkit.xdmf import write_xdmf as write
    report = write(source, target, **options)
    for sentence in report.left_out:
        remark(f"left out: {printable(sentence)}")
    if report.contents:
        view = shlex.join([source, f"{os.path.splitext(target)[0]}.xmf"])
        remark(
            f"the fields have {len(report.contents)} grids, as one that moves, and such a file has one "
            "for all steps: each grid has its own file, with nan (or 0) in the other steps; "
            f"a view with all grids in one file: quire export {view}"
        )
    if json:
        say_json({"path": target, "files": report.files, "steps": report.steps, "left_out": report.left_out})
    for name in () if json else report.files:
        what = report.contents.get(name, plural(report.steps, "step"))
        say(f"{name}: {printable(what)} of {source}")
    report_unreadable(source, report.unreadable)
    return report
