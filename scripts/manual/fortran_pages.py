"""Pages of the Fortran module, from the comments of its sources.

Comments begin with `!>` and are before what they describe, or with `!<` after a component. Programs call
procedures by the names of their types and interfaces, so each is listed under these. Procedures that differ
only in the kind of their values are written once, in a template.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

PAGES = {
    "quire.f90": "Files",
    "base.f90": "Errors, options and handles",
    "writing.f90": "Writing",
    "reading.f90": "Reading",
    "elements.f90": "Elements",
    "streams.f90": "Streams",
    "formats.f90": "Formats",
}
"""The sources that programs use, and the titles of their pages."""
INCLUDED = re.compile(r'^\s*include "(\w+)_kinds\.inc"$', re.MULTILINE)
KIND = "@kind@"
VALUES = "values_of_any_kind"
"""What takes the place of the type of values in a template."""
SAME_KIND = "`values_of_any_kind`: real32, real64, int32 or int64."
SAME_KIND_OR_TEXT = "`values_of_any_kind`: real32, real64, int32, int64 or character."
BEGIN = re.compile(
    r"^  (?:pure |elemental )*(?P<type>[\w()=*]+ )?(?P<what>subroutine|function) (?P<name>[\w@]+)"
    r"\((?P<arguments>.*?)\)(?P<rest>.*)$"
)
TYPE = re.compile(r"^  type[\w(), ]* :: (\w+)$")


@dataclass
class Entry:
    """What a comment describes, under the name by which programs know it."""

    name: str
    comment: list[str]
    lines: list[str] = field(default_factory=list)


def joined(text: str) -> list[str]:
    """Return the lines of a source, those that are continued as one."""
    return re.sub(r" *&\n *&? *", " ", text).splitlines()


def source_of(path: Path) -> str:
    """Return the text of a source with the template of its procedures in their place."""

    def template(found: re.Match[str]) -> str:
        text = path.with_name(f"{found[1]}_kind.f90.in").read_text(encoding="utf-8")
        return text.replace("@type@", VALUES)

    return INCLUDED.sub(template, path.read_text(encoding="utf-8"))


def public_names(module: str) -> set[str]:
    """Return the names that programs may use, from the source of the module."""
    listed = re.findall(r"^  public :: (.*)$", module, re.MULTILINE)
    return {"quire_handle", *(name for line in listed for name in re.split(r",\s*", line))}


def names_of(text: str) -> dict[str, list[str]]:
    """Return the names by which programs call each procedure."""
    called: dict[str, list[str]] = {}
    owner = interface = ""
    for line in joined(text):
        words = line.strip()
        if found := TYPE.match(line):
            owner = found[1]
        elif words.startswith("end type"):
            owner = ""
        elif found := re.match(r"interface (\w+)$", words):
            interface = found[1]
        elif words.startswith("end interface"):
            interface = ""
        elif interface and (found := re.match(r"module procedure (.*)", words)):
            for one in re.split(r",\s*", found[1]):
                called.setdefault(one, []).append(interface)
        elif owner and (found := re.match(r"generic :: (\w+) => (.*)", words)):
            for one in re.split(r",\s*", found[2]):
                called.setdefault(one, []).append(f"{owner}%{found[1]}")
        elif owner and (found := re.match(r"procedure :: (\w+)(?: => (\w+))?$", words)):
            called.setdefault(found[2] or found[1], []).append(f"{owner}%{found[1]}")
    return called


def declarations(lines: list[str], begin: int, result: str) -> list[str]:
    """Return the declarations of the arguments of a procedure, and of its result."""
    found = []
    for line in lines[begin:]:
        words = line.strip()
        is_argument = re.search(r"intent\((?:in|out|inout)\)|^procedure\(", words)
        is_result = result and re.search(rf":: {result}\b", words)
        if (is_argument or is_result) and not re.search(r":: self\b", words):
            found.append(f"  {words}")
        elif words.startswith(("end ", "call ")) or re.match(r"\w+ = ", words):
            break
    return found


def procedure(found: re.Match[str], lines: list[str], number: int, name: str) -> list[str]:
    """Return the first line of a procedure as programs see it, and its declarations."""
    arguments = [one for one in re.split(r",\s*", found["arguments"]) if one != "self"]
    rest = found["rest"].strip()
    result = re.search(r"result\((\w+)\)", rest)
    kind = f"{found['type'] or ''}{found['what']}"
    head = f"{kind} {name.partition('%')[2] or name}({', '.join(arguments)}) {rest}".rstrip()
    return [head, *declarations(lines, number + 1, result[1] if result else "")]


def entries_of(text: str, public: set[str]) -> Iterator[Entry]:
    """Yield what the comments of a module describe, in their order; nothing that programs do not see."""
    called = names_of(text)
    lines = joined(text)
    comment: list[str] = []
    for number, line in enumerate(lines):
        if found := re.match(r"  !> ?(.*)", line):
            comment.append(found[1])
            continue
        if comment and (found := BEGIN.match(line)):
            specific = found["name"]
            names = called.get(specific.replace(KIND, "real32"), [])
            names = names or ([specific] if specific in public else [])
            for name in names:
                if name.partition("%")[0] not in public:
                    continue
                yield Entry(name, comment, procedure(found, lines, number, name))
        elif comment and (found := TYPE.match(line)) and found[1] in public:
            yield Entry(found[1], comment, components(lines, number))
        elif comment and re.match(r"  enum, bind", line):
            yield Entry("", comment, enumerators(lines, number))
        comment = []


def components(lines: list[str], begin: int) -> list[str]:
    """Return a type with its components, without procedures."""
    found = []
    for line in lines[begin:]:
        if line.strip() in ("contains", "private") or line.strip().startswith("end type"):
            break
        found.append(line.removeprefix("  "))
    return found


def enumerators(lines: list[str], begin: int) -> list[str]:
    """Return the lines of an enumeration."""
    found = []
    for line in lines[begin + 1 :]:
        if line.strip() == "end enum":
            break
        found.append(line.strip().removeprefix("enumerator :: "))
    return found


def title_of_enumeration(entry: Entry) -> str:
    """Return the first and the last name of an enumeration."""
    names = re.findall(r"quire_\w+", " ".join(re.sub(r"!<.*", "", line) for line in entry.lines))
    return f"{names[0]}, ..., {names[-1]}"


def comment_of(entry: Entry) -> str:
    """Return a comment as Markdown: the lines about arguments become a list."""
    parts = [""]
    for line in entry.comment:
        about = re.match(r"(\w+(?:, \w+)*): (.*)", line)
        if about and set(about[1].split(", ")) <= set(re.findall(r"\w+", " ".join(entry.lines))):
            parts.append(f"- `{about[1]}`: {about[2]}")
        elif len(parts) > 1:
            parts[-1] += f" {line}"
        else:
            parts[0] += f" {line}"
    text, *arguments = parts
    return "\n\n".join(filter(None, [text.strip(), "\n".join(arguments)])).replace("<", "&lt;")


def about_module(text: str) -> str:
    """Return the comment at the beginning of a module as Markdown."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("!>"):
            break
        lines.append(line.removeprefix("!>").strip())
    return "\n".join(lines)


def page_of(path: Path, title: str, public: set[str]) -> str:
    """Return the page of a source. What has several forms is described once for each, below its name."""
    text = source_of(path)
    parts = [f"# {title}", about_module(text)]
    if VALUES in text:
        parts.append(SAME_KIND_OR_TEXT if path.name == "streams.f90" else SAME_KIND)
    sections: dict[str, list[str]] = {}
    for entry in entries_of(text, public):
        section = sections.setdefault(entry.name or title_of_enumeration(entry), [])
        described = ["```fortran\n" + "\n".join(entry.lines) + "\n```", comment_of(entry)]
        # "The same for a text" follows what it is the same as.
        section[:] = [*described, *section] if VALUES in described[0] else [*section, *described]
    for name, section in sections.items():
        parts += [f"## `{name}`", *section]
    return "\n\n".join(parts) + "\n"


def fortran_pages(sources: Path) -> dict[str, str]:
    """Return the pages of the module by their paths."""
    public = public_names((sources / "quire.f90").read_text(encoding="utf-8"))
    return {
        f"reference/fortran/{Path(name).stem}.md": page_of(sources / name, title, public)
        for name, title in PAGES.items()
    }
