"""Write into pages what their console blocks print.

    PYTHONPATH=python:scripts:. python tests/docs/update.py docs/howto/convert-a-file.md ...

Prints differences that it cannot write: those of Python. Outputs that contain `...` and agree are kept.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.docs.surroundings import prepare

from manual.page_run import PageRun, with_output
from manual.transcripts import install_programs


def update(page: Path, name: str) -> None:
    """Run a page and write its outputs."""
    with tempfile.TemporaryDirectory() as folder:
        run = PageRun(Path(folder, "work"), install_programs(Path(folder, "programs")))
        run.names.update(prepare(run.folder, name))
        text = page.read_text(encoding="utf-8")
        differences = list(run.differences(text))
    page.write_text(with_output(text, differences), encoding="utf-8")
    for one in differences:
        if one.command is None:
            print(f"{name}: {one}")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        update(Path(argument).resolve(), argument)
