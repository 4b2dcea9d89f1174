"""Time grows with the number of names, not with its square: the promise of docs/performance.md."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from quire.io.formats import format_info, format_infos

COUNT = 20_000
PART = 4
MOST_GROWTH = 8.0
"""Of the time for four times as many names: about 4 if it is linear, 16 if it is quadratic."""
LEAST_SECONDS = 0.15
"""Shorter times are those of other work."""
TRIES = 3


def load_program() -> ModuleType:
    """The benchmark as a module."""
    path = Path(__file__).parents[2] / "bench" / "many_names.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PROGRAM = load_program()


def names() -> list[tuple[str, str]]:
    """Formats and what they may have many of. The page excepts attributes that the HDF5 library searches, and
    variables that are attributes there.
    """
    found = []
    for info in format_infos():
        cases = PROGRAM.cases(info)
        searched = {"attributes"} if "attributes, v18" in cases else {"variables, hdf5"}
        found += [(info.name, what) for what in cases if what not in searched]
    return found


@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("format_name", "what"), names())
def test_time_does_not_grow_with_the_square_of_the_number_of_names(
    tmp_path: Path, format_name: str, what: str
) -> None:
    info = format_info(format_name)
    write, options = PROGRAM.cases(info)[what]
    least: list[dict[str, float]] = []
    for count in (COUNT // PART, COUNT):
        folders = [tmp_path / f"{count}-{number}" for number in range(TRIES)]
        for folder in folders:
            folder.mkdir()
        times = [PROGRAM.measure(info, write, options, count, folder) for folder in folders]
        least.append({command: min(one[command] for one in times) for command in times[0]})
    part, whole = least
    growth = {command: whole[command] / part[command] for command in whole if whole[command] > LEAST_SECONDS}
    assert growth
    assert {command: ratio for command, ratio in growth.items() if ratio > MOST_GROWTH} == {}
