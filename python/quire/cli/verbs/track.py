"""quire track: the same particles in every step."""

from __future__ import annotations

import re
from typing import Annotated, Final

import typer

from quire.cli import completion
from quire.cli.verb import Stage
from quire.cli.verbs.arguments import IdColumn

Ids = Annotated[str | None, typer.Option("--ids", metavar="LIST", help="Ids of particles: 17 or 1,4-8.")]
IdsOf = Annotated[
    str, typer.Option("--ids-of", metavar="FILE", help="Ids are those of the first step of FILE.")
]
Where = Annotated[
    str,
    typer.Option(
        "--where",
        autocompletion=completion.expression,
        metavar="EXPR[@STEP]",
        help="Particles that satisfy a condition in a step, or the first.",
    ),
]

ID_OR_RANGE: Final = re.compile(r"\s*(-?[0-9]+)(?:-(-?[0-9]+))?\s*")
BYTES_OF_ID: Final = 64
"""Memory of an id: an integer of Python, in a list and in arrays."""


def track(ids: Ids = None, ids_of: IdsOf = "", where: Where = "", key: IdColumn = "") -> Stage:
    """Keep the same particles in each step, in one order.

    A row is one particle in all steps; where a step does not have it, its values are missing, with a warning
    at the end. Ids that no step has are reported, and the exit code is 1. Without --key the column of ids is
    id, or the only one such as particleID. With an index (quire index) only blocks of rows are searched that
    can have the ids. pages swap then makes a step of each particle.

    Example: quire track beam.h5 tracks.h5 --ids 17,3

    Example: quire track beam.h5 halo.h5 --where 'x > 3e-4@20'

    Example: quire track beam.h5 followed.h5 --ids-of halo.h5
    """
    from quire.errors import UsageError
    from quire.verbs.track import track as tracked

    given = {"--ids": ids is not None, "--ids-of": bool(ids_of), "--where": bool(where)}
    chosen = [option for option, is_given in given.items() if is_given]
    if not chosen:
        raise UsageError("no particles are chosen", advice="give --ids 17,3, --ids-of FILE or --where EXPR")
    if len(chosen) > 1:
        raise UsageError(
            f"particles are chosen by one of {' and '.join(chosen)}", advice="leave out the other"
        )
    condition, at = condition_and_step(where)
    numbers = None if ids is None else parsed_ids(ids)
    if ids_of:
        return Stage(lambda chain, other: tracked(chain, other, where=condition, at=at, key=key), [ids_of])
    return Stage(lambda chain: tracked(chain, numbers, where=condition, at=at, key=key))


def condition_and_step(text: str) -> tuple[str, int | None]:
    """Return a condition, and the number of the step after `@`; `@name` is an attribute."""
    condition, mark, number = text.rpartition("@")
    digits = number.strip()
    if not mark or not digits.lstrip("-").isdecimal():
        return text, None
    return condition.strip(), int(digits)


def parsed_ids(text: str) -> list[int]:
    """Return the ids of a list with ranges. Raises UsageError."""
    from quire.errors import MemoryBudgetError, UsageError
    from quire.io.memory import machine_memory

    ranges = []
    for part in text.split(","):
        found = ID_OR_RANGE.fullmatch(part)
        if found is None:
            raise UsageError(f"'{part}' is no id", advice="write --ids 17 or --ids 1,4-8")
        first, last = int(found[1]), int(found[2] or found[1])
        if first > last:
            raise UsageError(f"'{part}' is an empty range", advice=f"write --ids {last}-{first}")
        ranges.append((first, last + 1))
    count = sum(end - first for first, end in ranges)
    if count * BYTES_OF_ID > machine_memory() > 0:
        raise MemoryBudgetError(
            f"{count} ids do not fit into the memory", advice="give fewer, or a condition by --where"
        )
    return [one for first, end in ranges for one in range(first, end)]
