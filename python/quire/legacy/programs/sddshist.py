"""sddshist: specs/sdds-toolkit.md, section 7.3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from quire.legacy.acts.verbs import Names, by_verb
from quire.legacy.grammar import integer, number, parse
from quire.legacy.programs.common import major_order
from quire.legacy.running import writing
from quire.legacy.translation import Act, Translation

PROGRAM: Final = "sddshist"

REFUSED: Final = ("regions", "expand", "filter", "statistics")

OPTIONS: Final = (
    "dataColumn", "bins", "sizeOfBins", "lowerLimit", "upperLimit", "weightColumn", "normalize", "sides",
    "cdf", *REFUSED, "noWarnings", "majorOrder", "threads",
)  # fmt: skip

NORMS: Final = ("none", "sum", "area", "peak")


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    line.refuse(REFUSED)
    column = line.required("dataColumn").item(0, "the column")
    how: dict[str, Any] = {}
    given: list[str] = []
    if option := line.last("bins"):
        how["bins"] = integer(option.item(0, "the number of bins"), option)
        given += ["--bins", str(how["bins"])]
    if option := line.last("sizeOfBins"):
        how["width"] = number(option.item(0, "the size of bins"), option)
        given += ["--width", str(how["width"])]
    limits = [number(option.item(0, "the limit"), option) if (option := line.last(name)) else None
              for name in ("lowerLimit", "upperLimit")]  # fmt: skip
    if limits != [None, None]:
        how["limits"] = tuple(limits)
        given.append(f"--range={':'.join('' if one is None else str(one) for one in limits)}")
    if option := line.last("weightColumn"):
        how["weight"] = option.item(0, "the column")
        given += ["--weight", how["weight"]]
    if option := line.last("normalize"):
        norm = option.choice(0, NORMS, "norm") if option.items else "sum"
        how |= {} if norm == "none" else {"norm": norm}
        given += ["--norm", norm] if "norm" in how else []
    for name in ("sides", "cdf"):
        if option := line.last(name):
            if option.items:
                raise option.wrong("an argument is not translated")
            how[name] = True
            given.append(f"--{name}")
    cdf = {f"{column}_cdf": (f"{column}Cdf",)} if "cdf" in how else {}
    names = Names(
        {f"{column}_frequency": ("frequency",)} | cdf,
        {
            f"{column}_bins": ("sddshistBins",),
            f"{column}_bin_size": ("sddshistBinSize",),
            f"{column}_outside": (),
        },
    )
    act = Act(
        by_verb,
        ("hist", (column,), how, names),
        words=("hist", column, *given, *names.words),
        note=names.note,
    )
    source, end = writing(line, {"mode": "binary"} | major_order(line))
    return Translation(PROGRAM, source, [act], end)
