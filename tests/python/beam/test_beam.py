"""`step.beam()`: quantities of beams with known answers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.beam.beams import NAMES, UNITS, gaussian, write

import quire
from quire.beam import blocks
from quire.beam.result import Beam
from quire.beam.species import C_LIGHT, E_CHARGE, known_species

Array = np.ndarray[Any, Any]

ROWS = 40_000
"""More than two blocks."""

MC2 = known_species()["electron"].rest_energy


def beam_of(path: Path, **arguments: Any) -> Beam:
    with quire.open(path) as file:
        return file[0].beam(**arguments)


@pytest.fixture(scope="module")
def columns() -> dict[str, Array]:
    return gaussian(ROWS)


@pytest.fixture
def path(tmp_path: Path, columns: dict[str, Array]) -> Path:
    return write(tmp_path / "beam.h5", columns)


def cov(a: Array, b: Array) -> float:
    """The covariance in population form."""
    return float(np.mean((a - a.mean()) * (b - b.mean())))


def emittance(a: Array, b: Array) -> float:
    return math.sqrt(cov(a, a) * cov(b, b) - cov(a, b) ** 2)


def test_quantities_are_those_of_their_definitions(path: Path, columns: dict[str, Array]) -> None:
    beam = beam_of(path)
    x, y, z, px, py, pz = (columns[name] for name in NAMES)
    p = np.sqrt(px**2 + py**2 + pz**2)
    gamma = np.sqrt(1 + p**2)
    delta = p / p.mean() - 1
    xp = px / pz
    s11 = cov(x, x) - cov(x, delta) ** 2 / cov(delta, delta)
    s12 = cov(x, xp) - cov(x, delta) * cov(xp, delta) / cov(delta, delta)
    s22 = cov(xp, xp) - cov(xp, delta) ** 2 / cov(delta, delta)
    corrected = math.sqrt(s11 * s22 - s12**2)
    energy = (gamma - 1) * MC2
    fit = np.polyfit(z, energy, 2)
    matrix = np.cov(np.stack([x, px, y, py, z, pz]), bias=True)
    expected = {
        "particles": ROWS,
        "charge": ROWS * E_CHARGE,
        "mean_x": x.mean(),
        "sigma_x": x.std(),
        "sigma_z": z.std(),
        "min_y": y.min(),
        "max_y": y.max(),
        "mean_p": p.mean(),
        "sigma_delta": delta.std(),
        "mean_energy": energy.mean(),
        "sigma_energy": energy.std(),
        "energy_spread": energy.std() / energy.mean(),
        "sigma_energy_uncorrelated": (energy - np.polyval(fit, z)).std(),
        "divergence_x": np.arctan2(px, pz).std(),
        "correlation_x_xp": cov(x, xp) / (x.std() * xp.std()),
        "emittance_x": emittance(x, xp),
        "emittance_nx": emittance(x, px),
        "emittance_ny": emittance(y, py),
        "emittance_nz": emittance(z, pz),
        "beta_x": cov(x, x) / emittance(x, xp),
        "alpha_x": -cov(x, xp) / emittance(x, xp),
        "gamma_x": cov(xp, xp) / emittance(x, xp),
        "dispersion_x": cov(x, delta) / cov(delta, delta),
        "emittance_cx": corrected,
        "emittance_cnx": corrected * p.mean(),
        "beta_cx": s11 / corrected,
        "alpha_cx": -s12 / corrected,
        "emittance_4d": math.sqrt(np.linalg.det(matrix[:4, :4])),
        "emittance_6d": math.sqrt(np.linalg.det(matrix)),
        "angular_momentum": np.mean(x * py - y * px) * MC2,
        "halo_x": np.mean((x - x.mean()) ** 4) / x.var() ** 2 - 2,
        "beyond_3_sigma_x": np.mean(np.abs(x - x.mean()) > 3 * x.std()),
        "cov_x_yp": cov(x, py / pz),
        "mean_current": ROWS * E_CHARGE * (C_LIGHT * pz / gamma).mean() / (z.max() - z.min()),
    }
    for name, value in expected.items():
        assert beam[name] == pytest.approx(value, rel=1e-9, abs=1e-25), name
    assert beam.beta_x * beam.gamma_x - beam.alpha_x**2 == pytest.approx(1.0, rel=1e-12)
    assert beam.covariance.shape == (6, 6)
    assert beam.covariance[0, 1] == beam.covariance[1, 0] == beam.cov_x_xp
    assert beam.convention == "opal"


def test_lost_particles_are_unknown_without_a_status(path: Path, tmp_path: Path) -> None:
    unknown = beam_of(path).info("lost")
    assert math.isnan(unknown.value)
    assert unknown.reason == "the file does not say which particles are lost"
    units = {"x": "m", "y": "m", "z": "m", "px": "eV/c", "py": "eV/c", "pz": "eV/c", "clock": "ns",
             "charge": "nC", "index": "", "status": ""}  # fmt: skip
    some = {name: np.arange(1.0, 6.0) for name in units} | {"index": np.ones(5), "status": np.full(5, 5)}
    for number, lost in enumerate((0, 2)):
        some["status"][:lost] = -3
        some["charge"][0] = 0.0 if lost else 1.0
        beam = beam_of(write(tmp_path / f"astra{number}.h5", some, units=units), convention="astra")
        assert (beam.lost, beam.particles) == (lost, 5 - lost)


def test_a_gaussian_has_halo_1_and_a_uniform_ellipse_in_phase_space_halo_0(tmp_path: Path) -> None:
    beam = beam_of(write(tmp_path / "gaussian.h5", gaussian(200_000)))
    assert beam.halo_x == pytest.approx(1.0, abs=0.05)
    assert beam.halo_phase_x == pytest.approx(1.0, abs=0.05)
    # A KV beam: uniform on the surface of a sphere in four dimensions.
    columns = gaussian(200_000)
    sphere = np.random.default_rng(2).normal(size=(4, 200_000))
    sphere /= np.linalg.norm(sphere, axis=0)
    columns |= dict(zip(("x", "px", "y", "py"), sphere, strict=True))
    beam = beam_of(write(tmp_path / "kv.h5", columns))
    assert beam.halo_x == pytest.approx(0.0, abs=0.02)
    assert beam.halo_phase_y == pytest.approx(0.0, abs=0.02)


def test_an_offset_of_1e9_sigma_changes_nothing(tmp_path: Path) -> None:
    columns = gaussian(ROWS)
    columns["x"] = np.round(columns["x"] * 2**40) * 2**-40  # exact with an offset of 2^10
    near = beam_of(write(tmp_path / "near.h5", columns))
    far = beam_of(
        write(tmp_path / "far.h5", columns | {"x": columns["x"] + 2.0**10, "z": columns["z"] + 1e5})
    )
    assert far.sigma_x == pytest.approx(near.sigma_x, rel=1e-14)
    assert far.emittance_nx == pytest.approx(near.emittance_nx, rel=1e-13)
    # 1e5 m is 1e9 sigma of z: the positions themselves are rounded to 1e-11 m, sigma / 1e7.
    assert far.sigma_z == pytest.approx(near.sigma_z, rel=1e-9)


def test_weights_count_like_rows(tmp_path: Path, columns: dict[str, Array]) -> None:
    some = {name: values[:1000] for name, values in columns.items()}
    counts = np.random.default_rng(3).integers(1, 4, 1000)
    repeated = beam_of(
        write(tmp_path / "rows.h5", {name: np.repeat(one, counts) for name, one in some.items()})
    )
    weighted = beam_of(write(tmp_path / "q.h5", some | {"q": -counts * E_CHARGE}, units={**UNITS, "q": "C"}))
    assert weighted.has_weights
    assert not repeated.has_weights
    assert weighted.particles == 1000
    alike: tuple[str, ...] = (
        "charge",
        "mean_x",
        "sigma_y",
        "emittance_nx",
        "emittance_cy",
        "alpha_x",
        "halo_y",
    )
    alike += ("halo_phase_x", "sigma_energy_uncorrelated", "peak_current", "beyond_3_sigma_y")
    for name in alike:
        assert weighted[name] == pytest.approx(repeated[name], rel=1e-10), name


def test_a_condition_selects_particles(path: Path, tmp_path: Path, columns: dict[str, Array]) -> None:
    inside = np.abs(columns["x"]) < 1e-3
    kept = {name: values[inside] for name, values in columns.items()}
    expected = beam_of(write(tmp_path / "kept.h5", kept))
    found = beam_of(path, where="abs(x) < 1e-3")
    assert found.particles == inside.sum()
    for name in expected:
        assert found[name] == pytest.approx(expected[name], 1e-9, 1e-30, nan_ok=True), name


def test_reading_in_other_portions_changes_no_bit(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = beam_of(path)
    monkeypatch.setattr(blocks, "READ_BLOCKS", 1)
    assert dict(beam_of(path)) == dict(whole)
    assert dict(beam_of(path, where="x > -1")) == dict(whole)


@pytest.mark.parametrize("rows", [0, 1])
def test_fewer_than_two_particles_give_nan_with_the_reason(tmp_path: Path, rows: int) -> None:
    beam = beam_of(write(tmp_path / "few.h5", gaussian(rows)))
    assert beam.particles == rows
    assert math.isnan(beam.emittance_x)
    assert "fewer than 2" in beam.info("emittance_x").reason
    assert math.isnan(beam.mean_x) == (rows == 0)
    assert beam.slices is None
    assert repr(beam)


def test_weights_of_zero_count_for_nothing(tmp_path: Path) -> None:
    columns = gaussian(ROWS)
    weights = np.where(np.arange(ROWS) < 20_000, 0.0, E_CHARGE)  # the first block has none
    units = {**UNITS, "q": "C"}
    beam = beam_of(write(tmp_path / "some.h5", columns | {"q": weights}, units=units))
    kept = beam_of(write(tmp_path / "kept.h5", {name: one[20_000:] for name, one in columns.items()}))
    assert beam.weight == kept.weight == 20_000
    for name in ("mean_x", "sigma_x", "emittance_nx", "halo_y", "sigma_energy_uncorrelated"):
        assert beam[name] == pytest.approx(kept[name], rel=1e-9), name
    none = beam_of(write(tmp_path / "none.h5", columns | {"q": 0 * weights}, units=units))
    assert math.isnan(none.mean_x)
    assert none.info("emittance_x").reason == "all weights are 0"


def test_equal_particles_have_no_twiss_parameters(tmp_path: Path) -> None:
    beam = beam_of(write(tmp_path / "equal.h5", {name: np.full(10, 1.5) for name in NAMES}))
    assert (beam.sigma_x, beam.emittance_x, beam.sigma_energy) == (0.0, 0.0, 0.0)
    assert math.isnan(beam.beta_x)
    assert beam.info("beta_x").reason == "the emittance or a spread is 0"
    assert math.isnan(beam.halo_x)
    assert math.isnan(beam.peak_current)


def test_a_value_that_is_not_finite_is_named(tmp_path: Path) -> None:
    columns = gaussian(100)
    columns["px"][7] = np.nan
    beam = beam_of(write(tmp_path / "nan.h5", columns))
    assert math.isnan(beam.emittance_nx)
    assert beam.info("emittance_nx").reason == "a value of a particle is not finite"
    assert beam.sigma_x > 0


def test_float32_far_from_zero_is_a_warning(tmp_path: Path) -> None:
    columns = {name: values.astype(np.float32) for name, values in gaussian(100).items()}
    assert beam_of(write(tmp_path / "near.h5", columns)).warnings == []
    columns["z"] = (1e3 + columns["z"]).astype(np.float32) + np.float32(1e-4) * np.arange(
        100, dtype=np.float32
    )
    (warning,) = beam_of(write(tmp_path / "far.h5", columns)).warnings
    assert "mean of z" in warning
    assert "float32" in warning


def test_slices_have_the_quantities_of_their_particles(path: Path, columns: dict[str, Array]) -> None:
    beam = beam_of(path, slices=20)
    slices = beam.slices
    assert slices is not None
    x, z, px, pz = (columns[name] for name in ("x", "z", "px", "pz"))
    edges = z.mean() + np.linspace(-4, 4, 21) * z.std()
    assert slices.edges == pytest.approx(edges, rel=1e-12)
    inside = (z >= slices.edges[9]) & (z < slices.edges[10])
    assert slices["rows"][9] == inside.sum()
    assert slices["emittance_nx"][9] == pytest.approx(emittance(x[inside], px[inside]), rel=1e-9)
    assert slices["mean_x"][9] == pytest.approx(x[inside].mean(), rel=1e-9)
    assert slices["charge"].sum() == pytest.approx(((z >= edges[0]) & (z <= edges[-1])).sum() * E_CHARGE)
    gamma = np.sqrt(1 + columns["px"] ** 2 + columns["py"] ** 2 + pz**2)
    speed = (C_LIGHT * pz / gamma)[inside].mean()
    current = inside.sum() * E_CHARGE * speed / (slices.edges[1] - slices.edges[0])
    assert slices["current"][9] == pytest.approx(current, rel=1e-9)
    assert beam.peak_current == slices["current"].max()
    assert beam.fwhm == pytest.approx(2.355 * z.std(), rel=0.05)
    few = slices["rows"] < 20
    assert few.any()
    assert np.isnan(slices["emittance_nx"][few]).all()
    known = ~few
    mean = np.average(slices["emittance_nx"][known], weights=slices["charge"][known])
    assert beam.slice_emittance_nx == pytest.approx(mean, rel=1e-12)


def quantile(values: Array, weights: Array, fraction: float) -> float:
    """The least value that a share of the weight does not exceed."""
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) / weights.sum()
    return float(values[order][np.searchsorted(reached, fraction * (1 - 1e-12))])


def test_robust_quantities_ignore_particles_far_away(tmp_path: Path) -> None:
    columns = gaussian(ROWS)
    columns["x"][:40] = 1.0  # far away, 0.1 % of the particles
    weights = np.random.default_rng(5).uniform(0.5, 1.5, ROWS)
    path = write(tmp_path / "q.h5", columns | {"q": weights * E_CHARGE}, units={**UNITS, "q": "C"})
    beam = beam_of(path, robust=True)
    x, u = columns["x"], columns["px"]
    p2 = u**2 + columns["py"] ** 2 + columns["pz"] ** 2
    energy = (np.sqrt(1 + p2) - 1) * MC2
    median = quantile(energy, weights, 0.5)
    assert beam.median_energy == pytest.approx(median, rel=1e-10)
    assert beam.mad_energy == pytest.approx(quantile(np.abs(energy - median), weights, 0.5), rel=1e-6)
    a, b, c = (np.cov(np.stack([x, u]), aweights=weights, bias=True)[i] for i in ((0, 0), (0, 1), (1, 1)))
    dx, du = x - np.average(x, weights=weights), u - np.average(u, weights=weights)
    amplitude = (c * dx**2 - 2 * b * dx * du + a * du**2) / (2 * math.sqrt(a * c - b * b))
    assert np.average(amplitude, weights=weights) == pytest.approx(beam.emittance_nx, rel=1e-9)
    for fraction in (0.9, 0.95, 0.99):
        kept = amplitude <= quantile(amplitude, weights, fraction)
        within = np.cov(np.stack([x, u])[:, kept], aweights=weights[kept], bias=True)
        expected = math.sqrt(np.linalg.det(within))
        assert beam[f"emittance_nx_{fraction * 100:.0f}"] == pytest.approx(expected, rel=1e-6)
    assert beam.emittance_nx_99 < 0.2 * beam.emittance_nx
    assert "median_energy" not in beam_of(path)


def test_robust_quantities_of_few_or_equal_particles_have_reasons(tmp_path: Path) -> None:
    one = beam_of(write(tmp_path / "one.h5", gaussian(1)), robust=True)
    assert one.info("median_energy").reason == "there are fewer than 2 particles"
    equal = beam_of(write(tmp_path / "equal.h5", {name: np.full(10, 1.5) for name in NAMES}), robust=True)
    assert equal.median_energy == pytest.approx(equal.mean_energy, rel=1e-12)
    assert equal.mad_energy == 0.0
    assert equal.info("emittance_ny_90").reason == "the emittance or a spread is 0"


def test_particles_drift_to_a_screen(path: Path, columns: dict[str, Array]) -> None:
    beam = beam_of(path, screen=2.0)
    x, z, px, pz = (columns[name] for name in ("x", "z", "px", "pz"))
    there = x + (2.0 - z) * px / pz
    gamma = np.sqrt(1 + px**2 + columns["py"] ** 2 + pz**2)
    arrival = (2.0 - z) * gamma / (C_LIGHT * pz)
    assert beam.sigma_x == pytest.approx(there.std(), rel=1e-9)
    assert beam.sigma_t == pytest.approx(arrival.std(), rel=1e-9)
    assert beam.emittance_x == pytest.approx(emittance(there, px / pz), rel=1e-8)
    assert "sigma_z_from_t" in beam


def test_other_species_have_other_energies(path: Path) -> None:
    beam = beam_of(path, species="proton")
    assert beam.species.name == "proton"
    assert beam.mean_energy == pytest.approx(beam_of(path).mean_energy * 1836.15267, rel=1e-6)
    same = beam_of(path, species="938.27208943 MeV/c^2, 1")
    assert same.mean_energy == pytest.approx(beam.mean_energy, rel=1e-9)
    assert same.emittance_nx == beam.emittance_nx
    with pytest.raises(quire.UsageError, match="'muonium' is not a species"):
        beam_of(path, species="muonium")


def test_a_beam_is_a_mapping_with_units_and_documentation(path: Path) -> None:
    beam = beam_of(path)
    info = beam.info("emittance_nx")
    assert (info.value, info.unit) == (beam.emittance_nx, "m rad")
    assert "normalised" in info.description
    assert "emittance_nx" in dir(beam)
    assert set(beam) == {one.name for one in beam.quantities}
    text = repr(beam)
    assert "emittance_nx" in text
    assert "m rad" in text
    with pytest.raises(quire.MissingError, match="emittance_nx"):
        beam["emitance_nx"]
    with pytest.raises(AttributeError):
        _ = beam.emitance_nx
    for one in beam.quantities:
        assert one.description, one.name
        assert quire.units.is_known(one.unit), one.name


def test_slices_of_equal_charge_have_equal_charges(path: Path, columns: dict[str, Array]) -> None:
    slices = beam_of(path, slices="8:charge").slices
    assert slices is not None
    assert slices["rows"].tolist() == [ROWS / 8] * 8
    z = columns["z"]
    assert (slices.edges[0], slices.edges[-1]) == pytest.approx((z.min(), z.max()), rel=1e-12)
    assert slices.edges[4] == pytest.approx(np.median(z), abs=1e-7)
    inside = (z >= slices.edges[3]) & (z < slices.edges[4])
    assert slices["sigma_x"][3] == pytest.approx(columns["x"][inside].std(), rel=1e-9)


def test_bunching_is_that_of_the_wavelength(tmp_path: Path) -> None:
    columns = gaussian(20_000)
    columns["z"] = np.random.default_rng(1).integers(0, 50, 20_000) * 1e-6
    path = write(tmp_path / "bunched.h5", columns)
    assert beam_of(path, wavelength=1e-6).bunching == pytest.approx(1.0, rel=1e-9)
    assert beam_of(path, wavelength=0.5e-6).bunching == pytest.approx(1.0, rel=1e-9)
    expected = abs(np.exp(2j * np.pi * columns["z"] / 0.7e-6).mean())
    assert beam_of(path, wavelength=0.7e-6).bunching == pytest.approx(expected, rel=1e-6)
    with pytest.raises(quire.UsageError, match="wavelength"):
        beam_of(path, wavelength=-1.0)


@pytest.mark.parametrize("slices", [0, -1, 10**6, "many", "0:charge"])
def test_a_number_of_slices_is_checked(path: Path, slices: int) -> None:
    with pytest.raises(quire.UsageError, match="slices"):
        beam_of(path, slices=slices)
