"""sddssampledist: specs/sdds-toolkit.md, section 7.1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from quire.errors import UsageError
from quire.legacy.acts.sampling import Tabulated, draw_pages
from quire.legacy.grammar import Option, integer, number, parse
from quire.legacy.programs.common import major_order
from quire.legacy.running import target_of, writing
from quire.legacy.translation import Act, NewData, Translation

PROGRAM: Final = "sddssampledist"

DISTRIBUTIONS: Final = {
    "gaussian": ("meanValue", "sigmaValue"),
    "uniform": ("minimumValue", "maximumValue"),
    "poisson": ("meanValue",),
}
"""Named distributions with their arguments, in the order that Quire has them."""

OPTIONS: Final = (
    "columns", "samples", "seed", *DISTRIBUTIONS, "optimalHalton", "verbose", "noWarnings", "majorOrder",
    "threads",
)  # fmt: skip

KEYS: Final = (
    "independentVariable", "df", "cdf", "output", "units", "factor", "offset", "datafile", "haltonRadix",
    "haltonOffset", "group",
)  # fmt: skip


def translate(words: Sequence[str]) -> Translation:
    """Independent. Translate the arguments of the program."""
    line = parse(PROGRAM, OPTIONS, words)
    line.refuse(("optimalHalton",))
    samples = line.required("samples")
    rows = integer(samples.item(0, "the number of samples"), samples)
    option = line.last("seed")
    seed = {} if option is None else {"seed": integer(option.item(0, "the seed"), option)}
    named = [definition(one) for one in line.options if one.keyword in DISTRIBUTIONS]
    tabulated = [of_columns(one) for one in line.each("columns")]
    options = {"mode": "binary"} | major_order(line)
    if not tabulated:
        if not named:
            raise UsageError("a distribution is needed: -columns, -gaussian, -uniform or -poisson")
        new = NewData(named, {"rows": rows} | seed)
        return Translation(PROGRAM, "", [], target_of(line, options), new=new)
    source, end = writing(line, options)
    return Translation(PROGRAM, source, [Act(draw_pages, (rows, tabulated, named, *seed.values()))], end)


def definition(option: Option) -> str:
    """Independent. Return a named distribution as `quire.new` has it."""
    keys = DISTRIBUTIONS[option.keyword]
    given = option.qualified(0, ("columnName", "units", *keys))
    name = given.get("columnName")
    missing = [key for key in ("columnName", *keys) if key not in given.values]
    if missing:
        raise option.wrong(f"{', '.join(missing)} is missing")
    unit = f"[{given.get('units')}]" if given.get("units") else ""
    values = [given.get(key) for key in keys]
    for text in values:
        if text.startswith("@"):
            raise option.wrong("the value of a parameter is not translated")
        number(text, option)
    return f"{name}{unit}={option.keyword}({','.join(values)})"


def of_columns(option: Option) -> Tabulated:
    """Independent. Return a distribution in columns of the input."""
    given = option.qualified(0, KEYS, ("randomize",))
    if given.get("datafile"):
        raise option.wrong("the distribution in another file is not translated: give it as the input")
    x, density, cumulative = (given.get(key) for key in ("independentVariable", "df", "cdf"))
    if not x or bool(density) == bool(cumulative):
        raise option.wrong("independentVariable=NAME, and df=NAME or cdf=NAME are needed")
    further: dict[str, Any] = {
        "unit": given.values.get("units"),
        "factor": given.number("factor"),
        "offset": given.number("offset"),
        "radix": given.integer("haltonRadix"),
        "halton_offset": given.integer("haltonOffset"),
        "shuffle": (given.integer("group") or 0) if "randomize" in given.flags else None,
    }
    set_ones = {key: value for key, value in further.items() if value is not None}
    return Tabulated(given.get("output", x), x, density or cumulative, bool(density), **set_ones)
