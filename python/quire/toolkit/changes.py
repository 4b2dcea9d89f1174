"""What is reported of a copy: what is lost, renamed, reshaped, added or changed, alike things together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from quire.io.fit import Change

MOST_NAMES = 8
"""So many things to which the same happens are named in one sentence."""

Group = tuple[str, str, str]
"""The kind of a change, what it happens to, and what happens."""


class ReportedChanges:
    """All changes that were reported, each once."""

    def __init__(self) -> None:
        self._groups: dict[Group, dict[str, str]] = {}

    def add(self, changes: Iterable[Change]) -> list[tuple[str, str]]:
        """Independent. Kinds and sentences of those that are new, one for all to which the same happens."""
        new: dict[Group, dict[str, str]] = {}
        for change in changes:
            group = change.kind, change.object, change.what
            known = self._groups.setdefault(group, {})
            if change.name not in known:
                known[change.name] = change.now
                new.setdefault(group, {})[change.name] = change.now
        return [(kind, sentence(object, names, what)) for (kind, object, what), names in new.items()]

    def sentences(self, *kinds: str) -> list[str]:
        """Independent. The sentences about all changes of these kinds."""
        return [
            sentence(object, names, what)
            for (kind, object, what), names in self._groups.items()
            if kind in kinds
        ]

    def single_sentences(self) -> Iterator[str]:
        """Independent. A sentence about each single thing."""
        for (_, object, what), names in self._groups.items():
            for name, now in names.items():
                yield sentence(object, {name: now}, what)


def sentence(object: str, names: Mapping[str, str], what: str) -> str:
    """Independent. What happens to things of these names, each with its new name if it has one."""
    if not object:
        return what
    shown = ", ".join([f"{name} (now {now})" if now else name for name, now in names.items()][:MOST_NAMES])
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    # Of "attribute of the file" names follow the first word.
    noun, of, whole = object.partition(" of ")
    several = "s" if len(names) > 1 else ""
    return f"{noun}{several} {shown}".rstrip() + f"{more}{of}{whole}: {what}"


def lost(object: str, name: str, what: str) -> Change:
    """Independent. Something that the target does not have, or not as it was."""
    return Change("lost", object, name, "", what)


def changed(what: str, object: str = "", name: str = "") -> Change:
    """Independent. Something that is otherwise because it was asked for, or because a program needs it so."""
    return Change("changed", object, name, "", what)
