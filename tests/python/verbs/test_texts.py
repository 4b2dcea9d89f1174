"""Columns of texts from numbers, attributes and texts."""

from __future__ import annotations

import numpy as np
import pytest

import quire
from quire.errors import ConflictError, DataError, MissingError, UsageError


def test_texts_are_made_of_columns_attributes_and_counters() -> None:
    chain = quire.new("n=1,12", "kind=Q,S", "x=0.5,nan", attributes=["ring=SR"], repeat=2)
    made = chain.text("name={kind}{n:03d}", "label={ring} {row}/{step}: {x:.2e}").read()
    assert made["name"].tolist() == ["Q001", "S012"] * 2
    assert made["label"].tolist() == [
        "SR 0/0: 5.00e-01", "SR 1/0: nan", "SR 0/1: 5.00e-01", "SR 1/1: nan",
    ]  # fmt: skip


def test_whole_floating_point_numbers_have_formats_of_integers() -> None:
    chain = quire.new("n=sequence(1, number=3, delta=0.5)")
    assert chain.rows(slice(0, 3, 2)).text("name=Q{n:02d}").read()["name"].tolist() == ["Q01", "Q02"]
    with pytest.raises(DataError, match="does not fit the values of row 1"):
        chain.text("name=Q{n:02d}").read()


def test_numbers_without_a_format_keep_all_digits() -> None:
    chain = quire.new(columns={"x": np.array([0.1, 1 / 3]), "y": np.array([1, 2], np.longdouble) / 3})
    made = chain.text("a={x}", "b={y}")
    found = made.read()
    assert [float(text) for text in found["a"]] == [0.1, 1 / 3]
    assert np.longdouble(found["b"][0]) == np.longdouble(1) / 3


def test_no_rows_have_no_texts_and_braces_are_doubled() -> None:
    assert quire.new("n=1,2").filter("n > 5").text("name=Q{n}").read()["name"].tolist() == []
    assert quire.new("n=1").text("name={{{n}}}").read()["name"].tolist() == ["{1}"]


def test_what_is_missing_or_there_already_is_refused() -> None:
    chain = quire.new("n=1,2")
    with pytest.raises(MissingError, match="there is no column or attribute 'm'"):
        chain.text("name=Q{m}").read()
    with pytest.raises(ConflictError, match="there is such a column"):
        chain.text("n=Q{n}").read()
    for wrong in ("name=Q{}", "name={n.real}", "name={n", "name"):
        with pytest.raises(UsageError):
            chain.text(wrong)


def test_names_inside_of_formats_are_known() -> None:
    made = quire.new("x=1,2", "n=3,4").text("a={x:0{n}d}").read()["a"].tolist()
    assert made == ["001", "0002"]
    with pytest.raises(MissingError, match="'q'"):
        quire.new("x=1,2").text("a={x:{q}}").read()
