"""quire attach: store files in data files."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quire.cli import completion
from quire.cli.command import command
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import columns_of_text, plural, printable, say, say_json


@command
def attach(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A data file.")],
    sources: Annotated[list[str] | None, typer.Argument(metavar="[PATH]...", help="Files to attach.")] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the attachment, for a single PATH.")
    ] = None,
    remove: Annotated[
        list[str] | None,
        typer.Option("--remove", autocompletion=completion.attachments, help="Remove the attachment NAME."),
    ] = None,
    extract: Annotated[
        list[str] | None,
        typer.Option("--extract", autocompletion=completion.attachments, help="Extract the attachment NAME."),
    ] = None,
    everything: Annotated[bool, typer.Option("--extract-all", help="Extract all attachments.")] = False,
    directory: Annotated[str, typer.Option("--to", help="Directory of extracted files.")] = ".",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace existing files and attachments.")
    ] = False,
    read_option: ReadOptions = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Attach files to a data file, list the attachments, or extract them.

    Without PATH and options, the attachments are listed. Extracted files are always written to the directory
    of --to, whatever path the name of an attachment contains.

    Example: quire attach beam.h5 lattice.in

    Example: quire attach beam.h5 --extract lattice.in --to inputs
    """
    from quire.errors import UsageError
    from quire.toolkit import attachments

    options = parse_options(read_option)
    writes_out = everything or bool(extract)
    if writes_out and (sources or remove):
        raise UsageError("files cannot be attached and extracted at the same time")
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
        summary = ", ".join(f"{len(names)} {what}" for what, names in counts.items() if names)
        say(f"{file}: {summary}")
        return
    list_attachments(file, options, json)


def list_attachments(path: str, options: dict[str, Any], json: bool) -> None:
    """Print names and sizes."""
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
