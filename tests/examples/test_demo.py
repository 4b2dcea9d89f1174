"""The demonstration can be run again: its commands replace the files of the last run."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import quire

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.nightly
def test_pictures_are_drawn_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    specification = importlib.util.spec_from_file_location("demo", ROOT / "examples/demo.py")
    assert specification is not None
    assert specification.loader is not None
    demo = importlib.util.module_from_spec(specification)
    monkeypatch.setitem(sys.modules, "demo", demo)  # its data classes look for their module
    specification.loader.exec_module(demo)
    monkeypatch.setattr(demo, "OUTPUT", tmp_path)
    first, *_, last = formats = demo.known_formats()
    for path in (first.file("beam"), last.file("channel")):
        with quire.create(path) as out:
            for number in (0, 30):
                with out.step(number) as step:
                    for attribute in ("s", "Sx", "Sy"):
                        step.set(attribute, 1.0 + number)
                    for column in ("x", "px"):
                        step.put(column, np.arange(9.0))
    stage = demo.Stage()
    for _ in range(2):
        demo.draw(stage, formats)
    assert stage.end() == 0
    if shutil.which("chromium"):
        assert (tmp_path / "viewer.png").stat().st_size > 20_000
