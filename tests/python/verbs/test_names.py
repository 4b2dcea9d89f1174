"""Names are given to all verbs of a chain in the same ways, and options have keywords."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

import quire
from quire.cli.verb import parameters_of, stage_function
from quire.cli.verbs import ENDS, STAGES
from quire.verbs.chain import Chain
from quire.verbs.fitting import Fitting

PAGE = Path(__file__).parents[3] / "docs" / "commands" / "tables.md"

VERBS: dict[str, Callable[..., Any]] = {
    "correlate": lambda chain, *names: chain.correlate(*names),
    "deriv": lambda chain, *names: chain.deriv(*names, versus="t"),
    "fft": lambda chain, *names: chain.fft(*names, versus="t"),
    "fit": lambda chain, *names: chain.fit(*names, versus="t"),
    "group": lambda chain, *names: chain.group(*names).stats("count(t)"),
    "hist": lambda chain, *names: chain.hist(*names, bins=2),
    "integ": lambda chain, *names: chain.integ(*names, versus="t"),
    "interp": lambda chain, *names: chain.interp(*names, versus="t", at=[1.5]),
    "melt": lambda chain, *names: chain.melt(*names),
    "outliers": lambda chain, *names: chain.outliers(*names, maximum=6),
    "reduced": lambda chain, *names: chain.reduced(*names),
    "select": lambda chain, *names: chain.select(*names),
    "smooth": lambda chain, *names: chain.smooth(*names),
    "sort": lambda chain, *names: chain.sort(*names),
    "stats": lambda chain, *names: chain.stats(*names),
    "tunes": lambda chain, *names: chain.tunes(*names, versus="t"),
    "unique": lambda chain, *names: chain.unique(*names),
}


@pytest.mark.parametrize("verb", VERBS)
def test_names_are_arguments_a_list_or_a_text(verb: str) -> None:
    chain = quire.new("t=0,1,2,3", "x=3,5,4,7", "px=1,2,2,9")
    arguments = VERBS[verb](chain, "x", "px").read()
    for given in (["x", "px"], ("x", "px"), "x,px", "x, px"):
        found = VERBS[verb](chain, given).read()
        assert list(found) == list(arguments)
        assert all(found[name].tolist() == arguments[name].tolist() for name in found)


@pytest.mark.parametrize(
    ("listed", "text"),
    [
        (
            lambda one: one.pivot("k", "v", rows_by=["n", "m"]),
            lambda one: one.pivot("k", "v", rows_by="n,m"),
        ),
        (lambda one: one.select(drop=["n", "m"]), lambda one: one.select(drop="n,m")),
        (
            lambda one: one.correlate("v", with_only=["n", "m"]),
            lambda one: one.correlate("v", with_only="n,m"),
        ),
        (lambda one: one.join(one, ["n", "m"], suffix="2"), lambda one: one.join(one, "n,m", suffix="2")),
        (
            lambda one: one.join(one, "n", take=["v", "m"], suffix="2"),
            lambda one: one.join(one, "n", take="v,m", suffix="2"),
        ),
        (
            lambda one: one.fft("v", versus="n", results=["real", "phase"]),
            lambda one: one.fft("v", versus="n", results="real,phase"),
        ),
    ],
)
def test_keywords_take_a_list_or_a_text(listed: Any, text: Any) -> None:
    chain = quire.new("k=a,b,a,b", "n=1,2,3,4", "m=1,1,2,2", "v=5,6,7,9")
    one, other = listed(chain).read(), text(chain).read()
    assert {name: str(values) for name, values in one.items()} == {
        name: str(values) for name, values in other.items()
    }


def test_commas_belong_to_names_in_parentheses_and_in_lists() -> None:
    chain = quire.new("x=1,2,3,4", "k=1,1,2,2")
    assert len(list(chain.group("k,half=bin(x, 2)"))) == 2
    assert list(chain.stats("percentile(x, 50),n=count(x)").read())[1:] == ["x_percentile", "n"]
    odd = chain.select("x", rename={"x": "a,b"})
    assert list(odd.sort(["a,b"]).read()) == ["a,b"]


def options() -> list[tuple[str, str]]:
    """Return the options of all verbs, as `hist`, `--bins`."""
    found = []
    for verb in STAGES:
        for one in parameters_of(stage_function(verb)) if verb not in ENDS else ():
            described = one.annotation.__metadata__[0]
            words = (described.default, *(described.param_decls or ()))
            found += [(verb, word) for word in words[:1] if str(word).startswith("--")]
    return found


def keywords(verb: str) -> set[str]:
    """Return the keywords of the method of a verb."""
    method = getattr(Chain, verb, None)
    found: set[str] = set()
    for one in inspect.signature(method).parameters.values() if method else ():
        hint = get_type_hints(method)[one.name] if one.kind is one.VAR_KEYWORD else None
        found |= {one.name, *(name for typed in get_args(hint) for name in get_type_hints(typed))}
    return found


def test_every_option_has_its_keyword_or_is_in_the_list_of_differences() -> None:
    listed = set(re.findall(r"`(\w+) (--[\w-]+)", PAGE.read_text().partition("## In Python")[2]))
    fitting = {("fit", f"--{one.name}") for one in fields(Fitting)}
    own = {
        (verb, option) for verb, option in options() if option.strip("-").replace("-", "_") in keywords(verb)
    }
    assert set(options()) - own - fitting <= listed <= {*options(), ("run", "--steps")}
    assert len(options()) > 90
