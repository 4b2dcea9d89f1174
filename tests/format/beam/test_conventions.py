"""Phase-space conventions: recognised from columns and units, and converted into each other."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quire
from quire import units
from quire.beam.conventions import PHASE_SPACE, convention_named, convention_names, recognise
from quire.beam.species import C_LIGHT, E_CHARGE, known_species
from quire.errors import ConflictError, DataError, MissingError, UsageError
from quire.io.attributes import Attribute
from quire.toolkit.conventions import (
    Canonical,
    Columns,
    at_place,
    at_time,
    convert_columns,
    from_canonical,
    to_canonical,
)

Array = np.ndarray[Any, Any]

ELECTRON = known_species()["electron"]

EXACT = {
    "opal": ["x", "y", "z", "px", "py", "pz"],
    "gpt": ["x", "y", "z", "GBx", "GBy", "GBz", "t", "nmacro"],
    "elegant": ["x", "y", "t"],
    "genesis4": ["x", "y", "t"],
    "openpmd": ["x", "y", "z", "weighting"],
    "beamphysics": ["x", "y", "z", "time"],
    "impactx": ["x", "y", "weighting"],
    "astra": ["x", "y"],
}
"""Columns that return to the last bit."""

RELATIVE = {"astra": {"z": "z", "pz": "pz", "clock": "clock"}, "impactx": {"pt": "gamma"}}
"""Columns that are differences from a reference: their errors are 2 ulp of the larger of both."""


def numbers(low: float, high: float) -> st.SearchStrategy[list[float]]:
    values = st.floats(low, high, allow_subnormal=False).filter(lambda one: one == 0 or abs(one) > 1e-30)
    return st.lists(values, min_size=3, max_size=3)


def particles(slopes: float = 0.1) -> st.SearchStrategy[Canonical]:
    """Three particles that move forward."""

    def made(values: list[list[float]]) -> Canonical:
        x, y, z, t, xp, yp, uz, weight = (np.array(one) for one in values)
        known = {"x": x, "y": y, "z": z, "t": t, "ux": xp * uz, "uy": yp * uz, "uz": uz, "weight": weight}
        return Canonical(known, ELECTRON)

    limits = [(-1, 1), (-1, 1), (-1e4, 1e4), (-1e-4, 1e-4), (-slopes, slopes), (-slopes, slopes)]
    strategies = [numbers(*one) for one in limits] + [numbers(0.1, 1e6), numbers(1.0, 1e12)]
    return st.tuples(*strategies).map(lambda found: made(list(found)))


def reference_of(columns: Columns) -> dict[str, float]:
    return {name: one.value for name, one in columns.attributes.items()}


@pytest.mark.parametrize("name", convention_names())
@settings(max_examples=40)
@given(particles())
def test_columns_return_within_2_ulp(name: str, given_particles: Canonical) -> None:
    columns = from_canonical(given_particles, name)
    canonical = to_canonical(columns, name, "electron")
    back = from_canonical(canonical, name, reference_of(columns))
    for column, before in columns.values.items():
        if column not in back.values:  # a weight that the columns do not state
            continue
        after = back.values[column]
        scale = np.abs(before)
        if column in RELATIVE.get(name, {}):
            first = np.abs(before[0])
            scale = np.maximum(scale, max(first, float(np.abs(before + before[0]).max())))
            if name == "impactx":
                scale = np.maximum(scale, np.max(np.abs(canonical.values["uz"])) + 1)
                scale = scale / min(1.0, reference_of(columns)["beta_gamma_ref"])
        if column in EXACT[name]:
            assert np.array_equal(before, after), column
        assert np.all(np.abs(before - after) <= 2 * np.spacing(scale)), column


@settings(max_examples=20)
@given(particles())
def test_a_chain_of_conventions_returns_the_momenta(given_particles: Canonical) -> None:
    chain = ["gpt", "opal", "openpmd", "opal", "gpt"]
    before = columns = from_canonical(given_particles, chain[0])
    for source, target in pairwise(chain):
        columns = convert_columns(columns, target, convention=source, species="electron")
    for name in ("x", "y", "z", "GBx", "GBy", "GBz"):
        allowed = 4 * np.spacing(np.abs(before.values[name]))
        assert np.all(np.abs(columns.values[name] - before.values[name]) <= allowed), name


@given(particles(slopes=10.0))
def test_large_slopes_return_within_4_ulp(given_particles: Canonical) -> None:
    before = from_canonical(given_particles, "elegant")
    after = from_canonical(to_canonical(before, "elegant"), "elegant")
    for name, values in before.values.items():
        assert np.all(np.abs(after.values[name] - values) <= 4 * np.spacing(np.abs(values))), name


def test_formulae_are_those_of_the_programs() -> None:
    u = {"ux": np.array([0.3]), "uy": np.array([-0.4]), "uz": np.array([12.0])}
    canonical = Canonical({"x": np.array([1.0]), "y": np.array([2.0]), "z": np.array([3.0]),
                           "t": np.array([4e-9]), **u, "weight": np.array([1e6])}, ELECTRON)  # fmt: skip
    p = np.sqrt(0.3**2 + 0.4**2 + 12.0**2)
    elegant = from_canonical(canonical, "elegant").values
    assert [elegant["xp"][0], elegant["yp"][0], elegant["p"][0]] == pytest.approx(
        [0.025, -0.4 / 12, p], rel=4e-16
    )
    astra = from_canonical(canonical, "astra").values
    assert [astra["pz"][0], astra["clock"][0]] == pytest.approx([12 * ELECTRON.rest_energy, 4.0], rel=4e-16)
    assert astra["charge"][0] == pytest.approx(-1e6 * E_CHARGE * 1e9)
    openpmd = from_canonical(canonical, "openpmd").values
    assert openpmd["pz"][0] == pytest.approx(12 * ELECTRON.mass * C_LIGHT, rel=4e-16)
    assert openpmd["weighting"][0] == 1e6
    beamphysics = from_canonical(canonical, "beamphysics").values
    assert beamphysics["px"][0] == pytest.approx(0.3 * ELECTRON.rest_energy, rel=4e-16)
    assert beamphysics["weight"][0] == pytest.approx(1e6 * E_CHARGE, rel=4e-16)
    impactx = from_canonical(
        canonical, "impactx", {"beta_gamma_ref": 10.0, "gamma_ref": np.sqrt(101.0), "t_ref": 0.0}
    ).values
    assert impactx["t"][0] == pytest.approx(4e-9 * C_LIGHT)
    assert impactx["px"][0] == pytest.approx(0.03)
    assert impactx["pt"][0] == pytest.approx((np.sqrt(101.0) - np.sqrt(1 + p**2)) / 10)
    gpt = from_canonical(canonical, "gpt").values
    assert (gpt["GBz"][0], gpt["q"][0], gpt["m"][0]) == (12.0, -E_CHARGE, ELECTRON.mass)


@pytest.mark.parametrize("name", convention_names())
def test_written_columns_are_recognised(name: str) -> None:
    canonical = Canonical({one: np.array([1.0, 2.0]) for one in (*PHASE_SPACE, "weight")}, ELECTRON)
    columns = from_canonical(canonical, name)
    found = recognise(columns.units)
    # The distribution of Genesis has the same columns and formulae as elegant.
    assert found.name == ("elegant" if name == "genesis4" else name)


SIX = ("x", "y", "z", "px", "py", "pz")


@pytest.mark.parametrize(
    ("given_units", "name"),
    [
        (dict.fromkeys(SIX[:3], "mm") | dict.fromkeys(SIX[3:], "MeV/c"), "openpmd"),
        (dict.fromkeys(SIX[:3], "m") | dict.fromkeys(SIX[3:], "kg m/s"), "openpmd"),
        ({f"position/{one}": "m" for one in "xyz"} | {f"momentum/{one}": "eV/c" for one in "xyz"}, "openpmd"),
        (dict.fromkeys(SIX[:3], "m") | dict.fromkeys(SIX[3:], "eV/c") | {"time": "s"}, "beamphysics"),
        (dict.fromkeys(SIX[:3], "m") | dict.fromkeys(SIX[3:], "#beta#gamma") | {"time": "s"}, "opal"),
        ({"x": "m", "y": "m", "t": "m", "px": "", "py": "", "pt": "1"}, "impactx"),
        (dict.fromkeys(SIX[:3], "") | dict.fromkeys(SIX[3:], "m$be$nc"), "opal"),
        ({"x": "mm", "xp": "mrad", "y": "mm", "yp": "mrad", "t": "ps", "p": "m$be$nc"}, "elegant"),
        ({"x": "", "xp": "", "y": "", "yp": "", "t": "", "p": ""}, "elegant"),
        (dict.fromkeys([*SIX, "clock", "charge", "index", "status"], ""), "astra"),
    ],
)
def test_units_decide(given_units: dict[str, str], name: str) -> None:
    assert recognise(given_units | {"other": "furlong"}).name == name


@pytest.mark.parametrize(
    ("given_units", "message"),
    [
        (
            dict.fromkeys(SIX, ""),
            "px, py, pz have no unit; candidates are opal, openpmd; choose one by convention=NAME",
        ),
        (dict.fromkeys(SIX, "m"), "no phase-space convention .not opal: column px"),
        (dict.fromkeys(SIX, "furlong"), "furlong"),
        ({"a": "m"}, "no phase-space convention; the conventions are astra"),
        ({}, "no phase-space convention"),
    ],
)
def test_nothing_is_guessed(given_units: dict[str, str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        recognise(given_units)


def test_units_of_columns_are_converted() -> None:
    values = {name: np.array([1.0, 2.0]) for name in SIX}
    given_units = {"x": "mm", "y": "um", "z": "m", "px": "keV/c", "py": "MeV/c", "pz": "kg*m/s"}
    found = to_canonical(Columns(values, given_units), species="electron").values
    assert found["x"][0] == 1e-3
    assert found["y"][0] == 1e-6
    assert found["ux"][0] == pytest.approx(1e3 / ELECTRON.rest_energy)
    assert found["uy"][0] == pytest.approx(1e6 / ELECTRON.rest_energy)
    assert found["uz"][0] == pytest.approx(1 / (ELECTRON.mass * C_LIGHT))


def test_a_chosen_convention_takes_missing_units_and_refuses_wrong_ones() -> None:
    values = {name: np.array([1.0, 2.0]) for name in SIX}
    assert to_canonical(Columns(values), "opal").values["ux"].tolist() == [1.0, 2.0]
    with pytest.raises(ConflictError, match="convention opal: column px"):
        to_canonical(Columns(values, {"px": "MeV/c"}), "opal")
    with pytest.raises(UsageError, match="columns that are missing: p, t, xp, yp"):
        to_canonical(Columns(values), "elegant")
    with pytest.raises(UsageError, match=r"there is no convention 'opla' \(nearest: opal\)"):
        to_canonical(Columns(values), "opla")


def test_what_a_convention_cannot_describe_is_an_error() -> None:
    values = {one: np.array([1.0, 2.0]) for one in (*PHASE_SPACE, "weight")}
    backward = Canonical({**values, "uz": np.array([1.0, -1.0])}, ELECTRON)
    with pytest.raises(ConflictError, match="do not move forward"):
        from_canonical(backward, "elegant")
    there = Canonical({name: one for name, one in values.items() if name != "z"}, ELECTRON)
    with pytest.raises(UsageError, match="the convention opal needs z"):
        from_canonical(there, "opal")
    assert from_canonical(at_time(there, 2.0), "opal").values["z"][1] == 0.0


def test_reference_quantities_must_be_known() -> None:
    columns = from_canonical(
        Canonical({one: np.ones(2) for one in (*PHASE_SPACE, "weight")}, ELECTRON), "impactx"
    )
    assert set(columns.attributes) == {"beta_gamma_ref", "gamma_ref", "mass_ref", "charge_ref", "t_ref"}
    with pytest.raises(MissingError, match="beta_gamma_ref"):
        to_canonical(Columns(columns.values, columns.units), species="electron")
    with pytest.raises(UsageError, match="species of the particles is not known"):
        to_canonical(Columns(columns.values, columns.units))


def test_species_are_not_mixed() -> None:
    canonical = Canonical({one: np.ones(3) for one in (*PHASE_SPACE, "weight")}, ELECTRON)
    columns = from_canonical(canonical, "gpt")
    mixed = {**columns.values, "m": np.array([1.0, 1.0, 1836.0]) * ELECTRON.mass}
    with pytest.raises(ConflictError, match="differ in mass"):
        to_canonical(Columns(mixed, columns.units))


def test_particles_drift_to_a_place_and_back() -> None:
    start = Canonical(
        {"x": np.array([1e-3, 0.0]), "y": np.zeros(2), "z": np.array([0.1, -0.1]), "t": np.zeros(2),
         "ux": np.array([0.1, 0.0]), "uy": np.zeros(2), "uz": np.array([10.0, 5.0])}, ELECTRON
    )  # fmt: skip
    there = at_place(start, 1.0)
    assert there.values["z"].tolist() == [1.0, 1.0]
    assert there.values["x"][0] == pytest.approx(1e-3 + 0.9 * 0.01)
    assert there.values["t"][1] == pytest.approx(1.1 * np.sqrt(26) / (5 * C_LIGHT))
    back = at_time(there, 0.0)
    for name in ("x", "y", "z"):
        assert back.values[name] == pytest.approx(start.values[name], abs=1e-15)


def test_lost_particles_and_the_reference_row_of_astra(tmp_path: Path) -> None:
    path = tmp_path / "beam.sdds"
    columns = {
        "x": [0.0, 1.0, 2.0, 9.0], "y": [0.0, 1.0, 4.0, 9.0], "z": [10.0, 0.1, -0.1, 0.0],
        "px": [0.0, 1.0, 2.0, 9.0], "py": [0.0, 1.0, 0.0, 9.0], "pz": [1e6, 1e3, -1e3, 0.0],
        "clock": [1.0, 0.0, 0.0, 0.0], "charge": [-1.0, -1.0, -1.0, -1.0],
        "index": [1, 1, 1, 1], "status": [5, 5, 5, -91],
    }  # fmt: skip
    with quire.create(path) as out, out.step(1) as step:
        for name, values in columns.items():
            step.put(name, np.array(values))
    with quire.open(path) as file:
        beam = file[0].beam()
        assert file[0].beam(where="x > 0.5").mean_z == pytest.approx(10.0)
    assert (beam.convention, beam.particles, beam.lost) == ("astra", 3, 1)
    assert beam.mean_z == pytest.approx(10.0)
    assert beam.max_z == 10.1
    assert beam.mean_uz == pytest.approx(1e6 / ELECTRON.rest_energy)
    assert beam.charge == pytest.approx(3e-9)


def test_every_convention_has_a_source_and_known_units() -> None:
    for name in convention_names():
        convention = convention_named(name)
        assert convention.title
        text = Path(quire.__file__).parent.joinpath("conventions", f"{name}.toml").read_text()
        assert text.startswith("# ")
        assert all(units.is_known(one.unit) for one in convention.columns.values())
        assert all(units.is_known(one.unit) for one in convention.attributes.values())
        assert convention.required <= set(convention.from_)


def test_attributes_have_units() -> None:
    values = {"x": "m", "xp": "", "y": "m", "yp": "", "t": "s", "p": "m$be$nc"}
    columns = {name: np.array([1e-3, 2e-3]) for name in values}
    charge = {"Charge": Attribute("Charge", 2.0, "float64", "nC")}
    found = to_canonical(Columns(columns, values, charge)).values
    assert found["weight"].tolist() == pytest.approx([1e-9 / E_CHARGE] * 2)
    with pytest.raises(ConflictError, match="cannot be converted"):
        to_canonical(Columns(columns, values, {"Charge": Attribute("Charge", 2.0, "float64", "m")}))
