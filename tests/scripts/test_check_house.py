"""The check of the house rules finds violations."""

from __future__ import annotations

from pathlib import Path

import pytest

import check_house


def violations(root: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    paths = check_house.source_files(root)
    return [
        *(found for path in paths for found in check_house.violations_of(root, path)),
        *check_house.floor_violations(root, paths),
        *check_house.python_violations(root, paths),
    ]


def test_clean_tree_passes(tmp_path: Path) -> None:
    files = {
        "include/quire/base/error.hpp": "#include <string>\n",
        "include/quire/comm/mpi.hpp": "#include <mpi.h>\n",
        "src/api/open.cpp": '#include "quire/base/error.hpp"\n#include "format/registry.hpp"\n',
        "src/format/registry.hpp": "// sdds, h5part\n",
        "src/model/version.cpp": "// the version of this session's expansion\n",
        "src/model/split.cpp": "// as specs/sdds.md section 6.1 says\n",
    }
    assert violations(tmp_path, files) == []
    assert check_house.main([str(tmp_path)]) == 0


def test_long_file_is_refused(tmp_path: Path) -> None:
    assert violations(tmp_path, {"src/base/a.cpp": "//\n" * 600}) == []
    assert len(violations(tmp_path, {"src/base/a.cpp": "//\n" * 601})) == 1


EIGHT = "a, b, c, d, *, e, f, g, h"


@pytest.mark.parametrize(
    "text",
    [
        f"def call({EIGHT}, **options): ...",
        f"def _call({EIGHT}, i): ...",
        f"class Thing:\n    def call(self, {EIGHT}): ...",
        f"class Thing:\n    @classmethod\n    def make(cls, {EIGHT}): ...",
        f"class Thing:\n    def __init__(self, {EIGHT}): ...",
        f"class _Thing:\n    def call(self, {EIGHT}, i): ...",
        f"def call():\n    def inner({EIGHT}, i): ...",
    ],
)
def test_calls_with_eight_parameters_pass(tmp_path: Path, text: str) -> None:
    assert violations(tmp_path, {"python/quire/io/a.py": text}) == []


@pytest.mark.parametrize(
    "text",
    [
        f"def call({EIGHT}, i): ...",
        f"async def call({EIGHT}, i=0): ...",
        "def call(a, b, c, d, e, f, g, /, h, *rest, i): ...",
        f"class Thing:\n    def call(self, {EIGHT}, i): ...",
        f"class Thing:\n    def __init__(self, {EIGHT}, i): ...",
        f"class Thing:\n    @staticmethod\n    def make({EIGHT}, i): ...",
    ],
)
def test_calls_with_more_parameters_are_refused(tmp_path: Path, text: str) -> None:
    files = {name: text for name in ("python/quire/io/a.py", "python/quire/cli/a.py", "tests/a.py")}
    (found,) = violations(tmp_path, files)
    assert "has 9 parameters" in found
    assert "python/quire/io/a.py" in found


@pytest.mark.parametrize(
    ("source", "include"),
    [
        ("src/base/a.cpp", '"quire/model/b.hpp"'),
        ("src/plan/a.cpp", "<quire/transport/b.hpp>"),
        ("src/transport/a.cpp", '"format/b.hpp"'),
        ("src/format/a.cpp", '"quire/comm/b.hpp"'),
        ("src/format/x/a.cpp", '"../../transport/b.hpp"'),
        ("include/quire/api/a.hpp", '"quire/capi/b.hpp"'),
        ("examples/a.cpp", '"api/b.hpp"'),
    ],
)
def test_upward_include_is_refused(tmp_path: Path, source: str, include: str) -> None:
    files = {source: f"#include {include}\n"}
    for layer in ("model", "transport", "format", "comm", "capi"):
        files[f"include/quire/{layer}/b.hpp"] = ""
    for layer in ("transport", "format", "api"):
        files[f"src/{layer}/b.hpp"] = ""
    assert len(violations(tmp_path, files)) == 1


@pytest.mark.parametrize(
    ("source", "include"),
    [
        ("examples/a.cpp", '"plan/b.hpp"'),
        ("examples/a.cpp", '"quire/spi/plan/b.hpp"'),
        ("include/quire/api/a.hpp", '"plan/b.hpp"'),
        ("include/quire/quire.hpp", '"plan/b.hpp"'),
        ("include/quire/spi/plan/a.hpp", '"plan/b.hpp"'),
    ],
)
def test_header_that_is_not_for_the_includer_is_refused(tmp_path: Path, source: str, include: str) -> None:
    files = {"include/quire/spi/plan/b.hpp": "", "src/plan/b.hpp": ""}
    assert len(violations(tmp_path, {**files, source: f"#include {include}\n"})) == 1


def test_public_header_may_include_one_for_extensions(tmp_path: Path) -> None:
    files = {
        "include/quire/spi/plan/b.hpp": "",
        "include/quire/api/a.hpp": '#include "quire/spi/plan/b.hpp"\n',
    }
    assert violations(tmp_path, files) == []


@pytest.mark.parametrize("layer", ["base", "model", "plan", "kernels", "format", "query"])
def test_mpi_is_used_in_few_layers(tmp_path: Path, layer: str) -> None:
    assert len(violations(tmp_path, {f"src/{layer}/a.cpp": "#include <mpi.h>\n"})) == 1


def test_unknown_folder_is_no_layer(tmp_path: Path) -> None:
    assert len(violations(tmp_path, {"src/extra/a.cpp": "#include <string>\n"})) == 1


@pytest.mark.parametrize(
    "line",
    [
        "class SddsReader;",
        "open_h5part(path)",
        "SionFile file;",
        "openSion()",
        'if name == "sion"',
        "# for Elegant",
    ],
)
def test_format_name_outside_is_refused(tmp_path: Path, line: str) -> None:
    assert len(violations(tmp_path, {"scripts/io.py": line})) == 1
    assert violations(tmp_path / "inside", {"tests/format/test_a.py": line}) == []


def test_format_name_in_a_file_name_is_refused(tmp_path: Path) -> None:
    assert len(violations(tmp_path, {"scripts/sdds_tools.py": ""})) == 1


FACE = """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from quire._core import __version__
    from quire.io.file import open
    from quire.toolkit.convert import copy
"""
PYTHON = {
    "python/quire/__init__.py": FACE,
    "python/quire/errors.py": "",
    "python/quire/io/file.py": "from quire import _core\n",
    "python/quire/toolkit/convert.py": "import quire\nfile = quire.open('a')\n",
    "python/quire/lab/doctor.py": "import quire\nprint(quire.__version__, quire.copy)\n",
    "python/quire/lab/plan/simulation.py": "from quire import _core\n",
    "python/quire/cli/main.py": "def main() -> None:\n    from quire.lab.doctor import examine\n",
}


def test_python_that_knows_lower_layers_passes(tmp_path: Path) -> None:
    assert violations(tmp_path, PYTHON) == []


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("errors.py", "from quire.io.file import open"),
        ("io/table.py", "from quire.toolkit.convert import copy"),
        ("io/table.py", "import quire.toolkit.convert"),
        ("io/table.py", "from quire.toolkit import convert"),
        ("io/table.py", "def copied() -> None:\n    from quire.toolkit import convert"),
        ("io/table.py", "if TYPE_CHECKING:\n    from quire.toolkit import convert"),
        ("io/table.py", "from quire import copy"),
        ("io/table.py", "import quire\ncopy = quire.copy"),
        ("io/table.py", "import quire as face\ncopy = face.copy"),
        ("io/table.py", "from quire import __all__"),
        ("io/table.py", "from .file import open"),
        ("toolkit/estimate.py", "from quire.lab import doctor"),
        ("toolkit/estimate.py", "import quire\nexamine = quire.lab"),
        ("lab/doctor.py", "from quire.cli.output import say"),
        ("lab/doctor.py", "from quire import _core"),
        ("extra/a.py", ""),
    ],
)
def test_python_that_knows_more_is_refused(tmp_path: Path, source: str, line: str) -> None:
    assert len(violations(tmp_path, {**PYTHON, f"python/quire/{source}": f"{line}\n"})) == 1


def test_circles_of_python_modules_are_refused(tmp_path: Path) -> None:
    files = {
        "python/quire/io/a.py": "from quire.io.b import B\n",
        "python/quire/io/b.py": "def c() -> None:\n    from quire.io import c\n",
        "python/quire/io/c.py": "from quire.io.a import A\n",
        "python/quire/io/d.py": "from quire.io.a import A\n",
    }
    (found,) = violations(tmp_path, files)
    assert found.endswith("quire.io.a -> quire.io.b -> quire.io.c -> quire.io.a")
    files["python/quire/io/c.py"] = "if TYPE_CHECKING:\n    from quire.io.a import A\n"
    assert violations(tmp_path, files) == []


def test_hdf5_files_are_opened_through_the_driver_that_checks_them(tmp_path: Path) -> None:
    line = 'const hid_t file = H5Fopen("name", H5F_ACC_RDONLY, H5P_DEFAULT);\n'
    may_open = ["src/format/hdf5/library/driver.cpp", "tests/format/a.cpp"]
    assert violations(tmp_path, dict.fromkeys(may_open, line)) == []
    assert len(violations(tmp_path, {"src/format/hdf5/library/a.cpp": line})) == 1


def include(path: str) -> str:
    return f'#include "{path}"\n'


def test_layouts_include_containers_but_no_layout(tmp_path: Path) -> None:
    files = {
        "src/format/a/a.hpp": include("format/hdf5/library/b.hpp"),
        "src/format/b/b.hpp": "",
        "src/format/hdf5/library/b.hpp": include("format/hdf5/guard/c.hpp"),
        "src/format/hdf5/guard/c.hpp": include("format/shared.hpp"),
        "src/format/shared.hpp": "",
        "src/format/registry.cpp": include("format/a/a.hpp"),
    }
    assert violations(tmp_path, files) == []
    wrong = {
        "src/format/a/a.cpp": "format/b/b.hpp",
        "src/format/hdf5/library/b.cpp": "format/a/a.hpp",
        "src/format/hdf5/guard/c.cpp": "format/hdf5/library/b.hpp",
        "src/format/shared.cpp": "format/a/a.hpp",
    }
    found = violations(tmp_path, {name: include(target) for name, target in wrong.items()})
    assert [one.split(":")[0] for one in found] == sorted(wrong)


def test_headers_of_containers_have_few_floors(tmp_path: Path) -> None:
    folder = "format/hdf5/guard"
    files = {f"src/{folder}/{n}.hpp": include(f"{folder}/{n + 1}.hpp") for n in range(6)}
    files[f"src/{folder}/6.hpp"] = ""
    assert violations(tmp_path, files) == []
    files = {f"src/{folder}/6.hpp": include(f"{folder}/7.hpp"), f"src/{folder}/7.hpp": ""}
    (found,) = violations(tmp_path, files)
    assert "includes 7 floors" in found


def test_texts_for_users_name_no_page_of_the_sources(tmp_path: Path) -> None:
    files = {
        "python/quire/io/a.py": 'advice = "quire explain --help lists them"\n',
        "src/model/a.cpp": 'fail("no such name");  // as docs/beam.md says\n',
        "src/model/b.hpp": "/// docs/beam.md describes it.\n",
    }
    assert violations(tmp_path, files) == []
    wrong = {
        "python/quire/io/b.py": 'advice = "docs/howto/get-help.md lists them"\n',
        "src/model/c.cpp": 'fail("no such name, see docs/beam.md");\n',
    }
    found = violations(tmp_path, wrong)
    assert sorted(one.split(":")[0] for one in found) == sorted(wrong)


def test_empty_tree_is_an_error(tmp_path: Path) -> None:
    assert check_house.main([str(tmp_path)]) == 1


def test_environments_and_builds_are_not_checked(tmp_path: Path) -> None:
    files = {".venv/lib/a.py": "# sdds\n", "build/mpich/a.cpp": "// sdds\n", "src/base/a.cpp": "//\n"}
    assert violations(tmp_path, files) == []
