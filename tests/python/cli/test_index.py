"""quire index."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from tests.python.cli.conftest import Run

import quire


def test_it_writes_compares_and_removes_an_index(run: Run, one_beam: Path) -> None:
    place = Path(f"{one_beam}.qix")
    first = run("index", one_beam)
    assert first.output.startswith(f"{place}: ")
    assert first.output == run("index", one_beam, "--info").output
    assert run("index", one_beam, "--verify").output == f"{one_beam}: its index is right\n"
    assert run("index", one_beam, "--remove").output == f"{one_beam}: its index is removed\n"
    assert not place.exists()
    assert run("index", one_beam, "--remove").output == f"{one_beam}: it has no index\n"


def test_commands_make_indexes_of_large_tables_without_a_word(run: Run, tmp_path: Path) -> None:
    source, target = tmp_path / "source.h5", tmp_path / "target.h5"
    with quire.create(source, zones=False) as out, out.step(0) as step:
        step.put("x", np.arange(1 << 23, dtype=np.float32))
    lines = []
    for words in ((), ("--option", "zones=false"), ("--option", "zones=auto")):
        result = run("convert", source, target, "--overwrite", *words)
        assert (result.code, result.errors) == (0, "")
        assert Path(f"{target}.qix").exists() == (words[-1:] != ("zones=false",))
        lines.append(result.output)
    assert len(set(lines)) == 1
    made_by = run("index", target, "--info").output.splitlines()[1]
    assert made_by == "  made by the writer of the file, for large tables"
    assert run("query", target, "x < 3", "--explain").output.endswith(
        "reads 4096 rows of x, by the index: 16.4 kB of 33.6 MB\n"
    )


def test_an_index_is_no_data_file(run: Run, one_beam: Path) -> None:
    run("index", one_beam)
    result = run("info", f"{one_beam}.qix")
    message = "it is the index of another file (at byte 0); name that file, without .qix"
    assert (result.code, result.errors) == (3, f"quire: {one_beam}.qix: {message}\n")


@pytest.mark.parametrize("option", ["--info", "--verify", "--remove"])
def test_a_missing_index_and_a_missing_file_are_different_things(
    run: Run, one_beam: Path, option: str
) -> None:
    without = run("index", one_beam, option)
    if option == "--remove":
        assert (without.code, without.output) == (0, f"{one_beam}: it has no index\n")
    else:
        assert (without.code, without.errors) == (
            1,
            f"quire: {one_beam}: it has no index; quire index makes one\n",
        )
    absent = run("index", one_beam.with_name("nowhere.h5"), option)
    assert (absent.code, absent.output) == (4, "")
    assert absent.errors == f"quire: {one_beam.with_name('nowhere.h5')}: there is no such file\n"


def test_the_index_of_a_file_that_is_gone_can_be_removed(run: Run, one_beam: Path) -> None:
    run("index", one_beam)
    one_beam.unlink()
    assert run("index", one_beam, "--remove").output == f"{one_beam}: its index is removed\n"
    assert run("index", one_beam, "--remove").code == 4


def test_selections_are_the_same_with_an_index(run: Run, one_beam: Path) -> None:
    words = ("show", one_beam, "--where", "x > 0", "--rows", "0:5")
    before = run(*words)
    run("index", one_beam)
    assert run(*words) == before
    os.utime(one_beam, ns=(0, 0))
    stale = run(*words)
    assert stale.output == before.output
    assert stale.errors.count("the index is not used: the file was changed after it") == 1
    assert run("index", one_beam, "--info").output.splitlines()[1] == (
        "  not used: the file was changed after it; quire index makes a new one"
    )
    outcome = run("index", one_beam, "--verify")
    assert (outcome.code, outcome.output) == (
        1,
        f"{one_beam}: the file was changed after its index was made\n",
    )


def test_it_prints_json(run: Run, one_beam: Path) -> None:
    info = quire.build_index(one_beam)
    (printed,) = json.loads(run("index", one_beam, "--json").output)["indexes"]
    assert printed == vars(info)
    assert json.loads(run("index", one_beam, "--verify", "--json").output) == {
        "files": [{"path": str(one_beam), "faults": []}]
    }
    assert json.loads(run("index", one_beam, "--remove", "--json").output) == {
        "files": [{"path": str(one_beam), "removed": True}]
    }


def test_it_stores_lists_and_ids(run: Run, one_beam: Path) -> None:
    made = run("index", one_beam, "--columns", "x,px", "--ids", "id")
    info = quire.index_info(one_beam)
    assert (list(info.lists), info.ids) == (["x", "px"], {"id": ["identity"]})
    assert [line.split(": ")[0] for line in made.output.splitlines()[1:]] == [
        "  rows by x",
        "  rows by px",
        "  ids id",
    ]
    assert run("index", one_beam, "--info").output == made.output
    assert run("index", one_beam, "--verify").code == 0
    explained = run("query", one_beam, "id == 3", "--explain", "--index", 0).output
    assert "by the lists of id" in explained
    assert run("index", one_beam, "--verify", "--columns", "x").code == 2


def test_options_that_exclude_each_other_are_refused(run: Run, one_beam: Path) -> None:
    assert run("index", one_beam, "--info", "--remove").code == 2
    assert run("index", one_beam, "--info", "--read-option", "unconfirmed=true").code == 2
