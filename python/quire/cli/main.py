"""Entry of the command line: `quire COMMAND ...`.

A command is imported and built when it is called: modules and options of all others would take longer than
printing help.
"""

from __future__ import annotations

import gc
import importlib
import keyword
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from types import CodeType
from typing import Any, ClassVar

import typer

from quire.cli.command import discard_output, fail
from quire.cli.output import use_utf8
from quire.cli.parallel import mute_other_ranks
from quire.cli.shell import SETTINGS, Command, Program, first_sentence, help_of, listed
from quire.cli.verbs import FITS, NEW, SIGNALS, TABLES, VERBS
from quire.cli.verbs import GROUPS as STAGES

BENCH = "bench"
"""The name of the command that has commands of its own."""

OF_STAGES = "quire.cli.verbs"
"""The package of the stages of a chain."""

CHAIN = "run"
"""The command whose arguments contain options of others."""

OF_CHAINS = {"ignore_unknown_options": True, "allow_interspersed_args": False}

MEASURING = ("plan", "doctor", "advise", BENCH)
"""The commands of quire.lab."""

GROUPS: Mapping[str, Sequence[str]] = {
    "Look into files": (
        "info", "show", "get", "stats", "plot", "view", "open-in", "query", "index", "calc", "explain",
        "formats", "example",
    ),
    "Convert, compute, combine": (
        "convert", "define", "filter", "thin", "split", "concat", "import", "export",
    ),
    "Work with tables": ("run", NEW, "sql", *TABLES),
    "Histograms and signals": SIGNALS,
    "Fits and matrices": FITS,
    "Old scripts": ("shims", "convert-script"),
    "Check and compare": ("check", "recover", "diff", "sum"),
    "Files inside files": ("attach", "pack", "unpack", "repack"),
    "Plan and measure I/O": MEASURING,
}  # fmt: skip
"""The commands, in the order of the help."""

HAS_LAB = find_spec("quire.lab") is not None
"""Without the optional `quire.lab` its commands are not listed, and say what to install."""


def module_of(name: str, package: str = "quire.cli") -> str:
    """Return the name of the module of a command, or of a stage of a chain in its package."""
    word = name.replace("-", "_")
    return f"{package}.{word}_" if keyword.iskeyword(word) else f"{package}.{word}"


def description_of(module: str) -> str:
    """Return the docstring of a command or stage from the code of its module, which is not run: to run all
    of them takes longer than to print help.
    """
    spec = find_spec(module)
    code: Any = spec and spec.loader and spec.loader.get_code(module)  # type: ignore[attr-defined]
    name = module.rpartition(".")[2].rstrip("_")
    for one in code.co_consts if code else ():
        if isinstance(one, CodeType) and one.co_name.rstrip("_") == name:
            return str(one.co_consts[0] or "")
    return ""


def object_of(name: str) -> Any:
    """Return the function of a command, or the commands of `bench`, from the module of its name."""
    if name in VERBS:
        from quire.cli.verb import command_of, stage_function

        return command_of(stage_function(name))
    if name == NEW:
        from quire.cli.verb import command_of_beginning, stage_function

        return command_of_beginning(stage_function(name))
    word = name.replace("-", "_")
    module = importlib.import_module(module_of(name))
    return getattr(module, word, None) or getattr(module, f"{word}_")


def is_hidden(name: str) -> bool:
    """Return whether a command is not listed."""
    return name in MEASURING and not HAS_LAB


def built(name: str) -> Any:
    """Return a command with its options."""
    found = object_of(name)
    if isinstance(found, typer.Typer):
        made = typer.main.get_command(found)
        made.name = name
        made.hidden = is_hidden(name)
        return made
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    settings = SETTINGS | OF_CHAINS if name == CHAIN else SETTINGS
    kind = Chain if name == CHAIN else Command
    alone.command(name, cls=kind, context_settings=settings, hidden=is_hidden(name))(found)
    return typer.main.get_command(alone)


class Chain(Command):
    """The command whose arguments are verbs, which its help lists."""

    def get_help(self, ctx: Any) -> str:
        """Return the help as text."""
        rows = {
            title: [(name, first_sentence(description_of(module_of(name, OF_STAGES)))) for name in names]
            for title, names in STAGES.items()
        }
        return help_of(self, ctx, [f"Verbs: {title}\n{listed(some)}" for title, some in rows.items()])


class Commands(Mapping[str, Any]):
    """All commands by name, each built at its first use."""

    def __init__(self) -> None:
        self._built: dict[str, Any] = dict.fromkeys(name for names in GROUPS.values() for name in names)

    def __getitem__(self, name: str) -> Any:
        if self._built[name] is None:
            self._built[name] = built(name)
        return self._built[name]

    def __contains__(self, name: object) -> bool:
        return name in self._built

    def __iter__(self) -> Iterator[str]:
        return iter(self._built)

    def __len__(self) -> int:
        return len(self._built)


class Quire(Program):
    """The commands of Quire, in their groups."""

    groups: ClassVar[Mapping[str, Sequence[str]]] = GROUPS

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = Commands()

    def summary(self, name: str) -> str | None:
        """Return the first sentence about a command; None if it is not listed."""
        if is_hidden(name):
            return None
        if name == BENCH:
            return super().summary(name)
        package = OF_STAGES if name in (*VERBS, NEW) else "quire.cli"
        return first_sentence(description_of(module_of(name, package)))


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
    """Inspect, compare, convert and plot the data files of accelerator and particle-in-cell codes. Start with
    quire info FILE; quire example beam makes a file to try. quire COMMAND --help has examples.

    Exit codes: 0 success; 1 the answer is no, or not possible; 2 wrong usage;
    3 damaged file; 4 I/O error; 70 internal error; 128 + N ended by signal N (130: interrupted).
    """


GARBAGE = 50_000
"""Objects that are made before the first look for cycles."""


def main() -> None:
    """Run the command line."""
    # NumPy would start the threads of a library for matrices, which no command has any work for.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imports make many objects that stay: looking for cycles among them takes a twentieth of the start.
    gc.set_threshold(GARBAGE)
    mute_other_ranks()
    use_utf8()
    try:
        app()
    except OSError as problem:  # from printing help, before any command
        discard_output()
        sys.exit(fail(problem))
