"""Importing the package stays light, and everything that it exports exists."""

from __future__ import annotations

import ast
import subprocess
import sys

import quire


def test_import_is_light() -> None:
    program = (
        "import sys, quire; everything = [getattr(quire, name) for name in quire.__all__];"
        "print(sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    loaded = set(ast.literal_eval(run.stdout))
    assert not loaded & {"mpi4py", "rich", "typer", "matplotlib", "h5py", "scipy", "pandas"}


def test_exports_exist() -> None:
    for name in quire.__all__:
        assert hasattr(quire, name), name
