"""Reads or writes a file with soliday-sdds, in a separate process: another peer's package has the same name.

python soliday_worker.py read FILE         prints parameters and columns of every page as JSON
python soliday_worker.py try FILE          the same, or nothing if the reference refuses the file
python soliday_worker.py write FILE JSON   writes columns {name: {type, pages}}, and parameters likewise
"""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any

import sdds


def read(path: str) -> dict[str, Any]:
    """Everything that the reference reads from a file."""
    file = sdds.load(path)
    return {
        "columns": dict(zip(file.columnName, file.columnData, strict=True)),
        "parameters": dict(zip(file.parameterName, file.parameterData, strict=True)),
        "units": {name: entry[1] for name, entry in zip(file.columnName, file.columnDefinition, strict=True)},
    }


def write(path: str, content: dict[str, Any]) -> None:
    """Let the reference write columns and parameters in binary mode."""
    file = sdds.SDDS()
    file.mode = file.SDDS_BINARY
    for name, entry in content["parameters"].items():
        file.defineSimpleParameter(name, getattr(file, entry["type"]))
        file.setParameterValueList(name, entry["pages"])
    for name, entry in content["columns"].items():
        file.defineSimpleColumn(name, getattr(file, entry["type"]))
        file.setColumnValueLists(name, entry["pages"])
    file.save(path)


if __name__ == "__main__":
    if sys.argv[1] == "read":
        print(json.dumps(read(sys.argv[2])))
    elif sys.argv[1] == "try":
        with contextlib.suppress(ValueError, SystemExit):
            print(json.dumps(read(sys.argv[2])))
    else:
        write(sys.argv[2], json.loads(sys.argv[3]))
