"""The examples of docs/commands/ run one after another and end with the expected exit codes."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import typer
from tests.python.support.mpi import ROOT

import quire
from quire.cli.main import app
from quire.io.formats import format_infos

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

PAGES = ("inspect", "convert", "select", "attach", "check", "benchmark")
PAGE = "".join((ROOT / "docs" / "commands" / f"{name}.md").read_text() for name in PAGES)
BEAM_PAGE = (ROOT / "docs" / "beam.md").read_text()
"""The page whose program writes `bunch.h5`."""
ROWS = 500
SAYS_NO = re.compile(r"damaged at byte|is only in|differing")
"""Output of the commands that return 1."""


RUN = {"x": "m", "px": "m$be$nc"}
TRACKED = {"x": "m", "xp": "", "y": "m", "yp": "", "t": "ps", "p": "m$be$nc", "q": "C"}
"""Columns with their units."""


@dataclass
class Shown:
    """A command of a page and its output there."""

    arguments: list[str]
    output: str


def shown() -> list[Shown]:
    """Return the calls of quire in order; those under mpiexec run on one rank."""
    found = []
    for block in re.findall(r"(?:^    .*\n)+", PAGE, re.MULTILINE):
        for part in block.replace("\\\n", " ").split("    $ ")[1:]:
            line, _, output = part.partition("\n")
            words = shlex.split(line)
            if "quire" in words:
                found.append(Shown(words[words.index("quire") + 1 :], output))
    return found


def write_run(path: Path, columns: dict[str, str], shift: float) -> None:
    """Write steps 0 to 100 by 10 with these columns and units."""
    random = np.random.default_rng(1)
    with quire.create(path) as out:
        out.attrs["code"] = "fodo"
        for number in range(0, 101, 10):
            with out.step(number) as step:
                step.set("s", 0.5 * number, unit="m")
                for name in ("rms_x", "rms_y"):
                    step.set(name, 1e-3, unit="m")
                for name, unit in columns.items():
                    step.put(name, random.normal(shift, 1e-3, ROWS), unit=unit)
                step.put("id", np.arange(ROWS))


def write_elements(path: Path, count: int, shift: float) -> None:
    """Write `count` triangles, and a quadrilateral whose coefficient 4 is shifted."""
    values = np.arange(64.0)
    values[4] += shift
    blocks = [
        quire.ElementBlock(shape, bases, modes, np.arange(first, last), {"p": coefficients})
        for shape, bases, modes, first, last, coefficients in (
            ("Triangle", ("Modified_A", "Modified_B"), np.array([2, 2]), 0, count, np.arange(3.0 * count)),
            ("Quadrilateral", ("Modified_A", "Modified_A"), np.array([8, 8]), 21, 22, values),
        )
    ]
    with quire.create(path) as out, out.step(3) as step:
        step.put_elements(blocks)


def write_files(folder: Path, name: str) -> None:
    """Write the files that the pages use; `name` is that of the run."""
    suffix = Path(name).suffix
    write_run(folder / name, RUN, 0.0)
    write_run(folder / "other.h5", RUN, 1e-4)
    write_run(folder / "tracked.h5", TRACKED, 1.0)
    with quire.create(folder / f"twiss{suffix}") as out, out.step(0) as step:
        for column in ("s", "betax", "betay"):
            step.put(column, np.linspace(0, 10, 20), unit="m")
        step.put("ElementName", [f"E{row}" for row in range(20)])
    (program,) = re.findall(r"^```python\n(.*?)^```$", BEAM_PAGE, re.MULTILINE | re.DOTALL)
    exec(compile(program, "beam.md", "exec"), {})
    write_elements(folder / "case_3.chk", 18, 0.0)
    write_elements(folder / "other.chk", 17, 0.5)
    whole = (folder / name).read_bytes()
    (folder / f"cut{suffix}").write_bytes(whole[: len(whole) * 6 // 10])
    (folder / "data.csv").write_text("x,y,id\n1,2,3\n2,3,4\n")
    (folder / "tracker.txt").write_text("a\nb\nc\n1 2\n3 4\n")
    (folder / "lattice.in").write_text("drift\n")


def test_examples_run_and_return_the_expected_codes(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    examples = shown()
    assert len(examples) > 35
    write_files(tmp_path, examples[0].arguments[1])
    for example in examples:
        outcome = run(*example.arguments)
        expected = 1 if SAYS_NO.search(example.output) else 0
        assert outcome.code == expected, f"{example.arguments}\n{outcome.output}{outcome.errors}"


def test_every_format_is_shown() -> None:
    (page,) = [example.output for example in shown() if example.arguments == ["formats"]]
    for info in format_infos():
        assert f"    {info.name}: {info.title}" in PAGE, info.name
    assert page.splitlines()[0].strip().startswith(format_infos()[0].name)


def test_every_command_is_documented() -> None:
    sections = set(re.findall(r"^## (\w+)$", PAGE, re.MULTILINE))
    commands: Any = typer.main.get_command(app)
    assert sections == set(commands.commands)


def test_every_option_is_documented() -> None:
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^#{1,2} |\Z)", PAGE, re.MULTILINE | re.DOTALL))
    sections["repack"] += sections["pack"]
    commands: Any = typer.main.get_command(app)
    for name, entry in commands.commands.items():
        for part in [entry, *getattr(entry, "commands", {}).values()]:
            for parameter in part.params:
                # One of the spellings: `-f`, `--format`, or `--no-header`.
                spellings = [one for one in (*parameter.opts, *parameter.secondary_opts) if one[0] == "-"]
                documented = [one for one in spellings if f"`{one}" in sections[name]]
                assert documented or not spellings or "--help" in spellings, (name, spellings)
