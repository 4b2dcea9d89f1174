"""Write several files as one: the engine of `quire concat`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import quire
from quire import File
from quire.errors import ConflictError, UsageError, errors_in_family
from quire.io.communicator import core_comm
from quire.io.refusal import agreed
from quire.toolkit.convert import copy_open_file, requested_format
from quire.toolkit.copier import StepCopier
from quire.toolkit.joined import JoinedFile
from quire.toolkit.replacing import refuse_overwriting
from quire.toolkit.request import CopyReport, Observer, Request
from quire.toolkit.selection import StepSelection, select_steps


@errors_in_family
def concat(
    sources: Sequence[str | Path],
    target: str | Path,
    *,
    join_rows: bool = False,
    comm: Any = None,
    observer: Observer | None = None,
    **request: Any,
) -> CopyReport:
    """Collective. Write several files of any formats as one.

    The steps of the files follow one another. If all files count their steps, so does the target, else their
    numbers must increase unless the request has `renumber`. With `join_rows` the rows of the steps with the
    same number are joined instead, in the order of the files. Columns that are copied must have the
    same names, types and units. Attributes and fields that differ are those of the first file, with a
    warning. The names of the files are stored in the attribute `sources` of the file, if the target can
    store it. Keywords of `quire.copy` for the target are passed in `request`.

    Raises ConflictError with all differences of the columns, and for steps whose numbers do not increase.
    """
    wanted = Request(**request)

    def look() -> str:
        if not sources:
            raise UsageError("there is no file to write")
        if len(sources) == 1 and os.path.exists(target) and not wanted.overwrite:
            raise UsageError(
                f"there is only one input, and the output {target} exists",
                advice="name the output last: quire concat A B OUT",
            )
        name = requested_format(target, wanted)
        if comm is None or comm.rank == 0:
            for source in sources:
                refuse_overwriting(source, target, wanted.overwrite, name)
        return name

    name = agreed(core_comm(comm), "a copy to", look, (str(target), *map(str, sources)))
    watched = observer or Observer()
    with ExitStack() as opened:
        files = [
            opened.enter_context(quire.open(source, comm=comm, **wanted.source_options)) for source in sources
        ]
        joined = JoinedFile(files, wanted.steps, join_rows, wanted.columns)
        joined.require_alike()
        names = ", ".join(Path(source).name for source in sources)
        whole = replace(
            wanted,
            steps=StepSelection(),
            renumber=wanted.renumber or (not join_rows and joined.counts_steps),
            file_attributes={"sources": names},
        )
        if not join_rows and not whole.renumber:
            require_increasing(files, wanted.steps)
        return copy_open_file(cast("File", joined), target, StepCopier(whole, name, comm, watched))


def require_increasing(files: Sequence[File], steps: StepSelection) -> None:
    """Collective. Raise ConflictError unless the numbers of all steps increase."""
    last: tuple[int, str] | None = None
    for file in files:
        for _, step in select_steps(file, steps):
            if last is not None and step.number <= last[0]:
                raise ConflictError(
                    f"step {step.number} follows step {last[0]} of {last[1]}: "
                    "the numbers of steps must increase",
                    file=file.path,
                    advice="number the steps anew by --renumber, "
                    "or join the rows of equal steps by --join-rows",
                )
            last = step.number, file.path
