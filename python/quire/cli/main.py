"""Entry of the command line: `quire COMMAND ...`."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import ClassVar

import typer

from quire.cli.advise import advise
from quire.cli.attach import attach
from quire.cli.bench import bench
from quire.cli.check import check
from quire.cli.command import discard_output, fail
from quire.cli.concat import concat
from quire.cli.convert import convert
from quire.cli.define import define
from quire.cli.diff import diff
from quire.cli.doctor import doctor
from quire.cli.example import example
from quire.cli.export import export
from quire.cli.filter import filter_
from quire.cli.formats import formats
from quire.cli.get import get
from quire.cli.import_ import import_
from quire.cli.info import info
from quire.cli.output import use_utf8
from quire.cli.pack import pack
from quire.cli.parallel import mute_other_ranks
from quire.cli.plan import plan
from quire.cli.plot import plot
from quire.cli.recover import recover
from quire.cli.repack import repack
from quire.cli.shell import SETTINGS, Command, Program
from quire.cli.show import show
from quire.cli.split import split
from quire.cli.stats import stats
from quire.cli.sum import sum_
from quire.cli.thin import thin
from quire.cli.unpack import unpack

GROUPS: Mapping[str, tuple[Callable[..., None], ...]] = {
    "Look into files": (info, show, get, stats, plot, formats, example),
    "Convert, compute, combine": (convert, define, filter_, thin, split, concat, import_, export),
    "Check and compare": (check, recover, diff, sum_),
    "Files inside files": (attach, pack, unpack, repack),
}
"""The commands, in the order of the help."""

MEASURING: tuple[Callable[..., None], ...] = (plan, doctor, advise)
"""Those of quire.lab, besides bench."""

BENCH = "bench"
"""The name of the command that has commands of its own."""


def name_of(command: Callable[..., None]) -> str:
    """Return the name of a command on the command line."""
    return command.__name__.rstrip("_")


class Quire(Program):
    """The commands of Quire, in their groups."""

    groups: ClassVar[Mapping[str, Sequence[str]]] = {
        **{title: [name_of(one) for one in members] for title, members in GROUPS.items()},
        "Plan and measure I/O": [*map(name_of, MEASURING), BENCH],
    }


app = typer.Typer(
    name="quire",
    cls=Quire,
    context_settings=SETTINGS,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def show_version(requested: bool) -> None:
    """Print the version and exit."""
    if requested:
        from quire import __version__

        typer.echo(f"quire {__version__}")
        raise typer.Exit


@app.callback()
def quire(
    version: bool = typer.Option(
        False, "--version", callback=show_version, is_eager=True, help="Show the version."
    ),
) -> None:
    """Inspect, compare, convert and plot the data files of accelerator and particle-in-cell codes.

    Start with: quire info FILE. Exit codes: 0 success; 1 the answer is no, or not possible; 2 wrong usage;
    3 damaged file; 4 I/O error; 70 internal error; 128 + N ended by signal N (130: interrupted).
    """


HAS_LAB = find_spec("quire.lab") is not None
"""Without the optional `quire.lab` its commands are not listed, and say what to install."""

for members in (*GROUPS.values(), MEASURING):
    for one in members:
        is_hidden = members is MEASURING and not HAS_LAB
        app.command(name_of(one), cls=Command, context_settings=SETTINGS, hidden=is_hidden)(one)
app.add_typer(bench, name=BENCH, cls=Program, context_settings=SETTINGS, hidden=not HAS_LAB)


def main() -> None:
    """Run the command line; the console script of the package."""
    mute_other_ranks()
    use_utf8()
    try:
        app()
    except OSError as problem:  # from printing help, before any command
        discard_output()
        sys.exit(fail(problem))
