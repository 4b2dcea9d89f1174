"""Requests, observers and reports of copies of files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from quire.toolkit.changes import ReportedChanges
from quire.toolkit.selection import StepSelection

if TYPE_CHECKING:
    from quire.errors import Error
    from quire.toolkit.definitions import Defined, Definition
    from quire.toolkit.profiles import Profile


@dataclass(frozen=True)
class Request:
    """What is copied, and how it is written.

    `columns` are names or patterns; `rows` is a slice of all tables. `options` are those of the target
    format, `source_options` those of the reader. `definitions` are added to all steps, `step_definitions`
    after them to single steps, by the index of the step in the file; with `replace` they may replace existing
    objects. `where` selects rows of the only table, or of `table`. With `only_table` no other table is
    copied, and fields only for a `profile` (see `names_only_table`). With `drop_empty` steps without selected
    rows are left out. `single_values` leaves out attributes with several values, `dropped_attributes` and
    `dropped_columns` attributes and columns of these names. `place_fields` gives fields without coordinates
    origin 0 and spacing 1. `renumber` numbers steps from 0. `new_table` is the name in the target of the only
    table, or of `table`; attributes whose names begin with that of the table get it, too. `file_attributes`
    are set in addition to those of the file, if it has none of this name and the target can store them.
    `same_files` writes streams of a set of files to such a set. A `profile` describes the requirements of a
    program; `convention` and `species` what the columns of particles mean, if it is not recognised. If it is
    `strict`, NaN in the results of definitions and in columns that `where` uses are an error.
    """

    format: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    source_options: Mapping[str, Any] = field(default_factory=dict)
    steps: StepSelection = field(default_factory=StepSelection)
    columns: Sequence[str] | None = None
    rows: slice = field(default_factory=lambda: slice(None))
    transport: str = "posix"
    durable: bool = False
    lossy: bool = False
    overwrite: bool = False
    where: str | None = None
    table: str = ""
    only_table: bool = False
    drop_empty: bool = False
    definitions: tuple[Definition, ...] = ()
    step_definitions: Mapping[int, tuple[Definition, ...]] = field(default_factory=dict)
    replace: bool = False
    single_values: bool = False
    dropped_attributes: frozenset[str] = frozenset()
    dropped_columns: frozenset[str] = frozenset()
    place_fields: bool = False
    renumber: bool = False
    new_table: str = ""
    file_attributes: Mapping[str, str] = field(default_factory=dict)
    same_files: bool = False
    profile: Profile | None = None
    convention: str | None = None
    species: str | None = None
    strict: bool = False


class CopyKeywords(TypedDict, total=False):
    """The keywords of `quire.copy`: what is copied, and how it is written."""

    format: str | None
    """Format of the target. Default: by its suffix."""
    steps: str | StepSelection | None
    """Numbers of steps, as on the command line: "1,4-8"."""
    columns: Sequence[str] | None
    """Names or patterns of columns, and of variables of elements."""
    rows: slice | None
    """Rows of all tables."""
    where: str | None
    """An expression; only rows that satisfy it are copied."""
    table: str
    """Name of the only table to copy, without fields; a table of coefficients includes the table of its
    elements. With `where` or `rows` the table that they apply to; all others are copied as well. With
    `program` the table that it reads; fields are copied as well."""
    program: str | None
    """Profile of a program that reads the target; see `quire.toolkit.profiles`."""
    convention: str | None
    """Phase-space convention of the columns, for a program that reads another one. Default: recognised."""
    species: str | None
    """Species of the particles. Default: as the file states or the convention implies."""
    transport: str
    durable: bool
    lossy: bool
    """Whether values may change."""
    overwrite: bool
    """Whether an existing target is replaced."""
    options: Mapping[str, Any]
    """Options of the format's writer, as for `quire.create`: {"compression": "gzip"}."""


def names_only_table(table: str, where: str | None, rows: slice, profile: Profile | None) -> bool:
    """Independent. Return whether only the named table is copied.

    With a condition or rows the name selects the table that they apply to, and the others are copied as well.
    A program reads only the named table.
    """
    return table != "" and (profile is not None or (where is None and rows == slice(None)))


@dataclass
class CopyReport:
    """What was copied, and the differences in the target."""

    steps: int = 0
    rows: int = 0
    streams: int = 0
    stream_bytes: int = 0
    dropped_steps: int = 0
    reported: ReportedChanges = field(default_factory=ReportedChanges)
    unreadable: dict[int, Error] = field(default_factory=dict)
    """Damaged steps of the source that were selected and left out, by number."""
    defined: dict[str, Defined] = field(default_factory=dict)
    """What definitions made, by name, in the first step that has it."""

    @property
    def losses(self) -> list[str]:
        """Messages about objects that the target could not store, combined for equal reasons."""
        return self.reported.sentences("lost")

    @property
    def renamed(self) -> list[str]:
        """Messages about renamed objects."""
        return self.reported.sentences("renamed")

    @property
    def reshaped(self) -> list[str]:
        """Messages about objects that are stored in another way, with the same values."""
        return self.reported.sentences("reshaped")

    @property
    def changes(self) -> list[str]:
        """Messages about what is added, converted or left out, as requested or for a program."""
        return self.reported.sentences("added", "converted", "left out", "changed")


@dataclass(frozen=True)
class Observer:
    """Functions that are called during a copy; all are optional.

    `change` is called with the kind (see `quire.io.fit.Change`) and message of each new change, before the
    step is written; `plan` with the number of rows of each step that this rank copies; `progress` with the
    number of rows of each block; `closing` with the file and the writer, each with its name, before they are
    closed; `warning` with each new warning about the source.
    """

    change: Callable[[str, str], None] | None = None
    plan: Callable[[int], None] | None = None
    progress: Callable[[int], None] | None = None
    closing: Callable[[Any, str], None] | None = None
    warning: Callable[[str], None] | None = None
