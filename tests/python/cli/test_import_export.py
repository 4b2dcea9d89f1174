"""quire import and quire export: CSV and plain text to every format and back."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.cli.conftest import suffix_of
from tests.python.support.files import formats_of_uneven_steps, path_for

import quire
from quire import _core
from quire.io.formats import format_info
from quire.toolkit import text_export, text_import
from quire.toolkit.text_export import ExportRequest, export_text
from quire.toolkit.text_import import TextLayout, import_text

if TYPE_CHECKING:
    from tests.python.cli.conftest import Make, Run, Start, Values


def imported(folder: Path, text: str | bytes, format: str, **layout: Any) -> dict[str, Any]:
    """The columns of a text as they are stored in a file."""
    source, target = folder / "source.txt", folder / f"target{suffix_of(format)}"
    source.write_bytes(text if isinstance(text, bytes) else text.encode())
    import_text(source, target, TextLayout(**layout), format=format, overwrite=True)
    with quire.open(target) as file:
        table = file[0].table
        return {
            name: (column.type, column.unit, column[:].tolist()) for name, column in table.columns.items()
        }


@pytest.mark.parametrize("block_bytes", [64, 1 << 20])
def test_every_digit_is_kept(
    run: Run, make: Make, format: str, monkeypatch: pytest.MonkeyPatch, block_bytes: int
) -> None:
    monkeypatch.setattr(text_export, "BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(text_import, "BLOCK_BYTES", block_bytes)
    beam = make(format)
    text, back = beam.with_name("beam.csv"), beam.with_name(f"back{beam.suffix}")
    assert run("export", beam, text, "--units").output == f"{text}: 3 steps, 300 rows\n"
    outcome = run("import", text, back, "--step-column", "step", "--types", "id=int32")
    assert outcome.output.splitlines()[0] == f"{back}: 3 steps, 300 rows"
    assert run("diff", beam, back, "--no-attributes", "--types").code == 0
    with quire.open(back) as file:
        assert file[0]["x"].unit == "m"


def test_an_export_is_standard_csv(run: Run, beam: Path, values: Values) -> None:
    text = beam.with_name("one.csv")
    assert run("export", beam, text, "--steps", "4", "--columns", "x,id", "--rows", "10:20").code == 0
    rows = list(csv.DictReader(io.StringIO(text.read_text())))
    assert [float(row["x"]) for row in rows] == values(4)["x"][10:20].tolist()
    assert [int(row["id"]) for row in rows] == values(4)["id"][10:20].tolist()
    assert list(rows[0]) == ["x", "id"]


def test_an_export_accepts_formats_and_delimiters(run: Run, beam: Path, values: Values) -> None:
    outcome = run(
        "export", beam, "-", "--steps", "4", "--rows", "0:2", "--delimiter", "tab", "--no-header",
        "--columns", "id,x", "--format", "x=%.2e", "--step-column",
    )  # fmt: skip
    x = values(4)["x"]
    assert outcome.output == f"4\t1\t{x[0]:.2e}\n4\t2\t{x[1]:.2e}\n"


@pytest.mark.parametrize(
    ("command", "arguments", "code"),
    [
        ("export", ["--columns", "z"], 1),
        ("export", ["--table", "nothing"], 1),
        ("export", ["--format", "z=%g"], 1),
        ("export", ["--format", "%q"], 2),
        ("export", ["--rows", "5:2"], 2),
    ],
)
def test_wrong_exports_are_one_line_and_write_nothing(
    run: Run, beam: Path, command: str, arguments: list[str], code: int
) -> None:
    outcome = run(command, beam, beam.with_name("text"), *arguments)
    assert (outcome.code, outcome.output, len(outcome.errors.splitlines())) == (code, "", 1)
    assert list(beam.parent.iterdir()) == [beam]


def test_steps_with_other_columns_are_not_mixed(tmp_path: Path, run: Run, format: str) -> None:
    path = tmp_path / f"mixed{suffix_of(format)}"
    try:
        with quire.create(path, format=format) as out:
            for number, name in enumerate(("x", "y")):
                with out.step(number) as step:
                    step.put(name, np.arange(2.0))
    except quire.ConflictError:
        return
    outcome = run("export", path, tmp_path / "text.csv")
    assert outcome.code == 1
    assert not (tmp_path / "text.csv").exists()


def test_nothing_is_overwritten_without_an_option(run: Run, beam: Path) -> None:
    text = beam.with_name("text.csv")
    text.write_text("kept")
    assert run("export", beam, text).code == 1
    assert text.read_text() == "kept"
    assert run("export", beam, text, "--overwrite").code == 0
    assert run("import", text, beam).code == 1
    assert run("import", text, text, "--format", quire.formats()[0], "--overwrite").code == 1


def test_types_are_those_of_all_cells(tmp_path: Path, text_format: str) -> None:
    text = "a,b,c,d,e,f,g\n1,1,1,x,,9223372036854775808,\n2,2.5,,2,,1,\n-3,1e3,3,3,,2,\n"
    found = imported(tmp_path, text, text_format)
    assert {name: kind for name, (kind, _, _) in found.items()} == {
        "a": "int64",
        "b": "float64",
        "c": "float64",
        "d": "string",
        "e": "float64",
        "f": "string",
        "g": "float64",
    }
    assert found["a"][2] == [1, 2, -3]
    assert found["d"][2] == ["x", "2", "3"]
    assert found["f"][2] == ["9223372036854775808", "1", "2"]
    assert np.isnan(found["c"][2][1])


def test_types_can_be_declared_by_name_or_pattern(tmp_path: Path, format: str) -> None:
    found = imported(tmp_path, "x,px,py\n1,2,3\n", format, types={"x": "int32", "p*": "float32"})
    assert [found[name][0] for name in ("x", "px", "py")] == ["int32", "float32", "float32"]


@pytest.mark.parametrize("header", ["x [mm],y[m$be$nc],z (1/m),m[1]", '"x [mm]",y [m$be$nc],z(1/m) , m[1]'])
def test_units_are_read_from_the_header(tmp_path: Path, header: str) -> None:
    found = imported(tmp_path, f"{header}\n1,2,3,4\n", quire.formats()[0])
    assert {name: unit for name, (_, unit, _) in found.items()} == {
        "x": "mm",
        "y": "m$be$nc",
        "z": "1/m",
        "m[1]": "",
    }


def test_units_are_read_from_a_separate_line_or_given(tmp_path: Path, format: str) -> None:
    found = imported(tmp_path, "x,y\nmm,s\n1,2\n", format, unit_line=True, units={"y": "ns"})
    assert {name: unit for name, (_, unit, _) in found.items()} == {"x": "mm", "y": "ns"}


@pytest.mark.parametrize(
    "text",
    [
        "x,y\n1,2\n3,4\n",
        "x;y\r\n1;2\r\n3;4\r\n",
        "x\ty\n1\t2\n3\t4",
        "  x   y\n  1   2\n  3   4  \n",
        "# x y\n1 2\n# between\n\n3 4\n",
        "\ufeffx,y\n1,2\n3,4\n",
        "x,y,\n1,2,\n3,4,\n",
        '"x","y"\n"1"," 2"\n"3","4 "\n',
    ],
    ids=["comma", "semicolon", "tab", "blanks", "comments", "mark", "trailing", "quotes"],
)
def test_the_layout_is_guessed(tmp_path: Path, format: str, text: str) -> None:
    found = imported(tmp_path, text, format)
    assert {name: values for name, (_, _, values) in found.items()} == {"x": [1, 3], "y": [2, 4]}


def test_columns_without_names_get_default_names(tmp_path: Path, format: str) -> None:
    assert imported(tmp_path, "1 2.5\n3 4\n", format)["c2"] == ("float64", "", [2.5, 4.0])
    assert set(imported(tmp_path, "1,2\n", format, names=["a", "b"])) == {"a", "b"}
    assert imported(tmp_path, "junk\nmore\n1,2\n", format, skip=2, delimiter=",")["c1"][2] == [1]


def test_delimiters_in_quoted_cells_are_ignored(tmp_path: Path, text_format: str) -> None:
    quoted = imported(tmp_path, 'n,x [m],e\n"a b",1.5,2\n"m\nl",-inf,3\n', text_format)
    assert quoted["n"][2] == ["a b", "m\nl"]


def test_a_header_can_be_disabled(tmp_path: Path, text_format: str) -> None:
    assert imported(tmp_path, "a,b\nc,d\n", text_format, header=False)["c1"][2] == ["a", "c"]


def test_any_texts_are_kept(tmp_path: Path, text_format: str) -> None:
    texts = ["plain", "a,b", 'say "x"', "", "two\nlines", "μ-π", " blanks "]
    stream = io.StringIO()
    csv.writer(stream, quoting=csv.QUOTE_ALL).writerows([["name", "n"], *([text, 1] for text in texts)])
    assert imported(tmp_path, stream.getvalue(), text_format)["name"][2] == texts


def test_texts_are_kept_by_an_export(tmp_path: Path, text_format: str) -> None:
    texts = ["plain", "a,b", 'say "x"', "", "two\nlines", "μ-π", "x y", b"\xff"]
    path, text = tmp_path / "texts", tmp_path / "texts.csv"
    with quire.create(path, format=text_format) as out, out.step(0) as step:
        step.put("name", texts)
    for request in (ExportRequest(), ExportRequest(delimiter=" "), ExportRequest(formats={"name": "%s"})):
        export_text(path, text, request, overwrite=True)
        back = imported(tmp_path, text.read_bytes(), text_format, delimiter=request.delimiter, header=True)
        assert back["name"][2] == [*texts[:-1], "\udcff"]


def test_gzip_is_read(tmp_path: Path, format: str) -> None:
    assert imported(tmp_path, gzip.compress(b"x,y\n1,2\n"), format)["y"][2] == [2]


@pytest.mark.parametrize(
    ("text", "layout", "kind", "words"),
    [
        ("x,y\n1,2\n3\n", {}, "bad file", "line 3 has 1 cell instead of 2"),
        ('x,y\n1,2\n3,"4\n', {}, "bad file", "line 3 has a quote without its end"),
        ("x,y\n1,2\n\n3,z\n", {"types": {"y": "int32"}}, "type", 'line 4: "z" is not int32'),
        ("x,y\n1,\n", {"types": {"y": "int32"}}, "type", 'line 2: "" is not int32'),
        ("x,x\n1,2\n", {}, "usage", "two columns"),
        ("x,y\n1,2\n", {"names": ["a"]}, "usage", "1 names are given for 2"),
        ("x,y\n1,2\n", {"types": {"z": "int32"}}, "missing", "no column 'z'"),
        ("x,y\n1,2\n", {"types": {"x": "int"}}, "usage", 'no type "int"'),
        ("x,y\n1,2\n", {"units": {"z": "m"}}, "missing", "no column 'z'"),
        ("x,y\n1,2\n", {"step_column": "z"}, "missing", "no column 'z'"),
        ("x,y\n1,2\n", {"rename": {"z": "x"}}, "missing", "no column 'z'"),
        ("x,y\n1,2\n", {"rename": {"x": "y"}}, "usage", "two columns would"),
        ("x,y\n1,2\n", {"delimiter": "::"}, "usage", "one byte"),
        ("", {}, "bad file", "neither names nor rows"),
    ],
)
def test_errors_are_reported_with_their_line(
    tmp_path: Path, format: str, text: str, layout: dict[str, Any], kind: str, words: str
) -> None:
    with pytest.raises(quire.Error, match=words.replace("(", r"\(")) as caught:
        imported(tmp_path, text, format, **layout)
    assert caught.value.kind == kind
    assert [path.name for path in tmp_path.iterdir()] == ["source.txt"]


def test_odd_names_are_kept_or_renamed(run: Run, tmp_path: Path, format: str) -> None:
    text, target = tmp_path / "odd.csv", tmp_path / f"odd{suffix_of(format)}"
    text.write_text("turn,x pos (%) [mm],1e%,x_pos (%) [mm],turn!\n5,1.5,2.5,3.5,4.5\n")
    options = ["--step-column", "turn", "--rename", "turn!=turn", "--types", "1e%=float32"]
    outcome = run("import", text, target, *options)
    assert outcome.code == 0, outcome.errors
    with quire.open(target) as file:
        assert file.numbers == [5]
        columns = file[0].table.columns
        found = {column[:].tolist()[0]: column for column in columns.values()}
        assert sorted(found) == [1.5, 2.5, 3.5, 4.5]
        assert [found[value].type for value in (1.5, 2.5)] == ["float64", "float32"]
        assert found[4.5].name == "turn"
        changed = [name for name in columns if name not in ("x pos (%)", "1e%", "x_pos (%)", "turn")]
        assert len(outcome.errors.splitlines()) == len(changed)
        assert all(f"is called '{name}'" in outcome.errors for name in changed)


def test_empty_cells_of_numbers_are_counted_or_refused(run: Run, tmp_path: Path, format: str) -> None:
    text, target = tmp_path / "data.csv", tmp_path / f"data{suffix_of(format)}"
    text.write_text("x,y,z\n1, ,nan\n,2.5,3\n4,,5\n")
    strict = run("import", text, target, "--strict", "--format", format)
    assert strict.code == 1
    assert "1 of 3 cells of column 'x' are empty; 2 of 3 cells of column 'y' are empty" in strict.errors
    assert not target.exists()
    usual = run("import", text, target, "--json", "--format", format)
    assert "missing: 1 of 3 cells of column 'x' are empty: their values are nan" in usual.errors
    assert json.loads(usual.output)["missing"] == {"x": 1, "y": 2}
    text.write_text("x,y\n1,2\n")
    assert run("import", text, target, "--strict", "--format", format, "--overwrite").code == 0


@pytest.mark.parametrize(
    ("decimal", "rows"), [(".", "x,k\n1.5,1\nN.A, NA\n2,3\n"), (",", "x;k\n1,5;1\nN.A; NA\n2;3\n")]
)
def test_words_of_missing_values_count_as_empty(
    run: Run, tmp_path: Path, format: str, decimal: str, rows: str
) -> None:
    text, target = tmp_path / "data.csv", tmp_path / f"data{suffix_of(format)}"
    text.write_text(rows)
    options = ["--format", format, "--decimal", decimal, "--json", "--missing", "NA,N.A"]
    outcome = run("import", text, target, *options)
    assert json.loads(outcome.output)["missing"] == {"x": 1, "k": 1}
    with quire.open(target) as file:
        np.testing.assert_array_equal(file[0]["x"][:], [1.5, np.nan, 2])
        np.testing.assert_array_equal(file[0]["k"][:], [1, np.nan, 3])


def test_words_of_missing_values_are_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("name,k\nNA,1\nb,NA\nc,3\n")
    target = path_for(tmp_path, quire.formats()[0], "data")
    outcome = run("import", tmp_path / "data.csv", target)
    assert (
        "column 'k' is text for cells such as NA in line 3: 1 of 3 is no number; "
        "--missing NA reads them as nan"
    ) in outcome.errors
    assert "'name'" not in outcome.errors


@pytest.mark.parametrize("names", [["x", "x"], ["a\0b"], []])
def test_names_that_no_table_can_have_stay_for_the_writer(format: str, names: list[str]) -> None:
    assert len(_core.fit_names(format, names)) == len(names)


def test_a_text_without_rows_is_an_empty_table(tmp_path: Path, format: str) -> None:
    assert imported(tmp_path, "x,y\n", format) == {"x": ("float64", "", []), "y": ("float64", "", [])}


def test_the_command_prints_the_types_that_it_found(run: Run, tmp_path: Path, format: str) -> None:
    text, target = tmp_path / "data.csv", tmp_path / f"data{suffix_of(format)}"
    text.write_text("x [m],id\n0.5,1\n")
    answer = json.loads(run("import", text, target, "--json", "--title", "measured").output)
    assert answer == {
        "path": str(target),
        "steps": 1,
        "rows": 1,
        "columns": [
            {"name": "x", "type": "float64", "unit": "m"},
            {"name": "id", "type": "int64", "unit": ""},
        ],
        "missing": {},
    }
    assert run("import", text, target, "--skip", "-1").code == 2
    assert run("import", tmp_path / "nothing.csv", target, "--overwrite").code == 4


def test_standard_input_and_output_are_streams(start: Start, format: str, tmp_path: Path) -> None:
    done = start("import", "-", "-", "--format", format, stdin=b"x,y\n1,2\n")
    assert done.returncode == 0, done.stderr
    back = start("export", "-", "-", stdin=done.stdout)
    assert sorted(back.stdout.split()[0].split(b",")) == [b"x", b"y"]
    assert sorted(back.stdout.split()[1].split(b",")) == [b"1", b"2"]


def test_an_unclosed_quote_does_not_use_all_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_import, "BLOCK_BYTES", 1 << 10)
    monkeypatch.setattr(text_import, "LARGEST_ROW", 1 << 12)
    with pytest.raises(quire.BadFileError, match="line 3 begins a row"):
        imported(tmp_path, 'x,y\n1,2\n1,"2\n' + "3,4\n" * 10000, quire.formats()[0])


@pytest.mark.mpi
def test_several_ranks_are_refused_in_one_line(start: Start, make: Make) -> None:
    beam = make(quire.formats()[0])
    done = start("export", beam, beam.with_name("text.csv"), ranks=2)
    assert done.returncode == 2
    assert done.stderr.count(b"quire: ") == 1
    assert list(beam.parent.iterdir()) == [beam]


def test_integers_rounded_by_a_column_of_fractions_are_reported(run: Run, tmp_path: Path) -> None:
    text, target = tmp_path / "text.csv", path_for(tmp_path, quire.formats()[0])
    text.write_text("id,x,big\n9007199254740992,1e30,1e30\n9007199254740993,0.5,7\n0.5,2,18014398509481985\n")
    outcome = run("import", text, target)
    assert outcome.code == 0
    assert outcome.errors == "".join(
        f"changed: column '{name}' is float64, for not all values are integers: {wide} becomes {near}; "
        f"--types '{name}=string' keeps all digits\n"
        for name, wide, near in (
            ("id", "9007199254740993", "9007199254740992"),
            ("big", "18014398509481985", "18014398509481984"),
        )
    )
    declared = run("import", text, target, "--overwrite", "--types", "id=float64,big=string")
    assert declared.errors == ""


@pytest.mark.parametrize("format", formats_of_uneven_steps())
def test_steps_without_a_table_are_left_out_and_reported(run: Run, tmp_path: Path, format: str) -> None:
    path = path_for(tmp_path, format)
    with quire.create(path, format=format) as out:
        for number in (1, 2, 4):
            step = out.step(number).set("s", 0.5)
            if number == 2:
                step.put("x", np.arange(2.0))
            step.commit()
    outcome = run("export", path, "-")
    assert (outcome.code, outcome.output) == (0, "x\n0.0\n1.0\n")
    assert outcome.errors == "left out: 2 steps without a table: 1, 4\n"
    outcome = run("export", path, tmp_path / "text.csv", "--json")
    assert json.loads(outcome.output)["steps_left_out"] == [1, 4]
    assert run("export", path, "-", "--steps", "1,4").code == 1
    none = run("export", path, "-", "--table", "bogus")
    assert (none.code, none.output) == (1, "")
    assert 'no table "bogus"' in none.errors


PROGRAM = """
import resource, sys
from quire.toolkit import text_export, text_import
text_import.BLOCK_BYTES = text_export.BLOCK_BYTES = 1 << 18
text_import.import_text(sys.argv[1], sys.argv[2], overwrite=True)
text_export.export_text(sys.argv[2], sys.argv[1] + ".back", overwrite=True)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_memory_does_not_grow_with_the_text(tmp_path: Path, format: str) -> None:
    peaks = []
    for rows in (200_000, 1_600_000):
        text = tmp_path / "long.csv"
        with text.open("w") as out:
            out.write("x,n\n")
            block = "".join(f"{row}.25,{row}\n" for row in range(100_000))
            for _ in range(rows // 100_000):
                out.write(block)
        command = [sys.executable, "-c", PROGRAM, str(text), str(tmp_path / f"long{suffix_of(format)}")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=True)
        peaks.append(int(done.stdout))
        assert (tmp_path / "long.csv.back").stat().st_size == text.stat().st_size
    # In KiB: the longer text is 24 MB larger, its numbers 22 MB.
    assert peaks[1] - peaks[0] < 12_000


def test_an_export_accepts_a_condition(run: Run, beam: Path, values: Values) -> None:
    outcome = run("export", beam, "-", "--steps", "4", "--columns", "id", "--where", "x > 0", "--no-header")
    assert [int(line) for line in outcome.output.split()] == values(4)["id"][values(4)["x"] > 0].tolist()
    assert run("export", beam, "-", "--where", "x >").code == 2


def test_gzip_is_written_and_read(run: Run, beam: Path) -> None:
    text, packed = beam.with_name("beam.csv"), beam.with_name("beam.csv.gz")
    assert run("export", beam, text).code == run("export", beam, packed).code == 0
    assert gzip.decompress(packed.read_bytes()) == text.read_bytes()
    back = beam.with_name(f"back{beam.suffix}")
    assert run("import", packed, back, "--step-column", "step", "--types", "id=int32").code == 0
    assert run("diff", beam, back, "--no-attributes", "--no-units").code == 0


CELLS = st.text(st.sampled_from('ab ,"\n\r\t#é1.-'), max_size=6)
ROWS = st.integers(1, 4).flatmap(
    lambda columns: st.lists(st.lists(CELLS, min_size=columns, max_size=columns))
)


@given(rows=ROWS, piece=st.integers(1, 40), quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
@settings(max_examples=300)
def test_cells_are_those_of_the_csv_module(rows: list[list[str]], piece: int, quoting: Any) -> None:
    stream = io.StringIO()
    csv.writer(stream, quoting=quoting).writerows(rows)
    text = stream.getvalue().encode()
    # A line of blanks is not a row here.
    expected = [
        row for row in rows if quoting == csv.QUOTE_ALL or len(row) > 1 or not row[0] or row[0].strip(" \t")
    ]
    found: list[list[str]] = []
    block, rest, line = _core.DelimitedBlock(",", ""), b"", 1
    for start in range(0, max(len(text), 1), piece):
        rest += text[start : start + piece]
        taken = block.split(rest, start + piece >= len(text), len(rows[0]) if rows else 0, line)
        rest, line = rest[taken:], block.next_line
        columns = [block.texts(column) for column in range(block.columns)] if block.rows else []
        found += [list(row) for row in zip(*columns, strict=True)]
    assert rest == b""
    assert found == expected


def test_every_kind_of_file_can_be_the_target(run: Run, make: Make, format: str) -> None:
    beam = make(format)
    text, back = beam.with_name("beam.csv"), beam.with_name(f"back{beam.suffix}")
    assert run("export", beam, text).code == 0
    options = [
        f"{option.name}={choice}" for option in format_info(format).write_options for choice in option.choices
    ]
    for option in ["", *options]:
        chosen = ["--option", option] if option else []
        outcome = run(
            "import", text, back, "--step-column", "step", "--types", "id=int32", "--overwrite", *chosen
        )
        assert outcome.code == 0, outcome.errors
        assert run("diff", beam, back, "--no-attributes", "--no-units").code == 0, option


def test_an_export_without_a_new_file_says_what_there_is(run: Run, beam: Path, tmp_path: Path) -> None:
    for words in ([beam], ["vtkhdf", beam], ["text", beam]):
        outcome = run("export", *words)
        assert outcome.code == 2
        assert f"quire export {beam} OUT" in outcome.errors
        assert all(suffix in outcome.errors for suffix in (".csv", ".vtkhdf", ".xmf"))
    assert run("export", beam, tmp_path / "a.csv", tmp_path / "b.csv").code == 2


def test_the_kind_of_an_export_precedes_its_files(run: Run, beam: Path, tmp_path: Path) -> None:
    assert run("export", beam, tmp_path / "beam.csv").code == 0
    assert run("export", "text", beam, tmp_path / "beam.xmf").code == 0
    assert (tmp_path / "beam.xmf").read_bytes() == (tmp_path / "beam.csv").read_bytes()


@pytest.mark.parametrize("name", ["beam.json", "beam.xlsx", "beam.PARQUET", "beam.json.gz"])
def test_text_has_no_suffix_of_another_kind_of_file(run: Run, beam: Path, tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    outcome = run("export", beam, target)
    assert outcome.code == 2
    suffix = Path(name.removesuffix(".gz")).suffix.lower()
    assert f"quire export writes no {suffix} files; name OUT so that it ends in .csv" in outcome.errors
    assert not target.exists()
    assert run("export", "text", beam, target).code == 0
    assert run("export", beam, tmp_path / "beam.out").code == 0


def test_a_file_may_be_called_as_a_kind_of_export(
    run: Run, beam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_bytes(beam.read_bytes())
    assert run("export", "text", "out.csv").code == run("export", beam, "same.csv").code == 0
    assert Path("out.csv").read_bytes() == Path("same.csv").read_bytes()


def test_views_of_a_grid_that_moves_say_which_step_they_show(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in (0, 1):
        with quire.create(f"run_{number}.h5") as out:
            for step_number in range(4):
                with out.step(step_number) as step:
                    grid = quire.Grid(origin=[0.0, step_number // 2 * number], spacing=[1.0, 1.0])
                    step.put_field("rho", np.arange(4.0).reshape(2, 2), grid=grid)
    outcome = run("export", "run_0.h5", "run_0.vtkhdf")
    assert (outcome.output, outcome.errors) == ("run_0.vtkhdf: 4 steps of run_0.h5\n", "")
    outcome = run("export", "run_1.h5", "run_1.vtkhdf")
    assert outcome.output == (
        "run_1_fields.vtkhdf: rho in steps 0, 1 of run_1.h5\n"
        "run_1_fields_1.vtkhdf: rho in steps 2, 3 of run_1.h5\n"
    )
    assert outcome.errors.startswith("the fields have 2 grids, as one that moves, and such a file has one")
    command = outcome.errors.partition("in one file: quire ")[2].split()
    assert run(*command).output == "run_1.xmf: 4 steps of run_1.h5\n"
