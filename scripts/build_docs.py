"""Build the manual as a site.

    scripts/build_docs.py [FOLDER]       default: build/docs; the site is FOLDER/html
    scripts/build_docs.py --check FOLDER      read all pages and resolve all links, and write no site

Needs the packages of the extra `docs`, and the package quire with its compiled module. A warning of Sphinx is
an error.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))


def main(arguments: list[str]) -> int:
    """Build the site into a folder."""
    from sphinx.cmd.build import main as build

    from manual.site import stage
    from quire import __version__

    is_check = arguments[:1] == ["--check"]
    arguments = arguments[is_check:]
    folder = Path(arguments[0] if arguments else ROOT / "build" / "docs").resolve()
    source = folder / "source"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    stage(ROOT, source)
    os.environ["QUIRE_DOCS_VERSION"] = __version__
    options = [
        "-q",
        "-W",
        "--keep-going",
        "-b",
        "dummy" if is_check else "html",
        "-d",
        str(folder / "doctrees"),
    ]
    code = int(build([*options, str(source), str(folder / "html")]))
    if code == 0 and not is_check:
        print(f"documentation: {folder / 'html' / 'index.html'}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
