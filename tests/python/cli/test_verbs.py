"""Verbs of the toolkit as commands, and as stages of quire run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import quire
from quire.cli.verbs import GROUPS, STAGES, VERBS

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
    "map": ["x", "px", "id", "--points", "3x2", "--method", "nearest"],
    "text": ["label=n{id:03d}"],
    "sample": ["noise=gaussian(0,1,2)", "--seed", "7"],
}
"""Arguments of verbs that need no second file."""


@pytest.mark.parametrize("verb", sorted(ALONE.keys() & set(VERBS)))
def test_a_command_writes_what_a_chain_of_its_verb_writes(run: Run, beam: Path, verb: str) -> None:
    alone, chained = (beam.with_name(f"{name}{beam.suffix}") for name in ("alone", "chained"))
    first = run(verb, beam, alone, *ALONE[verb])
    second = run("run", beam, "/", verb, *ALONE[verb], "/", "write", chained)
    assert (first.code, second.code) == (0, 0), first.errors + second.errors
    assert alone.read_bytes() == chained.read_bytes()


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        ("rows 0:2 / get id", "0\n1\n"),
        ("rows 0:2 / define y=2*id / get id y --delimiter ,", "0,0\n1,2\n"),
        ("filter 'id<3' / get 'sum(id)' --format %.1f", "3.0\n"),
        ("stats 'n=count(id)' / get n", "5\n"),
    ],
)
def test_a_chain_prints_values_for_scripts(run: Run, words: str, printed: str) -> None:
    outcome = run("run", "new", "id=0,1,2,3,4", "/", *shlex.split(words))
    assert (outcome.code, outcome.output) == (0, printed), outcome.errors


def test_options_after_the_file_of_a_chain_are_pointed_out(run: Run, one_beam: Path) -> None:
    outcome = run("run", one_beam, "--steps", "0", "/", "sort", "x")
    assert outcome.code == 2
    assert f"options come before the file: quire run --steps 0 {one_beam} / ..." in outcome.errors
    foreign = run("run", one_beam, "--memory", "1MB", "/", "sort", "x", "/", "write", "-")
    assert foreign.code == 2
    assert "run has no option --memory; options of a verb come after its name" in foreign.errors


def test_a_missing_name_of_values_is_an_error(run: Run, one_beam: Path) -> None:
    outcome = run("run", one_beam, "/", "get", "nothing")
    assert (outcome.code, outcome.output) == (1, "")
    assert "there is no attribute, column or field 'nothing'" in outcome.errors


def test_a_step_without_columns_is_refused_where_it_cannot_be_stored(run: Run, tmp_path: Path) -> None:
    source, target = tmp_path / "source.h5", tmp_path / "target.h5"
    with quire.create(source) as out, out.step(0) as step:
        step.put("x", [1.0])
    for words in (["select", source, target, "--drop", "*"], ["pivot", source, target, "x", "x"]):
        outcome = run(*words, *(["--where", "x > 1"] if words[0] == "pivot" else []))
        assert outcome.code == 1
        assert "the tables have no columns, and the format" in outcome.errors
        assert not target.exists()


def test_the_help_of_chains_lists_the_verbs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    text = run("run", "--help").output
    for title, names in GROUPS.items():
        section = text.partition(f"\nVerbs: {title}\n")[2].partition("\n\n")[0]
        assert tuple(re.findall(r"^  (\w+)  +[A-Z]", section, re.MULTILINE)) == names
        assert max(map(len, section.splitlines())) <= 72


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
        ("map x px x", "a map needs three different columns"),
        ("map x px id --method cubic", "--range and --method need a number of points"),
        ("map x px id --points 2x2x2", "a grid has numbers of points (--points) along two axes, not 3"),
        ("map x px id --levels a,b", "'a,b' is not a list of numbers"),
        ("get x / sort x", "get is the last verb"),
        ("get x --format %s%s", "is not a format for one value"),
        ("text x", "'x' is no definition; write NAME=FORMAT"),
        ("text y=Q{x", "'Q{x' is no format"),
        ("text y={x.real}", "'{x.real}' is no name of a column or an attribute"),
        ("sample y=1,2", "a distribution is needed"),
        ("sample y=gaussian(0,1) --seed -1", "it must be greater than or equal to 0"),
    ],
)
def test_wrong_words_of_a_chain_are_usage_errors(run: Run, one_beam: Path, words: str, said: str) -> None:
    outcome = run("run", one_beam, "/", *words.split())
    assert (outcome.code, outcome.output) == (2, "")
    assert said in outcome.errors
    assert len(outcome.errors.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("interp y --versus x --at 0,1.5", "1 of 2 values of y are NaN"),
        ("rows 0:1 / deriv y --versus x", "1 of 1 values of y_derivative are NaN"),
        ("pivot k y --rows-by x", "3 of 6 places have no value, and are NaN"),
        ("pivot x k --rows-by y", "6 of 9 places have no value, and are empty"),
        ("filter 'x > 9' / stats 'n=count(y)' 'mean(y)'", "1 of 1 values of y_mean are NaN"),
        ("filter 'x > 9' / stats --keep-rows 'mean(y)'", "y_mean are NaN"),
        ("correlate x c", "1 of 1 correlations do not exist"),
        ("join OTHER --on x --how left", "2 of 3 rows have no partner: their values are missing"),
        ("interp y --versus x --at 0 / filter 'x >= 0' / pages collapse", "1 of 1 values of y are NaN"),
        ("fit c --versus x --model gaussian", "the fit of c in step 0 did not converge"),
    ],
)
def test_missing_values_are_counted_and_strictly_refused(
    run: Run, tmp_path: Path, words: str, said: str
) -> None:
    source, other, target = (tmp_path / f"{name}.h5" for name in ("in", "other", "out"))
    assert run("new", source, "k=a,a,b", "x=1,2,3", "y=4,5,6", "c=7.5").code == 0
    assert run("new", other, "x=1", "z=8").code == 0
    chain = [str(other) if one == "OTHER" else one for one in shlex.split(words)]
    usual = run("run", source, "/", *chain, "/", "write", target)
    assert usual.code == (1 if chain[0] == "fit" else 0)
    assert f"warning: {said}" in usual.errors or f"warning: step 0: {said}" in usual.errors
    target.unlink()
    for end in (["/", "write", target], []):
        strict = run("run", "--strict", source, "/", *chain, *end)
        assert (strict.code, strict.output) == (1, "")
        assert said in strict.errors
        assert "warning" not in strict.errors.split("--strict")[0]
    assert not target.exists()
    if "/" not in chain:
        assert run(chain[0], source, target, *chain[1:], "--strict").code == 1
        assert not target.exists()


@pytest.mark.parametrize("end", ["", "/ get z", "/ get 'count(z)'", "/ select z", "/ write OUT"])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("join OTHER --on x", "2 of 3 rows have no partner and are left out"),
        ("join OTHER --on x --how left", "2 of 3 rows have no partner: their values are missing"),
        ("define z=x / outliers z --range :1", "step 0: 2 of 3 rows are outliers, and left out"),
        ("define z=x / interp z --versus k --at 0,1,9", "step 0: 1 of 3 values of z are NaN"),
    ],
)
def test_every_end_of_a_chain_warns_once(run: Run, tmp_path: Path, words: str, said: str, end: str) -> None:
    source, other = tmp_path / "in.h5", tmp_path / "other.h5"
    assert run("new", source, "k=0,1,2", "x=1,2,3").code == 0
    assert run("new", other, "x=1", "z=8").code == 0
    names = {"OTHER": str(other), "OUT": str(tmp_path / "out.h5")}
    done = run("run", source, "/", *(names.get(word, word) for word in shlex.split(f"{words} {end}")))
    assert done.code == 0
    assert done.errors == f"warning: {said}\n"


def test_what_only_a_file_would_lack_is_no_warning_of_a_printed_table(run: Run, tmp_path: Path) -> None:
    assert run("example", "beam", tmp_path / "beam.h5").code == 0
    chain = ("run", "--index", "0", tmp_path / "beam.h5", "/", "group", "every(1000)")
    assert run(*chain).errors == ""
    assert run(*chain, "/", "write", tmp_path / "out.h5").errors == "warning: fields are left out: rho\n"


def test_printed_results_are_first_and_equal_attributes_left_out(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "in.h5"
    with quire.create(path) as out:
        for number in (3, 7):
            with out.step(number) as step:
                step.put("k", np.array([1.0, 1.0, 2.0])).put("x", np.array([1.0, 2.0, 4.0]))
                step.set("time", float(number))
                if number == 7:
                    step.set("charge", 1.0)
                for place in range(7):
                    step.set(f"same{place}", 1.5 if place else float("nan"))
    note = "7 attributes are constant: same0, same1, same2, same3, same4, ... (written files have them)"
    for words in (("run", path, "/", "stats", "mean(x)"), ("stats", path, "mean(x)")):
        lines = run(*words).output.splitlines()
        assert (lines[1].split(), lines[-1]) == (["row", "step", "x_mean", "time", "charge"], note)
    lines = run("run", path, "/", "group", "k", "/", "stats", "median(x)").output.splitlines()
    assert (lines[0], lines[1].split()) == ("step 3: 2 rows", ["row", "k", "x_median", "time"])
    assert lines[-1] == note
    one = run("run", "--steps", "3", path, "/", "group", "k", "/", "stats", "sum(x)").output.splitlines()
    assert one[1].split() == ["row", "k", "x_sum"]
    assert one[-1].startswith("8 attributes are constant: ")
    assert run("run", path, "/", "stats", "mean(x)", "/", "write", tmp_path / "out.h5").code == 0
    with quire.open(tmp_path / "out.h5") as file:
        assert {f"same{place}" for place in range(7)} <= set(file[0].table)
