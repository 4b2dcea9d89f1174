"""A writer that is never closed, and whose file therefore never appears, warns."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.files import path_for

import quire
from quire.io.formats import format_infos

APPEARING_AT_CLOSE = [{"compression": "gzip"}, {"replacement": "whole"}]
ONE_STEP = [info.name for info in format_infos() if info.one_step and info.tables]


def write(out: quire.Writer) -> None:
    with out.step(0) as step:
        step.put("x", np.zeros(3))


@pytest.mark.parametrize("options", APPEARING_AT_CLOSE)
def test_a_writer_that_is_forgotten_warns_that_its_file_is_missing(
    path: Path, options: dict[str, Any]
) -> None:
    out = quire.create(path, **options)
    write(out)
    with pytest.warns(RuntimeWarning, match=f"{path.name}: its writer was never closed"):
        del out
    assert not path.exists()


@pytest.mark.parametrize("options", APPEARING_AT_CLOSE)
def test_so_does_one_that_is_open_when_the_program_ends(path: Path, options: dict[str, Any]) -> None:
    program = f"import quire; out = quire.create({str(path)!r}, **{options!r})"
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert f"RuntimeWarning: {path}: its writer was never closed" in ended.stderr


@pytest.mark.parametrize("options", [{}, *APPEARING_AT_CLOSE])
def test_a_writer_that_was_closed_warns_of_nothing(path: Path, options: dict[str, Any]) -> None:
    with quire.create(path, **options) as out:
        write(out)
    del out
    out = quire.create(path, **options)
    out.abort("not wanted")
    del out


def test_nor_does_one_whose_steps_are_in_their_place(path: Path) -> None:
    out = quire.create(path)
    write(out)
    del out
    assert len(quire.open(path)) == 1


@pytest.mark.parametrize("name", ONE_STEP)
def test_nor_does_one_whose_only_step_took_its_place(tmp_path: Path, name: str) -> None:
    path = path_for(tmp_path, name)
    for _ in range(2):
        out = quire.create(path, format=name, replacement="whole")
        write(out)
        del out
    assert len(quire.open(path)) == 1


def test_a_forked_process_leaves_the_warning_to_the_one_that_writes(path: Path) -> None:
    program = f"""
import os, sys, quire
out = quire.create({str(path)!r}, replacement="whole")
out.step(0).put("x", [1.0]).commit()
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
out.close()
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stderr == ""
    assert path.exists()
