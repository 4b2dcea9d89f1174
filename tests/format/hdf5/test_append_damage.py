"""Files with damaged link messages are appended to and repaired, or refused and left unchanged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from tests.python.support.cases import first_daily

CHANGE_ALL = """
import sys
from pathlib import Path
import numpy
import quire
path, way = Path(sys.argv[1]), sys.argv[2]
whole = path.read_bytes()
x = numpy.arange(5.0)

def change():
    if way == "repair":
        return quire.repair(path)
    if way == "write a plain file":
        with quire.append(path, grow=True) as out, out.step(0) as step:
            return step.put("values", x)
    options = {"grow": True} if way == "grow" else {} if way == "append" else {"existing": way}
    with quire.append(path, format="h5part", **options) as out, out.step(9 if way == "append" else 0) as step:
        step.put("weight" if way == "add" else "x", x)

change()
assert way == "repair" or path.read_bytes() != whole
for place in range(int(sys.argv[3]), int(sys.argv[4])):
    for byte in (0, 1, 5, 0x40, 0xff):
        damaged = whole[:place] + bytes([byte]) + whole[place + 1:]
        path.write_bytes(damaged)
        try:
            change()
        except quire.Error:
            assert path.read_bytes() == damaged, (place, byte)
print("done")
"""

WAYS = ["append", "repair", "replace", "write a plain file", "grow", "add", "overwrite"]


@pytest.mark.parametrize("way", first_daily(WAYS, 4))
def test_damaged_links_do_not_crash_writers(tmp_path: Path, way: str) -> None:
    """HDF5 frees uninitialized pointers: filled memory reveals it."""
    path = tmp_path / "links.h5"
    name = "values" if way == "write a plain file" else "Step#0"
    with h5py.File(path, "w") as file:
        column = name if name == "values" else f"{name}/x"
        file.create_dataset(column, data=np.arange(5.0), chunks=(4,), maxshape=(None,))
        file["elsewhere"] = h5py.ExternalLink(
            "other.hdf5", "/values"
        )  # stores links as messages of the header
        file["again"] = h5py.SoftLink("/values")
    content = path.read_bytes()
    names = [content.index(link) for link in (name.encode(), b"elsewhere", b"again")]
    names[0] = content.rindex(name.encode())  # the heap of names has an unused copy
    before, after = 20, 40
    done = subprocess.run(
        [sys.executable, "-c", CHANGE_ALL, str(path), way, str(min(names) - before), str(max(names) + after)],
        env={**os.environ, "MALLOC_PERTURB_": "165"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr[-500:]
