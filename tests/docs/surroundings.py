"""What the pages take for granted: files of the reader, and names that belong to the reader's program."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
from tests.python.support.mpi import BUILD, ROOT

import quire

Names = dict[str, Any]

DOCS = ROOT / "docs"
TRACKED = {"x": "m", "xp": "", "y": "m", "yp": "", "t": "ps", "p": "m$be$nc", "q": "C"}
"""Columns of `tracked.h5` with their units."""


OLD_SCRIPT = """# The particles that are farthest from the axis.
sddsprocess $1 -pipe=out "-define=col,r,x sqr y sqr + sqrt,units=m" \\
    -filter=col,z,$low,$high |
sddssort -pipe=in $2 -column=r,decreasing
sddssmooth $2 -columns=r
"""


def run_program_of(page: str) -> None:
    """Run the first program of another page, which writes its files."""
    (program, *_) = re.findall(r"^```python\n(.*?)^```$", (DOCS / page).read_text(), re.DOTALL | re.MULTILINE)
    exec(compile(program, page, "exec"), {})


def write_optics(path: Path) -> None:
    """Write the beta functions of ten cells of 5 m."""
    s = np.linspace(0.0, 50.0, 401)
    with quire.create(path) as out, out.step(0) as step:
        step.put("s", s, unit="m")
        step.put("betax", 6 + 3 * np.cos(2 * np.pi * s / 5), unit="m")
        step.put("betay", 6 - 3 * np.cos(2 * np.pi * s / 5), unit="m")


def write_elements(path: Path, count: int, shift: float) -> None:
    """Write triangles, and quadrilaterals of which one coefficient is shifted."""
    ids = np.arange(18, 52)
    values = (3e6 + ids[:, np.newaxis] + np.arange(64) / 64).ravel()
    values[(21 - 18) * 64 + 4] += shift
    blocks = [
        quire.ElementBlock(
            "Triangle",
            ("Modified_A", "Modified_B"),
            np.array([2, 2]),
            np.arange(0, count),
            {"u": np.arange(3.0 * count), "p": np.arange(3.0 * count)},
        ),
        quire.ElementBlock(
            "Quadrilateral",
            ("Modified_A", "Modified_A"),
            np.array([8, 8]),
            ids,
            {"p": values},
        ),
    ]
    with quire.create(path) as out, out.step(3) as step:
        step.put_elements(blocks)


def write_tracked(path: Path) -> None:
    """Write eleven steps of the columns that elegant reads, one of them in another unit."""
    random = np.random.default_rng(3)
    with quire.create(path) as out:
        for number in range(0, 101, 10):
            with out.step(number) as step:
                for name, unit in TRACKED.items():
                    step.put(name, random.normal(1.0, 1e-3, 20000), unit=unit)


def shifted(source: str, target: str) -> None:
    """Copy the first two columns of a run, of which the first one is shifted after step 40."""
    with quire.open(source) as run, quire.create(target) as out:
        for step in run:
            with out.step(step.number) as copy:
                for name in ("x", "px", "id"):
                    values = step[name][:]
                    if name == "x" and step.number >= 40:
                        values = values + 1e-9
                    copy.put(name, values, unit=step[name].unit)


def files_of_commands(folder: Path, page: str) -> Names:
    """The files of docs/commands/."""
    run_program_of("commands.md")
    run_program_of("beam.md")
    write_optics(folder / "twiss.sdds")
    write_tracked(folder / "tracked.h5")
    shifted("run.sdds", "other.h5")
    if not page.endswith("convert.md"):  # which writes it
        quire.copy("run.sdds", "run.h5")
    write_elements(folder / "case_3.chk", 18, 0.0)
    write_elements(folder / "other.chk", 17, 0.5)
    (folder / "cut.sdds").write_bytes((folder / "run.sdds").read_bytes()[:3000000])
    (folder / "data.csv").write_text("x,y,id\n1.5,2.5,1\n2.5,3.5,2\n3.5,4.5,3\n")
    (folder / "tracker.txt").write_text("# tracker, version 1\n# of the lattice\n#x px\n1.5 .2\n2.5 .4\n")
    (folder / "lattice.in").write_text("drift\n" * 250)
    return {}


def an_old_script(folder: Path, page: str) -> Names:
    """A script that calls programs of the SDDS toolkit."""
    (folder / "largest.sh").write_text(OLD_SCRIPT)
    return {}


def files_of_expressions(folder: Path, page: str) -> Names:
    """A bunch without pz."""
    with quire.create("beam.h5") as out, out.step(0) as step:
        for name in ("x", "px", "id"):
            step.put(name, np.arange(3.0))
    return {}


def programs_of_build(folder: Path, page: str) -> Names:
    """The examples of the build."""
    (folder / "build").mkdir()
    (folder / "build" / "mpich").symlink_to(BUILD)
    return {}


def common_names() -> Names:
    """Names of a program on one rank."""
    from mpi4py import MPI

    random = np.random.default_rng(5)
    return {
        "np": np,
        "quire": quire,
        "Path": Path,
        "comm": MPI.COMM_SELF,
        "x": random.normal(size=8),
        "px": random.normal(size=8),
        "w": np.ones(8),
    }


def around_particles(folder: Path, page: str) -> Names:
    """A run, a mesh and images."""
    with quire.create("run.h5") as out:
        out.step(12).put("x", np.zeros(4)).commit()
    (folder / "lattice.in").write_text("drift\n")
    with quire.create("in.sdds") as out:
        out.step(0).put("x", np.zeros(4)).commit()
    shutil.copy(ROOT / "tests" / "data" / "h5part" / "mesh_tet_repacked.h5", "mesh.h5")
    image = np.zeros((1, 512, 512))
    return {**common_names(), "weights": np.ones(4), "first": image, "second": image}


def around_growing(folder: Path, page: str) -> Names:
    """The parts of a log."""
    names = {name: np.zeros(4) for name in ("t", "more_t", "more_x")}
    return {
        **common_names(),
        **names,
        "x": np.zeros(4),
        "first": np.zeros((16, 512)),
        "second": np.zeros((16, 512)),
    }


def around_elements(folder: Path, page: str) -> Names:
    """Two checkpoints, and the elements of this rank."""
    write_elements(folder / "case_3.chk", 18, 0.0)
    write_elements(folder / "other.chk", 17, 0.5)
    triangles = ("Triangle", ("Modified_A", "Modified_B"), np.array([2, 2]), np.arange(4))
    part = [quire.ElementBlock(*triangles, {"u": np.arange(12.0)})]
    return {**common_names(), "write_elements": write_elements, "part": part, "number": 3}


def around_species(folder: Path, page: str) -> Names:
    """A series, and a step with patches that is read."""
    with quire.create("beam.sdds") as out:
        out.step(0).put("x", np.zeros(4), "m").commit()
    (folder / "diags").mkdir()
    for number in (0, 100):
        with quire.create(f"diags/run_{number:06}.h5", format="openpmd", iteration_format="run_%06T") as out:
            out.step(number).put("x", np.zeros(4), "m").commit()

    def species(out: quire.Writer) -> quire.WriteStep:
        return out.step(0).put("x", np.zeros(8), "m", table="electrons")

    return {**common_names(), "rho": np.zeros((2, 2, 2)), "species": species}


def around_tables(folder: Path, page: str) -> Names:
    """A file of pages."""
    with quire.create("beam.sdds") as out:
        for number in range(2):
            out.step(number).set("s", 1.0).put("x", np.zeros(4), "m").commit()
    return common_names()


def around_streams(folder: Path, page: str) -> Names:
    """A multifile of four tasks."""
    with quire.create("run.sion") as out, out.step(0) as step:
        for task in range(4):
            step.stream(rank=task).write(bytes(100))
    return {**common_names(), "array": np.arange(4.0)}


def around_fields(folder: Path, page: str) -> Names:
    """The box of a rank."""
    return {**common_names(), "rank": 0, "mine": np.zeros((64, 16, 64)), "values": np.zeros((34, 18))}


SURROUNDINGS: dict[str, Callable[[Path, str], Names]] = {
    "README.md": programs_of_build,
    "docs/fortran.md": programs_of_build,
    "docs/tours.md": programs_of_build,
    "docs/start.md": programs_of_build,
    "docs/tutorials/code-author.md": programs_of_build,
    "docs/commands/old-scripts.md": an_old_script,
    "docs/expressions.md": files_of_expressions,
    "docs/fields.md": around_fields,
    "docs/h5part.md": around_particles,
    "docs/hdf5.md": around_growing,
    "docs/nektar.md": around_elements,
    "docs/openpmd.md": around_species,
    "docs/sdds.md": around_tables,
    "docs/sion.md": around_streams,
    **{f"docs/commands/{name}.md": files_of_commands for name in
       ("inspect", "convert", "select", "attach", "check", "benchmark")},
}  # fmt: skip
"""By page: writes the files into the folder, which is the current one, and returns the names."""


def prepare(folder: Path, page: str) -> Names:
    """Write the files that a page takes for granted into a new folder, and return its names."""
    folder.mkdir()
    with chdir(folder):
        return SURROUNDINGS[page](folder, page) if page in SURROUNDINGS else {}
