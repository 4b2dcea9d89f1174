"""Styles of XML files and directories in the specification, written by hand, rule by rule."""

from __future__ import annotations

import base64
import json
import re
import shutil
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.lab.plan.planning import columns_without_places
from quire.toolkit.difference import difference
from quire.toolkit.recover import recover

DATA = Path(__file__).resolve().parents[2] / "data" / "nektar"
SMALL = DATA / "tiny.fld"
FRAME = (
    '<NEKTAR>{metadata}<ELEMENTS FIELDS="u" SHAPE="{shape}" BASIS="{basis}"{more} ID="{ids}">'
    "{payload}</ELEMENTS></NEKTAR>"
)
STRIPS = ' HOMOGENEOUSZIDS="0-3" HOMOGENEOUSSIDS="1"'


def payload_of(values: np.ndarray, order: str = "<", zeros: bool = True) -> str:
    """Return the text of coefficients."""
    packed = zlib.compress(np.asarray(values, dtype=f"{order}f8").tobytes())
    if zeros:
        packed += bytes(-len(packed) % 3)
    return base64.b64encode(packed).decode()


def rewritten(order: str, zeros: bool) -> str:
    """Return the text of the sample with all payloads encoded again."""

    def again(found: re.Match[str]) -> str:
        values = np.frombuffer(zlib.decompress(base64.b64decode(found[1] + "==")), dtype="<f8")
        return f">{payload_of(values, order, zeros)}</ELEMENTS>"

    text = re.sub(r">([^<>]+)</ELEMENTS>", again, SMALL.read_text())
    return text.replace("B64Z-LittleEndian", "B64Z-BigEndian") if order == ">" else text


def one_block(
    path: Path,
    values: np.ndarray,
    shape: str = "Quadrilateral",
    basis: str = "Modified_A,Modified_A",
    more: str = ' NUMMODESPERDIR="UNIORDER:2,2"',
    ids: str = "7",
    metadata: str = "",
) -> quire.ElementBlock:
    """Write a file with these texts; return its only block."""
    text = FRAME.format(
        shape=shape, basis=basis, more=more, ids=ids, metadata=metadata, payload=payload_of(values)
    )
    path.write_text(text)
    with quire.open(path) as file:
        if damage := file.check().damage:
            raise damage
        (block,) = file[0].read_elements_all(partition="everything")
        assert np.array_equal(block.coefficients("u"), values, equal_nan=True)
        assert len(file[0].expansions) == 1
        return block


STYLES = {
    "big endian": lambda: rewritten(">", True),
    "padding of base64": lambda: rewritten("<", False),
    "lines": lambda: re.sub(r"([\w+/]{40})(?=[\w+/]+</ELEMENTS>)", r"\1\r\n \t", SMALL.read_text()),
    "many zero bytes": lambda: SMALL.read_text().replace("</ELEMENTS>", "AAAAAAAA</ELEMENTS>"),
    "other width of pointers": lambda: SMALL.read_text().replace('BITSIZE="64"', 'BITSIZE="32"'),
    "neither order nor width": lambda: re.sub(r' (COMPRESSED|BITSIZE)="[^"]*"', "", SMALL.read_text()),
    "attributes in another order": lambda: re.sub(r'( FIELDS="[^"]*")([^>]*)>', r"\2\1>", SMALL.read_text()),
    "single quotes": lambda: SMALL.read_text().replace('"', "'"),
    "spaces in lists": lambda: (
        SMALL.read_text().replace('"0-1"', '" 0 - 1 "').replace('"5,7"', '"5 , 7"').replace("u,p", "u, p")
    ),
    "mark of the order of bytes": lambda: "\ufeff" + SMALL.read_text(),
    "comments": lambda: SMALL.read_text().replace("<ELEMENTS", "<!-- <ELEMENTS> --><ELEMENTS"),
}


@pytest.mark.parametrize("style", STYLES)
def test_a_style_has_the_same_elements(tmp_path: Path, style: str) -> None:
    text = STYLES[style]()
    assert text != SMALL.read_text()
    path = tmp_path / "styled.fld"
    path.write_text(text, encoding="utf-8")
    with quire.open(path) as file:
        assert file.check().damage is None
        assert file[0].warnings == []
    found = difference(SMALL, path)
    assert found.same, found.problems


def test_unknown_attributes_give_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "new.fld"
    path.write_text(SMALL.read_text().replace(" ID=", ' COLOUR="red" ID=', 1))
    with quire.open(path) as file:
        (warning,) = file[0].warnings
        assert "COLOUR" in warning
    assert difference(SMALL, path).same


def test_nan_and_infinity_are_preserved(tmp_path: Path) -> None:
    bits = np.array([0x7FF8000000000001, 0xFFF0000000000000, 0x8000000000000000, 1], dtype=np.uint64)
    one_block(tmp_path / "odd.fld", bits.view(np.float64))
    for layout in ("hdf5", "streams", "directory"):
        quire.copy(
            tmp_path / "odd.fld", tmp_path / f"odd.{layout}", format="nektar", options={"layout": layout}
        )
        with quire.open(tmp_path / f"odd.{layout}") as file:
            assert np.array_equal(file[0].expansions[0].coefficients("u").view(np.uint64), bits)


def test_points_are_kept_as_text(tmp_path: Path) -> None:
    more = ' NUMMODESPERDIR="UNIORDER:2,2" POINTSTYPE="GaussLobattoLegendre,GaussRadauMAlpha1Beta0"'
    one_block(tmp_path / "points.fld", np.arange(4.0), more=more + ' NUMPOINTSPERDIR="3,2"')
    with quire.open(tmp_path / "points.fld") as file:
        points = file[0].expansions[0].points
    assert points == ("GaussLobattoLegendre,GaussRadauMAlpha1Beta0", "3,2")


@pytest.mark.parametrize(
    ("shape", "bases", "modes", "ids", "planes"),
    [
        ("Quadrilateral-HomogenousExp1D", ",Fourier", "2,2,4", ' HOMOGENEOUSZIDS="2-3"', 2),
        ("Quadrilateral-HomogenousExp1D", ",FourierHalfModeRe", "2,2,1", ' HOMOGENEOUSZIDS="0"', 1),
        ("Quadrilateral-HomogenousExp1D", ",FourierSingleMode", "2,2,2", ' HOMOGENEOUSZIDS="2,3"', 2),
        (
            "Quadrilateral-HomogenousExp1D-Strips",
            ",Fourier",
            "2,2,4",
            ' HOMOGENEOUSZIDS="0-3" HOMOGENEOUSSIDS="1"',
            4,
        ),
        # Files from before 2012 have no lists of planes.
        ("Quadrilateral-HomogenousExp1D", ",Fourier", "2,2,6", "", 6),
    ],
)
def test_planes_determine_the_number_of_coefficients(
    tmp_path: Path, shape: str, bases: str, modes: str, ids: str, planes: int
) -> None:
    more = f' HOMOGENEOUSLENGTHS="3.1415926535897931"{ids} NUMMODESPERDIR="UNIORDER:{modes}"'
    values = np.arange(2 * 4.0 * planes)
    block = one_block(
        tmp_path / "planes.fld", values, shape, "Modified_A,Modified_A" + bases, more, ids="12,3"
    )
    assert np.diff(block.offsets).tolist() == [4 * planes] * 2
    assert block.lengths == (np.pi,)
    assert block.element(3)["u"][0] == 4 * planes


def test_lines_of_two_directions_are_pairs(tmp_path: Path) -> None:
    more = ' HOMOGENEOUSLENGTHS="1,2.5" HOMOGENEOUSYIDS="0-2,0-2" HOMOGENEOUSZIDS="0,0,0,1,1,1"'
    basis = "Modified_A,Fourier,Fourier"
    shape = "Segment-HomogenousExp2D"
    mixed = more + ' NUMMODESPERDIR="MIXORDER:3,3,2,2,3,2"'
    block = one_block(tmp_path / "lines.fld", np.arange(30.0), shape, basis, mixed, ids="9,4")
    assert np.diff(block.offsets).tolist() == [18, 12]
    assert block.y_ids == (0, 1, 2, 0, 1, 2)
    wrong = mixed.replace("0,0,0,1,1,1", "0,0,0,1,1")
    with pytest.raises(quire.BadFileError, match="positions of lines"):
        one_block(tmp_path / "wrong.fld", np.arange(30.0), shape, basis, wrong, ids="9,4")


METADATA = [
    ("<Metadata><Time></Time><Kinvis /></Metadata>", {"Time": "", "Kinvis": ""}),
    ("<Metadata><A>1 &lt; 2</A></Metadata>", {"A": "1 < 2"}),
    (
        "<Metadata><A>a <!-- x -->b<?p q?> c<![CDATA[ <d]]>&amp;</A><B><!-- x --></B></Metadata>",
        {"A": "a b c <d&", "B": ""},
    ),
    (
        "<Metadata><Provenance><GitSHA1>a<!-- x -->b</GitSHA1></Provenance></Metadata>",
        {"Provenance/GitSHA1": "ab"},
    ),
    ('<FIELDMETADATA><P PARAM="Time">0.<!-- x -->5</P></FIELDMETADATA>', {"Time": "0.5"}),
    ('<FIELDMETADATA><P PARAM="Time">0.0008</P></FIELDMETADATA>', {"Time": "0.0008"}),
    ("<Metadata><Map><E F='1'>x</E></Map></Metadata>", {"XML_Map": "<E F='1'>x</E>"}),
    ("<Metadata><Map>\n  <E>x</E>\n</Map></Metadata>", {"XML_Map": "<E>x</E>"}),
    (
        "<Metadata><Provenance><GitSHA1>ab</GitSHA1></Provenance><ChkFileNum>12</ChkFileNum></Metadata>",
        {"Provenance/GitSHA1": "ab", "ChkFileNum": "12"},
    ),
    ("", {}),
]


@pytest.mark.parametrize(("text", "expected"), METADATA)
def test_metadata_of_all_styles(tmp_path: Path, text: str, expected: dict[str, str]) -> None:
    path = tmp_path / "metadata.fld"
    one_block(path, np.arange(4.0), metadata=text)
    with quire.open(path) as file:
        assert dict(file[0].attrs) == expected
        assert file[0].number == int(expected.get("ChkFileNum", 0))
    for layout in ("xml", "hdf5"):
        quire.copy(path, tmp_path / f"again.{layout}", format="nektar", options={"layout": layout})
        with quire.open(tmp_path / f"again.{layout}") as file:
            assert {name: file[0].attrs[name] for name in expected} == expected


def test_numbers_of_metadata_have_17_digits(tmp_path: Path) -> None:
    for layout in ("xml", "hdf5"):
        with quire.create(tmp_path / layout, format="nektar", layout=layout) as out:
            out.step(0).set("Time", 0.1).set("Kinvis", 0.25).set("Steps", 12).put_elements([]).commit()
        with quire.open(tmp_path / layout) as file:
            found = [file[0].attrs[name] for name in ("Time", "Kinvis", "Steps")]
            assert found == ["0.10000000000000001", "0.25", "12"]


def directory(tmp_path: Path) -> Path:
    """Return a copy of the sample in parts, which can be changed."""
    return shutil.copytree(DATA / "tiny-dir.fld", tmp_path / "case.fld")


def renamed(folder: Path) -> None:
    """Change the directory to one of November 2013."""
    index = (folder / "Info.xml").read_text().replace("Partition", "MultipleFldFiles")
    for number in (0, 2):
        (folder / f"P000000{number}.fld").rename(folder / f"P{number}.fld")
        index = index.replace(f"P000000{number}", f"P{number}")
    (folder / "Info.xml").unlink()
    (folder / "PartitionInfo.xml").write_text(index)


def entries_first(folder: Path) -> None:
    """Move the metadata to the end and put an unknown element in their place."""
    text = (folder / "Info.xml").read_text()
    metadata = text[text.index("<Metadata>") : text.index("</Metadata>") + len("</Metadata>")]
    text = text.replace(metadata, "<!-- parts --><Unknown/>").replace("</NEKTAR>", metadata + "</NEKTAR>")
    (folder / "Info.xml").write_text(text)


def without_first_part(folder: Path) -> None:
    """Move the elements of part 0 to a part 12."""
    (folder / "P0000000.fld").rename(folder / "P0000012.fld")
    index = (folder / "Info.xml").read_text()
    (folder / "Info.xml").write_text(index.replace("P0000000", "P0000012"))


@pytest.mark.parametrize("change", [renamed, entries_first, without_first_part])
def test_directories_of_all_styles(tmp_path: Path, change: object) -> None:
    folder = directory(tmp_path)
    assert callable(change)
    change(folder)
    with quire.open(folder) as file:
        assert file.check().damage is None
        assert file[0].attrs["Time"] == "0.25"
    found = difference(DATA / "tiny-dir.fld", folder)
    assert found.same, found.problems


def test_an_index_with_other_elements_gives_a_warning(tmp_path: Path) -> None:
    folder = directory(tmp_path)
    index = folder / "Info.xml"
    whole = index.read_text()
    for ids, words in (("0-1,6", "other elements"), ("0-1,5-6", "3 elements, but the index lists 4")):
        index.write_text(whole.replace("0-1,5", ids))
        with quire.open(folder) as file:
            (warning,) = file[0].warnings
            assert words in warning
    index.write_text(whole.replace("P0000002", "P0000001"))  # which has no elements
    with quire.open(folder) as file:
        damage = file.check().damage
        assert damage is not None
        assert "there are none" in damage.message
        assert str(damage.file).endswith("P0000001.fld")


def ids_of(path: Path) -> list[int]:
    """Return the ids of all elements of a file."""
    with quire.open(path) as file:
        assert file.check().damage is None
        return [int(id) for block in file[0].expansions for id in block.ids]


def test_recovery_keeps_the_existing_parts(tmp_path: Path) -> None:
    folder = directory(tmp_path)
    (folder / "P0000002.fld").unlink()
    with quire.open(folder) as file:
        assert file.check().salvageable
    with pytest.raises(quire.MissingError, match="whole step") as caught:
        recover(folder, tmp_path / "kept.fld")
    assert "--rows" in caught.value.advice
    report = recover(folder, tmp_path / "kept.fld", rows=True)
    assert ids_of(tmp_path / "kept.fld") == [0, 1, 5]
    assert (tmp_path / "kept.fld").is_dir()
    assert any("P0000002.fld" in text for text in report.lost)
    recover(folder, rows=True)
    assert ids_of(folder) == [0, 1, 5]


def test_recovery_keeps_whole_blocks(tmp_path: Path) -> None:
    path = tmp_path / "cut.fld"
    text = SMALL.read_text()
    path.write_text(text[: text.rindex("</ELEMENTS>") - 20])
    recover(path, tmp_path / "first.fld", rows=True)
    assert ids_of(tmp_path / "first.fld") == [0, 1]
    path.write_text(text.replace("eJwt", "eJwu", 1))
    report = recover(path, tmp_path / "second.fld", rows=True)
    assert ids_of(tmp_path / "second.fld") == [5, 7]
    assert any("Triangle" in sentence for sentence in report.lost)
    path.write_text(text.replace("eJwt", "eJwu"))
    with pytest.raises(quire.MissingError):
        recover(path, tmp_path / "third.fld", rows=True)


@pytest.mark.parametrize("budget", [4 << 10, 64 << 10, 8 << 20])
def test_blocks_of_one_kind_are_one_table_with_any_budget(tmp_path: Path, budget: int) -> None:
    kind: dict[str, Any] = {"shape": "Quadrilateral", "basis": ("Modified_A", "Modified_A")}
    modes = np.array([8, 8])
    noise = np.random.default_rng(1).random((2, 12, 50 * 64))
    blocks = [
        quire.ElementBlock(
            ids=50 * number + np.arange(50),
            modes=modes if number % 2 else np.tile(modes, (50, 1)),
            values={"u": noise[0, number], "v": noise[1, number]},
            **kind,
        )
        for number in range(12)
    ]
    path = tmp_path / "many.fld"
    with quire.create(path, layout="directory") as out:
        out.step(0).put_elements(blocks[:1]).commit()
    pieces = path / "P0000000.fld"
    text = pieces.read_text()
    with quire.create(tmp_path / "all.fld", layout="xml", largest_block=60000) as out:
        out.step(0).put_elements(blocks).commit()
    pieces.write_text((tmp_path / "all.fld").read_text())
    index, entries = path / "Info.xml", ""
    for number in range(1, 4):
        ids = f"{600 + 50 * number}-{649 + 50 * number}"
        (path / f"P000000{number}.fld").write_text(text.replace('ID="0-49"', f'ID="{ids}"'))
        entries += f'<Partition FileName="P000000{number}.fld">{ids}</Partition>'
    whole = index.read_text().replace(">0-49<", ">" + ids_text(blocks[::2] + blocks[1::2]) + "<")
    index.write_text(whole.replace("</NEKTAR>", entries + "</NEKTAR>"))
    with quire.open(path, memory_budget=budget) as file:
        assert file.check().damage is None
        assert file[0].warnings == []
        mixed, uniform = file[0].expansions
        assert (len(mixed), len(uniform)) == (9 * 50, 6 * 50)
        assert (mixed.origin, uniform.origin) == ("", "P0000000.fld")
        for place, name in enumerate(("v", "u")):
            found = uniform.coefficients(name).reshape(6, -1)
            assert np.array_equal(found, noise[1 - place, 1::2])
            assert np.array_equal(uniform.table[name][3199:3202], found.ravel()[3199:3202])
        assert mixed.ids[-150:].tolist() == list(range(650, 800))
        assert np.array_equal(mixed.coefficients("v")[-3200:], noise[1, 0])
        one = file[0].read_elements_all(ids=[675, 551, 3], variables=["v"])
        (last,) = (block for block in one if 675 in block.ids)
        assert last.ids.tolist() == [3, 675]
        assert np.array_equal(last.element(675)["v"], noise[1, 0].reshape(50, 64)[25])


def ids_text(blocks: list[quire.ElementBlock]) -> str:
    """Return the ids of blocks as an index lists them: blocks of one kind are consecutive."""
    return ",".join(f"{block.ids[0]}-{block.ids[-1]}" for block in blocks)


def test_pyramids_from_before_2017_are_reported_as_such(tmp_path: Path) -> None:
    more = ' NUMMODESPERDIR="UNIORDER:3,3,3"'
    basis = "Modified_A,Modified_A,ModifiedPyr_C"
    one_block(tmp_path / "pyramid.fld", np.arange(14.0), "Pyramid", basis, more)
    with pytest.raises(quire.BadFileError, match="than its elements need") as caught:
        one_block(tmp_path / "old.fld", np.arange(15.0), "Pyramid", basis, more)
    assert "April 2017" in caught.value.advice


def test_a_plan_names_values_without_extents(tmp_path: Path) -> None:
    """An empty plan would be wrong: compressed values are read as a whole."""
    xml, file = tmp_path / "xml.fld", tmp_path / "file.fld"
    quire.copy(SMALL, xml, format="nektar", options={"layout": "xml"})
    quire.copy(SMALL, file, format="nektar", options={"layout": "hdf5"})
    with quire.open(xml) as found:
        names = list(found[0].table.columns)
        assert columns_without_places(found[0])[found[0].table.name] == names
    with quire.open(file) as found:
        assert columns_without_places(found[0]) == {}
    shown = CliRunner().invoke(app, ["plan", str(xml), "--ranks", "2"]).stdout
    assert f"no extents of {', '.join(names)} of" in shown
    assert "no extents" not in CliRunner().invoke(app, ["plan", str(file), "--ranks", "2"]).stdout
    answer = json.loads(CliRunner().invoke(app, ["plan", str(xml), "--json"]).stdout)
    assert names in answer["without_places"].values()


PAYLOAD = payload_of(np.arange(4.0))
SECTION = f"<![CDATA[{PAYLOAD}]]>"


@pytest.mark.parametrize(
    "text",
    [
        f"<!-- a comment -->{PAYLOAD}",
        f"{PAYLOAD[:7]}<!-- <x> & ]]> -->{PAYLOAD[7:]}<!---->",
        SECTION,
        f" {PAYLOAD[:5]}<![CDATA[{PAYLOAD[5:9]}]]><![CDATA[]]>{PAYLOAD[9:]}\n",
        f"<?note x > y?>{PAYLOAD}",
        f"&#{ord(PAYLOAD[0])};&#x{ord(PAYLOAD[1]):x};&#13;&#xA;{PAYLOAD[2:]}",
        f"<!--{'-' * 70000} -->{PAYLOAD[:3]}{' ' * 65536}<!-- x -->{PAYLOAD[3:]}",
    ],
    ids=["comment", "inside", "section", "sections", "instruction", "references", "long"],
)
def test_payloads_may_be_written_in_any_xml(tmp_path: Path, text: str) -> None:
    path = tmp_path / "one.fld"
    more = ' NUMMODESPERDIR="UNIORDER:2,2"'
    block = {"shape": "Quadrilateral", "basis": "Modified_A,Modified_A", "more": more, "metadata": ""}
    # Like files of many ranks: a text that is longer than that of the previous block.
    blocks = [
        FRAME.format(**block, ids=id, payload=payload) for id, payload in ((7, text), (8, PAYLOAD + " " * 99))
    ]
    path.write_text("".join(blocks).replace("</NEKTAR><NEKTAR>", ""))
    with quire.open(path) as file:
        assert file.check().damage is None
        (found,) = file[0].read_elements_all(partition="everything")
        assert found.ids.tolist() == [7, 8]
        assert found.coefficients("u").tolist() == [*range(4), *range(4)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{PAYLOAD}<x/>", "the element x"),
        (f"{PAYLOAD[:4]}<x>{PAYLOAD[4:]}</x>", "the element x"),
        (f"<![CDATA[{PAYLOAD[:4]}]]]]>{PAYLOAD[4:]}", "base64"),
        (f"&amp;{PAYLOAD}", "reference"),
        (f"&#256;{PAYLOAD}", "reference"),
        (f"&#12{PAYLOAD}", "reference"),
    ],
)
def test_payloads_with_other_contents_are_refused_by_name(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "one.fld"
    more = ' NUMMODESPERDIR="UNIORDER:2,2"'
    basis = "Modified_A,Modified_A"
    path.write_text(
        FRAME.format(shape="Quadrilateral", basis=basis, more=more, metadata="", ids="7", payload=text)
    )
    with quire.open(path) as file:
        damage = file.check().damage
        assert damage is not None
        assert words in damage.message
        with pytest.raises(quire.BadFileError, match=words):
            file[0].read_elements_all()
