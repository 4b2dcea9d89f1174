"""Files that a header includes: the directories that are searched, and the limits for endless includes."""

from __future__ import annotations

from pathlib import Path

import pytest

import quire

COLUMN = "&column name={name}, type=long &end\n"
MAIN = 'SDDS1\n&include filename="{name}" &end\n&data mode=ascii &end\n1\n7\n'


@pytest.fixture(name="elsewhere")
def go_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder that is not that of the file."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def columns_of(path: Path) -> list[str]:
    with quire.open(path) as file:
        assert len(file[0].table) == 1
        return list(file[0].table)


def test_included_files_are_found_next_to_the_file(tmp_path: Path, elsewhere: Path) -> None:
    (tmp_path / "main.sdds").write_text(MAIN.format(name="defs.txt"))
    (tmp_path / "defs.txt").write_text(COLUMN.format(name="beside"))
    assert columns_of(tmp_path / "main.sdds") == ["beside"]


def test_included_files_are_found_in_the_current_folder(tmp_path: Path, elsewhere: Path) -> None:
    (tmp_path / "main.sdds").write_text(MAIN.format(name="defs.txt"))
    (elsewhere / "defs.txt").write_text(COLUMN.format(name="here"))
    assert columns_of(tmp_path / "main.sdds") == ["here"]
    (tmp_path / "defs.txt").write_text(COLUMN.format(name="beside"))
    assert columns_of(tmp_path / "main.sdds") == ["beside"]


def test_included_files_include_from_the_folder_of_the_first(tmp_path: Path, elsewhere: Path) -> None:
    (tmp_path / "defs").mkdir()
    (tmp_path / "main.sdds").write_text(MAIN.format(name="defs/outer.txt"))
    (tmp_path / "defs" / "outer.txt").write_text("&include filename=defs/inner.txt &end\n")
    (tmp_path / "defs" / "inner.txt").write_text(COLUMN.format(name="deep"))
    assert columns_of(tmp_path / "main.sdds") == ["deep"]


@pytest.mark.parametrize(
    ("depth", "last"), [(1, "0.txt"), (2, "0.txt"), (40, "none.txt")], ids=["itself", "cycle", "depth"]
)
def test_endless_includes_are_refused(tmp_path: Path, depth: int, last: str) -> None:
    path = tmp_path / "main.sdds"
    path.write_text(MAIN.format(name="0.txt"))
    for number in range(depth):
        following = f"{number + 1}.txt" if number + 1 < depth else last
        (tmp_path / f"{number}.txt").write_text(f"&include filename={following} &end\n")
    with pytest.raises(quire.BadFileError, match=r"includes itself|too many files") as refused:
        quire.open(path)
    assert refused.value.offset is not None


def test_a_missing_included_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "main.sdds").write_text(MAIN.format(name="gone.txt"))
    with pytest.raises(quire.BadFileError, match=r"gone\.txt"):
        quire.open(tmp_path / "main.sdds")
