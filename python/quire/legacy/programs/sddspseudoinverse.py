"""sddspseudoinverse: specs/sdds-toolkit.md, section 7.2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from quire.legacy.acts.matrices import pseudo_inverse
from quire.legacy.acts.verbs import Names
from quire.legacy.grammar import integer, number, parse
from quire.legacy.programs.common import major_order
from quire.legacy.running import writing
from quire.legacy.translation import Act, Translation

PROGRAM: Final = "sddspseudoinverse"

REFUSED: Final = (
    "weights", "correctorWeights", "uMatrix", "vMatrix", "sFile", "reconstruct", "multiplyMatrix",
    "newColumnNames", "symbol",
)  # fmt: skip

OPTIONS: Final = (
    "minimumSingularValueRatio", "largestSingularValues", "smallestSingularValues", "deleteVectors",
    "tikhonov", "oldColumnNames", "root", "digits", "economy", "ascii", *REFUSED, "noWarnings", "majorOrder",
    "threads", "verbose",
)  # fmt: skip

COUNTS: Final = {"largestSingularValues": "largest", "smallestSingularValues": "smallest"}


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    line.refuse(REFUSED)
    how: dict[str, Any] = {}
    if option := line.last("minimumSingularValueRatio"):
        how["ratio"] = number(option.item(0, "the ratio"), option)
    for keyword, name in COUNTS.items():
        if option := line.last(keyword):
            how[name] = integer(option.item(0, "the number of singular values"), option)
    if option := line.last("deleteVectors"):
        how["remove"] = tuple(integer(item, option) for item in option.items)
    if option := line.last("tikhonov"):
        given = option.qualified(0, ("SVNumber", "alpha", "beta"))
        if "SVNumber" in given.values or len(given.values) != 1:
            raise option.wrong("one of alpha=NUMBER and beta=NUMBER is translated")
        how |= {name: given.number(name) for name in given.values}
    root = option.item(0, "the name") if (option := line.last("root")) else "Column"
    digits = integer(option.item(0, "the number of digits"), option) if (option := line.last("digits")) else 3
    option = line.last("oldColumnNames")
    names = Names(
        {"name": (option.item(0, "the name") if option else "OldColumnNames",)},
        {
            "modes_used": ("NumberOfSingularValuesUsed",),
            "modes_removed": (),
            "condition": ("ConditionNumber",),
        },
    )
    options = how | ({"remove": ",".join(map(str, how["remove"]))} if "remove" in how else {})
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    act = Act(
        pseudo_inverse,
        (how, names, root, digits),
        words=("matrix", "pseudo-inverse", *words, *names.words),
        note=f"{names.note}; columns of rows without names are called row0, row1 ...",
    )
    source, end = writing(line, {"mode": "ascii" if line.last("ascii") else "binary"} | major_order(line))
    return Translation(PROGRAM, source, [act], end)
