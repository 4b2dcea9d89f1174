"""What is written is read back: every type, attribute and text that a format holds; the rest is refused."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.files import path_for, refusal, same, sample_columns, step_formats, write_table

import quire
from quire.io.types import dtype_of, type_names

ROWS = 7
COMMON = ["int32", "int64", "float32", "float64"]


def extremes(name: str) -> Any:
    """Return values of a type that a wrong conversion or byte order would change."""
    dtype = dtype_of(name)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return np.array([limits.min, limits.max, 0, 1, 2, limits.max // 3, 77], dtype)
    if dtype.kind == "f":
        tiny = np.finfo(dtype).tiny
        return np.array([0.0, -0.0, np.inf, -np.inf, np.nan, tiny, np.pi], dtype)
    if name == "character":
        return np.array([b"a", b" ", b"\xff", b"\n", b"z", b'"', b"!"])
    return np.array(["", "a b", "Beschleuniger", 'say "x"', "μ-π", "two\nlines", "x" * 300], dtype=object)


def write_typed(path: Path, format_name: str, values: Any, type_name: str, lossy: bool = False) -> None:
    with quire.create(path, format=format_name, lossy=lossy) as out, out.step(0) as step:
        step.put("x", values, type=type_name)


@pytest.mark.parametrize("name", type_names())
def test_every_type_comes_back_or_is_refused(path: Path, format_name: str, name: str) -> None:
    values = extremes(name)
    error = refusal(lambda: write_typed(path, format_name, values, name))
    if error is not None:
        assert name not in COMMON
        assert error.object == "x"
        return
    with quire.open(path) as file:
        column = file[0]["x"]
        read = column[:]
        assert len(column) == ROWS
        if column.type == name:
            assert same(read, values)
            assert read.tobytes() == values.tobytes() or read.dtype.hasobject or name == "float80"
        elif name == "character":
            assert read.astype(np.uint8).tobytes() == values.tobytes()
        else:
            # Widened to a type that the format has: equal, not alike.
            assert np.array_equal(read.astype(np.longdouble), values.astype(np.longdouble), equal_nan=True)


def test_texts_of_a_column(path: Path, format_name: str) -> None:
    with quire.create(path, format=format_name) as out, out.step(0) as step:
        step.put(
            "x",
            np.arange(3.0),
            unit=quire.Texts("m$be$nc", symbol="x_0", description="the x", display="%9.3f"),
        )
    with quire.open(path) as file:
        column = file[0]["x"]
        assert column.unit == "m$be$nc"
        assert column.symbol in ("", "x_0")
        assert column.description in ("", "the x")
        assert column.display in ("", "%9.3f")


ATTRIBUTES: dict[str, tuple[Any, str]] = {
    "integer": (-5, "int64"),
    "number": (0.1, "float64"),
    "text": ("a β text", "string"),
    "narrow": (np.int16(-3), "int16"),
    "single": (np.float32(0.1), "float32"),
    "array": (np.array([1.5, 2.5, 3.5]), "float64"),
}


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_of_a_step(path: Path, format_name: str, name: str) -> None:
    value, type_name = ATTRIBUTES[name]
    with quire.create(path, format=format_name) as out, out.step(4) as step:
        step.set(name, value, unit="s").put("x", np.zeros(2))
    with quire.open(path) as file:
        attribute = file[0].attrs.info[name]
        assert attribute.type == type_name
        assert np.array_equal(np.squeeze(attribute.value), value)
        assert attribute.unit in ("s", "")
        assert name in repr(attribute)


def test_scalars_stay_scalars(path: Path, format_name: str) -> None:
    with quire.create(path, format=format_name) as out, out.step(0) as step:
        step.set("scalar", 5.0).set("one", [5.0]).set("two", [5.0, 6.0]).put("x", np.zeros(2))
    with quire.open(path) as file:
        attributes = file[0].attrs.info
        assert isinstance(attributes["scalar"].value, float)
        assert attributes["scalar"].value == 5.0
        # Some formats know no difference between a scalar and an array of one.
        assert np.ravel(attributes["one"].value).tolist() == [5.0]
        assert attributes["two"].value.tolist() == [5.0, 6.0]


def test_attributes_of_the_file(path: Path, format_name: str) -> None:
    given = quire.Attribute("ignored", 2.5, "float64", unit="GeV")
    with quire.create(path, format=format_name) as out:
        out.attrs["energy"] = given
        out.attrs["code"] = "fodo"
        out.set("seed", 12)
        with out.step(0) as step:
            step.put("x", np.zeros(2))
        is_late_taken = False
        with contextlib.suppress(quire.UnsupportedError):
            out.set("late", 1)
            is_late_taken = True
    with quire.open(path) as file:
        assert ("late" in file.attrs) == is_late_taken
        assert file.attrs["energy"] == 2.5
        assert file.attrs["code"] == "fodo"
        assert file.attrs["seed"] == 12


def test_attributes_are_copied_with_type_and_texts(path: Path, format_name: str) -> None:
    source = quire.Attribute("a", 0.25, "float32", unit="s")
    with quire.create(path, format=format_name) as out, out.step(0) as step:
        step.set("a", source).put("x", np.zeros(1))
    with quire.open(path) as file:
        assert file[0].attrs.info["a"].type == "float32"


@pytest.mark.parametrize("value", [True, np.True_, 1j, 2**70, None, {"a": 1}])
def test_values_without_a_type_are_refused(path: Path, format_name: str, value: Any) -> None:
    with quire.create(path, format=format_name) as out, out.step(0) as step:
        with pytest.raises(quire.TypeMismatchError):
            step.set("flag", value)
        step.put("x", np.zeros(1))


def test_many_steps_and_their_numbers(path: Path, format_name: str) -> None:
    numbers = [0, 3, 4, 100, 1 << 30]
    with quire.create(path, format=format_name) as out:
        for number in numbers:
            with out.step(number) as step:
                step.put("x", np.full(number % 5 + 1, number, dtype=np.int64))
    with quire.open(path) as file:
        assert file.numbers == numbers
        assert len(file) == len(numbers)
        assert [step.number for step in file] == numbers
        assert file.step(100)["x"][:].tolist() == [100]
        assert file[-1].number == numbers[-1]
        assert [step.number for step in file[1:4]] == numbers[1:4]
        assert [step.number for step in file[::-2]] == numbers[::-2]
        with pytest.raises(quire.MissingError, match="100"):
            file.step(99)
        for place in (5, -6):
            with pytest.raises(IndexError, match=f"index {place}"):
                file[place]


def test_steps_without_rows(path: Path, format_name: str) -> None:
    write_table(path, format_name, sample_columns(0))
    with quire.open(path) as file:
        table = file[0].table
        assert len(table) == 0
        assert all(len(values) == 0 for values in table.read().values())
        assert list(table.blocks()) == []


@pytest.mark.parametrize(
    "make",
    [
        lambda a: np.repeat(a, 3)[::3],
        lambda a: a[::-1].copy()[::-1],
        lambda a: a.astype(a.dtype.newbyteorder(">")),
        lambda a: np.array(list(zip(a, a, strict=True)), dtype=[("p", "i1"), ("v", a.dtype)])["v"],
        lambda a: memoryview(a),
    ],
    ids=["strided", "reversed", "big-endian", "unaligned", "buffer"],
)
@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_arrays_of_any_shape_in_memory(path: Path, format_name: str, make: Any, dtype: str) -> None:
    values = np.arange(50).astype(dtype)
    with quire.create(path, format=format_name) as out, out.step(0) as step:
        step.put("x", make(values)).put("y", values)
    with quire.open(path) as file:
        assert same(file[0]["x"][:], values)
        assert same(file[0]["y"][:], values)


def test_half_precision_and_lists(path: Path, format_name: str) -> None:
    write_table(path, format_name, {"h": np.array([0.5, 2.0], np.float16), "l": [1, 2], "f": [0.5, 1.5]})
    with quire.open(path) as file:
        assert file[0]["h"].type == "float32"
        assert file[0]["h"][:].tolist() == [0.5, 2.0]
        assert file[0]["l"].type == "int64"
        assert file[0]["f"][:].tolist() == [0.5, 1.5]


def test_conversion_when_written(path: Path, format_name: str) -> None:
    values = np.array([1.0, 2.5])
    with quire.create(path, format=format_name) as out, out.step(0) as step:
        step.put("x", values, type="float32")
    with quire.open(path) as file:
        assert file[0]["x"].type == "float32"
        assert file[0]["x"][:].tolist() == [1.0, 2.5]
    with pytest.raises(quire.TypeMismatchError, match="row 1"):
        write_typed(path, format_name, np.array([1.0, 0.1]), "float32")
    write_typed(path, format_name, np.array([1.0, 0.1]), "float32", lossy=True)
    with quire.open(path) as file:
        assert file[0]["x"][1] == np.float32(0.1)


# A byte of zero ends a text in some formats, which refuse it.
TEXTS = st.text(st.characters(exclude_characters="\0", codec="utf-8"))


@pytest.mark.parametrize("name", step_formats())
def test_any_texts_come_back(tmp_path: Path, name: str) -> None:
    path = path_for(tmp_path, name)
    if refusal(lambda: write_typed(path, name, ["a"], "string")) is not None:
        return

    @settings(max_examples=40)
    @given(st.lists(TEXTS), TEXTS)
    def check(texts: list[str], title: str) -> None:
        with quire.create(path, format=name) as out, out.step(0) as step:
            step.set("texts", np.array(texts, dtype=object)).set("title", title)
            step.put("t", texts, type="string").put("x", np.arange(len(texts)))
        with quire.open(path) as file:
            assert file[0]["t"][:].tolist() == texts
            assert file[0]["t"][::-2].tolist() == texts[::-2]
            assert file[0]["x"][:].tolist() == list(range(len(texts)))
            assert np.atleast_1d(file[0].attrs["texts"]).tolist() == texts
            assert file[0].attrs["title"] == title

    check()


def test_bytes_that_are_no_text_come_back(path: Path, format_name: str) -> None:
    strange = b"\xff\xfe caf\xe9"
    with quire.create(path, format=format_name) as out, out.step(0) as step:
        step.set("note", strange).put("x", np.zeros(1))
    with quire.open(path) as file:
        value = file[0].attrs["note"]
        assert value.encode("utf-8", "surrogateescape") == strange


def test_fields_come_back_or_are_refused(path: Path, format_name: str) -> None:
    scalar = np.arange(24.0).reshape(2, 3, 4)

    def write() -> None:
        with quire.create(path, format=format_name) as out, out.step(0) as step:
            step.put_field("phi", scalar, unit="V")

    if (error := refusal(write)) is not None:
        assert error.message
        return
    with quire.open(path) as file:
        field = file[0].fields["phi"]
        assert field.extents == (2, 3, 4)
        assert same(field[...], scalar)
        assert same(np.asarray(field), scalar)
        assert same(field.read([(0, 1), slice(1, 3), (2, 2)]), scalar[:1, 1:3, 2:])
        out_array = np.empty((2, 3, 4), order="F")
        assert field.read(out=out_array) is out_array
        assert np.array_equal(out_array, scalar)
        for key in (1, -1, (0, 2), (slice(None, None, -1), 1), (..., 2), (1, ..., slice(0, 4, 3)), (0, 1, 2)):
            assert np.array_equal(field[key], scalar[key]), key
        with pytest.raises(quire.MissingError):
            field[5]
        with pytest.raises(quire.UsageError):
            field[0, 0, 0, 0]
