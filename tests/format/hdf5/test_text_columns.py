"""Columns of texts: written, read with h5py, grown, by any number of ranks, and through the commands."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.mpi import run_ranks
from typer.testing import CliRunner

import quire
from quire.cli.main import app

KINDS: list[tuple[str, dict[str, Any], str]] = [
    ("h5part", {}, "Step#0/name"),
    ("h5part", {"chunk": "7"}, "Step#0/name"),
    ("h5part", {"chunk": "5", "filter": "deflate"}, "Step#0/name"),
    ("hdf5", {}, "name"),
    ("hdf5", {"chunk": "5", "filter": "zstd"}, "name"),
]
NAMES = ["QF", "", "D1", "mitte \u00b5m", "QD", "DRIFT-LONG-NAME", "Z"]


def run(*words: str) -> str:
    outcome = CliRunner().invoke(app, list(words))
    assert outcome.exit_code == 0, outcome.output
    return outcome.output


def write(path: Path | str, names: list[str], format_name: str = "h5part", **options: Any) -> None:
    with quire.create(path, format=format_name, **options) as out, out.step(0) as step:
        step.put("s", np.arange(len(names)) * 0.5, unit="m").put("name", names, type="string").put(
            "k", np.ones(len(names))
        )


@pytest.mark.parametrize(("format_name", "options", "place"), KINDS)
def test_h5py_reads_fixed_texts_padded_with_zeros(
    tmp_path: Path, format_name: str, options: dict[str, Any], place: str
) -> None:
    path = tmp_path / "names.h5"
    write(path, NAMES, format_name, **options)
    if options.get("filter") == "zstd":
        pytest.importorskip("hdf5plugin")
    with h5py.File(path) as file:
        data = file[place]
        text = h5py.check_string_dtype(data.dtype)
        assert (text.encoding, text.length) == ("utf-8", 15)
        assert data.id.get_type().get_strpad() == h5py.h5t.STR_NULLPAD
        assert data.shape == (len(NAMES),)
        assert list(data.asstr()[:]) == NAMES


@pytest.mark.parametrize(("format_name", "options", "_place"), KINDS)
@given(st.data())
@settings(max_examples=25)
def test_any_texts_come_back(
    format_name: str, options: dict[str, Any], _place: str, data: st.DataObject
) -> None:
    # A zero byte ends a text in HDF5.
    letters = st.characters(codec="utf-8", exclude_characters="\0")
    names = data.draw(st.lists(st.text(letters, max_size=9), max_size=23))
    first = data.draw(st.integers(0, len(names)))
    last = data.draw(st.integers(first, len(names)))
    rows = data.draw(st.lists(st.integers(0, len(names) - 1), max_size=9)) if names else []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "names.h5"
        write(path, names, format_name, **options)
        with quire.open(path) as file:
            table = file[0].table
            assert list(table) == ["s", "name", "k"]
            assert table["name"].type == "string"
            assert list(table["name"][:]) == names
            assert list(table.read(rows=slice(first, last))["name"]) == names[first:last]
            assert list(table.read(rows=rows)["name"]) == [names[row] for row in rows]


def share(comm: Any, total: int) -> range:
    """The rows of a rank; rank 0 of several has none."""
    rank, size = (comm.rank - 1, comm.size - 1) if comm.size > 1 else (0, 1)
    return range(0) if rank < 0 else range(total * rank // size, total * (rank + 1) // size)


def name_of(row: int) -> str:
    return "x" * (row % 5) + str(row)


def write_shares(comm: Any, path: str, format_name: str, options: dict[str, Any], in_parts: bool) -> None:
    with quire.create(path, comm, format_name, deadline=30, **options) as out, out.step(0) as step:
        rows = share(comm, 40)
        names = [name_of(row) for row in rows]
        if not in_parts:
            step.put("n", np.array(rows, np.int32)).put("name", names, type="string")
            return
        step.declare("n", "int32")
        step.declare("name", "string", longest_string=max(map(len, names), default=0))
        step.rows(len(rows))
        step.agree_on_rows()
        blocks = [slice(first, first + 3) for first in range(0, len(rows), 3)]
        for block in blocks if step.weighs_values else []:
            step.weigh({"n": np.array(rows[block], np.int32), "name": names[block]})
        step.open()
        for block in blocks:
            step.write(block.start, {"n": np.array(rows[block], np.int32), "name": names[block]})


@pytest.mark.mpi
@pytest.mark.parametrize("counts", [(1, 3), pytest.param((1, 2, 4), marks=pytest.mark.nightly)], ids=str)
@pytest.mark.parametrize("in_parts", [False, True], ids=["whole", "parts"])
@pytest.mark.parametrize(("format_name", "options", "place"), KINDS)
def test_the_file_does_not_depend_on_the_ranks(
    tmp_path: Path,
    format_name: str,
    options: dict[str, Any],
    place: str,
    in_parts: bool,
    counts: tuple[int, ...],
) -> None:
    files = []
    for ranks in counts:
        path = tmp_path / f"names{ranks}.h5"
        run_ranks(write_shares, ranks, str(path), format_name, options, in_parts)
        files.append(path.read_bytes())
    assert all(file == files[0] for file in files)
    with quire.open(path) as file:
        assert list(file[0]["name"][:]) == [name_of(row) for row in range(40)]


@pytest.mark.parametrize("format_name", ["h5part", "hdf5"])
@pytest.mark.parametrize("filter_name", ["none", "deflate"])
def test_texts_are_added_to_a_step_that_grows(tmp_path: Path, format_name: str, filter_name: str) -> None:
    path = tmp_path / "names.h5"
    options: dict[str, Any] = {"format": format_name, "chunk": 4, "filter": filter_name, "grow": True}
    parts = [["alpha", "b"], ["c"], ["", "delta", "e", "f", "g"], []]
    for number, part in enumerate(parts):
        with quire.create(path, **options) if number == 0 else quire.append(path, **options) as out:
            out.step(0).put("n", np.arange(len(part))).put("name", part, type="string").commit()
    with quire.append(path, **options) as out:
        step = out.step(0).put("n", np.arange(1)).put("name", ["longer"])
        with pytest.raises(quire.ConflictError, match=r"longest text has 6 bytes.* have 5 bytes"):
            step.commit()
    with quire.open(path) as file:
        assert list(file[0]["name"][:]) == [name for part in parts for name in part]


def test_a_column_of_other_programs_grows_only_if_its_texts_are_like_ours(tmp_path: Path) -> None:
    path = tmp_path / "ascii.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("Step#0/name", data=np.array([b"ab", b"c"]), chunks=(4,), maxshape=(None,))
    with pytest.raises(quire.ConflictError, match="its texts are not UTF-8"):
        quire.append(path, grow=True)


@pytest.mark.parametrize("version", ["earliest", "v110"])
@pytest.mark.parametrize(
    "layout", [{}, {"chunks": (2,)}, {"chunks": (3,), "compression": "gzip", "shuffle": True}]
)
def test_texts_of_other_programs(tmp_path: Path, layout: dict[str, Any], version: str) -> None:
    path = tmp_path / "texts.h5"
    texts = ["a", "", "long text", "\u00b5", "end  "]
    padded = h5py.h5t.C_S1.copy()
    padded.set_size(12)
    padded.set_strpad(h5py.h5t.STR_SPACEPAD)
    with h5py.File(path, "w", libver=(version, "v110")) as file:
        group = file.create_group("Step#0")
        encoded = np.array([text.encode() for text in texts], h5py.string_dtype(length=10))
        group.create_dataset("fixed", data=encoded, **layout)
        group.create_dataset("bytes", data=np.array([b"ab", b"c", b"", b"d", b"efg"]), **layout)
        group.create_dataset("any", data=texts, dtype=h5py.string_dtype(), **layout)
        group.create_dataset("late", shape=(5,), dtype=h5py.string_dtype(length=4), **layout)
        filled = layout if "chunks" in layout else {}
        group.create_dataset(
            "filled", shape=(5,), dtype=h5py.string_dtype(length=4), fillvalue=b"none", **filled
        )
        spaces = h5py.h5d.create(group.id, b"spaces", padded, h5py.h5s.create_simple((5,)))
        spaces.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([b"x", b"", b"y z", b"w", b"v"], "S12"), padded)
        group["n"] = np.arange(5)
    with quire.open(path) as file:
        table = file[0].table
        assert list(table["fixed"][:]) == texts
        assert list(table["fixed"][::2]) == texts[::2]
        assert list(table["bytes"][:]) == ["ab", "c", "", "d", "efg"]
        assert list(table["any"][1:4]) == texts[1:4]
        assert list(table["late"][:]) == [""] * 5
        assert list(table["filled"][:]) == ["none"] * 5
        assert list(table["spaces"][:]) == ["x", "", "y z", "w", "v"]


def test_texts_that_hdf5_cannot_hold_are_refused(tmp_path: Path) -> None:
    with quire.create(tmp_path / "names.h5") as out:
        zero = out.step(0).put("name", ["a\0b"])
        with pytest.raises(quire.UnsupportedError, match="row 0 holds a text with a zero byte"):
            zero.commit()
        long = out.step(0).put("name", ["x" * 70000, "y"])
        with pytest.raises(quire.UnsupportedError, match=r"longest text has 70000 bytes.*at most 65536"):
            long.commit()
        chosen = out.step(0).rows_at([1, 0]).put("name", ["a", "b"])
        with pytest.raises(quire.UnsupportedError, match="the column name holds texts"):
            chosen.commit()
        with out.step(0) as step:
            step.put("name", ["a"])
    with quire.create(tmp_path / "names.hdf5", format="hdf5", layout="matrix") as out:
        matrix = out.step(0).put("name", ["a"])
        with pytest.raises(quire.UnsupportedError, match=r"holds numbers.*layout=columns"):
            matrix.commit()
        with out.step(0) as step:
            step.put("x", np.ones(1))


def test_texts_longer_than_declared_are_refused(tmp_path: Path) -> None:
    with quire.create(tmp_path / "names.h5") as out:
        step = out.step(0)
        step.declare("name", "string", longest_string=2)
        step.rows(2)
        step.open()
        step.write(0, {"name": ["ab", "cde"]})
        with pytest.raises(quire.UsageError, match="row 1 holds a text of 3 bytes, the column has 2"):
            step.commit()


@pytest.mark.parametrize("suffix", [".h5", ".hdf5"])
def test_commands_work_with_columns_of_texts(tmp_path: Path, suffix: str) -> None:
    names, twiss, back = tmp_path / f"names{suffix}", tmp_path / "twiss.sdds", tmp_path / "back.sdds"
    with quire.create(twiss) as out:
        out.set("code", "tracker")
        with out.step(0) as step:
            step.set("nux", 4.25)
            step.put("s", np.arange(len(NAMES)) * 0.5, unit="m").put("ElementName", NAMES)
            step.put("betax", np.ones(len(NAMES)), unit="m").put("A", np.arange(len(NAMES), dtype=np.int32))
    assert "left out" not in run("convert", str(twiss), str(names))
    run("convert", str(names), str(back))
    for other in (names, back):
        run("diff", str(twiss), str(other), "--types")
        with quire.open(other) as file:
            assert list(file[0].table) == ["s", "ElementName", "betax", "A"]
    assert run("sum", str(twiss)).split()[0] == run("sum", str(names)).split()[0]
    run("check", "--values", str(names))
    assert "DRIFT-LONG-NAME" in run("show", str(names), "--columns", "s,ElementName")
    shown = run("show", str(names), "--columns", "ElementName", "--where", "ElementName == 'QD'", "--csv")
    assert shown.split() == ["step,ElementName", "0,QD"]
    kept = tmp_path / f"kept{suffix}"
    run("filter", str(names), str(kept), "ElementName != ''")
    with quire.open(kept) as file:
        assert list(file[0]["ElementName"][:]) == [name for name in NAMES if name]


def test_import_of_text_with_names(tmp_path: Path) -> None:
    source, target = tmp_path / "names.csv", tmp_path / "names.h5"
    source.write_text("s,name,k\n0.5,QF,1\n1.5,DRIFT,2\n2.5,,3\n")
    run("import", str(source), str(target))
    with quire.open(target) as file:
        assert list(file[0].table) == ["s", "name", "k"]
        assert list(file[0]["name"][:]) == ["QF", "DRIFT", ""]


@pytest.mark.parametrize(("format_name", "place"), [("h5part", "Step#0"), ("hdf5", "/")])
def test_the_order_of_columns_is_an_attribute_only_where_it_is_needed(
    tmp_path: Path, format_name: str, place: str
) -> None:
    for names in (["b", "a", "c"], ["a", "b", "c"]):
        path = tmp_path / ("".join(names) + ".h5")
        with quire.create(path, format=format_name) as out, out.step(0) as step:
            step.set("t", 1.0)
            for name in names:
                step.put(name, np.ones(2))
        with h5py.File(path) as file:
            assert ("__columns__" in file[place].attrs) == (names != sorted(names))
            assert file[place].attrs.get("__columns__", b"b/a/c") == b"b/a/c"
        with quire.open(path) as file:
            assert list(file[0].table) == names
            assert list(file[0].attrs) == ["t"]
            assert not file[0].warnings


def test_columns_that_are_added_or_dropped_by_others_keep_the_order_of_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "order.h5"
    with quire.create(path) as out, out.step(0) as step:
        for name in ["z", "b", "y", "a"]:
            step.put(name, np.ones(2))
    with quire.append(path, existing="add") as out, out.step(0) as step:
        step.put("m", np.ones(2)).put("c", np.ones(2))
    with quire.open(path) as file:
        assert list(file[0].table) == ["z", "b", "y", "a", "m", "c"]
    with h5py.File(path, "a") as file:
        del file["Step#0/y"]
        file["Step#0/B"] = np.ones(2)
    with quire.open(path) as file:
        assert list(file[0].table) == ["z", "b", "a", "m", "c", "B"]


def test_the_name_of_the_order_is_reserved(tmp_path: Path) -> None:
    for format_name in ("h5part", "hdf5"):
        with quire.create(tmp_path / f"{format_name}.h5", format=format_name) as out:
            step = out.step(0).set("__columns__", "x").put("x", np.ones(1))
            with pytest.raises(quire.UsageError, match="reserved for the order of the columns"):
                step.commit()
            with out.step(0) as usual:
                usual.put("x", np.ones(1))
