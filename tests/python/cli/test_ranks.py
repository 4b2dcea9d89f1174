"""Commands that several ranks start: one of them tells, or they say that they are the work of one process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.python.cli.conftest import Cut, Run, Start

ALONE = {
    "show": ["BEAM"],
    "get": ["BEAM", "x"],
    "diff": ["BEAM", "BEAM"],
    "plot": ["BEAM", "-x", "x", "-y", "px", "-o", "OUT.png"],
    "plan": ["BEAM"],
    "export": ["BEAM", "OUT.csv"],
    "import": ["BEAM", "OUT.csv"],
    "attach": ["BEAM"],
    "recover": ["BEAM", "-o", "OUT"],
    "formats": [],
    "advise": ["BEAM", "--ranks", "2"],
    "doctor": ["."],
    "bench": ["--preset", "hyperslabs", "--directory", "OUT"],
}


@pytest.mark.parametrize("name", ALONE)
def test_the_work_of_one_process_is_refused_to_several(
    run: Run, one_beam: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("PMI_SIZE", "2")
    words = [word.replace("OUT", str(one_beam.with_name("out"))) for word in ALONE[name]]
    outcome = run(name, *(word.replace("BEAM", str(one_beam)) for word in words))
    assert (outcome.code, outcome.output) == (2, "")
    assert outcome.errors == (f"quire: quire {name} is the work of one process: start it without mpiexec\n")
    assert list(one_beam.parent.iterdir()) == [one_beam]


def test_a_rank_that_is_told_no_size_is_refused_aloud(start: Start, one_beam: Path) -> None:
    """As by starters that tell each process its rank and not how many there are."""
    done = start("get", one_beam, "x", PMIX_RANK="1")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"the work of one process") == 1


@pytest.mark.mpi
@pytest.mark.parametrize("words", [["info"], ["info", "--json"], ["check"]])
def test_one_rank_tells_what_all_have_found(
    start: Start, run: Run, one_beam: Path, cut: Cut, words: list[str]
) -> None:
    cut(one_beam, 100)
    alone = run(*words, one_beam)
    together = start(*words, one_beam, ranks=2)
    assert alone.code in (1, 3)
    assert together.returncode == alone.code
    assert (together.stdout.decode(), together.stderr.decode()) == (alone.output, alone.errors)


@pytest.mark.mpi
def test_one_rank_tells_what_is_wrong_with_the_command_line(start: Start, one_beam: Path) -> None:
    done = start("info", one_beam, "--bogus", ranks=2)
    assert done.returncode == 2
    assert done.stderr.count(b"No such option") == 1
