"""Copy a file into any format: the engine of `quire convert`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import quire
from quire.errors import BadFileError, ConflictError, TypeMismatchError, UsageError, errors_in_family
from quire.io.arguments import text
from quire.io.communicator import core_comm
from quire.io.fit import fit_numbers
from quire.io.formats import format_for_path, format_info, formats, option_texts
from quire.io.refusal import agreed
from quire.toolkit.attachments import copy_attachments, left_out
from quire.toolkit.copier import StepCopier, check_columns, copy_attributes
from quire.toolkit.replacing import left_behind, place_of, refuse_overwriting, sync_directory
from quire.toolkit.request import CopyReport, Observer, Request, names_only_table
from quire.toolkit.selection import StepSelection, parse_steps, require_found, select_steps
from quire.toolkit.structure import common_structure

if TYPE_CHECKING:
    from quire import File

NUMBERING = "step_parameter"
"""The option, and the fact of a layout, that steps have numbers of their own instead of being counted."""
NUMBER_TYPE = "step_type"
"""The same of the type of these numbers, where it is not the usual one."""

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".dat")
"""What names of plain text end in, which is exported and not converted."""


def target_format(target: str | Path, name: str | None) -> str:
    """Independent. The format to write: the given name or that of the suffix. Raises UsageError."""
    if name is not None:
        return format_info(name).name
    found = format_for_path(target)
    if found is None:
        is_text = Path(target).suffix.lower() in TEXT_SUFFIXES
        ways = f"name the format: {', '.join(formats())}"
        advice = "quire export writes tables as text" if is_text else ways
        raise UsageError(f"no format is known by the suffix of '{target}'; {advice}")
    return found


def requested_format(target: str | Path, request: Request) -> str:
    """Independent. The format to write, which a profile decides. Raises UsageError."""
    if request.profile is None:
        return target_format(target, request.format)
    request.profile.check_target(target, request)
    return request.profile.format


def rehearse(
    source: str | Path, target: str | Path, request: Request, observer: Observer | None = None
) -> CopyReport:
    """Independent. What a copy will tell of losses and changes, looking at all selected steps."""
    name = requested_format(target, request)
    copier = StepCopier(request, name, None, observer or Observer())
    with quire.open(source, **request.source_options) as file:
        copier.suit(file)
        copier.tell(left_out(file, name))
        copier.of_file(file)
        for step in copier.steps(file):
            check_columns(copier.request, step)
            copier.foresee(file, step)
            copier.report.steps += 1
        copier.declare_steps(file)
        copier.report.unreadable = dict(file.unreadable)
    return copier.report


def checked_rows(rows: slice | None) -> slice:
    """Independent. The rows of every table, all if nothing. Type and usage errors for what is no slice."""
    if rows is None:
        return slice(None)
    if not isinstance(rows, slice):
        raise TypeMismatchError(f"rows are a slice, not a {type(rows).__name__}")
    rows.indices(0)  # raises what is wrong inside
    return rows


@errors_in_family
def copy(
    source: str | Path,
    target: str | Path,
    *,
    comm: Any = None,
    format: str | None = None,
    steps: str | StepSelection | None = None,
    columns: Sequence[str] | None = None,
    rows: slice | None = None,
    where: str | None = None,
    table: str = "",
    program: str | None = None,
    transport: str = "posix",
    durable: bool = False,
    lossy: bool = False,
    overwrite: bool = False,
    observer: Observer | None = None,
    **options: Any,
) -> CopyReport:
    """Collective. Copy a file into another format (or the same), the ranks of `comm` sharing the rows.

    Streams blocks of 16 MiB per rank, whatever the size of the file, tables by rows and fields by boxes of
    whole chunks; `docs/fields.md` (*Larger than memory*) names the fields that take more. Attributes keep
    types, units and texts, steps their numbers. Where the target wants all steps to have the same structure,
    what not every step has is left out and told as a loss. The target appears when it is complete; it does
    not depend on the number of ranks. Damaged steps that hide no others are left out:
    see `CopyReport.unreadable`.

    Parameters
    ----------
    comm : a communicator of mpi4py; None is this process alone
    format : of the target, by name; if nothing, by its suffix
    steps : by number, as on the command line: "1,4-8"
    columns : names or patterns, kept where a table has them; of elements the names of variables
    rows : a slice of every table
    where : an expression; only rows for which it holds are copied
    table : the name of the only table that is copied, without fields; one of coefficients with that of its
        elements. With `where` or `rows` the table that is meant, beside which all others are copied; with
        `program` the one that it reads, beside which fields are
    program : the profile of a program that shall read the target; see `quire.toolkit.profiles`
    transport, durable, lossy, options : as for `quire.create`
    overwrite : whether an existing target is replaced
    observer : who wants to know how it goes on

    Raises
    ------
    ConflictError : the target exists (unless `overwrite`) or is the source
    TypeMismatchError : values would change (unless `lossy`)
    UnsupportedError : the target can hold none of the tables, fields and streams
    MissingError : a step or column asked for is nowhere; and what reading and writing raise
    """
    from quire.toolkit.profiles import profile_named

    def asked() -> Request:
        wanted_rows = checked_rows(rows)
        profile = None if program is None else profile_named(program)
        request = Request(
            format=format,
            options=options,
            steps=steps if isinstance(steps, StepSelection) else parse_steps(steps),
            columns=None if columns is None else [text("the name of a column", name) for name in columns],
            rows=wanted_rows,
            transport=transport,
            durable=durable,
            lossy=lossy,
            overwrite=overwrite,
            where=where,
            table=text("the name of a table", table),
            only_table=names_only_table(table, where, wanted_rows, profile),
            profile=profile,
        )
        requested_format(target, request)
        return request

    said = (str(target), format, steps, columns, rows, where, table, program, options)
    request = agreed(core_comm(comm), "a copy with", asked, said)
    return carry_out(source, target, request, comm, observer or Observer())


def carry_out(
    source: str | Path, target: str | Path, request: Request, comm: Any, observer: Observer
) -> CopyReport:
    """Collective. Do what was requested; see `copy`."""
    name = requested_format(target, request)

    def look() -> None:
        # It opens files: one rank does so for all.
        if comm is None or comm.rank == 0:
            refuse_overwriting(source, target, request.overwrite)

    agreed(core_comm(comm), "a copy to", look, str(target))
    copier = StepCopier(request, name, comm, observer)
    with quire.open(source, comm=comm, **request.source_options) as file:
        copier.warn(left_behind(target) if file.rank == 0 else [])
        copier.suit(file)
        require_room(file, copier.request, name)
        options = numbering(file, copier.request, name) | dict(copier.request.options)
        copier.request = request = replace(copier.request, options=options)
        try:
            write_steps(file, target, copier, comm)
        except ConflictError:
            common = common_structure(copier.steps(file), partial(copier.fit, file))
            if not common.changes:
                raise
            copier.begin_again(common)
            write_steps(file, target, copier, comm)
        copier.report.unreadable = dict(file.unreadable)
    if request.durable and (comm is None or comm.rank == 0):
        sync_directory(target)
    return copier.report


def require_room(file: File, request: Request, format: str) -> None:
    """Collective. Raise UsageError beforehand if a format whose files are one step is to hold several."""
    if not format_info(format).one_step:
        return
    chosen = [step.number for _, step in islice(select_steps(file, request.steps), 2)]
    if len(chosen) > 1 and not request.drop_empty:
        raise UsageError(
            f"a file of the format {format} is one step, and there are several to convert",
            file=file.path,
            advice=f"choose one by --steps, such as --steps {chosen[0]}",
        )


def numbering(file: File, request: Request, format: str) -> dict[str, Any]:
    """Collective. Where steps are counted and all are copied, the option not to number those of the target.

    Else that of the type of their numbers, if the source has an unusual one, or what the target needs to take
    the numbers that there are. Nothing if the target has no such option, or the request says it.
    """
    options = {option.name for option in format_info(format).write_options} - set(request.options)
    all_steps = not request.steps.ranges and not request.drop_empty
    if all_steps and file.layout.get(NUMBERING) == "0":
        return {NUMBERING: False} if NUMBERING in options else {}
    number_type = file.layout.get(NUMBER_TYPE)
    if number_type:
        return {NUMBER_TYPE: number_type} if NUMBER_TYPE in options else {}
    counts = option_texts(dict(request.options)).get(NUMBERING) == "false" or request.renumber
    is_usual = NUMBERING in file.layout
    # To look for all numbers takes time, which formats that take any of them do not need.
    if counts or is_usual or not fit_numbers(format, (-(1 << 63), (1 << 63) - 1)):
        return {}
    try:
        bounds: list[int] = []
        for number in file.each_number():
            if number in request.steps:
                bounds = [*bounds[:1], number]
    except BadFileError:
        return {}  # what is whole before the damage may be enough
    return {name: value for name, value in fit_numbers(format, bounds).items() if name in options}


def write_steps(file: File, target: str | Path, copier: StepCopier, comm: Any) -> None:
    """Collective. Write the selected steps of an open file to one that takes the target's place."""
    request = copier.request
    options = dict(request.options)
    if format_info(copier.format).holds_streams:
        from quire.toolkit.streams import stream_options

        options = stream_options(file, copier.format, options)
    place, options = place_of(target, copier.format, options, comm)
    with place as beside:
        out = quire.create(
            beside,
            comm=comm,
            format=copier.format,
            transport=request.transport,
            durable=request.durable,
            lossy=request.lossy,
            title=file.title,
            contents=file.contents,
            **options,
        )
        with out:
            copy_attributes(out, file.attributes, copier.of_file(file))
            copier.tell(copy_attachments(file, out, copier.format))
            for step in copier.steps(file):
                check_columns(request, step)
                copier.copy(file, step, out)
            require_found(copier.report.steps + copier.report.dropped_steps, request.steps, file.path)
            copier.declare_steps(file, out)
            copier.require_content(file.path)
            copier.require_rows(file.path)
            if remarks := out.remarks:
                known = set(copier.report.told.single_sentences())
                copier.warn([remark for remark in remarks if remark not in known])
            copier.closing(file, out, target)
