"""Refusals before anything is written: metadata that are not XML, bases without a number, names."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np
import pytest
from tests.format.nektar.made import QUADRILATERALS, TRIANGLES, block_of
from tests.python.cli.conftest import run as run  # a fixture
from tests.python.support.mpi import run_ranks

import quire

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

LAYOUTS = ["hdf5", "xml", "directory", "streams"]
BASES = (
    *("NoBasisType", "Ortho_A", "Ortho_B", "Ortho_C", "Modified_A", "Modified_B", "Modified_C", "OrthoPyr_C"),
    *("ModifiedPyr_C", "Fourier", "GLL_Lagrange", "Gauss_Lagrange", "Legendre", "Chebyshev", "Monomial"),
    *("FourierSingleMode", "FourierHalfModeRe", "FourierHalfModeIm"),
)
SHAPES = {
    "Segment": 1,
    "Triangle": 2,
    "Quadrilateral": 2,
    "Tetrahedron": 3,
    "Pyramid": 3,
    "Prism": 3,
    "Hexahedron": 3,
}
MOST_HOMOGENEOUS = {1: 2, 2: 1, 3: 0}


def some_block(**changes: Any) -> quire.ElementBlock:
    return block_of(TRIANGLES | changes, [1, 2], np.array([3, 4]))


def write(path: Path, layout: str, metadata: dict[str, Any], number: int = 0, **options: Any) -> None:
    with quire.create(path, layout=layout, **options) as out, out.step(number) as step:
        for name, value in metadata.items():
            step.set(name, value)
        step.put_elements([some_block()])


def metadata_in(path: Path) -> dict[str, Any]:
    with quire.open(path) as file:
        assert file.check().damage is None
        return dict(file[0].attrs)


# ---- Metadata

NO_FRAGMENTS = {
    "5 < 6 & 7": "not a well-formed XML fragment",
    "</Q></Metadata><ELEMENTS/>": r"</Q> does not close an open element",
    '<a x="1">t': "the element a is not closed",
    "a & b": '"&" without a reference',
    "plain text": "contains no element",
    "<!-- c -->": "contains no element",
    "": "contains no element",
    "<a>" * 300 + "</a>" * 300: "nested too deep",
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("value", NO_FRAGMENTS)
def test_an_invalid_fragment_keeps_the_previous_checkpoint(tmp_path: Path, layout: str, value: str) -> None:
    path = tmp_path / "case.chk"
    write(path, layout, {"XML_Q": "<a/>", "Time": 1.5})
    before = metadata_in(path)
    with pytest.raises(quire.UsageError, match=f"XML_Q: .*{NO_FRAGMENTS[value]}.*the attribute Q"):
        write(path, layout, {"XML_Q": value})
    assert metadata_in(path) == before
    with pytest.raises(quire.UsageError, match="XML_Q"):
        write(tmp_path / "new.chk", layout, {"XML_Q": value})


@pytest.mark.parametrize("layout", LAYOUTS)
def test_xml_fragments_are_preserved(tmp_path: Path, layout: str) -> None:
    pieces = {
        "XML_Q": '<!-- c --><a x="1">5 &lt; 6</a><b/>',
        "XML_Map": "<E><![CDATA[<]]></E>",
        "XML_Lines": "<a b='x\ny\t\r\n'>x\r\ny\rz\n</a><a> </a>tail\n",
    }
    write(tmp_path / "case.chk", layout, pieces)
    found = metadata_in(tmp_path / "case.chk")
    assert {name: found[name] for name in pieces} == pieces


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("value", [" ", "\n", "a\rb", "a\r\nb\t", " x ", "größe ∂", "<&>\"'"])
def test_texts_are_preserved(tmp_path: Path, layout: str, value: str) -> None:
    write(tmp_path / "case.chk", layout, {"Title": value, "Provenance/GitBranch": value})
    found = metadata_in(tmp_path / "case.chk")
    assert (found["Title"], found["Provenance/GitBranch"]) == (value, value)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"C": "a\x01b"}, r"C: .*U\+0001 \(at byte 1\)"),
        ({"XML_C": "<a>\x1b</a>"}, r"XML_C: .*U\+001B"),
        ({"Provenance/GitBranch": "\ufffe"}, r"Provenance/GitBranch: .*U\+FFFE"),
        ({"a∂": "1"}, "a∂: an attribute of this name cannot be stored"),
        ({"Provenance/a b": "1"}, "Provenance/a b: an attribute of this name"),
        ({"Provenance": "x"}, "Provenance: an attribute of this name cannot be stored.*Provenance/NAME"),
        ({"XML_Provenance": "<b/>"}, "XML_Provenance: an attribute of this name"),
        ({"Q": "1", "XML_Q": "<a/>"}, "XML_Q: it would be the same XML element as Q"),
    ],
)
def test_what_xml_cannot_store_is_refused_by_name(
    tmp_path: Path, layout: str, metadata: dict[str, str], message: str
) -> None:
    with pytest.raises(quire.UnsupportedError, match=message):
        write(tmp_path / "case.chk", layout, metadata)


def foreign(path: Path, attributes: dict[str, str]) -> Path:
    """Write a file with metadata that this writer refuses."""
    write(path, "hdf5", {"Time": 1.5})
    kind = h5py.string_dtype("ascii")
    with h5py.File(path, "r+") as file:
        for name, value in attributes.items():
            file["NEKTAR/Metadata"].attrs.create(name, np.array(value.encode(), dtype=object), dtype=kind)
    return path


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_conversion_reports_the_attributes_it_leaves_out(run: Run, tmp_path: Path, layout: str) -> None:
    source = foreign(tmp_path / "old.fld", {"XML_Q": "5 < 6", "C": "a\x01b", "my key": "1"})
    arguments = ("convert", source, tmp_path / "new.fld", "--option", f"layout={layout}")
    dry = run(*arguments, "--dry-run")
    assert dry.code == 1
    assert "lost: attribute XML_Q: left out: the value is not a well-formed XML fragment" in dry.errors
    assert "to store it as text, use the attribute Q" in dry.errors
    assert "lost: attribute C: left out: the value contains what XML cannot store" in dry.errors
    assert "lost: attribute my key: left out" in dry.errors
    wet = run(*arguments)
    assert (wet.code, wet.errors) == (0, dry.errors)
    kept = {"Time", "Provenance/NektarVersion"}
    assert metadata_in(tmp_path / "new.fld").keys() == kept


def refuse_on_ranks(comm: Any, path: str) -> list[str]:
    """Return the errors of this rank for metadata and bases that cannot be written."""
    errors = []
    odd = block_of({"shape": "Quadrilateral", "basis": ("Fourier", "Fourier")}, [1], np.array([2, 2]))
    for metadata, blocks in [({"XML_Q": "<a>"}, [some_block()]), ({}, [odd] if comm.rank == 1 else [])]:
        try:
            with quire.create(path, comm, "nektar", layout="hdf5", deadline=40) as out, out.step(0) as step:
                for name, value in metadata.items():
                    step.set(name, value)
                step.put_elements(blocks)
        except quire.Error as error:
            errors.append(f"{type(error).__name__}: {error}")
    return errors


def test_all_ranks_raise_the_same_errors(tmp_path: Path) -> None:
    for first, second in run_ranks(refuse_on_ranks, 2, str(tmp_path / "case.fld"), time_limit=100):
        assert first.startswith("UsageError: ")
        assert "XML_Q" in first
        assert second.startswith("UnsupportedError: ")
        assert "the basis Fourier" in second


# ---- Bases


def kinds() -> Iterator[dict[str, Any]]:
    """Yield shapes with homogeneous directions and bases, so that each basis is in each direction once."""
    usual = {"own": "Modified_A", "homogeneous": "Fourier"}
    for shape, own in SHAPES.items():
        for homogeneous in range(MOST_HOMOGENEOUS[own] + 1):
            first = [usual["own"]] * own + [usual["homogeneous"]] * homogeneous
            planes: dict[str, Any] = {"lengths": (0.5,) * homogeneous}
            if homogeneous:
                planes["z_ids"] = (0, 1)
            if homogeneous == 2:
                planes["y_ids"] = (0, 1)
            seen = set()
            for direction in range(own + homogeneous):
                for basis in BASES:
                    bases = (*first[:direction], basis, *first[direction + 1 :])
                    if bases not in seen:
                        yield {"shape": shape, "basis": bases, **planes}
                    seen.add(bases)


def is_numbered(kind: dict[str, Any]) -> bool:
    """Whether HDF5 and streams have numbers for these bases, by the rules of the specification."""
    own = SHAPES[kind["shape"]]
    for direction, basis in enumerate(kind["basis"]):
        if basis.startswith("Fourier") != (direction >= own):
            return False
        if basis in ("OrthoPyr_C", "ModifiedPyr_C") and (kind["shape"] != "Pyramid" or direction != 2):
            return False
    return True


def block_with(kind: dict[str, Any], id: int) -> quire.ElementBlock:
    own = SHAPES[kind["shape"]]
    one = {1: 2, 2: 4, 3: 8}[own] if kind["shape"] in ("Segment", "Quadrilateral", "Hexahedron") else 0
    one = one or {"Triangle": 3, "Tetrahedron": 4, "Pyramid": 5, "Prism": 6}[kind["shape"]]
    count = one * max(1, len(kind.get("z_ids", ())))
    modes = np.full(len(kind["basis"]), 2)
    return quire.ElementBlock(
        modes=modes, ids=np.array([id], dtype=np.uint32), values={"u": np.arange(count) + 0.5}, **kind
    )


def bases_in(path: Path) -> dict[int, tuple[str, tuple[str, ...]]]:
    with quire.open(path) as file:
        assert file.check().damage is None
        assert file[0].warnings == []
        return {int(id): (one.shape, one.basis) for one in file[0].expansions for id in one.ids}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_bases_are_preserved_or_refused(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "case.fld"
    is_by_number = layout in ("hdf5", "streams")
    accepted: list[quire.ElementBlock] = []
    for kind in kinds():
        block = block_with(kind, len(accepted))
        if not is_by_number or is_numbered(kind):
            accepted.append(block)
            if not is_by_number:
                continue
            with quire.create(path, layout=layout, replacement="direct") as out, out.step(0) as step:
                step.put_elements([block])
            assert list(bases_in(path).values()) == [(kind["shape"], kind["basis"])]
            continue
        message = f"{kind['shape']}: layout={layout} stores bases as numbers.* the basis .*layout=xml"
        with (
            pytest.raises(quire.UnsupportedError, match=message),
            quire.create(tmp_path / "refused.fld", layout=layout) as out,
            out.step(0) as step,
        ):
            step.put_elements([block])
    # All of them in one file, which has one numbering.
    with quire.create(path, layout=layout, replacement="whole") as out, out.step(0) as step:
        step.put_elements(accepted)
    assert bases_in(path) == {int(one.ids[0]): (one.shape, one.basis) for one in accepted}


@pytest.mark.parametrize("layout", ["hdf5", "streams"])
def test_a_conversion_refuses_bases_without_a_number(run: Run, tmp_path: Path, layout: str) -> None:
    source, target = tmp_path / "old.fld", tmp_path / "new.fld"
    with quire.create(source, layout="xml") as out, out.step(0) as step:
        step.put_elements([block_with({"shape": "Segment", "basis": ("Fourier",)}, 7)])
    for more in ([], ["--dry-run"]):
        done = run("convert", source, target, "--option", f"layout={layout}", *more)
        assert done.code != 0
        assert f"Segment: layout={layout} stores bases as numbers, which cannot express" in done.errors
        assert "layout=xml" in done.errors
        assert not target.exists()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_version_that_contradicts_the_bases_is_refused(tmp_path: Path, layout: str) -> None:
    path, block = tmp_path / "a.fld", block_of(QUADRILATERALS, [1], np.array([3, 4]))

    def write_as(version: str, **options: Any) -> tuple[str, ...]:
        with quire.create(path, layout=layout, version=version, **options) as out, out.step(0) as step:
            step.put_elements([block])
        with quire.open(path) as file:
            assert file[0].attrs["Provenance/NektarVersion"] == version
            return tuple(file[0].expansions[0].basis)

    if layout in ("hdf5", "streams"):
        with pytest.raises(quire.UsageError, match=r'version: .* contradicts version "4.4.0"'):
            write_as("4.4.0")
        assert write_as("5.0.0") == block.basis
    else:
        assert write_as("4.4.0") == block.basis


# ---- Names and numbers


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("", quire.UsageError, "a variable has no name"),
        ("u,v", quire.UnsupportedError, "a comma"),
        (" u", quire.UnsupportedError, "a leading or trailing blank"),
        ("u\tv", quire.UnsupportedError, "a line end or a tab"),
        ("u\x01", quire.UnsupportedError, r"U\+0001"),
    ],
)
def test_names_of_variables_that_would_change_are_refused(
    tmp_path: Path, layout: str, name: str, error: type[quire.Error], message: str
) -> None:
    block = quire.ElementBlock(
        "Segment", ("Modified_A",), np.array([2]), np.array([1], dtype=np.uint32), {name: np.zeros(2)}
    )
    with (
        pytest.raises(error, match=message),
        quire.create(tmp_path / "a.fld", layout=layout) as out,
        out.step(0) as step,
    ):
        step.put_elements([block])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_number_of_a_step_is_that_of_its_file(tmp_path: Path, layout: str) -> None:
    cases: list[tuple[int, dict[str, Any], str]] = [
        (0, {"ChkFileNum": 0}, "0"),
        (3, {}, "3"),
        (0, {"ChkFileNum": 17}, "17"),
        (17, {"ChkFileNum": "17"}, "17"),
        (4, {"ChkFileNum": "3"}, "4"),
        (3, {"ChkFileNum": " 3"}, " 3"),
        (3, {"ChkFileNum": 3.0}, "3"),
        (3, {"ChkFileNum": "3.0"}, "3.0"),
        (3, {"ChkFileNum": "first"}, "3"),
    ]
    for place, (number, metadata, expected) in enumerate(cases):
        path = tmp_path / f"case_{place}.chk"
        write(path, layout, metadata, number)
        assert metadata_in(path)["ChkFileNum"] == expected
        with quire.open(path) as file:
            assert file[0].number == int(float(expected))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("text", "number"),
    [
        *((" 3", 3), ("3\n", 3), ("03", 3), ("3.0", 3), ("+3", 3), ("9223372036854775807.0", 2**63 - 1)),
        *(("3.5", 0), ("-3", 0), ("three", 0), ("", 0)),
        *(("0x10", 0), ("0x10.0", 0), ("1e3", 0), ("3.0e1", 0), ("3 4", 0), (".0", 0), ("9" * 20, 0)),
    ],
)
def test_all_spellings_of_the_number_are_read(tmp_path: Path, layout: str, text: str, number: int) -> None:
    write(tmp_path / "case.chk", layout, {"ChkFileNum": text})
    assert metadata_in(tmp_path / "case.chk")["ChkFileNum"] == text
    with quire.open(tmp_path / "case.chk") as file:
        assert file[0].number == number


@pytest.mark.parametrize("layout", LAYOUTS)
def test_metadata_can_be_copied_to_the_next_step(tmp_path: Path, layout: str) -> None:
    write(tmp_path / "case_1.chk", layout, {"Time": 0.5}, 1)
    for number in (2, 3):
        before = metadata_in(tmp_path / f"case_{number - 1}.chk")
        write(tmp_path / f"case_{number}.chk", layout, before, number)
        assert metadata_in(tmp_path / f"case_{number}.chk") == before | {"ChkFileNum": str(number)}


def test_a_conversion_reports_that_a_number_is_replaced(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "steps.h5"
    with quire.create(source) as out, out.step(4) as step:
        step.set("ChkFileNum", "3").set("Time", 0.5)
    done = run("convert", source, tmp_path / "case.chk", "--dry-run")
    assert "attribute ChkFileNum: 3 becomes 4: the number of the step" in done.errors


def write_where_it_is(comm: Any, path: str, layout: str) -> None:
    asked: dict[str, Any] = {"timestamp": "now", "hostname": "here"}
    with (
        quire.create(path, comm, "nektar", layout=layout, deadline=40, **asked) as out,
        out.step(0) as step,
    ):
        step.put_elements([block_of(TRIANGLES, [comm.rank], np.array([3, 4]))])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_time_and_machine_are_written_on_request_only(tmp_path: Path, layout: str) -> None:
    where, when = "Provenance/Hostname", "Provenance/Timestamp"
    write(tmp_path / "bare.fld", layout, {})
    assert not {where, when} & metadata_in(tmp_path / "bare.fld").keys()
    write(tmp_path / "named.fld", layout, {}, hostname="node17")
    assert metadata_in(tmp_path / "named.fld")[where] == "node17"
    write(tmp_path / "kept.fld", layout, {where: "there"}, hostname="here")
    assert metadata_in(tmp_path / "kept.fld")[where] == "there"
    with pytest.raises(quire.UnsupportedError, match=r"Provenance/Hostname: .*U\+0001"):
        write(tmp_path / "odd.fld", layout, {}, hostname="a\x01")
    run_ranks(write_where_it_is, 2, str(tmp_path / "here.fld"), layout, time_limit=100)
    found = metadata_in(tmp_path / "here.fld")
    assert found[where] == socket.gethostname()
    assert len(found[when]) == len("23-Nov-2026 15:00:00")
