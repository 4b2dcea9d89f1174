"""An index that contradicts the parts: a warning when the file is read, damage when it is checked."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.toolkit.recover import recover

DATA = Path(__file__).resolve().parents[2] / "data" / "nektar"


def directory(tmp_path: Path, entries: list[tuple[int, str]]) -> Path:
    """Return the sample in parts (0: 0-1,5, 1: nothing, 2: 7) with an index that lists these."""
    folder = shutil.copytree(DATA / "tiny-dir.fld", tmp_path / "case.fld")
    lines = [f'<Partition FileName="P{number:07}.fld">{ids}</Partition>' for number, ids in entries]
    (folder / "Info.xml").write_text(f"<NEKTAR><Metadata/>{''.join(lines)}</NEKTAR>")
    return folder


def ids_of(path: Path) -> list[int]:
    """Return the ids of all elements."""
    with quire.open(path) as file:
        return [int(id) for block in file[0].read_elements_all(partition="everything") for id in block.ids]


def values_in(path: Path) -> dict[int, list[float]]:
    """Return the coefficients of one variable by element."""
    with quire.open(path) as file:
        return {int(id): block.element(id)["p"].tolist() for block in file[0].expansions for id in block.ids}


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([(0, "0-1,5-6"), (2, "7")], "3 elements, but the index lists 4"),
        ([(0, "0-1,6"), (2, "7")], "other elements than the index lists"),
        ([(0, "7"), (2, "0-1,5")], "3 elements, but the index lists 1"),
        ([(0, ""), (2, " \n")], "3 elements, but the index lists 0"),
        ([(0, "0-1,5")], "P0000002.fld has elements, but the index does not list it"),
    ],
)
def test_a_contradiction_is_a_warning_and_damage(
    tmp_path: Path, entries: list[tuple[int, str]], words: str
) -> None:
    folder = directory(tmp_path, entries)
    with quire.open(folder) as file:
        assert any(words in text for text in file[0].warnings)
        damage = file.check().damage
    assert damage is not None
    assert words in damage.message
    result = CliRunner().invoke(app, ["check", str(folder)])
    assert result.exit_code == 1, result.output
    result = CliRunner().invoke(app, ["recover", "--rows", str(folder), "-o", str(tmp_path / "kept.fld")])
    assert words in result.output
    assert ids_of(tmp_path / "kept.fld") == [0, 1, 5, 7]
    with quire.open(tmp_path / "kept.fld") as file:
        assert file.check().damage is None


@pytest.mark.parametrize("in_place", [True, False])
def test_unlisted_parts_are_kept(tmp_path: Path, in_place: bool) -> None:
    folder = directory(tmp_path, [(2, "7")])
    (folder / "P1.fld").write_bytes(
        (folder / "P0000000.fld").read_bytes().replace(b'"0-1"', b'"8-9"').replace(b'"5"', b'"6"')
    )
    kept = folder if in_place else tmp_path / "kept.fld"
    before = values_in(folder / "P0000000.fld")
    found = recover(folder, None if in_place else kept, rows=True)
    for name in ("P0000000.fld", "P1.fld"):
        assert any(f"{name} is kept" in text for text in found.lost), found.lost
    assert found.rows_saved == 39
    assert sorted(ids_of(kept)) == [0, 1, 5, 6, 7, 8, 9]
    with quire.open(kept) as file:
        assert file.check().damage is None
    after = values_in(kept)
    assert all(after[id] == before[id] for id in before)


def test_whole_blocks_of_an_unlisted_part_are_kept(tmp_path: Path) -> None:
    folder = directory(tmp_path, [(2, "7")])
    part = folder / "P0000000.fld"
    part.write_text(part.read_text().replace("eJ", "eK", 1))
    found = recover(folder, tmp_path / "kept.fld", rows=True)
    assert any(text.startswith("P0000000.fld: ") for text in found.lost), found.lost
    assert ids_of(tmp_path / "kept.fld") == [7, 5]


def test_parts_of_an_older_run_replace_nothing(tmp_path: Path) -> None:
    folder = directory(tmp_path, [(0, "0-1,5"), (2, "7")])
    wanted = values_in(folder)
    # Element 5 again with new ones, and 7, whose listed block is damaged.
    text = (folder / "P0000000.fld").read_text()
    (folder / "P0000003.fld").write_text(text.replace('ID="0-1"', 'ID="8-9"'))
    listed = folder / "P0000002.fld"
    (folder / "P0000004.fld").write_text(listed.read_text())
    listed.write_text(listed.read_text().replace("eJ", "eK", 1))
    found = recover(folder, tmp_path / "kept.fld", rows=True)
    for name, id in (("P0000003.fld", 5), ("P0000004.fld", 7)):
        assert any(
            text.startswith(f"{name}: left out, as earlier parts also contain element {id}")
            for text in found.lost
        ), found.lost
    assert ids_of(tmp_path / "kept.fld") == [0, 1, 8, 9, 5]
    kept = values_in(tmp_path / "kept.fld")
    assert all(kept[id] == wanted[id] for id in (0, 1, 5))


def without_file(part: Path) -> None:
    """Remove a part."""
    part.unlink()


def rewritten(change: Callable[[str], str]) -> Callable[[Path], None]:
    """Return a function that changes the text of a part."""

    def rewrite(part: Path) -> None:
        text = part.read_text()
        assert change(text) != text
        part.write_text(change(text))

    return rewrite


LOSSES: dict[str, Callable[[Path], None]] = {
    "missing": without_file,
    "empty": rewritten(lambda _: ""),
    "cut in the metadata": rewritten(lambda text: text[:60]),
    "cut in the tag": rewritten(lambda text: text[: text.index("BASIS")]),
    "cut in the values": rewritten(lambda text: text[: text.index("</ELEMENTS>")]),
    "no tag": rewritten(lambda text: text.replace("<ELEMENTS", "<ELEMENTS %%%", 1)),
    "another shape": rewritten(lambda text: text.replace('SHAPE="', 'SHAPE="No', 1)),
    "no block": rewritten(lambda text: "<NEKTAR><Metadata></Metadata></NEKTAR>"),
}


@pytest.mark.parametrize("variables", ["as before", "others"])
@pytest.mark.parametrize("loss", LOSSES)
def test_parts_of_two_runs_are_not_combined(tmp_path: Path, loss: str, variables: str) -> None:
    folder = directory(tmp_path, [(0, "0-1,5"), (2, "7")])
    text = (folder / "P0000002.fld").read_text()
    if variables == "others":
        text = text.replace('FIELDS="u,p"', 'FIELDS="a,b"')
    # An older run on more ranks has left the same elements, which the lost part does not show any more.
    (folder / "P0000004.fld").write_text(text)
    (folder / "P0000005.fld").write_text(text.replace('ID="7"', 'ID="8"'))
    LOSSES[loss](folder / "P0000002.fld")
    found = recover(folder, tmp_path / "kept.fld", rows=True)
    words = "P0000004.fld: left out, as earlier parts also contain element 7"
    assert any(text.startswith(words) for text in found.lost), found.lost
    assert any("P0000005.fld is kept" in text for text in found.lost), found.lost
    assert sorted(ids_of(tmp_path / "kept.fld")) == [0, 1, 5, 8]
    recover(folder, rows=True)
    assert sorted(ids_of(folder)) == [0, 1, 5, 8]


@pytest.mark.parametrize("loss", [loss for loss in LOSSES if loss != "no block"])
def test_a_lost_part_with_unknown_elements_is_not_replaced(tmp_path: Path, loss: str) -> None:
    folder = directory(tmp_path, [(0, "0-1,5"), (2, "")])
    text = (folder / "P0000002.fld").read_text()
    (folder / "P0000004.fld").write_text(text.replace('ID="7"', 'ID="8"'))
    LOSSES[loss](folder / "P0000002.fld")
    found = recover(folder, tmp_path / "kept.fld", rows=True)
    words = "P0000004.fld: left out, as the elements of P0000002.fld are unknown"
    assert any(text.startswith(words) for text in found.lost), found.lost
    assert sorted(ids_of(tmp_path / "kept.fld")) == [0, 1, 5]


def test_parts_with_other_variables_are_kept_with_whole_ones(tmp_path: Path) -> None:
    folder = directory(tmp_path, [(0, "0-1,5"), (2, "7")])
    text = (folder / "P0000002.fld").read_text()
    (folder / "P0000004.fld").write_text(text.replace('FIELDS="u,p"', 'FIELDS="a,b"'))
    found = recover(folder, tmp_path / "kept.fld", rows=True)
    assert any("P0000004.fld is kept" in text for text in found.lost), found.lost
    assert sorted(ids_of(tmp_path / "kept.fld")) == [0, 1, 5, 7, 7]


@pytest.mark.parametrize("content", ["", "hello\n", "<NEKTAR><Metadata>", "<SESSION/>"])
def test_an_unreadable_part_is_reported(tmp_path: Path, content: str) -> None:
    folder = directory(tmp_path, [(0, "0-1,5"), (2, "7")])
    (folder / "P0000009.fld").write_text(content)
    words = "P0000009.fld cannot be read, and the index does not list it"
    with quire.open(folder) as file:
        assert words in file[0].warnings
        assert words in str(file.check().damage)
    found = recover(folder, tmp_path / "kept.fld", rows=True)
    assert not any("is kept" in text for text in found.lost), found.lost
    assert any(text.startswith("P0000009.fld: ") for text in found.lost), found.lost
    assert ids_of(tmp_path / "kept.fld") == [0, 1, 5, 7]


@pytest.mark.parametrize("listed", ["7", "7,7"])
def test_an_index_may_omit_repeated_ids(tmp_path: Path, listed: str) -> None:
    folder = shutil.copytree(DATA / "tiny-strips-dir.fld", tmp_path / "case.fld")
    (folder / "P0000001.fld").unlink()
    part = folder / "P0000000.fld"
    text = part.read_text().replace('ID="0-1"', 'ID="7"').replace("UNIORDER:2,3,4", "UNIORDER:2,6,4")
    first, last = text.index("    <ELEMENTS"), text.index("</NEKTAR>")
    other = text[first:last].replace('HOMOGENEOUSSIDS="0"', 'HOMOGENEOUSSIDS="1"')
    part.write_text(text[:last] + other + text[last:])
    index = f'<NEKTAR><Metadata/><Partition FileName="{part.name}">{listed}</Partition></NEKTAR>'
    (folder / "Info.xml").write_text(index)
    with quire.open(folder) as file:
        assert file[0].warnings == []
        assert file.check().damage is None
    assert ids_of(folder) == [7, 7]


def test_unreadable_values_are_reported_with_contradictions(tmp_path: Path) -> None:
    folder = directory(tmp_path, [(0, "0-1,6"), (2, "8")])
    words = [f"P000000{number}.fld has other elements than the index lists" for number in (0, 2)]
    with quire.open(folder) as file:
        report = file.check()
        assert words[0] in str(report.damage)
        assert words[1] in report.warnings
    part = folder / "P0000002.fld"
    part.write_text(part.read_text().replace("eJ", "eK", 1))
    for _ in range(2):
        with quire.open(folder) as file:
            report = file.check()
            assert "zlib" in str(report.damage)
            assert part.name in str(report.damage)
            assert report.warnings == words
            assert file.check().warnings == words
    found = recover(folder, tmp_path / "kept.fld", rows=True)
    for text in words:
        assert found.lost.count(text) == 1
    assert any(text.startswith(f"{part.name}: ") for text in found.lost)
    assert ids_of(tmp_path / "kept.fld") == [0, 1, 5]


def test_an_index_that_lists_a_part_twice_is_refused(tmp_path: Path) -> None:
    folder = directory(tmp_path, [(0, "0-1,5"), (0, "0-1,5"), (2, "7")])
    with pytest.raises(quire.BadFileError, match=r"lists the part P0000000\.fld twice"):
        quire.open(folder)
    recover(folder, tmp_path / "kept.fld", rows=True)
    assert ids_of(tmp_path / "kept.fld") == [0, 1, 5, 7]


@pytest.mark.parametrize("text", ["<NEKTAR/>", "<NEKTAR><Metadata><Time>1</Time></Metadata></NEKTAR>"])
def test_an_index_that_lists_nothing_is_refused(tmp_path: Path, text: str) -> None:
    folder = directory(tmp_path, [])
    (folder / "Info.xml").write_text(text)
    with pytest.raises(quire.BadFileError, match=r"lists no parts, but some exist: P0000000\.fld"):
        quire.open(folder)
    result = CliRunner().invoke(app, ["recover", "--rows", str(folder), "-o", str(tmp_path / "kept.fld")])
    assert "lists no parts" in result.output
    assert ids_of(tmp_path / "kept.fld") == [0, 1, 5, 7]
    # Where no part has elements there is nothing to list.
    for number in (0, 2):
        shutil.copy(folder / "P0000001.fld", folder / f"P{number:07}.fld")
    assert ids_of(folder) == []


def test_a_part_without_elements_may_be_listed(tmp_path: Path) -> None:
    for blank in ("", " ", "\r\n\t"):
        folder = directory(tmp_path, [(0, "0-1,5"), (1, blank), (2, "7")])
        with quire.open(folder) as file:
            assert file[0].warnings == []
            assert file.check().damage is None
        assert ids_of(folder) == [0, 1, 5, 7]
        shutil.rmtree(folder)
