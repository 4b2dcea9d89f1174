"""quire info: print the contents of files."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.cli.command import ExitCode, command_of_ranks, fail
from quire.cli.options import ReadOptions, parse_options
from quire.cli.output import (
    MOST_STEPS,
    JsonList,
    Numbers,
    columns_of_text,
    paged,
    plural,
    printable,
    ranges,
    remark,
    say,
    say_json,
    shortened,
)
from quire.cli.parallel import is_first_rank
from quire.cli.selecting import Steps
from quire.cli.streams import communicator_for, display_name, readable

if TYPE_CHECKING:
    from quire import File
    from quire.toolkit.selection import StepSelection
    from quire.toolkit.summary import Summary

MOST_LINES = 24

Limits = dict[tuple[str, str], tuple[float, float]]
"""The least and the greatest value of columns, by table and column."""


@command_of_ranks
def info(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Data files; - is standard input.")],
    read_option: ReadOptions = None,
    steps: Steps = None,
    listing: Annotated[bool, typer.Option("--list", help="List the steps, one per line.")] = False,
    limits: Annotated[
        bool, typer.Option("--stats", help="Read the columns, and print their limits over all steps.")
    ] = False,
    layout: Annotated[
        bool, typer.Option("--layout", help="Print how the file is laid out, and where nodes of fields are.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="Do not abbreviate long lists.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Print what is in files: steps, columns with units, fields, attributes.

    Steps with the same columns and fields are described once. The exit code is 3 if a file is damaged; its
    whole steps are printed all the same. A file that cannot be opened hides no other.

    Example: quire info beam.h5

    Example: quire info beam.h5 --stats --steps 10-
    """
    from quire.toolkit.selection import parse_steps

    request = InfoRequest(
        parse_options(read_option),
        parse_steps(steps),
        limits,
        0 if not listing else None if everything else MOST_STEPS,
        communicator_for(*files),
    )
    summaries = Summaries(files, request)
    if json:
        say_json({"files": JsonList(as_dictionary(path, found) for path, found, _ in summaries)})
    else:
        overviews = [Overview(path, found, request.most_steps, limits) for path, found, limits in summaries]
        with paged():
            for position, overview in enumerate(overviews if is_first_rank() else ()):
                if position:
                    say()
                print_overview(overview, None if everything else MOST_LINES, layout)
    if summaries.code != ExitCode.GOOD:
        raise typer.Exit(summaries.code)


@dataclass(frozen=True)
class InfoRequest:
    """How files are opened, and what is read of them."""

    options: dict[str, Any]
    steps: StepSelection
    with_limits: bool
    most_steps: int | None
    comm: Any


class Summaries:
    """The files that can be opened, one after another, each with the limits of its columns if requested."""

    def __init__(self, paths: Sequence[str], request: InfoRequest) -> None:
        self.paths = paths
        self.request = request
        self.code = ExitCode.GOOD
        """The exit code: that of the first file that is damaged or cannot be opened."""

    def __iter__(self) -> Iterator[tuple[str, Summary, Limits]]:
        """Collective. Yield the path, the summary and the limits of each file."""
        import quire
        from quire.cli.trace import trace
        from quire.errors import Error
        from quire.toolkit.summary import Summary

        request = self.request
        for path in self.paths:
            try:
                with (
                    readable(path) as local,
                    quire.open(local, comm=request.comm, tolerant=True, **request.options) as file,
                ):
                    require_steps(file, request.steps)
                    found = Summary(file, None if request.steps.is_all else request.steps)
                    found.text = getattr(local, "text", "")
                    yield path, found, limits_of(file, request) if request.with_limits else {}
                    trace(file)
                    if found.damage() is not None:
                        self.note(ExitCode.BAD_FILE)
            except (Error, OSError) as problem:
                if len(self.paths) == 1:
                    raise
                self.note(fail(problem))

    def note(self, code: ExitCode) -> None:
        """Keep the first code that is not good."""
        if self.code == ExitCode.GOOD:
            self.code = code


def require_steps(file: File, steps: StepSelection) -> None:
    """Collective. Raise MissingError if steps are selected by number and the file has none of them."""
    from quire.errors import UNREADABLE, MissingError
    from quire.toolkit.selection import steps_by

    if steps.is_all:
        return
    try:
        next(steps_by(file, steps), None)
    except MissingError:
        raise
    except UNREADABLE:  # damage is reported with the summary of the file
        return


def limits_of(file: File, request: InfoRequest) -> Limits:
    """Collective. Return the limits of the columns of numbers over the selected steps that can be read."""
    from quire.errors import UNREADABLE
    from quire.toolkit.selection import select_steps
    from quire.toolkit.statistics import StatisticsRequest, statistics_of

    found: Limits = {}
    # Damage is reported with the summary of the file.
    with contextlib.suppress(*UNREADABLE):
        for _, step in select_steps(file, None if request.steps.is_all else request.steps):
            for name in step.tables:
                for one in statistics_of(step, StatisticsRequest(table=name), request.comm).columns:
                    if one.count:
                        low, high = found.get((name, one.name), (one.minimum, one.maximum))
                        found[name, one.name] = min(low, one.minimum), max(high, one.maximum)
    return found


def as_dictionary(path: str, found: Summary) -> dict[str, Any]:
    """Return a file for JSON. It is written while steps are read; results of all steps come last."""
    return found.head() | {
        "path": path,
        "steps": JsonList(found.steps()),
        "declared": found.declared,
        "warnings": found.warnings,
        "damage": found.damage,
        "damaged": found.damaged,
    }


class Group:
    """Consecutive steps with the same tables, columns and fields, of any numbers of rows."""

    def __init__(self, first: dict[str, Any]) -> None:
        self.first = first
        self.structure = structure_of(first)
        self.numbers = Numbers()
        self.rows = [(table["rows"], table["rows"]) for table in first["tables"]]

    def add(self, step: dict[str, Any]) -> bool:
        """Add a step if it has the same structure; returns whether it was added."""
        structure = structure_of(step)
        # Their texts are compared as well: a coordinate that is NaN equals no other.
        if structure != self.structure and repr(structure) != repr(self.structure):
            return False
        self.numbers.add(step["number"])
        rows = [table["rows"] for table in step["tables"]]
        self.rows = [
            (min(least, here), max(most, here)) for (least, most), here in zip(self.rows, rows, strict=True)
        ]
        return True


class Overview:
    """What is printed of a file as text. Steps are read one after another and not kept."""

    def __init__(self, path: str, found: Summary, most_steps: int | None, limits: Limits) -> None:
        """Collective. At most `most_steps` steps are listed; None: all of them."""
        self.path = path
        self.limits = limits
        self.head = found.head()
        self.numbers = Numbers()
        self.rows = 0
        self.groups: list[Group] = []
        self.listed: list[list[str]] = []
        self.not_listed = 0
        texts: dict[str, None] = {}
        for step in found.steps():
            self.numbers.add(step["number"])
            zones = {table["zones"] for table in step["tables"]} - {""}
            self.rows += sum(table["rows"] for table in step["tables"] if table["name"] not in zones)
            if not self.groups or not self.groups[-1].add(step):
                self.groups.append(Group(step))
                self.groups[-1].add(step)
            texts.update(dict.fromkeys(step["warnings"]))
            if most_steps is None or len(self.listed) < most_steps:
                self.listed.append(cells_of_step(step))
            elif most_steps:
                self.not_listed += 1
        self.declared = found.declared()
        self.warnings = list(dict.fromkeys([*found.warnings(), *texts]))
        self.damages = found.damaged() or [one for one in [found.damage()] if one is not None]


def print_overview(overview: Overview, most: int | None, layout: bool) -> None:
    """Print one file as text."""
    answer = overview.head
    say(display_name(overview.path))
    facts = [("format", answer["format"])]
    facts += [(name, brief(answer[name], most, 100)) for name in ("title", "contents") if answer[name]]
    if layout:
        facts += [("layout", ", ".join(f"{name}: {value}" for name, value in answer["layout"].items()))]
    count = overview.numbers.count
    facts += [
        ("steps", f"{count} ({overview.numbers})" if count else "0"),
        ("rows", f"{overview.rows} in all"),
    ]
    for line in columns_of_text([(name, value) for name, value in facts if value], "  "):
        say(line)
    print_quantities("attributes of the file", answer["attributes"], most)
    if answer["attachments"]:
        say("  attachments")
        print_lines(
            [[printable(one["name"]), plural(one["bytes"], "byte")] for one in answer["attachments"]], most
        )
    if overview.declared:
        print_declared(overview.declared, most)
    print_steps(overview)
    for group in overview.groups:
        print_group(group, overview.limits, most, layout)
    for text in overview.warnings:
        remark(f"warning: {overview.path}: {printable(text)}")
    for damage in overview.damages:
        offset = damage["offset"]
        step = f": step {damage['number']}" if "number" in damage else ""
        place = f" at byte {offset}" if offset is not None else ""
        advice = f"; {damage['advice']}" if damage["advice"] else ""
        remark(f"damaged: {overview.path}{step}{place}: {printable(damage['message'] + advice)}")


def structure_of(step: dict[str, Any]) -> Any:
    """Return what the steps of a group have in common. A grid may move."""
    places = ("origin", "spacing", "coordinates", "attributes")
    fields = [{key: value for key, value in one.items() if key not in places} for one in step["fields"]]
    tables = [(table["name"], table["columns"], table["expansion"]) for table in step["tables"]]
    names = [(item["name"], item["type"], item["unit"]) for item in step["attributes"]]
    return (tables, fields, step["streams"], names)


def print_group(group: Group, limits: Limits, most: int | None, layout: bool) -> None:
    """Print the structure of a group of steps, with the values of the first step."""
    first = group.first
    is_one = group.numbers.count == 1
    title = f"step {first['number']}" if is_one else f"steps {group.numbers}"
    note = "" if is_one else f" (values of step {first['number']})"
    print_quantities(f"{title}: attributes{note}", first["attributes"], most)
    for table, (fewest, greatest) in zip(first["tables"], group.rows, strict=True):
        count = plural(fewest, "row") if fewest == greatest else f"{fewest} to {greatest} rows"
        name = f"table '{printable(table['name'])}'" if table["name"] else "table"
        say(f"  {title}: {name} of {count}")
        if table["expansion"]:
            say(f"    {expansion_text(table['expansion'])}")
        print_lines(
            [[*quantity_cells(item, most), *limit_cells(table, item, limits)] for item in table["columns"]],
            most,
        )
    if first["streams"]:
        say(f"  {title}: {plural(first['streams'], 'stream')} of bytes")
    if first["fields"]:
        say(f"  {title}: fields{note if layout else ''}")
        print_lines([field_cells(item, most, layout) for item in first["fields"]], most)


def print_declared(declared: dict[str, Any], most: int | None) -> None:
    """Print what a file without steps declares."""
    groups = [("attributes", declared["attributes"]), ("fields", declared["fields"])]
    groups[1:1] = [
        (f"columns of table '{printable(table['name'])}'" if table["name"] else "columns", table["columns"])
        for table in declared["tables"]
    ]
    for what, items in groups:
        if items:
            say(f"  declared, without a step: {what}")
            print_lines([quantity_cells(item, most) for item in items], most)


def expansion_text(expansion: dict[str, Any]) -> str:
    """Return bases, numbers of modes, and planes or lines of homogeneous directions as text."""
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


def print_quantities(title: str, items: Sequence[dict[str, Any]], most: int | None) -> None:
    """Print attributes with their values."""
    if items:
        say(f"  {title}")
        print_lines(
            [
                [*quantity_cells(item, most)[:3], brief(value_text(item["value"], most), most)]
                for item in items
            ],
            most,
        )


def print_lines(rows: Sequence[Sequence[str]], most: int | None) -> None:
    """Print aligned lines. Of a long list, print the first lines and the number of the others."""
    kept = rows if most is None or len(rows) <= most + 1 else rows[:most]
    for line in columns_of_text(kept, "    "):
        say(line)
    if len(kept) < len(rows):
        say(f"    \N{HORIZONTAL ELLIPSIS} and {len(rows) - len(kept)} more (--all shows them)")


def brief(text: str, most: int | None, width: int = 60) -> str:
    """Return a printable text, shortened if long lists are."""
    return printable(text) if most is None else shortened(text, width)


def quantity_cells(item: dict[str, Any], most: int | None) -> list[str]:
    """Return name, type, unit and description of a quantity."""
    about = item["description"] or (item["symbol"] if item["symbol"] != item["name"] else "")
    return [printable(item["name"]), item["type"], printable(item["unit"]), brief(about, most)]


def limit_cells(table: dict[str, Any], item: dict[str, Any], limits: Limits) -> list[str]:
    """Return the limits of a column, if they were read."""
    place = table["name"], item["name"]
    if place not in limits:
        return [""]
    low, high = limits[place]
    return [f"{low:.6g} to {high:.6g}"]


def field_cells(item: dict[str, Any], most: int | None, layout: bool) -> list[str]:
    """Return the same of a field, with its extents; with `layout` also the places of its nodes."""
    name, kind, unit, about = quantity_cells(item, most)
    shape = " x ".join(str(extent) for extent in item["extents"])
    components = f", {item['components']} components" if item["components"] > 1 else ""
    given = [key for key in ("origin", "spacing") if layout and item.get(key) is not None]
    places = [f"{key} {value_text(item[key], most)}" for key in given]
    if layout and item.get("coordinates") is not None:
        places.append("coordinates")
    return [name, kind, unit, f"{shape}{components}", ", ".join(places), about]


def value_text(value: Any, most: int | None) -> str:
    """Return a value as text: lists in brackets, shortened if long."""
    if not isinstance(value, list):
        return str(value)
    kept = value if most is None else value[:most]
    items = [value_text(item, most) for item in kept]
    if len(kept) < len(value):
        items.append("\N{HORIZONTAL ELLIPSIS}")
    return f"[{', '.join(items)}]"


def cells_of_step(step: dict[str, Any]) -> list[str]:
    """Return the line of a step in a list of steps."""
    tables = ", ".join(
        f"{printable(table['name'])}: {table['rows']}" if table["name"] else str(table["rows"])
        for table in step["tables"]
    )
    fields = ", ".join(printable(item["name"]) for item in step["fields"])
    return [str(step["index"]), str(step["number"]), tables or "-", fields]


def print_steps(overview: Overview) -> None:
    """Print a line for each listed step."""
    if not overview.listed:
        return
    for line in columns_of_text([["index", "number", "rows", "fields"], *overview.listed], "  "):
        say(line)
    if overview.not_listed:
        say(f"  \N{HORIZONTAL ELLIPSIS} and {overview.not_listed} more (--all shows them)")
