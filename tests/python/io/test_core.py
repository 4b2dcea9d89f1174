"""The compiled core and its stub say the same names; importing stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import quire
from quire import _core

STUB = Path(quire.__file__).parent / "_core.pyi"


def members(names: dict[str, object]) -> set[str]:
    return {name for name in names if not name.startswith("_")}


def stub_names() -> dict[str, set[str]]:
    """Return the names of the stub: members for each class, and those of the module under an empty name."""
    found: dict[str, set[str]] = {"": set()}
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            found[""].add(node.name)
    return found


def test_stub_and_core_have_the_same_names() -> None:
    stub = stub_names()
    classes = {name: value for name, value in vars(_core).items() if isinstance(value, type)}
    assert members(vars(_core)) == set(classes) | stub[""]
    assert set(classes) == set(stub) - {""}
    for name, bound in classes.items():
        declared = {member for member in stub[name] if not member.startswith("_")}
        assert members(dict(vars(bound))) == declared, name


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
