"""quire show: print tables, fields and attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quire.cli.command import command, report_unreadable
from quire.cli.fields import Component, Slices, Sums, field_request
from quire.cli.options import ReadOptions, ShownUnits, parse_options, parse_units
from quire.cli.output import (
    columns_of_text,
    paged,
    printable,
    say,
    say_json,
    shortened,
    terminal_width,
)
from quire.cli.selecting import Columns, Index, Rows, Steps, Where
from quire.cli.sheets import Viewer, fields_of, pick, require_somewhere
from quire.cli.show_options import (
    LISTS,
    AsJson,
    Attributes,
    Bare,
    Between,
    Commas,
    Delimiter,
    Display,
    Fields,
    Formats,
    Header,
    Html,
    Latex,
    Listing,
    Markdown,
    Names,
    OneField,
    OneTable,
    Quotes,
    ShownFile,
    Title,
    Transpose,
    Units,
)
from quire.cli.streams import readable
from quire.cli.views import (
    DelimitedView,
    HtmlView,
    JsonView,
    LatexView,
    MarkdownView,
    TextView,
    View,
)

if TYPE_CHECKING:
    from quire import Attribute, File, Step
    from quire.errors import BadFileError
    from quire.toolkit.field_values import FieldRequest
    from quire.toolkit.selection import StepSelection

LISTS_OF_STEPS = ("steps", "rows")
"""Lists of numbers, which only steps have."""


@command
def show(
    file: ShownFile,
    steps: Steps = None,
    index: Index = None,
    columns: Columns = None,
    rows: Rows = None,
    where: Where = None,
    table: OneTable = None,
    attributes: Attributes = False,
    fields: Fields = False,
    field: OneField = None,
    slices: Slices = None,
    sums: Sums = None,
    component: Component = None,
    names: Names = None,
    transpose: Transpose = False,
    listing: Listing = None,
    units: Units = False,
    formats: Formats = None,
    unit: ShownUnits = None,
    display: Display = False,
    comma: Commas = False,
    delimiter: Delimiter = None,
    latex: Latex = False,
    markdown: Markdown = False,
    html: Html = False,
    read_option: ReadOptions = None,
    json: AsJson = False,
    header: Header = True,
    bare: Bare = False,
    quotes: Quotes = True,
    between: Between = None,
    title: Title = False,
) -> None:
    """Print rows of tables, values of fields, or attributes of steps.

    By default the first 20 rows of each table are printed; --rows selects others. With --csv, --delimiter,
    --latex, --markdown, --html and --json all rows are printed, with all digits. Only the printed values are
    read. The exit code is 1 if there is no such step, table or name, and 2 if there are no such rows.

    Example: quire show beam.h5 --steps 20 --columns x,px --rows 0:5

    Example: quire show beam.h5 --columns x,px --delimiter space --bare --format %.6e

    Example: quire show beam.h5 --field rho --slice z=0,y=0 --steps 5

    Example: quire show beam.h5 --attributes --transpose --names s,rms_* --csv
    """
    from quire.errors import UsageError
    from quire.toolkit.lines import parse_formats
    from quire.toolkit.selection import parse_names, parse_rows, parse_steps
    from quire.toolkit.wanted_units import WantedUnits

    looks = Looks(comma, delimiter, latex, markdown, html, json)
    looks.check(attributes and not transpose, listing)
    if transpose and not attributes:
        raise UsageError("--transpose needs --attributes")
    if where is not None and (attributes or fields or field is not None or listing is not None):
        raise UsageError("--where selects rows of tables")
    if field is None and (slices or sums or component is not None):
        raise UsageError("--slice, --sum and --component need --field")
    part = None if field is None else field_request(field, slices, sums, component)
    view = looks.view(header and not bare, not bare, quotes, between)
    is_short = rows is None and isinstance(view, TextView)
    viewer = Viewer(
        parse_names(columns),
        parse_rows(rows),
        is_short,
        table,
        display,
        parse_formats(formats),
        where,
        WantedUnits(parse_units(unit)),
    )
    wanted = Wanted(attributes, fields, transpose, listing, units, parse_names(names), title, part)
    show_file(file, parse_options(read_option), parse_steps(steps, index=index), wanted, looks, view, viewer)


@dataclass(frozen=True)
class Looks:
    """The layout of rows: at most one of these, aligned text by default."""

    commas: bool
    delimiter: str | None
    latex: bool
    markdown: bool
    html: bool
    json: bool

    @property
    def marks(self) -> str | None:
        """Return the delimiter of values, if any."""
        from quire.toolkit.lines import parse_delimiter

        if self.delimiter is not None:
            return parse_delimiter(self.delimiter)
        return "," if self.commas else None

    def check(self, only_values: bool, listing: str | None) -> None:
        """Raises UsageError for two layouts, or for a layout of rows if no rows are printed."""
        from quire.errors import UsageError

        is_page = self.latex or self.markdown or self.html
        is_delimited = self.commas or self.delimiter is not None
        ways = self.commas, self.delimiter is not None, self.latex, self.markdown, self.html, self.json
        if sum(ways) > 1:
            raise UsageError("give only one of --csv, --delimiter, --latex, --markdown, --html and --json")
        if listing is not None and listing not in LISTS:
            raise UsageError(f"there is no list of '{listing}'; the lists are {', '.join(LISTS)}")
        if is_page and listing is not None:
            raise UsageError("--latex, --markdown and --html print rows, which --list does not")
        if (is_page or is_delimited) and only_values and listing is None:
            raise UsageError("--attributes needs --transpose for --csv, --latex and other layouts of rows")

    def view(self, header: bool, numbered: bool, quotes: bool, between: str | None) -> View:
        """Return the view for this layout."""
        if self.marks is not None:
            return DelimitedView(self.marks, header, numbered, quotes, between)
        if self.latex:
            return LatexView(header)
        if self.markdown:
            return MarkdownView(header)
        if self.html:
            return HtmlView(header)
        return JsonView() if self.json else TextView(header, terminal_width())


@dataclass(frozen=True)
class Wanted:
    """What is printed of a file: tables, unless one of the first three is set."""

    attributes: bool
    fields: bool
    transpose: bool
    listing: str | None
    units: bool
    names: list[str] | None
    title: bool
    part: tuple[str, FieldRequest] | None
    """A part of one field."""


def show_file(
    path: str,
    options: dict[str, Any],
    selection: StepSelection,
    wanted: Wanted,
    looks: Looks,
    view: View,
    viewer: Viewer,
) -> None:
    """Print the requested objects of steps: those of some numbers, the one of an index, or all."""
    import quire
    from quire.cli.trace import trace
    from quire.toolkit.selection import steps_by

    with readable(path) as local, quire.open(local, tolerant=True, **options) as opened, paged():
        if wanted.title and not looks.json:
            say(printable(opened.title))
        problems: list[BadFileError] = []
        steps = until_damage(steps_by(opened, selection), problems)
        if wanted.listing is not None:
            if wanted.listing not in LISTS_OF_STEPS:
                steps = steps_or_declared(opened, steps)
            of_file = opened.attrs.info if wanted.listing == "attributes" else {}
            found = listed(of_file, steps, wanted.listing, wanted.names)
            show_list(found, wanted.units, looks.marks or "\n", looks.json)
        elif wanted.attributes and wanted.transpose:
            view.show(viewer.transposed(steps, wanted.names))
        elif wanted.attributes:
            show_attributes(opened, steps, looks.json, wanted.names, viewer)
        elif wanted.part is not None:
            name = [wanted.part[0]]
            view.show(viewer.parts(known(opened, steps, lambda step: fields_of(step, name)), *wanted.part))
        elif wanted.fields:
            chosen = known(opened, steps, lambda step: fields_of(step, wanted.names))
            view.show(viewer.fields(chosen, wanted.names))
        else:
            view.show(viewer.sheets(known(opened, steps, viewer.tables)))
        trace(opened)
        if problems:
            raise problems[0]
        report_unreadable(path, opened.unreadable)


def until_damage(steps: Iterator[Step], problems: list[BadFileError]) -> Iterator[Step]:
    """Yield the steps before damage that ends the list of steps. `problems` get the error, which is raised
    only if there is no step before it.
    """
    from quire.errors import BadFileError

    is_any = False
    try:
        for step in steps:
            yield step
            is_any = True
    except BadFileError as problem:
        if not is_any:
            raise
        problems.append(problem)


def steps_or_declared(file: File, steps: Iterator[Step]) -> Iterator[Step]:
    """Return the steps; for a file without steps its declarations."""
    first = next(steps, None) or file.declared
    if first is not None:
        yield first
        yield from steps


def known(file: File, steps: Iterator[Step], check: Callable[[Step], object]) -> Iterator[Step]:
    """Yield the steps. For a file without steps its declarations are checked for missing names."""
    first = next(steps, None)
    if first is not None:
        yield first
        yield from steps
    elif file.declared is not None:
        check(file.declared)


def listed(
    of_file: Mapping[str, Attribute], steps: Iterator[Step], what: str, names: Sequence[str] | None
) -> list[int] | dict[str, Any]:
    """Return objects of one kind by name, each once, in the order of the file; for steps and rows the
    numbers.

    Attributes of the file are listed first.
    """
    from quire.toolkit.selection import select_names

    found: dict[str, Any] = dict(pick(of_file, names))
    numbers: list[int] = []
    for step in steps:
        if what == "steps":
            numbers.append(step.number)
        elif what == "rows":
            numbers += [len(table) for table in step.tables.values()]
        elif what == "tables":
            found |= dict.fromkeys(step.tables)
        else:
            items = {**of_file, **listed_items(step, what)}
            for name in items if names is None else select_names(names, list(items), what[:-1]):
                found.setdefault(name, items[name])
    return numbers or found


def show_list(found: list[int] | dict[str, Any], units: bool, delimiter: str, as_json: bool) -> None:
    """Print numbers or names."""
    from quire.toolkit.summary import quantity

    items = found.items() if isinstance(found, dict) else [(number, None) for number in found]
    if as_json:
        say_json([key if item is None else quantity(item) for key, item in items])
        return
    entries = []
    for key, item in items:
        unit = f" [{item.unit}]" if units and item is not None and item.unit else ""
        entries.append(printable(f"{key}{unit}"))
    if entries:
        say(delimiter.join(entries))


def listed_items(step: Step, what: str) -> Mapping[str, Any]:
    """Return the columns of all tables, the attributes or the fields of a step."""
    if what == "columns":
        return {name: column for table in step.tables.values() for name, column in table.columns.items()}
    return step.attrs.info if what == "attributes" else step.fields


def show_attributes(
    file: File, steps: Iterator[Step], as_json: bool, names: Sequence[str] | None, viewer: Viewer
) -> None:
    """Print the attributes of the file and of steps."""
    from quire.toolkit.summary import attributes

    groups = [("file", file.attrs.info), *((f"step {step.number}", step.attrs.info) for step in steps)]
    require_somewhere(names, [list(items) for _, items in groups], "attribute")
    chosen = [(title, pick(items, names)) for title, items in groups]
    viewer.require_names([name for _, items in chosen for name in items])
    chosen = [(title, viewer.in_units(items)) for title, items in chosen]
    if as_json:
        say_json({title: attributes(items) for title, items in chosen})
        return
    for title, items in chosen:
        if items or title != "file":
            say(title)
        cells = [
            (printable(name), printable(item.unit), shortened(viewer.attribute_text(item), 100))
            for name, item in items.items()
        ]
        for line in columns_of_text(cells, "  "):
            say(line)
