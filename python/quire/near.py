"""Messages about names that do not exist: with near names, or a list of all if there are few."""

from __future__ import annotations

from collections.abc import Sequence

MOST_LISTED = 12


def near_names(wrong: object, known: Sequence[str], most: int = 3) -> list[str]:
    """Independent. Return the names that are most like a wrong one, also those that differ in case alone."""
    from quire import _core  # a command with the right words may need none of it

    names = [name for name in known if name == as_unicode(name)]
    return _core.near_names(as_unicode(str(wrong)), names, most)


def as_unicode(name: str) -> str:
    """Independent. Return a name in which what is no character, as in names of files, is a question mark."""
    return name.encode("utf-8", "replace").decode("utf-8")


def there_is_no(what: str, wrong: object, known: Sequence[str], where: str = "") -> str:
    """Independent. Return a sentence about a name that does not exist: with near names if there are any, and
    the names that exist. Of many the first are listed.
    """
    near = near_names(wrong, known)
    hint = f" (nearest: {', '.join(near)})" if near else ""
    return f"there is no {what} '{wrong}'{where}{hint}; there are: {listed_names(known)}"


def listed_names(known: Sequence[str]) -> str:
    """Independent. Return the names that exist, of many the first and the number of the others."""
    listed = ", ".join(name or "one without a name" for name in known[:MOST_LISTED]) or "none"
    if len(known) > MOST_LISTED:
        listed += f" and {len(known) - MOST_LISTED} more"
    return listed
