"""Comparison of values with a truth, bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def number(text: Any, dtype: np.dtype[Any]) -> Any:
    """The value of a truth's number: a JSON number, a decimal or a hexadecimal floating point string."""
    if dtype.kind != "f":
        return int(text)
    if not isinstance(text, str):
        return dtype.type(text)
    if text.lstrip("-") in ("nan", "inf"):
        return dtype.type(text)
    return _long_hexadecimal(text) if dtype.itemsize > 8 else dtype.type(float.fromhex(text))


def _long_hexadecimal(text: str) -> np.longdouble:
    # Python's fromhex rounds to 53 bits; the mantissa of an 80-bit number has 64.
    sign = -1 if text.startswith("-") else 1
    mantissa, _, exponent = text.lstrip("-").removeprefix("0x").partition("p")
    whole, _, fraction = mantissa.partition(".")
    digits = int(whole + fraction, 16)
    low = np.longdouble(digits & 0xFFFFFFFF)
    high = np.ldexp(np.longdouble(digits >> 32), 32)
    value: np.longdouble = np.longdouble(sign) * np.ldexp(high + low, int(exponent) - 4 * len(fraction))
    return value


def numbers(texts: Sequence[Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An array of a truth's numbers."""
    return np.array([number(text, dtype) for text in texts], dtype=dtype)


def text(value: Any) -> str:
    """The string of a truth. Its bytes may be no UTF-8."""
    return (
        bytes.fromhex(value["hex"]).decode("utf-8", "surrogateescape")
        if isinstance(value, dict)
        else str(value)
    )


def old_text(entry: dict[str, Any]) -> str:
    """The text of an attribute in a truth: a text, or the bytes that old writers stored."""
    value = entry["value"]
    return value if isinstance(value, str) else bytes(value).partition(b"\0")[0].decode()


def assert_same(found: Any, wanted: Sequence[Any], what: str) -> None:
    """Assert that an array (or list of strings) has exactly the values of the truth, including -0 and nan."""
    array = np.asarray(found).reshape(-1)
    assert array.size == len(wanted), f"{what}: {array.size} values instead of {len(wanted)}"
    if array.dtype.kind == "O":
        assert list(array) == [text(value) for value in wanted], what
    elif array.dtype.kind == "S":
        codes = list(array.astype("S1").view(np.uint8)) if array.size else []
        assert codes == [int(value) for value in wanted], what
    else:
        expected = numbers(wanted, array.dtype)
        np.testing.assert_array_equal(array, expected, err_msg=what)
        if array.dtype.kind == "f":
            unlike = ~np.isnan(expected) & (np.signbit(array) != np.signbit(expected))
            assert not unlike.any(), f"{what}: sign of zero"
