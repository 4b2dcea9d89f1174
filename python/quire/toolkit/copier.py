"""Copies steps of an open file to an open writer of any format, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from quire.errors import MissingError, UnsupportedError, UsageError
from quire.io.fit import Change, Fit, fit, fit_file
from quire.io.formats import format_info
from quire.toolkit.activity import doing
from quire.toolkit.agreement import agreed_count, gathered, share_aggregates
from quire.toolkit.changes import changed, lost
from quire.toolkit.chosen import ChosenStep
from quire.toolkit.elements import (
    align_to_elements,
    elements_first,
    pass_on_expansion,
    with_their_elements,
)
from quire.toolkit.layers import FieldCopies
from quire.toolkit.missing import NanCounts, StrictCount, missing_attributes, refuse
from quire.toolkit.representation import PayloadLosses
from quire.toolkit.request import CopyReport, Observer, Request
from quire.toolkit.selection import (
    even_slice,
    matches,
    resolve_rows,
    select_names,
    select_steps,
    without,
)
from quire.toolkit.share import SelectedRows, TableShare, tables_of_limits
from quire.toolkit.structure import Structure, titled
from quire.toolkit.text_sizes import TextSize

if TYPE_CHECKING:
    from quire import Attribute, File, Step, Table, Writer, WriteStep
    from quire.io.quantity import Quantity
    from quire.toolkit.definitions import Definition, DerivedStep

SEVERAL_VALUES = "left out: it has several values"


def copy_attributes(
    target: Writer | WriteStep,
    attributes: Mapping[str, Attribute],
    fitted: Mapping[str, Quantity],
    new_name: Callable[[str], str] = lambda name: name,
) -> None:
    """Independent. Copy attributes with the names and types that the target can store."""
    for name, quantity in fitted.items():
        target.set(
            new_name(quantity.name),
            attributes[name].value,
            quantity.texts,
            quantity.type,
        )


@dataclass(frozen=True)
class Outline:
    """The description of a step in the target, without values."""

    attributes: Mapping[str, Quantity]
    tables: Mapping[str, Mapping[str, Quantity]]
    fields: Mapping[str, Quantity]

    def __bool__(self) -> bool:
        return bool(self.attributes or self.fields or any(self.tables.values()))


class StepCopier:
    """Copies steps of an open file to an open writer. Each rank copies an even share of the rows."""

    def __init__(self, request: Request, format: str, comm: Any, observer: Observer) -> None:
        self.request = request
        self.format = format
        self.rank: int = 0 if comm is None else comm.rank
        self.size: int = 1 if comm is None else comm.size
        self.comm = comm
        self.observer = observer
        self.report = CopyReport()
        self.common: Structure | None = None
        self.warned: set[str] = set()
        self.longest_table = 0
        self.is_any_row_asked_for = False
        self.is_there_content = self.is_there_column = False
        self.is_content_kept = False
        self.first_dropped: Outline | None = None
        self.selection: Callable[[TableShare], SelectedRows] | None = None
        """Selects rows of the only table, or of that of the request, in place of a condition."""

    def begin_again(self, common: Structure) -> None:
        """Independent. Reset the report; from now on copy only what is common to all steps."""
        self.report = CopyReport(reported=self.report.reported)
        self.common = common
        self.is_content_kept = False
        self.report_changes(common.changes)

    def suit(self, source: File) -> Mapping[int, Mapping[str, float]]:
        """Independent. Adapt the request to its profile, and report the changes.

        Returns the rows that precede those of the steps, by the index of the step.
        """
        if self.request.profile is None:
            return {}
        adaptation = self.request.profile.adapt(self.request, source)
        self.request = adaptation.request
        self.report_changes(adaptation.changes)
        return adaptation.reference_rows

    def of_file(self, source: File) -> dict[str, Quantity]:
        """Independent. Return the attributes of the file that the target can store. Reports the others."""
        return self.single("attribute of the file", fit_file(self.format, source), source.attrs.info)

    def add_attributes(self, source: File, out: Writer) -> None:
        """Independent. Set the additional attributes of the file. Reports those that it cannot store."""
        for name, value in self.request.file_attributes.items():
            if name in source.attrs:
                continue
            try:
                out.set(name, value)
            except UnsupportedError as problem:
                self.report_changes([lost("attribute of the file", name, f"left out: {problem.message}")])

    def single(
        self, what: str, fitted: Mapping[str, Quantity], given: Mapping[str, Attribute]
    ) -> dict[str, Quantity]:
        """Independent. Return the attributes that the request keeps. Reports those with too many values."""
        kept = {name: quantity for name, quantity in fitted.items() if self.has_room(given[name])}
        self.report_changes(lost(what, name, SEVERAL_VALUES) for name in fitted if name not in kept)
        return kept

    def has_room(self, attribute: Attribute | None) -> bool:
        """Independent. Return whether the request allows this number of values of attributes."""
        return attribute is None or not self.request.single_values or np.ndim(attribute.value) == 0

    def is_wanted(self, column: str) -> bool:
        """Independent. Return whether a column was requested."""
        names, dropped = self.request.columns, self.request.dropped_columns
        return column not in dropped and (names is None or matches(column, names))

    def is_copied(self, change: Change, source: File, step: Step) -> bool:
        """Independent. Return whether the request copies the object of a change."""
        name = change.name
        if change.object == "attribute":
            return name not in self.request.dropped_attributes and self.has_room(step.attrs.info.get(name))
        if change.object == "attribute of the file":
            return self.has_room(source.attrs.info.get(name))
        if change.object == "column":
            return self.is_wanted(name)
        return change.object != "field" or self.request.columns is None

    def steps(self, source: File) -> Iterator[Step]:
        """Collective. Yield the requested steps, with definitions."""
        self.warn(source.warnings)
        request = self.request
        wants_table = request.table != ""
        missing: dict[str, MissingError] = {}
        found: set[str] = set()
        for index, step in select_steps(source, request.steps):
            self.warn(step.warnings)
            if wants_table and request.table not in step.tables:
                missing[""] = MissingError(f"no step has a table '{request.table}'", file=source.path)
            elif wants_table:
                found.add("")
            definitions = request.definitions + request.step_definitions.get(index, ())
            prepared, left_out = self.prepared(source, step, definitions)
            for name, problem in left_out.items():
                missing.setdefault(name, problem)
            found |= {one.name for one in definitions} - left_out.keys()
            yield prepared
        # Some warnings of the file are known only after its last step.
        self.warn(source.warnings)
        for name, problem in missing.items():
            if name not in found:
                raise problem

    def prepared(
        self, source: File, step: Step, definitions: Sequence[Definition]
    ) -> tuple[Step, Mapping[str, MissingError]]:
        """Collective. Return a step with definitions and the requested tables, and definitions without a
        table.
        """
        chosen = self.only_table(step) if self.request.only_table else step
        if not definitions:
            return chosen, {}
        derived = self.derived(source, chosen, definitions)
        return cast("Step", derived), derived.left_out

    def only_table(self, step: Step) -> Step:
        """Independent. Return a step with only the requested table. Reports what is left out.

        Fields are kept for a program, which reads them as well.
        """
        chosen = ChosenStep(step, self.request.table, self.request.profile is not None)
        if self.request.table in step.tables:
            self.report_changes(chosen.left_out)
        return cast("Step", chosen)

    def derived(self, source: File, step: Step, definitions: Sequence[Definition]) -> DerivedStep:
        """Collective. Return a step with definitions."""
        from quire.toolkit.definitions import DerivedStep

        derived = DerivedStep(source, step, definitions, self.request.table, self.request.replace, self.comm)
        for name, made in derived.defined.items():
            self.report.defined.setdefault(name, made)
        if self.request.strict:
            refuse(step, source.path, missing_attributes(derived))
        if derived.left_out:
            table = titled(self.request.table)
            self.report_changes([changed(f"a step without {table} does not get the definitions that use it")])
        return derived

    def closing(self, source: File, out: Writer, target: str | Path) -> None:
        """Independent. Call the observer with both files before they are closed."""
        if self.observer.closing is not None:
            self.observer.closing(source, source.path)
            self.observer.closing(out, str(target))

    def foresee(self, source: File, step: Step) -> tuple[Fit, dict[str, dict[str, Quantity]]]:
        """Independent. Return the contents of a step in the target, and the requested columns by table.

        Reports losses, and raises an error if the request cannot be carried out.
        """
        if format_info(self.format).holds_streams:
            if not step.streams:
                from quire.toolkit.streams import no_streams

                raise no_streams(source, step, self.format)
            self.refuse_part_of_streams()
        self.require_condition(step)
        fitted = self.fit(source, step)
        return fitted, self.wanted_columns(step, fitted)

    def require_condition(self, step: Step) -> None:
        """Independent. Raise the errors of the condition, before losses are reported."""
        where, name = self.request.where, self.request.table
        is_clear = name in step.tables if name else len(step.tables) == 1
        if where is not None and is_clear:
            (step.tables[name] if name else step.table).where(where)

    def copy(self, source: File, step: Step, out: Writer) -> None:
        """Collective. Copy one step. After an exception on any rank the target does not contain the step."""
        fitted, columns = self.foresee(source, step)
        if format_info(self.format).holds_streams:
            self.copy_streams(step, out)
            return
        tables = [table for table in step.tables.values() if table.name in columns]
        shares = [self.share(table, columns[table.name]) for table in tables]
        shares = align_to_elements(step, shares, self.rank, self.size)
        shares, rows = self.choose_rows(step, shares, source.path)
        outline = self.outline(fitted, columns)
        if self.request.drop_empty and rows == 0:
            self.first_dropped = self.first_dropped or outline
            self.report.dropped_steps += 1
            return
        if self.observer.plan is not None:
            self.observer.plan(sum(share.rows_written for share in shares))
        payloads = PayloadLosses(fitted.numbers_as_text)
        nan = NanCounts.of_definitions(step, self.request.strict)
        with out.step(self.report.steps if self.request.renumber else step.number) as target:
            copy_attributes(target, step.attrs.info, outline.attributes, partial(self.new_attribute, step))
            for share in shares:
                self.declare(target, share, payloads)
            self.declare_absent(target, step)
            fields = self.field_copies(target, step, outline, payloads)
            fields.declare()
            target.agree_on_rows()
            for share in elements_first(step, shares) if target.weighs_values else ():
                self.weigh_rows(target, share)
            fields.weigh()
            target.open()
            for share in shares:
                self.write_rows(target, share, payloads, nan)
            fields.write()
        self.report_payloads(payloads)
        nan.refuse(self.comm, step, source.path)
        self.report.steps += 1
        self.report.rows += rows

    def report_payloads(self, payloads: PayloadLosses) -> None:
        """Collective. Report the columns and fields in which NaN lose their payload on any rank."""
        if payloads.is_possible:
            names = set().union(*gathered(self.comm, lambda: payloads.found))
            self.report_changes(lost(what, name, "NaN lose their payload") for what, name in sorted(names))

    def outline(self, fitted: Fit, columns: Mapping[str, Mapping[str, Quantity]]) -> Outline:
        """Independent. Return what is copied of an adapted step."""
        return Outline(fitted.attributes, columns, fitted.fields if self.request.columns is None else {})

    def declared(self, source: File) -> Outline | None:
        """Collective. Return what is copied of the declarations of a file without steps."""
        if source.declared is None:
            return None
        step, left_out = self.prepared(source, source.declared, self.request.definitions)
        for problem in left_out.values():
            raise problem
        check_columns(self.request, step)
        return self.outline(*self.foresee(source, step))

    def declare_steps(self, source: File, out: Writer | None = None) -> None:
        """Collective. Write the declarations of the source to a target without steps, or report their loss.

        Does nothing if there are steps. Without a target it only reports.
        """
        if self.report.steps:
            return
        if self.request.profile is not None or not format_info(self.format).holds_declarations:
            self.report_changes(lost_definitions(source))
            return
        outline = self.first_dropped or self.declared(source)
        if outline and out is not None:
            tables = {name: columns.values() for name, columns in outline.tables.items()}
            out.declare(attributes=outline.attributes.values(), tables=tables, fields=outline.fields.values())

    def refuse_part_of_streams(self) -> None:
        """Independent. Raise UsageError if only a part of streams is requested."""
        request = self.request
        asks_for_part = request.columns is not None or request.rows != slice(None) or request.only_table
        if request.where is not None or asks_for_part:
            raise UsageError("streams are copied whole: tables, rows and columns cannot be selected")

    def copy_streams(self, step: Step, out: Writer) -> None:
        """Collective. Copy a step of streams."""
        from quire.toolkit.streams import Packing, copy_streams

        request = self.request
        packing = Packing(self.format, request.options, same_files=request.same_files)
        with out.step(0 if self.request.renumber else step.number) as target:
            copied = copy_streams(step, target, packing, self.comm, self.observer.progress)
        self.report.steps += 1
        self.report.streams += copied.streams
        # Each rank copied a share. Only after the step do all ranks get here for sure.
        self.report.stream_bytes += copied.bytes if self.comm is None else self.comm.allreduce(copied.bytes)

    def require_rows(self, path: str) -> None:
        """Independent. Raise UsageError if there were rows, but none was selected."""
        if self.longest_table and not self.is_any_row_asked_for:
            raise UsageError(
                f"no table has one of these rows: the longest has {self.longest_table}", file=path
            )

    def require_content(self, path: str) -> None:
        """Independent. Raise UnsupportedError if the target can store none of the objects."""
        if self.is_there_content and not self.is_content_kept and not self.is_there_column:
            raise UnsupportedError(
                f"the tables have no columns, and the format {self.format} stores none without", file=path
            )
        if self.is_there_content and not self.is_content_kept:
            raise UnsupportedError(
                f"the format {self.format} can store none of the tables, fields and streams of this file",
                file=path,
                advice="quire convert --dry-run reports the reasons",
            )

    def choose_rows(
        self, step: Step, shares: Sequence[TableShare], path: str
    ) -> tuple[list[TableShare], int]:
        """Collective. Count the rows that this rank keeps, and those that all ranks copy."""
        rows = sum(resolve_rows(self.request.rows, len(share.table))[1] for share in shares)
        self.longest_table = max([self.longest_table, *(len(share.table) for share in shares)])
        self.is_any_row_asked_for |= rows > 0
        select = self.selection or self.condition()
        if select is None or not step.tables:
            return list(shares), rows
        name = self.request.table
        if name and name not in step.tables:
            return list(shares), rows
        limits = tables_of_limits(step.tables)
        several = [one for one in step.tables if one not in limits]
        if not name and len(several) > 1:
            raise UsageError(f"there are several tables; choose one of {', '.join(several)} by table=NAME")
        table = step.tables[name] if name else step.table
        chosen = [
            replace(share, matches=select(share)) if share.table.name == table.name else share
            for share in shares
        ]
        for place, share in enumerate(chosen):
            if share.matches is not None:
                from quire.io.matches import Matches

                count: Callable[[], int] = share.matches.count
                if isinstance(share.matches, Matches):
                    share_aggregates(self.comm, share.matches.bound)
                    count = StrictCount(share, share.matches) if self.request.strict else count
                mine, total = agreed_count(self.comm, count)
                if isinstance(count, StrictCount):
                    count.refuse(self.comm, step, path)
                chosen[place] = replace(share, kept=mine)
                rows += total - resolve_rows(self.request.rows, len(table))[1]
        return chosen, rows

    def condition(self) -> Callable[[TableShare], SelectedRows] | None:
        """Independent. Return what selects the rows that satisfy the condition of the request, if any."""
        where = self.request.where
        if where is None:
            return None
        return lambda share: share.table.where(where, (share.first, share.count))

    def fit(self, source: File, step: Step) -> Fit:
        """Independent. Return the contents of a step in the target. Reports new changes."""
        fitted = fit(self.format, source, step, self.request.options)
        self.report_changes(change for change in fitted.changes if self.is_copied(change, source, step))
        if step.streams and not format_info(self.format).holds_streams:
            self.report_changes([lost("", "", f"the bytes of {len(step.streams)} streams are left out")])
        attributes = without(fitted.attributes, self.request.dropped_attributes)
        fitted = replace(fitted, attributes=self.single("attribute", attributes, step.attrs.info))
        kept = fitted if self.common is None else self.common.restrict(fitted, step)
        self.is_there_content |= bool(step.tables or step.fields or step.streams)
        self.is_there_column |= any(one.columns for one in step.tables.values()) or bool(
            step.fields or step.streams
        )
        self.is_content_kept |= bool(
            kept.fields
            or any(columns or not step.tables[name].columns for name, columns in kept.tables.items())
            or (step.streams and format_info(self.format).holds_streams)
        )
        return kept

    def report_changes(self, changes: Iterable[Change]) -> None:
        """Independent. Report new changes, equal changes combined."""
        for kind, sentence in self.report.reported.add(changes):
            if self.observer.change is not None:
                self.observer.change(kind, sentence)

    def warn(self, warnings: Sequence[str]) -> None:
        """Independent. Report new warnings."""
        for sentence in warnings:
            if self.observer.warning is not None and sentence not in self.warned:
                self.warned.add(sentence)
                self.observer.warning(sentence)

    def share(self, table: Table, columns: Mapping[str, Quantity]) -> TableShare:
        """Independent. Return the part of a table that this rank copies."""
        first, count = resolve_rows(self.request.rows, len(table))
        start, mine = even_slice(count, self.rank, self.size)
        # A table with definitions has no constants.
        known = getattr(table, "constants", {}) if format_info(self.format).holds_constants else {}
        constants = {name: value for name, value in known.items() if name in columns}
        return TableShare(
            table, columns, first + start, mine, self.new_table(table.name), constants=constants
        )

    def new_table(self, name: str) -> str:
        """Independent. Return the name of a table in the target."""
        new = self.request.new_table
        return new if new and self.request.table in ("", name) else name

    def new_attribute(self, step: Step, name: str) -> str:
        """Independent. Return the name of an attribute in the target: it may begin with that of its table."""
        table = next((one for one in step.tables if one and name.startswith(f"{one}/")), "")
        return self.new_table(table) + name.removeprefix(table) if table else name

    def wanted_columns(self, step: Step, fitted: Fit) -> dict[str, dict[str, Quantity]]:
        """Independent. Return the requested columns by table.

        If the target stores only elements, the names of variables select them.
        """
        stale = self.stale_zones(step)
        wanted = {name: self.wanted(columns) for name, columns in fitted.tables.items() if name not in stale}
        if self.request.columns is None or format_info(self.format).tables:
            return wanted
        return with_their_elements(step, wanted, fitted.tables)

    def stale_zones(self, step: Step) -> set[str]:
        """Independent. Return the tables of limits that do not hold for the rows to copy. Reports them."""
        request = self.request
        is_changed = (
            request.rows != slice(None)
            or request.where is not None
            or self.selection is not None
            or bool(request.definitions)
            or bool(request.step_definitions)
        )
        zones = tables_of_limits(step.tables) if is_changed else set()
        why = "left out: it describes the rows of the source"
        self.report_changes(lost("table", name, why) for name in sorted(zones))
        return zones

    def wanted(self, columns: Mapping[str, Quantity]) -> dict[str, Quantity]:
        """Independent. Return the requested columns."""
        return {name: quantity for name, quantity in columns.items() if self.is_wanted(name)}

    def field_copies(
        self, target: WriteStep, step: Step, outline: Outline, payloads: PayloadLosses
    ) -> FieldCopies:
        """Independent. Return the copies of the fields of a step by this rank."""
        return FieldCopies(
            target,
            [(step.fields[name], quantity) for name, quantity in outline.fields.items()],
            (self.rank, self.size),
            place=self.request.place_fields,
            lost=payloads,
        )

    def declare(self, target: WriteStep, share: TableShare, payloads: PayloadLosses) -> None:
        """Independent. Declare the columns of a table, with the bytes of this rank's strings."""
        # Elsewhere strings are only measured by `weigh`.
        sizes = self.text_sizes(share) if target.pads_texts or not target.weighs_values else {}
        for name, constant in share.constants.items():
            quantity = share.columns[name]
            target.put_constant(
                quantity.name, constant.value, quantity.texts, quantity.type, table=share.new_table
            )
        for name, quantity in share.varying.items():
            target.declare(
                quantity.name,
                quantity.type,
                table=share.new_table,
                string_bytes=sizes[name].total if name in sizes else 0,
                longest_string=sizes[name].longest if name in sizes else 0,
                like=quantity,
            )
            payloads.watch(("column", name), share.table[name].type, quantity.type)
        target.rows(share.rows_written, table=share.new_table)
        pass_on_expansion(target, share)

    def declare_absent(self, target: WriteStep, step: Step) -> None:
        """Independent. Declare tables that only other steps have, without rows."""
        absent = {} if self.common is None else self.common.absent(step)
        for name, columns in absent.items():
            for quantity in self.wanted(columns).values():
                target.declare(quantity.name, quantity.type, table=self.new_table(name), like=quantity)
            target.rows(0, table=self.new_table(name))

    def text_sizes(self, share: TableShare) -> dict[str, TextSize]:
        """Independent. Return the sizes of the strings of each column on this rank, from a pass over them."""
        names = [name for name in share.varying if share.table[name].type == "string"]
        sizes = {name: TextSize() for name in names}
        if names:
            for block in share.blocks(names, share.rows_per_block(names)):
                for name in names:
                    lengths = [len(text.encode("utf-8", "surrogateescape")) for text in block[name]]
                    sizes[name].add(sum(lengths), max(lengths, default=0))
        return sizes

    def blocks(self, share: TableShare) -> Iterator[tuple[int, dict[str, Any]]]:
        """Independent. Yield this rank's rows block by block, by the names in the target."""
        names = list(share.varying)
        if not names:
            return
        first = 0
        for block in share.blocks(names, share.rows_per_block(names)):
            yield first, {share.columns[name].name: values for name, values in block.items()}
            first += len(block[names[0]])

    def weigh_rows(self, target: WriteStep, share: TableShare) -> None:
        """Independent. Measure this rank's rows, for text and compressed data of unknown size."""
        for first, block in self.blocks(share):
            doing("measuring", first, share.rows_written)
            target.weigh(block, table=share.new_table)

    def write_rows(
        self, target: WriteStep, share: TableShare, payloads: PayloadLosses, nan: NanCounts
    ) -> None:
        """Independent. Write this rank's rows block by block."""
        for first, block in self.blocks(share):
            target.write(first, block, table=share.new_table)
            if self.request.table in ("", share.table.name):
                nan.look_at({name: block[quantity.name] for name, quantity in share.varying.items()})
            for name, quantity in share.varying.items():
                payloads.look_at(("column", name), block[quantity.name], quantity.type)
            if self.observer.progress is not None:
                self.observer.progress(len(next(iter(block.values()))))


def lost_definitions(source: File) -> list[Change]:
    """Independent. Return the loss of declarations in a target that cannot store them without steps."""
    given = source.declared
    if given is None:
        return []
    columns = sum(len(table.columns) for table in given.tables.values())
    counts = {"attribute": len(given.attrs), "column": columns, "field": len(given.fields)}
    parts = [f"{count} {kind}{'s' * (count > 1)}" for kind, count in counts.items() if count]
    if not parts:
        return []
    text = f"the definitions of {', '.join(parts)} are left out: the target cannot store them without steps"
    return [lost("", "", text)]


def check_columns(request: Request, step: Step) -> None:
    """Independent. Raises MissingError if a requested column is in no table of a step."""
    if request.columns is not None and step.tables:
        defined = {one.name for one in request.definitions}
        asked = [name for name in request.columns if name not in defined]
        select_names(asked, [n for table in step.tables.values() for n in table.columns], "column")
