"""rpnl: a calculator for scripts: specs/sdds-toolkit.md, sections 3.12 and 7.10."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Final

from quire.errors import UsageError
from quire.legacy.equations import RPN, Environment
from quire.legacy.translation import Command
from quire.rpn.tokens import Token, tokens_of
from quire.rpn.words import COMPARISONS, LOGIC, TEXT_COMPARISONS

PROGRAM: Final = "rpnl"

STANDARD_FORMAT: Final = "%.15lg"
SHOWS: Final = "test"
"""The word that prints a condition, which is the last one."""
AS_WORDS: Final = 'cle ? "true" : "false" $'

RANDOM: Final = ("rnd", "grnd")

ONLY_NOW: Final = {"-s", *RANDOM}
"""Words whose values are those of one run."""


def translate(words: Sequence[str]) -> Command:
    """Independent. Translate the arguments of the program; with -s the rest is read from standard input."""
    given = [word for word in words if word != "-s"]
    text = " ".join([*given, *([sys.stdin.read()] if len(given) < len(words) else [])])
    tokens = tokens_of(text)
    if not tokens:
        raise UsageError("an expression is missing, such as rpnl 2 sqrt; -s reads it from standard input")
    last = tokens[-1].text
    if last in {*COMPARISONS, *LOGIC, *TEXT_COMPARISONS}:
        raise UsageError(f"{last} at the end leaves no number: write test, or ? 1 : 0 $, after it")
    written = [AS_WORDS if one is tokens[-1] and last == SHOWS else drawn(one.text) for one in tokens]
    form = os.environ.get("RPNL_FORMAT", STANDARD_FORMAT)
    return Command(
        PROGRAM, ("calc", "--format", form, *definitions_of(tokens), "--", RPN + " ".join(written))
    )


def drawn(word: str) -> str:
    """Independent. Return a word; for one of a random number the number, which is another in each run."""
    if word not in RANDOM:
        return word
    import numpy as np

    random = np.random.default_rng()
    return repr(float(random.random() if word == "rnd" else random.standard_normal()))


def definitions_of(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Independent. Return the option for the file that RPN_DEFNS names, if a word is defined there alone."""
    known = Environment.of_variable()
    own = {*known.functions, *(one.text for one in known.before)}
    return ("--rpn-definitions", os.environ["RPN_DEFNS"]) if own & {one.text for one in tokens} else ()
