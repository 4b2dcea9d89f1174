"""Generated schemas are exchanged between us and the peers: each reads what the other writes.

The strategies leave out what a peer does not support, each with its reason.
"""

from __future__ import annotations

import json
import os
import string
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.format.conformance.test_canonical import options_like
from tests.format.peers.test_peers import HERE, PEERS

import quire.sdds
from quire.toolkit.convert import copy

pytestmark = pytest.mark.peer

Schema = dict[str, list[dict[str, Any]]]
Strategy = st.SearchStrategy[Any]

# The parameter Step holds our step numbers, and is then not a parameter.
all_names = st.from_regex(r"[A-Za-z.:][A-Za-z0-9@:#+%._$&/\[\]-]{0,8}", fullmatch=True).filter(
    lambda name: name != "Step"
)
all_units = st.sampled_from(["", "m", "m$be$nc", "1/m", "a b", "%"])
NUMBERS: dict[str, Strategy] = {
    "short": st.integers(-(2**15), 2**15 - 1),
    "ushort": st.integers(0, 2**16 - 1),
    "long": st.integers(-(2**31), 2**31 - 1),
    "ulong": st.integers(0, 2**32 - 1),
    "long64": st.integers(-(2**63), 2**63 - 1),
    "ulong64": st.integers(0, 2**64 - 1),
    "float": st.floats(width=32),
    "double": st.floats(),
}
ascii_texts = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12)
# pysdds splits text by rules of its own: quotes, backslashes, comments and empty strings come back changed.
ascii_words = st.text(string.ascii_letters + string.digits + "_.+-/", min_size=1, max_size=12)
any_texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


no_options: Strategy = st.just({})


@dataclass(frozen=True)
class Ability:
    """The parts of a schema that a peer can read or write in a mode."""

    parameters: dict[str, Strategy]
    arrays: dict[str, Strategy]
    columns: dict[str, Strategy]
    names: Strategy = all_names
    units: Strategy = all_units
    most_pages: int = 3
    fewest_rows: int = 0
    options: Strategy = no_options
    """Options of our writer."""


byte_orders = st.sampled_from(["little", "big"])
binary = st.fixed_dictionaries(
    {"mode": st.just("binary"), "byte_order": byte_orders, "major_order": st.sampled_from(["row", "column"])}
)

# longdouble: pysdds refuses it. UTF-8: it decodes strings of binary data as ASCII. Arrays of characters: it
# returns their codes.
pysdds_types = {**NUMBERS, "string": ascii_texts}
PYSDDS_READS_BINARY = Ability(
    {**pysdds_types, "character": st.sampled_from("aZ 1")},
    pysdds_types,
    {**pysdds_types, "character": st.sampled_from("aZ 1")},
    options=binary,
)
# Pages without rows: pysdds passes such text to pandas, which finds no columns. Columns of characters: an
# assertion fails. nan and inf: pandas may read them as texts.
pysdds_words = {
    **NUMBERS,
    "float": st.floats(width=32, allow_nan=False, allow_infinity=False),
    "double": st.floats(allow_nan=False, allow_infinity=False),
    "string": ascii_words,
}
PYSDDS_READS_TEXT = Ability(
    pysdds_words, pysdds_words, pysdds_words, fewest_rows=1, options=st.just({"mode": "ascii"})
)
# It has no function to add an array to a file.
PYSDDS_WRITES = Ability(pysdds_types, {}, pysdds_types, fewest_rows=1)

# Only the types of version 1, one page, and no columns in binary data; it does not know characters.
sdds_types = {kind: NUMBERS[kind] for kind in ("short", "long", "float", "double")}
# It keeps the quotes of texts in the header, and writes none.
bare_names = all_names.filter(lambda name: not {"&", "$"} & set(name))
bare_units = st.sampled_from(["", "m", "1/m", "%"])
SDDS_READS_BINARY = Ability(
    {**sdds_types, "string": any_texts},
    {**sdds_types, "string": any_texts},
    {},
    names=bare_names,
    units=bare_units,
    most_pages=1,
    # Column-major data need version 3.
    options=st.fixed_dictionaries({"mode": st.just("binary"), "byte_order": byte_orders}),
)
# It reads the quotes of strings and the comments after the dimensions of arrays as values.
SDDS_READS_TEXT = Ability(
    sdds_types, {}, {}, bare_names, bare_units, most_pages=1, options=st.just({"mode": "ascii"})
)
# It counts characters instead of bytes.
SDDS_WRITES = Ability(
    {**sdds_types, "string": ascii_texts},
    {**sdds_types, "string": ascii_texts},
    {},
    bare_names,
    bare_units,
    most_pages=1,
)


# The reference reads and writes everything, but its Python interface returns seven digits of a float, and a
# Python float cannot hold a longdouble.
soliday_types = {**NUMBERS, "float": st.integers(-(2**16), 2**16).map(lambda eighths: eighths / 8)}
soliday_types |= {"string": any_texts, "character": st.sampled_from('aZ 1!"\\')}
text = st.fixed_dictionaries(
    {"mode": st.just("ascii"), "lines_per_row": st.sampled_from(["0", "1"]), "version": st.just("5")}
)
SOLIDAY_READS_BINARY = Ability(soliday_types, soliday_types, soliday_types, options=binary)
SOLIDAY_READS_TEXT = Ability(soliday_types, soliday_types, soliday_types, options=text)
SOLIDAY_WRITES = Ability(soliday_types, soliday_types, soliday_types)
# In text it keeps sixteen digits of a double, and only ASCII letters.
few_digits = {**soliday_types, "double": soliday_types["float"], "string": ascii_texts}
SOLIDAY_WRITES_ANY_MODE = Ability(few_digits, few_digits, few_digits)


@st.composite
def elements(
    draw: st.DrawFn, types: dict[str, Strategy], units: Strategy, value: Callable[[Strategy], Strategy]
) -> Any:
    """An element whose pages are drawn from the strategy of its type."""
    kind = draw(st.sampled_from(sorted(types)))
    return {"type": kind, "unit": draw(units), "pages": draw(value(types[kind]))}


@st.composite
def arrays(draw: st.DrawFn, types: dict[str, Strategy], units: Strategy, pages: int) -> Any:
    """An array of one or two dimensions, of other extents on each page; one dimension for strings."""
    kind = draw(st.sampled_from(sorted(types)))
    dimensions = 1 if kind == "string" else draw(st.integers(1, 2))

    def block() -> Any:
        # If an array is empty, the lists do not contain the other extents.
        extents = [draw(st.integers(1, 3)) for _ in range(dimensions)]
        count = int(np.prod(extents))
        flat = draw(st.lists(types[kind], min_size=count, max_size=count))
        return flat if dimensions == 1 else [flat[i : i + extents[1]] for i in range(0, count, extents[1])]

    made = [block() for _ in range(pages)]
    return {"type": kind, "unit": draw(units), "dimensions": dimensions, "pages": made}


@st.composite
def schemas(draw: st.DrawFn, ability: Ability) -> Schema:
    """Parameters, arrays and columns of every type that the peer supports, with values for every page."""
    pages = draw(st.integers(1, ability.most_pages))
    rows = [draw(st.integers(ability.fewest_rows, 5)) for _ in range(pages)]
    schema: Schema = {"parameters": [], "arrays": [], "columns": []}

    def page_values(values: Strategy) -> Strategy:
        return st.lists(values, min_size=pages, max_size=pages)

    def columns_of(values: Strategy) -> Strategy:
        return st.tuples(*(st.lists(values, min_size=count, max_size=count) for count in rows)).map(list)

    if ability.parameters:
        schema["parameters"] = draw(
            st.lists(elements(ability.parameters, ability.units, page_values), max_size=4)
        )
    if ability.arrays:
        schema["arrays"] = draw(st.lists(arrays(ability.arrays, ability.units, pages), max_size=3))
    if ability.columns:
        schema["columns"] = draw(
            st.lists(elements(ability.columns, ability.units, columns_of), min_size=1, max_size=5)
        )
    if not any(schema.values()):
        schema["parameters"] = [draw(elements(ability.parameters, ability.units, page_values))]
    # One peer stores all kinds in one dictionary.
    everything = [one for kind in schema.values() for one in kind]
    count = len(everything)
    for one, name in zip(
        everything, draw(st.lists(ability.names, min_size=count, max_size=count, unique=True)), strict=True
    ):
        one["name"] = name
    return schema


class Peer:
    """A process that reads and writes files with a peer."""

    def __init__(self, name: str, folder: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(PEERS / name)}
        command = [sys.executable, "-W", "ignore", str(HERE / "schema_worker.py"), name]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)
        self.path = folder / f"{name}.sdds"

    def ask(self, what: str, **more: Any) -> Any:
        """Send a request and return the answer, which must not be an error."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"do": what, "path": str(self.path), **more}) + "\n")
        self.process.stdin.flush()
        found = json.loads(self.process.stdout.readline())
        assert not isinstance(found, dict) or "error" not in found, found
        return found

    def end(self) -> None:
        """Let the process end."""
        self.process.communicate(timeout=30)


@pytest.fixture(scope="module", name="pysdds")
def start_pysdds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    peer = Peer("pysdds", tmp_path_factory.mktemp("pysdds"))
    yield peer
    peer.end()


@pytest.fixture(scope="module", name="soliday")
def start_soliday(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    peer = Peer("soliday", tmp_path_factory.mktemp("soliday"))
    yield peer
    peer.end()


@pytest.fixture(scope="module", name="sdds")
def start_sdds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    peer = Peer("sdds", tmp_path_factory.mktemp("sdds"))
    yield peer
    peer.end()


def array_of(kind: str, values: Any) -> Any:
    return np.array(values, dtype=object if kind in ("string", "character") else quire.sdds.TYPES[kind])


def write_ours(path: Path, schema: Schema, options: dict[str, Any]) -> None:
    data = quire.sdds.DataSet()
    for one in schema["parameters"]:
        data.parameter(one["name"], one["pages"], type=one["type"], unit=one["unit"])
    for kind, define in (("arrays", data.array), ("columns", data.column)):
        for one in schema[kind]:
            pages = [array_of(one["type"], page) for page in one["pages"]]
            define(one["name"], pages, type=one["type"], unit=one["unit"])
    quire.sdds.save(data, path, **options)


def plain(page: Any) -> Any:
    values = np.asarray(page)
    return (values.astype(str) if values.dtype.kind == "S" else values).tolist()


def read_ours(path: Path) -> Schema:
    data = quire.sdds.load(path)
    names_of = {ours: theirs for theirs, ours in quire.sdds.TYPES.items()}
    return {
        kind: [
            {
                "name": one.name,
                "type": names_of[str(one.type)],
                "unit": one.unit,
                "pages": [plain(page) for page in one.pages],
            }
            for one in found.values()
        ]
        for kind, found in (
            ("parameters", data.parameters),
            ("arrays", data.arrays),
            ("columns", data.columns),
        )
    }


def assert_same(found: Schema, wanted: Schema) -> None:
    for kind, expected in wanted.items():
        assert [one["name"] for one in found[kind]] == [one["name"] for one in expected]
        for there, here in zip(found[kind], expected, strict=True):
            assert (there["type"], there["unit"]) == (here["type"], here["unit"]), here["name"]
            assert len(there["pages"]) == len(here["pages"])
            for page, values in zip(there["pages"], here["pages"], strict=True):
                np.testing.assert_array_equal(array_of(here["type"], page), array_of(here["type"], values))


def read_by(peer: Peer, schema: Schema, options: dict[str, Any]) -> None:
    write_ours(peer.path, schema, options)
    assert_same(read_ours(peer.path), schema)
    assert_same(peer.ask("read"), schema)


def written_by(peer: Peer, schema: Schema) -> None:
    peer.ask("write", schema=schema)
    assert_same(read_ours(peer.path), schema)


def both(ability: Ability) -> Strategy:
    return st.tuples(schemas(ability), ability.options)


several = settings(max_examples=60)


@several
@given(case=both(PYSDDS_READS_BINARY))
def test_pysdds_reads_our_binary_pages(pysdds: Peer, case: tuple[Schema, dict[str, Any]]) -> None:
    read_by(pysdds, *case)


@several
@given(case=both(PYSDDS_READS_TEXT))
def test_pysdds_reads_our_text(pysdds: Peer, case: tuple[Schema, dict[str, Any]]) -> None:
    read_by(pysdds, *case)


@several
@given(schema=schemas(PYSDDS_WRITES))
def test_we_read_the_pages_of_pysdds(pysdds: Peer, schema: Schema) -> None:
    written_by(pysdds, schema)


@several
@given(case=both(SDDS_READS_BINARY))
def test_sdds_reads_our_binary_page(sdds: Peer, case: tuple[Schema, dict[str, Any]]) -> None:
    read_by(sdds, *case)


@several
@given(case=both(SDDS_READS_TEXT))
def test_sdds_reads_our_parameters_of_text(sdds: Peer, case: tuple[Schema, dict[str, Any]]) -> None:
    read_by(sdds, *case)


@several
@given(schema=schemas(SDDS_WRITES))
def test_we_read_the_page_of_sdds(sdds: Peer, schema: Schema) -> None:
    written_by(sdds, schema)


@several
@given(case=both(SOLIDAY_READS_BINARY))
def test_the_reference_reads_our_binary_pages(soliday: Peer, case: tuple[Schema, dict[str, Any]]) -> None:
    read_by(soliday, *case)


@several
@given(case=both(SOLIDAY_READS_TEXT))
def test_the_reference_reads_our_text(soliday: Peer, case: tuple[Schema, dict[str, Any]]) -> None:
    read_by(soliday, *case)


@several
@given(schema=schemas(SOLIDAY_WRITES))
def test_we_read_the_pages_of_the_reference(soliday: Peer, schema: Schema) -> None:
    written_by(soliday, schema)


@several
@given(schema=schemas(SOLIDAY_WRITES_ANY_MODE), mode=st.sampled_from(["ascii", "binary"]))
def test_our_canonical_copies_have_its_bytes(soliday: Peer, schema: Schema, mode: str) -> None:
    soliday.ask("write", schema=schema, mode=mode)
    copied = soliday.path.with_name("copy.sdds")
    with quire.open(soliday.path) as file:
        options = options_like(file)
    copy(soliday.path, copied, overwrite=True, lossy=True, options=options)
    assert copied.read_bytes() == soliday.path.read_bytes()
