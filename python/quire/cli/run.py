"""quire run: several verbs, one after another, without files between them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli import completion
from quire.cli.command import command_of_ranks
from quire.cli.copying import Strict, TheTable
from quire.cli.options import ReadOptions
from quire.cli.output import paged
from quire.cli.selecting import Columns, Index, Rows, Steps, Where
from quire.cli.verb import (
    Beginning,
    Input,
    Stage,
    change_file,
    changed,
    parse_stage,
    report_failures,
    reporting,
)
from quire.cli.verbs import NEW, STAGES
from quire.cli.verbs.write import Writing

if TYPE_CHECKING:
    from quire.cli.verbs.get import Getting
    from quire.cli.views import View
    from quire.errors import MissingError

BETWEEN = "/"
"""The word between the verbs of a chain."""
OPTIONS = (
    "--step", "--steps", "--index", "--table", "--columns", "--rows", "--where", "--read-option", "--strict",
)  # fmt: skip
"""The options of the command itself, which come before the file."""


def verbs_after_slash(context: typer.Context, incomplete: str) -> list[str]:
    """Return the verbs that complete the first word after a slash, and the names of the file for others."""
    words = [*(context.params.get("words") or ()), *context.args]
    if BETWEEN not in words:
        return []
    if words[-1] != BETWEEN:
        return completion.expression(context, incomplete)
    return [name for name in STAGES if name.startswith(incomplete)]


Words = Annotated[
    list[str],
    typer.Argument(
        metavar="IN / VERB ... / VERB ...",
        help="A data file, and verbs with their arguments.",
        autocompletion=verbs_after_slash,
    ),
]


@command_of_ranks
def run(
    words: Words,
    steps: Steps = None,
    index: Index = None,
    table: TheTable = "",
    columns: Columns = None,
    rows: Rows = None,
    where: Where = None,
    read_option: ReadOptions = None,
    strict: Strict = False,
) -> None:
    """Change a file by several verbs, one after another.

    A / alone is between the verbs; options of this command come before IN. Each verb works on the steps that
    the one before it makes, without files between them; columns are read when a verb needs them. The last
    verb is write OUT, or get NAME... for values in scripts; without it the result is printed.
    quire run x / VERB --help describes a verb.

    New data begin a chain by new NAME=... in place of IN.

    Example: quire run beam.h5 / filter 'x > 0' / sort z / write right.h5

    Example: quire run --steps 5 beam.h5 / group 'slice=bin(z, 5)' / stats 'std(x)' emittance_nx
    """
    from quire.errors import MissingError, UsageError

    source, *chain = divided(words)
    begin: Beginning
    if source[:1] == [NEW]:
        if steps or index is not None or table or columns or rows or where or read_option:
            raise UsageError(
                "--steps, --index, --table, --columns, --rows, --where and --read-option belong to a file, "
                "not to new data"
            )
        begin = parse_stage(NEW, source[1:])
    elif len(source) == 1:
        begin = Input(source[0], steps, index, table, rows, where, columns, read_option)
    elif any(word.startswith("-") for word in source):
        given = [word.partition("=")[0] for word in source if word.startswith("--")]
        if foreign := [word for word in given if word not in OPTIONS]:
            raise UsageError(
                f"run has no option {foreign[0]}",
                advice="options of a verb come after its name: quire run IN / VERB OPTIONS / ...",
            )
        moved = shlex.join([*source[1:], *source[:1]])
        raise UsageError(f"options come before the file: quire run {moved} / ...")
    else:
        raise UsageError("a chain begins with one file: quire run IN / VERB ... / write OUT")
    stages, end = parsed(chain)
    try:
        if isinstance(end, Writing):
            change_file(begin, stages, end, strict)
        else:
            print_result(begin, stages, end, strict)
    except MissingError as problem:
        raise undivided(problem, chain) from None


def divided(words: Sequence[str]) -> list[list[str]]:
    """Return the words between the slashes."""
    parts: list[list[str]] = [[]]
    for word in words:
        if word == BETWEEN:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def undivided(problem: MissingError, chain: Sequence[Sequence[str]]) -> MissingError:
    """Return an error about a name, with advice if it is that of a verb without a slash before it."""
    for part in chain:
        for place, word in enumerate(part):
            if place and word in STAGES and f"'{word}'" in problem.message.partition(";")[0]:
                words = shlex.join(part[:place]), shlex.join(part[place:])
                return type(problem)(
                    problem.message, file=problem.file, advice=f"divide verbs by /: {' / '.join(words)}"
                )
    return problem


def parsed(chain: Sequence[Sequence[str]]) -> tuple[list[Stage], Writing | Getting | None]:
    """Return the stages of a chain, and what writes or prints its result, if that is given. Raises
    UsageError.
    """
    from quire.errors import UsageError
    from quire.near import there_is_no

    found: list[Any] = []
    for part in chain:
        if not part:
            raise UsageError("there is no verb between two slashes")
        name, *rest = part
        if name == NEW:
            raise UsageError("new begins a chain: quire run new NAME=... / VERB ...")
        if name not in STAGES:
            raise UsageError(there_is_no("verb", name, STAGES))
        found.append(parse_stage(name, rest))
    stages = [one for one in found if isinstance(one, Stage)]
    ends = [place for place, one in enumerate(found) if not isinstance(one, Stage)]
    if ends and ends != [len(found) - 1]:
        raise UsageError(f"{chain[ends[0]][0]} is the last verb of a chain")
    return stages, found[-1] if ends else None


ALL_OF_CHAIN = ("/ write OUT keeps all", "/ select NAMES shows others")
"""How to see the rows and columns of a chain that are not printed."""


def print_result(
    source: Beginning,
    stages: Sequence[Stage],
    end: Getting | None = None,
    strict: bool = False,
    others: tuple[str, str] = ALL_OF_CHAIN,
    json: bool = False,
) -> None:
    """Print the values that are asked for, or else the rows of the result: all as one object with `json`, and
    those of long tables in part without. `others` is how to see rows and columns that are not printed.
    """
    from contextlib import ExitStack

    from quire.cli.output import terminal_width
    from quire.cli.results import Results
    from quire.cli.sheets import Viewer
    from quire.cli.views import JsonView, TextView

    with ExitStack() as stack, paged():
        made = changed(source, stages, stack, strict=strict)
        chain: Any = reporting(made, stack)
        if end is None:
            viewer = Viewer(None, slice(None), not json, None, False)
            look: View = JsonView() if json else TextView(True, terminal_width(), *others)
            results: Any = chain if json else Results(chain)
            look.show(viewer.sheets(iter(results)))
            if not json:
                results.report()
        else:
            end.show(chain, source.path or chain.path, made.last is not None)
    report_failures(chain)
