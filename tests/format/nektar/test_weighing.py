"""Blocks in XML are weighed before they are written, in pieces of any size, and encoded again if not kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.format.nektar.made import files_of, part_of_mesh
from tests.python.support.mpi import mpiexec

import quire
from quire.toolkit import share

MANNERS: dict[str, dict[str, Any]] = {"kept": {}, "some": {"kept_text": 700}, "dropped": {"kept_text": 0}}


@pytest.mark.parametrize("layout", ["xml", "directory"])
@pytest.mark.parametrize("mixed", [False, True])
def test_pieces_of_any_size_give_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str, mixed: bool
) -> None:
    put, copied = tmp_path / "put.fld", tmp_path / "copied.fld"
    with quire.create(put, layout=layout, largest_block=500) as out:
        out.step(0).put_elements(part_of_mesh(mixed, 0, 1)).commit()
    expected = files_of(put)
    assert sum(text.count(b"<ELEMENTS") for text in expected.values()) > 6
    for bytes_at_once in (8, 100, 1 << 20):
        monkeypatch.setattr(share, "BLOCK_BYTES", bytes_at_once)
        for manner in MANNERS.values():
            options = {"layout": layout, "largest_block": 500, **manner}
            quire.copy(put, copied, overwrite=True, options=options)
            assert files_of(copied) == expected


@pytest.mark.mpi
def test_the_kept_text_does_not_change_the_file_on_three_ranks(tmp_path: Path) -> None:
    source = tmp_path / "source.fld"
    with quire.create(source) as out:
        out.step(0).put_elements(part_of_mesh(True, 0, 1)).commit()
    found = []
    for name, manner in MANNERS.items():
        target = tmp_path / f"{name}.fld"
        options = {"layout": "directory", "largest_block": 500, **manner}
        command = [sys.executable, "-m", "quire", "convert", str(source), str(target)]
        command += ["--ranks=3", "--transport=aggregated"]
        for option, value in options.items():
            command += ["--option", f"{option}={value}"]
        variables = {"PYTHONPATH": str(Path(quire.__file__).parents[1]), "QUIRE_MPIEXEC": mpiexec()}
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=False, env=os.environ | variables
        )
        assert done.returncode == 0, done.stderr
        found.append(files_of(target))
    assert len(found[0]) == 4
    assert found[0] == found[1] == found[2]


def declared(out: quire.Writer, like: Any) -> quire.WriteStep:
    """Return a step in pieces, all of which were weighed."""
    step = out.step(0)
    step.declare("u", "float64", table=like.name)
    step.declare("id", "uint32", table=like.expansion.elements)
    step.rows(24, table=like.name).rows(3, table=like.expansion.elements)
    step.expansion(like.expansion, table=like.name).weigh({"u": np.arange(24.0)}, table=like.name)
    return step.weigh({"id": np.arange(3, dtype=np.uint32)}, table=like.expansion.elements)


@pytest.mark.parametrize("then", ["put", "pieces"])
def test_an_aborted_step_leaves_no_weighed_blocks(tmp_path: Path, then: str) -> None:
    block = quire.ElementBlock(
        shape="Quadrilateral",
        basis=("Modified_A", "Modified_A"),
        modes=np.array([2, 4]),
        ids=np.arange(3, dtype=np.uint32),
        values={"u": np.arange(24.0)},
    )
    path, expected = tmp_path / "again.fld", tmp_path / "once.fld"
    with quire.create(expected, layout="xml") as out:
        out.step(0).put_elements([block]).commit()
    with quire.open(expected) as file, quire.create(path, layout="xml") as out:
        like = file[0].tables["Quadrilateral"]
        assert like.expansion is not None
        declared(out, like).abort("tried")
        if then == "put":
            out.step(0).put_elements([block]).commit()
        else:
            step = declared(out, like).open()
            step.write(0, {"u": np.arange(24.0)}, table=like.name)
            step.write(0, {"id": np.arange(3, dtype=np.uint32)}, table=like.expansion.elements).commit()
    assert path.read_bytes() == expected.read_bytes()
