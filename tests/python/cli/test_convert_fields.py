"""Fields that are converted in parts have the same bytes as fields converted as a whole."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.python.support.files import path_for, step_formats
from tests.python.support.mpi import run_ranks

import quire
from quire.io.formats import format_info, format_infos
from quire.io.types import Array
from quire.toolkit import layers
from quire.toolkit.convert import copy
from quire.toolkit.layers import cut

SHAPE = (13, 6, 5)
FIELDS: dict[str, Array] = {
    "rho": np.round(np.random.default_rng(3).normal(size=SHAPE), 2),
    "E": np.round(np.random.default_rng(4).normal(size=(*SHAPE, 3)), 2),
    "n": np.arange(np.prod(SHAPE), dtype=np.int32).reshape(SHAPE),
    "small": np.arange(3.0).reshape(1, 1, 3),
}
SOURCE = next(
    info.name
    for info in format_infos()
    if not info.one_step and any(option.name == "field_chunk" for option in info.write_options)
)
"""A format that holds fields of any kind, optionally in chunks."""
PART_BYTES = 333
"""Less than a layer of a field with components."""


def write_source(path: Path, format_name: str, **options: Any) -> Path:
    """Two steps with a table and fields."""
    with quire.create(path, format=format_name, **options) as out:
        for number in (1, 2):
            with out.step(number) as step:
                step.put("x", np.arange(20.0) * number)
                step.put("y", np.arange(20.0) - number)
                for name, values in FIELDS.items():
                    step.put_field(
                        name, values * number, quire.Grid(components=3 if name == "E" else 1), unit="V"
                    )
    return path


def variants() -> list[tuple[str, dict[str, Any]]]:
    """Each format with its defaults, in each of its modes, and in chunks with and without a filter."""
    found: list[tuple[str, dict[str, Any]]] = []
    for name in step_formats():
        options = {option.name: option for option in format_info(name).write_options}
        modes = options["mode"].choices if "mode" in options else ()
        found += [(name, {}), *((name, {"mode": mode}) for mode in modes)]
        if "field_chunk" in options:
            found += [
                (name, {"chunk": 7, "field_chunk": "4x3x5"}),
                (name, {"chunk": 7, "field_chunk": "2", "filter": "deflate"}),
                (name, {"filter": "deflate"}),
            ]
    return found


VARIANTS = variants()
IDS = ["-".join([name, *(f"{key}={value}" for key, value in options.items())]) for name, options in VARIANTS]


def parts_written(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bytes of each part of a field that is written from now on."""
    sizes: list[int] = []
    original = quire.WriteStep.write_field

    def write_field(self: quire.WriteStep, name: str, start: Any, values: Any) -> quire.WriteStep:
        sizes.append(values.nbytes)
        return original(self, name, start, values)

    monkeypatch.setattr(quire.WriteStep, "write_field", write_field)
    return sizes


@pytest.mark.parametrize(("format_name", "options"), VARIANTS, ids=IDS)
def test_parts_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format_name: str, options: dict[str, Any]
) -> None:
    source = write_source(path_for(tmp_path, SOURCE, "source"), SOURCE, field_chunk="5x6x2")
    whole = path_for(tmp_path, format_name, "whole")
    copy(source, whole, format=format_name, options=options)
    sizes = parts_written(monkeypatch)
    monkeypatch.setattr(layers, "PART_BYTES", PART_BYTES)
    parted = path_for(tmp_path, format_name, "parted")
    copy(source, parted, format=format_name, options=options)
    assert parted.read_bytes() == whole.read_bytes()
    # Without a shape each field is one chunk; the smallest field also, and it is put whole.
    assert len(sizes) == 6 if options == {"filter": "deflate"} else len(sizes) > 20
    if "filter" not in options and "chunk" not in options:
        # Chunks of the source are not split, except by text.
        assert max(sizes) <= max(PART_BYTES, 5 * 6 * 2 * 8 * 3)
    if options.get("mode") == "ascii":
        assert max(sizes) <= PART_BYTES


OPAQUE_SHAPE = (40, 12, 10)
POOR = 16_000
"""Memory for a few chunks, but not for a component of such a field."""


def write_opaque(path: Path) -> dict[str, Array]:
    """Fields that only the library of their format can read."""
    fields: dict[str, Array] = {
        "scaled": np.arange(np.prod(OPAQUE_SHAPE), dtype=np.int32).reshape(OPAQUE_SHAPE),
        "half": np.random.default_rng(5).normal(size=OPAQUE_SHAPE).astype("f2"),
        "vector": np.random.default_rng(6).normal(size=(3, *OPAQUE_SHAPE)).astype("f4"),
    }
    with h5py.File(path, "w") as file:
        file.create_dataset("scaled", data=fields["scaled"], chunks=(4, 3, 5), scaleoffset=0)
        file.create_dataset("half", data=fields["half"], chunks=(5, 2, 5), compression="gzip")
        # Chunks across the components.
        vector = file.create_dataset("vector", data=fields["vector"], chunks=(3, 2, 6, 5), compression="gzip")
        vector.attrs["components"] = 3
    return fields


def write_opaque_on_ranks(comm: Any, source: str, target: str, options: dict[str, Any]) -> None:
    layers.PART_BYTES = PART_BYTES
    copy(source, target, comm=comm, options=options)


@pytest.mark.parametrize(
    "options", [{}, {"field_chunk": "2x6x2", "filter": "deflate"}], ids=["plain", "chunks"]
)
def test_opaque_fields_are_read_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    source = tmp_path / "opaque.hdf5"
    fields = write_opaque(source)
    whole, parted = tmp_path / "whole.h5", tmp_path / "parted.h5"
    copy(source, whole, options=options)
    with quire.open(source) as file:
        assert file[0].fields["scaled"].location().chunk == (4, 3, 5)
        assert file[0].fields["vector"].location().chunk == (2, 6, 5)
    sizes = parts_written(monkeypatch)
    monkeypatch.setattr(layers, "PART_BYTES", PART_BYTES)
    with monkeypatch.context() as patch:
        patch.setattr(quire, "open", partial(quire.open, memory_budget=POOR))
        copy(source, parted, options=options)
    assert len(sizes) > 20
    assert max(sizes) < min(values.nbytes for values in fields.values())
    assert parted.read_bytes() == whole.read_bytes()
    with quire.open(parted) as file:
        np.testing.assert_array_equal(file[0].fields["scaled"][...], fields["scaled"])
        np.testing.assert_array_equal(file[0].fields["half"][...], fields["half"])
        np.testing.assert_array_equal(file[0].fields["vector"][...], np.moveaxis(fields["vector"], 0, -1))


@pytest.mark.mpi
def test_opaque_fields_are_read_on_ranks(tmp_path: Path) -> None:
    source = tmp_path / "opaque.hdf5"
    write_opaque(source)
    alone, together = tmp_path / "alone.h5", tmp_path / "together.h5"
    copy(source, alone)
    run_ranks(write_opaque_on_ranks, 3, str(source), str(together), {})
    assert together.read_bytes() == alone.read_bytes()


def test_any_part_of_an_opaque_field_can_be_read(tmp_path: Path) -> None:
    source = tmp_path / "opaque.hdf5"
    fields = write_opaque(source)
    fields["vector"] = np.moveaxis(fields["vector"], 0, -1)
    boxes: list[Any] = [
        np.s_[3, 2, 1:4],
        np.s_[2:9, 1:5, 2:3],
        np.s_[1:39:3, ::2, 1:9:2],
        np.s_[5:7],
        np.s_[1:40],
        np.s_[:, 11:12, 9:10],
        np.s_[3:3],
    ]
    for budget in (64 << 20, POOR):
        with quire.open(source, memory_budget=budget) as file:
            for name, values in fields.items():
                for box in boxes:
                    np.testing.assert_array_equal(file[0].fields[name][box], values[box], f"{name} {box}")


def convert_on_ranks(comm: Any, source: str, folder: str) -> None:
    layers.PART_BYTES = PART_BYTES
    for number, (format_name, options) in enumerate(VARIANTS):
        copy(source, Path(folder, str(number)), comm=comm, format=format_name, options=options)


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [2, 3])
def test_parts_on_ranks_give_the_same_bytes(tmp_path: Path, ranks: int) -> None:
    source = write_source(path_for(tmp_path, SOURCE, "source"), SOURCE)
    together = tmp_path / "together"
    together.mkdir()
    run_ranks(convert_on_ranks, ranks, str(source), str(together))
    for number, (format_name, options) in enumerate(VARIANTS):
        alone = tmp_path / f"alone{number}"
        copy(source, alone, format=format_name, options=options)
        assert (together / str(number)).read_bytes() == alone.read_bytes(), IDS[number]


def test_a_fault_between_parts_leaves_no_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_source(path_for(tmp_path, SOURCE, "source"), SOURCE)
    target = path_for(tmp_path, SOURCE, "target")
    copy(source, target)
    before = target.read_bytes()
    monkeypatch.setattr(layers, "PART_BYTES", PART_BYTES)
    original = quire.Field.read
    calls = 0

    def read(self: quire.Field, *args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 9:
            raise quire.BadFileError("torn")
        return original(self, *args, **kwargs)

    monkeypatch.setattr(quire.Field, "read", read)
    with pytest.raises(quire.BadFileError, match="torn"):
        copy(source, target, overwrite=True)
    assert target.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([source.name, target.name])


@pytest.mark.parametrize("unit", [(1, 1, 1), (4, 1, 1), (3, 4, 2), (100, 100, 100)])
@pytest.mark.parametrize("most", [1, 7, 60, 10_000])
def test_the_parts_of_a_box_cover_it(unit: tuple[int, ...], most: int) -> None:
    box = ((2, 0, 1), (9, 7, 5))
    count = np.zeros((12, 7, 7), dtype=int)
    order = np.arange(count.size).reshape(count.shape)
    last = -1
    for start, shape in cut(box, unit, most):
        part = tuple(slice(first, first + many) for first, many in zip(start, shape, strict=True))
        count[part] += 1
        assert math.prod(shape) <= max(most, math.prod(map(min, unit, shape)))
        if unit == (1, 1, 1):
            assert order[part].min() > last, "text goes on element by element"
            last = int(order[part].max())
        for first, many, side, end in zip(start, shape, unit, (11, 7, 6), strict=True):
            is_whole = (first % side == 0 or first in (0, 1, 2)) and (
                (first + many) % side == 0 or first + many == end
            )
            assert is_whole, "no chunk is torn apart"
    wanted = np.zeros_like(count)
    wanted[2:11, 0:7, 1:6] = 1
    np.testing.assert_array_equal(count, wanted)


def test_an_empty_box_has_no_parts() -> None:
    assert list(cut(((3, 0), (0, 5)), (1, 1), 10)) == []
