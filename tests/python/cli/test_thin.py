"""quire thin: samples of rows that do not depend on the format and the ranks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.python.support.files import path_for

import quire
from quire.io.formats import format_info
from quire.toolkit.thin import Sample, thin

if TYPE_CHECKING:
    from tests.python.cli.conftest import Make, Run, Start, Values


def test_every_row_of_a_number_is_kept(run: Run, beam: Path, tmp_path: Path, values: Values) -> None:
    target = tmp_path / f"thin{beam.suffix}"
    outcome = run("thin", beam, target, "--every", "7", "--offset", "3", "--weight", "px")
    assert outcome.output == f"{target}: 3 steps, 42 rows\n"
    with quire.open(target) as file:
        assert file.attrs["code"] == "tracker"
        for step in file:
            given = values(step.number)
            np.testing.assert_array_equal(step["id"][:], given["id"][3::7])
            np.testing.assert_array_equal(step["px"][:], given["px"][3::7] * 7)
            assert step["px"].unit == "m$be$nc"


def test_the_offsets_divide_the_rows(run: Run, one_beam: Path, tmp_path: Path) -> None:
    found: list[int] = []
    for offset in range(3):
        target = tmp_path / f"{offset}{one_beam.suffix}"
        assert run("thin", one_beam, target, "--every", "3", "--offset", offset, "--steps", "4").code == 0
        with quire.open(target) as file:
            found += file[0]["id"][:].tolist()
    assert sorted(found) == list(range(1, 101))


def test_a_sample_by_identity_has_the_same_particles_in_all_steps(
    run: Run, beam: Path, make: Make, other_format: str, tmp_path: Path
) -> None:
    target = tmp_path / f"thin{make(other_format, 'other').suffix}"
    assert run("thin", beam, target, "--fraction", "0.3", "--by", "id", "--seed", "5").code == 0
    with quire.open(target) as file:
        kept = [step["id"][:].tolist() for step in file]
    assert kept[0] == kept[1] == kept[2]
    # The sample is fixed: SplitMix64 decides, not the library of random numbers.
    hashes = quire.expression("hash(id, 5)")(id=np.arange(1, 101))
    assert kept[0] == (np.flatnonzero(hashes < int(0.3 * 2**63)) + 1).tolist()
    assert 15 < len(kept[0]) < 45


def test_samples_have_the_fraction_and_differ_by_seed() -> None:
    rows = np.arange(100_000)
    samples = [quire.expression(f"hash(row, {seed})")(row=rows) < 0.01 * 2**63 for seed in range(4)]
    for sample in samples:
        assert abs(int(sample.sum()) - 1000) < 5 * 1000**0.5
    both = int((samples[0] & samples[1]).sum())
    assert both < 40  # 10 are expected


def test_a_fraction_scales_weights(run: Run, one_beam: Path, tmp_path: Path, values: Values) -> None:
    target = tmp_path / f"thin{one_beam.suffix}"
    assert run("thin", one_beam, target, "--fraction", "0.25", "--weight", "x").code == 0
    with quire.open(target) as file:
        for step in file:
            rows = step["id"][:] - 1
            np.testing.assert_array_equal(step["x"][:], values(step.number)["x"][rows] / 0.25)


@pytest.mark.parametrize("options", [["--every", "3"], ["--fraction", "0.5"]])
def test_weights_keep_their_type(run: Run, tmp_path: Path, format: str, options: list[str]) -> None:
    if not format_info(format).tables:
        pytest.skip("this format has no tables")
    source, target = (path_for(tmp_path, format, name) for name in ("whole", "thin"))
    with quire.create(source, format=format) as out, out.step(0) as step:
        step.put("w", np.linspace(1, 2, 40, dtype=np.float32))
        step.put("v", np.linspace(1, 2, 40))
    assert run("thin", source, target, *options, "--weight", "w", "--format", format).code == 0
    with quire.open(source) as whole, quire.open(target) as file:
        assert {name: file[0][name].type for name in ("w", "v")} == {"w": "float32", "v": "float64"}
        kept = np.isin(whole[0]["v"][:], file[0]["v"][:])
        factor = 3.0 if "--every" in options else 2.0
        np.testing.assert_array_equal(file[0]["w"][:], whole[0]["w"][:][kept] * np.float32(factor))


def test_the_function_keeps_what_the_command_keeps(run: Run, one_beam: Path, tmp_path: Path) -> None:
    by_command, by_call = (tmp_path / f"{name}{one_beam.suffix}" for name in ("command", "call"))
    assert run("thin", one_beam, by_command, "--fraction", "0.4", "--by", "id", "--weight", "x").code == 0
    report = thin(one_beam, by_call, Sample(fraction=0.4, by="id"), weight="x")
    assert report.steps == 3
    assert by_command.read_bytes() == by_call.read_bytes()


@pytest.mark.mpi
def test_ranks_keep_the_same_rows(start: Start, one_beam: Path, tmp_path: Path) -> None:
    alone, together = (tmp_path / f"{name}{one_beam.suffix}" for name in ("alone", "together"))
    for target, ranks in ((alone, 0), (together, 3)):
        outcome = start("thin", one_beam, target, "--fraction", "0.5", ranks=ranks)
        assert outcome.returncode == 0, outcome.stderr
    assert alone.read_bytes() == together.read_bytes()


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ([], 2, "give either --every N or --fraction F"),
        (["--every", "2", "--fraction", "0.5"], 2, "give either --every N or --fraction F"),
        (["--every", "0"], 2, "write 1 or more"),
        (["--every", "3", "--offset", "3"], 2, "write 0 to 2"),
        (["--fraction", "1.5"], 2, "at most 1"),
        (["--fraction", "nan"], 2, "a finite number"),
        (["--every", "2", "--by", "id"], 2, "--by goes with --fraction"),
        (["--fraction", "0.5", "--by", "x"], 2, "hash takes integers only"),
        (["--fraction", "0.5", "--weight", "q"], 1, 'no column or attribute "q"'),
    ],
)
def test_impossible_samples_are_refused(
    run: Run, one_beam: Path, tmp_path: Path, options: list[str], code: int, message: str
) -> None:
    target = tmp_path / f"thin{one_beam.suffix}"
    outcome = run("thin", one_beam, target, *options)
    assert outcome.code == code, outcome.errors
    assert message in outcome.errors
    assert not target.exists()
