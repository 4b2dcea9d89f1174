"""The rules of `known.toml` about MPI libraries and file systems."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from quire.lab.doctor.record import FileSystem, Finding

Version = tuple[int, ...]


@dataclass(frozen=True)
class Library:
    """The name of an MPI library, and its properties."""

    name: str
    pattern: str
    components: list[str] = field(default_factory=list)
    """Implementations of MPI-IO that an environment variable selects."""
    component_variable: str = ""
    romio: str = ""
    """The value of that variable for ROMIO, whose hints are tested."""
    other_component: str = "other"
    """The implementation other than ROMIO."""
    environment: dict[str, str] = field(default_factory=dict)
    """The settings for starting ranks: as any user, and with more ranks than cores."""


@dataclass(frozen=True)
class HintSet:
    """Hints that are tested together."""

    name: str
    hints: str
    calls: list[str]


@functools.cache
def rules() -> dict[str, Any]:
    """Independent. The whole table."""
    return tomllib.loads(resources.files("quire.lab.doctor").joinpath("known.toml").read_text())


def libraries() -> list[Library]:
    """Independent. The known MPI libraries."""
    return [Library(**one) for one in rules()["library"]]


def hint_sets() -> list[HintSet]:
    """Independent. The hints to test."""
    return [HintSet(**one) for one in rules()["hints"]]


def identify(text: str) -> tuple[Library, str]:
    """Independent. The library and its version from its version text; without a name if unknown."""
    for library in libraries():
        found = re.search(library.pattern, text)
        if found:
            return library, found[1]
    return Library(name="", pattern=""), ""


def start_environment() -> dict[str, str]:
    """Independent. The settings of all libraries for starting ranks; each ignores those of the others."""
    return {name: value for library in libraries() for name, value in library.environment.items()}


def parse_version(text: str) -> Version:
    """Independent. `4.1.4rc1` as (4, 1, 4)."""
    return tuple(int(part) for part in re.findall(r"\d+", text.split("rc")[0].split("-")[0]))


def is_within(version: str, span: str) -> bool:
    """Independent. Whether a version lies in `a to b`, both inclusive."""
    first, _, last = span.partition(" to ")
    low, own, high = (parse_version(text) for text in (first, version, last))
    width = max(len(low), len(own), len(high))
    low, own, high = (one + (0,) * (width - len(one)) for one in (low, own, high))
    return low <= own <= high


def named(rule: dict[str, Any]) -> str:
    """Independent. The component that a rule about a version concerns, in a sentence; empty for all of it."""
    return f" ({rule['component']})" if "component" in rule else ""


def version_findings(library: str, version: str, component: str) -> list[Finding]:
    """Independent. What is known about a version, and about `component` if that is what opens its files;
    severities are those of the table.
    """
    return [
        Finding(
            rule["severity"],
            f"{library} {version}{named(rule)}: {rule['text']}",
            rule["advice"],
            rule["source"],
        )
        for rule in rules()["version"]
        if rule["library"] == library
        and rule.get("component", component) == component
        and version
        and any(is_within(version, span) for span in rule["versions"])
    ]


def file_system_findings(where: FileSystem) -> list[Finding]:
    """Independent. What is known about a file system as it is mounted."""
    options = {option.partition("=")[0] for option in where.options.split(",")}
    found = []
    for rule in rules()["file_system"]:
        if where.type.rstrip("0123456789") != rule["type"]:
            continue
        if rule.get("with_option", "") and rule["with_option"] not in options:
            continue
        if rule.get("without_option", "") in options:
            continue
        found.append(
            Finding(rule["severity"], f"{where.type}: {rule['text']}", rule["advice"], rule["source"])
        )
    return found
