"""Common to the verbs of the toolkit: from a stage to a command, and the options of all of them."""

from __future__ import annotations

import importlib
import inspect
import keyword
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, get_type_hints

import typer

from quire.cli.command import ExitCode, command_of_ranks
from quire.cli.copying import (
    AsJson,
    Durable,
    Format,
    Lossy,
    Overwrite,
    Source,
    Strict,
    Target,
    WriteOptions,
    common_request,
    print_report,
    report_change,
    report_warning,
)
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import say, say_json
from quire.cli.parallel import is_first_rank
from quire.cli.progress import progress
from quire.cli.selecting import Columns, FirstTable, Index, Rows, Steps, Where
from quire.cli.shell import SETTINGS, Command
from quire.cli.streams import communicator_for, readable, writable
from quire.cli.verbs.write import Writing, write

if TYPE_CHECKING:
    from quire.verbs.step_chain import StepChain


@dataclass(frozen=True)
class Stage:
    """A verb with its arguments: it changes steps. `files` are others that it reads."""

    verb: Callable[..., Any]
    """Gets the steps, and those of each of the files."""
    files: Sequence[str] = ()
    draw: Callable[[StepChain, str, bool], str] | None = None
    """Draws the result of the steps before to a picture of this name, which it may replace. Returns what is
    drawn, in words.
    """


def stage_function(name: str) -> Callable[..., Any]:
    """Return the function with the options of a verb."""
    module = importlib.import_module(
        f"quire.cli.verbs.{name}_" if keyword.iskeyword(name) else f"quire.cli.verbs.{name}"
    )
    found: Callable[..., Any] = getattr(module, name, None) or getattr(module, f"{name}_")
    return found


def parse_stage(name: str, words: Sequence[str]) -> Any:
    """Return the stage of a verb with these arguments, or what writes the result. Raises usage errors of
    typer.
    """
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    alone.command(name, cls=Command, context_settings=SETTINGS)(stage_function(name))
    parser: Any = typer.main.get_command(alone)
    made = parser.main(list(words), prog_name=f"quire run ... / {name}", standalone_mode=False)
    if isinstance(made, int):  # after help
        raise typer.Exit(made)
    return made


class Beginning(Protocol):
    """What a chain begins with: a file, or new data."""

    @property
    def path(self) -> str:
        """The name of the file, empty for new data."""

    def chain(self, stack: ExitStack, *others: str) -> StepChain:
        """Collective. Return the steps. `stack` closes the file; `others` are the other files in use."""


@dataclass(frozen=True)
class Input:
    """The file that a chain begins with."""

    path: str
    steps: str | None = None
    index: int | None = None
    table: str | None = None
    rows: str | None = None
    where: str | None = None
    columns: list[str] | None = None
    read_option: list[str] | None = None
    is_only: bool = True
    """Whether errors that name no file are about this one."""

    def chain(self, stack: ExitStack, *others: str) -> StepChain:
        """Collective. Return the selected steps of the file, which `stack` closes."""
        import quire
        from quire.toolkit.selection import parse_names, parse_rows, parse_steps
        from quire.verbs.step_chain import StepChain

        rows, names = parse_rows(self.rows), parse_names(self.columns)
        comm = communicator_for(self.path, *others)
        local = stack.enter_context(readable(self.path, is_only=self.is_only))
        file = stack.enter_context(quire.open(local, comm, **parse_options(self.read_option)))
        chain = StepChain.of_file(file, parse_steps(self.steps, index=self.index), self.table or "")
        if self.rows is None and self.where is None and names is None:
            return chain
        from quire.verbs.rows import part

        return part(chain, rows, self.where, names)


def change_file(source: Beginning, stages: Sequence[Stage], end: Writing, strict: bool = False) -> None:
    """Collective. Write steps, changed by stages; with `strict` nothing if values are missing. A picture is
    drawn by the last stage.
    """
    target, request = end.target, end.request
    from quire.toolkit.request import Observer

    draw = stages[-1].draw if stages else None
    if draw is not None and is_picture(target):
        with ExitStack() as stack:
            chain = reporting(changed(source, stages[:-1], stack, strict=strict), stack)
            note = draw(chain, target, request.overwrite)
        if is_first_rank() and not end.quiet:
            say_json({"path": target}) if end.json else say(f"{target}: {note}")
        return

    with ExitStack() as stack:
        chain = changed(source, stages, stack, target, strict=strict)
        bar = stack.enter_context(progress("writing"))
        with writable(target) as local:
            observer = Observer(report_change, bar.expect, bar.advance, None, report_warning)
            report = chain.carry_out(local, request, observer)
    if not end.quiet:
        print_report(report, target, request, end.json)
    report_failures(chain)


def is_picture(target: str) -> bool:
    """Independent. Return whether a name is that of a picture."""
    from quire.toolkit.axes import SUFFIXES

    return Path(target).suffix.lower() in SUFFIXES


def reporting(chain: StepChain, stack: ExitStack) -> StepChain:
    """Independent. Return the same steps. `stack` prints their warnings, each once, when it ends: after what
    a pager shows. Tables and fields that are left out belong to files, and are not reported.
    """
    from quire.verbs.steplike import LeftOut, MissingValues, StepLike

    found = dict.fromkeys(chain.warnings)
    silent = (LeftOut, MissingValues) if chain.is_strict else LeftOut  # strict chains raise errors of these

    def noted(steps: Iterator[StepLike]) -> Iterator[StepLike]:
        for step in steps:
            found.update(dict.fromkeys(one for one in step.warnings if not isinstance(one, silent)))
            yield step

    def report() -> None:
        for sentence in found:
            report_warning(sentence)

    stack.callback(report)
    return chain.through(noted)


MOST_FAILURES = 10
"""Sentences about missing results that are printed."""


def report_failures(chain: StepChain) -> None:
    """Independent. Print on the first rank what verbs could not compute; exits with 1 if there is any."""
    found = sorted(chain.failures)
    if not found:
        return
    for sentence in found[:MOST_FAILURES]:
        report_warning(sentence)
    if len(found) > MOST_FAILURES:
        report_warning(f"{len(found) - MOST_FAILURES} more like these; the results are NaN")
    raise typer.Exit(ExitCode.NO)


def changed(
    source: Beginning, stages: Sequence[Stage], stack: ExitStack, *others: str, strict: bool = False
) -> StepChain:
    """Collective. Return steps changed by stages. `stack` closes the files."""
    files = [path for stage in stages for path in stage.files]
    chain = source.chain(stack, *files, *others)
    chain = chain.strict() if strict else chain
    for stage in stages:
        chain = stage.verb(
            chain, *(Input(path, is_only=False).chain(stack, source.path) for path in stage.files)
        )
    return chain


def common(
    source: Source,
    target: Target,
    table: FirstTable = None,
    steps: Steps = None,
    index: Index = None,
    columns: Columns = None,
    rows: Rows = None,
    where: Where = None,
    format: Format = None,
    option: WriteOptions = None,
    read_option: ReadOptions = None,
    overwrite: Overwrite = False,
    durable: Durable = False,
    lossy: Lossy = False,
    strict: Strict = False,
    json: AsJson = False,
) -> tuple[Input, Writing, bool]:
    """Return what the options of all verbs say: the input, what is written, and whether missing values are an
    error.
    """
    request = common_request(target, format, option, None, None, overwrite, durable=durable, lossy=lossy)
    part = Input(source, steps, index, table, rows, where, columns, read_option)
    return part, Writing(target, request, json), strict


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters of a function, with their annotations as objects."""
    hints = get_type_hints(function, include_extras=True)
    return [
        one.replace(annotation=hints[one.name], kind=inspect.Parameter.KEYWORD_ONLY)
        for one in inspect.signature(function).parameters.values()
    ]


def command_of(stage: Callable[..., Stage]) -> Callable[..., None]:
    """Return the command of a verb: IN and OUT, then its arguments and options, then those of all verbs."""
    own = parameters_of(stage)
    shared = {one.name: one for one in parameters_of(common)}
    for one in own:
        shared.pop(one.name, None)  # the option of a verb takes the place of the shared one

    def run(**given: Any) -> None:
        mine = {one.name: given.pop(one.name) for one in own}
        source, end, strict = common(**given)
        change_file(source, [stage(**mine)], end, strict)

    run.__name__, run.__doc__, run.__module__ = stage.__name__, stage.__doc__, stage.__module__
    order = [shared.pop("source"), shared.pop("target"), *own, *shared.values()]
    run.__signature__ = inspect.Signature(order)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in order}
    return command_of_ranks(run)


def command_of_beginning(begin: Callable[..., Beginning]) -> Callable[..., None]:
    """Return the command that writes what begins a chain without a file: OUT, its arguments and options, then
    those of a new file.
    """
    shared = {one.name: one for one in parameters_of(write)}
    own = parameters_of(begin)

    def run(**given: Any) -> None:
        mine = {one.name: given.pop(one.name) for one in own}
        change_file(begin(**mine), [], write(**given))

    run.__name__, run.__doc__, run.__module__ = begin.__name__, begin.__doc__, begin.__module__
    order = [shared.pop("target"), *own, *shared.values()]
    run.__signature__ = inspect.Signature(order)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in order}
    return command_of_ranks(run)
