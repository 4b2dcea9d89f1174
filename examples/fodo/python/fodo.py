"""Track a bunch of particles through a FODO channel and write it step by step, in Python.

    mpiexec -n 4 python fodo.py beam.h5 --particles 10000 --cells 100 --every 10
    mpiexec -n 2 python fodo.py rest.h5 --cells 200 --restart-from beam.h5

The files are those of the programs in C++, C and Fortran, on any number of ranks. Without mpi4py one process
does all.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import moments
import physics
from physics import Array, CellMap, Channel

import quire
from quire import Texts

COLUMNS = {
    "x": Texts("m", description="horizontal position"),
    "px": Texts("1", description="horizontal momentum Px/P0"),
    "y": Texts("m", description="vertical position"),
    "py": Texts("1", description="vertical momentum Py/P0"),
    "z": Texts("m", description="position ahead of the reference particle"),
    "delta": Texts("1", description="relative momentum deviation (P-P0)/P0"),
}
CONSTANTS = {
    "gamma": Texts("1", description="Lorentz factor of the reference particle"),
    "quadrupole": Texts("1/m^2", description="quadrupole strength k1"),
    "quadrupole_length": Texts("m", description="length of a quadrupole"),
    "drift_length": Texts("m", description="length of a drift"),
    "sextupole": Texts("1/m^2", description="integrated sextupole strength k2 L"),
    "rf": Texts("1", description="largest relative change of momentum in a cavity"),
    "rf_wave_number": Texts("1/m", description="wave number of the cavities"),
    "rf_cubic": Texts("1", description="cubic coefficient of the cavity's kick"),
    "rf_quintic": Texts("1", description="quintic coefficient of the cavity's kick"),
}
"""The constants of the channel are attributes of the file, so that a restart needs nothing else."""


@dataclass
class State:
    """The state of a run on this rank."""

    cell: int
    channel: Channel
    bunch: dict[str, Array]


def texts_of(moment: str) -> Texts:
    """Return unit and description of a moment."""
    kind, name = moment[0], moment[1:]
    if kind == "e":
        return Texts("m", description=f"projected geometric emittance in {name}")
    of = COLUMNS[name]
    return Texts(of.unit, description=f"{'centroid' if kind == 'C' else 'rms'} of the {of.description}")


def world() -> Any:
    """Return the communicator of all ranks, or None for a process alone."""
    try:
        from mpi4py import MPI
    except ImportError:
        return None
    return MPI.COMM_WORLD


def share(rows: int, comm: Any) -> range:
    """Return the even share of this rank of so many rows, as `table.share` does."""
    rank, size = (0, 1) if comm is None else (comm.rank, comm.size)
    low, more = divmod(rows, size)
    first = rank * low + min(rank, more)
    return range(first, first + low + (rank < more))


def begun(particles: int, comm: Any) -> State:
    """Return the state at the beginning of the channel."""
    channel = Channel()
    return State(0, channel, physics.make_bunch(CellMap(channel), share(particles, comm)))


def restarted(path: str, number: int | None, comm: Any) -> State:
    """Collective. Return the state of a step, by default the last one: all ranks return, or all raise."""
    with quire.open(path, comm) as file:
        step = file[-1] if number is None else file.step(number)
        channel = Channel(**{one.name: float(file.attrs[one.name]) for one in fields(Channel)})
        table = step.table
        rows = share(len(table), comm)
        bunch = table.read_all([*COLUMNS, "id"], rows)
    return State(step.number, channel, bunch)


def write(out: quire.Writer, state: State, comm: Any, overlap: bool) -> None:
    """Collective. Write a step; with `overlap` it is written while the next one is tracked."""
    particles, found = moments.measure(state.bunch, comm)
    s = state.cell * state.channel.cell_length
    with out.step(state.cell, overlap=overlap) as step:
        step.set("s", s, Texts("m", description="distance along the channel"))
        step.set("cell", state.cell, Texts(description="cells passed"))
        step.set("particles", particles, Texts(description="number of particles"))
        for name, value in found.items():
            step.set(name, value, texts_of(name))
        for name, texts in COLUMNS.items():
            step.put(name, state.bunch[name], texts)
        step.put("id", state.bunch["id"], Texts(description="place of the particle in the bunch"))
    if out.rank == 0:
        print(f"cell {state.cell:6d}  s {s:9.3f} m  ex {found['ex']:.6e} m  ey {found['ey']:.6e} m")


def new_file(path: str, state: State, comm: Any, **options: Any) -> quire.Writer:
    """Collective. Return a new file with the constants of the channel."""
    out = quire.create(path, comm, **options)
    out.title, out.contents = "FODO channel", "particles"
    for (name, texts), value in zip(CONSTANTS.items(), physics.constants_of(state.channel), strict=True):
        out.set(name, value, texts)
    return out


def run(given: argparse.Namespace, comm: Any) -> None:
    """Collective. Track and write."""
    options: dict[str, Any] = {"format": given.format} | dict(one.split("=", 1) for one in given.option)
    source = given.restart_from
    state = restarted(source, given.restart_step, comm) if source else begun(given.particles, comm)
    continues = bool(source) and Path(source).resolve() == Path(given.output).resolve()
    opened = (
        quire.append(given.output, comm, state.cell, **options)
        if continues
        else new_file(given.output, state, comm, **options)
    )
    with opened as out:
        cell = CellMap(state.channel)
        if not source:
            write(out, state, comm, given.overlap)
        while state.cell < given.cells:
            end = min(given.cells, (state.cell // given.every + 1) * given.every)
            cell.track(state.bunch, end - state.cell)
            state.cell = end
            write(out, state, comm, given.overlap)


def main() -> int:
    """Run the simulation; 2 after an error, which every rank raises."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("output")
    parser.add_argument("--particles", type=int, default=10000)
    parser.add_argument("--cells", type=int, default=100, help="track until the end of this cell")
    parser.add_argument("--every", type=int, default=10, help="cells between written steps")
    parser.add_argument("--format", help="of the file; by its suffix if not given")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="of the format")
    parser.add_argument(
        "--async", dest="overlap", action="store_true", help="write a step while the next one is tracked"
    )
    parser.add_argument("--restart-from", help="continue from a step of this file of any format")
    parser.add_argument("--restart-step", type=int, help="number of that step; the last one if not given")
    given = parser.parse_args()
    comm = world()
    try:
        run(given, comm)
    except quire.Error as error:
        if comm is None or comm.rank == 0:
            print(f"fodo: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
