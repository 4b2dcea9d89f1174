"""Verbs raise an error where a result would be silently wrong: rounded integers, damaged steps."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.python.support.files import path_for, step_formats

import quire
import quire.verbs
from quire.errors import BadFileError, ConflictError, TypeMismatchError
from quire.io.formats import format_infos
from quire.toolkit.examples import EXAMPLES, write_example
from quire.verbs.pages import append

FORMAT = step_formats()[0]
LARGE = np.array([2**53, 2**53 + 1, 2**53 + 2], np.int64)
MODULES = sorted(one.name for one in pkgutil.iter_modules(quire.verbs.__path__))


def write(folder: Path, name: str, *steps: dict[str, Any]) -> quire.Chain:
    """Write tables as the steps of a file, and open it for verbs."""
    path = path_for(folder / name, FORMAT)
    path.parent.mkdir()
    with quire.create(path, format=FORMAT) as out:
        for number, columns in enumerate(steps):
            with out.step(number) as step:
                for key, values in columns.items():
                    step.put(key, values)
    return quire.chain(path)


@pytest.mark.parametrize("change", [{"on": "id"}, {"nearest": "id"}])
def test_large_integers_are_not_joined_with_rounded_ones(tmp_path: Path, change: dict[str, str]) -> None:
    whole = write(tmp_path, "whole", {"id": LARGE})
    rounded = write(tmp_path, "rounded", {"id": LARGE.astype(np.float64), "b": np.arange(3.0)})
    with pytest.raises(TypeMismatchError, match=r"id.*9007199254740993 would be rounded"):
        whole.join(rounded, **change).read()  # type: ignore[arg-type]
    same = write(tmp_path, "same", {"id": LARGE[::-1], "b": np.arange(3.0)})
    assert whole.join(same, "id").read()["b"].tolist() == [2.0, 1.0, 0.0]


def test_missing_values_do_not_round_integers(tmp_path: Path) -> None:
    given = write(tmp_path, "given", {"k": np.array([1, 2]), "n": LARGE[1:]})
    other = write(tmp_path, "other", {"k": np.array([2]), "m": LARGE[1:2]})
    with pytest.raises(TypeMismatchError, match=r"m.*would be rounded"):
        given.join(other, "k", how="left").read()
    assert given.join(other, "k").read()["m"].tolist() == [2**53 + 1]
    with pytest.raises(TypeMismatchError, match=r"would be rounded"):
        given.define("f=k*1.5").melt(["f", "n"]).read()
    with pytest.raises(TypeMismatchError, match=r"n.*would be rounded"):
        given.transpose().read()
    with pytest.raises(TypeMismatchError, match=r"n.*would be rounded"):
        given.stats("min(n)").read()
    with pytest.raises(TypeMismatchError, match="which is no float64"):
        given.select(cast={"n": "float64"}).read()


def test_steps_with_other_types_are_not_merged(tmp_path: Path) -> None:
    parts = [write(tmp_path, str(place), {"v": values}) for place, values in enumerate(([1, 2], [1.5, 2.5]))]
    with pytest.raises(ConflictError, match="the type is 'int64' in step 0 and 'float64' in step 1"):
        append(*parts).merge().read()
    assert append(*parts).read()["v"].tolist() == [1.0, 2.0, 1.5, 2.5]


@pytest.mark.parametrize("by", ["k", "bin(k, 5)", "every(10)", "gap(k)", "change(k)"])
def test_no_rows_make_no_groups(tmp_path: Path, by: str) -> None:
    given = write(tmp_path, "given", {"k": np.empty(0)})
    assert list(given.group(by)) == []
    assert given.stats("count(k)", "mean(k)").read()["k_count"].tolist() == [0]


def test_damaged_steps_are_not_left_out_silently(tmp_path: Path) -> None:
    damaged = damage(tmp_path / EXAMPLES["beam"].name)
    with quire.chain(damaged) as chain:
        with pytest.raises(BadFileError):
            chain.read(["x"])
        with pytest.raises(BadFileError):
            chain.sort("x").write(path_for(tmp_path, FORMAT))
    assert not path_for(tmp_path, FORMAT).exists()


def damage(path: Path) -> Path:
    """Write a file whose second step cannot be opened."""
    import h5py

    write_example("beam", str(path))
    with h5py.File(path) as file:
        address = h5py.h5o.get_info(file[list(file)[1]].id).addr
    with path.open("r+b") as raw:
        raw.seek(address)
        raw.write(b"\xff" * 16)
    return path


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_the_verbs_do_what_they_say(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_example("beam", EXAMPLES["beam"].name)
    found = importlib.import_module(f"quire.verbs.{module}")
    result = doctest.testmod(found, extraglobs={"quire": quire}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


@pytest.mark.parametrize("format", [one.name for one in format_infos() if one.holds_declarations])
def test_definitions_of_a_header_without_a_step_are_changed_like_steps(tmp_path: Path, format: str) -> None:
    source, target = path_for(tmp_path, format), path_for(tmp_path, format, "target")
    with quire.create(source, format=format) as out:
        out.declare(tables={"": {"x": "float64", "id": "int32"}})
    with quire.chain(source) as chain:
        chain.filter("x > 0").sort("x").define("y=2*x").select(["y", "x"], rename={"x": "z"}).write(target)
    with quire.open(target) as file:
        assert len(file) == 0
        assert file.declared is not None
        assert {name: one.type for name, one in file.declared.table.columns.items()} == {
            "y": "float64",
            "z": "float64",
        }


def test_a_header_of_which_nothing_is_made_is_reported(tmp_path: Path) -> None:
    source = path_for(tmp_path, FORMAT)
    with quire.create(source, format=FORMAT) as out:
        out.declare(tables={"": {"x": "float64"}})
    with quire.chain(source) as chain:
        assert chain.group("x").warnings == [
            "the file has no step, and the definitions of its header are left out"
        ]


@pytest.mark.parametrize("verb", ["select", "melt", "unique", "reduced", "transpose", "join"])
def test_fields_stay_in_the_steps_that_stay(tmp_path: Path, verb: str) -> None:
    source, target = tmp_path / "source.h5", tmp_path / "target.h5"
    with quire.create(source) as out:
        for number in range(2):
            with out.step(number) as step:
                step.put("x", np.arange(3.0))
                step.put("id", np.arange(3))
                step.put_field("rho", np.full((2, 3, 4), float(number)))
    with quire.chain(source) as chain, quire.chain(source) as other:
        changed = {
            "select": lambda: chain.select(["x"]),
            "melt": lambda: chain.melt(["x"]),
            "unique": lambda: chain.unique(["id"], count="n"),
            "reduced": lambda: chain.reduced("mean(x)"),
            "transpose": lambda: chain.transpose(),
            "join": lambda: chain.join(other.select(["id"]), on="id"),
        }[verb]()
        changed.write(target)
        assert not any("fields" in warning for step in changed for warning in step.warnings)
    with quire.open(target) as file:
        assert [step.fields["rho"].read().mean() for step in file] == [0.0, 1.0]


def test_what_a_merge_leaves_out_is_reported(tmp_path: Path) -> None:
    source, target = tmp_path / "source.h5", tmp_path / "target.h5"
    with quire.create(source) as out:
        for number in range(2):
            with out.step(number) as step:
                step.put("x", np.arange(3.0))
                step.put_field("rho", np.zeros((2, 3, 4)))
                step.attrs["same"] = np.arange(4)
                step.attrs["list"] = np.arange(4) + number
                step.attrs["s"] = float(number)
    with quire.chain(source) as chain:
        merged = chain.merge()
        (joined,) = merged
        assert joined.warnings == [
            "fields are left out: rho",
            "attributes that differ are left out, as they have several values or the name of a column: list",
        ]
        merged.write(target)
    with quire.open(target) as file:
        assert file[0]["s"][:].tolist() == [0.0] * 3 + [1.0] * 3
        assert file[0].attrs["same"].tolist() == [0, 1, 2, 3]
