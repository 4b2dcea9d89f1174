"""What the command line shows besides the answers of commands: help, usage errors, completion, examples."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from typer.testing import CliRunner

import quire
from quire.cli.main import Quire, app
from quire.cli.shell import NOT_HERE
from quire.cli.verbs import VERBS
from quire.io.formats import format_info, format_infos
from quire.toolkit.examples import EXAMPLES

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

COMMANDS = sorted(name for names in Quire.groups.values() for name in names)


def complete(monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    """Return what bash is offered for the last word."""
    monkeypatch.setenv("_QUIRE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", " ".join(["quire", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    return CliRunner().invoke(app, [], prog_name="quire").output.split()


@pytest.mark.parametrize("width", ["60", "100"])
@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_fits_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch, name: str, width: str) -> None:
    monkeypatch.setenv("COLUMNS", width)
    outcome = run(*([name] if name else []), "-h")
    assert outcome.code == 0
    text = outcome.output.partition("\nExamples\n")[0]  # commands are printed as they are typed
    long = [line for line in text.splitlines() if len(line) > int(width)]
    assert [line for line in long if not re.match(r"usage: |  -\S+ \S+$|  \S+$", line)] == []
    assert not re.search(r"<[a-z]+[>\[]", text)  # no types of the program


OF_TEXT = {
    "--break", "--comment", "--delimiter", "--launcher", "--prefix", "--root", "--subtitle", "--suffix",
    "--title", "--x-label", "--y-label",
}  # fmt: skip
"""Options whose value is any text."""


@pytest.mark.parametrize("name", [*COMMANDS, "bench run", "bench report", "bench script"])
def test_values_of_options_are_called_what_they_are(run: Run, name: str) -> None:
    shown = re.findall(
        r"^  (?:-\w, )?((?:--[\w-]+(?:, )?)+) (\S+)", run(*name.split(), "-h").output, re.MULTILINE
    )
    texts = {option for option, value in shown if value == "TEXT"}
    assert texts - OF_TEXT == set()
    assert not [value for _, value in shown if value in ("INTEGER", "FLOAT", "PATH", "BOOLEAN", "CHOICE")]


def test_help_is_a_command_too(run: Run) -> None:
    assert run("help", "plot").output == run("plot", "--help").output
    assert run("help").output == run("--help").output


def test_every_command_is_in_one_group_of_the_help(run: Run) -> None:
    assert len(set(COMMANDS)) == len(COMMANDS)
    lines = run("--help").output.splitlines()
    assert [name for name in COMMANDS if not any(re.match(rf"  {name} +\w", line) for line in lines)] == []
    assert "\nCommands\n" not in "\n".join(lines)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["inf", "x"], "there is no command 'inf'; did you mean 'info'?"),
        (["merge", "a", "b"], "there is no command 'merge'; see: quire concat"),
        (["interpolate", "a"], "there is no command 'interpolate'; see: quire interp"),
        (["xyzzy"], "there is no command 'xyzzy'; see quire --help"),
        (["info"], "missing argument 'FILE...' of quire info FILE...; see quire info --help"),
        (["show", "x.h5", "--colums", "x"], "no such option: --colums (possible options: --columns"),
        (["thin", "a", "b", "--every", "two"], "invalid value for '--every': it must be an integer"),
        (["thin", "a", "b", "--fraction", "half"], "it must be a number"),
    ],
)
def test_a_usage_error_is_one_line_that_says_what_to_do(run: Run, words: list[str], message: str) -> None:
    outcome = run(*words)
    assert outcome.code == 2
    assert outcome.output == ""
    assert outcome.errors.startswith("quire: ")
    assert outcome.errors.count("\n") == 1
    assert message in outcome.errors


def test_words_of_other_programs_are_no_commands() -> None:
    assert set(NOT_HERE) & set(COMMANDS) == set()


def test_names_of_the_file_on_the_line_are_completed(beam: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(complete(monkeypatch, "show", str(beam), "--columns", "")) >= {"x", "px", "id"}
    assert complete(monkeypatch, "show", str(beam), "--columns", "x,p") == ["x,px"]
    assert complete(monkeypatch, "show", str(beam), "--steps", "1,") == ["1,1", "1,4", "1,9"]
    assert complete(monkeypatch, "get", str(beam), "tu") == ["turn"]
    assert complete(monkeypatch, "plot", str(beam), "-y", "p") == ["px"]
    assert complete(monkeypatch, "conv") == ["convert", "convert-script"]


def test_values_of_options_are_completed(beam: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"astra", "beamphysics"} <= set(complete(monkeypatch, "convert", str(beam), "out", "--for", ""))
    assert "emittance_x" in complete(monkeypatch, "plot", str(beam), "--beam", "emit")
    assert complete(monkeypatch, "plot", str(beam), "--beam", "charge,emittance_nz") == [
        "charge,emittance_nz"
    ]
    assert "proton" in complete(monkeypatch, "stats", str(beam), "--beam", "--species", "p")
    assert "impactx" in complete(monkeypatch, "stats", str(beam), "--beam", "--convention", "imp")


def test_options_of_formats_are_completed(beam: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for info in format_infos():
        words = ("convert", str(beam), "out", "--format", info.name, "--option", "")
        found = complete(monkeypatch, *words)
        assert {option.name for option in info.write_options} <= {word.partition("=")[0] for word in found}
        assert "compression" in {word.partition("=")[0] for word in found}
    with quire.open(beam) as file:
        reading = {option.name for option in format_info(file.format).read_options}
    found = complete(monkeypatch, "show", str(beam), "--read-option", "")
    assert reading <= {word.partition("=")[0] for word in found}


def test_a_file_that_cannot_be_read_completes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "letter").write_text("Dear reader,\n")
    for path in (tmp_path / "letter", tmp_path / "nothing"):
        assert complete(monkeypatch, "show", str(path), "--columns", "") == []


NEEDING_MORE = (
    "attach",
    "plan",
    "advise",
    "doctor",
    "bench",
    "import",
    "pack",
    "unpack",
    "repack",
    "recover",
    "convert-script",
    "view",
)
"""Commands whose examples need other files, ranks, measure the machine, or run until they are interrupted."""


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in NEEDING_MORE])
def test_examples_of_the_help_run_as_typed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    examples = [line.strip() for line in run(name, "-h").output.partition("\nExamples\n")[2].splitlines()]
    assert examples
    monkeypatch.chdir(tmp_path)
    if name != "example":
        assert [run("example", one).code for one in EXAMPLES] == [0] * len(EXAMPLES)
    for line in examples:
        if line.startswith("quire "):
            outcome = run(*shlex.split(line)[1:])
            assert outcome.code == 0, f"{line}\n{outcome.errors}"


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in VERBS])
def test_the_new_file_is_named_after_all_inputs(run: Run, name: str) -> None:
    words = run(name, "-h").output.partition("\n")[0].split()[2:-1]
    after = [word for word in words if "OUT" in word]
    if after:
        assert not {"IN", "IN...", "FILE", "FILE...", "TEXT"} & set(words[words.index(after[0]) :])


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_examples_are_whole_and_the_same_every_time(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("example", name).code == 0
    path = EXAMPLES[name].name
    assert run("check", path).code == 0
    assert run("example", name).code == 1  # nothing is overwritten unless asked
    assert run("example", name, f"again-{path}").code == 0
    assert run("diff", path, f"again-{path}").code == 0
    assert run("example", name, "--overwrite").code == 0


def test_the_lattice_of_the_examples_is_periodic_and_matched(tmp_path: Path) -> None:
    for name in EXAMPLES:
        EXAMPLES[name].write(tmp_path / EXAMPLES[name].name)
    with quire.open(tmp_path / EXAMPLES["twiss"].name) as file:
        twiss = file[0].table.read(["betax", "betay", "s"])
    assert twiss["betax"][0] == pytest.approx(twiss["betax"][-1])
    with quire.open(tmp_path / EXAMPLES["beam"].name) as file:
        for step in file:
            size = step["x"][:].std() / twiss["betax"][0] ** 0.5
            assert size == pytest.approx(1e-4, rel=0.05)


def test_an_unknown_example_names_the_known_ones(run: Run) -> None:
    outcome = run("example", "bean")
    assert outcome.code == 2
    assert "beam, twiss" in outcome.errors


def test_several_steps_are_printed_one_after_another(run: Run, beam: Path) -> None:
    assert run("get", beam, "turn", "--steps", "1-4").output == "1\n4\n"
    assert run("get", beam, "turn", "--steps", "2-3").code == 1
    titles = [line for line in run("show", beam, "--steps", "4-").output.splitlines() if line[:4] == "step"]
    assert [line.split(":")[0] for line in titles] == ["step 4", "step 9"]
    assert run("get", beam, "turn", "--steps", "1", "--index", "0").code == 2


def test_a_missing_file_hints_at_a_near_name(run: Run, beam: Path) -> None:
    near = run("info", beam.with_name(beam.name.replace("beam", "baem")))
    assert near.code == 4
    assert f"did you mean {beam}?" in near.errors
    assert "did you mean" not in run("info", beam.with_name("nothing-like-it")).errors


def test_a_missing_file_does_not_hint_at_its_index(run: Run, beam: Path) -> None:
    run("index", beam)
    beam.unlink()
    assert "did you mean" not in run("info", beam).errors


def test_info_shows_limits_and_layout_on_request(run: Run, beam: Path) -> None:
    short = run("info", beam).output
    assert "layout" not in short
    assert "layout" in run("info", beam, "--layout").output
    with quire.open(beam) as file:
        low, high = (pick(pick(step["x"][:]) for step in file) for pick in (min, max))
    assert f"{low:.6g} to {high:.6g}" in run("info", beam, "--stats").output
    assert "3 (1, 4, 9)" in short
    assert "1 (4)" in run("info", beam, "--steps", "4").output


def test_a_file_that_cannot_be_opened_hides_no_other(run: Run, beam: Path, tmp_path: Path) -> None:
    outcome = run("info", tmp_path / "nothing", beam)
    assert outcome.code == 4
    assert "3 (1, 4, 9)" in outcome.output
    assert outcome.errors.count("\n") == 1


def on_terminal(*words: object, width: int, **environment: str) -> tuple[int, str]:
    """Run the command line with a terminal of this width as standard output; returns code and output."""
    reading, writing = os.openpty()
    command = [sys.executable, "-m", "quire", *map(str, words)]
    settings = {"COLUMNS": str(width), "PATH": os.environ["PATH"]}
    settings["PYTHONPATH"] = str(Path(quire.__file__).parent.parent)
    with subprocess.Popen(command, stdout=writing, env={**settings, **environment}) as process:
        os.close(writing)
        parts = []
        with contextlib.suppress(OSError):  # the end of a terminal
            while part := os.read(reading, 1 << 16):
                parts.append(part)
        code = process.wait(60)
    os.close(reading)
    return code, b"".join(parts).decode().replace("\r\n", "\n")


def test_wide_tables_are_cut_to_the_terminal(beam: Path) -> None:
    words = ("show", beam, "--rows", "0:2", "--steps", "4")
    code, narrow = on_terminal(*words, width=30, PAGER="cat")
    assert code == 0
    assert "more column" in narrow
    assert all(len(line) <= 30 for line in narrow.splitlines() if "row" not in line and "more" not in line)
    code, wide = on_terminal(*words, width=200, PAGER="cat")
    assert "more column" not in wide
    assert wide.splitlines()[1].split()[1:2] == ["x"] or "x [m]" in wide


def test_long_output_goes_through_the_pager(beam: Path, tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho paged\nexec cat\n")
    pager.chmod(0o755)
    code, output = on_terminal("show", beam, width=80, QUIRE_PAGER=str(pager))
    assert code == 0
    assert output.splitlines()[0] == "paged"
    assert "step 4" in output
    pager.write_text("#!/bin/sh\nread line\n")
    code, _ = on_terminal("show", beam, "--csv", width=80, QUIRE_PAGER=str(pager))
    assert code == 0  # the reader has seen enough


def test_limits_are_those_of_each_table_and_of_steps_with_rows(run: Run, tmp_path: Path) -> None:
    path = tmp_path / f"tables{EXAMPLES['beam'].name[4:]}"
    with quire.create(path) as out:
        for number, rows in ((0, 0), (1, 3)):
            with out.step(number) as step:
                step.put("x", np.arange(float(rows)))
    outcome = run("info", path, "--stats")
    assert outcome.code == 0
    assert "0 to 2" in outcome.output
    assert "nan" not in outcome.output


def test_what_is_not_printed_is_kept_by_options_of_the_same_command(run: Run, tmp_path: Path) -> None:
    EXAMPLES["beam"].write(tmp_path / "beam.h5")
    printed = run("run", "--steps", "0", tmp_path / "beam.h5", "/", "sort", "z").output
    assert "and 1980 more rows (/ write OUT keeps all)" in printed
    assert "and 1980 more rows (--rows : shows all)" in run("show", tmp_path / "beam.h5").output
