"""New tables: values, sequences and samples, their seeds, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.python.support.files import path_for, step_formats

import quire
from quire.errors import ConflictError, MissingError, UsageError
from quire.numeric.distributions import halton


def test_values_have_the_smallest_common_kind() -> None:
    made = quire.new("i=1,2,3", "x[m]=1,2.5,nan", 'name=Q1,"a,b",Q 3', "same=7", "word=ok")
    columns = made.read()
    assert [columns[name].tolist() for name in ("i", "same")] == [[1, 2, 3], [7, 7, 7]]
    assert columns["i"].dtype == np.int64
    np.testing.assert_array_equal(columns["x"], [1, 2.5, np.nan])
    assert columns["name"].tolist() == ["Q1", "a,b", "Q 3"]
    assert columns["word"].tolist() == ["ok"] * 3
    assert next(iter(made)).table["x"].unit == "m"
    assert "seed" not in next(iter(made)).attrs


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("1,a,3", "for a is no number"),
        ("1,,3", "for an empty value is no number"),
        ("0:10", "for 0:10 is no number; a sequence is written sequence(FIRST, LAST, COUNT)"),
        ("-1e-3..5", "for -1e-3..5 is no number; a sequence is written"),
        ("a,b", ""),
        ("a:b", ""),
        ("1,2", ""),
    ],
)
def test_lists_that_are_text_by_mistake_have_a_warning(text: str, doubt: str) -> None:
    (step,) = quire.new(f"x={text}")
    assert len(step.warnings) == bool(doubt)
    assert all(f"the column 'x' is text, {doubt}" in one for one in step.warnings)


def test_integers_are_exact_or_refused() -> None:
    found = quire.new("i=9007199254740993,-1", "u=9007199254740993,18446744073709551615").read()
    assert [found[name].dtype.name for name in "iu"] == ["int64", "uint64"]
    assert found["i"].tolist() == [9007199254740993, -1]
    assert found["u"].tolist() == [9007199254740993, 18446744073709551615]
    assert quire.new("x=9007199254740992,0.5").read()["x"].tolist() == [2.0**53, 0.5]
    for text in ("9007199254740993,0.5", "18446744073709551617,1", "-1,18446744073709551615"):
        with pytest.raises(UsageError, match=r"is no float64.*\.0 to round it"):
            quire.new(f"x={text}")
    assert quire.new("x=9007199254740993.0,0.5").read()["x"].tolist() == [2.0**53, 0.5]


def test_sequences_follow_one_another() -> None:
    columns = quire.new(
        "s=sequence(0, 1, 3) + sequence(end=3, delta=1)", "k=sequence(begin=1, number=5, delta=1, interval=2)"
    ).read()
    assert columns["s"].tolist() == [0, 0.5, 1, 2, 3]
    assert columns["k"].tolist() == [1, 1, 2, 2, 3]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sequence(1, 5, 5)", [1, 2, 3, 4, 5]),
        ("sequence(9007199254740993, 9007199254740995, 2)", [9007199254740993, 9007199254740995]),
        ("sequence(begin=5, end=0, delta=-2)", [5, 3, 1]),
        ("sequence(begin=1, number=4, delta=1, interval=2)", [1, 1, 2, 2]),
        ("sequence(0, 2, 2) + sequence(end=6, number=2)", [0, 2, 4, 6]),
        ("sequence(7, 7, 1)", [7]),
        ("sequence(1.0, 3, 3)", [1.0, 2.0, 3.0]),
        ("sequence(1, 3.0, 3)", [1.0, 2.0, 3.0]),
        ("sequence(0, 1, 3)", [0.0, 0.5, 1.0]),
        ("sequence(begin=0, number=2, delta=1.0)", [0.0, 1.0]),
        ("sequence(0, 1, 2) + sequence(end=2, delta=0.5)", [0.0, 1.0, 1.5, 2.0]),
        ("sequence(0, 9223372036854775807, 2) + sequence(number=1, delta=2)", [0.0, 2.0**63, 2.0**63]),
    ],
)
def test_whole_sequences_are_integers(text: str, expected: list[float]) -> None:
    found = quire.new(f"x={text}").read()["x"]
    assert found.dtype == (np.int64 if all(isinstance(one, int) for one in expected) else np.float64)
    assert found.tolist() == expected


def test_samples_have_their_distributions() -> None:
    made = quire.new(
        "u=uniform(-1, 1)",
        "g=gaussian(1, 2)",
        "t=gaussian(sigma=2, limit=1.5)",
        "p=poisson(4)",
        "h=uniform(halton)",
        rows=4000,
        seed=3,
    )
    columns = made.read()
    assert stats.kstest(columns["u"], stats.uniform(-1, 2).cdf).pvalue > 0.01
    assert stats.kstest(columns["g"], stats.norm(1, 2).cdf).pvalue > 0.01
    assert stats.kstest(columns["t"], stats.truncnorm(-1.5, 1.5, 0, 2).cdf).pvalue > 0.01
    assert columns["p"].mean() == pytest.approx(4, abs=0.15)
    assert columns["h"].tolist() == halton(4000).tolist()
    assert next(iter(made)).attrs["seed"] == 3


def test_the_same_seed_gives_the_same_column_beside_any_others() -> None:
    alone = quire.new("x=uniform()", rows=5, seed=3).read()["x"].tolist()
    beside = quire.new("y=uniform()", "x=uniform()", "z=1", rows=5, seed=3).read()
    assert beside["x"].tolist() == alone != beside["y"].tolist()
    first, again = (quire.new("x=uniform()", rows=5) for _ in range(2))
    seed = next(iter(first)).attrs["seed"]
    assert first.read()["x"].tolist() == quire.new("x=uniform()", rows=5, seed=seed).read()["x"].tolist()
    assert next(iter(again)).attrs["seed"] != seed


def test_steps_have_samples_of_their_own() -> None:
    steps = list(quire.new("x=gaussian()", rows=5, repeat=3, seed=3))
    assert [step.number for step in steps] == [0, 1, 2]
    values = [step.table.read()["x"].tolist() for step in steps]
    assert len({tuple(one) for one in values}) == 3
    assert values[0] == quire.new("x=gaussian()", rows=5, seed=3).read()["x"].tolist()


def test_halton_columns_have_different_primes_and_groups_of_rows() -> None:
    columns = quire.new(
        "a=uniform(halton)",
        "b=uniform(halton=2, shuffle=1)",
        "c=uniform(halton, halton_offset=10, shuffle=1)",
        rows=20,
        seed=1,
    ).read()
    assert columns["a"].tolist() == halton(20, 3).tolist()  # 2 is taken
    order = np.argsort(columns["b"])
    np.testing.assert_array_equal(columns["c"][order], halton(20, 5, 10)[np.argsort(halton(20, 2))])
    with pytest.raises(UsageError, match="same numbers"):
        quire.new("a=uniform(halton=2)", "b=gaussian(halton=2)", rows=3)


@pytest.mark.parametrize("format", step_formats())
def test_a_density_is_read_from_any_format(tmp_path: Path, format: str) -> None:
    path = path_for(tmp_path, format)
    quire.new(columns={"x[m]": np.array([0.0, 1, 3]), "f": [0.0, 2, 0], "F": [0.0, 0.5, 1]}).write(path)
    made = quire.new(f"x=tabulated({path}, x, f)", f"y=cumulative({path}, x, F)", rows=4000, seed=1).read()
    assert stats.kstest(made["x"], stats.triang(1 / 3, 0, 3).cdf).pvalue > 0.01
    assert stats.kstest(made["y"], lambda x: np.interp(x, [0, 1, 3], [0, 0.5, 1])).pvalue > 0.01
    with pytest.raises(MissingError, match="no column 'q'"):
        quire.new(f"x=tabulated({path}, x, q)", rows=3).read()


@pytest.mark.parametrize("format", step_formats())
def test_a_chain_begins_with_new_data_and_ends_in_any_format(tmp_path: Path, format: str) -> None:
    path = path_for(tmp_path, format)
    made = quire.new("s[m]=sequence(0, 10, 11)", "k=2", attributes=["q[C]=1e-9", "code=mine"], repeat=2)
    report = made.define("r[m]=k*s").filter("s > 5").write(path)
    assert (report.steps, report.rows) == (2, 10)
    with quire.open(path) as found:
        for step in found:
            assert step["r"][:].tolist() == [12, 14, 16, 18, 20]
            assert (step.attrs["q"], step.attrs.info["q"].unit, step.attrs["code"]) == (1e-9, "C", "mine")


def test_arrays_keep_their_type() -> None:
    columns = quire.new(columns={"x[m]": np.arange(3, dtype=np.float32), "n": ["a", "b", "c"]}).read()
    assert columns["x"].dtype == np.float32
    assert columns["n"].tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("definitions", "options", "error", "message"),
    [
        ([], {}, UsageError, "need a column"),
        (["x"], {}, UsageError, "no definition"),
        (["x="], {}, UsageError, "no value"),
        (["x=1,2", "y=1,2,3"], {}, ConflictError, "x 2, y 3; none is filled up"),
        (["x=1,2"], {"rows": 3}, ConflictError, "rows 3, x 2"),
        (["x=1", "x=2"], {}, ConflictError, "two columns"),
        (["x=gauss(1)"], {"rows": 3}, UsageError, "nearest: gaussian"),
        (["x=uniform()"], {}, UsageError, "number of rows"),
        (["x=uniform()"], {"rows": -1}, UsageError, "0 rows or more"),
        (["x=uniform()"], {"rows": 1, "repeat": 0}, UsageError, "one step"),
        (["x=uniform()"], {"rows": 1, "seed": -1}, UsageError, "a seed"),
        (["x=uniform()"], {"rows": 1, "attributes": ["seed=1"]}, ConflictError, "is the seed"),
        (["x=uniform(0,1,2)"], {"rows": 1}, UsageError, "too many"),
        (["x=uniform(0,low=1)"], {"rows": 1}, UsageError, "given twice"),
        (["x=uniform(a)"], {"rows": 1}, UsageError, "low=a is no number"),
        (["x=uniform(sigma=1)"], {"rows": 1}, UsageError, "no argument 'sigma'"),
        (["x=uniform(halton_offset=3)"], {"rows": 1}, UsageError, "belongs to halton"),
        (["x=poisson()"], {"rows": 1}, UsageError, "needs mean"),
        (["x=sequence(0,1)"], {}, UsageError, "two of end, number and delta"),
        (["x=sequence(0,1,2.5)"], {}, UsageError, "no whole number"),
        (["x=sequence(0,1,2)+uniform()"], {}, UsageError, "sequences alone"),
        (["x=1"], {"attributes": ["a=1,2"]}, UsageError, "one value"),
    ],
)
def test_what_makes_no_sense_is_refused(
    definitions: list[str], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        quire.new(*definitions, **options)


def test_no_rows_are_rows(tmp_path: Path) -> None:
    path = path_for(tmp_path, step_formats()[0])
    assert quire.new("x=uniform()", "k=1", rows=0).write(path).rows == 0
    with quire.open(path) as found:
        assert list(found[0].table) == ["x", "k"]


def test_samples_are_added_to_the_rows_of_each_step() -> None:
    lattice = quire.new("name=Q1,Q2,Q3", repeat=2)
    made = lattice.sample("dx[m]=gaussian(0, 1e-4, 2)", "k=poisson(3)", seed=7)
    columns = made.read()
    assert columns["name"].tolist() == ["Q1", "Q2", "Q3"] * 2
    assert (abs(columns["dx"]) < 2e-4).all()
    assert len(set(columns["dx"].tolist())) == 6
    steps = list(made)
    assert [step.attrs["seed"] for step in steps] == [7, 7]
    assert steps[0].table["dx"].unit == "m"
    again = lattice.sample("dx[m]=gaussian(0, 1e-4, 2)", seed=7).read()["dx"]
    np.testing.assert_array_equal(again, columns["dx"])
    other = lattice.sample("dx[m]=gaussian(0, 1e-4, 2)").read()["dx"]
    assert not np.array_equal(other, columns["dx"])


def test_a_sample_is_the_same_in_new_rows_and_beside_others() -> None:
    alone = quire.new("x=uniform(0, 1)", rows=3, seed=5).read()["x"]
    np.testing.assert_array_equal(quire.new("n=1,2,3").sample("x=uniform(0, 1)", seed=5).read()["x"], alone)


def test_seeds_of_several_samples_are_kept() -> None:
    made = quire.new("x=uniform(0, 1)", rows=3, seed=5).sample("y=uniform(0, 1)", seed=6)
    attributes = next(iter(made.sample("z=uniform(0, 1)", seed=7))).attrs
    assert [attributes[name] for name in ("seed", "seed_2", "seed_3")] == [5, 6, 7]


def test_quasi_random_samples_have_no_seed() -> None:
    step = next(iter(quire.new("n=1,2,3").sample("x=uniform(0, 1, halton)")))
    assert "seed" not in step.attrs
    assert step.table.read()["x"].tolist() == halton(3, 2).tolist()


def test_a_sample_replaces_no_column() -> None:
    with pytest.raises(ConflictError, match="there is such a column"):
        quire.new("x=1,2").sample("x=uniform(0, 1)").read()
    with pytest.raises(UsageError, match="a distribution is needed"):
        quire.new("x=1,2").sample("y=1,2")
