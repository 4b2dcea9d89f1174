"""Reads a file with VTK's reader of particles in a separate process, and prints points and arrays as JSON.

python vtk_worker.py FILE STEP
"""

from __future__ import annotations

import json
import sys
from typing import Any

from vtkmodules.vtkIOH5part import vtkH5PartReader


def read(path: str, step: int) -> dict[str, Any]:
    """The points of a step, and its arrays of one component."""
    reader = vtkH5PartReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    reader.UpdateTimeStep(float(step))
    output = reader.GetOutput()
    rows = range(output.GetNumberOfPoints())
    data = output.GetPointData()
    arrays = [data.GetArray(index) for index in range(data.GetNumberOfArrays())]
    return {
        "points": [output.GetPoint(row) for row in rows],
        "arrays": {array.GetName(): [array.GetTuple1(row) for row in rows] for array in arrays},
    }


if __name__ == "__main__":
    print(json.dumps(read(sys.argv[1], int(sys.argv[2]))))
