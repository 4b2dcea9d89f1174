"""Commands on several ranks: one rank prints, or the command refuses to run on several."""

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
def test_serial_commands_are_refused_on_several_ranks(
    run: Run, one_beam: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("PMI_SIZE", "2")
    words = [word.replace("OUT", str(one_beam.with_name("out"))) for word in ALONE[name]]
    outcome = run(name, *(word.replace("BEAM", str(one_beam)) for word in words))
    assert (outcome.code, outcome.output) == (2, "")
    assert outcome.errors == (f"quire: quire {name} runs in one process: start it without mpiexec\n")
    assert list(one_beam.parent.iterdir()) == [one_beam]


def test_a_rank_without_a_world_size_is_refused_with_a_message(start: Start, one_beam: Path) -> None:
    """As with launchers that give each process its rank and not the number of ranks."""
    done = start("get", one_beam, "x", PMIX_RANK="1")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"runs in one process") == 1


@pytest.mark.mpi
@pytest.mark.parametrize("words", [["info"], ["info", "--json"], ["check"]])
def test_one_rank_prints_the_result_of_all(
    start: Start, run: Run, one_beam: Path, cut: Cut, words: list[str]
) -> None:
    cut(one_beam, 100)
    alone = run(*words, one_beam)
    together = start(*words, one_beam, ranks=2)
    assert alone.code in (1, 3)
    assert together.returncode == alone.code
    assert (together.stdout.decode(), together.stderr.decode()) == (alone.output, alone.errors)


@pytest.mark.mpi
def test_one_rank_prints_errors_of_the_command_line(start: Start, one_beam: Path) -> None:
    done = start("info", one_beam, "--bogus", ranks=2)
    assert done.returncode == 2
    assert done.stderr.count(b"no such option") == 1


@pytest.mark.parametrize(
    "chain",
    [
        "filter x>0 / define r=2*x n=row / select r,n,id --unit r=mm",
        "rows 3:-2 / define share=row/rows+0*x / filter share<0.8",
        "define before=lag(x,1) / text label=p{id:d} / rows 1:",
        "sample e=gaussian(0,1) --seed 7 / filter e>0",
        "stats --across-columns m=mean(x,px) w=max(x,px,skip_nan) / filter m>0 / stats --window 9 std(m)",
        "stats --window 20 --blocks mean(x) slope(px,id) last(id)",
    ],
)
def test_verbs_of_rows_write_the_same_bytes_on_any_number_of_ranks(
    start: Start, one_beam: Path, chain: str
) -> None:
    written = []
    for ranks in (0, 1, 2, 3):
        target = one_beam.with_name(f"out{ranks}{one_beam.suffix}")
        done = start("run", one_beam, "/", *chain.split(), "/", "write", target, ranks=ranks)
        assert done.returncode == 0, done.stderr
        written.append(target.read_bytes())
    assert written[1:] == written[:1] * 3
