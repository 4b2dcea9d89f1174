"""Pages of the Python package, from its docstrings."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pkgutil import iter_modules
from typing import Any

from quire.io.habits import Hinting

FOLDER = "reference/python"
MODULES = {
    "quire.toolkit.convert": "Copy and convert",
    "quire.toolkit.filter": "Filter rows",
    "quire.toolkit.define": "Define columns",
    "quire.toolkit.thin": "Thin rows",
    "quire.toolkit.split": "Split files",
    "quire.toolkit.concat": "Join files",
    "quire.toolkit.difference": "Compare files",
    "quire.toolkit.checksum": "Checksums",
    "quire.toolkit.recover": "Recover files",
    "quire.toolkit.beam": "Beams",
    "quire.toolkit.statistics": "Statistics",
    "quire.toolkit.conventions": "Conventions",
    "quire.toolkit.binning": "Distributions",
    "quire.toolkit.text_import": "Import text",
    "quire.toolkit.text_export": "Export text",
    "quire.toolkit.picture": "Plots",
    "quire.toolkit.look": "Looks of plots",
}
"""Modules of the toolkit with pages of their own; docs/commands.md lists what each is for."""
HELPERS = ("errors", "kinds", "near", "sizes", "starters")
"""Modules next to `quire` that are no interfaces."""

LONGEST_LINE = 88
PARAMETER = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*) : ")


def docstring(thing: Any) -> str:
    """Return a docstring as Markdown: parameters as a list, sessions as blocks."""
    lines: list[str] = []
    in_session = False
    for line in (inspect.getdoc(thing) or "").splitlines():
        starts = line.startswith(">>>")
        if in_session and not line.strip():
            lines.append("```")
            in_session = False
        elif starts and not in_session:
            lines += ["", "```pycon"]
            in_session = True
        if re.fullmatch(r"-{3,}", line) and lines:
            lines[-1] = f"**{lines[-1]}**\n"
        elif not in_session and (found := PARAMETER.match(line)):
            lines.append(f"- `{found[1]}`: {plain(line[found.end() :])}")
        else:
            lines.append(line if in_session else plain(line))
    return "\n".join([*lines, "```"] if in_session else lines)


def plain(line: str) -> str:
    """Return a line of prose in which nothing but code is markup."""
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(part if part.startswith("`") else re.sub(r"([*<\[\]|$])", r"\\\1", part) for part in parts)


def signature(name: str, thing: Any) -> str:
    """Return the signature of a function, a parameter on each line if it is long."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    text = re.sub(r"'([^']*)'", r"\1", f"{name}{found}") if "->" in str(found) else f"{name}{found}"
    if len(text) <= LONGEST_LINE:
        return text
    inside = [re.sub(r"'([^']*)'", r"\1", str(one), count=1) for one in found.parameters.values()]
    return f"{name}(\n    " + ",\n    ".join(inside) + ",\n)"


def members(thing: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties of a class that have a docstring."""
    for base in thing.__mro__:
        if base.__module__.partition(".")[0] != "quire":
            continue
        for name, one in vars(base).items():
            held = one.fget if isinstance(one, property) else getattr(one, "__func__", one)
            shown = not name.startswith("_") or name in ("__getitem__", "__len__", "__iter__", "__contains__")
            if shown and inspect.isfunction(held) and held.__doc__ and getattr(thing, name, None) is not None:
                yield name, one


def described(name: str, thing: Any, level: str) -> list[str]:
    """Return the parts of a page about a function or a class."""
    if not inspect.isclass(thing):
        return [f"{level} `{name}`", f"```python\n{signature(name, thing)}\n```", docstring(thing)]
    bases = [base.__name__ for base in thing.__bases__ if base not in (object, Hinting)]
    parts = [f"{level} `{name}`", f"```python\nclass {name}({', '.join(bases)})\n```", docstring(thing)]
    seen: set[str] = set()
    for member, one in members(thing):
        if member in seen:
            continue
        seen.add(member)
        title = f"{level}# `{name}.{member}`"
        if isinstance(one, property):
            parts += [title, docstring(one)]
        else:
            held = getattr(one, "__func__", one)
            parts += [title, f"```python\n{signature(member, held)}\n```", docstring(held)]
    return parts


def public_names(module: Any) -> list[str]:
    """Return the names that a module defines for its users."""
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_")
        and (inspect.isfunction(thing) or inspect.isclass(thing))
        and thing.__module__ == module.__name__
        and thing.__doc__
    ]


def python_pages() -> dict[str, str]:
    """Return the pages by their paths: functions, each class, errors, and modules."""
    import quire

    things = {name: getattr(quire, name) for name in quire.__all__ if not name.startswith("__")}
    errors = [name for name, one in things.items() if inspect.isclass(one) and issubclass(one, Exception)]
    classes = [name for name, one in things.items() if inspect.isclass(one) and name not in errors]
    functions = [name for name, one in things.items() if inspect.isroutine(one)]
    pages = {
        "functions": page("Functions", "The functions of `quire`.", functions, things),
        **{f"class-{name}": "\n\n".join(described(name, things[name], "#")) + "\n" for name in classes},
        "errors": page("Errors", "The exceptions of `quire`.", errors, things),
    }
    faces = {f"quire.{one.name}": one.name for one in iter_modules(quire.__path__)
             if not one.ispkg and not one.name.startswith("_") and one.name not in HELPERS}  # fmt: skip
    for module_name, title in {**faces, **MODULES}.items():
        module = importlib.import_module(module_name)
        names = public_names(module)
        held = {name: getattr(module, name) for name in names}
        pages[module_name] = page(f"{title}: {module_name}", docstring(module), names, held)
    return {f"{FOLDER}/{name}.md": text for name, text in pages.items()}


def page(title: str, about: str, names: list[str], things: dict[str, Any]) -> str:
    """Return a page of several names."""
    parts = [f"# {title}", about]
    for name in names:
        parts += described(name, things[name], "##")
    return "\n\n".join(parts) + "\n"
