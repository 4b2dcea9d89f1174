"""The elements of one rank, as in ../mesh.hpp: tetrahedra whose orders differ, hexahedra, and triangles of
two planes. The coefficients follow from id, variable and time, so a reader can verify each element.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from quire import ElementBlock

VARIABLES = ("u", "v", "w", "p")
KINDS = 3
"""The kind of an element is its id modulo this."""


def empty_block(kind: int, ids: list[int]) -> ElementBlock:
    """Return elements of a kind without coefficients."""
    numbers = np.array(ids, np.uint32)
    if kind == 0:
        orders = 3 + numbers // KINDS % 4  # each element has its own
        modes = np.repeat(orders[:, np.newaxis], 3, axis=1)
        return ElementBlock("Tetrahedron", ("Modified_A", "Modified_B", "Modified_C"), modes, numbers, {})
    if kind == 1:
        return ElementBlock("Hexahedron", ("GLL_Lagrange",) * 3, np.array([4, 4, 4]), numbers, {})
    return ElementBlock(
        "Triangle",
        ("Modified_A", "Modified_B", "Fourier"),
        np.array([3, 4, 2]),
        numbers,
        {},
        lengths=(2 * math.acos(-1.0),),
        z_ids=(0, 1),
    )


def make_mesh(elements: int, rank: int, size: int) -> list[ElementBlock]:
    """Return the part of a rank of a mesh of so many elements; the last of several ranks has none."""
    owners = max(1, size - 1)
    parts = []
    for kind in range(KINDS):
        ids = [id for id in range(kind, elements, KINDS) if id // KINDS * 7 % owners == rank]
        if ids:
            parts.append(empty_block(kind, ids))
    return parts


def values_of(block: ElementBlock, variable: str, time: float) -> np.ndarray[Any, Any]:
    """Return the coefficients of a variable at a time, element after element."""
    factor = VARIABLES.index(variable) + 1
    counts = np.diff(block.offsets)
    # Not numpy.sin, whose last bits are its own.
    parts = [
        math.sin(time + int(id)) * factor + np.arange(count) / 64
        for id, count in zip(block.ids, counts, strict=True)
    ]
    return np.concatenate([np.empty(0), *parts])


def at_time(mesh: Iterable[ElementBlock], time: float) -> list[ElementBlock]:
    """Return the elements with their coefficients at a time."""
    return [
        replace(block, values={name: values_of(block, name, time) for name in VARIABLES}) for block in mesh
    ]


def right_elements(blocks: Iterable[ElementBlock], time: float) -> int:
    """Return how many elements have exactly the coefficients that they should have at a time."""
    right = 0
    for block in blocks:
        same = [block.values[name] == values_of(block, name, time) for name in block.variables]
        for first, last in zip(block.offsets, block.offsets[1:], strict=False):
            right += all(part[first:last].all() for part in same)
    return right
