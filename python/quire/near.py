"""Messages about names that do not exist: with near names, or a list of all if there are few."""

from __future__ import annotations

from collections.abc import Sequence

MOST_LISTED = 12
LONGEST = 200
"""Of longer names none is near: a comparison would take long."""


def near_names(wrong: object, known: Sequence[str], most: int = 3) -> list[str]:
    """Independent. Return the names that are most like a wrong one, also those that differ in case alone."""
    import difflib

    if len(str(wrong)) > LONGEST:
        return []
    by_lower: dict[str, list[str]] = {}
    for name in known:
        by_lower.setdefault(name.lower(), []).append(name)
    found = difflib.get_close_matches(str(wrong).lower(), by_lower, most, 0.6)
    return [name for lower in found for name in by_lower[lower]][:most]


def there_is_no(what: str, wrong: object, known: Sequence[str], where: str = "") -> str:
    """Independent. Return a sentence about a name that does not exist: with near names if there are any, and
    the names that exist. Of many the first are listed.
    """
    listed = ", ".join(name or "one without a name" for name in known[:MOST_LISTED]) or "none"
    if len(known) > MOST_LISTED:
        listed += f" and {len(known) - MOST_LISTED} more"
    near = near_names(wrong, known)
    hint = f" (nearest: {', '.join(near)})" if near else ""
    return f"there is no {what} '{wrong}'{where}{hint}; there are: {listed}"
