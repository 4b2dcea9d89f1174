"""quire map: pictures of maps, with contour lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.contour import QuadContourSet

import quire
from quire.toolkit import picture

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

PICTURES = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}


@pytest.fixture
def cone(tmp_path: Path) -> Path:
    """A grid of distances from the middle."""
    path = tmp_path / "cone.h5"
    x, y = np.meshgrid(np.linspace(-1, 1, 21), np.linspace(-1, 1, 21))
    columns = {"x[m]": x.reshape(-1), "y[m]": y.reshape(-1), "z[T]": np.hypot(x, y).reshape(-1)}
    quire.new(columns=columns).write(path)
    return path


def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Keep the figures that are drawn."""
    found: list[Any] = []
    draw = picture.draw_plane

    def note(*given: Any) -> Any:
        found.append(draw(*given))
        return found[-1]

    monkeypatch.setattr(picture, "draw_plane", note)
    return found


@pytest.mark.parametrize("suffix", PICTURES)
def test_maps_are_pictures(run: Run, cone: Path, suffix: str) -> None:
    target = cone.with_name(f"map{suffix}")
    outcome = run("map", cone, target, "x", "y", "z", "--levels", "3")
    assert (outcome.code, outcome.errors) == (0, "")
    assert outcome.output == f"{target}: 21 x 21 points, 3 levels\n"
    assert target.read_bytes().startswith(PICTURES[suffix])
    again = run("map", cone, target, "x", "y", "z")
    assert again.code == 2
    assert "--overwrite replaces it" in again.errors
    assert json.loads(run("map", cone, target, "x", "y", "z", "--overwrite", "--json").output) == {
        "path": str(target)
    }


def test_lines_and_colours_are_drawn_at_their_places(
    run: Run, cone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = drawn(monkeypatch)
    target = cone.with_name("map.png")
    look = ["--title", "cone", "--x-label", "across", "--unit", "z=mT", "--palette", "magma", "--overwrite"]
    for style in ("both", "lines", "colours"):
        words = ["/", "filter", "x >= 0", "/", "map", "x", "y", "z", "--levels", "0.3,0.6", "--style", style]
        outcome = run("run", cone, *words, *look[:-1], "/", "write", target, "--overwrite")
        assert (outcome.code, outcome.errors) == (0, "")
    kinds = []
    for figure in figures:
        axes = figure.axes[0]
        contours = [one for one in axes.collections if isinstance(one, QuadContourSet)]
        kinds.append((len(contours), len(axes.collections) - len(contours)))
        assert axes.get_xlabel() == "across"
        assert axes.get_ylabel().startswith("y [")
        for one in contours:
            assert list(one.levels) == pytest.approx([300, 600])
        plt.close(figure)
    assert kinds == [(1, 1), (1, 0), (0, 1)]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["out.png", "x", "y"], 2, "X, Y and Z, or --field"),
        (["out.png", "x", "y", "z", "--field", "rho"], 2, "X, Y and Z, or --field"),
        (["out.png", "x", "y", "z", "--sum", "z"], 2, "need --field"),
        (["out.png", "--field", "rho"], 1, "there is no field"),
        (["out.png", "x", "y", "z", "--style", "line"], 2, "colours, lines, both"),
        (["out.png", "x", "y", "z", "--style", "both"], 2, "give their --levels"),
        (["out.png", "x", "y", "z", "--unit", "q=m"], 1, "'q'"),
        (["out.png", "x", "y", "z", "--points", "3", "--range", "2:3", "--strict"], 1, "9 of 9 values of z"),
        (["out.h5", "x", "y", "z", "--title", "t"], 2, "--title is of a picture"),
    ],
)
def test_mistakes_draw_nothing(
    run: Run, cone: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], code: int, message: str
) -> None:
    monkeypatch.chdir(cone.parent)
    outcome = run("map", cone, *words)
    assert (outcome.code, len(outcome.errors.splitlines())) == (code, 1), outcome.errors
    assert message in outcome.errors
    assert not Path(words[0]).exists()


def test_a_picture_shows_one_step_of_a_field(run: Run, tmp_path: Path) -> None:
    source, target = tmp_path / "example.h5", tmp_path / "rho.svg"
    assert run("example", "beam", source).code == 0
    words = ["map", source, target, "--field", "rho", "--sum", "z", "--levels", "4"]
    several = run(*words)
    assert (several.code, several.output) == (2, "")
    assert "select it by --steps" in several.errors
    one = run(*words, "--steps", "20")
    assert (one.code, one.errors) == (0, "")
    assert ", 4 levels" in one.output
