"""What a copy of a file is asked for, what it tells while it goes on, and what it reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from quire.toolkit.changes import ReportedChanges
from quire.toolkit.selection import StepSelection

if TYPE_CHECKING:
    from quire.errors import Error
    from quire.toolkit.define import Definition
    from quire.toolkit.profiles import Profile


@dataclass(frozen=True)
class Request:
    """What is copied, and how it is written.

    `columns` are names or patterns, kept where a table has them; `rows` is a slice of every table.
    `options` are those of the target format, `source_options` those of the reader. `definitions` add to the
    steps, `step_definitions` behind them to single ones, by the index of the step in the file; `replace`
    lets them take the place of what is there. Of the one table, or that of the name `table`, only rows for
    which `where` holds are kept; with `only_table` no other table is copied, and no field but for a
    `profile` (see `names_only_table`); with `drop_empty` steps without such rows are left out.
    `single_values` leaves attributes with several values out, `dropped_attributes` those of a step with
    these names, `dropped_columns` such columns; `place_fields` gives fields that do not say where they lie
    origin 0 and spacing 1; `renumber` numbers steps from 0;
    `same_files` makes streams of a set of files such a set again. A `profile` says what a program wants.
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
    same_files: bool = False
    profile: Profile | None = None


def names_only_table(table: str, where: str | None, rows: slice, profile: Profile | None) -> bool:
    """Independent. Whether the table that a copy names is the only one that is copied.

    Where a condition or rows are given the name tells which table is meant, and the others go along. A
    program reads one table: it is the one that is named.
    """
    return table != "" and (profile is not None or (where is None and rows == slice(None)))


@dataclass
class CopyReport:
    """What was copied, and what was otherwise in the target."""

    steps: int = 0
    rows: int = 0
    streams: int = 0
    stream_bytes: int = 0
    dropped_steps: int = 0
    reported: ReportedChanges = field(default_factory=ReportedChanges)
    unreadable: dict[int, Error] = field(default_factory=dict)
    """By number, damaged steps of the source that were left out, as far as they were asked for."""

    @property
    def losses(self) -> list[str]:
        """Sentences about what the target could not hold, one for all to which the same happened."""
        return self.reported.sentences("lost")

    @property
    def renamed(self) -> list[str]:
        """The same about what got another name."""
        return self.reported.sentences("renamed")

    @property
    def reshaped(self) -> list[str]:
        """The same about what is held in another way, with the same values."""
        return self.reported.sentences("reshaped")

    @property
    def changes(self) -> list[str]:
        """The same about what was added, and changed because it was asked for."""
        return self.reported.sentences("added", "changed")


@dataclass(frozen=True)
class Observer:
    """Who wants to know how a copy goes on; each function may be missing.

    `change` gets each new sentence about what will be otherwise in the target, before the step is written,
    with its kind (see `quire.io.fit.Change`); `plan` the number of rows that this rank will copy of each
    step; `progress` the number of rows of each finished block; `closing` the file and the writer, each with
    its name, before they are closed; `warning` each new warning about the source, as the reader has it.
    """

    change: Callable[[str, str], None] | None = None
    plan: Callable[[int], None] | None = None
    progress: Callable[[int], None] | None = None
    closing: Callable[[Any, str], None] | None = None
    warning: Callable[[str], None] | None = None
