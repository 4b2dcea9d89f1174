"""Requirements of programs on the files that they read. Profiles are data, in the folder `profiles`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quire import units
from quire.beam.binding import units_of
from quire.beam.conventions import convention_named
from quire.beam.request import BeamRequest
from quire.errors import ConflictError, Error, MissingError, UnsupportedError, UsageError
from quire.io.expression import Expression
from quire.io.fit import Change
from quire.io.formats import format_for_path, has_compressed_suffix
from quire.near import there_is_no
from quire.toolkit.adaptation import Adaptation
from quire.toolkit.changes import added, changed, converted, lost, unread
from quire.toolkit.conversion import (
    Conversion,
    ConversionTarget,
    Converter,
    TargetAttribute,
    is_convertible,
    representation,
)
from quire.toolkit.definitions import Definition, define_command
from quire.toolkit.layers import lacks_place
from quire.toolkit.selection import is_number, joined_conditions, resolve_rows, select_steps

if TYPE_CHECKING:
    from quire import Column, File, Step, Table
    from quire.toolkit.request import Request

SUFFIX = ".toml"

Need = tuple[Definition | None, "Change"]
"""A definition that a program needs, if any, and the resulting change."""


@dataclass(frozen=True)
class ProfileColumn:
    """A column that the program reads. The first of `types` is written; columns of the other types are kept.

    `units` are converted to `unit` by their factors. `missing` is an expression for a missing column. `hint`
    describes one that the user computes, `example` is an expression for it. With `any_unit` units are kept.
    Values above `largest` are reported. An `optional` column is written if all steps have it. `print` is a
    printf format, for text.
    """

    name: str
    unit: str = ""
    types: Sequence[str] = ("float64",)
    units: Mapping[str, float] = field(default_factory=dict)
    missing: str | None = None
    hint: str = ""
    example: str = ""
    any_unit: bool = False
    largest: int | None = None
    optional: bool = False
    print: str = ""

    def advice(self, table: Table, path: str) -> str:
        """Independent. Return the command that adds the column, with its example if the table allows it."""
        example, hint = self.example, self.hint
        try:
            Expression(example or "EXPR").compile(*table.scope(), table)
        except Error:
            hint = f"EXPR: {hint}, such as {example}" if example else hint
            example = "EXPR"
        what = f" ({hint})" if hint else ""
        return f"add it{what} by: {define_command(path, self.name, self.unit, example)}"

    def factor_of(self, unit: str) -> float | None:
        """Independent. Return the factor from a unit to that of the column; None if it is not known."""
        if unit in self.units or not unit or not self.unit:
            return self.units.get(unit)
        try:
            found = units.scale(unit, self.unit)
        except Error:
            return None
        return 1.0 / found.factor if found.divides else found.factor


@dataclass(frozen=True)
class ProfileTime:
    """The attribute of the time that all steps need, and the attributes that provide it."""

    name: str
    sources: Sequence[str]


@dataclass(frozen=True)
class Profile:
    """The files that a program accepts.

    `single_values`: no fields, and no attributes with several values. `keep_others`: other columns are copied
    with the types of `widened`; if a name matches a pattern of `doubtful`, its reason is reported. The
    columns of `one_type` have the same type. `renumber`: steps are numbered from 0. Attributes of steps that
    match `attributes_left_out` are left out, except that of the time. `place_fields` is the reason why fields
    need coordinates, `alike_fields` why they need the same extents. `same_columns`: other columns are only
    copied if all steps have them. `convention` is the phase-space convention of the columns: particles of
    another one are converted.

    Without a `format` the file is text: the columns in order, without names. `suffixes` are accepted besides
    those of the format. The table is written by the name `table`, with these `attributes`, and the file with
    `file_attributes`. `reference_row`: a row of the mean precedes converted particles. `instead` is the
    command that writes what the program reads.
    """

    name: str
    title: str
    columns: Sequence[ProfileColumn]
    format: str = ""
    suffixes: Sequence[str] = ()
    table: str = ""
    attributes: Mapping[str, TargetAttribute] = field(default_factory=dict)
    file_attributes: Mapping[str, str] = field(default_factory=dict)
    reference_row: bool = False
    instead: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    most_steps: int | None = None
    most_rows: int | None = None
    single_values: bool = False
    keep_others: bool = False
    widened: Mapping[str, str] = field(default_factory=dict)
    doubtful: Mapping[str, str] = field(default_factory=dict)
    one_type: Sequence[str] = ()
    renumber: bool = False
    time: ProfileTime | None = None
    attributes_left_out: str | None = None
    place_fields: str = ""
    alike_fields: str = ""
    same_columns: bool = False
    convention: str = ""

    def check_target(self, target: str | Path, request: Request) -> None:
        """Independent. Raises UsageError if the program cannot read the format of the target.

        The request takes precedence over the suffix of the name.
        """
        if self.instead:
            raise UsageError(f"{self.name} reads what another command writes", advice=f"use {self.instead}")
        what = self.format or "plain text"
        if request.format not in (None, self.format):
            raise UsageError(f"{self.name} reads {what}, not {request.format}")
        claimed = format_for_path(target)
        if Path(target).suffix in self.suffixes:
            claimed = None
        if request.format is None and claimed not in (None, self.format):
            raise UsageError(
                f"{self.name} reads {what}, but the suffix of '{target}' is that of {claimed}",
                advice="choose another name" + (f", or say --format {self.format}" if self.format else ""),
            )
        plain = self.options.get("compression") == "none" and "compression" not in request.options
        if plain and has_compressed_suffix(target):
            raise UsageError(
                f"{self.name} reads no compressed files, but the suffix of '{target}' is that of one",
                advice="choose another name, or say --option compression=none",
            )

    def adapt(self, request: Request, file: File) -> Adaptation:
        """Independent. Return the request that writes a file for the program, and its changes.

        Raises MissingError for columns, ConflictError for units, UnsupportedError for too many steps or rows.
        """
        if request.columns is not None or request.definitions:
            raise UsageError(f"the columns are those that {self.name} reads; leave the others out")
        for name, value in request.options.items():
            if self.options.get(name, value) != str(value):
                raise UsageError(f"{self.name} needs the option {name}={self.options[name]}")
        chosen = list(select_steps(file, request.steps))
        steps = [step for _, step in chosen]
        if self.most_steps is not None and len(steps) > self.most_steps:
            raise UnsupportedError(
                f"{self.name} reads {self.most_steps} step, here are {len(steps)}",
                file=file.path,
                advice=f'choose one, such as steps="{steps[0].number}"',
            )
        adapted = replace(
            request,
            options={**self.options, **request.options},
            columns=None if self.keep_others else [column.name for column in self.columns],
            single_values=self.single_values,
            replace=True,
            renumber=self.renumber,
            place_fields=bool(self.place_fields),
            new_table=self.table,
            file_attributes=self.file_attributes,
        )
        result = Adaptation(adapted, len(steps))
        for made, change in self.changes_of_steps(steps, file):
            result.report(change)
            if made is not None:
                result.definitions.append(made)
        if self.attributes_left_out is not None:
            keep = self.time.name if self.time is not None else ""
            dropped = {
                name
                for step in steps
                for name in step.attrs
                if name != keep and re.fullmatch(self.attributes_left_out, name)
            }
            result.base = replace(adapted, dropped_attributes=frozenset(dropped))
            for name in sorted(dropped):
                result.report(Change("left out", "attribute", name, "", f"{self.name} take it for a time"))
        self.adapt_columns(result, chosen, file)
        return result

    def adapt_columns(self, result: Adaptation, chosen: Sequence[tuple[int, Step]], file: File) -> None:
        """Independent. Add the definitions for the columns of each step."""
        tables = [self.table_of(step, result.base, file) for _, step in chosen]
        first: dict[str, Column] = {}
        for table in tables:
            for name, column in table.columns.items():
                first.setdefault(name, column)
        if self.same_columns:
            needed = {column.name for column in self.columns}
            common = set(first).intersection(*(table.columns for table in tables)) | needed
            dropped = [name for name in first if name not in common]
            result.base = replace(result.base, dropped_columns=frozenset(dropped))
            result.losses += [lost("column", name, "left out: not every step has it") for name in dropped]
        conversions = [self.conversion(table, result.base) for table in tables]
        self.drop_optional(result, tables, conversions)
        for (index, step), table, conversion in zip(chosen, tables, conversions, strict=True):
            self.rename(result, step, table)
            result.convert(self.name, index, step.number, conversion)
            for made, change in self.changes(step, table, result.base, file, first, conversion.columns):
                result.report(change, step.number)
                if made is not None:
                    result.step_definitions.setdefault(index, []).append(made)

    def rename(self, result: Adaptation, step: Step, table: Table) -> None:
        """Independent. Report another name of the table, and leave out attributes that it gets anew."""
        if self.table in ("", table.name) or not table.name:
            return
        what = f"{self.name} reads a table of this name"
        result.report(Change("renamed", "table", table.name, self.table, what), step.number)
        again = {f"{table.name}/{name}" for name in self.attributes}.intersection(step.attrs)
        result.base = replace(
            result.base, dropped_attributes=result.base.dropped_attributes | frozenset(again)
        )

    def drop_optional(
        self, result: Adaptation, tables: Sequence[Table], conversions: Sequence[Conversion]
    ) -> None:
        """Independent. Do not ask for optional columns that a step lacks."""
        if result.base.columns is None:
            return
        pairs = list(zip(tables, conversions, strict=True))
        absent = {
            column.name
            for column in self.columns
            if column.optional
            and not all(column.name in (one.columns or table.columns) for table, one in pairs)
        }
        kept = [name for name in result.base.columns if name not in absent]
        result.base = replace(result.base, columns=kept)

    def conversion(self, table: Table, request: Request) -> Conversion:
        """Independent. Return the conversion of the particles of a table to the convention of the program.

        There is none if the columns are those of the program, or of no convention. Raises UsageError and
        ConflictError for particles that cannot be converted.
        """
        if not self.convention:
            return Conversion()
        target, convention = convention_named(self.convention), request.convention
        if convention is None and not is_convertible(table, target):
            if not self.attributes or not target.fits(units_of(table)):
                return Conversion()
            convention = target.name
        where = request.where
        if request.rows != slice(None):
            first, count = resolve_rows(request.rows, len(table))
            chosen = f"row >= {first} and row < {first + count}"
            where = joined_conditions(where, chosen)
        asked = BeamRequest(where, convention=convention, species=request.species)
        wanted = ConversionTarget(
            target,
            {column.name: column.types[0] for column in self.columns},
            self.table,
            self.attributes,
            self.reference_row,
        )
        return Converter(table, wanted, asked, where is not None).convert()

    def table_of(self, step: Step, request: Request, file: File) -> Table:
        """Independent. Return the table that the program reads. Raises MissingError and UsageError."""
        if not request.table and len(step.tables) > 1:
            raise UsageError(
                f"there are several tables; choose one of {', '.join(step.tables)} by table=NAME"
            )
        if not step.tables:
            raise MissingError(f"step {step.number} has no table, {self.name} reads one", file=file.path)
        return step.tables[request.table] if request.table else step.table

    def changes_of_steps(self, steps: Sequence[Step], file: File) -> Iterator[Need]:
        """Independent. Yield the changes of steps except columns: numbers and times."""
        numbers = [step.number for step in steps]
        if self.renumber and numbers != list(range(len(numbers))):
            yield None, changed(f"the steps are numbered anew, from 0 to {len(numbers) - 1}")
        if self.time is None:
            return
        source = next((one for one in self.time.sources if all(is_number(step, one) for step in steps)), None)
        if source == self.time.name and all(step.attrs.info[source].type == "float64" for step in steps):
            return
        text = "step" if source is None else f"`{source}`"
        unit = steps[0].attrs.info[source].unit if source is not None and steps else ""
        made = Definition(self.time.name, Expression(text), unit, "float64", kind="attribute")
        yield made, added(described(text), "attribute", self.time.name)

    def changes(
        self,
        step: Step,
        table: Table,
        request: Request,
        file: File,
        first: Mapping[str, Column],
        ready: Container[str] = (),
    ) -> Iterator[Need]:
        """Independent. Yield the definitions that replace columns of a step, each with its change.

        `first` are the columns of all steps, each from the first step that has it. The columns `ready` are
        converted already.
        """
        count = resolve_rows(request.rows, len(table))[1]
        if self.most_rows is not None and count > self.most_rows:
            raise UnsupportedError(
                f"{self.name} reads {self.most_rows} rows at most, here are {count}", file=file.path
            )
        for column in self.columns:
            is_absent = column.optional and column.name not in (request.columns or ())
            if column.name not in ready and not is_absent:
                yield from self.change(column, table, file, first)
        wanted = {column.name for column in self.columns}
        if self.keep_others:
            yield from self.changes_of_others(
                [
                    one
                    for name, one in table.columns.items()
                    if name not in wanted and name not in request.dropped_columns
                ]
            )
        else:
            yield from (
                (None, unread(self.name, "column", name)) for name in table.columns if name not in wanted
            )
        yield from ((None, change) for change in self.changes_of_fields(step))
        if self.single_values:
            yield from ((None, unread(self.name, "field", name)) for name in step.fields)

    def changes_of_fields(self, step: Step) -> Iterator[Change]:
        """Independent. Yield the changes of copied fields."""
        if self.place_fields:
            for name, item in step.fields.items():
                if lacks_place(item):
                    yield changed(f"gets origin 0 and spacing 1: {self.place_fields}", "field", name)
        if self.alike_fields and len({tuple(item.extents) for item in step.fields.values()}) > 1:
            yield changed(f"the fields stay, but {self.alike_fields}")

    def changes_of_others(self, columns: Sequence[Column]) -> Iterator[Need]:
        """Independent. Yield the changes of other copied columns."""
        for column in columns:
            wide = self.widened.get(column.type)
            if wide is not None:
                made = Definition(
                    column.name,
                    Expression(f"`{column.name}`"),
                    column.unit,
                    wide,
                    symbol=column.symbol,
                    description=column.description,
                    kind="column",
                )
                yield made, converted(f"from {column.type} to {wide}", "column", column.name)
            for pattern, why in self.doubtful.items():
                if re.fullmatch(pattern, column.name):
                    yield None, changed(f"stays, but {why}", "column", column.name)

    def type_of(self, column: ProfileColumn, table: Table) -> str:
        """Independent. Return the type in which a column of the table is written."""
        found = table.columns[column.name].type
        kind = found if found in column.types else column.types[0]
        together = {table.columns[name].type for name in self.one_type if name in table.columns}
        return column.types[0] if column.name in self.one_type and len(together) > 1 else kind

    def change(
        self, column: ProfileColumn, table: Table, file: File, first: Mapping[str, Column]
    ) -> Iterator[Need]:
        """Independent. Yield the changes of one column, if any."""
        name = column.name
        if name not in table.columns:
            if column.missing is None:
                raise MissingError(
                    f"{self.name} reads a column {name}, which is missing",
                    file=file.path,
                    object=name,
                    advice=column.advice(table, file.path),
                )
            kind, unit = column.types[0], column.unit
            if name in self.one_type:
                alike = next(one for one in self.columns if one.name in self.one_type)
                kind, unit = self.type_of(alike, table), table.columns[alike.name].unit
            if name in first and column.any_unit:
                # A file has one unit for a column of all steps.
                unit = first[name].unit
            made = Definition(name, Expression(column.missing), unit, kind, kind="column")
            yield made, added(described(column.missing), "column", name)
            return
        found = table.columns[name]
        wanted_unit = found.unit if column.any_unit else column.unit
        factor = 1.0 if found.unit == wanted_unit else column.factor_of(found.unit)
        if factor is None:
            known = ", ".join(f'"{unit}"' for unit in (column.unit, *column.units))
            raise ConflictError(
                f'its unit is "{found.unit}", but {self.name} wants "{column.unit}"; known are {known}',
                file=file.path,
                object=name,
            )
        if column.largest is not None and greatest(table, name) > column.largest:
            yield (
                None,
                changed(f"stays, but {self.name} read numbers up to {column.largest} only", "column", name),
            )
        kind = self.type_of(column, table)
        if column.missing is not None and exceeds(table, name, kind):
            made = Definition(name, Expression(column.missing), wanted_unit, kind, kind="column")
            yield made, changed(f"{described(column.missing)}, since it exceeds {kind}", "column", name)
            return
        if found.unit == wanted_unit and found.type == kind:
            return
        text = f"`{name}`" if factor == 1.0 else f"`{name}` * {factor!r}"
        made = Definition(
            name,
            Expression(text),
            wanted_unit,
            kind,
            symbol=found.symbol,
            description=found.description,
            kind="column",
        )
        what = representation((found.unit, wanted_unit), (found.type, kind), factor)
        yield made, converted(what, "column", name)


def greatest(table: Table, name: str) -> Any:
    """Independent. Return the greatest value of a column of numbers; 0 if there is none."""
    return max((block[name].max() for _, block in table.blocks([name]) if block[name].size), default=0)


def exceeds(table: Table, name: str, kind: str) -> bool:
    """Independent. Return whether a column of integers has values that a narrower integer type lacks."""
    found, wanted = table.columns[name].dtype, np.dtype(kind)
    if found.kind not in "iu" or wanted.kind not in "iu" or np.can_cast(found, wanted):
        return False
    return int(greatest(table, name)) > np.iinfo(wanted).max


def described(text: str) -> str:
    """Independent. Return in words how the values of an expression of a profile are made."""
    words = {
        "row": "numbered from 0",
        "row + 1": "numbered from 1",
        "0.0 * row": "0 in every row",
        "step": "the number of the step",
    }
    name = re.fullmatch(r"`([^`]+)`", text)
    if name or text.isdigit():
        return f"the same as {name[1]}" if name else f"{text} in every row"
    return words.get(text, f"computed as {text}")


def profile_names() -> list[str]:
    """Independent. Return the names of the profiles."""
    folder = resources.files("quire") / "profiles"
    return sorted(item.name.removesuffix(SUFFIX) for item in folder.iterdir() if item.name.endswith(SUFFIX))


def profile_named(name: str) -> Profile:
    """Independent. Return the profile of a program. Raises UsageError that lists the names."""
    if name not in profile_names():
        raise UsageError(there_is_no("program", name, profile_names()))
    text = (resources.files("quire") / "profiles" / f"{name}{SUFFIX}").read_text(encoding="utf-8")
    content: dict[str, Any] = tomllib.loads(text)
    columns = [ProfileColumn(**column) for column in content.pop("columns", [])]
    attributes = content.pop("attributes", {})
    content["attributes"] = {one: TargetAttribute(**described) for one, described in attributes.items()}
    time = content.pop("time", None)
    if time is not None:
        content["time"] = ProfileTime(time["name"], time["from"])
    return Profile(name=name, columns=columns, **content)
