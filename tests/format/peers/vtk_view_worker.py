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


def described(data: Any) -> dict[str, Any]:
    """Points, cells, grid and arrays of one data set."""
    found: dict[str, Any] = {"kind": data.GetClassName()}
    points = data.GetPointData()
    found["arrays"] = {
        points.GetArrayName(place): values_of(points.GetArray(place))
        for place in range(points.GetNumberOfArrays())
    }
    if data.IsA("vtkImageData"):
        found |= {name: list(getattr(data, f"Get{name.title()}")()) for name in ("origin", "spacing")}
        found["dimensions"] = list(data.GetDimensions())
        return found
    count = data.GetNumberOfPoints()
    found["points"] = values_of(data.GetPoints().GetData()) if count else []
    cells = [data.GetCell(place).GetPointIds() for place in range(data.GetNumberOfCells())]
    found["cells"] = [[ids.GetId(place) for place in range(ids.GetNumberOfIds())] for ids in cells]
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
