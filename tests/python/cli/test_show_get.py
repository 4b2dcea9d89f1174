"""quire show and quire get."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.python.support.files import step_formats, table_formats

import quire
from quire.cli import sheets
from quire.cli.views import cell_text
from quire.toolkit.lines import printer

if TYPE_CHECKING:
    from tests.python.cli.conftest import Make, Run, Start, Values


def test_the_first_rows_are_shown_by_default(run: Run, beam: Path, values: Values) -> None:
    outcome = run("show", beam, "--step", "4", "--columns", "x,px,id")
    assert outcome.code == 0
    lines = outcome.output.splitlines()
    assert lines[0] == "step 4: 100 rows"
    assert lines[1].split()[:3] == ["row", "x", "[m]"]
    assert len(lines) == 2 + 20 + 1
    assert lines[2].split()[0] == "0"
    assert float(lines[2].split()[1]) == pytest.approx(values(4)["x"][0], rel=1e-8)


def test_rows_and_columns_can_be_chosen(run: Run, beam: Path, values: Values) -> None:
    outcome = run("show", beam, "--index", "-1", "--columns", "id,p*", "--rows", "10:12")
    rows = [line.split() for line in outcome.output.splitlines()[2:]]
    assert [row[:2] for row in rows] == [["10", "11"], ["11", "12"]]


@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
def test_csv_has_all_rows_and_all_digits(
    run: Run, beam: Path, values: Values, monkeypatch: pytest.MonkeyPatch, block_bytes: int
) -> None:
    monkeypatch.setattr(sheets, "BLOCK_BYTES", block_bytes)
    rows = list(csv.DictReader(io.StringIO(run("show", beam, "--csv").output)))
    assert len(rows) == 300
    for number in (1, 4, 9):
        mine = [row for row in rows if row["step"] == str(number)]
        for name, expected in values(number).items():
            assert [type(expected[0])(row[name]) for row in mine] == list(expected)


def test_json_has_all_rows(run: Run, beam: Path, values: Values) -> None:
    tables = json.loads(run("show", beam, "--json", "--columns", "px").output)["tables"]
    assert [table["step"] for table in tables] == [1, 4, 9]
    assert tables[0]["units"] == ["m$be$nc"]
    assert [row[0] for row in tables[2]["rows"]] == list(values(9)["px"])


def test_an_error_before_the_first_row_leaves_no_json(run: Run, beam: Path) -> None:
    for arguments in (["show", "--columns", "q"], ["stats", "--", "mean(q)"]):
        outcome = run(arguments[0], beam, "--json", *arguments[1:])
        assert (outcome.code, outcome.output) == (1, "")


def test_values_that_json_lacks_are_texts(run: Run, make: Make, format: str) -> None:
    strange = np.array([np.nan, np.inf, -np.inf])
    path = make(format, rows=3, numbers=[1], x=strange)
    tables = json.loads(run("show", path, "--json", "--columns", "x").output)["tables"]
    assert tables[0]["rows"] == [["nan"], ["inf"], ["-inf"]]


def test_attributes_are_shown(run: Run, beam: Path) -> None:
    outcome = run("show", beam, "--attributes", "--step", "9")
    assert "tracker" in outcome.output
    assert ["s", "m", "4.5"] in [line.split() for line in outcome.output.splitlines()]
    assert list(json.loads(run("show", beam, "--attributes", "--json").output)) == [
        "file",
        "step 1",
        "step 4",
        "step 9",
    ]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--step", "5"], 1),
        (["--index", "3"], 1),
        (["--columns", "z"], 1),
        (["--table", "nothing"], 1),
        (["--attributes", "--names", "nothing"], 1),
        (["--fields", "--names", "nothing"], 1),
        (["--format", "z=%g"], 1),
        (["--format", "x=%g%g"], 2),
        (["--rows", "a"], 2),
        (["--rows", "5:2"], 2),
        (["--rows", "100:"], 2),
        (["--json", "--csv"], 2),
        (["--delimiter", ""], 2),
        (["--list", "nonsense"], 2),
        (["--transpose"], 2),
        *(
            (["--attributes", form], 2)
            for form in ("--csv", "--delimiter=;", "--latex", "--markdown", "--html")
        ),
        *((["--list", "columns", form], 2) for form in ("--latex", "--markdown", "--html")),
        (["--step", "1", "--index", "0"], 2),
    ],
)
def test_errors_are_one_line(run: Run, beam: Path, arguments: list[str], code: int) -> None:
    outcome = run("show", beam, *arguments)
    assert outcome.code == code
    assert len(outcome.errors.splitlines()) == 1
    assert outcome.output == ""


def test_display_formats_are_used_with_an_option_and_never_trusted(run: Run, tmp_path: Path) -> None:
    for form, value, text in (("%10.3lf m", np.float64(0.5), "     0.500 m"), ("%04ld", np.int32(7), "0007")):
        one = printer(form)
        assert one is not None
        assert one(value) == text
    for hostile in ("%999999999d", "%s%s%s", "%n", "%", "%*d"):
        assert printer(hostile) is None
    whole = printer("%03d")
    assert whole is not None
    assert [whole(value) for value in (7.0, 1 / 3, 5)] == ["007", "0.3333333333333333", "005"]
    misfit = printer("%5.2f")
    assert misfit is not None
    assert misfit("text") == "text"


def test_text_from_files_cannot_control_the_terminal() -> None:
    assert cell_text("red \x1b[31m", None) == "red \\x1b[31m"


def test_get_prints_one_value_plainly(run: Run, beam: Path) -> None:
    assert run("get", beam, "code").output == "tracker\n"
    assert run("get", beam, "s").output == "0.5\n"
    assert run("get", beam, "s", "--index", "-1").output == "4.5\n"
    assert run("get", beam, "turn", "--step", "4").output == "4\n"


def test_get_prints_columns_with_all_digits(run: Run, beam: Path, values: Values) -> None:
    lines = run("get", beam, "x", "--step", "9", "--rows", "5:8").output.split()
    assert [float(line) for line in lines] == list(values(9)["x"][5:8])


def test_get_prints_type_and_unit_as_json(run: Run, beam: Path) -> None:
    answer = json.loads(run("get", beam, "s", "--json").output)
    assert (answer["value"], answer["unit"], answer["type"]) == (0.5, "m", "float64")
    assert len(json.loads(run("get", beam, "id", "--json").output)["value"]) == 100


def test_get_exits_with_1_for_a_missing_name(run: Run, beam: Path) -> None:
    outcome = run("get", beam, "nothing")
    assert outcome.code == 1
    assert outcome.output == ""
    assert "(nearest: code)" in run("get", beam, "kode").errors
    assert run("get", beam, "q*").code == 1


def test_get_reports_all_missing_names(run: Run, beam: Path) -> None:
    outcome = run("get", beam, "kode", "s", "nothing")
    assert (outcome.code, outcome.output) == (1, "")
    first, second = outcome.errors.splitlines()
    assert "'kode' (nearest: code)" in first
    assert "'nothing'; quire info lists the names" in second
    *_, last = run("get", beam, "kode", "nothing + 1").errors.split("quire: ")[1:]
    assert "nothing" in last


def test_get_accepts_patterns(run: Run, beam: Path) -> None:
    assert run("get", beam, "t*n", "c*").output == "1\ntracker\n"
    assert run("get", beam, "i*", "--rows", ":2").output == "1\n2\n"
    assert run("get", beam, "x", "i*", "--rows", ":2", "--unit").output == "m\n\n"


def test_a_file_without_steps_has_no_columns(run: Run, make: Make, format: str) -> None:
    path = make(format, numbers=[1])
    with quire.create(path, format=format) as out:
        out.set("code", "empty")
    assert run("get", path, "code").output == "empty\n"
    assert run("get", path, "x").code == 1
    assert run("show", path).output == ""


def test_a_closed_output_pipe_is_no_error(start: Start, beam: Path) -> None:
    import subprocess
    import sys
    from pathlib import Path

    folder = str(Path(quire.__file__).parent.parent)
    command = f"PYTHONPATH={folder} {sys.executable} -m quire show --csv {beam} | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, timeout=60, check=False
    )
    assert done.stdout == b"step,x,px,id\n" or done.stdout.startswith(b"step,")
    assert done.stderr == b""
    assert done.returncode == 0


def test_formats_are_given_by_name_pattern_or_for_all_numbers(run: Run, beam: Path, values: Values) -> None:
    outcome = run(
        "show", beam, "--step", "4", "--csv", "--rows", "0:1", "--format", "%.2f", "--format", "p*=<%10.3e>"
    )
    (row,) = csv.DictReader(io.StringIO(outcome.output))
    assert row["x"] == f"{values(4)['x'][0]:.2f}"
    assert row["px"] == f"<{values(4)['px'][0]:10.3e}>"
    assert row["id"] == "1.00"


def test_values_alone_are_for_other_programs(run: Run, beam: Path, values: Values) -> None:
    outcome = run("show", beam, "--columns", "id,x", "--delimiter", "space", "--bare", "--break", "--")
    pages = outcome.output.split("--\n")
    assert len(pages) == 3
    for number, page in zip((1, 4, 9), pages, strict=True):
        found = np.loadtxt(io.StringIO(page))
        assert found[:, 0].tolist() == values(number)["id"].tolist()
        assert found[:, 1].tolist() == values(number)["x"].tolist()


def test_texts_are_quoted_unless_not_wanted(run: Run, tmp_path: Path) -> None:
    texts = ["plain", "two words", 'say "x"', "", "a,b", "two\nlines"]
    path = text_file(tmp_path, texts)
    rows = list(csv.reader(io.StringIO(run("show", path, "--csv", "--bare").output)))
    assert [row[0] for row in rows] == texts
    lines = run(
        "show", path, "--bare", "--delimiter", "space", "--no-quotes", "--rows", "0:3"
    ).output.splitlines()
    assert lines == ["plain 0", "two words 1", 'say "x" 2']


def text_file(folder: Path, texts: list[str]) -> Path:
    """A file with texts, in the first format that can hold them."""
    for format in step_formats():
        path = folder / f"texts-{format}"
        try:
            with quire.create(path, format=format) as out, out.step(0) as step:
                step.put("text", texts).put("n", np.arange(len(texts)))
        except quire.UnsupportedError:
            continue
        return path
    raise AssertionError("no format holds texts")


def test_latex_has_a_tabular_a_step(run: Run, beam: Path) -> None:
    lines = run("show", beam, "--latex", "--columns", "px,id", "--rows", ":2").output.splitlines()
    assert lines.count(r"\begin{tabular}{rr}") == 3
    assert lines[1] == r"px [m\$be\$nc] & id \\ \hline"
    assert lines[2].endswith(r"& 1 \\")
    assert lines[4] == r"\end{tabular}"


@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
def test_latex_of_many_blocks_has_every_row(
    run: Run, beam: Path, monkeypatch: pytest.MonkeyPatch, block_bytes: int
) -> None:
    monkeypatch.setattr(sheets, "BLOCK_BYTES", block_bytes)
    lines = run("show", beam, "--latex", "--columns", "id", "--step", "1", "--no-header").output.splitlines()
    assert lines[1:-1] == [f"{number} \\\\" for number in range(1, 101)]


def test_markdown_has_a_table_a_step(run: Run, beam: Path) -> None:
    lines = run("show", beam, "--markdown", "--columns", "px,id", "--rows", ":2").output.splitlines()
    assert lines[:4] == ["step 1: 100 rows", "", "| px [m$be$nc] | id |", "| ---: | ---: |"]
    assert lines[4].endswith(" | 1 |")
    assert lines.count("| ---: | ---: |") == 3
    bare = run("show", beam, "--markdown", "--columns", "id", "--rows", ":2", "--step", "4", "--bare")
    assert bare.output == "|  |\n| ---: |\n| 1 |\n| 2 |\n"


def test_html_has_a_table_a_step(run: Run, beam: Path) -> None:
    lines = run("show", beam, "--html", "--columns", "px,id", "--rows", ":1").output.splitlines()
    assert lines[:3] == [
        "<table>",
        "<caption>step 1: 100 rows</caption>",
        "<tr><th>px [m$be$nc]</th><th>id</th></tr>",
    ]
    assert lines[3].endswith("<td>1</td></tr>")
    assert lines.count("</table>") == 3


def test_text_from_files_is_escaped(run: Run, tmp_path: Path) -> None:
    path = text_file(tmp_path, ["<b>&", "a|b"])
    assert "<td>&lt;b&gt;&amp;</td>" in run("show", path, "--html").output
    assert r"| a\|b |" in run("show", path, "--markdown").output


def test_attributes_as_a_table_have_a_row_a_step(run: Run, beam: Path) -> None:
    outcome = run(
        "show", beam, "--attributes", "--transpose", "--csv", "--names", "s,t*", "--format", "s=%.3f"
    )
    assert list(csv.reader(io.StringIO(outcome.output))) == [
        ["step", "s", "turn"],
        ["1", "0.500", "1"],
        ["4", "2.000", "4"],
        ["9", "4.500", "9"],
    ]


def test_attributes_can_be_chosen_and_formatted(run: Run, beam: Path) -> None:
    lines = run(
        "show", beam, "--attributes", "--names", "s", "--format", "%.1e", "--step", "4"
    ).output.splitlines()
    assert [line.split() for line in lines] == [["step", "4"], ["s", "m", "2.0e+00"]]


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("steps", ["1", "4", "9"]),
        ("rows", ["100"] * 3),
        ("attributes", ["code", "s", "turn"]),
    ],
)
def test_lists_are_a_line_each(run: Run, beam: Path, what: str, expected: list[str]) -> None:
    assert sorted(run("show", beam, "--list", what).output.splitlines()) == expected
    assert len(run("show", beam, "--list", what, "--delimiter", "comma").output.splitlines()) == 1


def test_a_list_of_attributes_has_those_of_the_file_first(run: Run, beam: Path) -> None:
    assert run("show", beam, "--list", "attributes").output.splitlines()[0] == "code"
    assert run("show", beam, "--list", "attributes", "--names", "c*").output == "code\n"
    assert run("show", beam, "--list", "attributes", "--names", "s,code", "--units").output == "code\ns [m]\n"
    listed = json.loads(run("show", beam, "--list", "attributes", "--json", "--step", "4").output)
    assert [one["name"] for one in listed] == ["code", "s", "turn"]
    assert run("show", beam, "--list", "attributes", "--names", "nothing").code == 1


def test_names_are_listed_with_units_with_an_option(run: Run, beam: Path) -> None:
    assert sorted(run("show", beam, "--list", "columns").output.split()) == ["id", "px", "x"]
    assert "x [m]" in run("show", beam, "--list", "columns", "--units").output.splitlines()


def test_the_title_is_printed_first_with_an_option(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "titled"
    with quire.create(path, format=quire.formats()[0]) as out, out.step(0) as step:
        out.title = "a bunch"
        step.put("x", np.arange(2.0))
    assert run("show", path, "--title", "--no-header").output.splitlines() == ["a bunch", "0  0", "1  1"]


def test_rows_that_only_some_steps_have_are_shown_there(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "uneven"
    with quire.create(path, format=quire.formats()[0]) as out:
        for number, rows in enumerate((3, 0, 5)):
            with out.step(number) as step:
                step.put("x", np.arange(float(rows)))
    assert run("show", path, "--rows", "3:", "--bare", "--csv").output.split() == ["3.0", "4.0"]
    assert run("show", path, "--rows", "0:1", "--bare", "--csv").output.split() == ["0.0", "0.0"]
    assert run("show", path, "--step", "1", "--rows", "0:1").output == "step 1: 0 rows\n"


def field_file(folder: Path) -> Path:
    """A file with a field, in the first format that holds one."""
    for format in step_formats():
        path = folder / f"fields-{format}"
        try:
            with quire.create(path, format=format) as out, out.step(0) as step:
                step.put_field("phi", np.arange(6.0).reshape(2, 3), unit="V")
        except quire.UnsupportedError:
            continue
        return path
    raise AssertionError("no format holds fields")


def test_fields_are_shown_with_their_indices(run: Run, tmp_path: Path) -> None:
    path = field_file(tmp_path)
    rows = list(csv.reader(io.StringIO(run("show", path, "--fields", "--csv", "--bare").output)))
    assert rows[4] == ["1", "1", "4.0"]
    assert run("get", path, "phi", "--delimiter", "space").output == "0.0 1.0 2.0 3.0 4.0 5.0\n"
    assert json.loads(run("get", path, "phi", "--json").output)["value"] == [[0, 1, 2], [3, 4, 5]]
    assert run("get", path, "phi", "--unit").output == "V\n"


def test_get_prints_several_values_in_the_order_asked_for(run: Run, beam: Path) -> None:
    assert run("get", beam, "turn", "s", "code", "--index", "1").output == "4\n2.0\ntracker\n"
    assert run("get", beam, "s", "turn", "--format", "%.2f", "--delimiter", "comma").output == "0.50,1.00\n"
    assert run("get", beam, "s", "x", "--unit").output == "m\nm\n"
    assert run("get", beam, "id", "id", "--rows", "3:5").output == "4 4\n5 5\n"
    rows = run("get", beam, "id", "x", "--rows", "3:5", "--delimiter", "comma", "--format", "%.2f").output
    assert [line.split(",")[0] for line in rows.splitlines()] == ["4.00", "5.00"]
    assert [one["name"] for one in json.loads(run("get", beam, "s", "turn", "--json").output)] == [
        "s",
        "turn",
    ]


def test_get_computes_what_is_no_name(run: Run, beam: Path) -> None:
    with quire.open(beam) as file:
        found = [(step["x"][:], step.attrs["s"]) for step in file]
    widths = run("get", beam, "max(x) - min(x)", "s*2", "--steps", "0-").output.split()
    assert [*map(float, widths)] == [value for x, s in found for value in (x.max() - x.min(), 2 * s)]
    rows = run("get", beam, "x*2", "id", "--rows", "3:5", "--index", "1").output.splitlines()
    assert [float(row.split()[0]) for row in rows] == [*(2 * found[1][0][3:5])]
    large = run("get", beam, "x / max(x)", "--where", "x > 0").output.split()
    assert [*map(float, large)] == [*((x := found[0][0]) / x.max())[x > 0]]
    assert run("get", beam, "max(x)", "--unit").output == "m\n"
    assert json.loads(run("get", beam, "count(x)", "--json").output)["value"] == len(found[0][0])


def test_expressions_of_get_use_the_table_that_has_their_columns(run: Run, tmp_path: Path) -> None:
    path = several_tables(tmp_path)
    assert run("get", path, "max(x)", "max(x + y)", "max(x + 2)").output == "0.0\n4.0\n2.0\n"
    assert run("get", path, "max(x)", "--table", "right").code == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["s", "nothing"], 1),
        (["no-thing"], 1),
        (["max(x)", "--rows", "1:"], 2),
        (["s", "--step", "77"], 1),
        (["x", "--rows", "100:"], 2),
        (["x", "--rows", "7:3"], 2),
        (["x", "--format", "%q"], 2),
    ],
)
def test_errors_of_get_are_one_line(run: Run, beam: Path, arguments: list[str], code: int) -> None:
    outcome = run("get", beam, *arguments)
    assert (outcome.code, outcome.output, len(outcome.errors.splitlines())) == (code, "", 1)


@pytest.mark.parametrize("text", ["max(nothing)", "x + nothing", "max(x"])
def test_get_points_at_the_error_of_an_expression(run: Run, beam: Path, text: str) -> None:
    outcome = run("get", beam, text)
    assert (outcome.output, outcome.code) == ("", 1 if "nothing" in text else 2)
    assert outcome.errors.splitlines()[1].strip() == text


def test_lists_for_programs_have_whole_definitions(run: Run, beam: Path) -> None:
    columns = {
        one["name"]: one for one in json.loads(run("show", beam, "--list", "columns", "--json").output)
    }
    assert (columns["x"]["type"], columns["x"]["unit"]) == ("float64", "m")
    assert json.loads(run("show", beam, "--list", "steps", "--json").output) == [1, 4, 9]


def several_tables(folder: Path) -> Path:
    """A file whose step has two tables, in the first format that holds them."""
    for format in table_formats():
        path = folder / f"several-{format}"
        try:
            with quire.create(path, format=format) as out, out.step(0) as step:
                for number, table in enumerate(("left", "right")):
                    step.put("x", np.full(2, float(number)), table=table)
                step.put("y", np.full(2, 3.0), table="right")
        except quire.UnsupportedError:
            continue
        return path
    raise AssertionError("no format holds several tables")


def test_commands_report_which_of_several_tables_they_use(run: Run, tmp_path: Path) -> None:
    path, text = several_tables(tmp_path), tmp_path / "x.csv"
    get = run("get", path, "x")
    assert get.output == "0.0\n0.0\n"
    assert get.errors == "there are 2 tables with a column 'x'; this is 'left'; --table selects another\n"
    chosen = run("get", path, "x", "--table", "right")
    assert (chosen.output, chosen.errors) == ("1.0\n1.0\n", "")
    assert run("get", path, "y").errors == ""
    assert run("get", path, "y", "--table", "left").code == 1
    assert run("get", path, "x", "--table", "nothing").code == 1
    picture = ["plot", path, "-x", "x", "-y", "x", "-o", tmp_path / "x.png", "--overwrite"]
    for command in (["export", path, text], ["export", path, "-"], picture):
        assert "there are 2 tables; this is 'left'; --table selects another\n" in run(*command).errors
    assert text.read_text() == "x\n0.0\n0.0\n"
    assert run("export", path, text, "--overwrite", "--table", "right").errors == ""
    assert run(*picture, "--table", "right").errors == ""
    for target in ("one.h5", "same"):
        with quire.open(path) as file:
            format = ["--format", file.format] if target == "same" else []
        assert run("convert", path, tmp_path / target, *format, "--table", "right").code == 0
        with quire.open(tmp_path / target) as file:
            (table,) = file[0].tables.values()
            assert list(table.columns) == ["x", "y"]
            np.testing.assert_array_equal(table["x"][:], np.full(2, 1.0))
    assert run("convert", path, tmp_path / "none.h5", "--table", "nothing").code == 1


def test_a_pattern_of_two_kinds_reports_what_it_ignores(run: Run, one_beam: Path) -> None:
    outcome = run("get", one_beam, "?", "--index", "0")
    assert outcome.output == "0.5\n"
    assert outcome.errors == "'?' selects attributes; there is also column x; --rows : selects columns\n"
    chosen = run("get", one_beam, "?", "--index", "0", "--rows", ":2")
    assert (len(chosen.output.splitlines()), chosen.errors) == (2, "")


def test_values_of_several_kinds_give_a_warning(run: Run, one_beam: Path) -> None:
    outcome = run("get", one_beam, "id", "s", "code")
    assert len(outcome.output.splitlines()) == 102
    assert outcome.errors == (
        "in this order: column id, attribute s, attribute code; --json separates their values\n"
    )
    assert run("get", one_beam, "id", "s", "--json").errors == ""


def test_rows_are_those_of_columns(run: Run, one_beam: Path) -> None:
    outcome = run("get", one_beam, "s", "--rows", ":2")
    assert (outcome.code, outcome.output) == (1, "")
    assert "only columns have rows" in outcome.errors


def test_conditions_that_no_row_satisfies_are_reported(run: Run, beam: Path) -> None:
    nothing = run("get", beam, "x", "--where", "id == -1", "--steps", "1-9")
    assert (nothing.code, nothing.output) == (1, "")
    assert nothing.errors.endswith(" of 300 rows satisfy id == -1\n"), nothing.errors
    assert nothing.errors.count("satisfy") == 1
    as_json = run("get", beam, "x", "--where", "id == -1", "--json")
    assert (as_json.code, json.loads(as_json.output)["value"]) == (1, [])
    # Only the last step has them: no other step is reported.
    outcome = run("get", beam, "x", "--where", "step == 9 && id == 3", "--steps", "1-9")
    assert (outcome.code, "satisfy" in outcome.errors) == (0, False)


def test_the_number_of_a_step_is_printed(run: Run, beam: Path) -> None:
    assert run("get", beam, "step", "--steps", "1,4").output.split() == ["1", "4"]
    assert run("get", beam, "step + 1", "--steps", "1,4").output.split() == ["2", "5"]
    assert run("get", beam, "rpn: Step 1 +", "--steps", "1,4").output.split() == ["2", "5"]
    assert "(nearest: step)" in run("get", beam, "Step").errors


def test_columns_of_several_steps_are_reported_as_such(run: Run, beam: Path) -> None:
    outcome = run("get", beam, "id", "--steps", "1,4", "--rows", "0:2")
    assert outcome.output.split() == ["1", "2", "1", "2"]
    assert "values of 2 steps, one after another; quire show --csv names the steps" in outcome.errors
    assert run("get", beam, "id", "--steps", "4", "--rows", "0:2").errors == ""
    assert run("get", beam, "max(x)", "turn", "--steps", "1,4").errors == ""
