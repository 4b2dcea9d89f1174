"""What leaves the viewer: pictures as SVG, and numbers in the formats that hold tables."""

from __future__ import annotations

import json
import re
import struct
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.python.support.cases import first_daily
from tests.python.viewer.browsing import CHROMIUM, Tab
from tests.python.viewer.conftest import ROWS, Client, write_bunch

import quire
from quire.toolkit.examples import EXAMPLES, write_example
from quire.viewer import saving, server
from quire.viewer.library import Library
from quire.viewer.saving import table_formats
from quire.viewer.serving import Viewer

SVG = "{http://www.w3.org/2000/svg}"
BEAM = EXAMPLES["beam"].name
COLUMNS: list[dict[str, Any]] = [
    {"name": "file", "texts": ["run.h5"]},
    {"name": "n", "isWhole": True},
    {"name": "hypot(x, y)", "unit": "mm", "description": "radius", "symbol": "r"},
]


def packed(columns: list[dict[str, Any]], numbers: Any, **about: Any) -> bytes:
    """Return a request as the page makes it."""
    head = json.dumps({"title": "run", "command": "quire plot", "columns": columns, **about}).encode()
    body = np.asarray(numbers, "<f8").tobytes()
    return struct.pack("<II", len(head), len(body)) + head + body


def posted(client: Client, body: bytes) -> tuple[int, bytes]:
    status, _, answer = client.request("POST", f"/{client.token}/api/table", body)
    return status, answer


@pytest.mark.parametrize("format", [one.name for one in table_formats()])
def test_numbers_are_saved_in_formats_that_hold_tables(client: Client, tmp_path: Path, format: str) -> None:
    known = {one["name"]: one for one in client.ask("files")["formats"]}
    numbers = [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [0.5, np.nan, -1.0]]
    status, answer = posted(client, packed(COLUMNS, numbers, format=format))
    assert status == 200, answer
    path = tmp_path / f"saved{known[format]['suffix']}"
    path.write_bytes(answer)
    with quire.open(path) as file:
        table = file[0].table
        whole, real = sorted(table, key=lambda name: name != "n")  # some formats order columns by name
        assert file.format == format
        assert table.read()[whole].tolist() == [1, 2, 3]
        assert table[whole].dtype.kind == "i"
        np.testing.assert_array_equal(table.read()[real], numbers[2])
        assert table[real].unit in ("mm", "m")


def test_a_saved_column_keeps_unit_symbol_and_its_name(client: Client, tmp_path: Path) -> None:
    format = table_formats()[0]
    path = tmp_path / f"saved{format.suffixes[0]}"
    path.write_bytes(
        posted(client, packed(COLUMNS, np.ones((3, 2)) * [[0], [1], [2]], format=format.name))[1]
    )
    with quire.open(path) as file:
        column = file[0].table["hypot_x__y_"]
        assert (column.unit, column.symbol) == ("mm", "r")
        assert column.description == "hypot(x, y): radius"
        assert file[0].attrs["file"] == "run.h5"
        assert file.title == "run"
        assert file.attrs["command"] == "quire plot"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "no table"),
        (struct.pack("<II", 4, 8) + b"{}", "no table"),
        (struct.pack("<II", 2, 8) + b"[]" + bytes(8), "no table"),
        (struct.pack("<II", 2, 3) + b"{}" + bytes(3), "no table"),
        (struct.pack("<II", 2, 0) + b"{}", "no format"),
        (packed(COLUMNS, np.zeros(3), format="../etc"), "no format"),
        (packed([], [], format=table_formats()[0].name), "or there is none"),
        (packed(COLUMNS, np.zeros(4), format=table_formats()[0].name), "different lengths"),
        (packed(COLUMNS, [2.0, 1.0, 1.0], format=table_formats()[0].name), "no place in its list"),
        (packed([{"name": "a", "texts": 3}], [0.0], format=table_formats()[0].name), "no list of texts"),
        (packed([{"name": "a"}] * 1025, np.zeros(1025), format=table_formats()[0].name), "at most 1024"),
        (packed([7], [0.0], format=table_formats()[0].name), "no descriptions"),  # type: ignore[list-item]
    ],
)
def test_requests_that_are_no_tables_are_refused(client: Client, body: bytes, words: str) -> None:
    status, answer = posted(client, body)
    assert status == 400
    assert words in json.loads(answer)["error"]


@pytest.mark.parametrize("format", [one.name for one in table_formats()])
def test_columns_of_equal_names_are_saved(format: str, tmp_path: Path) -> None:
    names = ["file", "step", "z", "z", "step", "file", "z_2"]
    columns: list[dict[str, Any]] = [{"name": name} for name in names]
    columns[0]["texts"] = ["run.h5"]
    numbers = np.arange(7.0)[:, None] + [0.0, 10.0]
    numbers[0] = 0.0
    path = tmp_path / f"saved{suffix_of(format)}"
    path.write_bytes(saving.table_file(packed(columns, numbers, format=format)))
    with quire.open(path) as file:
        found = sorted(
            values.tolist() for values in file[0].table.read().values() if values.dtype.kind == "f"
        )
    assert found == numbers[1:].tolist()


def test_a_long_text_in_one_row_does_not_widen_all_others(tmp_path: Path) -> None:
    texts, rows = ["a" * 100_000, "b"], 1000
    places = np.ones(rows)
    places[7] = 0.0
    format = table_formats()[0]
    body = packed([{"name": "label", "texts": texts}], places, format=format.name)
    tracemalloc.start()
    try:
        saved = saving.table_file(body)
        assert tracemalloc.get_traced_memory()[1] < 40 << 20
    finally:
        tracemalloc.stop()
    path = tmp_path / f"saved{format.suffixes[0]}"
    path.write_bytes(saved)
    with quire.open(path) as file:
        found = file[0].table["label"].read()
    assert (len(found[7]), found[8], len(found)) == (100_000, "b", rows)


def suffix_of(format: str) -> str:
    return next(one.suffixes[0] for one in table_formats() if one.name == format)


@pytest.mark.parametrize("format", [one.name for one in table_formats()])
@pytest.mark.parametrize("character", ["\0", "\ud800"])
def test_characters_that_cannot_be_stored_are_named(client: Client, format: str, character: str) -> None:
    bad = f"a{character}b"
    asked: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"name": bad}, {}),
        ({"name": "a", "unit": bad}, {}),
        ({"name": "a", "texts": [bad]}, {}),
        ({"name": "a"}, {"title": bad}),
    ]
    for column, about in asked:
        status, answer = posted(client, packed([column], [0.0], format=format, **about))
        assert status == 400, answer
        assert "cannot be stored" in json.loads(answer)["error"]


def test_tables_need_the_token_and_have_a_limit(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    body = packed(COLUMNS, np.zeros(300), format=table_formats()[0].name)
    assert client.request("POST", "/api/table", body)[0] == 403
    monkeypatch.setattr(server, "LARGEST_TABLE", 1000)
    assert "longer than 1000 bytes" in json.loads(posted(client, body)[1])["error"]
    assert saving.LARGEST_TABLE > server.LONGEST_BODY


@pytest.fixture(name="address", scope="module")
def fixture_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("saving")
    write_example("beam", str(folder / BEAM))
    paths = [write_bunch(folder / "run1.h5"), write_bunch(folder / "run2.h5", seed=2), folder / BEAM]
    viewer = Viewer(Library([str(path) for path in paths]))
    viewer.start()
    yield viewer.address
    viewer.stop()


needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")


def svg_of(tab: Tab) -> ElementTree.Element:
    """Return the picture that the page saves as SVG."""
    return ElementTree.fromstring(tab.saved("#save-svg"))


@needs_chromium
@pytest.mark.parametrize(
    ("state", "texts", "images"),
    [
        ("", ["x  [µm]", "run1.h5", "step 0, 3\u2009000 rows"], 1),
        ("files=[0,1]&overlay=true", ["run1.h5", "run2.h5"], 2),
        ("view=histogram&files=[0,1]", ["x  [µm]", "rows in each bin"], 0),
        ("view=histogram&logy=true", ["rows in each bin"], 0),
        ('view=run&ys=["sigma_x","emittance_nx"]', ["sigma_x", "s  [m]"], 0),
        ('view=curves&across=z&up=["pz"]', ["pz"], 0),
        ("files=[2]&view=fields", ["rho at z = 0", "x"], 1),
        ("files=[2]&view=fields&at=z=@3,y=@8", ["rho"], 0),
    ],
)
def test_pictures_are_svg_with_lines_and_texts(
    tab: Tab, address: str, state: str, texts: list[str], images: int
) -> None:
    picture = svg_of(tab.open(address, state))
    found = ["".join(one.itertext()) for one in picture.iter(f"{SVG}text")]
    for text in texts:
        assert any(text in one for one in found), found
    assert picture.find(f"{SVG}title") is not None
    drawn = [one.get("href", "") for one in picture.iter(f"{SVG}image")]
    assert len(drawn) == images
    assert all(one.startswith("data:image/png;base64,") for one in drawn)
    lines = [one.get("d", "") for one in picture.iter(f"{SVG}path")]
    assert len(lines) > 10
    assert not any("NaN" in one or "undefined" in one for one in lines)


@needs_chromium
def test_a_histogram_as_svg_has_its_bins(tab: Tab, address: str) -> None:
    """The areas of the bars are as the counts."""
    tab.open(address, "view=histogram&bins=5")
    counts = [float(row[2]) for row in tab.numbers()[1:]]
    bars = next(one for one in svg_of(tab).iter(f"{SVG}path") if one.get("opacity") == "0.18")
    heights = [float(one) for one in re.findall(r"v(-?[\d.]+)", bars.get("d", ""))]
    np.testing.assert_allclose(np.array(heights) / max(heights), np.array(counts) / max(counts), atol=2e-3)


@needs_chromium
@pytest.mark.parametrize(
    ("state", "columns"),
    first_daily(
        [
            ("bins=20", ["step", "x", "px", "count"]),
            ("view=histogram", ["low", "high", "count"]),
            ("view=histogram&weight=id&files=[0,1]", ["low", "high", "sum1", "sum2"]),
            ('view=run&ys=["sigma_x"]', ["s", "sigma_x"]),
            ('view=curves&across=z&up=["pz"]', ["step", "z", "pz"]),
            ("view=rows", ["row", "x", "px", "y", "py", "z", "pz", "id"]),
            ("files=[2]&view=fields", ["y", "x", "rho"]),
            ("view=space&x3=x&y3=y&z3=z", ["step", "x", "y", "z"]),
        ],
        5,
    ),
)
def test_the_numbers_of_each_view_are_saved_as_a_table(
    tab: Tab, address: str, tmp_path: Path, state: str, columns: list[str]
) -> None:
    tab.open(address, state)
    rows = tab.numbers()
    [format, *_] = table_formats()
    with tab.page.expect_download() as found:
        tab.page.select_option("#save-table", format.name)
    path = tmp_path / found.value.suggested_filename
    found.value.save_as(path)
    assert path.suffix == format.suffixes[0]
    with quire.open(path) as file:
        table = file[0].table
        assert list(table) == columns
        values = table.read()
        assert len(table) == len(rows) - 1
        for place, name in enumerate(columns, len(rows[0]) - len(columns)):
            expected = [float(row[place]) for row in rows[1:]]
            np.testing.assert_allclose(values[name], expected, rtol=1e-11)
            unit = table[name].unit
            assert rows[0][place].endswith(f"[{unit}]") == bool(unit and unit != "1")
        assert file.attrs["command"] == tab.text("#line")


@needs_chromium
def test_rows_are_no_picture(tab: Tab, address: str) -> None:
    tab.open(address, "view=rows").click("#save-svg")
    assert "Rows are no picture" in tab.text("#alert")
    assert len(tab.numbers()) == min(ROWS, 100) + 1


@needs_chromium
def test_points_in_space_are_an_image_between_axes(tab: Tab, address: str) -> None:
    """The image has the points, and the axes around it are vectors."""
    picture = svg_of(tab.open(address, "view=space"))
    assert any("y" in "".join(one.itertext()) for one in picture.iter(f"{SVG}text"))
    [image] = picture.iter(f"{SVG}image")
    opaque = tab.page.evaluate(
        """async (address) => {
            const image = new Image();
            image.src = address;
            await image.decode();
            const canvas = new OffscreenCanvas(image.width, image.height);
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            const { data } = context.getImageData(0, 0, image.width, image.height);
            return data.filter((value, place) => place % 4 === 3 && value > 0).length;
        }""",
        image.get("href"),
    )
    assert opaque > 1000
