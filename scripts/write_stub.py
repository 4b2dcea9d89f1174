#!/usr/bin/env python3
"""Write python/quire/_core.pyi, the types of the compiled core, from the signatures of its bindings.

scripts/write_stub.py            write the file; needs the core, built from the present sources
scripts/write_stub.py --check    fail if the file is another one; without such a core nothing is compared
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "quire"
SOURCES = ROOT / "python" / "src"
STUB = PACKAGE / "_core.pyi"
HEADER = '"""Types of the compiled core, written by scripts/write_stub.py from python/src/."""\n\n'


def missing_core() -> str | None:
    """Return why there is no core of the present sources beside the package, or None if there is one."""
    cores = [core.stat().st_mtime for core in PACKAGE.glob("_core.*.so") if core.exists()]
    if not cores:
        return "the core is not built"
    if max(cores) < max(source.stat().st_mtime for source in SOURCES.iterdir()):
        return "the core is older than its bindings in python/src"
    return None


def generate() -> str:
    """Return the stub of the built core, formatted."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "_core.pyi"
        command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-i", str(PACKAGE.parent)]
        subprocess.run([*command, "-m", "quire._core", "-o", str(written)], check=True)
        # The generator leaves out names with underscores.
        text = HEADER + written.read_text() + "\n__version__: str\n"
    formatter = ["ruff", "format", "--quiet", "--stdin-filename", str(STUB), "-"]
    return subprocess.run(formatter, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def main() -> int:
    checks = "--check" in sys.argv[1:]
    if reason := missing_core():
        print(f"python/quire/_core.pyi is not {'compared' if checks else 'written'}: {reason}")
        return 0 if checks else 1
    generated = generate()
    if not checks:
        STUB.write_text(generated)
    elif STUB.read_text() != generated:
        print("python/quire/_core.pyi differs from the built core: run `make stub` and commit the file")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
