"""Types and arrays on their way in: what converts, what does not, and what the error says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire import TypeMismatchError, UsageError
from quire.io.types import dtype_of, host_array, ready_array, type_names, type_of

NUMBERS = [name for name in type_names() if name not in ("character", "string")]


@pytest.mark.parametrize("name", type_names())
def test_names_and_dtypes_are_inverse(name: str) -> None:
    assert type_of(dtype_of(name)) == name


@pytest.mark.parametrize("name", NUMBERS)
def test_other_byte_order_is_the_same_type(name: str) -> None:
    swapped = dtype_of(name).newbyteorder(">")
    assert type_of(swapped) == name
    values = np.arange(5).astype(swapped)
    ready = ready_array(values, name, lossy=False)
    assert isinstance(ready, np.ndarray)
    assert ready.dtype == dtype_of(name)
    assert ready.dtype.isnative
    assert ready.tolist() == list(range(5))


def test_half_precision_widens() -> None:
    values = np.array([0.5, np.inf, 65504.0], dtype=np.float16)
    assert type_of(values.dtype) == "float32"
    ready = ready_array(values, "float32", lossy=False)
    assert isinstance(ready, np.ndarray)
    assert ready.tolist() == [0.5, np.inf, 65504.0]


@pytest.mark.parametrize("dtype", ["bool", "complex128", "datetime64[s]", "V4"])
def test_types_without_a_counterpart_are_refused(dtype: str) -> None:
    with pytest.raises(TypeMismatchError, match="cannot be stored") as caught:
        type_of(np.dtype(dtype), "flag")
    assert caught.value.object == "flag"
    assert "int8" in caught.value.advice


def test_unknown_type_name_lists_the_types() -> None:
    with pytest.raises(UsageError, match="float64"):
        dtype_of("double")


def test_ready_arrays_are_not_copied() -> None:
    base = np.arange(20.0)
    for view in (base, base[::3], base[::-1], np.broadcast_to(np.float64(1.0), 4)):
        assert ready_array(view, "float64", lossy=False) is view


def test_unaligned_arrays_are_not_copied() -> None:
    record = np.zeros(3, dtype=np.dtype([("flag", "i1"), ("x", "f8")]))
    record["x"] = [1, 2, 3]
    ready = ready_array(record["x"], "float64", lossy=False)
    assert isinstance(ready, np.ndarray)
    assert np.shares_memory(ready, record)
    assert ready.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("values", "wanted", "row"),
    [
        (np.array([0.0, 0.1]), "float32", 1),
        (np.array([1.0, 1.5]), "int32", 1),
        (np.array([1.0, np.nan]), "int32", 1),
        (np.array([1.0, 2.0**31]), "int32", 1),
        (np.array([-1.0]), "uint8", 0),
        (np.array([0, 300]), "int8", 1),
        (np.array([0, -1]), "uint64", 1),
        (np.array([2**63], dtype=np.uint64), "int64", 0),
        (np.array([0, 2**53 + 1]), "float64", 1),
        (np.array([2**63 - 1]), "float64", 0),
        (np.array([2**64 - 1], dtype=np.uint64), "float64", 0),
        (np.array([1e300]), "float32", 0),
    ],
)
def test_lossy_conversions_name_the_row(values: Any, wanted: str, row: int) -> None:
    with pytest.raises(TypeMismatchError, match=f"row {row} ") as caught:
        ready_array(values, wanted, lossy=False, name="x")
    assert caught.value.object == "x"
    ready = ready_array(values, wanted, lossy=True)
    assert isinstance(ready, np.ndarray)
    assert ready.dtype == dtype_of(wanted)


EDGES = sorted(
    {sign * 2**power + step for sign in (-1, 1) for power in (7, 8, 24, 31, 53, 63) for step in (-1, 0, 1)}
)


@given(
    st.lists(st.integers(-(2**63), 2**64 - 1) | st.sampled_from(EDGES)),
    st.sampled_from(NUMBERS),
    st.sampled_from(NUMBERS),
)
def test_what_converts_without_loss_is_equal(numbers: list[int], source: str, target: str) -> None:
    kind = dtype_of(source)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        numbers = [number for number in numbers if limits.min <= number <= limits.max]
    values = np.array(numbers, dtype=kind)
    exact = [int(value) for value in values.tolist()] if kind.kind in "iu" else [int(v) for v in values]
    try:
        ready = ready_array(values, target, lossy=False)
    except TypeMismatchError:
        limit = dtype_of(target)
        if limit.kind in "iu":
            bounds = np.iinfo(limit)
            assert any(not bounds.min <= number <= bounds.max for number in exact)
        else:
            assert any(int(limit.type(number)) != number for number in exact)
        return
    assert isinstance(ready, np.ndarray)
    assert [int(value) for value in ready] == exact


def test_special_floats_survive_narrowing() -> None:
    values = np.array([np.nan, np.inf, -np.inf, -0.0])
    ready = ready_array(values, "float32", lossy=False)
    assert isinstance(ready, np.ndarray)
    assert np.array_equal(ready, values.astype(np.float32), equal_nan=True)
    assert np.signbit(ready[3])


def test_text_of_every_kind_becomes_a_list() -> None:
    for values in (np.array(["a", "bc"]), np.array(["a", "bc"], dtype=object), np.array([b"a", b"bc"])):
        assert type_of(values.dtype) == "string"
        assert [str(text, "ascii") if isinstance(text, bytes) else text for text in values] == ["a", "bc"]
        assert isinstance(ready_array(values, "string", lossy=False), list)


def test_characters_are_one_byte() -> None:
    ready = ready_array(np.array(["a", "b", ""]), "character", lossy=False)
    assert isinstance(ready, np.ndarray)
    assert ready.tolist() == [b"a", b"b", b""]
    with pytest.raises(TypeMismatchError, match="row 1"):
        ready_array(np.array(["a", "ä"]), "character", lossy=False)


def test_text_and_numbers_do_not_mix() -> None:
    with pytest.raises(TypeMismatchError, match="not text"):
        ready_array(np.arange(3), "string", lossy=True)
    with pytest.raises(TypeMismatchError, match="cannot be converted"):
        ready_array(np.array(["1"]), "int32", lossy=True)


@pytest.mark.parametrize("name", type_names())
def test_nothing_is_of_any_type(name: str) -> None:
    empty: list[Any] = [[], np.empty(0), np.empty(0, "U1"), np.empty(0, np.int8)]
    for nothing in empty:
        ready = ready_array(host_array(nothing), name, lossy=False)
        assert len(ready) == 0
        assert isinstance(ready, list) or ready.dtype == dtype_of(name)


class FakeDeviceArray:
    """Looks like an array in the memory of a device."""

    def __init__(self, device: int | None) -> None:
        if device is None:
            self.__cuda_array_interface__ = {"shape": (3,)}
        else:
            self.__dlpack_device__ = lambda: (device, 0)


class ExchangedArray:
    """Gives its memory by DLPack only."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def test_arrays_of_other_libraries_are_not_copied() -> None:
    values = np.arange(4.0)
    assert np.shares_memory(host_array(ExchangedArray(values)), values)


@pytest.mark.parametrize("device", [None, 2, 10])
def test_device_arrays_get_advice(device: int | None) -> None:
    with pytest.raises(TypeMismatchError, match="in device memory") as caught:
        host_array(FakeDeviceArray(device), "x")
    assert "copy it to the host" in caught.value.advice
    assert caught.value.object == "x"


def test_masked_and_ragged_values_are_refused() -> None:
    masked = np.ma.array([1.0, 2.0], mask=[False, True])
    with pytest.raises(TypeMismatchError, match="filled"):
        host_array(masked, "x")
    assert host_array(np.ma.array([1.0, 2.0]), "x").tolist() == [1.0, 2.0]
    with pytest.raises(TypeMismatchError, match="not an array"):
        host_array([[1, 2], [3]], "x")


def test_mixed_lists_are_refused() -> None:
    with pytest.raises(TypeMismatchError, match="no common type"):
        host_array([1, None], "x")
    assert host_array(["a", "b\0"]).tolist() == ["a", "b\0"]
