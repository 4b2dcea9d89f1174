"""The exit code 2 is for wrong usage, and 1 for data that do not suffice: one rule for all verbs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.python.cli.conftest import Run, suffix_of

import quire
from quire.cli.verbs import VERBS

TAKEN = {
    "correlate": ("IN OUT x", "IN OUT --method q"),
    "define": ("IN OUT r=q+1", "IN OUT r=x+"),
    "deriv": ("IN OUT x --versus x", "IN OUT x --versus y --interval q"),
    "fft": ("IN OUT x --versus y", "IN OUT x --window q"),
    "filter": ("IN OUT q>0", "IN OUT x>"),
    "fit": ("IN OUT x --versus name", "IN OUT x --versus y --model q"),
    "group": ("IN OUT q", "IN OUT bin(x,0)"),
    "hist": ("IN OUT name", "IN OUT x --bins q"),
    "integ": ("IN OUT x --versus y --method gill_miller", "IN OUT x --versus y --method q"),
    "interp": ("IN OUT x --versus y --at 1", "IN OUT x --versus y"),
    "join": ("IN OUT IN --take q", "IN OUT IN --how q"),
    "map": ("IN OUT x y k", "IN OUT x y"),
    "matrix": ("IN OUT inverse", "IN OUT inverse --ratio 1"),
    "melt": ("IN OUT x name", "IN OUT"),
    "outliers": ("IN OUT name --deviations 2", "IN OUT x --deviations 2 --replace q"),
    "pages": ("IN OUT merge --by q", "IN OUT q"),
    "peaks": ("IN OUT name", "IN OUT x --points 4"),
    "pivot": ("IN OUT x q", "IN OUT x"),
    "rows": ("IN OUT --where q>0", "IN OUT --rows q"),
    "sample": ("IN OUT x=gaussian(0,1)", "IN OUT e=cauchy(0,1)"),
    "select": ("IN OUT q", "IN OUT --cast x"),
    "smooth": ("IN OUT x --method polynomial --points 9", "IN OUT x --points 4"),
    "sort": ("IN OUT q", "IN OUT x:up"),
    "stats": ("IN mean(name)", "IN mean(x,q=1)"),
    "text": ("IN OUT n={name:d}", "IN OUT n"),
    "track": ("IN OUT --ids 17 --key q", "IN OUT"),
    "transpose": ("IN OUT --names q", "IN OUT --digits q"),
    "tunes": ("IN OUT x --versus y", "IN OUT x --count 0"),
    "zeros": ("IN OUT x --versus name", "IN OUT x"),
}
"""Of each verb a command line that these data do not suffice for, and one that is wrong for all data."""

COMMANDS = sorted({*VERBS, "stats", "define", "filter"})


def rows(path: Path) -> Path:
    """Four rows: y neither ascends nor has even steps, and there is a column of texts."""
    quire.new("x=1,2,4,4", "y=0,1,1,3", "k=1,1,2,3", "name=a,b,c,d").write(path)
    return path


@pytest.mark.parametrize("verb", COMMANDS)
def test_data_that_do_not_suffice_exit_with_1_and_are_named(
    verb: str, run: Run, tmp_path: Path, text_format: str
) -> None:
    source = rows(tmp_path / f"in{suffix_of(text_format)}")
    target = source.with_stem("out")
    words = [{"IN": source, "OUT": target}.get(word, word) for word in TAKEN[verb][0].split()]
    outcome = run(verb, *words)
    assert outcome.errors.startswith(f"quire: {source}"), outcome.errors
    assert (outcome.code, target.exists()) == (1, False), outcome.errors


@pytest.mark.parametrize("verb", COMMANDS)
def test_wrong_usage_exits_with_2(verb: str, run: Run, tmp_path: Path, text_format: str) -> None:
    source = rows(tmp_path / f"in{suffix_of(text_format)}")
    target = source.with_stem("out")
    words = [{"IN": source, "OUT": target}.get(word, word) for word in TAKEN[verb][1].split()]
    outcome = run(verb, *words)
    assert (outcome.code, target.exists()) == (2, False), outcome.errors


OF_OTHERS = {
    "interp": "IN OUT x --versus k --file OTHER",
    "matrix": "NUMBERS OUT product --by OTHER",
    "sample": "IN OUT e=tabulated(OTHER,y,x)",
}
"""Command lines in which the data of the other file do not suffice."""


@pytest.mark.parametrize("verb", sorted(OF_OTHERS))
def test_the_other_file_is_named_if_its_data_do_not_suffice(
    verb: str, run: Run, tmp_path: Path, text_format: str
) -> None:
    source = rows(tmp_path / f"in{suffix_of(text_format)}")
    numbers, other = source.with_stem("numbers"), source.with_stem("other")
    quire.new("x=1,2", "y=3,4").write(numbers)
    quire.new("x=1,nan", "y=3,2").write(other)
    places = {
        "IN": str(source),
        "NUMBERS": str(numbers),
        "OTHER": str(other),
        "OUT": str(source.with_stem("out")),
    }
    line = OF_OTHERS[verb]
    for name, path in places.items():
        line = line.replace(name, path)
    outcome = run(verb, *line.split())
    assert outcome.errors.startswith(f"quire: {other}"), outcome.errors
    assert outcome.code == 1


IN_OTHER_COMMANDS = {
    "stats IN emittance_x": "the columns are those of no phase-space convention",
    "stats IN --beam": "the columns are those of no phase-space convention",
    "track IN OUT --ids 17": "no column is known to identify particles",
    "import COMMAS OUT": "the numbers of column 'a' have decimal commas, as in 1,5",
    "thin IN OUT --every 100 --offset 50": "no row is kept",
}
"""Command lines that are right for other data, and how the message begins."""


@pytest.mark.parametrize("line", IN_OTHER_COMMANDS)
def test_commands_that_are_right_for_other_data_exit_with_1_and_say_why(
    line: str, run: Run, tmp_path: Path, text_format: str
) -> None:
    source, commas = rows(tmp_path / f"in{suffix_of(text_format)}"), tmp_path / "commas.csv"
    commas.write_text("a;b\n1,5;2,5\n")
    places = {"IN": source, "COMMAS": commas, "OUT": source.with_stem("out")}
    outcome = run(*(places.get(word, word) for word in line.split()))
    named = commas if "COMMAS" in line else source
    assert outcome.errors.startswith(f"quire: {named}: {IN_OTHER_COMMANDS[line]}"), outcome.errors
    assert outcome.code == 1


def test_a_chain_without_rows_is_reported_as_get_reports_it(run: Run, tmp_path: Path) -> None:
    empty, none = (tmp_path / f"{name}{suffix_of(quire.formats()[0])}" for name in ("empty", "none"))
    with quire.create(empty) as out, out.step(0) as step:
        step.put("x", [])
    with quire.create(none):
        pass
    for path in (empty, none):
        assert run("run", path, "/", "get", "x").code == run("get", path, "x").code
    outcome = run("run", empty, "/", "filter", "x>0", "/", "get", "x")
    assert (outcome.code, outcome.errors) == (1, f"quire: {empty}: no row is left\n")


def test_integers_of_distributions_have_63_bits(run: Run, tmp_path: Path) -> None:
    target = tmp_path / f"new{suffix_of(quire.formats()[0])}"
    for source in (f"uniform(0,1,halton={'9' * 401})", f"sequence(begin=0,delta=1,rows={'9' * 401})"):
        outcome = run("new", target, f"x={source}")
        assert (outcome.code, target.exists()) == (2, False), outcome.errors
