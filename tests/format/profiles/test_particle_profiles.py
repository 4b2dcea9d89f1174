"""Particles of one program, written for another: with its conventions, and nothing is dropped silently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.python.beam.beams import NAMES, UNITS, gaussian, write
from tests.python.support.mpi import run_ranks

import quire
from quire.beam.species import E_CHARGE
from quire.errors import ConflictError, DataError, MissingError, UsageError
from quire.toolkit.convert import copy
from quire.toolkit.request import Observer

DATA = Path(__file__).resolve().parents[2] / "data" / "codes"
ROWS = 20_000
SAME = ("charge", "mean_energy", "sigma_energy", "sigma_x", "emittance_x", "emittance_nx", "emittance_ny",
        "beta_y", "alpha_x", "dispersion_x", "angular_momentum")  # fmt: skip


def weighted(rows: int = ROWS, charge: Any = -1e-15) -> dict[str, Any]:
    """Particles with a charge of each row."""
    return gaussian(rows) | {"q": np.full(rows, charge)}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Particles at one time."""
    return write(tmp_path / "source.h5", weighted(), units={**UNITS, "q": "C"})


def convert(source: Path, target: Path, program: str, **more: Any) -> list[str]:
    """Write for a program; return the changes."""
    changes: list[str] = []
    copy(
        source,
        target,
        program=program,
        observer=Observer(change=lambda *said: changes.append(": ".join(said))),
        **more,
    )
    return changes


def test_a_bunch_for_elegant_is_that_on_a_screen(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "bunch.sdds"
    changes = convert(source, target, "elegant")
    with quire.open(source) as before, quire.open(target) as after:
        mean = float(before[0]["z"][:].mean())
        expected, found = before[0].beam(screen=mean), after[0].beam()
        assert after[0].attrs["Charge"] == pytest.approx(ROWS * 1e-15)
        assert after[0].attrs.info["Charge"].unit == "C"
        assert [after[0][name].unit for name in ("x", "xp", "t", "p")] == ["m", "", "s", "m$be$nc"]
    assert found.convention == "elegant"
    assert found.weight == pytest.approx(ROWS * 1e-15 / E_CHARGE)
    for name in (*SAME, "sigma_t", "max_x"):
        assert found[name] == pytest.approx(expected[name], rel=1e-9), name
    columns = "x, y, t, xp, yp, p"
    assert f"converted: columns {columns}: from the phase space of opal to that of elegant" in changes
    assert "changed: particles drift from one time to the plane of their mean z" in changes
    assert "left out: columns z, px, py, pz, q: not read by elegant" in changes
    assert not [change for change in changes if change.startswith("lost")]


def test_there_and_back_keeps_the_phase_space(source: Path, tmp_path: Path) -> None:
    there, back = tmp_path / "there.sdds", tmp_path / "back.h5"
    convert(source, there, "elegant")
    convert(there, back, "opal")
    with quire.open(source) as before, quire.open(back) as after:
        assert after[0].beam().convention == "opal"
        for name in ("px", "py", "pz", "q"):
            assert after[0][name][:] == pytest.approx(before[0][name][:], rel=1e-12), name
        expected, found = before[0].beam(), after[0].beam()
        for name in (*SAME, "sigma_z"):
            # The mean of the arrival times is not the time that all particles had.
            assert found[name] == pytest.approx(expected[name], rel=1e-6), name
        assert set(after[0].table) == {*NAMES, "q", "id"}


def test_pages_of_elegant_become_steps_of_opal(tmp_path: Path) -> None:
    target = tmp_path / "beam.h5"
    changes = convert(DATA / "elegant_line.w1", target, "opal")
    with quire.open(DATA / "elegant_line.w1") as before, quire.open(target) as after:
        assert [step.number for step in after] == [0, 1]
        for old, new in zip(before, after, strict=True):
            expected, found = old.beam(), new.beam()
            assert found.charge == pytest.approx(expected.charge)
            assert found.sigma_uz == pytest.approx(expected.sigma_uz, rel=1e-12)
            assert found.sigma_z == pytest.approx(expected.sigma_z_from_t, rel=1e-6)
            assert new.attrs["s"] == old.attrs["s"]
    with h5py.File(target) as file:
        assert np.all(file["Step#0/q"][:] < 0)
    assert "changed: particles drift from one place to their mean time" in changes


def test_genesis_reads_datasets_of_the_root(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "beam.hdf5"
    changes = convert(source, target, "genesis4")
    with h5py.File(target) as file, quire.open(source) as before:
        assert {"t", "p", "x", "xp", "y", "yp"} <= set(file)
        columns = {name: before[0][name][:] for name in NAMES}
        momentum = np.sqrt(columns["px"] ** 2 + columns["py"] ** 2 + columns["pz"] ** 2)
        assert file["p"][:] == pytest.approx(momentum, rel=1e-14)
        assert file["xp"][:] == pytest.approx(columns["px"] / columns["pz"], rel=1e-14)
    assert "lost: column weight: left out: genesis4 has no place for the weight of each particle" in changes


def test_columns_that_the_program_has_already_are_not_made_again(source: Path, tmp_path: Path) -> None:
    changes = convert(source, tmp_path / "same.h5", "opal")
    assert changes == ["added: column id: numbered from 0"]
    with quire.open(tmp_path / "same.h5") as after, quire.open(source) as before:
        for name in (*NAMES, "q"):
            assert np.array_equal(after[0][name][:], before[0][name][:])


def test_momenta_in_mev_per_c_become_beta_gamma(tmp_path: Path) -> None:
    units = dict.fromkeys("xyz", "mm") | {f"p{axis}": "MeV/c" for axis in "xyz"}
    columns = {
        name: values * 1e3 if name in "xyz" else values * 0.51099895069
        for name, values in gaussian(50).items()
    }
    path = write(tmp_path / "mev.h5", columns, units=units)
    with pytest.raises(UsageError, match="species of the particles is not known"):
        convert(path, tmp_path / "beam.h5", "opal")
    changes = convert(path, tmp_path / "beam.h5", "opal", species="electron")
    assert "converted: columns x, y, z: from mm to m" in changes
    with quire.open(tmp_path / "beam.h5") as file:
        for name, values in gaussian(50).items():
            assert file[0][name][:] == pytest.approx(values, rel=1e-9), name
        assert "q" not in file[0]


def test_unequal_weights_are_reported_as_lost(tmp_path: Path) -> None:
    path = write(tmp_path / "q.h5", weighted(10, np.arange(1.0, 11.0) * 1e-15), units={**UNITS, "q": "C"})
    changes = convert(path, tmp_path / "beam.sdds", "elegant")
    assert "lost: column weight: left out: elegant has no place for the weight of each particle" in changes


def test_selected_rows_have_no_charge_of_all(source: Path, tmp_path: Path) -> None:
    changes = convert(source, tmp_path / "beam.sdds", "elegant", where="xp > 0")
    assert any(change.startswith("lost: column weight") for change in changes)
    with quire.open(tmp_path / "beam.sdds") as file:
        assert "Charge" not in file[0].attrs
        assert 0 < len(file[0].table) < ROWS
        assert np.all(file[0]["xp"][:] > 0)


def test_lost_particles_are_left_out(tmp_path: Path) -> None:
    names = ("x", "y", "z", "px", "py", "pz", "clock", "charge", "index", "status")
    columns = {name: np.linspace(1.0, 2.0, 6) for name in names} | {
        "z": np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        "index": np.ones(6),
        "status": np.array([5, 5, -91, 5, -89, 5]),
    }
    columns["pz"][0] = 1e6
    path = write(tmp_path / "astra.h5", columns, units={})
    changes = convert(path, tmp_path / "beam.sdds", "elegant")
    assert "changed: lost particles are left out" in changes
    with quire.open(tmp_path / "beam.sdds") as file:
        assert len(file[0].table) == 4
        # The clock is in ns, relative to the first row.
        assert file[0]["t"][:].tolist() == pytest.approx([1e-9, 2.2e-9, 2.6e-9, 3e-9])


def test_particles_that_move_backward_have_no_slopes(tmp_path: Path) -> None:
    columns = gaussian(50)
    columns["pz"][7] = -100.0
    path = write(tmp_path / "backward.h5", columns)
    with pytest.raises(ConflictError, match="do not move forward"):
        convert(path, tmp_path / "beam.sdds", "elegant")
    convert(path, tmp_path / "beam.sdds", "elegant", where="pz > 0")
    with quire.open(tmp_path / "beam.sdds") as file:
        assert len(file[0].table) == 49


def test_an_uncertain_convention_is_an_error_with_the_option(tmp_path: Path) -> None:
    path = write(tmp_path / "bare.h5", gaussian(5), units={})
    with pytest.raises(DataError, match="choose one by convention=NAME"):
        convert(path, tmp_path / "beam.sdds", "elegant")
    convert(path, tmp_path / "beam.sdds", "elegant", convention="opal")
    # The columns of the program itself need no convention.
    assert convert(path, tmp_path / "same.h5", "opal")
    other = write(tmp_path / "other.h5", {"x": np.arange(3.0)})
    with pytest.raises((MissingError, DataError), match=r"no phase-space convention|xp"):
        convert(other, tmp_path / "other.sdds", "elegant")


def converted_by_ranks(comm: Any, source: str, target: str) -> int:
    copy(source, target, comm=comm, program="elegant")
    return int(comm.rank)


@pytest.mark.mpi
def test_ranks_write_the_same_bytes(source: Path, tmp_path: Path) -> None:
    convert(source, tmp_path / "alone.sdds", "elegant")
    assert run_ranks(converted_by_ranks, 3, str(source), str(tmp_path / "ranks.sdds")) == [0, 1, 2]
    assert (tmp_path / "ranks.sdds").read_bytes() == (tmp_path / "alone.sdds").read_bytes()
