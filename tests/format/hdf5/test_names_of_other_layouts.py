"""A plain HDF5 file is read as one, whatever names its objects have.

Names by which other layouts are recognised are refused when they are put, and conversions leave them out.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import quire
from quire.io.types import Array

FORMAT = "hdf5"
BYTES = np.arange(3, dtype=np.uint8)
NUMBERS = np.arange(3.0)
POINTS = np.ones((2, 3, 4))

Fill = Callable[[quire.Writer, quire.WriteStep], object]


def column(name: str, table: str = "", values: Array = NUMBERS) -> Fill:
    return lambda out, step: step.put(name, values, table=table)


def field(name: str, values: Array = POINTS) -> Fill:
    return lambda out, step: step.put_field(name, values)


TAKEN: dict[str, Fill] = {
    "table like a step": column("x", "Step#1"),
    "table in a group like a step": column("x", "Step#1/more"),
    "table like a step of another name": column("x", "Turn#-03"),
    "field in a group like a step": field("Step#1/f"),
    "column of Nektar++": column("NEKTAR"),
    "table of Nektar++": column("x", "NEKTAR"),
    "meshes": column("x", "Topo/TetMeshes/0"),
    "attachments only": column("notes.txt", "Attachment", BYTES),
    "attachment as a field": field("Attachment/notes.txt", BYTES),
    "version of openPMD in the step": lambda out, step: step.set("openPMD", "1.1.0"),
    "version of openPMD in the file": lambda out, step: out.set("openPMD", "1.1.0"),
}
FREE: dict[str, Fill] = {
    "column like a step": column("Step#1"),
    "matrix like a step": column("x", "Step"),
    "table below a group": column("x", "run/Step#1"),
    "no number": column("x", "Step#"),
    "column in a group": column("NEKTAR", "run"),
    "other topology": column("x", "Topo"),
    "numbers among attachments": column("x", "Attachment"),
    "bytes below attachments": column("x", "Attachment/more", BYTES),
    "attribute of a step": lambda out, step: step.set("openPMD_version", "1.1.0"),
}


def write(path: Path, fill: Fill) -> None:
    with quire.create(path, format=FORMAT) as out, out.step(0) as step:
        fill(out, step)


@pytest.mark.parametrize("name", TAKEN)
def test_a_name_of_another_layout_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(quire.UsageError, match="read as"):
        write(tmp_path / "file.hdf5", TAKEN[name])


@pytest.mark.parametrize("name", FREE)
def test_other_names_are_read_back(tmp_path: Path, name: str) -> None:
    path = tmp_path / "file.hdf5"
    write(path, FREE[name])
    with quire.open(path) as file:
        assert file.format == FORMAT
        assert len(file) == 1


def test_a_conversion_leaves_out_what_would_make_another_file(tmp_path: Path) -> None:
    source, target = tmp_path / "source.sdds", tmp_path / "file.hdf5"
    with quire.create(source) as out, out.step(0) as step:
        step.set("openPMD", "1.1.0").put("NEKTAR", np.arange(3.0)).put("x", np.arange(3.0))
    report = quire.copy(source, target)
    assert {text.partition(":")[0] for text in report.losses} >= {"attribute openPMD", "column NEKTAR"}
    with quire.open(target) as file:
        assert file.format == FORMAT
        assert list(file[0].table.columns) == ["x"]
        assert "openPMD" not in file.attrs
        assert "openPMD" not in file[0].attrs
