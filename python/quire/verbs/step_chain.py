"""A file on its way through verbs: its attributes, and its steps one after another."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, Unpack, cast

import numpy as np

from quire.errors import ConflictError, DataError, MissingError, TypeMismatchError
from quire.io.foreign import require
from quire.io.types import Array
from quire.toolkit.selection import StepSelection, raise_unreadable, require_found, select_steps
from quire.verbs.steplike import MissingValues, StepLike, alike, chosen_table, in_memory

if TYPE_CHECKING:
    from quire import File
    from quire.toolkit.request import CopyKeywords, CopyReport, Observer, Request

OTHER_TYPE: Final = re.compile(r"its values are (float\d+), but the file has it as u?int\d+")
"""The error of a column of integers that has NaN in a later step."""

Steps = Callable[[], Iterator[StepLike]]
"""Yields the steps from the first on, at each call."""

Verb = Callable[[Iterator[StepLike]], Iterator[StepLike]]
"""Makes steps of steps."""

OF_DATA = (ConflictError, DataError, MissingError, TypeMismatchError)
"""Errors that are about the data, so that they name the file."""

S = TypeVar("S", bound="StepChain")

INSTEAD = {
    "get": "read or to_pandas",
    "pages": "collapse, expand, merge, split, renumber or swap",
    "steps": 'quire.chain(path, steps="0-9")',
}
"""What to write instead of words of the command line that are no methods."""


Names = str | Sequence[str]
"""Names as verbs take them: a list, or a text with commas."""


def listed(*names: Names) -> list[str]:
    """Independent. Return names that are given one by one, as lists, or as texts with commas: `"x,px"`.

    Commas in parentheses, as in `bin(z, 50)`, and those of the texts of a list, belong to names.

    >>> from quire.verbs.step_chain import listed
    >>> listed("x", "y,z"), listed(["x", "a,b"]), listed("k,bin(z, 50)")
    (['x', 'y', 'z'], ['x', 'a,b'], ['k', 'bin(z, 50)'])
    >>> listed("mean(x, weight=abs(q)),std(x)")
    ['mean(x, weight=abs(q))', 'std(x)']
    """
    return [name for one in names for name in (separated(one) if isinstance(one, str) else one)]


def separated(text: str) -> list[str]:
    """Independent. Return the parts of a text between commas that are not in parentheses."""
    depths = itertools.accumulate((char == "(") - (char == ")") for char in text)
    places = [place for place, depth in enumerate(depths) if text[place] == "," and depth <= 0]
    parts = [text[first + 1 : last] for first, last in itertools.pairwise([-1, *places, len(text)])]
    return [part.strip() for part in parts if part.strip()]


class StepChain:
    """The steps of a file, changed by verbs. Nothing is read before steps are asked for.

    It has the interface of a file for copies; what it does not define is that of the first file.
    """

    def __init__(
        self,
        file: File,
        selected: Steps,
        table: str = "",
        memory: int | None = None,
        verbs: Sequence[Verb] = (),
    ) -> None:
        self._file = file
        self._selected = selected
        self._table = table
        self.memory = memory
        self._verbs = verbs
        self.failures: set[str] = set()
        """Sentences about results that do not exist, such as fits that did not converge. Shared by the steps
        that verbs make of these, and complete after the last step."""
        self.is_strict = False
        """Whether missing values are errors."""

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def close(self) -> None:
        """Collective. Close the file."""
        self._file.close()

    @classmethod
    def of_file(cls: type[S], file: File, steps: StepSelection | None = None, table: str = "") -> S:
        """Independent. Return the selected steps of an open file. Verbs work on the table of this name.

        Iteration raises MissingError if the file has none of the steps, or one of them has no such table, and
        after the whole steps the error of the first damaged one: results of the others alone could be taken
        for those of all.
        """

        def selected() -> Iterator[StepLike]:
            count = 0
            for _, step in select_steps(file, steps):
                count += 1
                if table:
                    step.tables[table]  # raises MissingError
                yield cast("StepLike", step)
            raise_unreadable(file, steps)
            require_found(count, steps, file.path)

        return cls(file, selected, table)

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self._file, name)
        except AttributeError:
            message = f"'{type(self).__name__}' object has no attribute '{name}'"
            instead = INSTEAD.get(name)
            if instead is not None:
                message += f"; write {instead}"
            raise AttributeError(message, name=name, obj=self) from None

    @property
    def warnings(self) -> list[str]:
        """Warnings from reading the header, and of definitions that the result does not have."""
        found = list(self._file.warnings)
        if self._file.declared is not None and not self._has_steps and self.declared is None:
            found.append("the file has no step, and the definitions of its header are left out")
        return found

    @property
    def declared(self) -> StepLike | None:
        """What the verbs make of the definitions in the header of a file without steps. None if there are
        none.
        """
        if self._file.declared is None or self._has_steps:
            return None
        return next(self._changed(iter([cast("StepLike", self._file.declared)])), None)

    @property
    def _has_steps(self) -> bool:
        return next(self._file.each_number(), None) is not None

    def _changed(self, steps: Iterator[StepLike]) -> Iterator[StepLike]:
        for verb in self._verbs:
            steps = verb(steps)
        return steps

    def through(self: S, verb: Verb) -> S:
        """Independent. Return the steps that a verb makes of these."""
        return self._with(self.memory, (*self._verbs, verb))

    @property
    def last(self) -> Verb | None:
        """The verb that was applied last."""
        return self._verbs[-1] if self._verbs else None

    def instead_of_last(self: S, verb: Verb) -> S:
        """Independent. Return the steps that a verb makes of those that the last one has been given."""
        return self._with(self.memory, (*self._verbs[:-1], verb))

    def _with(self: S, memory: int | None, verbs: Sequence[Verb]) -> S:
        made = type(self)(self._file, self._selected, self._table, memory, verbs)
        made.failures, made.is_strict = self.failures, self.is_strict
        return made

    def strict(self: S) -> S:
        """Independent. Return the same steps; a ConflictError is raised instead of a warning for values that
        are missing (NaN, or empty texts), and for fits that do not converge.

        Of verbs after it NaN in the results of `define` and in the columns that `filter` compares are
        counted as well, in a pass of their own: verbs that follow may read them twice, in part or not at all,
        and what is printed or piped cannot be taken back.

        >>> import quire
        >>> rows = quire.new("x=1,2,3", "y=4,5,6")
        >>> rows.interp("y", versus="x", at=[1.5]).strict().read()["y"].tolist()
        [4.5]
        """
        made = self._with(self.memory, self._verbs)
        made.is_strict = True
        return made

    def limited(self: S, memory: int | None) -> S:
        """Independent. Return the same steps. Verbs after it that sort, group and join rows which need more
        than `memory` bytes use temporary files, with the same result; None is no limit.

        >>> import quire
        >>> with quire.chain("beam.h5", steps="0") as chain:
        ...     chain.limited(2**30).sort("z:desc").read(["id"])["id"][:2].tolist()
        [354, 1197]
        """
        return self._with(memory, self._verbs)

    def each(self: S, change: Callable[[StepLike, Any], StepLike]) -> S:
        """Independent. Return each step changed. `change` gets the step and the table to work on."""
        return self.through(lambda steps: (change(step, self.table_of(step)) for step in steps))

    def table_of(self, step: StepLike) -> Any:
        """Independent. Return the table to work on."""
        return chosen_table(step, self._table if self._table in step.tables else "")

    def __iter__(self) -> Iterator[StepLike]:
        """Collective. Iterate over the steps."""
        try:
            for step in self._changed(self._selected()):
                if self.is_strict:
                    self._refuse_missing(step)
                yield step
        except OF_DATA as problem:  # not those of the loop that gets the steps
            problem.place(self._file.path)
            raise

    def _refuse_missing(self, step: StepLike) -> None:
        """Raise ConflictError if values of a step are missing, or verbs could not compute something."""
        found = [str(one) for one in step.warnings if isinstance(one, MissingValues)]
        found += sorted(self.failures)
        if found:
            raise ConflictError("; ".join(found), advice="without --strict it is a warning")

    def readable(self, asked: Any = None) -> Iterator[tuple[int, StepLike]]:
        """Collective. Iterate over indices and steps."""
        yield from enumerate(self)

    def each_number(self) -> Iterator[int]:
        """Collective. Yield the numbers of the steps."""
        for step in self:
            yield step.number

    def write(
        self, path: str | Path, observer: Observer | None = None, **keywords: Unpack[CopyKeywords]
    ) -> CopyReport:
        """Collective. Write the steps to a file; keywords as for `quire.copy`."""
        from quire.toolkit.convert import request_of

        return self.carry_out(path, request_of(keywords), observer)

    def carry_out(self, path: str | Path, request: Request, observer: Observer | None = None) -> CopyReport:
        """Collective. Write the steps by a request; see `write`."""
        from quire.toolkit.convert import copy_open_file, requested_format
        from quire.toolkit.copier import StepCopier
        from quire.toolkit.replacing import refuse_overwriting
        from quire.toolkit.request import Observer

        name = requested_format(path, request)
        if self._file.rank == 0:
            refuse_overwriting(self._file.path, path, request.overwrite, name)
        copier = StepCopier(request, name, self._file.comm, observer or Observer())
        try:
            return copy_open_file(cast("File", self), path, copier)
        except TypeMismatchError as problem:
            found = OTHER_TYPE.fullmatch(problem.message)
            if found is None or problem.advice:
                raise
            cast_to = f"select --cast {problem.object}={found[1]}"
            raise TypeMismatchError(
                problem.message,
                file=problem.file,
                object=problem.object,
                advice=f"give it one type in all steps by {cast_to} before",
            ) from None

    def read(self, names: Names | None = None) -> dict[str, Array]:
        """Independent. Return the columns of the tables of all steps, one after another."""
        return joined(self._parts(names))

    def to_pandas(self, names: Names | None = None) -> Any:
        """Independent. Return the tables of all steps as a pandas DataFrame, with units in `attrs`.

        With several steps the index has their numbers and those of the rows.
        """
        from quire.io.pandas import frame_of

        pandas = require("pandas", "a chain for pandas")
        frames = {
            step.number: frame_of(columns, pandas.RangeIndex(len(table)), table)
            for step, table, columns in self._parts(names)
        }
        if len(frames) <= 1:
            return next(iter(frames.values()), pandas.DataFrame())
        return pandas.concat(frames, names=["step", "row"])

    def to_arrow(self, names: Names | None = None) -> Any:
        """Independent. Return the columns of all steps, as by `read`, as a pyarrow table, with units as
        metadata of the fields.
        """
        from quire.io.arrow import metadata_of
        from quire.io.pandas import series_values

        pyarrow = require("pyarrow", "a chain for Arrow")
        parts = self._parts(names)
        arrays = {name: pyarrow.array(series_values(values)) for name, values in joined(parts).items()}
        fields = [
            pyarrow.field(name, array.type, metadata=metadata_of(parts[0][1][name]))
            for name, array in arrays.items()
        ]
        return pyarrow.table(list(arrays.values()), schema=pyarrow.schema(fields))

    def _parts(self, names: Names | None) -> list[Part]:
        """Return the steps with their tables and columns in memory."""
        wanted = None if names is None else listed(names)
        found = ((step, self.table_of(step)) for step in self)
        return [(step, table, in_memory(table, wanted)) for step, table in found]


Part = tuple[StepLike, Any, dict[str, Array]]
"""A step, its table, and columns in memory."""


def joined(parts: Sequence[Part]) -> dict[str, Array]:
    """Independent. Return the columns of all parts, one after another. Raises ConflictError if they
    differ.
    """
    if not parts:
        return {}
    first = parts[0][2]
    odd = {name for _, _, columns in parts for name in columns.keys() ^ first.keys()}
    if odd:
        raise ConflictError(f"the steps have different columns: {', '.join(sorted(odd))}")
    if len(parts) == 1:
        return dict(first)
    return {name: np.concatenate(alike([columns[name] for _, _, columns in parts], name)) for name in first}
