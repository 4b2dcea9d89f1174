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
    layouts = [
        line.rsplit(maxsplit=2)[-1] for line in done.stdout.splitlines() if line.startswith("checkpoint ")
    ]
    assert layouts == ["exchanged", "before", "before"], done.stdout
    with quire.open(tmp_path / "run" / "run_2.chk") as file:
        assert file[0].number == 2
        assert sorted(id for block in file[0].expansions for id in block.ids) == list(range(300))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--readers", "3"], "--readers 3 are more than the 2 ranks"),
        (["--option", "layout=foo"], "layout"),
        (["--elements", "none"], "--elements"),
    ],
    ids=["readers", "option", "number"],
)
def test_what_cannot_be_done_is_an_error_of_usage(tmp_path: Path, options: list[str], said: str) -> None:
    command = [mpiexec(), "-n", "2", mpi_program("examples", "checkpoint", "checkpoint")]
    command += ["--directory", str(tmp_path / "run"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.count(said) == 1
    assert "checkpoint 0" not in done.stdout


def test_a_directory_that_cannot_be_made_is_no_error_of_usage(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    command = [mpiexec(), "-n", "2", mpi_program("examples", "checkpoint", "checkpoint")]
    done = subprocess.run(
        [*command, "--directory", str(tmp_path / "file")], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 4, done.stdout + done.stderr
