"""quire advise: recommend settings for writing, with reasons."""

from __future__ import annotations

import dataclasses
import shlex
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli import completion
from quire.cli.command import command
from quire.cli.output import plural, remark, say, say_json
from quire.cli.plan_options import MOST_RANKS

if TYPE_CHECKING:
    from quire.lab.advise import Advice, Commands, Situation

WIDTH = 100


@command
def advise(
    path: Annotated[Path, typer.Argument(help="A data file, or the directory to write to.")],
    ranks: Annotated[int, typer.Option("--ranks", min=1, max=MOST_RANKS, help="Number of ranks that write.")],
    nodes: Annotated[int | None, typer.Option("--nodes", min=1, help="Number of nodes. Default: 1.")] = None,
    cores: Annotated[
        int | None, typer.Option("--cores", min=1, help="Cores per node. Default: those of this node.")
    ] = None,
    workload: Annotated[
        str | None,
        typer.Option(
            "--workload",
            help="Contents of a step: 5.5GB, table:811008x192, particles, streams:2GiB (of each rank).",
        ),
    ] = None,
    stripes: Annotated[
        int | None, typer.Option("--stripes", min=1, help="Number of storage servers of the file system.")
    ] = None,
    format: Annotated[
        str | None, typer.Option("--format", "-f", autocompletion=completion.formats, help="Format to write.")
    ] = None,
    measured: Annotated[
        Path | None, typer.Option("--measured", help="A record of quire doctor --save.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Recommend transport, stripes, alignment and hints, with reasons.

    The contents of a step are read from the file; for a directory, --workload describes them. Each
    recommendation names its basis: a measurement on this system, a measurement on one node, a publication,
    or a rule.

    Example: quire advise beam.h5 --ranks 64 --nodes 4 --measured doctor.json
    """
    from quire.lab.advise import advise as recommend
    from quire.lab.advise import commands_of, situation_of
    from quire.lab.doctor import load

    record = load(measured) if measured is not None else None
    situation = situation_of(
        path,
        ranks,
        nodes=nodes,
        cores=cores,
        workload=workload,
        targets=stripes,
        format=format,
        measured=record,
    )
    if record is not None and situation.is_measured_elsewhere:
        there = f"{record.file_system.type} on {record.file_system.mount}"
        remark(f"the record is of another file system ({there}): costs and locks of {path} may differ")
    found = recommend(situation)
    commands = commands_of(situation, found)
    if json:
        say_json(as_dictionary(situation, found, commands))
        return
    report(situation, found, commands)


def report(situation: Situation, found: Sequence[Advice], commands: Commands) -> None:
    """Print the recommendations as text."""
    from quire.sizes import size_text

    load = situation.load
    arrays = f", {load.columns} arrays" if load.columns > 1 else ""
    say(f"{situation.path}: a step of {size_text(load.bytes)} ({load.kind}{arrays})")
    say(
        f"{plural(situation.ranks, 'rank')} on {plural(situation.nodes, 'node')} "
        f"of {plural(situation.cores, 'core')}, "
        f"{size_text(situation.bytes_per_rank)} each, {situation.where.type} ({situation.storage} storage)"
    )
    titles = {"option": "option ", "stripe": "", "hint": "hint ", "environment": ""}
    for one in found:
        setting = f"{titles.get(one.target, '')}{one.name}{f' = {one.value}' if one.value else ''}"
        say(f"\n{setting}")
        for line in textwrap.wrap(f"{one.reason} [{one.basis}: {one.source}]", WIDTH):
            say(f"    {line}")
    say("\nin short")
    source = f"{shlex.quote(str(situation.path))} OUT" if situation.path.is_file() else "IN OUT"
    for line in shortly(commands, source):
        say(f"    {line}")


def shortly(commands: Commands, source: str) -> list[str]:
    """Return the settings as commands and calls that can be pasted."""
    lines = [commands.set_stripes] if commands.set_stripes else []
    lines += [f"export {name}={value}" for name, value in commands.environment.items()]
    if commands.quire:
        lines.append(f"quire convert {source} {commands.quire}")
    words = [f'{name}="{value}"' for name, value in commands.options.items()]
    if commands.transport:
        words.insert(0, f'transport="{commands.transport}"')
    lines.append(f"quire.create(path, {', '.join(words)})")
    if commands.hints:
        hints = ",".join(f"{name}={value}" for name, value in commands.hints.items())
        lines.append(f"hints of MPI-IO, for programs that use it: {hints}")
    return lines


def as_dictionary(situation: Situation, found: Sequence[Advice], commands: Commands) -> dict[str, Any]:
    """Return the recommendations for JSON."""
    return {
        "path": str(situation.path),
        "format": situation.format,
        "load": dataclasses.asdict(situation.load),
        "ranks": situation.ranks,
        "nodes": situation.nodes,
        "cores": situation.cores,
        "targets": situation.targets,
        "storage": situation.storage,
        "file_system": dataclasses.asdict(situation.where),
        "advice": [dataclasses.asdict(one) for one in found],
        "commands": {**dataclasses.asdict(commands), "quire": commands.quire},
    }
