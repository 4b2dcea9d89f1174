"""Lines of equal density around shares of the rows."""

from __future__ import annotations

import numpy as np
import pytest

from quire.numeric.shares import pieces_at, share_lines

SHARES = (0.5, 0.9, 0.99)


def test_lines_of_a_round_normal_distribution_are_circles() -> None:
    """They contain these shares of it."""
    across, up, sigma = 100, 80, 10.0
    x, y = np.arange(across) + 0.5 - 50, np.arange(up) + 0.5 - 40
    counts = 1e6 * np.exp(-0.5 * (x[:, None] ** 2 + y**2) / sigma**2)
    for pieces, share in zip(share_lines(counts, SHARES, 1e12), SHARES, strict=True):
        assert len(pieces) > 50
        radii = np.hypot(pieces[:, 0] - 50, pieces[:, 1] - 40) / sigma
        np.testing.assert_allclose(radii, np.sqrt(-2.0 * np.log(1.0 - share)), rtol=0.03)


def test_lines_are_closed_also_at_the_edge() -> None:
    """Each end of a piece is that of another one, or of more where lines cross at a bin."""
    counts = np.random.default_rng(5).poisson(2.0, (30, 20))
    for pieces in share_lines(counts, SHARES, counts.sum()):
        _, found = np.unique(np.round(pieces.reshape(-1, 2), 9), axis=0, return_counts=True)
        assert not (found % 2).any()


def test_a_saddle_has_two_pieces() -> None:
    high, low = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    for values in (high, low):
        assert len(pieces_at(values, 0.4)) == len(pieces_at(values, 0.6)) == 2
    assert pieces_at(high, 0.4).tolist() != pieces_at(high, 0.6).tolist()


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (5, 4)])
def test_without_rows_there_are_no_lines(shape: tuple[int, int]) -> None:
    assert [len(one) for one in share_lines(np.zeros(shape), SHARES, 0)] == [0, 0, 0]
    assert len(share_lines(np.ones(shape), [0.5], 10)[0]) > 0
