"""Entry of the command line: `quire COMMAND ...`."""

import sys
from importlib.util import find_spec

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
from quire.cli.show import show
from quire.cli.split import split
from quire.cli.stats import stats
from quire.cli.sum import sum_
from quire.cli.thin import thin
from quire.cli.unpack import unpack

app = typer.Typer(
    name="quire",
    no_args_is_help=True,
    add_completion=False,
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

    Exit codes: 0 success; 1 the answer is no, or not possible; 2 wrong usage; 3 damaged file; 4 I/O error;
    70 internal error of Quire; 128 + N ended by signal N (130: interrupted).
    """


LOOKING = (info, show, get, stats, plot, plan, formats)
MAKING = (convert, import_, export, define, filter_, thin, split, concat, attach, pack, unpack, repack)
JUDGING = (check, recover, diff, sum_)
MACHINE = (doctor, advise)
LAB = (plan, doctor, advise)
"""Commands of the optional `quire.lab`: without it they are not listed, and say what to install."""
HAS_LAB = find_spec("quire.lab") is not None

for one in (*LOOKING, *MAKING, *JUDGING, *MACHINE):
    app.command(one.__name__.rstrip("_"), hidden=one in LAB and not HAS_LAB)(one)

app.add_typer(bench, name="bench", hidden=not HAS_LAB)


def main() -> None:
    """Run the command line; the console script of the package."""
    mute_other_ranks()
    use_utf8()
    try:
        app()
    except OSError as problem:  # from printing help, before any command
        discard_output()
        sys.exit(fail(problem))
