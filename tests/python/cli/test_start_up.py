"""Commands start fast: heavy modules are imported only by the commands that need them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import quire
from quire.cli.main import GROUPS, OF_STAGES, description_of, module_of, object_of
from quire.cli.shell import first_sentence
from quire.cli.verb import stage_function
from quire.cli.verbs import ENDS, NEW, STAGES, VERBS

HEAVY = (
    "pydantic",
    "numpy.ma",
    "matplotlib",
    "pandas",
    "pyarrow",
    "h5py",
    "scipy",
    "mpi4py",
    "numpy.testing",
    "numpy.f2py",
    "rich",
    "asyncio",
    "duckdb",
    "multiprocessing",
    "quire.beam.conventions",
    "quire.io.sidecar",
    "quire.rpn.compiler",
    "quire.toolkit.profiles",
    "quire.verbs.chain",
)
"""Modules that hardly any command needs."""

DATA = (*HEAVY, "numpy", "quire._core", "quire.io", "quire.toolkit")
"""Modules that help does not need, either."""

PROGRAM = """
import sys
from quire.cli.main import main
sys.argv = ["quire", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
finally:
    print(*sys.modules, file=sys.stderr)
"""


def modules_of(*words: str | Path) -> set[str]:
    """Return the modules that are imported by a command."""
    command = [sys.executable, "-c", PROGRAM, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return set(done.stderr.split("\n")[-2].split())


def test_help_imports_neither_numpy_nor_the_core() -> None:
    assert modules_of("--help").isdisjoint(DATA)


def test_little_is_imported_before_an_interruption_is_quiet() -> None:
    program = "import sys; old = set(sys.modules); import quire.cli.start; print(*set(sys.modules) - old)"
    folder = Path(quire.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],  # without what the environment imports
        capture_output=True, text=True, timeout=60, check=True, env={"PYTHONPATH": str(folder)},
    )  # fmt: skip
    found = {name for name in done.stdout.split() if not name.startswith(("_", "importlib"))}
    assert found - {"warnings"} == {"quire", "quire.cli", "quire.cli.start"}


def test_help_of_no_command_imports_numpy_or_the_core() -> None:
    program = """
import sys
from typer.testing import CliRunner
from quire.cli.main import GROUPS, app
for name in (name for names in GROUPS.values() for name in names):
    assert CliRunner().invoke(app, [name, "--help"]).exit_code == 0, name
    print(name, *(one for one in sys.argv[1:] if one in sys.modules))
"""
    command = [sys.executable, "-c", program, *DATA]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert [line for line in done.stdout.splitlines() if " " in line] == []
    assert len(done.stdout.splitlines()) == sum(map(len, GROUPS.values()))


def test_the_list_of_commands_runs_no_module_of_a_command() -> None:
    """Their first sentences are read from the code of the modules."""
    for words in (["--help"], ["run", "--help"]):
        found = modules_of(*words)
        of_commands = {f"quire.cli.{name}" for names in GROUPS.values() for name in names}
        of_stages = {f"quire.cli.verbs.{name}" for name in STAGES if name not in ENDS}
        assert found & {*of_commands, *of_stages} <= {"quire.cli.bench", "quire.cli.run", "quire.cli.get"}


def test_descriptions_are_those_of_the_functions() -> None:
    for name in (name for names in GROUPS.values() for name in names if name != "bench"):
        package = OF_STAGES if name in (*VERBS, NEW) else "quire.cli"
        expected = object_of(name).__doc__
        assert expected
        assert first_sentence(description_of(module_of(name, package))) == first_sentence(expected)
    for name in STAGES:
        expected = stage_function(name).__doc__
        assert expected
        assert first_sentence(description_of(module_of(name, OF_STAGES))) == first_sentence(expected)


@pytest.mark.parametrize("name", ["show", "plot", "convert", "filter", "bench"])
def test_help_of_a_command_imports_no_other(name: str) -> None:
    found = modules_of(name, "--help")
    assert found.isdisjoint(DATA)
    known = {f"quire.cli.{one}" for names in GROUPS.values() for one in names}
    assert found & known == {f"quire.cli.{name}"} & known


@pytest.mark.parametrize("words", [["info"], ["show"], ["get", "x", "--rows", "0"], ["check"], ["sum"]])
def test_reading_imports_no_heavy_module(one_beam: Path, words: list[str]) -> None:
    name, *rest = words
    found = modules_of(name, one_beam, *rest)
    assert found.isdisjoint(HEAVY)
    assert "quire.toolkit.text_import" not in found


def test_statistics_import_no_heavy_module(one_beam: Path) -> None:
    # The median of NumPy imports numpy.ma.
    assert modules_of("stats", one_beam).isdisjoint(set(HEAVY) - {"numpy.ma"})
    found = modules_of("stats", one_beam, "max(x)")
    assert found.isdisjoint({*HEAVY, "tomllib", "quire.beam.particles"} - {"quire.beam.conventions"})


@pytest.mark.parametrize(
    "words",
    [
        ["convert"],
        ["filter", "x > 0"],
        ["define", "r=2*x"],
        ["select", "x", "--unit", "x=mm"],
        ["sort", "x"],
        ["group", "bin(x, 2)"],
        ["pages", "merge"],
        ["hist", "x", "--norm", "sum"],
        ["fft", "x", "--spacing", "1", "--window", "hann"],
        ["fit", "px", "--versus", "x"],
        ["tunes", "x", "--spacing", "1"],
        ["correlate", "x", "px"],
    ],
)
def test_writing_imports_no_heavy_module(one_beam: Path, words: list[str]) -> None:
    name, *rest = words
    target = one_beam.with_name("copy" + one_beam.suffix)
    assert modules_of(name, one_beam, target, *rest).isdisjoint(HEAVY)


CONDITIONS = ("quire.verbs.rows", "quire.io.search", "quire.io.matches", "quire.toolkit.definitions")
"""Modules that find the rows of a condition."""


@pytest.mark.parametrize(
    "words", [["hist", "x"], ["track", "--ids", "1"], ["sort", "x"], ["fft", "x", "--spacing", "1"]]
)
def test_verbs_without_a_condition_import_no_search(one_beam: Path, words: list[str]) -> None:
    name, *rest = words
    target = one_beam.with_name("copy" + one_beam.suffix)
    assert modules_of(name, one_beam, target, *rest).isdisjoint({*CONDITIONS, "json"})


def test_reading_imports_nothing_of_reports_and_json(one_beam: Path) -> None:
    assert modules_of("get", one_beam, "x", "--rows", "0").isdisjoint(
        {*CONDITIONS, "json", "quire.io.report"}
    )


def test_queries_import_neither_pandas_nor_all_verbs(one_beam: Path) -> None:
    """The conversions of PyArrow import pandas, and its datasets as well."""
    found = modules_of("sql", f"select x, 'a' as t from '{one_beam}' order by x")
    assert found.isdisjoint({*HEAVY, "pyarrow.dataset", "pyarrow.compute"} - {"duckdb", "pyarrow"})
    assert "quire.toolkit.copier" not in found


def test_work_by_the_engine_imports_no_pandas(one_beam: Path) -> None:
    target = one_beam.with_name("copy" + one_beam.suffix)
    found = modules_of("sort", one_beam, target, "x", "--memory", "1kB")
    assert "duckdb" in found
    assert found.isdisjoint({"pandas", "pyarrow.dataset", "pyarrow.compute", "quire.verbs.chain"})


def test_pictures_import_neither_pyplot_nor_beams(one_beam: Path) -> None:
    found = modules_of("plot", one_beam, one_beam.with_name("x.png"), "-x", "x", "-y", "px")
    assert "matplotlib.figure" in found
    assert found.isdisjoint({"matplotlib.pyplot", "pandas", "scipy", "quire.beam.particles"})


PLOTS = [
    "--help",
    "nothing.h5 -x x -y px a.png",
    "BEAM",
    "BEAM -x x -y px a.gif",
    "BEAM -x x -y px BEAM",
    "BEAM -x x -y px nowhere/a.png",
    "BEAM -x xx -y px a.png",
    "BEAM -x x -y px,q a.png",
    "BEAM -x x -y px+ a.png",
    "BEAM -x x -y px --steps 77 a.png",
    "BEAM -x x -y px --where q>0 a.png",
    "BEAM -x x -y px --unit x=furlong a.png",
    "BEAM -x x -y px --unit x=s a.png",
    "BEAM -x x -y px --style dots a.png",
    "BEAM -x x -y px --labels a,b,c,d,e,f,g,h,i a.png",
    "BEAM -x x -y px,y --panels quantity --layout 1x1 a.png",
    "BEAM -x x -y px --magnets BEAM a.png",
    "BEAM --histogram q a.png",
    "BEAM --histogram x --bins 0 a.png",
    "BEAM --histogram x --fit cauchy a.png",
    "BEAM --histogram x --unit x=s a.png",
    "BEAM --attributes q a.png",
    "BEAM --field q a.png",
    "BEAM --beam q -x s a.png",
]
"""Command lines of plots that end before anything is drawn."""


def test_mistakes_in_plots_are_reported_without_matplotlib(
    one_beam: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(one_beam.parent)
    program = """
import sys
from quire.cli.main import main
for line in sys.argv[1:]:
    sys.argv = ["quire", "plot", *line.split()]
    try:
        main()
    except SystemExit as end:
        print("code", end.code, "matplotlib" in sys.modules, line)
"""
    lines = [line.replace("BEAM", one_beam.name) for line in PLOTS]
    command = [sys.executable, "-c", program, *lines]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    found = [line.split(" ", 3) for line in done.stdout.splitlines() if line.startswith("code ")]
    assert [line for *_, line in found] == lines
    assert [line for _, _, is_imported, line in found if is_imported != "False"] == []
    assert [line for _, code, _, line in found[1:] if code == "0"] == []


def test_new_data_import_no_heavy_module(tmp_path: Path) -> None:
    assert modules_of("new", tmp_path / "new.h5", "x=uniform(0, 1)", "--rows", "3").isdisjoint(HEAVY)


def test_numpy_starts_no_threads_for_a_command(one_beam: Path) -> None:
    program = PROGRAM.replace("print(*sys.modules", "import os; print(len(os.listdir('/proc/self/task'))")
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    command = [sys.executable, "-c", program, "info", str(one_beam)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=environment)
    assert done.stderr.split("\n")[-2] == "1"


def test_the_list_of_commands_builds_none() -> None:
    program = "from quire.cli.main import *; import typer; group = typer.main.get_command(app);"
    program += "group.get_help(typer.Context(group)); assert 'show' in group.commands;"
    program += "print([name for name, one in group.commands._built.items() if one is not None])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "['bench']\n"


@pytest.mark.parametrize("options", [[], ["--palette", "turbo"]])
def test_a_user_without_a_home_gets_no_warnings_of_matplotlib(
    one_beam: Path, tmp_path: Path, options: list[str]
) -> None:
    (tmp_path / "file").touch()
    hidden = ("MPLCONFIGDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    words = ["plot", str(one_beam), "-x", "id", "-y", "x", *options, str(tmp_path / "x.png")]
    found = subprocess.run(
        [sys.executable, "-m", "quire", *words],
        capture_output=True, text=True, timeout=60, check=False,
        env=environment | {"HOME": str(tmp_path / "file")},
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    # It may still say that it makes a list of fonts, if that takes long.
    assert not any(word in found.stderr for word in ("mkdir", "cache directory", "MPLCONFIGDIR"))
