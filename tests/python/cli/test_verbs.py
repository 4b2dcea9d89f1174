"""Verbs of the toolkit as commands, and as stages of quire run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from quire.cli.verbs import STAGES, VERBS

if TYPE_CHECKING:
    from tests.python.cli.conftest import Run

ALONE = {
    "select": ["x,px", "--rename", "x=z"],
    "sort": ["x:desc"],
    "group": ["id"],
    "pages": ["merge"],
    "melt": ["x", "px", "--any-unit"],
    "pivot": ["id", "px", "--rows-by", "x"],
    "transpose": ["--names", "id"],
}
"""Arguments of verbs that need no second file."""


@pytest.mark.parametrize("verb", sorted(ALONE.keys() & set(VERBS)))
def test_a_command_writes_what_a_chain_of_its_verb_writes(run: Run, beam: Path, verb: str) -> None:
    alone, chained = (beam.with_name(f"{name}{beam.suffix}") for name in ("alone", "chained"))
    first = run(verb, beam, alone, *ALONE[verb])
    second = run("run", beam, "/", verb, *ALONE[verb], "/", "write", chained)
    assert (first.code, second.code) == (0, 0), first.errors + second.errors
    assert alone.read_bytes() == chained.read_bytes()


@pytest.mark.parametrize("verb", STAGES)
def test_each_stage_of_a_chain_describes_itself(run: Run, verb: str) -> None:
    outcome = run("run", "none", "/", verb, "--help")
    assert (outcome.code, outcome.errors) == (0, "")
    assert f"quire run ... / {verb}" in outcome.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("sort", "missing argument 'KEY...'"),
        ("sort x --foo", "no such option: --foo"),
        ("pages merge x y", "there is no place for x y"),
        ("pages into", "'into' is not one of collapse"),
        ("sorted x", "there is no verb 'sorted'"),
        ("", "there is no verb between two slashes"),
        ("write a.h5 / sort x", "write is the last verb"),
    ],
)
def test_wrong_words_of_a_chain_are_usage_errors(run: Run, one_beam: Path, words: str, said: str) -> None:
    outcome = run("run", one_beam, "/", *words.split())
    assert (outcome.code, outcome.output) == (2, "")
    assert said in outcome.errors
    assert len(outcome.errors.splitlines()) == 1
