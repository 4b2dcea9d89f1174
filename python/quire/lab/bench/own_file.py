"""A file of the user as workload: its sizes and shapes, not its values."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from quire.errors import UnsupportedError
from quire.lab.workloads import BYTES_OF_TYPE, check_workload

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from quire import Expansion, Field, Step, Table


MOST_MODES = 100
"""The number of modes that represent the orders of all elements."""


def workload_of_file(path: str, name: str = "") -> dict[str, Any]:
    """Independent. What the first step of a file holds most of, as many steps as the file has.

    Streams come first, as bytes, then coefficients on elements, then the largest table, then the largest
    field. Text has no size of its own and is left out. If the file records the parts of its writers,
    so many ranks have the same; others share evenly. Raises UnsupportedError if there is nothing of these
    kinds.
    """
    from pathlib import Path

    import quire

    with quire.open(path, quire.SELF) as file:
        steps = len(file)
        sizes = sizes_of_step(file[0]) if steps else None
        if sizes is not None and sizes["kind"] == "elements":
            members = [Path(path) / name for name in file.members]
            of_members = shares_of_members(members, sizes["elements"]) if len(members) > 2 else {}
            sizes |= of_members or shares_of_blocks(path, file.format, sizes["elements"])
    if sizes is None:
        raise UnsupportedError(
            "holds no elements, no table of numbers and no field to take sizes from", file=path
        )
    shared = {"content": "random", "imbalance": "even", "seed": 7}
    made = {"name": name or Path(path).name, **shared, **sizes, "steps": steps}
    check_workload(made)
    return made


def sizes_of_step(step: Step) -> dict[str, Any] | None:
    """Independent. Kind and sizes of what a step holds most of; None if there is none."""
    if len(step.streams):
        return sizes_of_streams(step)
    expansions = [one for one in step.expansions if len(one)]
    if expansions:
        return sizes_of_elements(expansions)
    tables = [one for one in step.tables.values() if len(one) and columns_of(one)]
    if tables:
        table = max(tables, key=len)
        return {"kind": "table", "rows": len(table), "columns": columns_of(table)}
    fields = [one for one in step.fields.values() if math.prod(one.extents)]
    return sizes_of_field(max(fields, key=lambda one: math.prod(one.extents)), fields) if fields else None


def sizes_of_streams(step: Step) -> dict[str, Any] | None:
    """Independent. The bytes of all streams as rows of a byte, shared as the writers had them."""
    import numpy as np

    lengths = np.asarray(step.table["bytes"].read())[np.argsort(step.streams.ranks, kind="stable")]
    if not lengths.sum():
        return None
    return {"kind": "table", "rows": int(lengths.sum()), "columns": "1xuint8", **shares_of(lengths.tolist())}


def shares_of_members(paths: Sequence[Path], elements: int) -> dict[str, Any]:
    """Independent. How many elements each file of a directory holds, which its writers filled one each;
    nothing if they cannot be read alone or do not hold all elements together.
    """
    import quire

    counts: list[int] = []
    for path in paths:
        try:
            with quire.open(path, quire.SELF) as file:
                counts.append(sum(len(one) for one in file[0].expansions))
        except quire.Error:
            continue  # holds no elements by itself
    if sum(counts) == 2 * elements and elements in counts:
        counts.remove(elements)  # what lists the others is read as all of them
    return shares_of(counts) if sum(counts) == elements else {}


def shares_of_blocks(path: str, format: str, elements: int) -> dict[str, Any]:
    """Independent. How many elements each writer of one file had, as far as its blocks show; nothing if the
    format joins them, or they do not hold all elements together.
    """
    import quire
    from quire.io.formats import format_info

    options = format_info(format).read_options
    if not any(one.name == "blocks" and "each" in one.choices for one in options):
        return {}
    with quire.open(path, quire.SELF, blocks="each") as file:
        blocks = [(kind_of(one), len(one)) for one in file[0].expansions]
    counts = counts_of_writers(blocks)
    return shares_of(counts) if sum(counts) == elements else {}


def kind_of(block: Expansion) -> tuple[Any, ...]:
    """Independent. What a writer has one block of: shape, basis and, where they are those of all, orders."""
    modes = () if block.is_mixed else tuple(int(one) for one in block.modes)
    return (block.shape, block.basis, modes)


def counts_of_writers(blocks: Sequence[tuple[Any, int]]) -> list[int]:
    """Independent. The elements of each writer, from kind and elements of one block after another.

    A writer has one block of a kind, so that the second one is of the next writer. Neighbours without a kind
    in common are taken for one: such files do not say who wrote what.
    """
    counts: list[int] = []
    kinds: set[Any] = set()
    for kind, count in blocks:
        if not counts or kind in kinds:
            counts.append(0)
            kinds = set()
        counts[-1] += count
        kinds.add(kind)
    return counts


def shares_of(counts: Sequence[int]) -> dict[str, Any]:
    """Independent. What each writer had, as a workload says it; nothing of one alone."""
    return {"imbalance": "given", "shares": list(counts)} if len(counts) > 1 else {}


def columns_of(table: Table) -> str:
    """Independent. `7xfloat64+1xint32` of the columns that are numbers, in the order of their types."""
    counts = Counter(column.type for column in table.columns.values() if column.type in BYTES_OF_TYPE)
    return "+".join(f"{count}x{name}" for name, count in counts.items())


def sizes_of_elements(expansions: Sequence[Expansion]) -> dict[str, Any]:
    """Independent. All elements, the most variables, and modes of hexahedra with about as many coefficients.

    With m modes in each direction an element has m^3 coefficients; two neighbouring m are mixed.
    """
    elements = sum(len(one) for one in expansions)
    mean = max(1.0, sum(float(one.counts().sum()) for one in expansions) / elements)
    lower = next(one for one in itertools.count(1) if (one + 1) ** 3 > mean)
    share = (mean - lower**3) / ((lower + 1) ** 3 - lower**3)
    count = min(elements, MOST_MODES)
    places = [math.floor(place * share + 0.5) for place in range(count + 1)]
    modes = [lower + (after > before) for before, after in itertools.pairwise(places)]
    return {
        "kind": "elements",
        "elements": elements,
        "variables": max(1, *(len(one.variables) for one in expansions)),
        "modes": [modes[0]] if len(set(modes)) == 1 else modes,
    }


def sizes_of_field(field: Field, fields: list[Field]) -> dict[str, Any]:
    """Independent. The extents of a field, and how many others have the same."""
    extents = [int(extent) for extent in field.extents]
    alike = [one for one in fields if list(one.extents) == extents and one.components == field.components]
    return {
        "kind": "field",
        "extents": extents,
        "components": int(field.components),
        "decomposition": "block3d" if len(extents) == 3 else "row",
        "fields": len(alike),
    }
