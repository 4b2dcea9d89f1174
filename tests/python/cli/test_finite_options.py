"""Numbers of options are finite: NaN and infinity have no meaning in any of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
from tests.python.cli.conftest import Run

from quire.cli.main import GROUPS, app
from quire.cli.shell import NUMBERS, choices_of, placeholder

PREFIXES = {"NAME=X": "a=", "NAME=A:B": "a=0:", "A:B": "0:", "AXIS=VALUE": "y=", "X,...": "1,", "LIST": "1,"}


def options() -> list[tuple[str, str, str]]:
    """Every option with numbers: the command, the option, and what goes before a number."""
    commands: Any = typer.main.get_command(app)
    return [
        (name, option.opts[0], PREFIXES.get(placeholder(option), ""))
        for name in (name for names in GROUPS.values() for name in names)
        for option in commands.get_command(None, name).params
        if option.param_type_name == "option" and placeholder(option) in NUMBERS
        if not getattr(option.type, "name", "").startswith("int")
    ]


def test_there_are_options_with_numbers() -> None:
    found = {(command, option) for command, option, _ in options()}
    assert found >= {("peaks", "--threshold"), ("diff", "--rtol"), ("interp", "--at"), ("fit", "--start")}
    assert found >= {("map", "--levels"), ("plot", "--mark"), ("hist", "--range"), ("join", "--tolerance")}


@pytest.mark.parametrize("word", ["nan", "-INF", "-1e999"])
def test_options_are_finite(word: str) -> None:
    commands: Any = typer.main.get_command(app)
    for name, option, prefix in options():
        command = commands.get_command(None, name)
        required = [one for one in command.params if one.required]
        words = [(choices_of(one.type) or ["a"])[0] for one in required if one.param_type_name == "argument"]
        needed = [f"{one.opts[0]}=a" for one in required if one.param_type_name == "option"]
        with pytest.raises(typer.BadParameter) as caught:
            command.make_context(name, [*needed, f"{option}={prefix}{word}", *words])
        assert option in caught.value.format_message()


def test_the_message_names_option_and_remedy(run: Run, one_beam: Path) -> None:
    for words in (["peaks", one_beam, "out"], ["run", one_beam, "/", "peaks"]):
        outcome = run(*words, "x", "--threshold", "nan")
        assert outcome.code == 2
        assert "invalid value for '--threshold': it must be a finite number" in outcome.errors


def test_infinity_may_be_the_default(run: Run, one_beam: Path) -> None:
    target = one_beam.with_stem("out")
    words = ["--nearest", "x", "--suffix", "_2", "--steps", "4"]
    assert run("join", one_beam, target, one_beam, *words, "--tolerance", "inf").code == 0
