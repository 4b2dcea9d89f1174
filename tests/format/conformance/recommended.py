"""Vectors whose truth shows a defect of the reference, and the values that should be read instead."""

from __future__ import annotations

from collections.abc import Callable

from tests.format.conformance.vectors import Truth


def _long_comment(truth: Truth) -> None:
    # The reference reads the end of a long comment as data; there are two rows.
    page = truth["pages"][0]
    page.update(status="ok", rows=2)
    page["columns"] = {"x": {"values": ["0x1p+0", "0x1p+1"]}, "s": {"values": ["a", "b"]}}
    truth["end"] = "eof"


CHANGES: dict[str, Callable[[Truth], None]] = {
    "asc_long_comment_refbug.sdds": _long_comment,
}


def recommended(name: str, truth: Truth) -> Truth:
    """The truth of a vector, corrected if it shows a defect."""
    if name in CHANGES:
        CHANGES[name](truth)
    return truth
