"""Block by block compression needs the memory of one block, regardless of their number."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.format.nektar.made import files_of

import quire

SOME = 96 << 20
LITTLE = 24 << 20
"""Bytes: only a small part of the values may be held."""

MEASURED = """
import sys
import numpy as np
import quire
from pathlib import Path

def kilobytes(name):
    status = Path("/proc/self/status").read_text()
    return int(status.split(name + ":")[1].split()[0])

def measured(work):
    work(0)  # what is imported and allocated once
    Path("/proc/self/clear_refs").write_text("5")
    before = kilobytes("VmRSS")
    work(1)
    return (kilobytes("VmHWM") - before) * 1024

def elements(size):
    ids = np.arange(size // (64 * 2 * 8), dtype=np.uint32)
    # A part is noise: text that is as large as the values.
    values = {name: np.zeros(64 * len(ids)) for name in "up"}
    for own in values.values():
        own[: len(own) // 16] = np.random.default_rng(1).standard_normal(len(own) // 16)
    kind = {"shape": "Hexahedron", "basis": ("Modified_A",) * 3, "modes": np.full(3, 4)}
    return quire.ElementBlock(**kind, ids=ids, values=values)
"""

PUT = """
def put(path, block, **options):
    with quire.create(path, **options) as out, out.step(0) as step:
        step.put_elements([block])

folder, layout, size = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
blocks = [elements(1 << 20), elements(size)]
options = {"layout": layout, "kept_text": 1 << 20}
print(measured(lambda which: put(folder / f"put{which}.fld", blocks[which], **options)))
for which, block in enumerate(blocks):
    put(folder / f"source{which}.fld", block, layout="hdf5")
"""

CONVERT = """
folder, layout = Path(sys.argv[1]), sys.argv[2]
options = {"layout": layout, "kept_text": 1 << 20}

def copy(which):
    quire.copy(folder / f"source{which}.fld", folder / f"copied{which}.fld", options=options)

print(measured(copy))
"""


def measured(program: str, *arguments: Any) -> int:
    """Return the growth of a program in bytes."""
    command = [sys.executable, "-c", MEASURED + program, *map(str, arguments)]
    environment = {"PYTHONPATH": str(Path(quire.__file__).parents[1])}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)
    assert run.returncode == 0, run.stderr
    return int(run.stdout)


@pytest.mark.parametrize("layout", ["xml", "directory"])
def test_memory_does_not_grow_with_the_elements(tmp_path: Path, layout: str) -> None:
    assert measured(PUT, tmp_path, layout, SOME) < LITTLE
    # A copy also reads blocks of rows of some megabytes.
    assert measured(CONVERT, tmp_path, layout) < 2 * LITTLE
    assert files_of(tmp_path / "put1.fld") == files_of(tmp_path / "copied1.fld")
