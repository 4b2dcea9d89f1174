"""The checkpoint program: every layout, written on some ranks, restarted on others."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.python.support.mpi import mpi_program, mpiexec

import quire
from quire.io.formats import format_for_path, format_info

pytestmark = pytest.mark.mpi

LAYOUTS = [
    choice
    for option in format_info(format_for_path("run.chk") or "").write_options
    if option.name == "layout"
    for choice in option.choices
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("writers", "readers"), [(3, 2), (1, 1)])
def test_a_run_restarts_on_other_ranks(tmp_path: Path, layout: str, writers: int, readers: int) -> None:
    command = [mpiexec(), "-n", str(writers), mpi_program("examples", "checkpoint", "checkpoint")]
    command += ["--directory", str(tmp_path / "run"), "--readers", str(readers)]
    command += ["--option", f"layout={layout}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"by {writers} ranks, restart on {readers}: every coefficient" in done.stdout
    told = [
        line.rsplit(maxsplit=2)[-1] for line in done.stdout.splitlines() if line.startswith("checkpoint ")
    ]
    assert told == ["told", "before", "before"], done.stdout
    with quire.open(tmp_path / "run" / "run_2.chk") as file:
        assert file[0].number == 2
        assert sorted(id for block in file[0].expansions for id in block.ids) == list(range(300))
