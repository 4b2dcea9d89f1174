"""Every row of the tours is in a program, and every program runs on the page."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import pytest
from tests.docs.test_pages import text_of
from tests.python.support.mpi import ROOT

from manual.blocks import FILE_NOTE, Block, blocks_of
from quire.io.formats import format_infos, transports

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


@pytest.mark.mpi
def test_what_further_calls_become_exists() -> None:
    """Calls that are no statements, but settings, functions and transports."""
    (table,) = re.findall(r"^\| further calls .*?\n\n", PAGE, re.MULTILINE | re.DOTALL)
    rows = [line.split(" | ")[-1] for line in table.splitlines()[2:] if line]
    assert len(rows) > 5
    known = {option.name: option for info in format_infos() for option in info.write_options}
    declared = "\n".join(path.read_text() for path in (ROOT / "include/quire/capi").glob("*.h"))
    for name in (word for row in rows for word in re.findall(r"`([\w=]+)`", row)):
        setting = name.partition("=")[0]
        assert setting in known or name in transports() or f" {name}(" in declared, name
