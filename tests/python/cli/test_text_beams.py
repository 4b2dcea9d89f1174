"""Beams that programs write as text: recognised, imported with names and units, and read by every command."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import quire
from quire.toolkit.text_beams import recognised, text_beam_named, text_beams

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run, Start

Array = np.ndarray[Any, Any]

ROWS = 40
MC = 510998.95069
"""Electron mass in eV, CODATA 2022."""
CHARGE, MASS = 1.602176634e-19, 9.1093837139e-31

SAME = ["impact-t", "opal", "opal-emitted"]
"""Programs whose texts look alike."""


def bunch() -> dict[str, Array]:
    """A bunch of electrons at one time: positions in m, beta gamma."""
    random = np.random.default_rng(7)
    sizes = {"x": 1e-4, "y": 2e-4, "z": 1e-3, "ux": 1e-2, "uy": 2e-2, "uz": 0.3}
    found = {name: random.normal(0.0, size, ROWS) for name, size in sizes.items()}
    found["uz"] += 390.0
    return found


def lines_of(rows: Array, formats: str = "") -> str:
    """Rows of numbers with all digits; `formats` marks the last columns that are integers with i."""
    integers = len(formats)
    return "".join(
        " ".join([*(f"{value:.17e}" for value in row[: len(row) - integers]),
                  *(f"{int(value):d}" for value in row[len(row) - integers :])]) + "\n"
        for row in rows
    )  # fmt: skip


def astra(b: dict[str, Array]) -> str:
    """The reference particle first, with the mean; the others relative to it."""
    z, pz = b["z"].mean(), (b["uz"] * MC).mean()
    first = [0.0, 0.0, z, 0.0, 0.0, pz, 0.0, 0.0, 1, 5]
    columns = [b["x"], b["y"], b["z"] - z, b["ux"] * MC, b["uy"] * MC, b["uz"] * MC - pz]
    rest = [np.zeros(ROWS), np.full(ROWS, -1e-3), np.ones(ROWS), np.full(ROWS, 5)]
    return lines_of(np.vstack([first, np.stack([*columns, *rest], axis=1)]), "ii")


def gpt(b: dict[str, Array]) -> str:
    """A line with names."""
    columns = [b[name] for name in ("x", "y", "z", "ux", "uy", "uz")]
    rest = [np.full(ROWS, -CHARGE), np.full(ROWS, MASS), np.full(ROWS, 1e6)]
    return "x y z GBx GBy GBz q m nmacro\n" + lines_of(np.stack([*columns, *rest], axis=1))


def counted(b: dict[str, Array]) -> str:
    """The number of particles, then six columns."""
    columns = [b[name] for name in ("x", "ux", "y", "uy", "z", "uz")]
    return f"{ROWS}\n" + lines_of(np.stack(columns, axis=1))


def bmad(b: dict[str, Array]) -> str:
    """Nine lines before the rows of a bunch."""
    columns = [b["x"], b["ux"] * MC, b["y"], b["uy"] * MC, np.zeros(ROWS), b["uz"] * MC]
    numbers = f"0 ! ix_ele\n1 ! n_bunch\n{ROWS} ! n_particle\n"
    head = f"!ASCII::3\n{numbers}BEGIN_BUNCH\nelectron\n1e-9 ! bunch_charge\n0 ! z_center\n0 ! t_center\n"
    rows = np.stack([*columns, np.full(ROWS, 1e-12), np.ones(ROWS)], axis=1)
    return head + lines_of(rows, "i") + "END_BUNCH\n"


def genesis(b: dict[str, Array]) -> str:
    """Lines with question marks, of which one has the names."""
    columns = [b["x"], b["ux"] / b["uz"], b["y"], b["uy"] / b["uz"], np.zeros(ROWS), b["uz"]]
    head = f"? VERSION = 1.0\n? CHARGE = 1e-9\n? SIZE = {ROWS}\n? COLUMNS X XPRIME Y YPRIME T P\n"
    return head + lines_of(np.stack(columns, axis=1))


TEXTS = {
    "astra": (astra, ["astra"]),
    "gpt": (gpt, ["gpt"]),
    "bmad": (bmad, ["bmad"]),
    "genesis": (genesis, ["genesis"]),
    "counted": (counted, SAME),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The texts of one bunch."""
    for name, (write, _) in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text(write(bunch()))
    return tmp_path


def test_texts_are_recognised_by_their_first_lines(folder: Path) -> None:
    found = {name: sorted(one.name for one in recognised(folder / f"{name}.txt")) for name in TEXTS}
    assert found == {name: programs for name, (_, programs) in TEXTS.items()}
    assert set(text_beams()) == {one for programs in found.values() for one in programs}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Dear reader,\n",
        "x,y\n1,2\n",
        "1 2 3 4 5 6 7 8 9\n",
        "1 2 3 4 5 6 7 8 9.5 1\n",
        "3\n1 2 3\n",
        "x y z\n1 2 3\n",
        "!ASCII::3\n",
        "3\n1 2 3 4 5 6\n\0",
    ],
)
def test_other_files_are_not(tmp_path: Path, text: str) -> None:
    (tmp_path / "text").write_text(text)
    assert recognised(tmp_path / "text") == []


@pytest.mark.parametrize(("name", "program"), [(n, p) for n, (_, some) in TEXTS.items() for p in some])
def test_columns_have_names_units_and_the_values_of_the_text(
    run: Run, folder: Path, name: str, program: str
) -> None:
    outcome = run("import", folder / f"{name}.txt", folder / "beam.h5", "--from", program)
    assert outcome.code == 0, outcome.errors
    lines = [line.split() for line in (folder / f"{name}.txt").read_text().splitlines()]
    rows = [line for line in lines if len(line) > 5 and line[0][-1].isdigit()]
    known = text_beam_named(program)
    with quire.open(folder / "beam.h5") as file:
        table = file[0].table
        assert {one: column.unit for one, column in table.columns.items()}.items() <= known.columns.items()
        assert len(table) == len(rows) == ROWS + (name == "astra")
        heads = (folder / f"{name}.txt").read_text().splitlines()
        for place, column in enumerate(known.names_in(heads)):
            np.testing.assert_array_equal(table[column][:].astype(float), [float(row[place]) for row in rows])


def test_the_programs_agree_on_the_bunch(run: Run, folder: Path) -> None:
    found = []
    assert run("import", folder / "counted.txt", folder / "opal.h5", "--from", "opal").code == 0
    for path in (folder / "astra.txt", folder / "gpt.txt", folder / "opal.h5"):
        outcome = run("stats", path, "--beam", "--json", "--columns", "emittance_nx,emittance_ny,sigma_x")
        assert outcome.code == 0, outcome.errors
        (step,) = json.loads(outcome.output)["steps"]
        found.append([one["value"] for one in step["quantities"].values()])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)
    np.testing.assert_allclose(found[2], found[1], rtol=1e-9)


def test_info_names_the_text_as_the_format(run: Run, folder: Path) -> None:
    outcome = run("info", folder / "astra.txt")
    assert "  format  ASTRA, a particle distribution\n" in outcome.output
    (found,) = json.loads(run("info", folder / "astra.txt", "--json").output)["files"]
    assert found["format"] == "ASTRA, a particle distribution"


def test_every_command_reads_a_text_that_is_recognised(run: Run, folder: Path) -> None:
    found = run("info", folder / "bmad.txt")
    assert found.code == 0, found.errors
    assert "eV/c" in found.output
    assert "Bmad" in found.errors
    assert run("convert", folder / "gpt.txt", folder / "gpt.h5").code == 0
    assert run("get", folder / "genesis.txt", "X", "--rows", "0:1").output.split() == [
        repr(float(bunch()["x"][0]))
    ]


def test_a_text_of_several_programs_asks_which(run: Run, folder: Path) -> None:
    for words in (("info", folder / "counted.txt"), ("import", folder / "counted.txt", folder / "beam.h5")):
        outcome = run(*words)
        assert outcome.code == 2
        assert all(one in outcome.errors for one in (*SAME, "--from"))


@pytest.mark.parametrize("words", [["--from", "parmela"], ["--from", "astra", "--skip", "1"]])
def test_wrong_requests_are_refused(run: Run, folder: Path, words: list[str]) -> None:
    assert run("import", folder / "astra.txt", folder / "beam.h5", *words).code == 2
    assert not (folder / "beam.h5").exists()


def test_a_cut_archive_is_reported_by_the_reader(run: Run, folder: Path) -> None:
    """The look at the first lines of a text raises nothing of its own."""
    whole = gzip.compress((folder / "gpt.txt").read_bytes())
    (folder / "cut.gz").write_bytes(whole[: len(whole) // 2])
    outcome = run("check", folder / "cut.gz")
    assert outcome.code in (1, 3)
    assert "internal error" not in outcome.errors


def test_pipes_are_recognised_too(start: Start, folder: Path) -> None:
    done = start("info", "-", stdin=(folder / "gpt.txt").read_bytes())
    assert done.returncode == 0, done.stderr
    assert b"asci2gdf" in done.stderr


def test_spins_may_follow_in_a_bmad_file(run: Run, folder: Path) -> None:
    lines = (folder / "bmad.txt").read_text().splitlines()
    wider = [
        f"{line} 0.0 0.0 1.0" if line[:1] in "-0123456789" and len(line) > 40 else line for line in lines
    ]
    (folder / "spins.txt").write_text("\n".join(wider) + "\n")
    outcome = run("import", folder / "spins.txt", folder / "spins.h5")
    assert outcome.code == 0, outcome.errors
    with quire.open(folder / "spins.h5") as file:
        assert file[0]["spin_z"][0] == 1.0


def test_columns_of_zeros_are_numbers_with_fractions(run: Run, folder: Path) -> None:
    assert run("import", folder / "astra.txt", folder / "beam.h5").code == 0
    with quire.open(folder / "beam.h5") as file:
        assert {one.name: one.type for one in file[0].columns.values()}["clock"] == "float64"
        assert file[0]["index"].type == "int64"


def test_ten_columns_with_other_numbers_are_no_beam(tmp_path: Path) -> None:
    (tmp_path / "table").write_text("1.5 2 3 4 5 6 7 8 77 1\n" * 3)
    assert recognised(tmp_path / "table") == []
