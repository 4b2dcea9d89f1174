"""Directories with a damaged part: only `quire.Error` is raised, whatever `recover` can keep."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

import pytest

import quire
from quire.toolkit.recover import recover

DATA = Path(__file__).resolve().parents[2] / "data" / "nektar"


@pytest.mark.parametrize("source", ["tiny-dir.fld", "tiny-strips-dir.fld"])
@pytest.mark.parametrize("damage", ["cut", "removed", "directory"])
def test_a_damaged_directory_is_recovered_or_refused(tmp_path: Path, source: str, damage: str) -> None:
    for name in sorted(part.name for part in (DATA / source).iterdir()):
        for target in (None, tmp_path / "to"):
            shutil.rmtree(tmp_path)
            shutil.copytree(DATA / source, tmp_path / "from")
            part = tmp_path / "from" / name
            content = part.read_bytes()
            part.unlink()
            if damage == "cut":
                part.write_bytes(content[: len(content) // 2])
            elif damage == "directory":
                part.mkdir()
            for rows in (False, True):
                with suppress(quire.Error):
                    recover(tmp_path / "from", target, rows=rows, overwrite=True)
