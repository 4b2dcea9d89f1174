"""Reads and writes files with one of the peers, in a separate process, since packages share names.

python schema_worker.py PEER

Each line is a request, {"do": "read", "path"} or {"do": "write", "path", "schema"}, for the reference with a
"mode". The answer is a line: the contents, null, or {"error": text}. A schema is {"parameters": [...],
"arrays": [...], "columns": [...]}, lists of elements with `name`, `type`, `unit` and `pages`; the values of
arrays are nested lists. Types have the names that they have in files.
"""

from __future__ import annotations

import json
import sys
from typing import Any

Schema = dict[str, list[dict[str, Any]]]

NUMPY_TYPES = {
    "short": "i2", "ushort": "u2", "long": "i4", "ulong": "u4", "long64": "i8", "ulong64": "u8",
    "float": "f4", "double": "f8", "string": "O",
}  # fmt: skip


def plain(value: Any) -> Any:
    """A value for JSON."""
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def element(name: str, type: str, unit: str | None, pages: list[Any]) -> dict[str, Any]:
    """One element of an answer."""
    return {"name": name, "type": type, "unit": unit or "", "pages": [plain(page) for page in pages]}


class Pysdds:
    """Has NumPy arrays for every page; writes no arrays."""

    def read(self, path: str) -> Schema:
        """Every page."""
        import pysdds

        file = pysdds.read(path)
        kinds = {"parameters": file.parameters, "arrays": file.arrays, "columns": file.columns}
        return {
            kind: [element(one.name, one.type, one.nm.get("units"), one.data) for one in found or []]
            for kind, found in kinds.items()
        }

    def write(self, path: str, schema: Schema) -> None:
        """Binary pages of parameters and columns."""
        import numpy as np
        import pysdds
        from pysdds.structures.structures import Data

        file = pysdds.SDDSFile()
        for one in schema["parameters"]:
            values: Any = one["pages"]
            if one["type"] != "string":
                values = list(np.array(values, dtype=NUMPY_TYPES[one["type"]]))
            file.add_parameter(one["name"], one["type"], units=one["unit"] or None, data=values)
        for one in schema["columns"]:
            pages = [np.array(page, dtype=NUMPY_TYPES[one["type"]]) for page in one["pages"]]
            file.add_column(one["name"], one["type"], units=one["unit"] or None, data=pages)
        file.data = Data({"mode": "binary", "endian": sys.byteorder})
        file.n_pages = len(schema["columns"][0]["pages"])
        file.write(path, overwrite=True)


class Sdds:
    """Has one page in dictionaries; no columns."""

    def read(self, path: str) -> Schema:
        """The only page."""
        import sdds

        file = sdds.read(path)
        schema: Schema = {"parameters": [], "arrays": [], "columns": []}
        for name, one in file.definitions.items():
            found = element(name, one.type, one.units, [file.values[name]])
            schema[f"{type(one).__name__.lower()}s"].append(found)
        return schema

    def write(self, path: str, schema: Schema) -> None:
        """A binary page of parameters and arrays."""
        import sdds
        from sdds.classes import Array, Parameter

        definitions: list[Any] = []
        for one in schema["parameters"]:
            definitions.append(Parameter(one["name"], one["type"], units=one["unit"] or None))
        for one in schema["arrays"]:
            made = Array(one["name"], one["type"], units=one["unit"] or None, dimensions=one["dimensions"])
            definitions.append(made)
        values = [one["pages"][0] for one in schema["parameters"] + schema["arrays"]]
        sdds.write(sdds.SddsFile("SDDS1", None, definitions, values), path)


class Soliday:
    """The reference: lists for every page, and arrays as flat lists with their extents."""

    def read(self, path: str) -> Schema:
        """Every page."""
        import sdds

        file = sdds.load(path)
        types = {getattr(file, f"SDDS_{name.upper()}"): name for name in [*NUMPY_TYPES, "character"]}

        def kind(
            names: list[str], definitions: list[Any], pages: list[Any], place: int
        ) -> list[dict[str, Any]]:
            """One element for each name; `place` is that of the type in its definition."""
            return [
                element(name, types[definition[place]], definition[1], values)
                for name, definition, values in zip(names, definitions, pages, strict=True)
            ]

        arrays = kind(file.arrayName, file.arrayDefinition, file.arrayData, 5)
        for one, extents in zip(arrays, file.arrayDimensions, strict=True):
            one["pages"] = [nested(*page) for page in zip(one["pages"], extents, strict=True)]
        return {
            "parameters": kind(file.parameterName, file.parameterDefinition, file.parameterData, 4),
            "arrays": arrays,
            "columns": kind(file.columnName, file.columnDefinition, file.columnData, 4),
        }

    def write(self, path: str, schema: Schema, mode: str = "binary") -> None:
        """Pages of all kinds."""
        import numpy as np
        import sdds

        file = sdds.SDDS()
        file.mode = getattr(file, f"SDDS_{mode.upper()}")

        def definition(one: dict[str, Any]) -> dict[str, Any]:
            return {"units": one["unit"], "type": getattr(file, f"SDDS_{one['type'].upper()}")}

        for one in schema["parameters"]:
            file.defineParameter(one["name"], **definition(one))
            file.setParameterValueList(one["name"], one["pages"])
        for one in schema["arrays"]:
            file.defineArray(one["name"], dimensions=one["dimensions"], **definition(one))
            pages = [np.array(page, dtype=object) for page in one["pages"]]
            flat = [list(page.reshape(-1)) for page in pages]
            file.setArrayValueLists(one["name"], flat, [list(page.shape) for page in pages])
        for one in schema["columns"]:
            file.defineColumn(one["name"], **definition(one))
            file.setColumnValueLists(one["name"], one["pages"])
        file.save(path)


def nested(flat: list[Any], extents: list[int]) -> list[Any]:
    """The values of an array as lists of its extents."""
    import numpy as np

    return list(np.array(flat, dtype=object).reshape(extents).tolist())


PEERS: dict[str, Any] = {"pysdds": Pysdds, "sdds": Sdds, "soliday": Soliday}


def answer(peer: Any, request: dict[str, Any]) -> Any:
    """The answer of the peer to a request; its errors as texts."""
    try:
        if request["do"] == "read":
            return peer.read(request["path"])
        more = {"mode": request["mode"]} if "mode" in request else {}
        return peer.write(request["path"], request["schema"], **more)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    chosen = PEERS[sys.argv[1]]()
    answers = sys.stdout
    sys.stdout = sys.stderr  # for the output of peers
    for line in sys.stdin:
        print(json.dumps(answer(chosen, json.loads(line))), file=answers, flush=True)
