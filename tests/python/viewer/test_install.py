"""What `pip install 'quire[view]'` needs: little room, and all files of the page."""

from __future__ import annotations

import re
import subprocess
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from tests.python.support.mpi import ROOT

from quire.viewer.server import PAGE

MOST_BYTES = 22_000_000
"""Of all packages but NumPy that are installed with Quire, which has 16 MB: together less than 40 MB."""

MOST_OF_VIEWER = 8_000_000
"""Of those that only the viewer needs, with its page."""

NUMPY = "numpy"


def needed(names: list[str], known: dict[str, int]) -> dict[str, int]:
    """Return the sizes of packages and of those that they need, without extras and other systems."""
    for requirement in names:
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower()
        if name in known or name == NUMPY or "extra ==" in requirement:
            continue
        try:
            found = distribution(name)
        except PackageNotFoundError:  # such as what only other versions of Python need
            continue
        paths = (Path(str(one.locate())) for one in found.files or ())
        known[name] = sum(path.stat().st_size for path in paths if path.is_file())
        needed(found.requires or [], known)
    return known


def test_the_viewer_needs_little_room() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    others = needed(project["dependencies"], {})
    sizes = needed(project["optional-dependencies"]["view"], dict(others))
    assert {"starlette", "uvicorn", "typer"} <= set(sizes)
    assert sum(sizes.values()) < MOST_BYTES, sizes
    page = sum(path.stat().st_size for path in PAGE.rglob("*") if path.is_file())
    assert sum(sizes.values()) - sum(others.values()) + page < MOST_OF_VIEWER, sizes


def test_all_files_of_the_page_are_packed() -> None:
    """The package has the files that git knows."""
    known = subprocess.run(["git", "ls-files", "."], cwd=PAGE, check=True, capture_output=True, text=True)
    assert {str(path.relative_to(PAGE)) for path in PAGE.rglob("*") if path.is_file()} == set(
        known.stdout.split()
    )
    page = (PAGE / "index.html").read_text()
    modules = {f"./{path.name}" for path in (PAGE / "js").glob("*.js")}
    used = {
        name
        for path in (PAGE / "js").glob("*.js")
        for name in re.findall(r'"(\./\w+\.js)"', path.read_text())
    }
    named = {f"./{name}" for name in re.findall(r'src="js/(\w+\.js)"', page)}
    assert used | named == modules
