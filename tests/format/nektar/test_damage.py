"""Damaged files are refused with an error that contains the place, and are never read as something else."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.format.nektar.made import TRIANGLES, block_of
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.toolkit.recover import recover

DATA = Path(__file__).resolve().parents[2] / "data" / "nektar"


def damage_of(path: Path) -> quire.Error | None:
    """Return the error of opening or checking a file."""
    try:
        with quire.open(path) as file:
            report = file.check()
            return report.damage
    except quire.Error as error:
        return error


def changed(tmp_path: Path, before: str, after: str, name: str = "tiny.fld") -> Path:
    """Return a copy of a file of text with one change."""
    text = (DATA / name).read_text()
    assert before in text
    path = tmp_path / "changed.fld"
    path.write_text(text.replace(before, after, 1))
    return path


@pytest.mark.parametrize("name", ["tiny.fld", "tiny-hdf5.fld", "tiny-mixed-2hom-hdf5.fld"])
def test_a_cut_file_is_refused(tmp_path: Path, name: str) -> None:
    whole = (DATA / name).read_bytes()
    path = tmp_path / "cut.fld"
    for cut in range(1, len(whole.rstrip()) - 1, 97):
        path.write_bytes(whole[:cut])
        error = damage_of(path)
        assert error is not None, cut
        assert error.file


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('ID="0-1"', 'ID="0-2"', "fewer than"),
        ('ID="0-1"', 'ID="0"', "more than"),
        ('ID="0-1"', 'ID="0-4000000000"', "cannot hold"),
        ("UNIORDER:2,3", "UNIORDER:3,2", "cannot have the modes"),
        ("eJwt", "eJ*t", "base64"),
        ("eJwt", "fJwt", "zlib"),
        ("B64Z-LittleEndian", "HEX", "encoding"),
        ("Modified_B", "Modified_X", "basis"),
        ('"u,p"', '"u,u"', "twice"),
        ("</ELEMENTS>", "", "nested|closed"),
    ],
)
def test_contradictions_are_refused(tmp_path: Path, before: str, after: str, words: str) -> None:
    error = damage_of(changed(tmp_path, before, after))
    assert error is not None
    assert any(word in error.message for word in words.split("|")), error
    assert error.offset is not None, error


def test_a_session_without_fields_is_reported_as_such(tmp_path: Path) -> None:
    path = tmp_path / "session.xml"
    path.write_text("<NEKTAR><GEOMETRY/><CONDITIONS/></NEKTAR>")
    error = damage_of(path)
    assert error is not None
    assert "without fields" in error.message
    assert error.offset == len("<NEKTAR>")


def test_fields_are_read_from_a_file_with_a_mesh(tmp_path: Path) -> None:
    path = changed(tmp_path, "<NEKTAR>", "<NEKTAR><GEOMETRY/>")
    assert damage_of(path) is None
    with quire.open(path) as file, quire.open(DATA / "tiny.fld") as plain:
        assert any("GEOMETRY" in text for text in file[0].warnings)
        for found, wanted in zip(file[0].expansions, plain[0].expansions, strict=True):
            assert np.array_equal(found.coefficients("p"), wanted.coefficients("p"))


def test_styles_of_old_and_odd_writers_are_read(tmp_path: Path) -> None:
    with quire.open(DATA / "tiny.fld") as file:
        wanted = {block.shape: block.coefficients("p") for block in file[0].expansions}
    text = (DATA / "tiny.fld").read_text()
    first = text.index("<Metadata>")
    last = text.index("</Metadata>") + len("</Metadata>")
    oldest = text[:first] + '<FIELDMETADATA><P PARAM="Time">0.0008</P></FIELDMETADATA>' + text[last:]
    oldest = oldest.replace(' COMPRESSED="B64Z-LittleEndian"', "").replace('ID="0-1"', 'ID=" 0, 1"')
    oldest = oldest.replace(">eJ", ">\n  eJ").replace("</ELEMENTS>", "\n</ELEMENTS>")
    joined = text + text.replace('<?xml version="1.0" encoding="utf-8" ?>', "")
    for name, content in (("oldest", oldest), ("bare", text[:first] + text[last:]), ("joined", joined)):
        path = tmp_path / f"{name}.fld"
        path.write_text(content)
        with quire.open(path) as file:
            assert len(file[0].expansions) == 2
        with quire.open(path, blocks="each") as file:
            step = file[0]
            assert file.check().damage is None, name
            blocks = list(step.expansions)
            assert len(blocks) == (4 if name == "joined" else 2)
            for block in blocks:
                assert np.array_equal(block.coefficients("p"), wanted[block.shape]), name
            if name == "oldest":
                assert step.attrs["Time"] == "0.0008"
            if name == "joined":
                assert step.read_elements_all(ids=[7, 0, 7]).repeated.tolist() == [0, 7]


def test_a_missing_part_of_a_directory_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "case.fld"
    shutil.copytree(DATA / "tiny-dir.fld", folder)
    (folder / "P0000002.fld").unlink()
    error = damage_of(folder)
    assert error is not None
    assert "P0000002.fld" in str(error)
    index = folder / "Info.xml"
    index.write_text(index.read_text().replace("P0000002.fld", "../tiny.fld"))
    assert isinstance(damage_of(folder), quire.BadFileError)


def output_of_check(path: Path) -> str:
    """Return the output of the command for a damaged file."""
    result = CliRunner().invoke(app, ["check", str(path)])
    assert result.exit_code == 1, result.output
    return str(result.output)


def cut_entries(text: str) -> str:
    """Return an index that ends after its first entry."""
    return text[: text.index("</Partition>") + len("</Partition>")]


@pytest.mark.parametrize(
    "damage", [lambda _: "", lambda text: text[:-60], cut_entries], ids=["empty", "cut", "short"]
)
def test_a_damaged_index_is_named_and_rebuilt_from_the_parts(
    tmp_path: Path, damage: Callable[[str], str]
) -> None:
    folder = tmp_path / "case.fld"
    shutil.copytree(DATA / "tiny-dir.fld", folder)
    with quire.open(folder) as file:
        wanted = coefficients_by_id(file[0])
    index = folder / "Info.xml"
    index.write_text(damage(index.read_text()))
    with pytest.raises(quire.BadFileError) as refused:
        quire.open(folder)
    assert refused.value.file == str(index)
    assert "recover --rows" in refused.value.advice
    assert "damaged in Info.xml" in output_of_check(folder)
    with pytest.raises(quire.MissingError, match="no whole step"):
        recover(folder)
    before = {part.name: part.read_bytes() for part in folder.iterdir()}
    found = recover(folder, tmp_path / "whole.fld", rows=True)
    assert found.damage is not None
    assert any("2 parts are read" in text or "3 parts are read" in text for text in found.lost)
    assert {part.name: part.read_bytes() for part in folder.iterdir()} == before
    recover(folder, rows=True)
    for path in (tmp_path / "whole.fld", folder):
        assert damage_of(path) is None
        with quire.open(path) as file:
            assert file[0].attrs["Time"] == "0.25"
            found_here = coefficients_by_id(file[0])
        assert found_here.keys() == wanted.keys()
        assert all(np.array_equal(found_here[id], wanted[id]) for id in wanted)


def test_a_damaged_index_and_a_damaged_part_are_both_reported(tmp_path: Path) -> None:
    folder = tmp_path / "case.fld"
    shutil.copytree(DATA / "tiny-dir.fld", folder)
    (folder / "Info.xml").write_text("")
    part = folder / "P0000002.fld"
    part.write_text(part.read_text()[:-80])
    found = recover(folder, tmp_path / "rest.fld", rows=True)
    assert any(text.startswith("P0000002.fld: ") for text in found.lost), found.lost
    with quire.open(tmp_path / "rest.fld") as file:
        assert sorted(coefficients_by_id(file[0])) == [0, 1, 5]


@pytest.mark.parametrize(("before", "after"), [("eJ", "eK"), ("</ELEMENTS>", "")])
def test_check_names_the_damaged_part(tmp_path: Path, before: str, after: str) -> None:
    folder = tmp_path / "case.fld"
    shutil.copytree(DATA / "tiny-dir.fld", folder)
    part = folder / "P0000002.fld"
    part.write_text(part.read_text().replace(before, after))
    with quire.open(folder, tolerant=True) as file:
        damage = file.check().damage
    assert damage is not None
    assert Path(damage.file or "").name == "P0000002.fld"
    assert "damaged in P0000002.fld at byte" in output_of_check(folder)


def coefficients_by_id(step: quire.Step) -> dict[int, np.ndarray]:
    """Return the coefficients of one variable by element."""
    return {int(id): block.element(id)["p"] for block in step.expansions for id in block.ids}


def test_a_directory_without_an_index_is_read_by_its_parts(tmp_path: Path) -> None:
    folder = tmp_path / "case.fld"
    shutil.copytree(DATA / "tiny-dir.fld", folder)
    with quire.open(folder) as file:
        wanted = coefficients_by_id(file[0])
        time = file[0].attrs["Time"]
    (folder / "Info.xml").unlink()
    with quire.open(folder) as file:
        assert any("no readable index" in warning for warning in file.warnings)
        assert file.check().damage is None
        assert file[0].attrs["Time"] == time
        found = coefficients_by_id(file[0])
        assert found.keys() == wanted.keys()
        assert all(np.array_equal(found[id], wanted[id]) for id in wanted)
    quire.copy(folder, tmp_path / "again.fld", options={"layout": "directory"})
    assert (tmp_path / "again.fld" / "Info.xml").exists()
    with quire.open(folder / "P0000002.fld") as file:
        assert len(list(file[0].expansions)) == 1
    for part in folder.iterdir():
        part.unlink()
    assert "directory" in str(damage_of(folder))


def test_wrong_elements_are_refused_by_the_writer(tmp_path: Path) -> None:
    good = block_of(TRIANGLES, [1, 2, 3], np.array([2, 3]))
    twice = block_of(TRIANGLES, [1, 2, 1], np.array([2, 3]))
    short = quire.ElementBlock(ids=np.arange(4), modes=good.modes, values=good.values, **TRIANGLES)
    for layout in ("hdf5", "xml", "directory", "streams"):
        for wrong, words in ((twice, "twice"), (short, "needs 20 coefficients")):
            with (
                pytest.raises(quire.UsageError, match=words),
                quire.create(tmp_path / f"{layout}.fld", layout=layout) as out,
                out.step(0) as step,
            ):
                step.put_elements([wrong])
        path = tmp_path / f"none_{layout}.fld"
        with quire.create(path, layout=layout) as out, out.step(0) as step:
            step.put_elements([])
        quire.create(path.with_suffix(".chk"), layout=layout).close()
        for written in (path, path.with_suffix(".chk")):
            with quire.open(written) as file:
                assert file[0].expansions == ()


def test_streams_in_any_chunks_are_joined(tmp_path: Path) -> None:
    path, cut = tmp_path / "whole.chk", tmp_path / "cut.chk"
    blocks = [
        block_of(TRIANGLES, [5, 3, 4], np.array([[2, 3], [3, 3], [2, 2]])),
        block_of(TRIANGLES, [1, 2], np.array([2, 3])),
    ]
    with quire.create(path, layout="streams") as out:
        out.step(0).set("Time", 0.5).put_elements(blocks).commit()
    with quire.open(path, format="sion") as file:
        stream = file[0].streams[0].read()
    # Like those of the container's own writers: chunks that end anywhere, also inside a number.
    with quire.create(cut, format="sion", block_size=1) as out, out.step(0) as step:
        for task in range(2):
            pieces = step.stream(rank=task, chunk_size=37)
            for first in range(0, len(stream), 37):
                pieces.write(bytes(stream[first : first + 37]))
    for name, times in ((path, 1), (cut, 2)):
        with quire.open(name) as file:
            assert file[0].attrs["Time"] == "0.5"
            everything = file[0].read_elements_all(partition="everything")
            for block, wanted in zip(everything, blocks, strict=True):
                assert block.ids.tolist() == wanted.ids.tolist() * times
                assert np.array_equal(block.coefficients("v"), np.tile(wanted.coefficients("v"), times))
    with quire.open(cut, blocks="each") as file:
        assert len(file[0].expansions) == 4


def test_recover_and_check_agree_on_truncated_streams(tmp_path: Path) -> None:
    path, saved = tmp_path / "case.chk", tmp_path / "saved.chk"
    with quire.create(path, layout="streams") as out:
        out.step(0).put_elements([block_of(TRIANGLES, range(40), np.array([3, 4]))]).commit()
    whole = path.read_bytes()
    seen = set()
    for length in (len(whole) - 4, len(whole) // 2, len(whole) - 200):
        path.write_bytes(whole[:length])
        found = recover(path, saved, rows=True, overwrite=True)
        assert found.damage is not None
        assert found.streams_saved == 1
        left = damage_of(saved)
        assert (left is None) == (found.damage_left is None)
        if left is not None:
            assert str(left) == str(found.damage_left)
            result = CliRunner().invoke(
                app, ["recover", "--rows", str(path), "--overwrite", "-o", str(saved)]
            )
            assert result.exit_code == 1
            assert left.message in result.output
        seen.add(left is None)
    assert False in seen
