"""Chunks that cannot be decoded: a plain check reports that values are not decoded, --values finds them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.errors import MemoryBudgetError
from quire.toolkit import values
from quire.toolkit.recover import recover
from quire.toolkit.values import check

LINE = "compressed values were not decoded: use --values"


def run(*arguments: Any) -> tuple[int, str, str]:
    """Exit code, output and errors of the command line."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(params=["gzip", "fletcher32"])
def damaged(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Four steps; step 2 has a damaged chunk in the column y."""
    path = tmp_path / "beam.h5"
    filters: dict[str, Any] = {"compression": "gzip"} if request.param == "gzip" else {"fletcher32": True}
    with h5py.File(path, "w") as file:
        for number in range(4):
            group = file.create_group(f"Step#{number}")
            for name in "xyz":
                values = np.random.default_rng(number).normal(size=500)
                group.create_dataset(name, data=values, chunks=(100,), **filters)
    with h5py.File(path) as file:
        place = file["Step#2/y"].id.get_chunk_info(3)
    content = bytearray(path.read_bytes())
    for offset in range(10, 30):
        content[place.byte_offset + offset] ^= 0x55
    path.write_bytes(content)
    return path


def test_flipped_bits_of_zstandard_chunks_are_found_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "beam.h5"
    values = np.cumsum(np.random.default_rng(1).normal(size=400))
    with quire.create(path, chunk=100, filter="zstd") as out, out.step(0) as step:
        step.put("x", values)
    content = path.read_bytes()
    with h5py.File(path) as file:
        chunks = [file["Step#0/x"].id.get_chunk_info(i) for i in range(4)]
    bits = np.random.default_rng(2).integers(0, 8 * chunks[1].size, 60)
    for bit in bits:
        wrong = bytearray(content)
        wrong[chunks[1].byte_offset + bit // 8] ^= 1 << bit % 8
        path.write_bytes(wrong)
        with quire.open(path) as file:
            error = refusal_of(file)
            if error is None:  # An unused bit of the frame.
                np.testing.assert_array_equal(file[0]["x"][:], values)
            else:
                assert (error.object, error.offset) == ("x", chunks[1].byte_offset)


def refusal_of(file: quire.File) -> quire.BadFileError | None:
    """Return the error of reading the column x, or None."""
    try:
        file[0]["x"].read()
    except quire.BadFileError as error:
        return error
    return None


def test_a_plain_check_reports_values_that_were_not_decoded(damaged: Path) -> None:
    code, output, _ = run("check", damaged)
    assert code == 0
    assert LINE in output
    (answer,) = json.loads(run("check", "--json", damaged)[1])["files"]
    assert answer["undecoded"]
    with quire.open(damaged) as file:
        assert file.check().is_undecoded


def test_values_are_decoded_on_request(damaged: Path) -> None:
    code, output, _ = run("check", "--values", damaged)
    assert code == 1
    assert "3 whole steps (0, 1, 3) remain" in output
    assert "step 2: " in output
    assert LINE not in output
    with quire.open(damaged) as file:
        report = check(file)
    assert (report.numbers, list(report.damaged)) == ([0, 1, 3], [2])
    assert report.damaged[2].object == "y"


def test_recovery_drops_steps_that_cannot_be_decoded(damaged: Path) -> None:
    code, output, _ = run("recover", damaged, "-o", damaged.with_name("all.h5"))
    assert code == 0
    assert "kept 4 whole steps" in output
    assert LINE in output
    target = damaged.with_name("whole.h5")
    code, output, _ = run("recover", "--values", damaged, "-o", target)
    assert code == 0
    assert "kept 3 whole steps (0, 1, 3)" in output
    assert "dropped: step 2: " in output
    assert run("check", "--values", target)[0] == 0
    assert run("recover", "--values", damaged, "--in-place")[0] == 0
    assert damaged.read_bytes() == target.read_bytes()
    with h5py.File(damaged) as file:
        assert sorted(file) == ["Step#0", "Step#1", "Step#3"]


def test_undecoded_values_are_reported_next_to_damage(damaged: Path) -> None:
    with h5py.File(damaged, "a") as file:
        file["Step#9"] = h5py.SoftLink("/nowhere")
    code, output, _ = run("recover", damaged, "-o", damaged.with_name("copy.h5"))
    assert code == 0
    assert "dropped: step 9: " in output
    assert LINE in output
    assert json.loads(run("recover", "--json", damaged, "--in-place")[1])["undecoded"]


def test_a_step_beyond_the_memory_budget_hides_no_damage(damaged: Path) -> None:
    with h5py.File(damaged, "a") as file:
        file["Step#1"].attrs["large"] = np.arange(7500.0)
    with quire.open(damaged, memory_budget=40000) as opened:
        report = check(opened)
        assert [step.number for _, step in opened.readable()] == [0, 2, 3]
    assert (report.numbers, list(report.damaged)) == ([0, 3], [1, 2])
    assert report.damaged[1].kind == "memory"
    before = damaged.read_bytes()
    with pytest.raises(MemoryBudgetError, match="whether the step is"):
        recover(damaged, memory_budget=40000)
    assert damaged.read_bytes() == before
    target = damaged.with_name("kept.h5")
    assert recover(damaged, target, values=True, memory_budget=40000).kept == [0, 3]
    with h5py.File(target) as file:
        assert sorted(file) == ["Step#0", "Step#3"]


def test_an_error_of_the_system_is_not_a_complete_file(
    damaged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*arguments: object, **others: object) -> None:
        raise quire.InputOutputError("the device is gone")

    monkeypatch.setattr(values, "step_checksum", failing)
    with quire.open(damaged) as file, pytest.raises(quire.InputOutputError, match="the device is gone"):
        check(file)


def test_files_without_filters_are_reported_as_complete(tmp_path: Path) -> None:
    path = tmp_path / "beam.h5"
    with quire.create(path) as out, out.step(0) as step:
        step.put("x", np.arange(5.0))
    assert run("check", path)[1] == f"{path}: whole, 1 whole step (0)\n"
    assert run("check", "--values", path)[1] == f"{path}: whole, 1 whole step (0)\n"
