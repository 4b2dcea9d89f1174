"""Unusual headers, read by us as by the reference."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from tests.format.peers.test_schemas import Peer

import quire

pytestmark = pytest.mark.peer

HEADERS = 120
# The reference does not parse quoted text that contains &end or a line end in commands of several lines.
UNITS = [
    "m", '"m"', '"a b"', 'a"b"c', '"a,b"', '"!x"', '"\\"q\\""', '"x\\\\ny"', '""', "$gb$r", '"$a2$n"', "a=b",
    "=a", "a&b", "it's", '"a\tb"', "a\\b", '"a#b"', "caf\u00e9", '"x" ',
]  # fmt: skip
BETWEEN = [
    "! comment &column", "!# little-endian", "!#fixed-rowcount other", "junk", "", "  ", '"quoted & thing"',
    "! # big-endian", "&associate name=a, sdds=1 &end", "&associate any = = thing &end",
    "&description text=t &end",
]  # fmt: skip
AFTER = ["", "", " ! comment", " junk", "\r", ",", ";", "junk"]


def definition(name: str, dice: random.Random) -> str:
    """A column whose fields are in any order, with any separators between them."""
    equals = dice.choice(["=", " = ", "= ", " ="])
    fields = [f"name{equals}{name}", "type=double", f"units{equals}{dice.choice(UNITS)}"]
    fields += [f"description={dice.choice(UNITS)}"] * dice.randint(0, 1)
    dice.shuffle(fields)
    if "units=m" in fields and dice.random() < 0.5:
        fields.append("units=late")
    text = dice.choice([" ", "\t", "\n", "  "]).join(["&column", fields[0]])
    for field in fields[1:]:
        text += dice.choice([", ", ",", " ", "  ", "\t", " , ", ",, ", "\n", ",\n! c\n", ", ! c\n"]) + field
    return text + dice.choice([" ", ", ", "\n", " ,"]) + "&end" + dice.choice(AFTER)


def header(dice: random.Random) -> str:
    """A header of some columns."""
    lines = ["SDDS1" + dice.choice(["", "", " x", ".5", "\r"])]
    for name in "xyz"[: dice.randint(1, 3)]:
        lines += [dice.choice(BETWEEN)] * dice.randint(0, 1)
        lines.append(definition(name, dice))
    return "\n".join([*lines, "&data mode=ascii &end\n"])


@pytest.fixture(scope="module", name="peer")
def start_peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    peer = Peer("soliday", tmp_path_factory.mktemp("headers"))
    yield peer
    peer.end()


def test_unusual_headers_are_read_alike(peer: Peer) -> None:
    for seed in range(HEADERS):
        text = header(random.Random(seed))
        columns = text.count("&column") - text.count("! comment &column")
        peer.path.write_text(f"{text}1\n{' '.join('7' * columns)}\n", newline="")
        theirs = [(one["name"], one["unit"]) for one in peer.ask("read")["columns"]]
        with quire.open(peer.path) as file:
            assert [(column.name, column.unit) for column in file[0].table.columns.values()] == theirs, text
