"""A request adapted to a program: the definitions that make its columns, and what they change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from quire.io.lazy import found_once
from quire.toolkit.changes import added, changed, converted, lost
from quire.toolkit.definitions import Definition
from quire.toolkit.selection import joined_conditions

if TYPE_CHECKING:
    from quire.io.fit import Change
    from quire.toolkit.conversion import Conversion
    from quire.toolkit.request import Request

MOST_NUMBERS = 8
"""Maximum number of steps to name."""


@dataclass
class Adaptation:
    """A request adapted to a program, with its changes and losses."""

    base: Request
    steps: int
    definitions: list[Definition] = field(default_factory=list)
    step_definitions: dict[int, list[Definition]] = field(default_factory=dict)
    losses: list[Change] = field(default_factory=list)
    reference_rows: dict[int, Mapping[str, float]] = field(default_factory=dict)
    """Rows that precede those of a step, by its index."""
    _reported: dict[Change, list[int]] = field(default_factory=dict)
    _conditions: set[str] = field(default_factory=set)

    def report(self, change: Change, step: int | None = None) -> None:
        """Independent. Record a change, in a step or in the file."""
        numbers = self._reported.setdefault(change, [])
        if step is not None:
            numbers.append(step)

    def convert(self, program: str, index: int, step: int, conversion: Conversion) -> None:
        """Independent. Add the conversion of the particles of a step."""
        self.reference_rows[index] = conversion.reference_row
        self.step_definitions.setdefault(index, []).extend(conversion.definitions)
        for name, text in conversion.columns.items():
            if text:
                self.report(converted(text, "column", name), step)
        for name in conversion.attributes:
            self.report(added("computed from the particles", "attribute", name), step)
        for note in conversion.notes:
            self.report(changed(note), step)
        if conversion.condition:
            if conversion.condition not in self._conditions:
                self._conditions.add(conversion.condition)
                where = self.base.where
                self.base = replace(self.base, where=joined_conditions(where, conversion.condition))
            self.report(changed("lost particles are left out"), step)
        self.losses += [
            lost("column", name, f"left out: {program} has no place for the {name} of each particle")
            for name in conversion.losses
        ]

    @property
    def changes(self) -> list[Change]:
        """The losses and changes, with the steps unless they apply to all."""
        return self.losses + [
            change if len(numbers) in (0, self.steps) else in_steps(change, numbers)
            for change, numbers in self._reported.items()
        ]

    @found_once
    def request(self) -> Request:
        """The request with its definitions."""
        return replace(
            self.base,
            definitions=tuple(self.definitions),
            step_definitions={index: tuple(made) for index, made in self.step_definitions.items() if made},
        )


def in_steps(change: Change, numbers: Sequence[int]) -> Change:
    """Independent. Return the same change for some steps only."""
    steps = named_steps(numbers)
    if not change.object:
        return replace(change, what=f"{steps}: {change.what}")
    return replace(change, object=f"{steps}: {change.object}")


def named_steps(numbers: Sequence[int]) -> str:
    """Independent. Return the numbers of steps as text, shortened if there are many."""
    shown = ", ".join(map(str, numbers[:MOST_NUMBERS]))
    more = f" and {len(numbers) - MOST_NUMBERS} more" if len(numbers) > MOST_NUMBERS else ""
    return f"step {shown}" if len(numbers) == 1 else f"steps {shown}{more}"
