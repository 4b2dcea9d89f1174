"""Element types: their names, their NumPy types, and arrays of users."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from quire.errors import TypeMismatchError, UsageError

Array = NDArray[Any]

_DTYPES: Final[dict[str, np.dtype[Any]]] = {
    **{
        name: np.dtype(name)
        for name in (
            "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64",
        )
    },
    "float80": np.dtype(np.longdouble),
    "character": np.dtype("S1"),
    "string": np.dtype(object),
}  # fmt: skip

# Devices of DLPack whose memory the processor can access: CPU and pinned host memory.
_HOST_DEVICES: Final = frozenset({1, 3, 11})


def type_names() -> list[str]:
    """Independent. Return the names of all element types."""
    return list(_DTYPES)


def dtype_of(name: str) -> np.dtype[Any]:
    """Independent. Return the NumPy type of an element type. Raises usage errors."""
    try:
        return _DTYPES[name]
    except KeyError:
        raise UsageError(f'there is no type "{name}"', advice=f"the types are {', '.join(_DTYPES)}") from None


def type_of(dtype: np.dtype[Any], name: str = "") -> str:
    """Independent. Return the element type for arrays of a NumPy type. Errors name the object `name`.

    float16 is converted to float32, which represents all its values. Text of any NumPy kind is `string`,
    except single bytes (`S1`), which are `character`. There are no Boolean and complex types.
    """
    if dtype.kind in "iu" or dtype.kind == "f":
        if dtype.kind == "f" and dtype.itemsize == 2:
            return "float32"
        for type_name, candidate in _DTYPES.items():
            if (candidate.kind, candidate.itemsize) == (dtype.kind, dtype.itemsize):
                return type_name
    if dtype.kind == "S":
        return "character" if dtype.itemsize == 1 else "string"
    if dtype.kind in "OUT":
        return "string"
    advice = f"the types are {', '.join(_DTYPES)}"
    if dtype.kind == "b":
        advice = 'use array.view("int8"), or another of the integer types'
    raise TypeMismatchError(f"values of NumPy type {dtype} cannot be stored", object=name, advice=advice)


def host_array(values: Any, name: str = "") -> Array:
    """Independent. Return the values as a NumPy array, without a copy if they are one.

    Raises type errors for arrays in device memory, which the caller must copy.
    """
    if not isinstance(values, np.ndarray) and _is_on_device(values):
        raise TypeMismatchError(
            "the array is in device memory",
            object=name,
            advice="copy it to the host first, for example by .get() or .cpu().numpy()",
        )
    # Masked arrays are of a module that NumPy imports when they are used.
    if "numpy.ma" in sys.modules and isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise TypeMismatchError(
            "the array has masked values, which cannot be stored",
            object=name,
            advice="replace them by .filled(value)",
        )
    if isinstance(values, list | tuple) and values and isinstance(values[0], str):
        return _texts(values, name)
    exchanges = hasattr(values, "__dlpack__") and not hasattr(values, "__array__")
    try:
        array = np.from_dlpack(values) if exchanges else np.asarray(values)
    except UnicodeDecodeError:
        return _texts(values, name)
    except ValueError as problem:
        raise TypeMismatchError(f"the values are not an array: {problem}", object=name) from problem
    if array.dtype.kind == "U" and isinstance(values, list | tuple):
        return _texts(values, name)
    if array.dtype.kind == "O" and not isinstance(values, np.ndarray) and not _is_text(values):
        raise TypeMismatchError(
            "the values have no common type", object=name, advice="give a NumPy array of one type, or text"
        )
    return array


def _texts(values: Sequence[Any], name: str) -> Array:
    """Return the texts as objects. NumPy's text arrays drop zero bytes at the end, and accept numbers."""
    array = np.array(values, dtype=object)
    require_texts(array, name)
    return array


def require_texts(array: Array, name: str) -> None:
    """Independent. Raises a type error that names the first element that is not text."""
    for row, value in enumerate(array.flat):
        if not isinstance(value, str | bytes):
            raise TypeMismatchError(
                f"element {row} is of type {type(value).__name__}, not text",
                object=name,
                advice="convert the values to text, or give an array of numbers",
            )


def _is_on_device(values: Any) -> bool:
    if hasattr(values, "__cuda_array_interface__"):
        return True
    device = getattr(values, "__dlpack_device__", None)
    return callable(device) and int(device()[0]) not in _HOST_DEVICES


def _is_text(values: Any) -> bool:
    return isinstance(values, Sequence) and all(isinstance(value, str | bytes) for value in values)


def ready_array(array: Array, wanted: str, lossy: bool, name: str = "") -> Array | list[str | bytes]:
    """Independent. Return the array for the core: numbers of the given type in native byte order.

    Returns the same memory if it has this type, with any stride and alignment, else a converted copy. Raises
    a type error if the conversion changes a value, unless `lossy`. Strings are returned as a list.
    """
    if array.size == 0:
        # An empty list has no type, and agrees with the types of the other ranks.
        return [] if wanted == "string" else np.empty(0, dtype_of(wanted))
    if wanted == "string":
        if type_of(array.dtype, name) not in ("string", "character"):
            raise TypeMismatchError(
                f"{array.dtype} is not text",
                object=name,
                advice="convert the numbers to text, or leave out the type",
            )
        if array.dtype.hasobject:
            require_texts(array, name)
        texts: list[str | bytes] = array.tolist()
        return texts
    target = dtype_of(wanted)
    if array.dtype == target and array.dtype.isnative:
        return array
    return _converted(array, target, lossy, name)


def _converted(array: Array, target: np.dtype[Any], lossy: bool, name: str) -> Array:
    if (array.dtype.kind in "SUOT") != (target.kind == "S"):
        raise TypeMismatchError(f"{array.dtype} cannot be converted to {target}", object=name)
    if target.kind == "S":
        return _characters(array, name)
    with np.errstate(all="ignore"):
        converted = array.astype(target)
        if not lossy and not _always_equal(array.dtype, target):
            _check_equal(array, converted, name)
    return converted


def _always_equal(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """Return whether all values of one type are values of the other."""
    # NumPy regards int64 to float64 as safe, which rounds.
    exact = source.kind == target.kind or source.itemsize < np.dtype(np.int64).itemsize
    return exact and np.can_cast(source, target, "safe")


def _check_equal(array: Array, converted: Array, name: str) -> None:
    """Raise a type error that names the first value that a conversion changed."""
    back = converted.astype(array.dtype)
    same = back == array
    if array.dtype.kind in "iu" and converted.dtype.kind in "iu":
        same &= (array < 0) == (converted < 0)
    elif array.dtype.kind in "iu":
        # The largest integers round up beyond their type, where the conversion back is undefined.
        limit = np.ldexp(converted.dtype.type(1), np.iinfo(array.dtype).bits - (array.dtype.kind == "i"))
        same &= converted < limit
    else:
        finite = np.isfinite(array)
        same = np.where(finite, same, converted.dtype.kind == "f")
        if converted.dtype.kind in "iu":
            bound = np.ldexp(
                array.dtype.type(1), np.iinfo(converted.dtype).bits - (converted.dtype.kind == "i")
            )
            same &= (array < bound) & (array >= (-bound if converted.dtype.kind == "i" else 0))
    if bool(np.all(same)):
        return
    row = int(np.argmin(same))
    raise TypeMismatchError(
        f"value {array[row]} of row {row} ({array.dtype}) cannot be represented as {converted.dtype}",
        object=name,
        advice="write it with its type, or allow changed values by lossy=True",
    )


def _characters(array: Array, name: str) -> Array:
    texts = [
        text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text for text in array.tolist()
    ]
    for row, text in enumerate(texts):
        if not isinstance(text, bytes) or len(text) > 1:
            raise TypeMismatchError(
                f"row {row} is not one byte of text", object=name, advice='use type="string"'
            )
    return np.array(texts, dtype="S1")
