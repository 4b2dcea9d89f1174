"""Build what is published of the Python packages into dist/.

    scripts/build_dist.py [FOLDER]

- `quire-VERSION.tar.gz` and a wheel of `quire` without MPI. auditwheel, if it is installed, copies the
  libraries of the system into the wheel and gives it the tag of the oldest system that it runs on.
- `quire_mpi-VERSION.tar.gz`, which is compiled where it is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTENSION = ROOT / "python" / "mpi"
COMPILED = ("comm", "transport")
"""Layers of the library whose sources the extension compiles in part."""


def assemble_extension(folder: Path) -> Path:
    """Independent. Copy the extension and what it compiles of the library; return its project."""
    project = folder / "quire-mpi"
    shutil.copytree(EXTENSION, project, ignore=shutil.ignore_patterns("__pycache__", "build"))
    shutil.copy(ROOT / "LICENSE", project)
    shutil.copytree(ROOT / "include", project / "core" / "include")
    for path in sorted((ROOT / "src").rglob("*")):
        layer = path.relative_to(ROOT / "src").parts[0]
        if path.suffix == ".hpp" or (path.suffix == ".cpp" and layer in COMPILED):
            copy = project / "core" / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    return project


def build_sdist(project: Path, folder: Path) -> Path:
    """Independent. Write the source archive of a project; return its path."""
    build = "import sys; from scikit_build_core.build import build_sdist; print(build_sdist(sys.argv[1]))"
    command = [sys.executable, "-c", build, str(folder)]
    done = subprocess.run(command, cwd=project, check=True, stdout=subprocess.PIPE, text=True)
    return folder / done.stdout.splitlines()[-1]


def build_wheel(folder: Path) -> Path:
    """Independent. Write the wheel of `quire`; return its path."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        str(ROOT),
        "--no-deps",
        "--no-build-isolation",
        "--quiet",
    ]
    with tempfile.TemporaryDirectory() as raw:
        subprocess.run([*command, "--wheel-dir", raw], check=True)
        wheel = next(Path(raw).glob("*.whl"))
        if shutil.which("auditwheel") is None:
            print("auditwheel is not installed: the wheel runs on systems like this one only")
            return Path(shutil.copy(wheel, folder))
        subprocess.run(["auditwheel", "repair", "--wheel-dir", str(folder), str(wheel)], check=True)
    return max(folder.glob("*.whl"), key=lambda path: path.stat().st_mtime)


def main(arguments: list[str]) -> int:
    """Independent. Build all three; return the exit code."""
    folder = Path(arguments[0] if arguments else ROOT / "dist").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        print(build_sdist(assemble_extension(Path(temporary)), folder))
    print(build_sdist(ROOT, folder))
    print(build_wheel(folder))
    return os.EX_OK


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
