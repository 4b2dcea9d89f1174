"""Run a function of a test module on several ranks, with a time limit, and return each rank's result.

    def writes(comm: Comm, path: str) -> int: ...

    def test_it(tmp_path: Path) -> None:
        assert run_ranks(writes, 3, str(tmp_path / "file")) == [0, 0, 0]

The function is at the top level of its module; its arguments and its result are JSON. Before it is called,
every rank asserts that the world has the requested size. A rank that raises makes the test fail with its
traceback; ranks that hang are killed at the time limit.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
PRESET = os.environ.get("QUIRE_PRESET", "mpich")
BUILD = Path(os.environ.get("QUIRE_BUILD", ROOT / "build" / PRESET))
TIME_LIMIT = 60.0
UNMARKED = "this build has no MPI, and only tests marked as mpi are left out of it"


def mpiexec() -> str:
    """Return the launcher of MPI programs."""
    assert PRESET != "serial", UNMARKED
    starter = os.environ.get("QUIRE_MPIEXEC") or shutil.which("mpiexec.mpich")
    assert starter, "no starter of MPI programs is found"
    assert importlib.util.find_spec("mpi4py") is not None, "mpi4py is not installed"
    return starter


def mpi_program(*parts: str) -> str:
    """Return the path of an MPI program of the build."""
    assert PRESET != "serial", UNMARKED
    program = BUILD.joinpath(*parts)
    assert program.exists(), f"{program} is not built"
    return str(program)


def run_ranks(
    function: Callable[..., Any], ranks: int, *arguments: Any, time_limit: float = TIME_LIMIT
) -> list[Any]:
    """Return the results of the function, one per rank."""
    module = inspect.getsourcefile(function)
    assert module is not None, "the function needs a file"
    assert "." not in function.__qualname__, "the function must be at the top level"
    starter = mpiexec()
    with tempfile.TemporaryDirectory() as folder:
        command = [starter, "-n", str(ranks), sys.executable, str(Path(__file__).resolve()), module]
        command += [function.__name__, str(ranks), folder, json.dumps(arguments)]
        code, output = _run_limited(command, time_limit)
        results = [Path(folder, f"{rank}.json") for rank in range(ranks)]
        assert code == 0, f"{function.__name__} on {ranks} ranks ended with {code}:\n{output}"
        assert all(result.exists() for result in results), f"a rank left no result:\n{output}"
        return [json.loads(result.read_text()) for result in results]


def _run_limited(command: list[str], time_limit: float) -> tuple[int, str]:
    """Run a command in its own process group, which is killed as a whole at the time limit."""
    paths = [str(ROOT), str(ROOT / "python"), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=time_limit)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return -signal.SIGKILL, f"ended after {time_limit} s\n{output}"


def _be_a_rank(module: str, name: str, ranks: str, folder: str, arguments: str) -> None:
    """Call the function on this rank; any exception ends all ranks."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    try:
        if comm.size != int(ranks):
            raise AssertionError(f"the world has {comm.size} ranks instead of {ranks}")
        specification = importlib.util.spec_from_file_location("rank_module", module)
        assert specification is not None
        assert specification.loader is not None
        loaded = importlib.util.module_from_spec(specification)
        sys.modules["rank_module"] = loaded
        specification.loader.exec_module(loaded)
        result = getattr(loaded, name)(comm, *json.loads(arguments))
        Path(folder, f"{comm.rank}.json").write_text(json.dumps(result))
    except BaseException:
        print(f"rank {comm.rank}:\n{traceback.format_exc()}", flush=True)
        comm.Abort(1)


if __name__ == "__main__":
    _be_a_rank(*sys.argv[1:])
