"""One Python library under measurement, in a process of its own: two peers have packages of the same name.

python python_worker.py LIBRARY COLUMNS ROWS

Commands come line by line as "OPERATION PATH KEY=VALUE ..."; each is answered by the seconds it took.
Operations: `write` (of ready NumPy arrays), `read` (into new arrays), `read_into` (into given arrays, where
the library can; else as `read`). Keys and values are options of `quire.create`; peers do their best for the
same layout. Removing files is the caller's work, outside the clock.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, Any]
Layout = dict[str, Any]


class Library:
    """What every library is asked to do; `columns` are the arrays to write, and what reading has to give."""

    def __init__(self, columns: Arrays) -> None:
        """Keep the arrays, and memory of the same shape to read into."""
        self.columns = columns
        self.target = {name: np.zeros_like(values) for name, values in columns.items()}

    def write(self, path: str, layout: Layout) -> None:
        """Write all columns as one page."""
        raise NotImplementedError

    def read(self, path: str, layout: Layout) -> Arrays:
        """Read all columns."""
        raise NotImplementedError

    def read_into(self, path: str, layout: Layout) -> Arrays:
        """Read all columns into given memory; most libraries have no such thing."""
        return self.read(path, layout)


class Quire(Library):
    """The library of this repository."""

    def write(self, path: str, layout: Layout) -> None:
        """Put all columns and commit."""
        import quire

        with quire.create(path, **layout) as out, out.step(0) as step:
            for name, values in self.columns.items():
                step.put(name, values)

    def read(self, path: str, layout: Layout) -> Arrays:
        """Read into blocks that the library allocates."""
        import quire

        with quire.open(path) as file:
            return dict(file[0].table.read())

    def read_into(self, path: str, layout: Layout) -> Arrays:
        """Read into the memory that is kept for it."""
        import quire

        with quire.open(path) as file:
            return dict(file[0].table.read(out=self.target))


class Pysdds(Library):
    """pysdds: pandas frames on both sides."""

    def __init__(self, columns: Arrays) -> None:
        """Make the frame outside the clock."""
        super().__init__(columns)
        import pandas

        self.frame = pandas.DataFrame(columns, copy=False)

    def write(self, path: str, layout: Layout) -> None:
        """Write with its default settings by rows, with its best ones by columns."""
        import pysdds

        file = pysdds.SDDSFile.from_df([self.frame], mode="binary")
        pysdds.write(file, path, overwrite=True, use_best_settings=layout.get("major_order") == "column")

    def read(self, path: str, layout: Layout) -> Arrays:
        """Read everything."""
        import pysdds

        return {column.name: column.data[0] for column in pysdds.read(path).columns}


class Soliday(Library):
    """soliday-sdds, the binding of the reference library: Python lists on both sides."""

    def __init__(self, columns: Arrays) -> None:
        """Make the lists outside the clock."""
        super().__init__(columns)
        self.lists = {name: values.tolist() for name, values in columns.items()}

    def write(self, path: str, layout: Layout) -> None:
        """Write binary, row by row."""
        import sdds

        file = sdds.SDDS()
        file.mode = file.SDDS_BINARY
        for name, values in self.lists.items():
            file.defineSimpleColumn(name, file.SDDS_DOUBLE)
            file.setColumnValueLists(name, [values])
        file.save(path)

    def read(self, path: str, layout: Layout) -> Arrays:
        """Read everything and make the arrays that a user of NumPy wants."""
        import sdds

        file = sdds.load(path)
        return {
            name: np.asarray(pages[0]) for name, pages in zip(file.columnName, file.columnData, strict=True)
        }


class H5py(Library):
    """h5py: NumPy arrays on both sides; one group holds the columns."""

    GROUP = "Step#0"

    def write(self, path: str, layout: Layout) -> None:
        """Write every column as a contiguous data set."""
        import h5py

        with h5py.File(path, "w") as file:
            group = file.create_group(self.GROUP)
            for name, values in self.columns.items():
                group[name] = values

    def read(self, path: str, layout: Layout) -> Arrays:
        """Read everything into new arrays."""
        import h5py

        with h5py.File(path, "r") as file:
            return {name: values[()] for name, values in file[self.GROUP].items()}

    def read_into(self, path: str, layout: Layout) -> Arrays:
        """Read into the memory that is kept for it."""
        import h5py

        with h5py.File(path, "r") as file:
            for name, values in self.target.items():
                file[self.GROUP][name].read_direct(values)
        return self.target


class OpenpmdApi(Library):
    """openPMD-api: NumPy arrays on both sides; the columns are scalar records of one species."""

    SPECIES = "beam"
    CONTIGUOUS = '{"hdf5": {"dataset": {"chunks": "none"}}}'

    def write(self, path: str, layout: Layout) -> None:
        """Write every column as a contiguous data set."""
        import openpmd_api as api

        series = api.Series(path, api.Access.create, self.CONTIGUOUS)
        species = series.iterations[0].particles[self.SPECIES]
        for name, values in self.columns.items():
            component = species[name][api.Record_Component.SCALAR]
            component.reset_dataset(api.Dataset(values.dtype, values.shape))
            component.store_chunk(values)
        series.close()

    def read(self, path: str, layout: Layout) -> Arrays:
        """Read everything into new arrays."""
        import openpmd_api as api

        series = api.Series(path, api.Access.read_only)
        species = series.iterations[0].particles[self.SPECIES]
        arrays = {name: species[name][api.Record_Component.SCALAR].load_chunk() for name in self.columns}
        series.flush()
        series.close()
        return arrays


LIBRARIES: dict[str, Callable[[Arrays], Library]] = {
    "quire": Quire,
    "pysdds": Pysdds,
    "soliday": Soliday,
    "h5py": H5py,
    "openpmd": OpenpmdApi,
}


def main() -> None:
    """Answer commands until the input ends."""
    name, columns, rows = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    arrays = {f"c{i}": np.arange(rows, dtype=np.float64) * 1.0625 + i for i in range(columns)}
    library = LIBRARIES[name](arrays)
    for line in sys.stdin:
        operation, path, *options = line.split()
        work = getattr(library, operation)
        start = time.perf_counter()
        result = work(path, dict(word.split("=", 1) for word in options))
        seconds = time.perf_counter() - start
        if result is not None:
            wrong = [key for key, values in arrays.items() if not np.array_equal(result[key], values)]
            if wrong:
                sys.exit(f"{name} gives other values than were written: {wrong}")
        elif Path(path).stat().st_size < columns * rows * 8:
            sys.exit(f"{name} has written too little")
        del result
        print(seconds, flush=True)


if __name__ == "__main__":
    main()
