"""Work on tables that do not fit into the memory gives the same bytes as work in memory."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.python.support.files import path_for
from tests.python.support.tables import FORMAT, Columns, tables, write

import quire
import quire.verbs.relational
from quire.errors import InputOutputError, UnsupportedError
from quire.toolkit.engine import Engine
from quire.verbs.spilled import Spill

NONE = 1
"""A limit in bytes that nothing fits into."""


def bytes_of(chain: Any, folder: Path) -> bytes:
    """The file that a chain writes."""
    target = path_for(folder, FORMAT, "written")
    chain.write(target, overwrite=True)
    return target.read_bytes()


def key() -> st.SearchStrategy[str]:
    """A key to sort by."""
    numbers = st.tuples(
        st.sampled_from(["x", "k", "long", "letter", "u"]),
        st.sampled_from(["", ":desc", ":abs", ":desc:abs"]),
    )
    texts = st.tuples(st.just("name"), st.sampled_from(["", ":desc", ":natural", ":natural:desc"]))
    return st.one_of(numbers, texts).map("".join)


@settings(max_examples=30)
@given(tables(), tables(), st.lists(key(), min_size=1, max_size=3))
def test_sorted_rows_are_those_in_memory(first: Columns, second: Columns, keys: list[str]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        with quire.chain(write(folder, "given", first, second)) as chain:
            assert bytes_of(chain.limited(NONE).sort(keys), folder) == bytes_of(chain.sort(keys), folder)


@settings(max_examples=30)
@given(tables(), st.lists(key(), min_size=1, max_size=2))
def test_the_first_of_equal_rows_are_those_in_memory(columns: Columns, keys: list[str]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        with quire.chain(write(folder, "given", columns)) as chain:
            found = bytes_of(chain.limited(NONE).unique(keys, count="n"), folder)
            assert found == bytes_of(chain.unique(keys, count="n"), folder)


def large(rows: int) -> Columns:
    """A table of many blocks, with equal keys and NaN."""
    random = np.random.default_rng(1)
    x = random.integers(-50, 50, rows) / 7
    x[::13] = np.nan
    x[::17] = -0.0
    return {"x": x, "k": random.integers(0, 5, rows).astype(np.int16), "id": np.arange(rows)}


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tables go to the engine, and results come back, in many batches."""
    monkeypatch.setattr("quire.toolkit.engine.BATCH_BYTES", 1 << 12)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_result_is_the_same_on_any_number_of_threads(
    tmp_path: Path, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quire.toolkit.engine.THREADS", threads)
    with quire.chain(write(tmp_path, "given", large(20_000))) as chain:
        for keys in ("x", "k,x:desc", "x:abs"):
            assert bytes_of(chain.limited(NONE).sort(keys), tmp_path) == bytes_of(chain.sort(keys), tmp_path)


@pytest.mark.usefixtures("small_batches")
def test_rows_that_conditions_choose_are_sorted(tmp_path: Path) -> None:
    with quire.chain(write(tmp_path, "given", large(5000), large(3000))) as chain:
        kept = chain.filter("x > 1").define("y=x*2")
        found = bytes_of(kept.limited(NONE).sort("y").rows(slice(3, 90)), tmp_path)
        assert found == bytes_of(kept.sort("y").rows(slice(3, 90)), tmp_path)


def noted(work: Any, runs: list[int]) -> Any:
    """The same work, of which each run is noted."""

    def run(*arguments: Any) -> Any:
        runs.append(1)
        return work(*arguments)

    return run


def test_nothing_is_sorted_before_rows_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []
    monkeypatch.setattr(quire.verbs.relational, "spilled", noted(quire.verbs.relational.spilled, runs))
    with quire.chain(write(tmp_path, "given", large(100), large(100))) as chain:
        made = chain.limited(NONE).sort("x")
        assert [len(step.table) for step in made] == [100, 100]
        assert runs == []
        bytes_of(made, tmp_path)
        assert runs == [1, 1]


def test_a_missing_engine_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with (
        quire.chain(write(tmp_path, "given", large(100))) as chain,
        pytest.raises(UnsupportedError, match=r"pip install 'quire\[toolkit\]'"),
    ):
        chain.limited(NONE).sort("x").read()


def test_a_full_disk_is_an_error_that_names_the_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        """A file on a full disk."""

        def write(self, data: Any) -> int:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            pass

    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: Full())
    with pytest.raises(InputOutputError, match=r"No space left on device.*TMPDIR"):
        Spill().append(b"abc")


GROUPINGS = ["x", "k", "name", "long", "letter", "u", "bin(x, 3)", "bin(k, 4)", "gap(x)", "gap(x, 0.5)"]
GROUPINGS += ["every(3)", "change(k)", "change(name)", "slice=bin(long, 2)"]


@settings(max_examples=30)
@given(tables(), tables(), st.lists(st.sampled_from(GROUPINGS), min_size=1, max_size=3, unique=True))
def test_groups_are_those_in_memory(first: Columns, second: Columns, by: list[str]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        with quire.chain(write(folder, "given", first, second)) as chain:
            assert bytes_of(chain.limited(NONE).group(*by), folder) == bytes_of(chain.group(*by), folder)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("by", [["k"], ["bin(x, 7)", "k"], ["gap(x)"], ["change(k)"], ["every(99)", "k"]])
def test_groups_of_many_blocks_are_those_in_memory(tmp_path: Path, by: list[str]) -> None:
    with quire.chain(write(tmp_path, "given", large(5000), large(3000))) as chain:
        reductions = ("mean(x)", "n=count(id)", "std(id)")
        found = bytes_of(chain.limited(NONE).group(*by).stats(*reductions), tmp_path)
        assert found == bytes_of(chain.group(*by).stats(*reductions), tmp_path)


HOWS = ("inner", "left", "semi", "anti")


@settings(max_examples=30)
@given(
    tables(),
    tables(most=8),
    st.sampled_from(["k", "x", "name", "u", "long", "letter", "k=x", "x=long", "k,name", "x,k", "k=u"]),
    st.sampled_from(HOWS),
)
def test_joined_rows_are_those_in_memory(first: Columns, other: Columns, on: str, how: str) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        for columns in (first, other):
            columns["u"] &= np.uint64(2**50 - 1)  # beside missing values they become float64
        same_units = {**other, "distance": other["x"]}
        with (
            quire.chain(write(folder, "given", first, unit="")) as chain,
            quire.chain(write(folder, "other", same_units, unit="")) as mate,
        ):
            joined = [
                chain.limited(memory).join(mate, on, how=how, take=["*"], suffix="_2")
                for memory in (NONE, None)
            ]
            assert bytes_of(joined[0], folder) == bytes_of(joined[1], folder)
            warnings = [[step.warnings for step in made] for made in joined]
            assert warnings[0] == warnings[1]


@settings(max_examples=30)
@given(tables(), tables(most=8), st.sampled_from(HOWS), st.sampled_from([float("inf"), 1.0]))
def test_nearest_rows_are_those_in_memory(first: Columns, other: Columns, how: str, tolerance: float) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        for columns in (first, other):
            columns["u"] &= np.uint64(2**50 - 1)
        with (
            quire.chain(write(folder, "given", first)) as chain,
            quire.chain(write(folder, "other", other)) as mate,
        ):
            for nearest in ("x", ""):
                if not nearest and how == "inner" and len(first["x"]) != len(other["x"]):
                    continue
                limit = tolerance if nearest else float("inf")
                found, wanted = (
                    bytes_of(
                        chain.limited(memory).join(
                            mate, nearest=nearest, tolerance=limit, how=how, suffix="_2"
                        ),
                        folder,
                    )
                    for memory in (NONE, None)
                )
                assert found == wanted


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("how", HOWS)
def test_joins_of_many_blocks_are_those_in_memory(tmp_path: Path, how: str) -> None:
    other = large(700)
    other["id"] = np.random.default_rng(2).permutation(1400)[:700]
    with (
        quire.chain(write(tmp_path, "given", large(3000), large(1000))) as chain,
        quire.chain(write(tmp_path, "other", other)) as mate,
    ):
        for on in ("id", "k"):
            found, wanted = (
                bytes_of(chain.limited(memory).join(mate, on, how=how, suffix="_2"), tmp_path)
                for memory in (NONE, None)
            )
            assert found == wanted


def test_large_integers_without_partner_are_no_error(tmp_path: Path) -> None:
    given = {"k": np.array([1, 2]), "x": np.zeros(2)}
    other = {"k": np.array([1, 7]), "n": np.array([5, 2**53 + 1])}
    with (
        quire.chain(write(tmp_path, "given", given)) as chain,
        quire.chain(write(tmp_path, "other", other)) as mate,
    ):
        for memory in (NONE, None):
            found = chain.limited(memory).join(mate, "k", how="left").read(["n"])["n"]
            np.testing.assert_array_equal(found, [5.0, np.nan])


@pytest.mark.parametrize(("on", "by_engine"), [("id", False), ("x", True), ("far", True), ("id,k", True)])
def test_large_tables_with_near_keys_are_joined_in_memory(
    tmp_path: Path, on: str, by_engine: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = large(2000)
    given["far"] = given["id"] * 10**6
    runs: list[int] = []
    monkeypatch.setattr(quire.verbs.relational, "IN_MEMORY", 1000)
    with (
        quire.chain(write(tmp_path, "given", given)) as chain,
        quire.chain(write(tmp_path, "other", {name: values[::-1] for name, values in given.items()})) as mate,
    ):
        wanted = bytes_of(chain.limited(NONE).join(mate, on, suffix="_2"), tmp_path)
        monkeypatch.setattr("quire.verbs.join.spilled", noted(quire.verbs.relational.spilled, runs))
        assert bytes_of(chain.join(mate, on, suffix="_2"), tmp_path) == wanted
        assert bool(runs) == by_engine


@pytest.mark.parametrize("verb", ["sort", "group", "unique"])
def test_tables_that_a_share_of_the_machine_holds_are_in_memory(
    tmp_path: Path, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(quire.verbs.relational, "IN_MEMORY", 1000)
    with quire.chain(write(tmp_path, "given", large(2000))) as chain:
        changed = getattr(chain, verb)("k")
        with monkeypatch.context() as patch:
            patch.setattr(quire.verbs.relational, "spilled", refuse)
            wanted = bytes_of(changed, tmp_path)
        monkeypatch.setattr(quire.verbs.relational, "machine_memory", lambda: 10_000)
        runs: list[int] = []
        monkeypatch.setattr(quire.verbs.relational, "spilled", noted(quire.verbs.relational.spilled, runs))
        assert bytes_of(changed, tmp_path) == wanted
        assert runs


def test_many_rows_are_taken_by_threads_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with quire.chain(write(tmp_path, "given", large(2000), large(100))) as chain:
        written, read = bytes_of(chain.sort("x"), tmp_path), chain.sort("x:desc").read()
        monkeypatch.setattr("quire.verbs.steplike.MANY_ROWS", 0)
        monkeypatch.setattr("quire.numeric.threads.thread_count", lambda: 3)
        assert bytes_of(chain.sort("x"), tmp_path) == written
        for name, values in chain.sort("x:desc").read().items():
            assert values.tobytes() == read[name].tobytes()


THREADED = {
    "join nearest": lambda chain, mate: chain.join(mate, nearest="x", how="left", suffix="_2"),
    "join": lambda chain, mate: chain.join(mate, "x,k", suffix="_2"),
    "group": lambda chain, mate: chain.group("k"),
    "group bin": lambda chain, mate: chain.group("bin(x, 7)", "k"),
    "stats": lambda chain, mate: chain.group("x").stats("mean(id)", "median(x)", "std(x)"),
}


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("verb", THREADED)
@pytest.mark.parametrize("memory", [NONE, None])
def test_joins_and_groups_are_the_same_on_any_number_of_threads(
    tmp_path: Path, verb: str, memory: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = {name: values[::-1] for name, values in large(900).items()}
    other["x"] = other["x"] + 0.01
    for name in (
        "quire.verbs.steplike.MANY_ROWS",
        "quire.numeric.ordering.LARGE",
        "quire.numeric.ordering.FEW",
    ):
        monkeypatch.setattr(name, 0)
    written = []
    for threads in (1, 2, 5):
        for name in ("quire.numeric.threads.thread_count", "quire.numeric.ordering.thread_count"):
            monkeypatch.setattr(name, lambda count=threads: count)
        monkeypatch.setattr("quire.toolkit.engine.THREADS", threads)
        with (
            quire.chain(write(tmp_path, "given", large(3000), large(800))) as chain,
            quire.chain(write(tmp_path, "other", other)) as mate,
        ):
            written.append(bytes_of(THREADED[verb](chain.limited(memory), mate), tmp_path))
    assert written[1:] == written[:1] * 2


def test_arrays_of_a_chain_are_those_of_the_reader(tmp_path: Path) -> None:
    given = quire.new("x=1,2,3", "y=sequence(0,1,3)")
    with quire.chain(write(tmp_path, "given", large(50))) as chain:
        for made, name in (
            (given, "x"),
            (given.sort("x"), "x"),
            (chain.group("k"), "id"),
            (chain.rows("0:9"), "id"),
        ):
            before = made.read([name])[name].tolist()
            for step in made:
                table = made.table_of(step)
                table.read([name])[name][:] = 77
                assert 77 not in table.read([name])[name].tolist()
            made.read([name])[name][:] = 77
            assert made.read([name])[name].tolist() == before


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """A shell starts programs in the background with interruptions ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt_soon() -> None:
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()


def test_the_engine_prints_no_progress() -> None:
    with Engine() as engine:
        assert engine.rows("SELECT current_setting('enable_progress_bar')") == [(False,)]


def test_a_signal_that_reaches_another_thread_interrupts_the_engine() -> None:
    other = threading.Timer(0.3, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT))
    with Engine() as engine:
        other.start()
        with pytest.raises(KeyboardInterrupt):
            engine.rows("SELECT sum(sin(i)) FROM range(1000000000000) r(i)")


def test_an_interruption_of_the_engine_is_one() -> None:
    with Engine() as engine:
        interrupt_soon()
        with pytest.raises(KeyboardInterrupt):
            engine.rows("SELECT sum(sin(i)) FROM range(1000000000000) r(i)")
        assert engine.rows("SELECT 1") == [(1,)]


def test_an_interruption_of_batches_is_one() -> None:
    with Engine() as engine:
        _, batches = engine.stream("SELECT sin(i) FROM range(1000000000000) r(i)")
        interrupt_soon()
        with pytest.raises(KeyboardInterrupt):
            deque(batches, maxlen=0)


def test_an_interruption_of_a_source_is_one() -> None:
    def interrupt(name: str) -> Any:
        raise KeyboardInterrupt

    pyarrow = pytest.importorskip("pyarrow")
    schema = pyarrow.schema([("x", pyarrow.float64())])
    with Engine() as engine:
        engine.register(
            "source", pyarrow.RecordBatchReader.from_batches(schema, engine.guarded(map(interrupt, "x")))
        )
        with pytest.raises(KeyboardInterrupt):
            engine.rows("SELECT * FROM source")


def test_the_limit_counts_what_is_on_its_way_to_the_engine() -> None:
    """The process keeps batches of its own beside the blocks of the engine, and each thread needs some."""
    query = "SELECT current_setting('memory_limit'), current_setting('threads')"
    for limit, most, threads in ((100 << 20, "64", 1), (1 << 30, "614", None)):
        with Engine(limit) as engine:
            ((given, count),) = engine.rows(query)
            assert given.startswith(most)
            assert given.endswith("MiB")
            assert engine.batch_bytes * 16 <= limit - (64 << 20)
            assert threads in (None, count)
