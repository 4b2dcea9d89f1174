"""Read the last step of a file by the reader that ParaView uses and print what it found as JSON.

python h5part_by_vtk.py FILE
"""

from __future__ import annotations

import hashlib
import json
import sys

import h5py
import numpy as np
from vtkmodules.vtkCommonCore import vtkVersion
from vtkmodules.vtkIOH5part import vtkH5PartReader

NAME = f"VTK {vtkVersion.GetVTKVersion()}"


def digest(values: list[float], dtype: str) -> str:
    """Return the SHA-256 of numbers as little-endian bytes."""
    return hashlib.sha256(np.asarray(values, dtype=dtype).tobytes()).hexdigest()


def main(path: str) -> None:
    """Print the number of steps, and rows and SHA-256 of the columns of the last one."""
    with h5py.File(path, "r") as file:
        steps = sum(name.startswith("Step#") for name in file)
        if f"Step#{steps - 1}" not in file:
            reason = "this reader wants steps that are numbered 0, 1, 2, ..."
            print(json.dumps({"reader": NAME, "skipped": reason}))
            return
    reader = vtkH5PartReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    reader.UpdateTimeStep(float(steps - 1))
    output = reader.GetOutput()
    rows = output.GetNumberOfPoints()
    points = [output.GetPoint(i) for i in range(rows)]
    digests = {name: digest([point[axis] for point in points], "<f8") for axis, name in enumerate("xyz")}
    data = output.GetPointData()
    for index in range(data.GetNumberOfArrays()):
        array = data.GetArray(index)
        dtype = "<f8" if array.GetDataTypeAsString() == "double" else "<i8"
        if array.GetNumberOfComponents() == 1:
            digests[array.GetName()] = digest([array.GetTuple1(i) for i in range(rows)], dtype)
    print(json.dumps({"reader": NAME, "steps": steps, "rows": rows, "digests": digests}))


if __name__ == "__main__":
    main(sys.argv[1])
