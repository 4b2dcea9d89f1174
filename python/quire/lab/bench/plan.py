"""A plan lists factors; it is expanded to a list of cells, which each pass runs in a random order."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

from quire.errors import MissingFileError, UsageError
from quire.io.formats import format_info
from quire.lab.bench.cells import (
    CACHES,
    ENGINES,
    OPERATIONS,
    RAW_ENGINES,
    Cell,
    Method,
    is_read,
    option_text,
)
from quire.lab.bench.plan_types import check_types
from quire.lab.bench.targets import Target, targets_of
from quire.lab.workloads import check_workload, grown, make_workload, one_of, payload_of, scaled

MODES = ("in-process", "launch", "repeated")
"""What one launch of the driver runs: a pass, a cell, or several passes of cells of one case."""
MEMORIES = ("aligned",)
CALLS = {"call": ("write_file",), "commit": ("async", "borrow")}
"""Options for the calls of the library: `call` by which files of one step are written, instead of create,
commit and close; `commit` in the background, of arrays that are copied or borrowed.
"""
SCALINGS = ("strong", "weak")
QUANTITIES = ("time", "rate")
DEFAULT_LIMITS = {"bytes": 20_000_000_000, "files": 100_000, "seconds": 3600}
PLAN_KEYS = {
    "title", "about", "seed", "passes", "mode", "scale", "ranks", "operations", "caches", "readers",
    "scaling", "quantity", "baselines", "limits", "method", "case", "target",
}  # fmt: skip
METHOD_KEYS = {
    "name",
    "engine",
    "format",
    "transport",
    "transfer",
    "options",
    "vary",
    "fault",
    "least_ranks",
    "to",
    "of",
    "memory",
}
SHARING = ("imbalance", "distribution", "content", "seed")
"""The keys of a case with a file."""
CASE_FACTORS = ("ranks", "operations", "caches", "readers", "scaling", "methods", "scaled", "peak")


@dataclass(frozen=True)
class Plan:
    """An experiment: what is measured, how often, and within which limits.

    `quantity` is what the figures show; times or rates. `baselines` are the methods that all others are
    compared with. A plan with `targets` has no cells but those that they compare.
    """

    title: str
    cells: Sequence[Cell]
    seed: int = 42
    passes: int = 10
    mode: str = "in-process"
    quantity: str = "time"
    baselines: Sequence[str] = ()
    limits: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_LIMITS))
    about: str = ""
    scale: float = 1.0
    targets: Sequence[Target] = ()

    @property
    def world(self) -> int:
        """Independent. The maximum of ranks of all cells."""
        return max(cell.world for cell in self.cells)

    @property
    def largest_payload(self) -> int:
        """Independent. Bytes of values of the largest cell."""
        return max(payload_of(cell.workload) for cell in self.cells)

    @property
    def fingerprint(self) -> str:
        """Independent. Equal for plans of the same cells in the same orders; passes may be added."""
        content = json.dumps([self.seed, self.mode, [cell.as_json() for cell in self.cells]], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def order(self, number: int) -> list[Cell]:
        """Independent. All cells in the order of a pass, which depends only on the seed and its number."""
        cells = sorted(self.cells, key=lambda cell: cell.id)
        random.Random(f"{self.seed} {number}").shuffle(cells)
        return cells

    def as_json(self) -> dict[str, Any]:
        """Independent. The part that is stored in the results."""
        return {
            "title": self.title,
            "about": self.about,
            "seed": self.seed,
            "passes": self.passes,
            "mode": self.mode,
            "scale": self.scale,
            "quantity": self.quantity,
            "baselines": list(self.baselines),
            "limits": dict(self.limits),
            "fingerprint": self.fingerprint,
            **({"targets": [target.as_json() for target in self.targets]} if self.targets else {}),
            "cells": [cell.as_json() for cell in self.cells],
        }


@dataclass(frozen=True)
class Changes:
    """Settings of the command line; None keeps the value of the plan."""

    scale: float | None = None
    ranks: Sequence[int] | None = None
    passes: int | None = None
    seed: int | None = None
    mode: str | None = None
    operations: Sequence[str] | None = None
    methods: Sequence[str] | None = None
    targets: Sequence[str] | None = None
    place: str | None = None
    """Only targets for this kind of file system."""
    limits: Mapping[str, float] = field(default_factory=dict)
    files: Sequence[str] = ()
    """Files of the user, whose sizes replace the workloads of the plan."""


def presets() -> dict[str, str]:
    """Independent. The names and titles of the presets."""
    folder = resources.files("quire.lab.bench") / "presets"
    found = {one.name.removesuffix(".toml"): one for one in folder.iterdir() if one.name.endswith(".toml")}
    return {
        name: str(tomllib.loads(found[name].read_text(encoding="utf-8"))["about"]) for name in sorted(found)
    }


def read_preset(name: str) -> dict[str, Any]:
    """Independent. The content of a preset. Raises UsageError."""
    if name not in presets():
        raise UsageError(f"there is no preset '{name}'", advice=f"one of {', '.join(presets())}")
    folder = resources.files("quire.lab.bench") / "presets"
    return tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))


def read_plan(path: str | Path) -> dict[str, Any]:
    """Independent. The content of a plan file. Raises UsageError if it is not TOML."""
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingFileError("there is no such plan", file=str(path)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise UsageError(f"is not a plan: {problem}", file=str(path)) from None


def make_plan(content: Mapping[str, Any], changes: Changes | None = None) -> Plan:
    """Independent. Expand a plan file with the settings of the command line. Raises UsageError."""
    changes = Changes() if changes is None else changes
    require_known(content, PLAN_KEYS, "plan")
    check_types(content, "plan")
    methods = [method for one in content.get("method", []) for method in expand_method(one)]
    methods = with_baselines(methods, changes.methods)
    scale = float(changes.scale if changes.scale is not None else content.get("scale", 1.0))
    cells = [cell for case in cases_of(content, changes) for cell in expand_case(case, methods, scale)]
    targets = targets_of(content, changes.targets, changes.place)
    if targets:
        cells = [cell for cell in cells if any(target.needs(cell) for target in targets)]
    require_different([cell.id for cell in cells])
    limits = {**DEFAULT_LIMITS, **content.get("limits", {}), **changes.limits}
    require_known(limits, set(DEFAULT_LIMITS), "table of limits")
    plan = Plan(
        title=str(content.get("title", "benchmark")),
        cells=cells,
        seed=int(changes.seed if changes.seed is not None else content.get("seed", 42)),
        passes=int(changes.passes if changes.passes is not None else content.get("passes", 10)),
        mode=one_of(str(changes.mode or content.get("mode", "in-process")), MODES, "mode"),
        quantity=one_of(str(content.get("quantity", "time")), QUANTITIES, "quantity"),
        baselines=baselines_of(content, methods),
        limits=limits,
        about=str(content.get("about", "")),
        scale=scale,
        targets=targets,
    )
    if plan.passes < 1:
        raise UsageError("a plan has at least one pass")
    return plan


def with_baselines(methods: Sequence[Method], chosen: Sequence[str] | None) -> list[Method]:
    """Independent. The methods chosen by name, and both raw ones, which every plan measures."""
    kept = list(methods)
    if chosen is not None:
        names = [method.name for method in methods]
        if unknown := [name for name in chosen if name not in names]:
            raise UsageError(f"the plan has no method '{unknown[0]}'", advice=f"one of {'; '.join(names)}")
        kept = [one for one in methods if one.name in chosen or one.engine in RAW_ENGINES]
    engines = {method.engine for method in kept}
    missing = [Method(engine.replace("-", " "), engine) for engine in RAW_ENGINES if engine not in engines]
    names = [method.name for method in (*missing, *kept)]
    require_different(names)
    return [*missing, *kept]


def baselines_of(content: Mapping[str, Any], methods: Sequence[Method]) -> list[str]:
    """Independent. The methods of the plan, or all raw methods."""
    given = content.get("baselines")
    if given is None:
        return [one.name for one in methods if one.engine in RAW_ENGINES]
    names = [method.name for method in methods]
    return [one_of(str(name), tuple(names), "method") for name in given]


def expand_method(given: Mapping[str, Any]) -> Iterator[Method]:
    """Independent. The method of a plan, or one for each combination of the options that it varies."""
    require_known(given, METHOD_KEYS, "method")
    check_types(given, "method")
    name = str(given.get("name", ""))
    if not name or "/" in name:
        raise UsageError("a method needs a name without /")
    engine = one_of(str(given.get("engine", "library")), ENGINES, "engine")
    options = {key: option_text(value) for key, value in given.get("options", {}).items()}
    method = Method(
        name,
        engine,
        str(given.get("format", "")),
        str(given.get("transport", "")),
        str(given.get("transfer", "")),
        options,
        given.get("fault"),
        positive([given.get("least_ranks", 1)])[0],
        str(given.get("to", "")),
        str(given.get("of", "")),
        str(given.get("memory", "")),
    )
    if method.memory:
        one_of(method.memory, MEMORIES, "memory")
    if engine == "library" and not method.format:
        raise UsageError("a method of the library needs a format", object=name)
    if method.format:
        format_info(method.format)
    varied: Mapping[str, Sequence[Any]] = given.get("vary", {})
    for values in itertools.product(*varied.values()):
        chosen = {key: option_text(value) for key, value in zip(varied, values, strict=True)}
        suffix = "".join(f" {key}={value}" for key, value in chosen.items())
        all_options = {**options, **chosen}
        for key, known in CALLS.items():
            if key in all_options:
                one_of(all_options[key], known, f"{key} of a method")
        yield replace(method, name=name + suffix, options=all_options)


def cases_of(content: Mapping[str, Any], changes: Changes) -> Iterator[dict[str, Any]]:
    """Independent. The cases of a plan, each with all factors: its own, of the plan, or defaults."""
    cases: list[Mapping[str, Any]] = list(content.get("case", []))
    if changes.files:
        cases = [{"file": path} for path in changes.files]
    if not cases:
        raise UsageError("the plan has no case")
    usual: dict[str, Any] = {
        "ranks": [1],
        "operations": ["write", "read"],
        "caches": ["warm"],
        "readers": ["half"],
        "scaling": "strong",
    }
    shared = {key: content.get(key, value) for key, value in usual.items()}
    for case in cases:
        check_types(case, "case")
        made = {**shared, "methods": None, **case}
        if changes.ranks is not None:
            made["ranks"] = list(changes.ranks)
        if changes.operations is not None:
            made["operations"] = list(changes.operations)
        yield made


def workloads_of_case(case: Mapping[str, Any], scale: float) -> Iterator[tuple[str, dict[str, Any]]]:
    """Independent. Scaling and workload of a case. A file of the user keeps its size except for `share`."""
    given = {key: value for key, value in case.items() if key not in CASE_FACTORS}
    if "file" in given:
        from quire.lab.bench.own_file import workload_of_file

        require_known(given, {"file", "name", "share", *SHARING}, "case of a file")
        workload = workload_of_file(str(given["file"]), str(given.get("name", "")))
        workload = scaled(shared_as(workload, given), float(given.get("share", 1.0)))
    else:
        workload = make_workload(given)
        workload = scaled(workload, scale) if case.get("scaled", True) else workload
    scalings = [case["scaling"]] if isinstance(case["scaling"], str) else case["scaling"]
    for scaling in scalings:
        one_of(str(scaling), SCALINGS, "scaling")
        suffix = " (weak)" if scaling == "weak" else ""
        yield str(scaling), {**workload, "name": f"{workload['name']}{suffix}"}


def shared_as(workload: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Independent. The workload of a file, divided among ranks in another way than by its writers. Raises
    UsageError.
    """
    made = {**workload, **{key: given[key] for key in SHARING if key in given}}
    if made["imbalance"] != "given":
        made.pop("shares", None)
    check_workload(made)
    return made


def expand_case(case: Mapping[str, Any], methods: Sequence[Method], scale: float) -> Iterator[Cell]:
    """Independent. All cells of a case."""
    names = tuple(method.name for method in methods)
    wanted = None if case["methods"] is None else [one_of(str(n), names, "method") for n in case["methods"]]
    chosen = [one for one in methods if wanted is None or one.name in wanted or one.engine in RAW_ENGINES]
    for scaling, workload in workloads_of_case(case, scale):
        for ranks in positive(case["ranks"]):
            sized = grown(workload, ranks) if scaling == "weak" else workload
            for operation in case["operations"]:
                one_of(str(operation), OPERATIONS, "operation")
                for readers, cache in variants(case, str(operation), ranks):
                    for method in chosen:
                        if can(method, str(operation), ranks):
                            cell = Cell(method, str(operation), sized, ranks, readers, cache)
                            target = named(method.to, methods) if operation == "convert" else None
                            maker = named(method.of, methods)
                            yield replace(
                                cell, fault=method.fault, to=target, maker=maker, peak=bool(case.get("peak"))
                            )


def can(method: Method, operation: str, ranks: int) -> bool:
    """Independent. Whether a method makes sense for an operation on so many ranks."""
    if ranks < method.least_ranks or (operation == "convert" and not method.to):
        return False
    return not method.of or is_read(operation)


def named(name: str, methods: Sequence[Method]) -> Method | None:
    """Independent. The method of that name; None without a name. Raises UsageError."""
    if not name:
        return None
    one_of(name, tuple(one.name for one in methods), "method")
    return next(one for one in methods if one.name == name)


def variants(case: Mapping[str, Any], operation: str, ranks: int) -> list[tuple[int, str]]:
    """Independent. How many ranks read, and from which cache, for an operation of a case."""
    if not is_read(operation):
        return [(ranks, "none")]
    caches = [one_of(str(cache), CACHES, "state of the cache") for cache in case["caches"]]
    if ranks == 1 or operation == "read-other":
        # No other rank has written, or the writer of a byte is unknown.
        caches = [cache for cache in caches if cache != "shifted"]
    readers = [ranks]
    if operation == "read-other":
        counts = {other_ranks(text, ranks) for text in case["readers"]} - {ranks}
        readers = sorted(counts)
    return list(itertools.product(readers, caches))


def other_ranks(text: Any, ranks: int) -> int:
    """Independent. A number of reading ranks: given, `half` or `double`."""
    if text in ("half", "double"):
        return max(1, ranks // 2) if text == "half" else 2 * ranks
    return positive([text])[0]


def positive(numbers: Sequence[Any]) -> list[int]:
    """Independent. The numbers. Raises UsageError unless they are positive integers."""
    if any(isinstance(one, bool) or not isinstance(one, int) or one < 1 for one in numbers) or not numbers:
        raise UsageError("numbers of ranks are integers from 1")
    return list(numbers)


def require_known(given: Mapping[str, Any], known: set[str], what: str) -> None:
    """Independent. Raises UsageError for an unknown key."""
    if unknown := sorted(set(given) - known):
        raise UsageError(f"a {what} has no '{unknown[0]}'", advice=f"one of {', '.join(sorted(known))}")


def require_different(names: Sequence[str]) -> None:
    """Independent. Raises UsageError if two are equal, or if there are none."""
    if not names:
        raise UsageError("the plan has nothing to measure")
    twice = [name for name in names if names.count(name) > 1] if len(set(names)) < len(names) else []
    if twice:
        raise UsageError(f"the plan has '{twice[0]}' twice")
