"""Damaged files are refused with less than 64 MiB beyond their own size, whatever sizes they declare."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.format.conformance.test_golden import LEFT_OUT
from tests.format.conformance.vectors import Vector, vectors

pytestmark = pytest.mark.golden

HERE = Path(__file__).resolve().parent


def is_damaged(vector: Vector) -> bool:
    """Whether a truth describes damage, in the words of any of the reference programs."""
    truth = vector.load()
    if any(belongs(truth) for belongs, _ in LEFT_OUT):
        return False
    refused = truth.get("open") == "fail" or truth.get("expect") == "error"
    return refused or str(truth.get("end", "")).startswith("error")


@pytest.mark.parametrize("folder", sorted({vector.folder for vector in vectors() if is_damaged(vector)}))
def test_damaged_files_need_little_memory(folder: str) -> None:
    found = [vector for vector in vectors() if vector.folder == folder]
    damaged = [str(vector.data) for vector in found if is_damaged(vector)]
    sound = [str(vector.data) for vector in found if not is_damaged(vector)]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[2] / "python")}
    command = [sys.executable, str(HERE / "damaged_worker.py"), *sound[:1], "--", *damaged]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, f"too much memory for: {run.stdout}{run.stderr}"
