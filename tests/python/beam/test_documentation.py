"""docs/beam.md lists every quantity and convention."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.python.support.mpi import ROOT

import quire
from quire.beam.conventions import convention_names
from quire.beam.species import known_species

PAGE = (ROOT / "docs" / "beam.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own with the file of the page."""
    monkeypatch.chdir(tmp_path)
    (program,) = blocks("python")
    exec(compile(program, "beam.md", "exec"), {})
    return tmp_path


def test_every_quantity_is_documented(elsewhere: Path) -> None:
    with quire.open("bunch.h5") as file:
        names = [*file[0].beam(robust=True, wavelength=1e-6), *file[0].beam(screen=1.0)]
    table = PAGE.split("## Quantities")[1].split("## Rules")[0]
    documented = set(re.findall(r"`(\w+)`", table))
    missing = []
    for name in names:
        # A row is for both planes, `halo_x`, `_y`, or for all coordinates, `mean_x` ...
        alike = {name, re.sub(r"y(p?)$", r"x\1", name), re.sub(r"^(mean|sigma|min|max)_.*", r"\1_x", name)}
        alike |= {name.replace("_y_yp", "_x_xp"), re.sub(r"emittance_n[xy]_.*", "emittance_nx_90", name)}
        if not alike & documented and not name.startswith("cov_"):
            missing.append(name)
    assert missing == []


def test_every_convention_and_species_is_documented() -> None:
    assert [name for name in convention_names() if f"| `{name}` |" not in PAGE] == []
    assert [name for name in known_species() if f"`{name}`" not in PAGE] == []
