"""Reads a sidecar with VTK's reader of XDMF in a separate process, and prints its grids as JSON.

python vtk_xdmf_worker.py FILE TIME
"""

from __future__ import annotations

import json
import sys
from typing import Any

from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as Pipeline
from vtkmodules.vtkIOXdmf2 import vtkXdmfReader


def leaves(data: Any, name: str) -> list[tuple[str, Any]]:
    """The datasets below a data object, by the name of their outermost block."""
    if not hasattr(data, "GetNumberOfBlocks"):
        return [(name, data)]
    found = []
    for index in range(data.GetNumberOfBlocks()):
        block = data.GetBlock(index)
        if block is None:
            continue
        key = data.NAME()
        own = data.GetMetaData(index).Get(key) if data.HasMetaData(index) else None
        found += leaves(block, name or own or str(index))
    return found


def describe(data: Any) -> dict[str, Any]:
    """Points, arrays, and the geometry of a regular grid."""
    values = data.GetPointData()
    arrays = {}
    for index in range(values.GetNumberOfArrays()):
        array = values.GetArray(index)
        rows = range(array.GetNumberOfTuples())
        several = array.GetNumberOfComponents() > 1
        arrays[array.GetName()] = [array.GetTuple(row) if several else array.GetTuple1(row) for row in rows]
    answer = {"points": [data.GetPoint(row) for row in range(data.GetNumberOfPoints())], "arrays": arrays}
    if hasattr(data, "GetSpacing"):
        answer |= {
            "origin": data.GetOrigin(),
            "spacing": data.GetSpacing(),
            "dimensions": data.GetDimensions(),
        }
    return answer


def read(path: str, time: float) -> dict[str, Any]:
    """All times, and the grids at one of them."""
    reader = vtkXdmfReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    times = reader.GetOutputInformation(0).Get(Pipeline.TIME_STEPS()) or ()
    reader.UpdateTimeStep(time)
    grids = {name: describe(data) for name, data in leaves(reader.GetOutputDataObject(0), "")}
    return {"times": times, "grids": grids}


if __name__ == "__main__":
    print(json.dumps(read(sys.argv[1], float(sys.argv[2]))))
