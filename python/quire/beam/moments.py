"""Sums over rows that do not depend on the number of ranks or the memory: fixed blocks in a fixed tree.

The blocks of a table are the leaves of a binary tree: block 2 i and 2 i + 1 have one parent, and so on. Every
sum is made along this tree, so that any rank can make the part of some blocks, and the parts give the same
bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import numpy as np

Array = np.ndarray[Any, Any]
Part = TypeVar("Part")
Made = TypeVar("Made")

Node = tuple[int, int, Part | None]
"""Level, place and value of a node of the tree; None is the sum of no rows."""

Gather = Callable[[Callable[[], Any]], list[Any]]
"""Collective. Calls a function on every rank and returns the results of all, in rank order."""


def alone(make: Callable[[], Any]) -> list[Any]:
    """Independent. The `Gather` of one rank."""
    return [make()]


@dataclass(frozen=True)
class Ranks:
    """The ranks that share the blocks of a table. The default is one rank."""

    rank: int = 0
    size: int = 1
    gather: Gather = alone

    def agreed(self, make: Callable[[], Made]) -> Made:
        """Collective if the ranks are several. Return what this rank makes; an error of any is raised on
        all.
        """
        made: list[Made] = []
        self.gather(lambda: made.append(make()))
        return made[0]


class Tree(Generic[Part]):
    """A sum along the tree: blocks, or nodes of other ranks, are added in order."""

    def __init__(self, merge: Callable[[Part, Part], Part]) -> None:
        self._merge = merge
        self.nodes: list[Node[Part]] = []

    def add(self, level: int, place: int, value: Part | None) -> None:
        """Independent. Add the node after those before."""
        while self.nodes and place % 2 == 1 and self.nodes[-1][:2] == (level, place - 1):
            value = self._merged(self.nodes.pop()[2], value)
            level, place = level + 1, place // 2
        self.nodes.append((level, place, value))

    def total(self) -> Part | None:
        """Independent. Return the sum of all nodes; None without rows."""
        value = None
        for _, _, one in reversed(self.nodes):
            value = self._merged(one, value)
        return value

    def _merged(self, left: Part | None, right: Part | None) -> Part | None:
        if left is None or right is None:
            return right if left is None else left
        return self._merge(left, right)


def add_all(
    gather: Gather,
    blocks: Callable[[], Iterable[tuple[int, Part | None]]],
    merge: Callable[[Part, Part], Part],
) -> Part | None:
    """Collective if `gather` is. Return the sum of the blocks of all ranks, whose blocks are in rank
    order.
    """

    def nodes() -> list[Node[Part]]:
        tree = Tree(merge)
        for place, value in blocks():
            tree.add(0, place, value)
        return tree.nodes

    whole = Tree(merge)
    for part in gather(nodes):
        for node in part:
            whole.add(*node)
    return whole.total()


@dataclass(frozen=True)
class Moments:
    """Weighted moments of variables, for one or more groups of rows (the first axis).

    `count` rows and their `weight`; the `mean` of each variable; `products[g, i, j]`, the sums of weighted
    products of deviations from it; and the `least` and `greatest` values. Means are relative to an origin
    near the values, so that sums are as exact far from zero as near it.
    """

    count: Array
    weight: Array
    mean: Array
    products: Array
    least: Array
    greatest: Array

    def covariance(self) -> Array:
        """Independent. Return the covariances of each group, in population form (no n / (n - 1))."""
        with np.errstate(all="ignore"):
            return self.products / self.weight[:, None, None]


def moments_of(values: Array, weight: Array, origin: Array) -> Moments:
    """Independent. Return the moments of one group of rows: an array of variables by rows, contiguous.

    Deviations from the mean are computed before they are multiplied, and corrected for its rounding (Chan,
    Golub and LeVeque, The American Statistician 37 (1983) 242, eq. 1.7).
    """
    total = np.add.reduce(weight)
    shifted = values - origin[:, None]
    common = common_weight(weight)
    # Rows without weight have no mean, and merging ignores it.
    sums = np.add.reduce(shifted if common is not None else shifted * weight, axis=1)
    mean = sums * (1.0 if common is None else common) / (total or 1.0)
    shifted -= mean[:, None]
    weighted = shifted * (weight if common is None else common) if common != 1.0 else shifted
    rest = np.add.reduce(weighted, axis=1)
    products = products_of(weighted, shifted) - rest[:, None] * rest[None, :] / (total or 1.0)
    return Moments(
        np.array([values.shape[1]]),
        np.array([total]),
        mean[None],
        products[None],
        values.min(axis=1)[None],
        values.max(axis=1)[None],
    )


def common_weight(weight: Array) -> float | None:
    """Independent. Return the weight of all rows, None if they differ."""
    return float(weight[0]) if weight.size and np.all(weight == weight[0]) else None


def products_of(weighted: Array, values: Array) -> Array:
    """Independent. Return the sums over the rows of the products of weighted variables and variables.

    A library for matrices would be faster, but its sums may depend on the number of its threads. Sums of some
    rows are added pairwise, which keeps digits of nearly singular matrices.
    """
    size, rows = values.shape
    whole = rows - rows % ROWS_OF_SUMS
    parted = values[:, :whole].reshape(size, -1, ROWS_OF_SUMS)
    products = np.empty((size, size))
    for i in range(size):
        sums = np.einsum("mk,jmk->jm", weighted[i, :whole].reshape(-1, ROWS_OF_SUMS), parted[i:])
        rest = np.einsum("k,jk->j", weighted[i, whole:], values[i:, whole:])
        products[i, i:] = np.add.reduce(sums, axis=1) + rest
        products[i:, i] = products[i, i:]
    return products


def grouped_moments(values: Array, weight: Array, origin: Array, group: Array, groups: int) -> Moments:
    """Independent. Return the moments of several groups of rows, of which `group` has the number; -1 is
    none.
    """
    size = len(values)
    found = Moments(
        np.zeros(groups, np.int64),
        np.zeros(groups),
        np.zeros((groups, size)),
        np.zeros((groups, size, size)),
        np.full((groups, size), np.inf),
        np.full((groups, size), -np.inf),
    )
    # Numbers of 16 bits are sorted by their digits.
    order = np.argsort(group.astype(np.int16) if groups < 1 << 15 else group, kind="stable")
    counts = np.bincount(group + 1, minlength=groups + 1)
    order = order[counts[0] :]
    counts = counts[1:]
    filled = np.flatnonzero(counts)
    if not len(filled):
        return found
    lasts = np.cumsum(counts[filled])
    firsts = lasts - counts[filled]
    sorted_values, weights = np.take(values, order, axis=1), weight[order]
    total = np.add.reduceat(weights, firsts)
    some = np.where(total == 0, 1.0, total)
    found.count[:], found.weight[filled] = counts, total
    found.least[filled] = np.minimum.reduceat(sorted_values, firsts, axis=1).T
    found.greatest[filled] = np.maximum.reduceat(sorted_values, firsts, axis=1).T
    sorted_values -= origin[:, None]
    is_weighted = common_weight(weights) != 1.0
    weighted = sorted_values * weights if is_weighted else sorted_values
    mean = np.add.reduceat(weighted, firsts, axis=1) / some
    found.mean[filled] = mean.T
    sorted_values -= np.repeat(mean, counts[filled], axis=1)
    if is_weighted:
        np.multiply(sorted_values, weights, out=weighted)
    rest = np.add.reduceat(weighted, firsts, axis=1).T
    for place, (number, first, last) in enumerate(zip(filled, firsts, lasts, strict=True)):
        products = np.einsum("ik,jk->ij", weighted[:, first:last], sorted_values[:, first:last])
        found.products[number] = products - rest[place, :, None] * rest[place] / some[place]
    return found


ROWS_OF_SUMS: Final = 1024
"""Rows whose products are added one after another."""

FIELDS: Final = ("count", "weight", "mean", "products", "least", "greatest")


def merge_moments(a: Moments, b: Moments) -> Moments:
    """Independent. Return the moments of the rows of both (Chan, Golub and LeVeque 1983, eq. 2.1)."""
    weight = a.weight + b.weight
    with np.errstate(all="ignore"):
        share = np.where(weight > 0, b.weight / weight, 0.0)
    difference = b.mean - a.mean
    cross = (a.weight * share)[:, None, None] * (difference[:, :, None] * difference[:, None, :])
    return Moments(
        a.count + b.count,
        weight,
        # A group without rows has no mean of its own.
        np.where((a.count > 0)[:, None], a.mean + difference * share[:, None], b.mean),
        a.products + b.products + np.where(((a.count > 0) & (b.count > 0))[:, None, None], cross, 0.0),
        np.minimum(a.least, b.least),
        np.maximum(a.greatest, b.greatest),
    )
