"""Read the last step of a file by h5py, with its own copy of HDF5, and print what it found as JSON.

python h5part_by_h5py.py FILE
"""

from __future__ import annotations

import hashlib
import json
import sys

import h5py


def main(path: str) -> None:
    """Print the number of steps, and rows and SHA-256 of the columns of the last one."""
    digests = {}
    rows = 0
    with h5py.File(path, "r") as file:
        numbers = sorted(int(name.removeprefix("Step#")) for name in file if name.startswith("Step#"))
        for name, data in file[f"Step#{numbers[-1]}"].items():
            if not isinstance(data, h5py.Dataset):  # a group of fields
                continue
            rows = data.shape[0]
            digests[name] = hashlib.sha256(data[:].astype(data.dtype.newbyteorder("<")).tobytes()).hexdigest()
    reader = f"h5py {h5py.__version__} (HDF5 {h5py.version.hdf5_version})"
    print(json.dumps({"reader": reader, "steps": len(numbers), "rows": rows, "digests": digests}))


if __name__ == "__main__":
    main(sys.argv[1])
