"""Quantities that programs store as attributes of steps, beside those that are computed."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import h5py
import pytest
from tests.python.viewer.browsing import CHROMIUM, Tab
from tests.python.viewer.conftest import Client, Serve, View

import quire
from quire.beam.conventions import convention_named, convention_names
from quire.beam.quantities import quantity_names
from quire.beam.stored import difference, stored_quantities
from quire.io.attributes import Attribute

OPAL = Path(__file__).parents[2] / "data/codes/opal_t_3ranks.h5"
LAST = [{"file": 0, "step": 2}]


@pytest.fixture(name="changed")
def fixture_changed(tmp_path: Path) -> Path:
    """A run of OPAL with another size in y, and an emittance of the last step that is not a number."""
    path = tmp_path / "opal.h5"
    shutil.copy(OPAL, path)
    path.chmod(0o644)
    with h5py.File(path, "r+") as file:
        attributes = file["Step#2"].attrs
        sizes, emittances = attributes["RMSX"], attributes["#varepsilon"]
        sizes[1] *= 1.001
        emittances[0] = math.nan
        attributes["RMSX"], attributes["#varepsilon"] = sizes, emittances
    return path


def numbers_of(client: Client, **asked: Any) -> dict[str, Any]:
    """Return the quantities by name."""
    found = client.last("quantities", sources=LAST, **asked).content["quantities"]
    return {one["name"]: one for one in found}


@pytest.mark.parametrize("name", convention_names())
def test_stored_quantities_are_quantities(name: str) -> None:
    assert convention_named(name).stored.keys() <= set(quantity_names())


def test_stored_quantities_agree_with_the_program(serve: Serve) -> None:
    stored = {name: one["stored"] for name, one in numbers_of(serve(OPAL)).items() if one["stored"]}
    assert len(stored) == len(convention_named("opal").stored)
    assert stored["sigma_y"]["place"] == "RMSX[1]"
    assert max(one["difference"] for one in stored.values()) < 1e-9


def test_a_difference_is_relative_and_a_cut_has_none(serve: Serve, changed: Path) -> None:
    client = serve(changed)
    found = numbers_of(client)
    assert found["sigma_y"]["stored"]["difference"] == pytest.approx(1e-3, rel=1e-2)
    assert found["emittance_nx"]["stored"]["difference"] is None
    assert found["beta_x"]["stored"] is None
    assert not any(one["stored"] for one in numbers_of(client, where="x > 0").values())
    followed = {"file": 0, "step": 0, "where": "x > 0"}
    assert not any(one["stored"] for one in numbers_of(client, followed=followed).values())


def test_units_are_converted_and_attributes_of_others_left_out() -> None:
    with quire.open(OPAL) as file:
        beam = {one.name: one for one in file[0].beam().quantities}
    given = {
        "RMSX": Attribute("RMSX", [1.0, 2.0], "float64", "mm"),
        "CHARGE": Attribute("CHARGE", -3.0, "float64", "nC"),
        "minX": Attribute("minX", [1.0, 1.0, 1.0], "float64", "s"),
        "RMSP": Attribute("RMSP", "large", "string", ""),
    }
    found = stored_quantities(convention_named("opal"), given, beam)
    assert {name: one.value for name, one in found.items()} == pytest.approx(
        {"sigma_x": 1e-3, "sigma_y": 2e-3, "charge": 3e-9}
    )


def test_differences_of_zeros_and_nan() -> None:
    assert difference(0.0, 0.0) == 0.0
    assert difference(-1.0, 1.0) == 2.0
    assert math.isnan(difference(math.nan, 1.0))
    assert math.isnan(difference(0.0, math.nan))


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")
def test_the_page_marks_differences(tab: Tab, view: View, changed: Path, tmp_path: Path) -> None:
    shutil.copy(OPAL, tmp_path / "original.h5")
    tab.open(view(changed.name, "original.h5")).press("End")
    assert tab.text("#beam thead").split() == ["Quire", "file"]
    assert [one.split()[0] for one in tab.quantities()["sigma_x"][:2]] == ["835.8", "835.8"]
    read = "found => found.map((one) => [one.parentElement.cells[0].innerText, one.title])"
    marks = {kind: tab.page.eval_on_selector_all(f"#beam td.{kind}", read) for kind in ("same", "differs")}
    assert {name for name, _ in marks["differs"]} == {"sigma_y", "emittance_nx"}
    assert {"sigma_x", "charge", "emittance_ny"} <= {name for name, _ in marks["same"]}
    titles = dict(marks["differs"])
    assert titles["sigma_y"].startswith("RMSX[1] of the file, 0.000712")
    assert "differs by 0.000999" in titles["sigma_y"]
    tab.fill("where", "x > 0")
    assert tab.page.locator("#beam thead").count() == 0
    tab.click("#cut-clear").click("#files label:nth-child(2) input")
    assert tab.page.locator("#beam td.differs").count() == 2
    assert tab.text("#beam thead").split() == ["opal.h5", "original.h5"]
