"""quire plot without an option that says what is drawn: the message has a command line that works."""

from __future__ import annotations

import shlex
from contextlib import chdir
from pathlib import Path

import numpy as np
import pytest
from tests.python.cli.conftest import Run, suffix_of
from tests.python.query.test_unasked_indexes import formats_of_several_tables
from tests.python.support.files import holds_texts

import quire


def several(path: Path, steps: int) -> Path:
    """Columns of numbers and texts, an attribute, and a field of three dimensions."""
    with quire.create(path) as out:
        for number in range(steps):
            with out.step(number) as step:
                step.set("size", 1.5 + number)
                step.put("x", np.arange(4.0)).put("y", np.arange(4.0) ** 2)
                step.put_field("rho", np.ones((2, 3, 4)))
    return path


MEANT = {
    (): "-x x -y y",
    ("x", "y"): "-x x -y y",
    ("x,y",): "-x x -y y",
    ("y",): "--histogram y",
    ("size",): "--attributes size",
    ("rho",): "--field rho --slice z=@1 --index 0",
}


@pytest.mark.parametrize("words", MEANT)
def test_a_plot_of_nothing_advises_a_line_that_draws(
    words: tuple[str, ...], run: Run, tmp_path: Path
) -> None:
    path, image = several(tmp_path / "in.h5", 1), tmp_path / "out.png"
    outcome = run("plot", path, *words, image)
    assert outcome.code == 2
    line = f"quire plot {path} {MEANT[words]} {image}"
    assert outcome.errors.endswith(f"; write for example: {line}\n"), outcome.errors
    assert run(*shlex.split(line)[1:]).code == 0
    assert image.exists()


def test_of_several_steps_a_histogram_is_advised(run: Run, tmp_path: Path) -> None:
    path = several(tmp_path / "in.h5", 2)
    assert run("plot", path).errors.endswith(f"quire plot {path} --histogram x,y plot.png\n")


def test_unknown_names_and_files_are_not_drawn(run: Run, tmp_path: Path) -> None:
    path = several(tmp_path / "in.h5", 1)
    outcome = run("plot", path, "q", tmp_path / "out.png")
    assert outcome.code == 2
    assert outcome.errors.endswith(f"; there is no 'q'; quire info {path} lists the names\n")
    assert run("plot", tmp_path / "none.h5", "x", tmp_path / "out.png").code == 4


def test_advised_lines_name_the_table_and_all_files(run: Run, tmp_path: Path) -> None:
    format_name = next(filter(holds_texts, formats_of_several_tables()))
    paths = [tmp_path / "one.h5", tmp_path / "two.h5"]
    for path in paths:
        with quire.create(path, format=format_name) as out, out.step(0) as step:
            step.put("name", ["a", "b"]).put("x", [1.0, 2.0])
            step.put("b", [1.0, 2.0, 4.0], table="second").put("c", [1.0, 4.0, 9.0], table="second")
    for words, options in ((("b", "c"), "-x b -y c --table second"), ((), "-x b -y c --table second")):
        line = shlex.join(["quire", "plot", *map(str, paths), *options.split(), "plot.png"])
        assert run("plot", *paths, *words).errors.endswith(f"{line}\n")
    with chdir(tmp_path):
        assert run("plot", *paths, *["-x", "b", "-y", "c", "--table", "second", "plot.png"]).code == 0
    assert "lists the names" in run("plot", paths[0], "name").errors


def test_two_kinds_of_plots_are_named(run: Run, tmp_path: Path) -> None:
    path = several(tmp_path / "in.h5", 1)
    outcome = run("plot", path, "--histogram", "x", "--field", "rho", tmp_path / "out.png")
    assert (outcome.code, outcome.errors.split(";")[0]) == (
        2,
        "quire: --histogram and --field are different plots",
    )


def test_the_number_of_the_row_has_an_axis(run: Run, tmp_path: Path, text_format: str) -> None:
    path, numbers = tmp_path / f"in{suffix_of(text_format)}", tmp_path / "numbers.csv"
    quire.new("x=5,7,9").write(path)
    assert run("plot", path, "-x", "row", "-y", "x", tmp_path / "out.png", "--data", numbers).code == 0
    assert numbers.read_text().splitlines()[1:] == ["0.0,5.0", "1.0,7.0", "2.0,9.0"]
