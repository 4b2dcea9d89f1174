"""Plans expand to the intended cells, in orders that depend on a seed."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from tests.bench.studies import CONTENT, trial
from tests.python.support.files import path_for, table_formats, write_table

import quire
from quire.io.formats import format_info, format_infos
from quire.lab.bench.files import NOT_OF_FORMATS
from quire.lab.bench.own_file import (
    counts_of_writers,
    shares_of_members,
    sizes_of_elements,
    sizes_of_step,
    workload_of_file,
)
from quire.lab.bench.plan import (
    CASE_FACTORS,
    METHOD_KEYS,
    PLAN_KEYS,
    SHARING,
    Changes,
    make_plan,
    presets,
    read_plan,
    read_preset,
)
from quire.lab.bench.plan_types import TYPES
from quire.lab.bench.targets import KEYS as TARGET_KEYS
from quire.lab.workloads import (
    SHARED_KEYS,
    SIZES_OF_KIND,
    coefficients_of,
    make_workload,
    named_workloads,
    payload_of,
    scaled,
)


def test_same_seed_same_orders() -> None:
    """The order depends on seed and pass only, and every pass has every cell once."""
    first, again, other = trial(), trial(), trial(seed=4)
    orders = [[cell.id for cell in first.order(number)] for number in range(1, 6)]
    assert orders == [[cell.id for cell in again.order(number)] for number in range(1, 6)]
    assert orders[0] != [cell.id for cell in other.order(1)]
    assert len({tuple(order) for order in orders}) == 5
    assert all(sorted(order) == sorted(cell.id for cell in first.cells) for order in orders)


def test_raw_methods_are_always_included() -> None:
    """Both raw baselines are added to a plan without them, as references for the others."""
    plan = trial()
    assert plan.baselines == ["raw shared", "raw own"]
    assert {cell.method.engine for cell in plan.cells} == {"raw-shared", "raw-own", "mpiio"}


def test_factors_are_multiplied() -> None:
    """Cells are the product of ranks, operations, readers, caches and options; only reads have caches."""
    method = {"name": "m", "engine": "library", "format": quire.formats()[0], "vary": {"piece": [1, 2]}}
    plan = trial(method=[method], readers=["half", "double", 3], caches=["warm", "evicted"])
    found = [cell.id for cell in plan.cells if cell.method.name == "m piece=2"]
    case = "some <particles>/m piece=2"
    assert found == [
        f"{case}/write/1",
        f"{case}/read/1/warm",
        f"{case}/read/1/evicted",
        f"{case}/read-other/1-2/warm",
        f"{case}/read-other/1-2/evicted",
        f"{case}/read-other/1-3/warm",
        f"{case}/read-other/1-3/evicted",
        f"{case}/write/3",
        f"{case}/read/3/warm",
        f"{case}/read/3/evicted",
        f"{case}/read-other/3-1/warm",
        f"{case}/read-other/3-1/evicted",
        f"{case}/read-other/3-6/warm",
        f"{case}/read-other/3-6/evicted",
    ]
    assert plan.world == 6
    assert plan.cells[-1].method.options["piece"] == "2"


def test_weak_scaling_grows_with_ranks() -> None:
    """Strong scaling divides a size among ranks, weak scaling gives it to each."""
    plan = trial(scaling=["strong", "weak"], operations=["write"])
    sizes = {(cell.workload["name"], cell.ranks): payload_of(cell.workload) for cell in plan.cells}
    strong, weak = "some <particles>", "some <particles> (weak)"
    assert sizes[strong, 1] == sizes[strong, 3] == sizes[weak, 1]
    assert sizes[weak, 3] == 3 * sizes[weak, 1]


@pytest.mark.parametrize("name", sorted(named_workloads()))
def test_workloads_scale_by_their_bytes(name: str) -> None:
    """A fraction of a workload has about this fraction of its bytes."""
    workload = make_workload({"workload": name})
    smaller = scaled(workload, 0.1)
    assert payload_of(smaller) / payload_of(workload) == pytest.approx(0.1, rel=0.02)


@pytest.mark.parametrize(
    ("name", "megabytes"),
    [("checkpoint-small", 2.5), ("checkpoint-large", 5500), ("hyperslab-row", 537), ("block3d", 1074)],
)
def test_workloads_have_the_sizes_of_the_studies(name: str, megabytes: float) -> None:
    """The payload is as the name states."""
    assert payload_of(make_workload({"workload": name})) / 1e6 == pytest.approx(megabytes, rel=0.01)


def test_settings_are_a_plan() -> None:
    """A run of these is nightly."""
    assert make_plan(read_plan(str(Path(__file__).parents[2] / "bench" / "knobs.toml"))).cells


@pytest.mark.parametrize("name", sorted(presets()))
def test_presets_are_plans(name: str) -> None:
    """Each preset expands, with both baselines, and the registry has its formats and options."""
    plan = make_plan(read_preset(name), Changes(scale=1e-4, ranks=[1, 2], passes=2))
    assert len(plan.baselines) == 2
    assert plan.passes == 2
    for method in {cell.method.name: cell.method for cell in plan.cells}.values():
        if method.format:
            known = {option.name for option in format_info(method.format).write_options}
            assert set(method.options) <= known | {*NOT_OF_FORMATS}, method.name


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"case": []}, "no case"),
        ({"case": [{"workload": "nothing"}]}, "no workload 'nothing'"),
        ({"case": [{"workload": "particles", "length": 3}]}, "has no length"),
        ({"case": [{"workload": "particles", "rows": 0}]}, "integers"),
        ({"case": [{"workload": "particles", "columns": "6xfloat65"}]}, "are not columns"),
        ({"case": [{"workload": "particles"}] * 2}, "twice"),
        ({"operations": ["sing"]}, "no operation 'sing'"),
        ({"ranks": [0]}, "from 1"),
        ({"speed": 3}, "no 'speed'"),
        ({"method": [{"name": "m", "engine": "steam"}]}, "no engine 'steam'"),
        ({"method": [{"name": "m"}]}, "needs a format"),
        ({"limits": {"inches": 3}}, "no 'inches'"),
        ({"passes": 0}, "at least one pass"),
    ],
)
def test_wrong_plans_are_refused(changed: dict[str, Any], words: str) -> None:
    """The error names the wrong entry."""
    with pytest.raises(quire.UsageError, match=words):
        trial(**changed)


def test_conversions_name_their_target() -> None:
    """Only methods with a target are converted; the driver receives the target method."""
    name = quire.formats()[0]
    methods = [{"name": "a", "format": name, "to": "b"}, {"name": "b", "format": name, "least_ranks": 3}]
    plan = trial(method=methods, operations=["convert", "write"])
    converted = [cell for cell in plan.cells if cell.operation == "convert"]
    assert [(cell.method.name, cell.ranks) for cell in converted] == [("a", 1), ("a", 3)]
    assert all(cell.as_json()["to"]["name"] == "b" for cell in converted)
    written = [(cell.method.name, cell.ranks) for cell in plan.cells if cell.operation == "write"]
    assert ("b", 3) in written
    assert ("b", 1) not in written
    with pytest.raises(quire.UsageError, match="no method 'c'"):
        trial(method=[{"name": "a", "format": name, "to": "c"}], operations=["convert"])


def test_methods_are_chosen_by_name() -> None:
    """Some methods of a plan are measured in addition to the raw ones; unknown names are refused."""
    plan = make_plan(CONTENT, Changes(methods=["one"]))
    assert {cell.method.name for cell in plan.cells} == {"raw shared", "raw own", "one"}
    with pytest.raises(quire.UsageError, match="no method 'two'"):
        make_plan(CONTENT, Changes(methods=["two"]))


def test_a_file_of_the_user_is_a_workload(tmp_path: Path) -> None:
    """Rows, columns and steps of a table are used; text is left out."""
    path = path_for(tmp_path, table_formats()[0], "mine")
    columns = {"x": np.zeros(30), "y": np.zeros(30), "id": np.zeros(30, np.int32)}
    write_table(path, table_formats()[0], columns)
    plan = make_plan(CONTENT, Changes(files=[str(path)], ranks=[2], operations=["write"]))
    workload = plan.cells[0].workload
    assert (workload["rows"], workload["columns"], workload["steps"]) == (30, "2xfloat64+1xint32", 1)
    assert payload_of(workload) == 30 * 20
    assert workload["name"] == path.name


def test_streams_and_parts_of_a_file_keep_their_sizes(tmp_path: Path) -> None:
    """Streams are bytes, with the sizes of their tasks, unless the plan states otherwise."""
    format = next(info.name for info in format_infos() if info.holds_streams)
    path = path_for(tmp_path, format, "streams")
    with quire.create(path, format=format) as out, out.step(0) as step:
        for task, size in ((4, 10), (1, 0), (2, 7)):
            step.stream(rank=task, chunk_size=100).write(b"x" * size)
    workload = workload_of_file(str(path))
    assert (workload["rows"], workload["columns"]) == (17, "1xuint8")
    assert (workload["imbalance"], workload["shares"]) == ("given", [0, 7, 10])
    case = {"file": str(path), "imbalance": "even"}
    (cell, *_) = make_plan({**CONTENT, "case": [case]}).cells
    assert "shares" not in cell.workload
    with pytest.raises(quire.UsageError, match="only elements have a distribution"):
        make_plan({**CONTENT, "case": [{"file": str(path), "distribution": "random"}]})


def test_parts_of_a_directory_are_the_shares_of_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    """One rank filled each file except the index; shares are given only if the files hold all elements."""

    class Part:
        """A file with this number of elements."""

        def __init__(self, path: Path, comm: Any) -> None:
            assert comm is quire.SELF
            if path.name == "none":
                raise quire.BadFileError("has no steps")
            self.count = 7 if path.name == "list" else int(path.name)

        def __enter__(self) -> Part:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def __getitem__(self, index: int) -> Any:
            return SimpleNamespace(expansions=[[0] * self.count])

    monkeypatch.setattr(quire, "open", Part)
    paths = [Path(name) for name in ("list", "3", "0", "4")]
    assert shares_of_members(paths, 7) == {"imbalance": "given", "shares": [3, 0, 4]}
    assert shares_of_members([Path("none"), *paths[1:]], 7) == {"imbalance": "given", "shares": [3, 0, 4]}
    assert shares_of_members(paths, 8) == {}


def test_blocks_of_one_file_are_the_shares_of_ranks() -> None:
    """A writer has one block of a kind: a repeated kind begins the next writer."""
    blocks = [("a", 2), ("b", 1), ("b", 1), ("a", 3), ("a", 5)]
    assert counts_of_writers(blocks) == [3, 4, 5]
    assert counts_of_writers([]) == []
    (path,) = (Path(__file__).parents[1] / "data").glob("*/tiny-hdf5.fld")
    workload = workload_of_file(str(path))
    assert (workload["elements"], workload["imbalance"], workload["shares"]) == (4, "given", [3, 1])


def test_invalid_shares_and_distributions_are_refused() -> None:
    """Entries that would be ignored, or are incomplete, are reported."""
    for more, message in (
        ({"imbalance": "given"}, "shares, and nothing else"),
        ({"shares": [1, 2]}, "shares, and nothing else"),
        ({"imbalance": "given", "shares": []}, "a list of numbers"),
        ({"imbalance": "given", "shares": [0, 0]}, "not all of them 0"),
        ({"imbalance": "given", "shares": [2, -1]}, "integers from 0"),
        ({"distribution": "random"}, "only elements have a distribution"),
        ({"distribution": "odd"}, "no distribution 'odd'"),
    ):
        with pytest.raises(quire.UsageError, match=message):
            make_workload({"workload": "particles", **more})
    with pytest.raises(quire.UsageError, match="divided by its decomposition"):
        make_workload({"workload": "block3d", "imbalance": "linear"})
    assert make_workload({"workload": "checkpoint-small", "distribution": "random"})
    with pytest.raises(quire.UsageError, match="up to 100 modes"):
        make_workload({"workload": "checkpoint-small", "modes": [3, 101]})


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"passes": "many"}, "'passes' of a plan is a whole number, not 'many'"),
        ({"ranks": 3}, "'ranks' of a plan is a list of whole numbers, not 3"),
        ({"ranks": [True]}, "a list of whole numbers"),
        ({"scale": "x"}, "'scale' of a plan is a number"),
        ({"caches": "warm"}, "'caches' of a plan is a list of texts"),
        ({"method": 3}, "'method' of a plan is a list of tables"),
        ({"limits": {"bytes": "all"}}, "'limits' of a plan is a table of numbers"),
        ({"method": [{"name": 7}]}, "'name' of a method is a text"),
        ({"method": [{"name": "a", "format": "b", "options": "c"}]}, "'options' of a method is a table"),
        (
            {"method": [{"name": "a", "format": "b", "vary": {"c": 1}}]},
            "'vary' of a method is a table",
        ),
        ({"method": [{"name": "a", "format": "b"}]}, 'there is no format "b"'),
        ({"case": [{"workload": "particles", "rows": "7"}]}, "'rows' of a case is a whole number, not '7'"),
        ({"case": [{"workload": "block3d", "extents": [2.5]}]}, "'extents' of a case"),
        ({"case": [{"workload": "particles", "scaled": 1}]}, "'scaled' of a case is true or false"),
        ({"readers": [1.5]}, "'readers' of a plan"),
        ({"readers": ["third"]}, "numbers of ranks are integers"),
    ],
)
def test_values_of_other_kinds_are_usage_errors(broken: dict[str, Any], message: str) -> None:
    """TOML accepts any value; the error names the key whose value is of the wrong kind."""
    with pytest.raises(quire.UsageError, match=re.escape(message)):
        make_plan({**CONTENT, **broken})


def test_keys_of_plans_have_kinds() -> None:
    """Every key of a plan, a method, a case or a target has a declared kind."""
    keys = {*PLAN_KEYS, *METHOD_KEYS, *CASE_FACTORS, *SHARED_KEYS, *SHARING, "workload", "file", "share"}
    keys |= TARGET_KEYS
    assert keys | {key for sizes in SIZES_OF_KIND.values() for key in sizes} == set(TYPES)


def test_shifted_reads_need_other_writers() -> None:
    """One rank has no other, and readers of another number have no matching writer."""
    plan = trial(caches=["shifted", "evicted"])
    shifted = {(cell.operation, cell.ranks) for cell in plan.cells if cell.cache == "shifted"}
    assert shifted == {("read", 3)}


@dataclass
class Elements:
    """The elements of a file."""

    sizes: list[int]
    variables: tuple[str, ...] = ("u", "v")

    def counts(self) -> Any:
        """Return the coefficients of each element."""
        return np.array(self.sizes)

    def __len__(self) -> int:
        return len(self.sizes)


@pytest.mark.parametrize("sizes", [[[64] * 40], [[10] * 30, [20] * 90], [[1]], [[3, 6, 10] * 400]])
def test_elements_of_a_file_keep_their_coefficients(sizes: list[list[int]]) -> None:
    """The same numbers of elements and variables, and about as many coefficients, over all shapes."""
    found = sizes_of_elements([cast(Any, Elements(some)) for some in sizes])
    assert found["elements"] == sum(len(some) for some in sizes)
    assert found["variables"] == 2
    wanted = sum(sum(some) for some in sizes)
    assert coefficients_of(found["modes"], found["elements"]) == pytest.approx(wanted, rel=0.02)


@pytest.mark.parametrize("extents", [(4, 6), (3, 4, 5)])
def test_a_field_of_a_file_is_a_workload(extents: tuple[int, ...]) -> None:
    """Extents and components of the largest field, and the number of fields like it."""
    field = SimpleNamespace(extents=extents, components=2)
    small = SimpleNamespace(extents=(2,), components=1)
    step = SimpleNamespace(streams=(), expansions=[], tables={}, fields={"a": field, "b": small, "c": field})
    found = sizes_of_step(cast(Any, step))
    assert found is not None
    workload = make_workload({"name": "mine", **found, "steps": 3})
    assert payload_of(workload) == 3 * 2 * 8 * 2 * math.prod(extents)


def test_file_without_numbers_is_no_workload(tmp_path: Path) -> None:
    """A file without numbers is refused."""
    path = path_for(tmp_path, table_formats()[0], "empty")
    write_table(path, table_formats()[0], {"x": np.zeros(0)})
    with pytest.raises(quire.UnsupportedError, match="no table of numbers"):
        workload_of_file(str(path))


def test_the_plan_for_chunks_of_fields_has_options_of_the_writers() -> None:
    """The table of knobs names it, and nothing else runs it."""
    plan = make_plan(read_plan(Path(__file__).parents[2] / "bench" / "field_chunk.toml"))
    methods = {cell.method.name: cell.method for cell in plan.cells if cell.method.format}
    for method in methods.values():
        known = {option.name for option in format_info(method.format).write_options}
        assert set(method.options) <= known
    assert sum("field_chunk" in method.options for method in methods.values()) == len(methods) - 1
    assert all(cell.workload["kind"] == "field" for cell in plan.cells)
