"""Fields: what is selected of them in the file and in memory, against NumPy; where their elements lie."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.files import path_for, refusal, table_formats

import quire
from quire.io.fit import fit

SHAPE = (5, 7, 11)
VALUES = np.arange(np.prod(SHAPE), dtype=np.float64).reshape(SHAPE) + 0.25


def put_values(path: Path, format_name: str) -> None:
    with quire.create(path, format=format_name) as out, out.step(0) as step:
        step.put_field("phi", VALUES)
        step.put("n", np.arange(200, dtype=np.int32))
        step.put("z", np.arange(200) * 0.5)


def error_of(action: Callable[[], object]) -> quire.Error | None:
    """Return the error that an action ends with, if any."""
    try:
        action()
    except quire.Error as error:
        return error
    return None


@st.composite
def slices(draw: st.DrawFn, extent: int) -> slice | int:
    if draw(st.integers(0, 5)) == 0:
        return draw(st.integers(-extent, extent - 1))
    bound = st.one_of(st.none(), st.integers(-extent - 2, extent + 2))
    step = draw(st.sampled_from([None, 1, 2, 3, 5, -1, -2]))
    return slice(draw(bound), draw(bound), step)


KEYS = st.tuples(*(slices(extent) for extent in SHAPE))


def test_any_index_gives_what_numpy_gives(path: Path, format_name: str) -> None:
    put_values(path, format_name)
    with quire.open(path) as file:
        field = file[0].fields["phi"]

        @settings(max_examples=150)
        @given(KEYS)
        def check(key: tuple[Any, ...]) -> None:
            found = field[key]
            assert np.array_equal(found, VALUES[key])
            out = np.full(np.shape(VALUES[key]) or (1,), -1.0)
            if all(isinstance(item, slice) for item in key):
                assert field.read(key, out=out) is out
                assert np.array_equal(out, VALUES[key])

        check()
        assert np.array_equal(field[2], VALUES[2])
        assert np.array_equal(field[..., ::4], VALUES[..., ::4])
        assert np.array_equal(field[1:4:2, ..., 3], VALUES[1:4:2, ..., 3])


def test_values_are_read_into_parts_of_larger_arrays(path: Path, format_name: str) -> None:
    put_values(path, format_name)
    with quire.open(path) as file:
        field = file[0].fields["phi"]

        @settings(max_examples=60)
        @given(
            st.tuples(*(st.integers(0, 2) for _ in range(6))),
            st.sampled_from([">f8", "<f8", "f4"]),
            st.booleans(),
        )
        def check(ghosts: tuple[int, ...], dtype: str, transposed: bool) -> None:
            before, after = ghosts[:3], ghosts[3:]
            shape = [b + n + a for b, n, a in zip(before, SHAPE, after, strict=True)]
            large = np.full(shape, -1, dtype)
            inner = large[tuple(slice(b, b + n) for b, n in zip(before, SHAPE, strict=True))]
            if transposed:
                inner = inner.T
                assert np.array_equal(field.read(out=np.empty(SHAPE)), VALUES)
                with pytest.raises(quire.UsageError):
                    field.read(out=inner)
                return
            assert field.read(out=inner) is inner
            assert np.array_equal(inner, VALUES)
            assert np.count_nonzero(large == -1) == large.size - VALUES.size

        check()


def test_several_boxes_come_in_the_order_of_the_file(path: Path, format_name: str) -> None:
    put_values(path, format_name)
    with quire.open(path) as file:
        field = file[0].fields["phi"]
        boxes = [np.s_[3:5, :, 2:4], np.s_[0:2, 1:6:2, ::5]]
        chosen = np.zeros(SHAPE, bool)
        for box in boxes:
            chosen[box] = True
        assert np.array_equal(field.read(boxes=boxes), VALUES[chosen])
        with pytest.raises(quire.UsageError, match="share an element"):
            field.read(boxes=[np.s_[0:2, :, :], np.s_[1:3, :, :]])
        with pytest.raises(quire.UsageError):
            field.read(np.s_[:, :, :], boxes=boxes)


@settings(max_examples=40)
@given(boxes=st.lists(KEYS, min_size=1, max_size=3), components=st.integers(1, 2))
@pytest.mark.parametrize("format_name", table_formats())
def test_boxes_are_put_from_wherever_they_lie(
    tmp_path_factory: pytest.TempPathFactory, format_name: str, boxes: list[Any], components: int
) -> None:
    path = path_for(tmp_path_factory.mktemp("boxes"), format_name)
    box = tuple(
        slice(*item.indices(n)) if isinstance(item, slice) else item
        for item, n in zip(boxes[0], SHAPE, strict=True)
    )
    if any(isinstance(item, slice) and item.step < 0 for item in box):
        return
    wanted = np.zeros((*SHAPE, components) if components > 1 else SHAPE)
    large = np.random.default_rng(1).random((*[2 * max(SHAPE) + 3] * 3, components))
    shape = np.shape(VALUES[box])
    part = large[tuple(slice(1, 1 + 2 * n, 2) for n in shape)]
    for _ in range(len(SHAPE) - len(shape)):
        part = part[..., 0, :]
    values = part if components > 1 else part[..., 0]
    wanted[box] = values
    with quire.create(path, format=format_name) as out, out.step(0) as step:
        step.put_field("phi", values, quire.Grid(SHAPE, box=box, components=components))
    with quire.open(path) as file:
        fields = file[0].fields
        found = (
            fields["phi"][...]
            if "phi" in fields
            else np.stack([one[...] for one in fields.values()], axis=-1)
        )
        assert np.array_equal(found, wanted)


def test_a_box_is_given_in_one_way_and_has_the_shape_of_its_values(path: Path, format_name: str) -> None:
    def put(values: Any, **where: Any) -> Any:
        def attempt() -> None:
            with quire.create(path, format=format_name) as out, out.step(0) as step:
                step.put_field("phi", values, quire.Grid(**where))

        error = error_of(attempt)
        return None if error is None else error.kind

    ones = np.ones((2, 3))
    assert put(ones, extents=(4, 6), start=(2, 3)) is None
    assert put(ones, extents=(4, 6), box=np.s_[2:, ::2]) is None
    assert put(np.ones(6), extents=(4, 6), boxes=[np.s_[0:1, 0:3], np.s_[3:4, 3:6]]) is None
    assert put(ones, extents=(4, 6), box=np.s_[2:, :]) == "usage"
    assert put(ones, extents=(4, 6), box=np.s_[3:1:-1, ::2]) == "usage"
    assert put(ones, extents=(4, 6), box=np.s_[2:, ::2], start=(0, 0)) == "usage"
    assert put(ones, extents=(4, 6), start=(3, 3)) == "usage"
    assert put(ones, extents=(4, 6), start=(-1, 0)) == "usage"
    assert put(np.ones(5), extents=(4, 6), boxes=[np.s_[0:1, 0:3], np.s_[3:4, 3:6]]) == "usage"


def test_rows_are_read_by_lists_and_truth_values(path: Path, format_name: str) -> None:
    put_values(path, format_name)
    whole = np.arange(200, dtype=np.int32)
    with quire.open(path) as file:
        table = file[0].table
        column = table["n"]

        @settings(max_examples=60)
        @given(st.lists(st.integers(-200, 199), max_size=30))
        def check(rows: list[int]) -> None:
            assert np.array_equal(column[rows], whole[rows] if rows else whole[:0])
            out = np.empty(len(rows), ">i4")
            table.read(["n"], np.array(rows, dtype=int), out={"n": out})
            assert np.array_equal(out, whole[np.array(rows, dtype=int)])

        check()
        chosen = whole % 7 == 3
        both = table.read(rows=chosen)
        assert np.array_equal(both["n"], whole[chosen])
        assert np.array_equal(both["z"], whole[chosen] * 0.5)
        for key in (slice(3, 150, 7), slice(180, 2, -11), slice(None, None, -1), slice(5, 5, 2)):
            assert np.array_equal(column[key], whole[key])
        for wrong in ([200], [-201], [0.5], [True, False], [[1], [2]]):
            with pytest.raises(quire.Error):
                column[wrong]


def test_texts_are_read_by_lists(path: Path, format_name: str) -> None:
    texts = np.array([f"t{i}" * (i % 4) for i in range(50)], dtype=object)

    def write() -> None:
        with quire.create(path, format=format_name) as out, out.step(0) as step:
            step.put("label", texts)

    if refusal(write) is not None:
        return
    with quire.open(path) as file:
        column = file[0]["label"]
        rows = [30, 2, 2, 49, 0, 17]
        assert column[rows].tolist() == texts[rows].tolist()
        assert column[3:40:6].tolist() == texts[3:40:6].tolist()
        assert column[40:3:-6].tolist() == texts[40:3:-6].tolist()


def test_coordinates_are_kept_or_reported(path: Path, format_name: str) -> None:
    places: dict[str, Any] = {
        "origin": (-1.0, 0.5, 2.0),
        "spacing": (0.1, 0.2, 0.25),
        "coordinates": [None, None, np.geomspace(1, 2, SHAPE[2])],
    }
    with quire.create(path, format=format_name) as out, out.step(0) as step:
        step.put_field("phi", VALUES, quire.Grid(**places), unit="V")
        step.put_field("psi", VALUES)
    with quire.open(path) as file:
        phi, psi = file[0].fields["phi"], file[0].fields["psi"]
        assert (phi.unit, psi.origin, psi.spacing, psi.coordinates) == ("V", None, None, None)
        losses = [one for one in fit(format_name, file, file[0]).changes if "origin" in one.what]
        if phi.origin is None:
            assert phi.spacing is None
            assert phi.coordinates is None
            return
        assert losses == []
        assert phi.origin == places["origin"]
        assert phi.spacing == places["spacing"]
        assert phi.coordinates is not None
        assert phi.coordinates[0] is None
        assert phi.coordinates[2] is not None
        assert np.array_equal(phi.coordinates[2], places["coordinates"][2])
        copy = path.with_name("copy" + path.suffix)
        with quire.create(copy, format=format_name) as out, out.step(0) as step:
            step.put_field("phi", phi[...], like=phi)
        with quire.open(copy) as other:
            assert other[0].fields["phi"].origin == phi.origin


@pytest.mark.parametrize(
    "places",
    [
        {"origin": (1.0, 2.0)},
        {"spacing": (1, 2, 3, 4)},
        {"coordinates": [None, [1.0], None]},
        {"coordinates": [[0.0] * 5]},
    ],
)
def test_places_fit_the_axes(path: Path, format_name: str, places: Any) -> None:
    def write() -> None:
        with quire.create(path, format=format_name) as out, out.step(0) as step:
            step.put_field("phi", VALUES, quire.Grid(**places))

    error = error_of(write)
    assert error is not None
    assert error.kind == "usage"
    assert error.object == "phi"


def test_boxes_with_ghosts_are_cut_apart() -> None:
    boxes = [np.s_[0:5, 0:4], np.s_[3:8, 0:4]]
    assert quire.disjoint_boxes(boxes) == [np.s_[0:4, 0:4], np.s_[4:8, 0:4]]
    assert quire.disjoint_box(boxes[0]) == boxes[0]
    quire.require_disjoint(boxes[0])
    with pytest.raises(quire.UsageError):
        quire.disjoint_boxes([np.s_[0:5,], np.s_[1:3,]])
    with pytest.raises(quire.UsageError):
        quire.disjoint_boxes([np.s_[0:5,], np.s_[4:,]])


def test_grids_of_ranks_have_halos_in_memory() -> None:
    owner = np.full((4, 4, 6), -1)
    for rank in range(4):
        part = quire.grid_part(rank, (2, 2, 1), (2, 2, 6), halo=(1, 0, 2))
        assert part.extents == owner.shape
        assert part.shape == (4, 2, 10)
        assert part.inner == np.s_[1:3, 0:2, 2:8]
        assert (owner[part.box] == -1).all()
        owner[part.box] = rank
    assert (owner >= 0).all()
    with pytest.raises(quire.UsageError):
        quire.grid_part(0, (2, 2), (2, 2), compatible=True)
