"""Change pages by a verb, and give its results the names that old programs have for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from quire.legacy.acts.elements import reader
from quire.legacy.pages import Page, Pages, made_page
from quire.toolkit.selection import matches
from quire.verbs.select import middle
from quire.verbs.steplike import MadeTable, NewColumn, StepLike

BETWEEN: Final = "/"
"""What is between two verbs."""
OTHER_ATTRIBUTES: Final = "attributes have the names of Quire: the shim gives them those of the old program"


@dataclass(frozen=True)
class Names:
    """New names by those that a verb gives its results; the first that matches holds.

    A `*` in both is the same text. No new name leaves an element out, several repeat it; what nothing matches
    keeps its name.
    """

    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    parameters: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def words(self) -> tuple[str, ...]:
        """The verb that gives columns these names, after another verb; none is left out."""
        pairs = [(old, new[0]) for old, new in self.columns.items() if len(new) == 1 and old != new[0]]
        return (
            (BETWEEN, "select", *(word for pair in pairs for word in ("--rename", "=".join(pair))))
            if pairs
            else ()
        )

    @property
    def note(self) -> str:
        """What is different after the verb alone."""
        return OTHER_ATTRIBUTES if self.parameters else ""

    def of(self, page: Page) -> StepLike:
        """Independent. Return a page with the new names."""
        table = page.table
        columns = [
            NewColumn.like(table[name], reader(table, name), new)
            for name in table
            for new in new_names(name, self.columns)
        ]
        attributes = [
            replace(one, name=new)
            for one in page.step.attrs.info.values()
            for new in new_names(one.name, self.parameters)
        ]
        return made_page(page, MadeTable(columns, len(table), table.name), attributes)


def new_names(name: str, rules: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """Independent. Return the new names of an element."""
    for pattern, new in rules.items():
        if matches(name, [pattern]):
            inside = middle(name, pattern) if "*" in pattern else ""
            return [one.replace("*", inside) for one in new]
    return [name]


def by_verb(
    pages: Pages,
    verb: str,
    arguments: Sequence[Any] = (),
    keywords: Mapping[str, Any] | None = None,
    names: Names | None = None,
) -> Pages:
    """Independent. Change pages by a verb, and rename its results."""
    made: Pages = getattr(pages, verb)(*arguments, **(keywords or {}))
    return made if names is None else made.each_page(names.of)


def by_verb_and_file(
    pages: Pages,
    others: Sequence[Pages],
    verb: str,
    keywords: Mapping[str, Any] | None = None,
    names: Names | None = None,
) -> Pages:
    """Independent. Change pages by a verb that reads another file, and rename its results."""
    return by_verb(pages, verb, others, keywords, names)
