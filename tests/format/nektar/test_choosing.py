"""Variables of elements and blocks are chosen by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.format.nektar.made import PLANES, QUADRILATERALS, TRIANGLES, block_of
from tests.python.support.mpi import mpiexec, run_ranks
from typer.testing import CliRunner

import quire
from quire.cli.main import app
from quire.toolkit.difference import difference
from quire.toolkit.request import CopyKeywords

LAYOUTS = ("hdf5", "xml", "directory", "streams")


def write(path: Path, layout: str, mixed: bool = False) -> Path:
    """Write triangles of three variables, quadrilaterals of two and planes of one."""
    orders = np.array([[3, 4], [4, 4], [2, 5], [3, 3]]) if mixed else np.array([3, 4])
    blocks = [
        block_of(TRIANGLES, [7, 2, 9, 4], orders),
        block_of(QUADRILATERALS, [5, 1], np.array([4, 4]), ("u", "p")),
        block_of(PLANES, [6], np.array([2, 3, 4]), ("v",)),
    ]
    with quire.create(path, format="nektar", layout=layout) as out, out.step(3) as step:
        step.set("Time", 0.5)
        step.put_elements(blocks)
    return path


def found(path: Path) -> dict[tuple[str, str], dict[int, bytes]]:
    """Return by shape and variable the bytes of each element."""
    values: dict[tuple[str, str], dict[int, bytes]] = {}
    with quire.open(path) as file:
        assert file[0].number == 3
        for block in file[0].read_elements_all(partition="everything"):
            for id in block.ids:
                for name, own in block.element(int(id)).items():
                    values.setdefault((block.shape + "s" * bool(block.z_ids), name), {})[int(id)] = (
                        own.tobytes()
                    )
    return values


def chosen(path: Path, names: Any) -> dict[tuple[str, str], dict[int, bytes]]:
    """Return the expected contents of a copy with these variables."""
    return {key: own for key, own in found(path).items() if key[1] in names}


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_variables_are_chosen_by_name(tmp_path: Path, layout: str, mixed: bool) -> None:
    source = write(tmp_path / "all.fld", layout, mixed)
    for target in LAYOUTS:
        for names in (["u"], ["v"], ["p", "u"], ["u", "id"], ["?"]):
            copy = tmp_path / f"{target}.fld"
            quire.copy(source, copy, columns=names, overwrite=True, options={"layout": target})
            assert found(copy) == chosen(source, "uvp" if "?" in names else names)
            with quire.open(copy) as file:
                assert file.check().damage is None


def test_unknown_variables_are_refused(tmp_path: Path) -> None:
    source = write(tmp_path / "all.fld", "hdf5")
    with pytest.raises(quire.UsageError, match="variable of elements; there are u, v, p"):
        quire.copy(source, tmp_path / "none.fld", columns=["id"])
    with pytest.raises(quire.MissingError, match="there is no column 'w'"):
        quire.copy(source, tmp_path / "none.fld", columns=["w"])
    assert not (tmp_path / "none.fld").exists()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_block_is_chosen_by_its_table(tmp_path: Path, layout: str) -> None:
    source = write(tmp_path / "all.fld", layout)
    copy = tmp_path / "triangles.fld"
    quire.copy(source, copy, table="Triangle", options={"layout": layout})
    assert found(copy) == {key: own for key, own in found(source).items() if key[0] == "Triangle"}
    quire.copy(source, copy, table="Triangle", columns=["p"], overwrite=True, options={"layout": layout})
    assert list(found(copy)) == [("Triangle", "p")]
    with pytest.raises(quire.MissingError, match="no step has a table 'Hexahedron'"):
        quire.copy(source, copy, table="Hexahedron", overwrite=True)


def copy_on(comm: Any, source: str, target: str, layout: str) -> None:
    quire.copy(source, target, comm=comm, columns=["u"], options={"layout": layout})


@pytest.mark.mpi
@pytest.mark.parametrize("layout", LAYOUTS)
def test_ranks_choose_together(tmp_path: Path, layout: str) -> None:
    source = write(tmp_path / "all.fld", "hdf5", mixed=True)
    run_ranks(copy_on, 2, str(source), str(tmp_path / "two.fld"), layout)
    assert found(tmp_path / "two.fld") == chosen(source, "u")
    command = [mpiexec(), "-n", "2", sys.executable, "-m", "quire", "convert", str(source)]
    for options in (["--columns", "u"], ["--table", "Quadrilateral"]):
        copy = tmp_path / "command.fld"
        command_line = [*command, str(copy), *options, "--option", f"layout={layout}", "--overwrite"]
        done = subprocess.run(command_line, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        alone = tmp_path / "alone.fld"
        asked: CopyKeywords = {"overwrite": True, "options": {"layout": layout}}
        asked |= {"columns": ["u"]} if "u" in options else {"table": "Quadrilateral"}
        quire.copy(source, alone, **asked)
        assert difference(copy, alone).same


@pytest.mark.parametrize("asked", ["id", "i*"])
def test_a_dry_run_refuses_what_the_copy_refuses(tmp_path: Path, asked: str) -> None:
    source, target = write(tmp_path / "all.fld", "hdf5"), tmp_path / "none.fld"
    for rehearsal in ([], ["--dry-run"]):
        command = ["convert", str(source), str(target), "--columns", asked, *rehearsal]
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 2, rehearsal
        assert "none of these columns is a variable of elements" in done.stderr
    assert not target.exists()
