"""Import of text with cells that are no numbers, and in other encodings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.python.cli.conftest import suffix_of
from tests.python.support.files import path_for

import quire

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run


@pytest.mark.parametrize("decimal", [".", ","])
def test_cells_that_are_no_numbers_are_counted_or_refused(
    run: Run, tmp_path: Path, text_format: str, decimal: str
) -> None:
    text, target = tmp_path / "data.csv", path_for(tmp_path, text_format, "data")
    rows = "x;y;z;n\n1.5;1;foo;a\n\n2.5;1_000;b;2\nfoo;-3;c;c\nbar;+4e1;2;d\n;.5D0;e;e\n7;nan;f;f\n"
    text.write_text(rows.replace(".", decimal))
    options = ["--format", text_format, "--decimal", decimal]
    outcome = run("import", text, target, *options, "--json")
    assert outcome.code == 0, outcome.errors
    found = [line for line in outcome.errors.splitlines() if "is text" in line]
    assert found == [
        "changed: column 'x' is text for cells such as foo in line 5: 2 of 6 are no numbers; "
        "--types 'x=string' accepts them, --missing foo reads them as nan",
        "changed: column 'y' is text for cells such as 1_000 in line 4: 1 of 6 is no number; "
        "--types 'y=string' accepts them",
    ]
    refused = path_for(tmp_path, text_format, "strict")
    strict = run("import", text, refused, *options, "--strict")
    assert strict.code == 1
    assert "column 'x' is text for cells such as foo in line 5" in strict.errors
    assert not refused.exists()
    accepted = ["--strict", "--types", "x=string,y=string", "--overwrite"]
    assert run("import", text, target, *options, *accepted).code == 0


@pytest.mark.parametrize(
    ("cell", "kind"),
    [("2e308", "float64"), ("-1D-400", "float64"), ("0.1E-999", "float64"), ("9223372036854775808", "int64")],
)
def test_numbers_outside_of_the_range_of_a_type_are_counted_or_refused(
    run: Run, tmp_path: Path, text_format: str, cell: str, kind: str
) -> None:
    text, target = tmp_path / "data.csv", path_for(tmp_path, text_format, "data")
    text.write_text(f"x\n1\n2\n{cell}\n0e7\n-0.0\n1e-310\n")
    message = (
        f"column 'x' is text for cells such as {cell} in line 4: 1 of 6 is outside of the range of {kind}"
    )
    outcome = run("import", text, target, "--format", text_format, "--json")
    assert outcome.code == 0, outcome.errors
    assert f"changed: {message}" in outcome.errors
    strict = run("import", text, tmp_path / "strict", "--format", text_format, "--strict")
    assert strict.code == 1
    assert message in strict.errors


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le"])
def test_texts_in_other_encodings_are_read(run: Run, tmp_path: Path, format: str, encoding: str) -> None:
    text, target = tmp_path / "data.csv", tmp_path / f"data{suffix_of(format)}"
    text.write_bytes("x [µm],größe\n1,2\n3,4\n".encode(encoding))
    options = ["--format", format, "--rename", "größe=size"]
    outcome = run("import", text, target, *options, "--encoding", encoding)
    assert outcome.code == 0, outcome.errors
    with quire.open(target) as file:
        assert file[0]["x"].unit == "µm"
        assert file[0]["size"][:].tolist() == [2, 4]


def test_an_encoding_that_is_not_given_is_named(run: Run, tmp_path: Path) -> None:
    text, target = tmp_path / "data.csv", path_for(tmp_path, quire.formats()[0], "data")
    text.write_bytes("x [µm],y\n1,2\n".encode("latin-1"))
    outcome = run("import", text, target)
    assert outcome.code == 3
    assert (
        "in the header is not UTF-8; give the encoding of the text, such as --encoding latin-1"
        in outcome.errors
    )
    assert not target.exists()
    unknown = run("import", text, target, "--encoding", "klingon")
    assert unknown.code == 2
    assert "the encoding 'klingon' is not known; write for example latin-1" in unknown.errors
    wrong = run("import", text, target, "--encoding", "ascii")
    assert wrong.code == 3
    assert "this is no text in ascii" in wrong.errors
    # UTF-16 with its mark needs no option.
    text.write_bytes("x [µm],y\n1,2\n".encode("utf-16"))
    assert run("import", text, target).code == 0
    with quire.open(target) as file:
        assert file[0]["x"].unit == "µm"


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (["M\xfcnchen", "gr\xf6\xdfe"], "2 cells are not UTF-8, the first in line 5, column 'name': "
         "M\ufffdnchen; --encoding latin-1 reads München"),
        (["a", '"x""\xe4"'], "1 cell is not UTF-8, in line 6, column 'name': x\"\ufffd; "
         '--encoding latin-1 reads x"ä'),
        (["\x80", "b"], "1 cell is not UTF-8, in line 5, column 'name': \ufffd; --encoding cp1252 reads €"),
        (["\xc3\xa4", "\xe4"], "1 cell is not UTF-8, in line 6, column 'name': \ufffd; "
         "others are UTF-8: correct these in the text, whose bytes are kept"),
        (["a", "\x81"], "1 cell is not UTF-8, in line 6, column 'name': \ufffd; "
         "give the encoding of the text by --encoding"),
    ],
)  # fmt: skip
def test_cells_that_are_not_utf_8_are_counted_or_refused(
    run: Run, tmp_path: Path, text_format: str, cells: list[str], found: str
) -> None:
    text, target = tmp_path / "data.csv", path_for(tmp_path, text_format, "data")
    lines = ["name,x", "# \xfc", "c,1", "", *(f"{cell},{row}" for row, cell in enumerate(cells))]
    text.write_bytes("\n".join(lines).encode("latin-1") + b"\n")
    options = ["--format", text_format, "--comment", "#"]
    outcome = run("import", text, target, *options)
    assert outcome.code == 0, outcome.errors
    assert f"warning: {found}\n" in outcome.errors
    strict = run("import", text, target, *options, "--strict", "--overwrite")
    assert strict.code == 1
    assert f"{found}; without --strict" in strict.errors
    read = run("import", text, target, *options, "--encoding", "latin-1", "--strict", "--overwrite")
    assert (read.code, read.errors) == (0, "")


def test_the_first_cell_that_is_not_utf_8_is_that_of_the_first_line(
    run: Run, tmp_path: Path, text_format: str
) -> None:
    text, target = tmp_path / "data.csv", path_for(tmp_path, text_format, "data")
    options = ["--format", text_format, "--overwrite"]
    text.write_bytes("c,b\nk\xe9,z\nm,\xe9\n".encode("latin-1"))
    outcome = run("import", text, target, *options)
    assert "2 cells are not UTF-8, the first in line 2, column 'c': k\ufffd;" in outcome.errors
    # The cell of a later column is in an earlier row.
    text.write_bytes("c,b\nk,\xe9\nm\xe9,z\n".encode("latin-1"))
    outcome = run("import", text, target, *options)
    assert "2 cells are not UTF-8, the first in line 2, column 'b': \ufffd;" in outcome.errors
