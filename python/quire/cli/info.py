"""quire info: what is in a file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated, Any

import typer

from quire.cli.command import ExitCode, command_of_ranks
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import columns_of_text, plural, printable, ranges, remark, say, say_json, shortened
from quire.cli.parallel import is_first_rank
from quire.cli.streams import communicator_for, display_name, readable

MOST_LINES = 24


@command_of_ranks
def info(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Data files; - is standard input.")],
    read_option: ReadOptions = None,
    json: Annotated[bool, typer.Option("--json", help="Everything, for programs.")] = False,
    steps: Annotated[bool, typer.Option("--steps", help="List every step.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Do not abbreviate long lists.")] = False,
) -> None:
    """Tell what is in files: layout, attributes, steps, columns, fields.

    Exit code 3 if a file is damaged; what is whole is told all the same.

    Example: quire info beam.h5
    """
    import quire
    from quire.cli.trace import trace
    from quire.toolkit.summary import summary

    answers: list[dict[str, Any]] = []
    options = parse_options(read_option)
    comm = communicator_for(*files)
    for path in files:
        with readable(path) as local, quire.open(local, comm=comm, **options) as file:
            answers.append(summary(file) | {"path": path})
            trace(file)
    if is_first_rank() and json:
        say_json({"files": answers})
    elif is_first_rank():
        for position, answer in enumerate(answers):
            if position:
                say()
            tell(answer, steps, None if everything else MOST_LINES)
    if any(answer["damage"] for answer in answers):
        raise typer.Exit(ExitCode.BAD_FILE)


def tell(answer: dict[str, Any], list_steps: bool, most: int | None) -> None:
    """Print one file for people."""
    say(display_name(answer["path"]))
    found = answer["steps"]
    rows = sum(table["rows"] for step in found for table in step["tables"])
    facts = [("format", answer["format"])]
    facts += [(name, brief(answer[name], most, 100)) for name in ("title", "contents") if answer[name]]
    facts += [("layout", ", ".join(f"{name}: {value}" for name, value in answer["layout"].items()))]
    steps = "0" if not found else f"{len(found)} ({ranges([step['number'] for step in found])})"
    facts += [("steps", steps), ("rows", f"{rows} in all")]
    for line in columns_of_text([(name, value) for name, value in facts if value], "  "):
        say(line)
    tell_quantities("attributes of the file", answer["attributes"], most)
    if answer["attachments"]:
        say("  attachments")
        tell_lines(
            [[printable(one["name"]), plural(one["bytes"], "byte")] for one in answer["attachments"]], most
        )
    if answer["declared"]:
        tell_declared(answer["declared"], most)
    if list_steps:
        tell_steps(found)
    for group in alike(found):
        tell_group(group, most)
    warnings = answer["warnings"] + [text for step in found for text in step["warnings"]]
    for text in dict.fromkeys(warnings):
        remark(f"warning: {answer['path']}: {printable(text)}")
    for damage in answer["damaged"] or ([answer["damage"]] if answer["damage"] else []):
        offset = damage["offset"]
        step = f": step {damage['number']}" if "number" in damage else ""
        place = f" at byte {offset}" if offset is not None else ""
        advice = f"; {damage['advice']}" if damage["advice"] else ""
        remark(f"damaged: {answer['path']}{step}{place}: {printable(damage['message'] + advice)}")


def alike(steps: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Runs of steps with the same tables, columns and fields, whatever their rows."""

    def structure(step: dict[str, Any]) -> str:
        tables = [(table["name"], table["columns"], table["expansion"]) for table in step["tables"]]
        names = [(item["name"], item["type"], item["unit"]) for item in step["attributes"]]
        return repr((tables, step["fields"], step["streams"], names))

    return [list(group) for _, group in groupby(steps, structure)]


def tell_group(group: Sequence[dict[str, Any]], most: int | None) -> None:
    """Print the structure that some steps share, with the values of the first."""
    first = group[0]
    title = f"step {first['number']}" if len(group) == 1 else f"steps {ranges([s['number'] for s in group])}"
    note = "" if len(group) == 1 else f" (values of step {first['number']})"
    tell_quantities(f"{title}: attributes{note}", first["attributes"], most)
    for position, table in enumerate(first["tables"]):
        rows = [step["tables"][position]["rows"] for step in group]
        count = plural(rows[0], "row") if min(rows) == max(rows) else f"{min(rows)} to {max(rows)} rows"
        name = f"table '{printable(table['name'])}'" if table["name"] else "table"
        say(f"  {title}: {name} of {count}")
        if table["expansion"]:
            say(f"    {expansion_text(table['expansion'])}")
        tell_lines([quantity_cells(item, most) for item in table["columns"]], most)
    if first["streams"]:
        say(f"  {title}: {plural(first['streams'], 'stream')} of bytes")
    if first["fields"]:
        say(f"  {title}: fields")
        tell_lines([field_cells(item, most) for item in first["fields"]], most)


def tell_declared(declared: dict[str, Any], most: int | None) -> None:
    """Print what a file without steps says that they will have."""
    groups = [("attributes", declared["attributes"]), ("fields", declared["fields"])]
    groups[1:1] = [
        (f"columns of table '{printable(table['name'])}'" if table["name"] else "columns", table["columns"])
        for table in declared["tables"]
    ]
    for what, items in groups:
        if items:
            say(f"  declared, without a step: {what}")
            tell_lines([quantity_cells(item, most) for item in items], most)


def expansion_text(expansion: dict[str, Any]) -> str:
    """Bases and numbers of modes, and which planes or lines of homogeneous directions, in words."""
    modes = [f" {number}" for number in expansion["modes"]] or [""] * len(expansion["basis"])
    directions = [printable(basis) + number for basis, number in zip(expansion["basis"], modes, strict=True)]
    text = f"coefficients on {printable(expansion['shape'])}s: {', '.join(directions)}"
    if not expansion["modes"]:
        text += ", modes of each element"
    if expansion["lengths"]:
        text += f"; of length {', '.join(f'{length:g}' for length in expansion['lengths'])}"
    for name, ids in (("y", "y_ids"), ("z", "z_ids"), ("strips", "strip_ids")):
        if expansion[ids]:
            text += f"; {name} {ranges(expansion[ids])}"
    return text


def tell_quantities(title: str, items: Sequence[dict[str, Any]], most: int | None) -> None:
    """Print attributes with their values, if there are any."""
    if items:
        say(f"  {title}")
        tell_lines(
            [
                [*quantity_cells(item, most)[:3], brief(value_text(item["value"], most), most)]
                for item in items
            ],
            most,
        )


def tell_lines(rows: Sequence[Sequence[str]], most: int | None) -> None:
    """Print aligned lines, of a long list the first ones and how many follow."""
    kept = rows if most is None or len(rows) <= most + 1 else rows[:most]
    for line in columns_of_text(kept, "    "):
        say(line)
    if len(kept) < len(rows):
        say(f"    \N{HORIZONTAL ELLIPSIS} and {len(rows) - len(kept)} more (--all shows them)")


def brief(text: str, most: int | None, width: int = 60) -> str:
    """A printable text, cut where long lists are cut, too."""
    return printable(text) if most is None else shortened(text, width)


def quantity_cells(item: dict[str, Any], most: int | None) -> list[str]:
    """Name, type, unit and description of a quantity."""
    about = item["description"] or (item["symbol"] if item["symbol"] != item["name"] else "")
    return [printable(item["name"]), item["type"], printable(item["unit"]), brief(about, most)]


def field_cells(item: dict[str, Any], most: int | None) -> list[str]:
    """The same of a field, with its extents."""
    name, kind, unit, about = quantity_cells(item, most)
    shape = " x ".join(str(extent) for extent in item["extents"])
    components = f", {item['components']} components" if item["components"] > 1 else ""
    given = [key for key in ("origin", "spacing") if item.get(key) is not None]
    places = [f"{key} {value_text(item[key], most)}" for key in given]
    if item.get("coordinates") is not None:
        places.append("coordinates")
    return [name, kind, unit, f"{shape}{components}", ", ".join(places), about]


def value_text(value: Any, most: int | None) -> str:
    """A value as people write it: lists in brackets, of a long one the first items, texts as they are."""
    if not isinstance(value, list):
        return str(value)
    kept = value if most is None else value[:most]
    items = [value_text(item, most) for item in kept]
    if len(kept) < len(value):
        items.append("\N{HORIZONTAL ELLIPSIS}")
    return f"[{', '.join(items)}]"


def tell_steps(steps: Sequence[dict[str, Any]]) -> None:
    """Print a line for every step."""
    lines = [["index", "number", "rows", "fields"]]
    for step in steps:
        tables = ", ".join(
            f"{printable(table['name'])}: {table['rows']}" if table["name"] else str(table["rows"])
            for table in step["tables"]
        )
        fields = ", ".join(printable(item["name"]) for item in step["fields"])
        lines.append([str(step["index"]), str(step["number"]), tables or "-", fields])
    for line in columns_of_text(lines, "  "):
        say(line)
