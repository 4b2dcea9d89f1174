"""quire matrix: its options are the arguments of the methods of chains."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.python.support.files import path_for, step_formats

import quire

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    """Two steps with a square matrix."""
    path = path_for(tmp_path, step_formats()[0])
    quire.new("a[m]=1,3", "b[m]=2,5", repeat=2).write(path)
    return path


def test_the_command_does_what_the_methods_do(run: Run, matrix: Path) -> None:
    other = matrix.with_name(f"other{matrix.suffix}")
    cases: list[tuple[list[str], Any]] = [
        (["pseudo-inverse", "--largest", "1"], lambda chain: chain.pseudo_invert(largest=1)),
        (["pseudo-inverse", "--ratio", "0.5"], lambda chain: chain.pseudo_invert(ratio=0.5)),
        (["pseudo-inverse", "--smallest", "1"], lambda chain: chain.pseudo_invert(smallest=1)),
        (["pseudo-inverse", "--remove", "0"], lambda chain: chain.pseudo_invert(remove=[0])),
        (["pseudo-inverse", "--alpha", "2"], lambda chain: chain.pseudo_invert(alpha=2)),
        (["pseudo-inverse", "--beta", "0.2"], lambda chain: chain.pseudo_invert(beta=0.2)),
        (["inverse"], lambda chain: chain.invert()),
        (["transpose"], lambda chain: chain.transpose()),
        (["product", "--by", str(matrix)], lambda chain: chain.multiply(chain)),
        (["product", "--by", str(matrix), "--commute"], lambda chain: chain.multiply(chain, commute=True)),
    ]
    for words, change in cases:
        done = run("matrix", matrix, other, *words, "--overwrite", "--lossy")
        assert done.code == 0, done.errors
        with quire.chain(matrix) as chain, quire.open(other) as found:
            for step, made in zip(change(chain), found, strict=True):
                for name in step.table:
                    if step.table[name].type == "float64":
                        wanted = step.table.read([name])[name]
                        np.testing.assert_array_equal(made[name][:], wanted, err_msg=str(words))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["inverse", "--largest", "1"], "modes and damping belong to pseudo-inverse"),
        (["product"], "product needs --by FILE"),
        (["inverse", "--by", "BY"], "--by belongs to product"),
        (["inverse", "--commute"], "--commute belongs to product"),
        (["pseudo-inverse", "--remove", "a"], "'a'"),
    ],
)
def test_options_of_other_acts_are_refused(run: Run, matrix: Path, words: list[str], message: str) -> None:
    done = run("run", matrix, "/", "matrix", *words)
    assert done.code == 2
    assert message in done.errors
