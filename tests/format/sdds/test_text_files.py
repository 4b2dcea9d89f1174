"""Files of text through the commands, from standard input, and on several ranks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.mpi import run_ranks
from typer.testing import CliRunner

import quire
from quire.cli.main import app

DATA = Path(__file__).resolve().parents[2] / "data" / "sdds"
# All layouts of rows: one line each, several, none, fields of fixed width, comments, no row counts.
SPELLINGS = [
    "beam_ascii.sdds",
    "lpr2_ascii.sdds",
    "lpr4_nrc_ascii.sdds",
    "asc_stream.sdds",
    "asc_field_length.sdds",
    "asc_comments.sdds",
    "asc_crlf_nrc.sdds",
    "strings_ascii.sdds",
    "arrays_ascii.sdds",
]


def command(*words: str | Path, given: bytes = b"", code: int = 0) -> str:
    """Run a command in a process of its own and return its output."""
    run = subprocess.run(
        [sys.executable, "-m", "quire", *map(str, words)],
        input=given,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == code, run.stderr.decode()
    return run.stdout.decode()


def test_commands_print_the_contents_of_a_file() -> None:
    file = DATA / "asc_comments.sdds"
    info = json.loads(command("info", "--json", file))["files"][0]
    assert info["layout"]["mode"] == "ascii"
    shown = command("show", file, "--index", "0")
    assert "a ! b" in shown
    assert "c!d" in shown
    assert command("get", file, "p", "--index", "1").strip() == "-1.5"


@pytest.mark.parametrize("name", ["asc_stream.sdds", "nrc_ascii.sdds"])
def test_standard_input_is_read_like_a_file(name: str) -> None:
    data = (DATA / name).read_bytes()
    assert command("show", "-", given=data) == command("show", DATA / name)


@pytest.mark.parametrize(
    "text", ["pages_ascii.sdds", "lpr2_ascii.sdds", "nrc_ascii.sdds", "lpr4_nrc_ascii.sdds"]
)
def test_text_and_binary_data_are_equivalent(text: str, tmp_path: Path) -> None:
    # The reference writes 16 digits, of which doubles may need 17.
    command("diff", "--rtol", "1e-15", DATA / text, DATA / "pages_bin_le.sdds")
    copy = tmp_path / "copy.sdds"
    command("convert", DATA / text, copy, "--option", "mode=binary")
    command("diff", copy, DATA / text)
    assert command("sum", copy).split()[0] == command("sum", DATA / text).split()[0]


def test_check_reads_every_value() -> None:
    command("check", DATA / "beam_ascii.sdds")
    for name in ("bad_ascii_value.sdds", "bad_ascii_few_tokens.sdds", "bad_ascii_lpr.sdds"):
        command("check", DATA / name, code=1)


def test_recover_keeps_whole_rows(tmp_path: Path) -> None:
    cut = tmp_path / "cut.sdds"
    data = (DATA / "beam_ascii.sdds").read_bytes()
    cut.write_bytes(data[:-500])
    saved = tmp_path / "saved.sdds"
    command("recover", "--rows", cut, "--output", saved)
    with quire.open(DATA / "beam_ascii.sdds") as whole, quire.open(saved) as file:
        assert file.check().damage is None
        assert len(file) == len(whole)
        rows = len(file[-1].table)
        assert 0 < rows < len(whole[-1].table)
        for name in whole[-1].table.columns:
            np.testing.assert_array_equal(file[-1][name][:], whole[-1][name][:rows])


def digest(values: Any) -> list[str]:
    """Values as texts that differ if any bit differs."""
    array = np.asarray(values)
    return (
        [str(value) for value in array]
        if array.dtype == object
        else [value.tobytes().hex() for value in array]
    )


def read_parts(comm: Any, names: list[str]) -> dict[str, dict[str, list[str]]]:
    """This rank's rows of every column of every step."""
    found: dict[str, dict[str, list[str]]] = {}
    for name in names:
        with quire.open(DATA / name, comm, deadline=30) as file:
            columns = found.setdefault(name, {})
            for index in range(len(file)):
                step = file[index]
                for field in step.fields.values():
                    columns[f"{index} {field.name}"] = digest(np.ravel(field[...])) if comm.rank == 0 else []
                for table in step.tables.values():
                    first, last = (
                        len(table) * comm.rank // comm.size,
                        len(table) * (comm.rank + 1) // comm.size,
                    )
                    for column in table.columns:
                        columns[f"{index} {column}"] = digest(table[column][first:last])
    return found


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_several_ranks_read_the_same_values_as_one(ranks: int) -> None:
    whole = {name: read_alone(name) for name in SPELLINGS}
    parts = run_ranks(read_parts, ranks, SPELLINGS)
    for name in SPELLINGS:
        for column, values in whole[name].items():
            assert [value for part in parts for value in part[name][column]] == values, f"{name}: {column}"


def read_alone(name: str) -> dict[str, list[str]]:
    """All rows of every column of every step, without MPI."""
    columns: dict[str, list[str]] = {}
    with quire.open(DATA / name) as file:
        for index, step in enumerate(file):
            for field in step.fields.values():
                columns[f"{index} {field.name}"] = digest(np.ravel(field[...]))
            for table in step.tables.values():
                for column in table.columns:
                    columns[f"{index} {column}"] = digest(table[column][:])
    return columns


@pytest.mark.parametrize(
    "numbers",
    [[1, 1, 2, 3], [1, 2, 1, 2], [5, 5], [3, 2, 1]],
    ids=["repeated", "again", "constant", "falling"],
)
@pytest.mark.parametrize("mode", ["ascii", "binary"])
def test_a_step_parameter_that_does_not_grow_is_an_attribute(
    tmp_path: Path, numbers: list[int], mode: str
) -> None:
    file = tmp_path / "pages.sdds"
    head = "SDDS1\n&parameter name=Step, type=long, &end\n&column name=x, type=double, &end\n"
    head += "&data mode=ascii, &end\n"
    file.write_text(head + "".join(f"{number}\n1\n{10 * number}.5\n" for number in numbers))
    command("convert", file, tmp_path / "copy.sdds", "--option", f"mode={mode}")
    for path in (file, tmp_path / "copy.sdds"):
        with quire.open(path) as pages:
            # The first step is read before the others are known.
            assert pages[0].number == 0
            assert [step.number for step in pages] == pages.numbers == list(range(len(numbers)))
            assert [step.attrs["Step"] for step in pages] == numbers
            assert [float(step["x"][0]) for step in pages] == [10 * number + 0.5 for number in numbers]


def test_an_empty_step_that_is_invisible_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pages.sdds"
    with quire.create(path, mode="ascii", no_row_counts=True, step_parameter=False) as out:
        for number, rows in enumerate([0, 2]):
            with out.step(number) as step:
                step.put("x", np.ones(rows))
        with pytest.raises(quire.UnsupportedError, match="is invisible in a file"), out.step(2) as step:
            step.put("x", np.ones(0))
        with out.step(2) as step:
            step.put("x", np.ones(1))
    with quire.open(path) as pages:
        assert [len(step.table) for step in pages] == [0, 2, 1]


def test_canonical_text_reports_numbers_that_may_change(tmp_path: Path) -> None:
    source, target = tmp_path / "beam.sdds", tmp_path / "text.sdds"
    with quire.create(source) as out, out.step(0) as step:
        step.put("x", np.array([0.1 + 0.2, np.finfo("f8").max]))
        step.put("n", np.arange(2))
    words = ["convert", str(source), str(target), "--dry-run", "--option", "mode=ascii"]
    plain = CliRunner().invoke(app, [*words, "--option", "compression=gzip"])
    assert (plain.exit_code, plain.stderr) == (0, "")
    canonical = CliRunner().invoke(app, [*words, "--option", "canonical=true"])
    assert canonical.exit_code == 1
    assert canonical.stderr.startswith("lost: column x: canonical text keeps 16 digits of float64")


def lose_payload_of_last_row(comm: Any, source: str, target: str) -> list[str]:
    """Write a file as text on all ranks. Return the losses that this rank reports."""
    return quire.copy(source, target, comm=comm, options={"mode": "ascii"}).losses


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 3])
def test_a_payload_that_one_rank_loses_is_reported_by_all(tmp_path: Path, ranks: int) -> None:
    source, target = tmp_path / "beam.sdds", tmp_path / "text.sdds"
    strange = np.array([0x7FF8000000000BAD], dtype="u8").view("f8")
    with quire.create(source) as out, out.step(0) as step:
        step.put("x", np.concatenate([np.arange(8.0), strange]))
        step.put("y", np.full(9, np.nan))
    losses = run_ranks(lose_payload_of_last_row, ranks, str(source), str(target))
    assert losses == [["column x: NaN lose their payload"]] * ranks


def test_content_that_a_version_cannot_store_gives_exit_code_1(tmp_path: Path) -> None:
    source, target = tmp_path / "beam.sdds", tmp_path / "old.sdds"
    with quire.create(source) as out, out.step(0) as step:
        step.put("n", np.arange(2))
    outcome = CliRunner().invoke(app, ["convert", str(source), str(target), "--option", "version=1"])
    assert outcome.exit_code == 1
    assert "version" in outcome.stderr
