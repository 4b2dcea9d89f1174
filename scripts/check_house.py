"""Check the rules of the project that no other tool checks.

    scripts/check_house.py [ROOT]

1. No source file has more than 600 lines.
2. A layer includes only lower layers, formats include neither the communicator nor the transports, and only
   the layers that use MPI include its header. Public headers include no private ones, and examples neither
   private headers nor those for extensions.
3. The name of a format is used only where formats are implemented, tested and documented.
4. A Python module of the package imports only its own layer and lower ones, inside functions and for types
   alike, and no modules import each other in a circle.
5. The library opens HDF5 files through its own file driver only, which checks object headers first.
6. A public function or method of the Python package has at most 8 parameters, except for the commands.
7. The layout of a format includes its own files and those of containers, never another layout. In a
   container, folders include only those below, and a header reaches at most 6 floors of others.
8. Texts of the Python package and messages of the library name no page of docs/: users of a package of
   binaries have none. They name a command, its help, or a page of the manual by its title.

Prints one line for each violation and exits with 1 if there is any.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TypeGuard

MAXIMUM_LINES = 600
MAXIMUM_PARAMETERS = 8
MAXIMUM_SHOWN = 100
SOURCE_SUFFIXES = {".cpp", ".hpp", ".h", ".c", ".f90", ".py"}
INCLUDING_SUFFIXES = SOURCE_SUFFIXES - {".f90", ".py"}

# What is made in the tree of a source archive, which has no list of its files.
NOT_SOURCES = {"build", "demo", "dist"}

# From the bottom to the top; a layer may include itself and those before it.
LAYERS = [
    "base",
    "model",
    "plan",
    "kernels",
    "comm",
    "transport",
    "format",
    "query",
    "api",
    "capi",
    "fortran",
]
# Lower layers that a layer may not include all the same.
FORBIDDEN_BELOW = {"format": {"comm", "transport"}}
# Layers that may include mpi.h.
MPI_LAYERS = {"comm", "transport", "capi", "fortran"}
OPENS_HDF5 = re.compile(r"\b(?:H5Fopen|H5Fcreate|H5FDregister)\w*\s*\(")
# What may open HDF5 files.
HDF5_DRIVER = "src/format/hdf5/library/driver.cpp"
FORMATS = PurePosixPath("src/format")
# Its folders that layouts may include, with the order of their own folders, from the bottom to the top.
CONTAINERS: dict[str, list[str]] = {"hdf5": ["guard", "image", "library", "planning"], "sion": []}
# Its folders that everything else there may include. All others are layouts.
SHARED = {"text"}
# The one file that knows all formats.
REGISTRY = FORMATS / "registry.cpp"
MAXIMUM_FLOORS = 6
PAGE_OF_DOCS = re.compile(r"docs/[\w/-]+\.md")
# The same in a literal of C++; comments are for those who have the sources.
PAGE_IN_LITERAL = re.compile(r'"[^"]*docs/[\w/-]+\.md')
# The headers of the library that are installed, and those of them for formats and transports outside of it.
PUBLIC = PurePosixPath("include/quire")
EXTENSIONS = PUBLIC / "spi"
# Folders that see the library from outside, by its public headers.
OUTSIDE_FOLDERS = {"examples"}

# The Python package, from the bottom to the top. Each list is a layer: modules and folders of `quire`.
# There is no layer of expressions: the core evaluates them, and what Python adds belongs to the tables of io.
# "" is `quire` itself. Where a module imports it, the modules count that have the names it uses.
PACKAGE = PurePosixPath("python/quire")
# Its folder whose functions are commands with their options.
COMMANDS = PACKAGE / "cli"
PYTHON_LAYERS = [
    ["errors"],
    ["_core"],
    ["kinds", "near", "numeric", "rpn", "sizes", "starters"],
    ["io", "beam", "units"],
    ["toolkit"],
    ["verbs"],
    ["viewer"],
    ["", "sdds"],
    ["lab"],
    ["cli", "legacy"],
    ["__main__"],
]
# Lower layers that a layer may not import all the same, with the folder that may.
# Only the core simulates writes, and nothing but plans needs it.
PYTHON_FORBIDDEN = {("lab", "_core"): "quire.lab.plan"}
# The target of an import with dots, such as `from .file import open`.
RELATIVE = "."

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')

FORMAT_NAME = re.compile(
    # These are no part of any other word, so they are looked for inside identifiers as well.
    r"(?i:sdds|h5part|h5block|h5hut|h5fed|nektar|openpmd|sionlib|pelegant)"
    # These are: as words, or as parts of an identifier.
    r"|(?<![A-Za-z])(?:sion|Sion|SION)(?![a-z])|(?<=[a-z])Sion(?![a-z])"
    r"|(?<![A-Za-z])(?i:elegant)(?![a-z])"
)
# A reference to the section of a specification that a line follows is no knowledge of a format.
SPECIFICATION = re.compile(r"\bspecs/[a-z0-9-]+\.md\b")
FORMAT_FOLDERS = [
    "bench/peers",
    "docs",
    "examples/peers",
    "include/quire/format",
    # Programs of one toolkit under their old names: names of its format are its subject.
    "python/quire/legacy",
    "src/format",
    "tests/data",
    "tests/docs",
    "tests/format",
    "tests/python/legacy",
    "tests/python/workflows",
]
# Single files with a reason.
FORMAT_FILES = {
    "python/quire/sdds.py": "the face for users of other libraries of this format, who know it by name",
    "scripts/check_house.py": "the list of names itself",
    "tests/scripts/test_check_house.py": "its test",
}


def source_files(root: Path) -> list[PurePosixPath]:
    """Return the source files under version control or about to be; without git all but hidden ones."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listing = subprocess.run(command, cwd=root, capture_output=True, check=False)
    if listing.returncode == 0 and listing.stdout:
        names = listing.stdout.decode().split("\0")
    else:
        tops = [path for path in root.iterdir() if path.name not in NOT_SOURCES and path.name[0] != "."]
        names = [path.relative_to(root).as_posix() for top in tops for path in [top, *top.rglob("*")]]
    paths = {PurePosixPath(name) for name in names if name}
    return sorted(path for path in paths if path.suffix in SOURCE_SUFFIXES and (root / path).is_file())


@cache
def layer_of(path: PurePosixPath) -> str | None:
    """Return the layer that a file of the repository belongs to, None outside the layers."""
    for top in (EXTENSIONS, PUBLIC, PurePosixPath("src")):
        if path.is_relative_to(top):
            parts = path.relative_to(top).parts
            return parts[0] if len(parts) > 1 else "capi"  # the umbrella headers include everything
    return None


def resolve(root: Path, source: PurePosixPath, name: str) -> PurePosixPath | None:
    """Return the file of the repository that an include names, None for a header of another library."""
    for base in (source.parent, PurePosixPath("include"), PurePosixPath("src")):
        candidate = (root / base / name).resolve()
        if candidate.is_file() and candidate.is_relative_to(root):
            return PurePosixPath(candidate.relative_to(root).as_posix())
    return None


def include_violation(source: PurePosixPath, name: str, target: PurePosixPath | None) -> str | None:
    """Return what is wrong with one include, None if nothing is."""
    if target is not None:
        is_outside = source.parts[0] in OUTSIDE_FOLDERS
        if target.parts[0] == "src" and (is_outside or source.is_relative_to(PUBLIC)):
            return f"includes the private header {name}"
        if target.is_relative_to(EXTENSIONS) and is_outside:
            return f"includes {name}, which is for formats and transports"
    layer = layer_of(source)
    if layer is None:
        return None
    if layer not in LAYERS:
        return f"the folder {layer} is no layer: add it to the list in scripts/check_house.py"
    if name == "mpi.h":
        return None if layer in MPI_LAYERS else f"the layer {layer} must not know MPI"
    below = layer_of(target) if target is not None else None
    if below is None or below not in LAYERS:
        return None
    if LAYERS.index(below) > LAYERS.index(layer):
        return f"the layer {layer} includes {name} of the higher layer {below}"
    if below in FORBIDDEN_BELOW.get(layer, set()):
        return f"the layer {layer} must not know {below}, but includes {name}"
    return None


def format_folders(path: PurePosixPath) -> tuple[str, ...] | None:
    """Return the folders of a file below those of the formats, None for other files."""
    return path.relative_to(FORMATS).parts[:-1] if path.is_relative_to(FORMATS) else None


def layout_violation(source: PurePosixPath, name: str, target: PurePosixPath | None) -> str | None:
    """Return what is wrong with one include inside the formats, None if nothing is."""
    own, other = format_folders(source), format_folders(target) if target is not None else None
    if own is None or not other or source == REGISTRY or other[0] in SHARED:
        return None
    if not own or own[0] in SHARED:
        return f"what all formats share includes {name} of one of them"
    if other[0] != own[0]:
        is_sound = own[0] not in CONTAINERS and other[0] in CONTAINERS
        return (
            None
            if is_sound
            else f"{own[0]} includes {name}: layouts include no layout, containers nothing else"
        )
    order = CONTAINERS.get(own[0], [])
    places = [order.index(one[1]) for one in (own, other) if len(one) > 1 and one[1] in order]
    if len(places) > 1 and places[1] > places[0]:
        return f"the folder {own[1]} includes {name} of the higher folder {other[1]}"
    return None


def floor_violations(root: Path, paths: list[PurePosixPath]) -> Iterator[str]:
    """Yield the headers of containers that reach too many floors of others of the same container."""
    below: dict[PurePosixPath, list[PurePosixPath]] = {}
    for path in paths:
        folders = format_folders(path)
        if not folders or folders[0] not in CONTAINERS or path.suffix != ".hpp":
            continue
        lines = (root / path).read_text().splitlines()
        targets = [resolve(root, path, found[1]) for line in lines if (found := INCLUDE.match(line))]
        container = FORMATS / folders[0]
        below[path] = [one for one in targets if one is not None and one.is_relative_to(container)]

    @cache
    def floors(path: PurePosixPath) -> int:
        return max((floors(one) + 1 for one in below.get(path, [])), default=0)

    for path in below:
        if (count := floors(path)) > MAXIMUM_FLOORS:
            yield f"{path}: includes {count} floors of headers, more than {MAXIMUM_FLOORS}"


@cache
def may_name_formats(path: PurePosixPath) -> bool:
    """Return whether a file may contain the names of formats."""
    return str(path) in FORMAT_FILES or any(path.is_relative_to(folder) for folder in FORMAT_FOLDERS)


def opens_unchecked(path: PurePosixPath, line: str) -> bool:
    """Return whether a line of the library opens an HDF5 file without the driver that checks it."""
    if OPENS_HDF5.search(line.split("//", 1)[0]) is None:
        return False
    return layer_of(path) is not None and str(path) != HDF5_DRIVER


def names_a_page(path: PurePosixPath, line: str) -> bool:
    """Return whether a text that users see names a page of docs/."""
    if path.suffix == ".py":
        return path.is_relative_to(PACKAGE) and PAGE_OF_DOCS.search(line) is not None
    return layer_of(path) is not None and PAGE_IN_LITERAL.search(line.split("//", 1)[0]) is not None


def public_functions(body: list[ast.stmt]) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, bool]]:
    """Yield the public functions of a module, and the methods of its public classes with True."""
    for item in body:
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
            if not item.name.startswith("_"):
                yield item, False
        elif isinstance(item, ast.ClassDef) and not item.name.startswith("_"):
            for inner, _ in public_functions([one for one in item.body if not is_constructor(one)]):
                yield inner, True
            yield from ((one, True) for one in item.body if is_constructor(one))


def is_constructor(item: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    """Return whether a statement of a class defines its constructor."""
    return isinstance(item, ast.FunctionDef) and item.name == "__init__"


def parameters_of(function: ast.FunctionDef | ast.AsyncFunctionDef, is_method: bool) -> int:
    """Return the number of parameters that a caller gives, without *args and **options."""
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    is_static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in function.decorator_list)
    return len(given) - (is_method and not is_static)


def long_calls(path: PurePosixPath, text: str) -> Iterator[str]:
    """Yield the public functions of the Python package that have too many parameters."""
    if path.suffix != ".py" or not path.is_relative_to(PACKAGE) or path.is_relative_to(COMMANDS):
        return
    try:
        module = ast.parse(text)
    except SyntaxError:
        return  # which ruff reports
    for function, is_method in public_functions(module.body):
        count = parameters_of(function, is_method)
        if count > MAXIMUM_PARAMETERS:
            yield (
                f"{path}:{function.lineno}: {function.name} has {count} parameters, more than "
                f"{MAXIMUM_PARAMETERS}: make an object with a meaning of some"
            )


def violations_of(root: Path, path: PurePosixPath) -> Iterator[str]:
    """Yield the violations of one file, each with its place."""
    text = (root / path).read_text(encoding="utf-8", errors="replace")
    lines = text.splitlines()
    yield from long_calls(path, text)
    if len(lines) > MAXIMUM_LINES:
        yield f"{path}: {len(lines)} lines, more than {MAXIMUM_LINES}"
    if not may_name_formats(path) and (found := FORMAT_NAME.search(str(path))):
        yield f"{path}: the format name '{found[0]}' in the name of a file outside the format folders"
    for number, line in enumerate(lines, start=1):
        include = INCLUDE.match(line) if path.suffix in INCLUDING_SUFFIXES else None
        if include:
            target = resolve(root, path, include[1])
            for check in (include_violation, layout_violation):
                if wrong := check(path, include[1], target):
                    yield f"{path}:{number}: {wrong}"
        if opens_unchecked(path, line):
            yield f"{path}:{number}: opens an HDF5 file past the driver that checks it: call open_image"
        if names_a_page(path, line):
            yield f"{path}:{number}: names a page of docs/, which users of the package do not have"
        if not may_name_formats(path) and (found := FORMAT_NAME.search(SPECIFICATION.sub("", line))):
            yield f"{path}:{number}: the format name '{found[0]}' outside the format folders"


@dataclass(frozen=True)
class Import:
    """One module that another one imports."""

    source: str
    target: str
    line: int
    for_types: bool
    """Only while types are checked: layers count, circles do not, since they never run."""
    is_public: bool
    """By a public name of `quire`."""


def module_of(path: PurePosixPath) -> str | None:
    """Return the name of a module of the Python package, None for other files."""
    if path.suffix != ".py" or not path.is_relative_to(PACKAGE):
        return None
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(("quire", *(parts[:-1] if parts[-1] == "__init__" else parts)))


def python_layer(module: str) -> int | None:
    """Return the place of a module in the order of layers, None for one that is in no layer."""
    top = module.split(".")[1] if "." in module else ""
    return next((place for place, names in enumerate(PYTHON_LAYERS) if top in names), None)


class ImportReader(ast.NodeVisitor):
    """Reads the imports of one module, at the top, inside functions and for types."""

    def __init__(self, source: str, modules: set[str], homes: Mapping[str, str]) -> None:
        self.found: list[Import] = []
        self._source = source
        self._modules = modules
        self._homes = homes
        self._for_types = False
        self._face = ""
        """What `import quire` calls it; empty without it."""
        self._face_for_types = False

    def visit_If(self, node: ast.If) -> None:
        """Mark what is imported for types."""
        before = self._for_types
        self._for_types = before or "TYPE_CHECKING" in ast.dump(node.test)
        for one in node.body:
            self.visit(one)
        self._for_types = before
        for one in node.orelse:
            self.visit(one)

    def visit_Import(self, node: ast.Import) -> None:
        """Note `import quire.NAME`; `import quire` counts where its names are used."""
        for alias in node.names:
            if alias.name == "quire":
                self._face = alias.asname or alias.name
                self._face_for_types = self._for_types
            elif alias.name.startswith("quire."):
                self._note("", alias.name, node.lineno, self._for_types)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Note `from quire.NAME import NAME`."""
        origin = node.module or ""
        if node.level:
            self.found.append(Import(self._source, RELATIVE, node.lineno, self._for_types, False))
        elif origin.split(".")[0] == "quire":
            for alias in node.names:
                self._note(origin, alias.name, node.lineno, self._for_types)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Note `quire.NAME`."""
        if isinstance(node.value, ast.Name) and node.value.id == self._face:
            self._note("quire", node.attr, node.lineno, self._face_for_types)
        self.generic_visit(node)

    def _note(self, origin: str, name: str, line: int, for_types: bool) -> None:
        """Note a name, which may be a module itself or, of `quire`, the name of another module."""
        inner = f"{origin}.{name}".lstrip(".")
        is_public = origin == "quire" and name in self._homes
        target = self._homes[name] if is_public else inner if inner in self._modules else origin or inner
        self.found.append(Import(self._source, target, line, for_types, is_public))


def homes_of_names(tree: ast.Module) -> dict[str, str]:
    """Return the module of each public name, as `quire/__init__.py` imports it for types."""
    origins = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return {alias.name: str(node.module) for node in origins for alias in node.names}


def python_imports(root: Path, paths: list[PurePosixPath]) -> dict[PurePosixPath, list[Import]]:
    """Return the imports of each module of the Python package."""
    modules = {path: name for path in paths if (name := module_of(path)) is not None}
    trees = {path: ast.parse((root / path).read_text(encoding="utf-8")) for path in modules}
    face = trees.get(PACKAGE / "__init__.py")
    homes = homes_of_names(face) if face is not None else {}
    known = {*modules.values(), "quire._core"}
    found = {}
    for path, name in modules.items():
        reader = ImportReader(name, known, {} if name == "quire" else homes)
        reader.visit(trees[path])
        found[path] = list(dict.fromkeys(reader.found))
    return found


def import_violation(found: Import) -> str | None:
    """Return what is wrong with one import, None if nothing is."""
    layer, below = python_layer(found.source), python_layer(found.target)
    if found.target == RELATIVE:
        return "imports relatively: name the module"
    if layer is None or below is None:
        return None  # said once, of the module itself
    if below > layer:
        return f"{found.source} imports {found.target} of a higher layer"
    for (above, forbidden), folder in PYTHON_FORBIDDEN.items():
        is_forbidden = above in PYTHON_LAYERS[layer] and forbidden in PYTHON_LAYERS[below]
        if is_forbidden and not found.is_public and not found.source.startswith(folder):
            return f"{found.source} must not know {found.target}"
    return None


def circles(imports: list[Import]) -> list[list[str]]:
    """Return shortest circles of modules that import each other when they run, no module in two of them."""
    targets: dict[str, set[str]] = {}
    for one in imports:
        if not one.for_types and one.target != one.source:
            targets.setdefault(one.source, set()).add(one.target)
    found: list[list[str]] = []
    seen: set[str] = set()
    for start in sorted(targets):
        if start in seen:
            continue
        ways = [[start]]
        reached: set[str] = set()
        while ways:
            way = ways.pop(0)
            if start in targets.get(way[-1], set()):
                found.append([*way, start])
                seen.update(way)
                break
            for target in sorted(targets.get(way[-1], set()) - reached - seen):
                reached.add(target)
                ways.append([*way, target])
    return found


def python_violations(root: Path, paths: list[PurePosixPath]) -> Iterator[str]:
    """Yield the violations of the law of layers in the Python package, each with its place."""
    imports = python_imports(root, paths)
    for path, found in imports.items():
        name = module_of(path)
        if name is not None and python_layer(name) is None:
            yield f"{path}: {name} is in no layer: add it to the list in scripts/check_house.py"
        for one in found:
            if wrong := import_violation(one):
                yield f"{path}:{one.line}: {wrong}"
    for circle in circles([one for found in imports.values() for one in found]):
        yield f"{PACKAGE}: modules import each other in a circle: {' -> '.join(circle)}"


def main(arguments: list[str]) -> int:
    """Check the repository, or the tree that is named."""
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent).resolve()
    files = source_files(root)
    if not files:
        print(f"{root}: no source file found")
        return 1
    found = [violation for path in files for violation in violations_of(root, path)]
    found += floor_violations(root, files)
    found += python_violations(root, files)
    shown = found[:MAXIMUM_SHOWN]
    if len(found) > len(shown):
        shown.append(f"and {len(found) - len(shown)} more")
    print("\n".join([*shown, f"house rules: {len(files)} files, {len(found)} violations"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
