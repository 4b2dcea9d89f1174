"""Every row of the tours is in a program, and every program runs on the page."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from tests.docs.test_pages import text_of

from manual.blocks import FILE_NOTE, Block, blocks_of

PAGE = text_of("docs/tours.md")
TABLE = re.compile(r"^\| [^|]+ \| Quire \|$", re.MULTILINE)


def files() -> dict[PurePosixPath, Block]:
    """Return the tables that are files of programs."""
    tables = [block for block in blocks_of(PAGE) if block.language == "table"]
    return {PurePosixPath(table.note.removeprefix(FILE_NOTE)): table for table in tables}


def test_every_table_is_a_file_of_a_program() -> None:
    assert len(files()) == len(TABLE.findall(PAGE)) > 0
    for path, table in files().items():
        assert len(table.lines) >= 3, path
        assert path.stem in ("write", "read")


def test_every_program_has_all_its_files_and_runs() -> None:
    tours = {path.parent.name for path in files()}
    for tour in tours:
        for language, suffix in (("c", "c"), ("fortran", "f90")):
            for word in ("write", "read"):
                assert PurePosixPath("tours", tour, f"{word}.{suffix}") in files()
                assert f" tours/build/{tour}_{language} {word}" in PAGE
