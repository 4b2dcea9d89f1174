"""quire stats, and quire plot --beam."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.python.beam.beams import UNITS, gaussian, write

import quire

if TYPE_CHECKING:
    from tests.python.cli.conftest import Make, Run, Start, Values


@pytest.fixture
def particles(tmp_path: Path) -> Path:
    """Three steps of particles."""
    return write(tmp_path / "particles.h5", *(gaussian(400, seed) for seed in range(3)))


def test_columns_have_count_limits_mean_and_rms(run: Run, make: Make, format: str, values: Values) -> None:
    path = make(format)
    found = json.loads(run("stats", path, "--json").output)
    assert [step["step"] for step in found["steps"]] == [1, 4, 9]
    for step in found["steps"]:
        for name, column in values(step["step"]).items():
            numbers = step["columns"][name]
            assert numbers["count"] == len(column) == step["rows"]
            assert (numbers["minimum"], numbers["maximum"]) == (column.min(), column.max())
            assert numbers["mean"] == pytest.approx(column.mean(), rel=1e-12)
            assert numbers["sigma"] == pytest.approx(column.std(), rel=1e-12)
            assert numbers["rms"] == pytest.approx(
                math.sqrt(np.mean(np.square(column, dtype=float))), rel=1e-12
            )


def test_text_shows_a_line_for_each_column(run: Run, make: Make, format: str) -> None:
    outcome = run("stats", make(format), "--steps", "4", "--columns", "p*,x")
    lines = outcome.output.splitlines()
    assert lines[0] == "step 4: 100 rows"
    assert " ".join(lines[1].split()) == "column unit count minimum maximum mean rms deviation rms"
    assert [line.split()[:3] for line in lines[2:]] == [["px", "m$be$nc", "100"], ["x", "m", "100"]]


def test_rows_and_weights_are_chosen(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "some.h5"
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", np.array([1.0, 2.0, np.nan, 4.0, 100.0])).put("w", np.array([1.0, 3.0, 1.0, 0.0, 1.0]))
    outcome = run("stats", path, "--where", "not x > 50", "--columns", "x", "--weight", "w", "--json")
    column = json.loads(outcome.output)["steps"][0]["columns"]["x"]
    assert (column["count"], column["others"], column["weight"], column["mean"]) == (3, 1, 4.0, 1.75)
    assert "x: 1 value not finite, left out" in run("stats", path).output


def test_quantities_of_a_table_without_convention_are_no_misspelt_columns(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "some.h5"
    with quire.create(path) as out, out.step(0) as step:
        step.put("particleID", [1, 2]).put("betax", [1.0, 2.0])
    quantity, column = (run("stats", path, name) for name in ("particles", "mean_betax"))
    assert (quantity.code, column.code) == (1, 1)
    assert "no phase-space convention" in quantity.errors
    assert "there is no column 'mean_betax' (nearest: betax)" in column.errors


def test_the_heading_counts_the_rows_with_a_condition(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "some.h5"
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", np.array([1.0, 2.0, np.nan, 4.0, 100.0])).put("n", np.arange(5))
    for condition, count in (("n >= 1", 4), ("n > 9", 0), ("isnan(x)", 1)):
        heading = run("stats", path, "--where", condition).output.splitlines()[0]
        assert heading == f"step 0: 5 rows, {count} of them with {condition}"
    assert run("stats", path).output.splitlines()[0] == "step 0: 5 rows"


def test_columns_of_text_and_missing_ones_are_errors(run: Run, tmp_path: Path, format: str) -> None:
    path = tmp_path / "text"
    try:
        with quire.create(path, format=format) as out, out.step(0) as step:
            step.put("name", ["a", "b"]).put("x", np.arange(2.0))
    except quire.UnsupportedError:
        pytest.skip("the format has no columns of text")
    assert "name" not in run("stats", path).output
    assert run("stats", path, "--columns", "name").code == 1
    outcome = run("stats", path, "--columns", "y")
    assert outcome.code == 1
    assert "y" in outcome.errors


def test_a_table_of_texts_has_no_lines(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "texts.h5"
    with quire.create(path) as out, out.step(3) as step:
        step.put("name", np.array(["QF", "QD"], object))
    outcome = run("stats", str(path))
    assert outcome.code == 0
    assert outcome.output.splitlines()[0] == "step 3: 2 rows"


def test_one_beam_is_a_line_for_each_quantity(run: Run, particles: Path) -> None:
    outcome = run("stats", particles, "--beam", "--steps", "1")
    lines = outcome.output.splitlines()
    assert lines[0] == "step 1: electron, convention opal, no weights: each row is one particle"
    with quire.open(particles) as file:
        beam = file[1].beam()
    assert [line.split()[0] for line in lines[1:]] == [*beam, "transmission"]
    (line,) = (line for line in lines if line.split()[0] == "emittance_nx")
    assert float(line.split()[1]) == pytest.approx(beam.emittance_nx, rel=1e-6)
    assert "m rad" in line


def test_the_beginning_of_names_means_all_of_them(run: Run, particles: Path) -> None:
    words = ["stats", particles, "--beam", "--steps", "0", "--columns"]
    some = run(*words, "emittance,charge")
    assert some.output == run(*words, "emittance_*,charge").output
    assert "emittance_nx" in some.output
    assert run(*words, "emit").code == 1


def test_several_beams_are_a_line_for_each_step(run: Run, particles: Path) -> None:
    lines = run("stats", particles, "--beam", "--columns", "sigma_x,mean_?").output.splitlines()
    assert lines[0].split() == ["step", "sigma_x", "[m]", "mean_x", "[m]", "mean_y", "[m]", "mean_z", "[m]",
                                "mean_p", "[m$be$nc]"]  # fmt: skip
    assert [int(line.split()[0]) for line in lines[1:]] == [0, 1, 2]
    default = run("stats", particles, "--beam").output.splitlines()
    assert "emittance_nx [m rad]" in default[0]
    assert len(default) == 4


def test_json_has_null_and_the_reason_for_what_does_not_exist(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "one.h5", gaussian(1))
    (step,) = json.loads(run("stats", path, "--beam", "--json").output)["steps"]
    assert step["quantities"]["sigma_x"]["value"] is None
    assert "fewer than 2" in step["quantities"]["sigma_x"]["reason"]
    assert step["quantities"]["mean_x"]["value"] == gaussian(1)["x"][0]
    assert (step["convention"], step["species"], step["has_weights"]) == ("opal", "electron", False)


def test_a_table_of_all_steps_is_written_in_any_format(
    run: Run, particles: Path, tmp_path: Path, format: str, make: Make
) -> None:
    target = make(format, "target")
    target.unlink()
    outcome = run("stats", particles, "--beam", "-o", target)
    assert outcome.code == 0, outcome.errors
    with quire.open(target) as file, quire.open(particles) as source:
        table = file[0].table
        assert table["step"][:].tolist() == [0, 1, 2]
        assert table["s"][:].tolist() == [0.0, 0.5, 1.0]
        assert table["s"].unit == "m"
        assert table["emittance_x"].unit == "m rad"
        assert table["emittance_x"][2] == source[2].beam().emittance_x
    assert run("stats", particles, "--beam", "-o", target).code == 1
    assert run("stats", particles, "--beam", "-o", tmp_path / "plain.unknown").code == 2
    assert run("stats", particles, "--beam", "-o", tmp_path / "plain", "-f", format).code == 0
    assert run("stats", particles, "--beam", "-o", target, "--overwrite").code == 0
    assert run("stats", particles, "--beam", "-o", particles, "--overwrite").code == 1


@pytest.mark.mpi
def test_ranks_print_the_same(start: Start, particles: Path) -> None:
    alone = start("stats", particles, "--beam", "--json")
    assert alone.returncode == 0, alone.stderr
    assert start("stats", particles, "--beam", "--json", ranks=3).stdout == alone.stdout


def test_transmission_is_relative_to_the_first_step(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "lossy.h5", gaussian(400), gaussian(300), gaussian(100))
    outcome = run("stats", path, "--beam", "--columns", "transmission")
    assert [line.split()[1] for line in outcome.output.splitlines()[1:]] == ["1", "0.75", "0.25"]
    assert "median_energy" in run("stats", path, "--beam", "--steps", "0", "--robust").output


def test_options_of_particles_need_beam(run: Run, particles: Path) -> None:
    assert run("stats", particles, "--species", "proton").code == 2
    assert run("stats", particles, "--beam", "--weight", "x").code == 2
    assert run("stats", particles, "--beam", "--slices", "0").code == 2
    assert run("stats", particles, "--beam", "--columns", "emitance_x").code == 1


def test_an_uncertain_convention_is_an_error_with_the_option(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "bare.h5", gaussian(5), units={})
    outcome = run("stats", path, "--beam")
    assert outcome.code == 1
    assert "columns px, py, pz have no unit; candidates are opal, " in outcome.errors
    assert "choose one by --convention NAME" in outcome.errors
    assert run("stats", path, "--beam", "--convention", "opal").code == 0


def test_quantities_are_plotted_against_attributes(run: Run, particles: Path, tmp_path: Path) -> None:
    picture = tmp_path / "emittance.svg"
    outcome = run("plot", particles, "--beam", "emittance_n?", "-x", "s", "-o", picture)
    assert outcome.code == 0, outcome.errors
    assert outcome.output == f"{picture}: 3 curves\n"
    assert picture.stat().st_size > 1000
    assert (
        run("plot", particles, "--beam", "sigma_x", "-x", "emittance_x", "-o", picture, "--overwrite").code
        == 0
    )
    assert run("plot", particles, "--beam", "sigma_q", "-o", picture, "--overwrite").code == 1
    assert run("plot", particles, "--beam", "sigma_x", "-y", "x", "-x", "y", "-o", picture).code == 2


def test_units_of_the_file_are_used(run: Run, tmp_path: Path) -> None:
    columns = gaussian(100)
    scaled = columns | {"x": columns["x"] * 1e3}
    found = [
        json.loads(run("stats", path, "--beam", "--json").output)["steps"][0]["quantities"]["sigma_x"][
            "value"
        ]
        for path in (
            write(tmp_path / "m.h5", columns),
            write(tmp_path / "mm.h5", scaled, units=UNITS | {"x": "mm"}),
        )
    ]
    assert found[1] == pytest.approx(found[0], rel=1e-12)


def test_reductions_are_a_row_for_each_step(run: Run, particles: Path, tmp_path: Path) -> None:
    what = ["sx=std(x)", "percentile(x, 90)", "emittance_nx"]
    target = tmp_path / f"numbers{particles.suffix}"
    assert run("stats", particles, *what, "--where", "x > 0", "-o", target).code == 0
    shown = run("stats", particles, *what, "--where", "x > 0").output
    assert "sx [m]" in shown
    with quire.open(particles) as file, quire.open(target) as numbers:
        found = numbers[0].table.read()
        expected = [(x := step["x"][:])[x > 0].std(ddof=1) for step in file]
    np.testing.assert_allclose(found["sx"], expected, rtol=1e-12)
    assert len(found["emittance_nx"]) == len(expected)
    few = ["n=count(x)", "--rows", "5:25", "--index", "0", "-o", target, "--overwrite"]
    assert run("stats", particles, *few).code == 0
    assert run("get", target, "n").output == "20\n"


@pytest.mark.parametrize("option", ["--beam", "--columns=x"])
def test_options_of_columns_are_refused_for_reductions(run: Run, particles: Path, option: str) -> None:
    outcome = run("stats", particles, "std(x)", option)
    assert (outcome.code, outcome.output) == (2, "")
    assert f"{option.partition('=')[0]} is an option of statistics without WHAT" in outcome.errors


def test_reductions_are_printed_as_json_with_all_digits(run: Run, particles: Path, tmp_path: Path) -> None:
    table = json.loads(run("stats", particles, "m=mean(x)", "--json").output)["tables"][0]
    place, unit = table["columns"].index("m"), dict(zip(table["columns"], table["units"], strict=True))["m"]
    with quire.open(particles) as file:
        assert [row[place] for row in table["rows"]] == pytest.approx([x["x"][:].mean() for x in file], 1e-12)
        assert unit == file[0]["x"].unit
    target = tmp_path / "numbers.h5"
    report = json.loads(run("stats", particles, "mean(x)", "--json", "-o", target).output)
    assert (report["path"], report["rows"]) == (str(target), len(table["rows"]))


def test_one_name_is_one_number(run: Run, tmp_path: Path) -> None:
    """What has the same name is the same number; the three kinds of deviations have three names."""
    holes, whole = tmp_path / "holes.h5", tmp_path / "whole.h5"
    assert run("new", holes, "x=nan,2,1", "k=1,1,2").code == 0
    counts = [
        run("get", holes, "count(x)"),
        run("run", holes, "/", "stats", "n=count(x)", "/", "get", "n"),
        run("run", holes, "/", "stats", "n=count(x, head=9)", "/", "get", "n"),
        run("run", holes, "/", "stats", "--keep-rows", "n=count(x)", "/", "select", "k", "/", "get", "n"),
    ]
    assert [one.output for one in counts] == ["2\n"] * 4
    assert json.loads(run("stats", holes, "--json").output)["steps"][0]["columns"]["x"]["count"] == 2
    assert (
        run("run", holes, "/", "group", "k", "/", "stats", "n=count(x)", "/", "get", "n").output == "1\n1\n"
    )

    assert run("new", whole, "n=1,2,3,4").code == 0
    lines = [line.split("  ") for line in run("stats", whole).output.splitlines()]
    heads, row = ([cell.strip() for cell in line if cell.strip()] for line in lines[1:])
    assert dict(zip(heads[-2:], row[-2:], strict=True))["rms deviation"] == "1.118034"
    assert float(run("get", whole, "std(n)").output) == pytest.approx(1.2909944487358056)
    found = run("run", whole, "/", "stats", "std(n)", "sigma(n)", "/", "get", "n_std", "n_sigma").output
    assert [float(word) for word in found.split()] == pytest.approx([1.2909944487358056, 0.6454972243679028])


def test_windows_and_columns_of_rows_are_those_of_the_verb(run: Run, one_beam: Path) -> None:
    for words in (["--window", "30", "mean(x)", "t=last(id)"], ["--across-columns", "m=mean(x, px)"],
                  ["--window", "30", "--blocks", "std(x)"]):  # fmt: skip
        alone, chained = (one_beam.with_name(f"{name}{one_beam.suffix}") for name in ("alone", "chained"))
        first = run("stats", one_beam, *words, "-o", alone, "--overwrite", "--where", "id > 10")
        second = run(
            "run", "--where", "id > 10", one_beam, "/", "stats", *words, "/", "write", chained, "--overwrite"
        )
        assert (first.code, second.code) == (0, 0), first.errors + second.errors
        assert alone.read_bytes() == chained.read_bytes()
        has_warning = "m has no unit: its columns have 'm', 'm$be$nc'" in first.errors
        assert has_warning == ("--across-columns" in words)
    with quire.open(one_beam) as given, quire.open(alone) as found:
        for step, made in zip(given, found, strict=True):
            blocks = step["x"][10:].reshape(3, 30)
            np.testing.assert_allclose(made["x_std"][:], blocks.std(axis=1, ddof=1))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--window", "3"], "--window needs reductions such as std(x)"),
        (["--across-columns"], "--across-columns needs reductions"),
        (["--blocks", "std(x)"], "blocks are windows without overlap"),
        (["--window", "0", "std(x)"], "invalid value for '--window'"),
        (["--window", "3", "--species", "proton", "std(x)"], "species belongs to quantities"),
        (["--window", "3", "--across-columns", "std(x)"], "either across columns or in windows"),
    ],
)
def test_windows_and_columns_of_rows_are_checked(
    run: Run, one_beam: Path, words: list[str], message: str
) -> None:
    outcome = run("stats", one_beam, *words)
    assert outcome.code == 2
    assert message in outcome.errors


def test_rows_that_are_kept_have_attributes_only(run: Run, one_beam: Path) -> None:
    outcome = run("run", one_beam, "/", "stats", "--keep-rows", "--window", "3", "std(x)")
    assert outcome.code == 2
    assert "--keep-rows makes attributes" in outcome.errors


def test_results_with_a_row_for_each_step_are_not_titled_by_a_step(run: Run, beam: Path) -> None:
    assert run("stats", beam, "mean(x)").output.splitlines()[0] == "3 rows"
    assert run("stats", beam, "mean(x)", "--steps", "4").output.splitlines()[0] == "1 row"
    grouped = run("run", beam, "/", "group", "b=bin(x,2)", "/", "stats", "mean(x)").output.splitlines()
    assert [line for line in grouped if line.startswith("step")] == [f"step {n}: 2 rows" for n in (1, 4, 9)]
