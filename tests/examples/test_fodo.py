"""The example programs together: the Python script confirms the output of the simulation, bit for bit."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from tests.python.support.files import step_formats
from tests.python.support.mpi import mpi_program, mpiexec

import quire

ROOT = Path(__file__).resolve().parents[2]


def load_script() -> ModuleType:
    """Return examples/fodo_moments.py as a module."""
    specification = importlib.util.spec_from_file_location("fodo_moments", ROOT / "examples/fodo_moments.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def fodo(*arguments: str, ranks: int) -> subprocess.CompletedProcess[str]:
    """Run the simulation on several ranks."""
    command = [mpiexec(), "-n", str(ranks), mpi_program("examples", "fodo", "fodo"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.mpi
@pytest.mark.parametrize("name", step_formats())
def test_moments_are_confirmed_to_the_last_bit(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "beam"
    arguments = [
        "--particles",
        "999",
        "--cells",
        "7",
        "--every",
        "3",
        "--format",
        name,
        "--output",
        str(path),
    ]
    done = fodo(*arguments, ranks=3)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 4
    assert load_script().main([str(path)]) == 0
    assert capsys.readouterr().out.count("equal to the last bit") == 4


@pytest.mark.parametrize("name", step_formats())
def test_a_wrong_attribute_is_found(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = load_script()
    random = np.random.default_rng(5)
    particles = {column: random.normal(size=50) for column in script.COORDINATES}
    attributes = script.moments(particles)
    attributes["Sy"] = np.nextafter(attributes["Sy"], 2.0)
    path = tmp_path / "wrong"
    with quire.create(path, format=name) as out, out.step(0) as step:
        step.set("s", 0.0, unit="m")
        for attribute, value in attributes.items():
            step.set(attribute, float(value))
        for column, values in particles.items():
            step.put(column, values)
    assert script.main([str(path)]) == 1
    assert "Sy is" in capsys.readouterr().out


@pytest.mark.mpi
def test_wrong_usage_ends_with_2_and_one_message(tmp_path: Path) -> None:
    done = fodo("--restart-from", str(tmp_path / "absent"), "--output", str(tmp_path / "out"), ranks=2)
    assert done.returncode != 0
    assert len(done.stderr.splitlines()) == 1
    assert "absent" in done.stderr
    done = fodo("--cells", "ten", "--output", str(tmp_path / "out"), ranks=2)
    assert done.returncode == 2
