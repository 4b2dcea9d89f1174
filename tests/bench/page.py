"""The tables of a report with their numbers, read from its HTML alone."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

XHTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"


@dataclass
class Row:
    """A line of a table: its subject, and its numbers by name."""

    about: dict[str, str]
    numbers: dict[str, float] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)


class Page:
    """A page that is well-formed XML."""

    def __init__(self, path: Path) -> None:
        """Read the page; raise if it is not well-formed XML."""
        self.text = path.read_text(encoding="utf-8")
        self.root = ElementTree.fromstring(self.text.removeprefix("<!DOCTYPE html>"))

    def rows(self, kind: str) -> list[Row]:
        """Return the lines of this kind of all tables."""
        found = []
        for element in self.root.iter(f"{XHTML}tr"):
            if element.get("data-kind") != kind:
                continue
            about = {key.removeprefix("data-"): value for key, value in element.attrib.items()}
            row = Row(about)
            for cell in element.iter(f"{XHTML}td"):
                name, value = cell.get("data-name"), cell.get("data-value")
                if name and value:
                    row.numbers[name] = float(value)
                    row.texts[name] = cell.text or ""
            found.append(row)
        return found

    def figures(self) -> list[ElementTree.Element]:
        """Return the pictures."""
        return list(self.root.iter(f"{SVG}svg"))

    def titles(self) -> list[str]:
        """Return the tooltips of the marks in figures."""
        return [element.text or "" for element in self.root.iter(f"{SVG}title")]

    def numbers(self) -> Any:
        """Return the numbers in the machine-readable part."""
        (script,) = [one for one in self.root.iter(f"{XHTML}script") if one.get("id") == "numbers"]
        return json.loads(script.text or "")

    def references(self) -> list[str]:
        """Return every reference to something outside the page."""
        found = re.findall(r"""(?:src|href|srcset|data|action|poster)\s*=\s*["']([^"'#][^"']*)""", self.text)
        found += re.findall(r"url\((?!#)([^)]*)\)|@import", self.text)
        return [one for one in found if one]
