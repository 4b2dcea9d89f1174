"""Reports of a copy: what is lost, renamed, reshaped, added or changed, with equal changes combined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from quire.io.fit import Change

MOST_NAMES = 8
"""Maximum number of names in one sentence."""

Group = tuple[str, str, str]
"""The kind of a change, the kind of object, and the change."""


class ReportedChanges:
    """The changes that were reported, each once."""

    def __init__(self) -> None:
        self._groups: dict[Group, dict[str, str]] = {}

    def add(self, changes: Iterable[Change]) -> list[tuple[str, str]]:
        """Independent. Add changes; returns kinds and sentences of new ones, combined for equal changes."""
        new: dict[Group, dict[str, str]] = {}
        for change in changes:
            group = change.kind, change.object, change.what
            known = self._groups.setdefault(group, {})
            if change.name not in known:
                known[change.name] = change.now
                new.setdefault(group, {})[change.name] = change.now
        return [(kind, sentence(object, names, what)) for (kind, object, what), names in new.items()]

    def sentences(self, *kinds: str) -> list[str]:
        """Independent. Return the sentences of all changes of these kinds."""
        return [
            sentence(object, names, what)
            for (kind, object, what), names in self._groups.items()
            if kind in kinds
        ]

    def single_sentences(self) -> Iterator[str]:
        """Independent. Return one sentence for each object."""
        for (_, object, what), names in self._groups.items():
            for name, now in names.items():
                yield sentence(object, {name: now}, what)


def sentence(object: str, names: Mapping[str, str], what: str) -> str:
    """Independent. Return a sentence for a change of objects, with their new names if any."""
    if not object:
        return what
    shown = ", ".join([f"{name} (now {now})" if now else name for name, now in names.items()][:MOST_NAMES])
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    # In "attribute of the file" names follow the first word.
    noun, of, whole = object.partition(" of ")
    several = "s" if len(names) > 1 else ""
    return f"{noun}{several} {shown}".rstrip() + f"{more}{of}{whole}: {what}"


def lost(object: str, name: str, what: str) -> Change:
    """Independent. Return the loss of an object in the target."""
    return Change("lost", object, name, "", what)


def converted(what: str, object: str, name: str) -> Change:
    """Independent. Return the conversion of an object to another unit, type or convention."""
    return Change("converted", object, name, "", what)


def added(what: str, object: str, name: str) -> Change:
    """Independent. Return the addition of an object that a program needs."""
    return Change("added", object, name, "", what)


def unread(program: str, object: str, name: str) -> Change:
    """Independent. Return that an object is left out, because a program has no use for it."""
    return Change("left out", object, name, "", f"not read by {program}")


def changed(what: str, object: str = "", name: str = "") -> Change:
    """Independent. Return the change of an object that was requested, or that a program needs."""
    return Change("changed", object, name, "", what)
