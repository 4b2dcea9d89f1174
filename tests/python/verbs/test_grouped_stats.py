"""`stats` after `group` gives what it gives of each group by itself, and reads no other columns."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.files import path_for, step_formats
from tests.python.support.tables import Columns, tables, write

import quire
import quire.verbs.grouped_stats
from quire.errors import MissingError, TypeMismatchError, UsageError
from quire.toolkit.examples import write_example
from quire.verbs import group as grouping

BY = ["x", "k", "name", "long", "letter", "u", "bin(x, 3)", "gap(x)", "every(3)", "change(k)", "m=bin(k, 2)"]
ONE_PASS = ["x", "mean(*)", "k", "long", "std(x)", "sigma(long)", "sum(k)", "spread(x)", "n=count(name)"]
ONE_PASS += ["first=first(name)", "last(name)", "last(x)", "min(id)"]
OTHERS = ["median(x)", "slope(x, versus=id)", "mean(x, weight=k)", "max(x, versus=long, position)"]
OTHERS += ["mean(x, skip_nan=true)", "last(letter)", "rms(x, head=2)"]


def test_rows_of_groups_have_their_texts() -> None:
    chain = quire.new("name=b,a,b", "kind=Q,Q,D", "x=1,2,3")
    assert chain.group("name").stats("mean(x)").read()["name"].tolist() == ["a", "b"]
    assert chain.group("name").stats("median(x)").read()["name"].tolist() == ["a", "b"]
    nested = chain.group("name").group("kind").stats("count(x)").read()
    assert list(nested) == ["name", "kind", "x_count"]


def test_count_alone_is_the_number_of_rows() -> None:
    chain = quire.new("x=1,nan,3", "k=7,7,8")
    assert chain.stats("count").read()["count"].tolist() == [3]
    assert chain.stats("count", "mean(k)").read()["count"].tolist() == [3]
    for by in ("k", "every(2)"):
        assert chain.group(by).stats("count").read()["count"].tolist() == [2, 1]
        assert chain.group(by).stats("count", "sum(k)", "median(k)").read()["count"].tolist() == [2, 1]
    # The name of a column is that column.
    assert "count_mean" in chain.define("count=2*k").stats("count").read()


@pytest.mark.parametrize("by", [[], ["k"]])
def test_a_reduction_without_its_column_is_an_error_that_shows_it(by: list[str]) -> None:
    chain = quire.new("x=1,2,3", "k=7,7,8")
    with pytest.raises(UsageError, match=r"median is a reduction of a column; write median\(x\)"):
        (chain.group(*by) if by else chain).stats("median").read()


@pytest.mark.parametrize("what", ["count(x)", "median(x)", "emittance_nx"])
@pytest.mark.parametrize("by", [["half=bin(z, 2)"], ["half=bin(z, 2)", "side=bin(x, 2)"]])
def test_the_rows_of_groups_are_in_steps_of_the_same_numbers(
    tmp_path: Path, by: list[str], what: str
) -> None:
    beam = write_example("beam", str(tmp_path / "beam.h5"))
    with quire.chain(beam) as chain:
        assert [one.number for one in chain] == [0, 5, 10, 15, 20]
        assert [one.number for one in chain.group(*by).stats(what)] == [0, 5, 10, 15, 20]
        assert [one.number for one in chain.group(*by).sort("x").stats(what)] == [0, 5, 10, 15, 20]
        assert [one.number for one in chain.group(*by).collapse()] == [0, 5, 10, 15, 20]
        assert [one.number for one in chain.filter("step > 5").group(*by).stats(what)] == [10, 15, 20]
        assert [one.number for one in chain.stats(what)] == [0]


def test_negative_numbers_of_steps_are_kept(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0], "negative")
    with quire.create(path) as out:
        for number in (-5, -3, 2):
            with out.step(number) as step:
                step.put("x", np.array([1.0, 2.0, 3.0]))
    with quire.chain(path) as chain:
        assert [one.number for one in chain.group("x").collapse()] == [-5, -3, 2]
        assert [one.number for one in chain.group("x").stats("count(x)")] == [-5, -3, 2]


def of_each(chain: quire.Chain, by: list[str], what: list[str]) -> quire.Chain:
    """The same by groups that are steps: a verb between does not let them be one."""
    return chain.group(*by).renumber().stats(*what)


def require_equal(found: quire.Chain, expected: quire.Chain) -> None:
    """Compare steps: numbers, names, units and types, and values apart from rounding."""
    for one, other in zip(found, expected, strict=True):
        assert (one.number, list(one.attrs), one.warnings) == (
            other.number,
            list(other.attrs),
            other.warnings,
        )
        assert [(c.name, c.unit, c.type) for c in one.table.columns.values()] == [
            (c.name, c.unit, c.type) for c in other.table.columns.values()
        ]
        columns, wanted = one.table.read(), other.table.read()
        for name, values in columns.items():
            if values.dtype == object:
                assert values.tolist() == wanted[name].tolist()
            else:
                np.testing.assert_allclose(values, wanted[name], rtol=1e-11, atol=1e-300, err_msg=name)


def bounded(columns: Columns) -> Columns:
    """The table without values whose squares are beyond float64."""
    for name in ("x", "long"):
        with np.errstate(invalid="ignore"):
            columns[name][np.abs(columns[name]) > 1e100] /= 1e250
    return columns


@pytest.mark.parametrize("most", [1 << 16, 2])
@settings(max_examples=25)
@given(
    tables().map(bounded),
    tables().map(bounded),
    st.lists(st.sampled_from(BY), min_size=1, max_size=3, unique=True),
    st.lists(st.sampled_from(ONE_PASS), min_size=1, max_size=4, unique=True),
    st.sampled_from([[], [], *([one] for one in OTHERS)]),
)
def test_rows_of_groups_are_those_of_each_group(
    most: int, first: Columns, second: Columns, by: list[str], what: list[str], others: list[str]
) -> None:
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as name:
        patch.setattr("quire.numeric.group_numbers.MOST_GROUPS", most)
        patch.setattr("quire.verbs.grouped_stats.MOST_GROUPS", most)
        patch.setattr("quire.verbs.steplike.EVEN_ROWS", 5)
        with quire.chain(write(Path(name), "given", first, second)) as chain:
            require_equal(chain.group(*by).stats(*what, *others), of_each(chain, by, [*what, *others]))


def large(rows: int) -> Columns:
    """Rows of many groups."""
    random = np.random.default_rng(1)
    return {
        "x": random.normal(5, 1, rows),
        "k": random.integers(-50, 50, rows).astype(np.int32),
        "id": random.integers(0, rows, rows) * 2**20,
        "n": random.integers(0, 2**53, rows),
    }


@pytest.mark.parametrize("by", [["k"], ["id"], ["bin(x, 30)", "k"], ["every(7)"]])
def test_limits_of_memory_do_not_change_bits(
    tmp_path: Path, by: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quire.numeric.group_numbers.MOST_GROUPS", 200)
    monkeypatch.setattr("quire.verbs.grouped_stats.MOST_GROUPS", 200)
    monkeypatch.setattr("quire.verbs.steplike.EVEN_ROWS", 199)
    with quire.chain(write(tmp_path, "given", large(4000))) as chain:
        what = ["x", "sum(n)", "min(n)"]
        for memory in (1, None):
            found = chain.limited(memory).filter("x > 3").group(*by).stats(*what)
            require_equal(found, of_each(chain.filter("x > 3"), by, what))
        columns = [
            chain.limited(memory).sort("x").group(*by).stats(*what).read() for memory in (1, None, 1 << 30)
        ]
        for name, values in columns[0].items():
            assert values.tobytes() == columns[1][name].tobytes() == columns[2][name].tobytes()


def test_only_reduced_columns_and_keys_are_read(tmp_path: Path, columns_read: set[str]) -> None:
    path = write(tmp_path, "given", large(100))
    for what in (["mean(x)"], ["median(x)"]):
        for memory in (None, 1):
            columns_read.clear()
            with quire.chain(path) as chain:
                chain.limited(memory).group("k").stats(*what).read()
            assert columns_read == {"x", "k"}


def test_no_rows_are_moved_by_one_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(grouping, "by_memory", refuse)
    monkeypatch.setattr(grouping, "by_engine", refuse)
    with quire.chain(write(tmp_path, "given", large(100))) as chain:
        assert len(chain.group("k", "every(50)").stats("x", "first(id)").read()["x_mean"]) > 2


def test_mistakes_are_those_of_each_group(tmp_path: Path) -> None:
    columns = {"x": np.arange(3.0), "n": np.array([2**53 + 1] * 3), "name": np.array(list("abb"), object)}
    with quire.chain(write(tmp_path, "given", columns)) as chain:
        for what, error, message in (
            ("mean(y)", MissingError, "y"),
            ("max(n)", TypeMismatchError, "9007199254740993 would be rounded"),
            ("mean(name)", TypeMismatchError, "mean is of numbers"),
        ):
            for made in (chain.group("name").stats(what), of_each(chain, ["name"], [what])):
                with pytest.raises(error, match=message):
                    made.read()
        with pytest.raises(MissingError, match="nam"):
            chain.group("nam").stats("mean(x)").read()
        assert chain.group("name").stats("mean(n)").read()["n_mean"].tolist() == [2.0**53] * 2


def test_quantities_of_a_beam_and_reductions_are_of_each_group(tmp_path: Path) -> None:
    path = tmp_path / "beam.h5"
    write_example("beam", str(path))
    with quire.chain(path, steps="0") as chain:
        what = ["emittance_nx", "mean(x)"]
        require_equal(chain.group("bin(z, 3)").stats(*what), of_each(chain, ["bin(z, 3)"], what))


@pytest.mark.parametrize("word", ["skip_nan", "skip_nan=1", "skip_nan=true"])
def test_nan_are_skipped_by_a_word(word: str) -> None:
    chain = quire.new("x=nan,2,1", "s=1,2,3")
    found = chain.stats(f"mean(x, {word})", f"max(x, versus=s, {word}, position)").read()
    assert [float(found[name][0]) for name in ("x_mean", "x_max")] == [1.5, 2.0]
    assert np.isnan(chain.stats("mean(x)").read()["x_mean"][0])


@pytest.mark.parametrize("what", ["mean(y)", "median(y)", ""])
def test_rows_in_no_bin_are_counted(what: str) -> None:
    def warnings(x: str) -> tuple[list[str], list[str]]:
        chain = quire.new(f"x={x}", "y=1,2,3,4").group("bin(x, 2)")
        made = chain.stats(what) if what else chain
        found = dict.fromkeys(one for step in made for one in step.warnings)
        return list(found), sorted(made.failures)

    lost = "of 4 values of x are NaN or infinite, and in no group"
    assert warnings("1,2,3,4") == ([], [])
    assert warnings("1,nan,inf,4") == ([f"step 0: 2 {lost}"], [])
    assert warnings("nan,nan,inf,nan") == ([], [f"step 0: 4 {lost}"])
