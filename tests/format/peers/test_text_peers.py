"""Unusual text files, read by us as by the reference."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.format.peers.test_peers import worker

import quire

pytestmark = pytest.mark.peer

COLUMNS = {"d": "double", "f": "float", "n": "long", "h": "short", "w": "long64", "s": "string"}
NUMBERS = ["1", "+2.5e3", ".5", "5.", "1E-3", "-0.125", "1,000", "3.5abc", '"3.5"', "0x10", "1e-310", "12.75"]
INTEGERS = ["1", "-7", "+3", "012", "12abc", "3.9", "0x10", '"6"', "1,000", "99999999999"]
WORDS = [
    "a",
    '"b c"',
    '"d\\"e"',
    "c\\!d",
    "\\101\\102",
    'x"y z"w',
    '""',
    '"tab\\there"',
    "\\\\",
    '" padded "',
    "#!",
]


def value(column: str, dice: random.Random) -> str:
    """One spelling of a value of a column."""
    if column == "s":
        return dice.choice(WORDS[:-1])
    return dice.choice(NUMBERS if column in "df" else INTEGERS)


def lines_of(row: list[str], lines_per_row: int, dice: random.Random) -> Iterator[str]:
    """The lines of a row, with comments between and after them."""
    cuts = sorted(dice.sample(range(1, len(row)), lines_per_row - 1)) if lines_per_row else [len(row) // 2]
    for first, last in zip([0, *cuts], [*cuts, len(row)], strict=True):
        if dice.random() < 0.2:
            yield '! a comment with "one quote'
        line = dice.choice(["", " ", "\t"]) + dice.choice([" ", "  ", "\t"]).join(row[first:last])
        yield line + dice.choice(["", " ", " ! after", "\r"])


def text_file(seed: int) -> str:
    """A file of text with parameters, several pages, and rows of a layout that depends on the seed."""
    dice = random.Random(seed)
    lines_per_row = (1, 2, 3, 0)[seed % 4]
    counted = seed % 3 != 0
    lines = ["SDDS5", "&parameter name=p, type=double &end", "&parameter name=q, type=string &end"]
    lines += [f"&column name={name}, type={type} &end" for name, type in COLUMNS.items()]
    lines += [f"&data mode=ascii, lines_per_row={lines_per_row}, no_row_counts={int(not counted)} &end"]
    for page in range(3):
        rows = dice.choice([1, 2, 9])
        lines += [] if counted or page == 0 else [""]
        lines += [
            f"! page {page}",
            dice.choice(NUMBERS),
            dice.choice(["some words ! and more", '"q" r', "", "plain"]),
        ]
        lines += [f"{rows} rows"] if counted else []
        for _ in range(rows):
            lines += lines_of([value(name, dice) for name in COLUMNS], lines_per_row, dice)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(16))
def test_unusual_text_is_read_alike(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "odd.sdds"
    path.write_text(text_file(seed), newline="")
    theirs = json.loads(worker("soliday_worker.py", "read", str(path), peer="soliday"))
    with quire.open(path) as file:
        assert file.check().damage is None
        assert len(file) == len(theirs["columns"]["d"])
        for page, step in enumerate(file):
            assert step.attrs["p"] == theirs["parameters"]["p"][page]
            assert step.attrs["q"] == theirs["parameters"]["q"][page]
            for name in COLUMNS:
                wanted = theirs["columns"][name][page]
                if name == "s":
                    assert list(step[name][:]) == wanted
                else:
                    np.testing.assert_array_equal(step[name][:], np.array(wanted, step[name][:].dtype))


DOUBTFUL = {
    "double": ["infinity", "infinit", "infx", "nanx", "0x", "0x.8", "0x1p", "1e+", "0xg", "+-1", "1e400"],
    "ushort": ["-1", "9223372036854775808", "-18446744073709551615", "-99999999999999999999", "0x10"],
    "ulong": ["-1", "9223372036854775808", "99999999999999999999", "4294967296"],
    "short": ["9223372036854775808", "-99999999999999999999", "40000"],
}


@pytest.mark.parametrize("type", DOUBTFUL)
def test_doubtful_numbers_are_read_alike(type: str, tmp_path: Path) -> None:
    for place, token in enumerate(DOUBTFUL[type]):
        path = tmp_path / f"{place}.sdds"
        path.write_text(f"SDDS2\n&column name=x, type={type} &end\n&data mode=ascii &end\n1\n{token}\n")
        outcome = worker("soliday_worker.py", "try", str(path), peer="soliday")
        theirs = json.loads(outcome) if outcome.strip() else None
        with quire.open(path) as file:
            damage = file.check().damage
            assert (damage is not None) == (theirs is None), token
            if theirs is not None:
                found = file[0]["x"][:]
                np.testing.assert_array_equal(found, np.array(theirs["columns"]["x"][0], found.dtype))


@pytest.mark.parametrize("lines_per_row", [1, 0])
def test_strings_of_delicate_bytes_reach_the_reference(lines_per_row: int, tmp_path: Path) -> None:
    dice = random.Random(lines_per_row)
    words = ['a\\\\"b c', '\\\\"\\\\" \\\\']
    words += ["".join(dice.choices('\\\\\\""! a\t', k=dice.randrange(9))) for _ in range(600)]
    path = tmp_path / "delicate.sdds"
    with quire.create(path, mode="ascii", lines_per_row=lines_per_row) as out, out.step(0) as step:
        step.put("n", np.arange(len(words)))
        step.put("s", words)
        step.put("t", words[::-1])
    theirs = json.loads(worker("soliday_worker.py", "read", str(path), peer="soliday"))["columns"]
    assert theirs["n"] == [list(range(len(words)))]
    assert theirs["s"] == [words]
    assert theirs["t"] == [words[::-1]]
    with quire.open(path) as file:
        assert list(file[0]["s"][:]) == words
