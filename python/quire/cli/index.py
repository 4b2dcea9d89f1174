"""quire index: limits of blocks and lists of rows beside data files, which make conditions fast."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli import completion
from quire.cli.command import answer, command
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import JsonList, plural, printable, say, say_json
from quire.cli.progress import progress
from quire.sizes import size_text

if TYPE_CHECKING:
    from quire.toolkit.indexing import IndexInfo


@command
def index(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Data files.")],
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="NAMES",
            autocompletion=completion.columns,
            help="Also list the rows by the values of these columns: x,px",
        ),
    ] = None,
    ids: Annotated[
        str,
        typer.Option(
            "--ids",
            metavar="NAME",
            autocompletion=completion.columns,
            help="Also store the rows of ids, a column of numbers.",
        ),
    ] = "",
    append: Annotated[
        bool, typer.Option("--append", help="Read only the steps that the index lacks; others are unchanged.")
    ] = False,
    info: Annotated[bool, typer.Option("--info", help="Print what the index contains.")] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Compare the index with the data.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the index.")] = False,
    read_option: ReadOptions = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write the limits of blocks of rows, so that conditions read less.

    The index of beam.h5 is beam.h5.qix. Commands with --where, and filter, then do not read blocks of 4096
    rows whose limits exclude the condition. With --columns the index also lists the rows of these columns by
    value: few rows of many are then found without reading the column, in any order of the rows. With --ids
    track, and conditions such as 'id in (3, 17)', find the rows of ids at once. The answers are the same. An
    index of a file that was changed afterwards is not used, with a warning. --verify exits with 1 if an index
    differs from its data.

    Example: quire index beam.h5

    Example: quire index beam.h5 --columns x,px --ids id

    Example: quire index beam.h5 --verify
    """
    from quire.errors import UsageError
    from quire.toolkit.selection import parse_names

    if info + verify + remove > 1:
        raise UsageError("--info, --verify and --remove exclude each other")
    if (info or verify or remove) and read_option:
        raise UsageError("options of the reader are those with which the index was made")
    if (info or verify or remove) and (columns or ids or append):
        raise UsageError("--columns, --ids and --append are of indexes that are made")
    if remove:
        show_removed(files, json)
    elif verify:
        show_faults(files, json)
    else:
        stored = {"columns": parse_names(columns) or [], "ids": ids, "append": append}
        show_infos(files, stored | parse_options(read_option), info, json)


def show_infos(files: list[str], options: dict[str, Any], info: bool, json: bool) -> None:
    """Print what indexes contain, which are made first unless `info`."""
    from quire.toolkit.indexing import build_index, index_info

    def info_of(file: str) -> IndexInfo:
        if info:
            return index_info(file)
        with progress("indexing") as bar:
            return build_index(file, progress=bar.show, **options)

    if json:
        say_json({"indexes": JsonList(asdict(info_of(file)) for file in files)})
        return
    for one in map(info_of, files):
        share = f", {100 * one.bytes / one.file_bytes:.2g} % of the file" if one.file_bytes else ""
        contents = f"{plural(one.steps, 'step')}, {plural(one.columns, 'column')}, {plural(one.rows, 'row')}"
        say(f"{printable(one.path)}: {contents}; {size_text(one.bytes)}{share}")
        if not one.is_asked_for:
            say("  made by the writer of the file, for large tables")
        if not one.is_current:
            say("  not used: the file was changed after it; quire index makes a new one")
        for column, size in one.lists.items():
            say(f"  rows by {printable(column)}: {size_text(size)}")
        for column, forms in one.ids.items():
            say(f"  ids {printable(column)}: {', '.join(forms)}")


def show_faults(files: list[str], json: bool) -> None:
    """Print how indexes differ from their data; exits with 1 if any does."""
    from quire.toolkit.indexing import index_faults

    found: dict[str, list[str]] = {}
    for file in files:
        with progress("comparing") as bar:
            found[file] = index_faults(file, progress=bar.show)
    if json:
        say_json({"files": [{"path": file, "faults": faults} for file, faults in found.items()]})
    else:
        for file, faults in found.items():
            for fault in faults or ["its index is right"]:
                say(f"{printable(file)}: {printable(fault)}")
    answer(not any(found.values()))


def show_removed(files: list[str], json: bool) -> None:
    """Remove indexes, and print whether there were any."""
    from quire.toolkit.indexing import remove_index

    found = {file: remove_index(file) for file in files}
    if json:
        say_json({"files": [{"path": file, "removed": removed} for file, removed in found.items()]})
        return
    for file, removed in found.items():
        say(f"{printable(file)}: {'its index is removed' if removed else 'it has no index'}")
