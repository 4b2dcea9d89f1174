"""Values that are written in two places are the same in both."""

from __future__ import annotations

import re
import subprocess
import tarfile
import tomllib
from pathlib import Path

import pytest
from scikit_build_core.build import build_sdist

ROOT = Path(__file__).parents[2]


def requirements(name: str) -> set[str]:
    lines = (ROOT / "scripts" / f"requirements-{name}.txt").read_text().splitlines()
    return {entry for line in lines if (entry := line.partition("#")[0].strip())}


def test_dependencies_are_those_of_the_setup() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    run_time = {
        *project["project"]["dependencies"],
        *extras["plot"],
        *extras["lab"],
        *project["build-system"]["requires"],
    }
    assert run_time == requirements("base")
    assert set(extras["mpi"]) == requirements("mpi")
    assert set(extras["docs"]) == requirements("docs") | set(extras["plot"])
    assert set(extras["test"]) <= requirements("test")
    assert set(extras["frames"]) <= requirements("test")
    assert set(extras["toolkit"]) <= requirements("test")
    assert set(extras["view"]) <= requirements("test")


def test_a_source_archive_has_the_files_of_the_clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wheels are built from it as well: a missing file, or one created by the build, breaks them."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("this is no clone")
    monkeypatch.chdir(ROOT)
    name = build_sdist(str(tmp_path))
    with tarfile.open(tmp_path / name) as archive:
        held = {path.partition("/")[2] for path in archive.getnames()} - {"PKG-INFO"}
    known = set(listed.stdout.splitlines())
    assert sorted(known - held) == []
    assert sorted(path for path in held - known if path.endswith((".so", ".o", "quire-probe"))) == []


def test_every_requirement_has_a_reason() -> None:
    for path in sorted((ROOT / "scripts").glob("*.txt")):
        for line in path.read_text().splitlines():
            assert not line.strip() or "#" in line, f"{path.name}: {line}"


def test_version_is_that_of_the_build() -> None:
    from quire import __version__

    found = re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text())
    assert found is not None
    assert found[1] == __version__
