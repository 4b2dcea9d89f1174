"""Truths that list the objects of a file: attributes, and digests of the data sets."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from tests.format.conformance.exact import assert_same
from tests.format.conformance.vectors import Truth

import quire

STEP = re.compile(r"/Step#(-?\d+)")


def belongs(truth: Truth) -> bool:
    """Whether a file has steps of particles or is empty."""
    objects = truth.get("objects", {})
    foreign = "openPMD" in objects.get("/", {}).get("attributes", {})
    return not foreign and (set(objects) == {"/"} or any(STEP.match(name) for name in objects))


def compare(path: str, truth: Truth) -> None:
    """Compare every attribute and data set of the truth."""
    objects = truth["objects"]
    with quire.open(path) as file:
        numbers = sorted(int(match.group(1)) for name in objects if (match := STEP.fullmatch(name)))
        assert file.numbers == numbers
        compare_attributes(file.attrs.info, objects["/"]["attributes"], file)
        for name, entry in objects.items():
            if match := STEP.match(name):
                compare_object(file, file.step(int(match.group(1))), name[match.end() + 1 :], entry)


def compare_object(file: quire.File, step: quire.Step, name: str, entry: Truth) -> None:
    """Compare the step itself, or one of its columns or components of fields."""
    if not name:
        compare_attributes(step.attrs.info, entry["attributes"], file)
    elif entry["kind"] == "dataset":
        column, _, component = name.removeprefix("Block/").partition("/")
        values = step.fields[column][...] if component else step[column][:]
        compare_digest(values, entry, name)


def compare_digest(values: np.ndarray[Any, Any], entry: Truth, name: str) -> None:
    """Compare type, shape and the digest of all elements."""
    little = np.ascontiguousarray(values, dtype=np.dtype(entry["type"].split()[0]).newbyteorder("<"))
    assert list(little.shape) == entry["shape"], name
    assert hashlib.sha256(little.tobytes()).hexdigest() == entry["sha256_le"], name


def compare_attributes(
    found: Mapping[str, quire.Attribute], wanted: Mapping[str, Any], file: quire.File
) -> None:
    """Compare attributes; those that name the unit of a quantity may have become its unit."""
    for name, entry in wanted.items():
        if name not in found:
            assert entry["value"] in units_of(file, name.removesuffix("Unit")), f"attribute {name} is missing"
            continue
        value = found[name].value
        if isinstance(value, str):
            text = entry["value"]
            assert value == (text if isinstance(text, str) else bytes(text).partition(b"\0")[0].decode()), (
                name
            )
        else:
            elements = entry["value"] if isinstance(entry["value"], list) else [entry["value"]]
            assert_same(np.atleast_1d(np.asarray(value, dtype=found[name].type)), elements, name)


def units_of(file: quire.File, quantity: str) -> set[str]:
    """All units of quantities of this name in the file."""
    units = {file.attrs.info[quantity].unit} if quantity in file.attrs else set()
    for step in file:
        if quantity in step.attrs:
            units.add(step.attrs.info[quantity].unit)
        if quantity in step:
            units.add(step[quantity].unit)
    return units
