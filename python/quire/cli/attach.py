"""quire attach: files inside data files."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quire.cli.command import command
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import columns_of_text, plural, printable, say, say_json


@command
def attach(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A data file.")],
    sources: Annotated[list[str] | None, typer.Argument(metavar="[PATH]...", help="Files to keep.")] = None,
    name: Annotated[str | None, typer.Option("--name", help="Another name for the one PATH.")] = None,
    remove: Annotated[list[str] | None, typer.Option("--remove", help="Drop the attachment NAME.")] = None,
    extract: Annotated[list[str] | None, typer.Option("--extract", help="Write NAME out.")] = None,
    everything: Annotated[bool, typer.Option("--extract-all", help="Write all of them out.")] = False,
    directory: Annotated[str, typer.Option("--to", help="The directory for what is written out.")] = ".",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace what has the same name.")] = False,
    read_option: ReadOptions = None,
    json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Keep files inside a data file, list them, or write them out.

    Without anything else the attachments are listed. What is written out always lands in the one directory,
    whatever its name says.

    Example: quire attach run.h5 lattice.in

    Example: quire attach run.h5 --extract lattice.in --to inputs
    """
    from quire.errors import UsageError
    from quire.toolkit import attachments

    options = parse_options(read_option)
    writes_out = everything or bool(extract)
    if writes_out and (sources or remove):
        raise UsageError("attachments are either put in or written out; give one of both")
    if writes_out:
        names = None if everything else extract
        paths = attachments.extract(file, directory, names, overwrite=overwrite, **options)
        if json:
            say_json({"path": file, "extracted": [str(path) for path in paths]})
        else:
            for path in paths:
                say(printable(str(path)))
        return
    if sources or remove:
        changes = attachments.attach(file, sources or [], remove=remove or [], name=name, replace=overwrite)
        if json:
            say_json(
                {
                    "path": file,
                    "added": changes.added,
                    "replaced": changes.replaced,
                    "removed": changes.removed,
                }
            )
            return
        counts = {"added": changes.added, "replaced": changes.replaced, "removed": changes.removed}
        told = ", ".join(f"{len(names)} {what}" for what, names in counts.items() if names)
        say(f"{file}: {told}")
        return
    list_attachments(file, options, json)


def list_attachments(path: str, options: dict[str, Any], json: bool) -> None:
    """Tell the names and sizes."""
    import quire

    with quire.open(path, **options) as data:
        found = data.attachments
    if json:
        say_json(
            {"path": path, "attachments": [{"name": name, "bytes": size} for name, size in found.items()]}
        )
        return
    for line in columns_of_text([[printable(name), plural(size, "byte")] for name, size in found.items()]):
        say(line)
