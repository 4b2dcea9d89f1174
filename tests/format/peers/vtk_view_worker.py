"""Prints what VTK's reader of VTKHDF returns at a time, as JSON, in a separate process.

python vtk_view_worker.py FILE TIME
"""

from __future__ import annotations

import json
import sys
from typing import Any

from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkIOHDF import vtkHDFReader


def values_of(array: Any) -> list[Any]:
    """Numbers, or tuples of several components."""
    rows = [array.GetTuple(row) for row in range(array.GetNumberOfTuples())]
    return rows if array.GetNumberOfComponents() > 1 else [row[0] for row in rows]


def arrays_of(group: Any) -> dict[str, list[Any]]:
    """The arrays of points or cells."""
    places = range(group.GetNumberOfArrays())
    return {group.GetArrayName(place): values_of(group.GetArray(place)) for place in places}


def points_of(cell: Any) -> list[int]:
    """The numbers of the points of a cell."""
    return [cell.GetPointId(place) for place in range(cell.GetNumberOfPoints())]


def described(data: Any) -> dict[str, Any]:
    """Points, cells, grid and arrays of one data set."""
    found: dict[str, Any] = {"kind": data.GetClassName()}
    found["arrays"] = arrays_of(data.GetPointData())
    found["cell_arrays"] = arrays_of(data.GetCellData())
    if data.IsA("vtkImageData"):
        found |= {name: list(getattr(data, f"Get{name.title()}")()) for name in ("origin", "spacing")}
        found["dimensions"] = list(data.GetDimensions())
        return found
    count = data.GetNumberOfPoints()
    found["points"] = values_of(data.GetPoints().GetData()) if count else []
    # The cell that is returned is always the same object.
    found["cells"] = [points_of(data.GetCell(place)) for place in range(data.GetNumberOfCells())]
    found["cell_types"] = [data.GetCellType(place) for place in range(data.GetNumberOfCells())]
    return found


def main(path: str, time: float) -> dict[str, Any]:
    """Return the times of a file, and what it shows at one of them."""
    reader = vtkHDFReader()
    reader.SetFileName(path)
    assert reader.CanReadFile(path)
    reader.UpdateInformation()
    key = vtkStreamingDemandDrivenPipeline.TIME_STEPS()
    information = reader.GetOutputInformation(0)
    times = list(information.Get(key)) if information.Has(key) else []
    reader.UpdateTimeStep(time)
    return {"times": times, **described(reader.GetOutputDataObject(0))}


if __name__ == "__main__":
    answer = main(sys.argv[1], float(sys.argv[2]))
    print(json.dumps(answer))
