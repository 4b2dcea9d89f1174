"""Damaged files are refused with less than 64 MiB beyond their own size, whatever they announce."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.format.conformance.test_golden import LATER
from tests.format.conformance.vectors import Vector, vectors

pytestmark = pytest.mark.golden

HERE = Path(__file__).resolve().parent


def is_damaged(vector: Vector) -> bool:
    truth = vector.load()
    return "bad" in vector.name and not any(belongs(truth) for belongs, _ in LATER)


def test_damaged_files_take_little_memory() -> None:
    damaged = [str(vector.data) for vector in vectors() if is_damaged(vector)]
    sound = [vector for vector in vectors() if "bad" not in vector.name]
    good = next(str(vector.data) for vector in sound if vector.load().get("end") == "eof")
    assert damaged
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[2] / "python")}
    command = [sys.executable, str(HERE / "damaged_worker.py"), good, *damaged]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, f"too much memory for: {run.stdout}{run.stderr}"
