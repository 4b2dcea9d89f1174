"""Reads, writes and checks openPMD files with a program of the field, in a process of its own.

Prints JSON. Usage: openpmd_worker.py COMMAND PATH [ARGUMENTS]
"""

from __future__ import annotations

import io
import json
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np


def api_read(path: str) -> dict[str, Any]:
    """Every iteration as openPMD-api reads it; a path may have a pattern."""
    import openpmd_api as api

    series = api.Series(path, api.Access.read_only)
    found: dict[str, Any] = {"iterations": {}}
    for number, iteration in series.iterations.items():
        objects: dict[str, Any] = {}
        for has_records, kind in ((True, iteration.particles), (False, iteration.meshes)):
            for name in kind:
                records = dict(kind[name].items()) if has_records else {"": kind[name]}
                for record, components in records.items():
                    for component in components:
                        one = components[component]
                        values = one.load_chunk()
                        series.flush()
                        place = "/".join(filter(None, (name, record, component.strip("\x0b"))))
                        objects[place.removesuffix("/Scalar")] = {
                            "values": np.asarray(values).reshape(-1).tolist(),
                            "unitSI": one.unit_SI,
                            "unitDimension": list(components.unit_dimension),
                        }
        meshes = {
            name: [
                list(mesh.axis_labels),
                list(mesh.grid_spacing),
                list(mesh.grid_global_offset),
                str(mesh.geometry),
            ]
            for name, mesh in iteration.meshes.items()
        }
        times = [iteration.time, iteration.dt, iteration.time_unit_SI]
        found["iterations"][str(number)] = {"times": times, "objects": objects, "meshes": meshes}
    return found


def api_patches(path: str, species: str) -> dict[str, Any]:
    """The particle patches of a species in the first iteration, as openPMD-api reads them."""
    import openpmd_api as api

    series = api.Series(path, api.Access.read_only)
    number = next(iter(series.iterations))
    patches = series.iterations[number].particles[species].particle_patches
    found = {}
    for record in patches:
        for component in patches[record]:
            values = patches[record][component].load()
            series.flush()
            name = "/".join(filter(None, (record, component.strip("\x0b"))))
            found[name.removesuffix("/Scalar")] = np.asarray(values).tolist()
    return found


def api_write(path: str, encoding: str, chunks: str) -> dict[str, Any]:
    """Write iterations with all kinds of records."""
    import openpmd_api as api

    backend = {"hdf5": {"dataset": {"chunks": chunks}}}
    series = api.Series(path, api.Access.create, json.dumps(backend))
    series.iteration_encoding = getattr(api.Iteration_Encoding, encoding)
    series.set_author("peer")
    for number in (3,) if encoding == "variable_based" else (3, 20):
        iteration = (
            series.write_iterations()[number] if encoding == "variable_based" else series.iterations[number]
        )
        iteration.time, iteration.dt, iteration.time_unit_SI = 1.5 * number, 0.5, 1e-15
        species = iteration.particles["electrons"]
        rows = 10 + number
        kept = []
        for record, unit, dimension in (
            ("position", 1e-6, {api.Unit_Dimension.L: 1}),
            ("positionOffset", 1e-6, {api.Unit_Dimension.L: 1}),
            (
                "momentum",
                2.5e-22,
                {api.Unit_Dimension.L: 1, api.Unit_Dimension.M: 1, api.Unit_Dimension.T: -1},
            ),
        ):
            species[record].unit_dimension = dimension
            for axis in "xyz":
                component = species[record][axis]
                component.unit_SI = unit
                component.reset_dataset(api.Dataset(np.dtype("float64"), [rows]))
                if record == "positionOffset":
                    component.make_constant(0.0)
                else:
                    kept.append(np.arange(rows) + ord(axis) + (record == "momentum") * 1000.0)
                    component.store_chunk(kept[-1])
        weighting = species["weighting"][api.Record_Component.SCALAR]
        weighting.reset_dataset(api.Dataset(np.dtype("float32"), [rows]))
        weighting.make_constant(np.float32(2.5))
        mesh = iteration.meshes["E"]
        mesh.axis_labels, mesh.grid_spacing, mesh.grid_global_offset = ["y", "x"], [0.5, 0.25], [1.0, 2.0]
        for axis in "xy":
            mesh[axis].reset_dataset(api.Dataset(np.dtype("float64"), [4, 5]))
            kept.append(np.arange(20.0).reshape(4, 5) + ord(axis))
            mesh[axis].store_chunk(kept[-1])
        series.flush()
        iteration.close()
    series.close()
    return {}


def validate(path: str) -> dict[str, Any]:
    """The numbers of errors and warnings of openPMD-validator."""
    from openpmd_validator import check_h5

    said = io.StringIO()
    with redirect_stdout(said):
        result = check_h5.check_file(path, False, False)
    return {"errors": int(result[0]), "warnings": int(result[1]), "said": said.getvalue()}


def beamphysics_read(path: str) -> dict[str, Any]:
    """The particles as openPMD-beamphysics reads them, in its units."""
    from beamphysics import ParticleGroup

    group = ParticleGroup(path)
    names = ("x", "px", "y", "py", "z", "pz", "t", "weight", "status")
    return {"species": group.species, **{name: np.asarray(group[name]).tolist() for name in names}}


def beamphysics_write(path: str) -> dict[str, Any]:
    """Write a group of particles and return it."""
    from beamphysics import ParticleGroup

    rows = 12
    data = {
        name: np.linspace(0, k + 1, rows) for k, name in enumerate(("x", "px", "y", "py", "z", "pz", "t"))
    }
    data |= {"weight": np.full(rows, 1e-12), "status": np.ones(rows, dtype=int)}
    ParticleGroup(data={**data, "species": "electron"}).write(path)
    return beamphysics_read(path)


def viewer_read(path: str, species: str, iteration: str) -> dict[str, Any]:
    """Positions as openPMD-viewer reads them, in metres."""
    from openpmd_viewer import OpenPMDTimeSeries

    series = OpenPMDTimeSeries(str(Path(path).parent), backend="h5py")
    x, y = series.get_particle(["x", "y"], species=species, iteration=int(iteration))
    return {"iterations": [int(one) for one in series.iterations], "x": x.tolist(), "y": y.tolist()}


def astra_read(path: str) -> dict[str, Any]:
    """The particles of a file for ASTRA, as openPMD-beamphysics reads them."""
    from beamphysics import ParticleGroup
    from beamphysics.interfaces.astra import parse_astra_phase_file

    return described(ParticleGroup(data=parse_astra_phase_file(path)))


def beamphysics_describe(path: str) -> dict[str, Any]:
    """Quantities of the particles as openPMD-beamphysics reads them."""
    from beamphysics import ParticleGroup

    return described(ParticleGroup(path))


def described(group: Any) -> dict[str, Any]:
    """Quantities and columns of a group."""
    scalars = ("sigma_x", "sigma_y", "sigma_z", "sigma_t", "mean_kinetic_energy", "charge", "norm_emit_x")
    columns = ("x", "px", "y", "py", "z", "pz", "t", "weight", "status")
    found: dict[str, Any] = {"species": group.species, "particles": int(group.n_particle)}
    found |= {name: float(group[name]) for name in scalars}
    return found | {name: np.broadcast_to(group[name], len(group)).tolist() for name in columns}


def impactx_copy(path: str, folder: str, loads_reference: str = "") -> dict[str, Any]:
    """Read a beam with ImpactX and let its monitor write it again; return the path of the new file and the
    reference particle, which is that of the file on request.
    """
    import os

    from impactx import ImpactX, elements

    os.chdir(folder)
    simulation = ImpactX()
    simulation.verbose = 0
    simulation.particle_shape = 2
    simulation.space_charge = False
    simulation.slice_step_diagnostics = False
    simulation.init_grids()
    simulation.beam.ref.set_charge_qe(-1.0).set_mass_MeV(0.51099895).set_kin_energy_MeV(2e3)
    source = elements.Source("openPMD", path, load_ref_particle=bool(loads_reference))
    simulation.lattice.extend([source, elements.BeamMonitor("copy", backend="h5")])
    simulation.track_particles()
    reference = simulation.beam.ref
    found = {name: getattr(reference, name) for name in ("pt", "pz", "t", "mass", "charge")}
    simulation.finalize()
    return {"path": str(Path(folder, "diags", "openPMD", "copy.h5")), "reference": found}


COMMANDS = {
    command.__name__: command
    for command in (
        api_read,
        api_patches,
        api_write,
        validate,
        beamphysics_read,
        beamphysics_write,
        beamphysics_describe,
        astra_read,
        viewer_read,
        impactx_copy,
    )
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    name, *arguments = sys.argv[1:]
    with redirect_stdout(sys.stderr):  # for the output of the programs
        answer = COMMANDS[name](*arguments)
    print("\n" + json.dumps(answer))
