"""Artificial elements: every coefficient is a function of the variable, the element and its index in it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from quire.io.elements import ElementBlock

Array = np.ndarray[Any, Any]
VARIABLES = ("u", "v", "p")

TRIANGLES: dict[str, Any] = {"shape": "Triangle", "basis": ("Modified_A", "Modified_B")}
QUADRILATERALS: dict[str, Any] = {"shape": "Quadrilateral", "basis": ("GLL_Lagrange", "GLL_Lagrange")}
PLANES: dict[str, Any] = {
    "shape": "Quadrilateral",
    "basis": ("Modified_A", "Modified_A", "Fourier"),
    "lengths": (1 / 3,),
    "z_ids": (2, 3),
}


def values_of(variable: str, id: int, count: int) -> Array:
    """Return the coefficients of one element."""
    return (VARIABLES.index(variable) + 1) * 1e6 + id + np.arange(count) / 64


def counts_of(block: dict[str, Any], modes: Array) -> Array:
    """Return the number of coefficients of elements with these modes."""
    a, b = modes[:, 0], modes[:, 1]
    own = a * b - a * (a - 1) // 2 if block["shape"] == "Triangle" else a * b
    return own * max(1, len(block.get("z_ids", ())))


def block_of(
    kind: dict[str, Any], ids: Iterable[int], modes: Array, variables: Any = VARIABLES
) -> ElementBlock:
    """Return elements of one kind; `modes` are one row for all, or a row for each."""
    ids = np.array(list(ids), dtype=np.uint32)
    rows = modes if modes.ndim == 2 else np.tile(modes, (len(ids), 1))
    counts = counts_of(kind, rows)
    values = {}
    for name in variables:
        parts = [values_of(name, int(id), int(count)) for id, count in zip(ids, counts, strict=True)]
        values[name] = np.concatenate([*parts, np.zeros(0)])
    return ElementBlock(ids=ids, modes=modes, values=values, **kind)


def made_mesh(mixed: bool) -> list[tuple[dict[str, Any], Array, Array]]:
    """Return all elements of a mesh: kinds, ids in no particular order, modes."""
    rng = np.random.default_rng(7)
    triangles = rng.permutation(23) * 3
    quadrilaterals = rng.permutation(17) * 3 + 1
    planes = rng.permutation(9) * 3 + 2
    if not mixed:
        orders = [np.array([3, 4]), np.array([4, 4]), np.array([2, 3, 8])]
    else:
        low = rng.integers(2, 5, size=23)
        orders = [
            np.stack([low, low + rng.integers(0, 2, size=23)], axis=1),
            np.array([4, 4]),
            np.array([2, 3, 8]),
        ]
    kinds = (TRIANGLES, QUADRILATERALS, PLANES)
    return list(zip(kinds, (triangles, quadrilaterals, planes), orders, strict=True))


def part_of_mesh(mixed: bool, rank: int, size: int) -> list[ElementBlock]:
    """Return the elements that one rank writes: rank 1 has none, only the last one has planes."""
    blocks = []
    writers = [r for r in range(size) if r != 1] if size > 1 else [0]
    for kind, ids, modes in made_mesh(mixed):
        owners = writers if kind is not PLANES else writers[-1:]
        chosen = np.array([owners[i * i % len(owners)] == rank for i in range(len(ids))], dtype=bool)
        if chosen.any():
            blocks.append(block_of(kind, ids[chosen], modes[chosen] if modes.ndim == 2 else modes))
    return blocks


def check_values(
    block: ElementBlock, orders: dict[int, tuple[int, ...]], variables: tuple[str, ...] = VARIABLES
) -> list[int]:
    """Assert that a block has the values of its ids and modes; return these ids."""
    assert block.variables == variables
    rows = block.modes if block.is_mixed else np.tile(block.modes, (len(block), 1))
    assert [tuple(row) for row in rows] == [orders[int(id)] for id in block.ids]
    for place, id in enumerate(block.ids):
        first, last = block.offsets[place : place + 2]
        for name in variables:
            found = block.coefficients(name)[first:last]
            assert np.array_equal(found, values_of(name, int(id), last - first)), (name, id)
    return [int(id) for id in block.ids]


def files_of(path: Path) -> dict[str, bytes]:
    """Return the bytes of a file, or of those in a directory."""
    if path.is_file():
        return {"": path.read_bytes()}
    return {file.name: file.read_bytes() for file in path.iterdir()}
