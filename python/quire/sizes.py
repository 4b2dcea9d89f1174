"""Sizes in bytes, as people write and read them."""

from __future__ import annotations

import re

from quire.errors import UsageError

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
BINARY = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def parse_size(text: str) -> int:
    """Independent. `5.5GB`, `64MiB`, `1000` as bytes. Raises UsageError."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?", text.strip().lower())
    factor = ({**UNITS, **BINARY}).get(found[2]) if found else None
    if found is None or factor is None:
        raise UsageError(
            f"'{text}' is not a size", advice="write bytes, or a number with kB, MB, GB, KiB, MiB, GiB"
        )
    return int(float(found[1]) * factor)


def size_text(bytes: float) -> str:
    """Independent. A size for people, in powers of 1000."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if bytes >= size:
            return f"{bytes / size:.3g} {unit}"
    return f"{bytes:g} bytes"
