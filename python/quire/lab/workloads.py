"""Workloads by name, their sizes, and how they grow and shrink."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from quire.errors import UsageError

KINDS = ("table", "field", "elements")
CONTENTS = ("random", "smooth", "constant")
IMBALANCES = ("even", "linear", "lognormal", "last-empty", "given")
DISTRIBUTIONS = ("contiguous", "random")
DECOMPOSITIONS = ("row", "column", "pattern", "chunk", "block3d")
LARGEST_MODES = 100
"""In each direction of an element, as the driver allows."""
MOST_BYTES = 2**63 - 1
"""What the library counts sizes and places with."""
SIZES_OF_KIND = {
    "table": ("rows", "columns", "steps"),
    "field": ("extents", "components", "decomposition", "fields", "steps"),
    "elements": ("elements", "variables", "modes", "steps"),
}
SHARED_KEYS = ("name", "kind", "content", "imbalance", "seed", "shares", "distribution", "subset", "compute")
BYTES_OF_TYPE = {
    "float64": 8, "float32": 4, "int64": 8, "uint64": 8, "int32": 4, "uint32": 4,
    "int16": 2, "uint16": 2, "int8": 1, "uint8": 1,
}  # fmt: skip


@cache
def named_workloads() -> Mapping[str, Mapping[str, Any]]:
    """Independent. The workloads that come with the package, by name."""
    text = (resources.files("quire.lab") / "workloads.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def one_of(value: str, allowed: tuple[str, ...], what: str) -> str:
    """Independent. The value itself. Raises UsageError if it is not among those allowed."""
    if value not in allowed:
        raise UsageError(f"there is no {what} '{value}'", advice=f"one of {', '.join(allowed)}")
    return value


def make_workload(given: Mapping[str, Any]) -> dict[str, Any]:
    """Independent. A complete workload of what a plan says: a named one with changes, or all sizes.

    Raises UsageError for unknown names and keys and for sizes that are missing or not positive.
    """
    base: Mapping[str, Any] = {}
    name = str(given.get("workload", given.get("name", "")))
    if "workload" in given:
        if name not in named_workloads():
            known = ", ".join(named_workloads())
            raise UsageError(f"there is no workload '{name}'", advice=f"one of {known}")
        base = {key: value for key, value in named_workloads()[name].items() if key != "about"}
    changes = {key: value for key, value in given.items() if key != "workload"}
    made: dict[str, Any] = {"content": "random", "imbalance": "even", "seed": 7, **base, **changes}
    made["name"] = str(given.get("name", name))
    if not made["name"] or "/" in made["name"]:
        raise UsageError("a workload needs a name without /")
    check_workload(made)
    return made


def check_workload(workload: Mapping[str, Any]) -> None:
    """Independent. Raises UsageError for what the driver would refuse."""
    kind = one_of(str(workload.get("kind", "")), KINDS, "kind of workload")
    one_of(str(workload["content"]), CONTENTS, "content")
    one_of(str(workload["imbalance"]), IMBALANCES, "imbalance")
    one_of(str(workload.get("distribution", "contiguous")), DISTRIBUTIONS, "distribution")
    check_shares(workload)
    sizes = SIZES_OF_KIND[kind]
    missing = [key for key in sizes if key not in workload]
    unknown = [key for key in workload if key not in (*sizes, *SHARED_KEYS)]
    if missing or unknown:
        wrong = f"lacks {', '.join(missing)}" if missing else f"has no {', '.join(unknown)}"
        raise UsageError(f"a workload of the kind {kind} {wrong}", object=str(workload["name"]))
    if kind == "field":
        one_of(str(workload["decomposition"]), DECOMPOSITIONS, "decomposition")
    if kind == "table":
        columns = sum(count for count, _ in column_types(str(workload["columns"])))
        if not 1 <= int(workload.get("subset", 1)) <= columns:
            raise UsageError(f"a subset has 1 to {columns} columns", object=str(workload["name"]))
    numbers = [value for key in sizes if isinstance(workload[key], list) for value in workload[key]]
    numbers += [workload[key] for key in sizes if not isinstance(workload[key], list | str)]
    numbers += [workload["compute"]] if "compute" in workload else []
    if any(isinstance(one, bool) or not isinstance(one, int) or one < 1 for one in numbers):
        raise UsageError("sizes are integers from 1", object=str(workload["name"]))
    if kind == "elements" and max(workload["modes"]) > LARGEST_MODES:
        raise UsageError(f"elements have up to {LARGEST_MODES} modes", object=str(workload["name"]))
    if max(payload_of(workload), *numbers) > MOST_BYTES:
        raise UsageError("is larger than 63 bits can count", object=str(workload["name"]))
    if payload_of(workload) < 1:
        raise UsageError("there is nothing to write", object=str(workload["name"]))


def check_shares(workload: Mapping[str, Any]) -> None:
    """Independent. Raises UsageError for a way to share that the kind has not, or that is not complete."""
    name, kind, shares = str(workload["name"]), workload["kind"], workload.get("shares")
    if (shares is not None) != (workload["imbalance"] == "given"):
        raise UsageError('shares, and nothing else, belong to imbalance = "given"', object=name)
    if kind == "field" and workload["imbalance"] != "even":
        raise UsageError("a field is divided by its decomposition: it has no imbalance", object=name)
    if kind != "elements" and "distribution" in workload:
        raise UsageError("only elements have a distribution", object=name)
    if kind != "table" and "subset" in workload:
        raise UsageError("only tables have a subset of columns", object=name)
    if shares is None:
        return
    if not isinstance(shares, list) or not shares:
        raise UsageError("shares are a list of numbers, one for each rank", object=name)
    if any(isinstance(one, bool) or not isinstance(one, int) or one < 0 for one in shares) or sum(shares) < 1:
        raise UsageError("shares are integers from 0, not all of them 0", object=name)


def column_types(columns: str) -> Iterator[tuple[int, str]]:
    """Independent. How many columns of which type: of `7xfloat64+1xint32`. Raises UsageError."""
    for part in columns.split("+"):
        count, times, name = part.partition("x")
        if not times or not count.isdigit() or name not in BYTES_OF_TYPE:
            raise UsageError(f"'{columns}' are not columns", advice="write 7xfloat64+1xint32")
        yield int(count), name


def payload_of(workload: Mapping[str, Any]) -> int:
    """Independent. Bytes of all values of all steps together."""
    steps = int(workload["steps"])
    if workload["kind"] == "table":
        row = sum(count * BYTES_OF_TYPE[name] for count, name in column_types(str(workload["columns"])))
        return steps * int(workload["rows"]) * row
    if workload["kind"] == "field":
        elements = math.prod(workload["extents"]) * int(workload["components"])
        return int(8 * steps * int(workload["fields"]) * elements)
    return (
        8 * steps * int(workload["variables"]) * coefficients_of(workload["modes"], int(workload["elements"]))
    )


def coefficients_of(modes: Sequence[int], elements: int) -> int:
    """Independent. Of one variable: elements take the numbers of modes in turn, the same in 3 directions."""
    turns, rest = divmod(elements, len(modes))
    return turns * sum(mode**3 for mode in modes) + sum(mode**3 for mode in modes[:rest])


def scaled(workload: Mapping[str, Any], share: float) -> dict[str, Any]:
    """Independent. A workload of about this share of the bytes: fewer rows or elements, shorter axes.

    All axes of a field change by the same factor. Nothing becomes smaller than 1.
    """
    if not share > 0 or not math.isfinite(share):
        raise UsageError(f"{share} is not a valid share of a size")
    made = dict(workload)
    if workload["kind"] == "table":
        made["rows"] = max(1, round(workload["rows"] * share))
    elif workload["kind"] == "elements":
        made["elements"] = max(1, round(workload["elements"] * share))
    else:
        extents = workload["extents"]
        factor = share ** (1 / len(extents))
        made["extents"] = [max(1, round(extent * factor)) for extent in extents]
    return made


def grown(workload: Mapping[str, Any], ranks: int) -> dict[str, Any]:
    """Independent. The same for each of so many ranks: more rows or elements, a longer slowest axis."""
    made = dict(workload)
    if workload["kind"] == "field":
        slowest, *others = workload["extents"]
        made["extents"] = [slowest * ranks, *others]
    else:
        key = "rows" if workload["kind"] == "table" else "elements"
        made[key] = workload[key] * ranks
    return made


def describe_workload(workload: Mapping[str, Any]) -> str:
    """Independent. The sizes in words."""
    steps = f", {workload['steps']} steps" if workload.get("steps", 1) > 1 else ""
    steps += f", {workload['compute']} times computed before each" if "compute" in workload else ""
    if workload["kind"] == "table":
        return f"{workload['rows']} rows of {workload['columns'].replace('x', ' ')}{steps}"
    if workload["kind"] == "field":
        extents = " x ".join(str(extent) for extent in workload["extents"])
        fields = f"{workload['fields']} fields of " if workload["fields"] > 1 else ""
        return f"{fields}{extents} float64, split by {workload['decomposition']}{steps}"
    modes = " to ".join(str(mode) for mode in sorted({min(workload["modes"]), max(workload["modes"])}))
    return f"{workload['elements']} elements of {modes} modes, {workload['variables']} variables{steps}"
