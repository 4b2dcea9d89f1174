"""Read the last page of a file by the reference implementation and print what it found as JSON.

python sdds_by_soliday.py FILE        (with the package soliday-sdds in PYTHONPATH)
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import sys

import numpy as np
import sdds


def main(path: str) -> None:
    """Print the number of pages, and rows and SHA-256 of the columns of the last one."""
    file = sdds.load(path)
    digests = {}
    rows = 0
    for name, pages, kind in zip(file.columnName, file.columnData, file.columnDefinition, strict=True):
        rows = len(pages[-1])
        dtype = "<i8" if kind[4] == file.SDDS_LONG64 else "<f8"
        digests[name] = hashlib.sha256(np.asarray(pages[-1], dtype=dtype).tobytes()).hexdigest()
    reader = f"soliday-sdds {importlib.metadata.version('soliday-sdds')}"
    print(json.dumps({"reader": reader, "steps": len(file.columnData[0]), "rows": rows, "digests": digests}))


if __name__ == "__main__":
    main(sys.argv[1])
