"""A beam that is converted from one format to another and back is the same to the last bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quire
from quire.toolkit.convert import copy

FORMATS: dict[str, list[dict[str, Any]]] = {
    "sdds": [{}, {"major_order": "column"}, {"byte_order": "big"}, {"mode": "ascii"}],
    "h5part": [{}, {"chunk": 3}, {"chunk": 4, "filter": "deflate"}],
    "openpmd": [{}, {"chunk": 3}, {"chunk": 4, "filter": "deflate"}],
}
"""Options of the writer."""

UNITS = {
    **dict.fromkeys("xyz", ("m", "mm", "um")),
    **dict.fromkeys(("px", "py", "pz"), ("m$be$nc", "MeV/c", "kg*m/s", "")),
    "t": ("s", "ps"),
    "weighting": ("",),
    "q": ("C", "nC"),
    "id": ("",),
}
INTEGERS = ("int32", "int64")
FLOATS = ("float32", "float64")


@dataclass(frozen=True)
class Beam:
    """Steps by number: their attributes, and their columns of a type and a unit each."""

    types: Mapping[str, str]
    units: Mapping[str, str]
    steps: Mapping[int, tuple[float, str, Mapping[str, Any]]]


@st.composite
def beams(draw: st.DrawFn) -> Beam:
    """Beams of one to three steps, which may have no rows."""
    types = {name: draw(st.sampled_from(INTEGERS if name == "id" else FLOATS)) for name in UNITS}
    units = {name: draw(st.sampled_from(known)) for name, known in UNITS.items()}
    # Positions in different units are no one record of openPMD.
    units |= {name: units["x"] for name in "yz"} | {name: units["px"] for name in ("py", "pz")}
    numbers = draw(st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=3, unique=True))
    steps = {}
    for number in sorted(numbers):
        rows = draw(st.integers(0, 9))
        charge = draw(st.floats(allow_nan=False, allow_infinity=False))
        label = draw(st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=8))
        steps[number] = (charge, label, {name: draw(values(types[name], rows)) for name in UNITS})
    return Beam(types, units, steps)


def values(type: str, rows: int) -> st.SearchStrategy[Any]:
    """Columns of a type, with its limits and both zeros."""
    if type in INTEGERS:
        limits = np.iinfo(type)
        one: st.SearchStrategy[Any] = st.integers(int(limits.min), int(limits.max))
    else:
        one = st.floats(width=32 if type == "float32" else 64, allow_nan=False)
    return st.lists(one, min_size=rows, max_size=rows).map(lambda found: np.array(found, type))


def write(path: Path, beam: Beam, format: str, options: Mapping[str, Any]) -> None:
    with quire.create(path, format=format, **options) as out:
        for number, (charge, label, columns) in beam.steps.items():
            with out.step(number) as step:
                step.set("charge", charge, unit="C")
                step.set("label", label)
                for name, column in columns.items():
                    step.put(name, column, unit=beam.units[name])


def require_same(path: Path, beam: Beam) -> None:
    with quire.open(path) as file:
        assert file.numbers == list(beam.steps)
        for step in file:
            charge, label, columns = beam.steps[step.number]
            assert np.float64(step.attrs["charge"]).tobytes() == np.float64(charge).tobytes()
            assert (step.attrs.info["charge"].unit, step.attrs["label"]) == ("C", label)
            assert set(step.table) == set(columns)
            for name, column in columns.items():
                found = step[name]
                assert (found.type, found.unit) == (beam.types[name], beam.units[name]), name
                assert found[:].tobytes() == column.tobytes(), name


@pytest.mark.parametrize(("first", "second"), list(product(FORMATS, FORMATS)))
@settings(max_examples=15)
@given(beam=beams(), data=st.data())
def test_a_beam_returns_from_every_pair_of_formats(
    first: str, second: str, beam: Beam, data: st.DataObject
) -> None:
    options = [data.draw(st.sampled_from(FORMATS[name])) for name in (first, second, first)]
    with TemporaryDirectory() as folder:
        paths = [Path(folder, f"{place}.data") for place in range(3)]
        write(paths[0], beam, first, options[0])
        copy(paths[0], paths[1], format=second, options=options[1])
        copy(paths[1], paths[2], format=first, options=options[2])
        for path in paths:
            require_same(path, beam)
