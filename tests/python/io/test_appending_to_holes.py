"""Appends to a file whose group of steps has lost links, by HDF5 and by Quire."""

import random
from pathlib import Path

import h5py
import numpy as np

import quire


def add_by_h5py(path: Path, numbers: range) -> set[int]:
    with h5py.File(path, "r+", libver="earliest") as file:
        for number in numbers:
            file.create_group(f"Step#{number}").create_dataset("x", data=np.arange(3.0) + number)
    return set(numbers)


def test_names_of_removed_steps_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "beam.h5"
    h5py.File(path, "w", libver="earliest").close()
    draw = random.Random(11)
    numbers = add_by_h5py(path, range(400))

    for _ in range(20):
        removed = draw.sample(sorted(numbers), min(len(numbers) - 1, draw.randint(1, 90)))
        with h5py.File(path, "r+", libver="earliest") as file:
            for number in removed:
                del file[f"Step#{number}"]
        numbers -= set(removed)
        last = draw.choice(sorted(numbers))
        numbers = {number for number in numbers if number <= last}
        with quire.append(path, after=quire.After(last, later="drop")) as out:
            for number in range(last + 1, last + draw.randint(2, 30)):
                with out.step(number) as step:
                    step.put("x", np.arange(3.0) + number)
                numbers.add(number)
        with quire.open(path) as file:
            assert list(file.numbers) == sorted(numbers)
            for number in draw.sample(sorted(numbers), min(5, len(numbers))):
                assert file[sorted(numbers).index(number)]["x"][0] == number
        if len(numbers) < 10:
            numbers |= add_by_h5py(path, range(max(numbers) + 1, max(numbers) + 40))
