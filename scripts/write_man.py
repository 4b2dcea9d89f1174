"""Write the man pages of the commands.

    scripts/write_man.py FOLDER

The package of the sources is used, of which the compiled module is not needed.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "scripts")]


def version() -> str:
    """Return the version of the sources."""
    found = re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text())
    assert found is not None
    return found[1]


def main(arguments: list[str]) -> int:
    """Write the pages into a folder."""
    from manual.man_pages import man_pages

    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in man_pages(version()).items():
        (folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
