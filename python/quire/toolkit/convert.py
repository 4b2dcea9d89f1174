"""Copy a file to any format: the engine of `quire convert`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import quire
from quire.errors import BadFileError, ConflictError, TypeMismatchError, UsageError, errors_in_family
from quire.io.arguments import text
from quire.io.communicator import core_comm
from quire.io.fit import fit_numbers
from quire.io.formats import format_for_path, format_info, format_infos, formats, option_texts
from quire.io.refusal import agreed
from quire.toolkit.attachments import copy_attachments, left_out
from quire.toolkit.copier import StepCopier, check_columns, copy_attributes
from quire.toolkit.replacing import leftover_files, place_of, refuse_overwriting, sync_directory
from quire.toolkit.request import CopyKeywords, CopyReport, Observer, Request, names_only_table
from quire.toolkit.selection import StepSelection, parse_names, parse_steps, require_found, select_steps
from quire.toolkit.structure import common_structure

if TYPE_CHECKING:
    from quire import File, Writer

NUMBERING = "step_parameter"
"""The option and layout property that steps have stored numbers instead of being counted."""
NUMBER_TYPE = "step_type"
"""The same for the type of these numbers, if it is not the default."""

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".dat")
"""Suffixes of plain text, which is exported and not converted."""


def target_format(target: str | Path, name: str | None) -> str:
    """Independent. Return the format to write: the given one or that of the suffix. Raises UsageError."""
    if name is not None:
        return format_info(name).name
    found = format_for_path(target)
    if found is None and (os.path.isdir(target) or str(target).endswith("/")):
        raise UsageError(
            f"'{target}' is a directory",
            advice=f"name a file, such as {Path(target, 'new')}{format_infos()[0].suffixes[0]}",
        )
    if found is None:
        is_text = Path(target).suffix.lower() in TEXT_SUFFIXES
        ways = f"name the format: {', '.join(formats())}"
        advice = "quire export writes tables as text" if is_text else ways
        raise UsageError(f"no format is known by the suffix of '{target}'; {advice}")
    return found


def requested_format(target: str | Path, request: Request) -> str:
    """Independent. Return the format to write, "" for the text of a profile. Raises UsageError."""
    if request.profile is None:
        return target_format(target, request.format)
    request.profile.check_target(target, request)
    return request.profile.format


def rehearse(
    source: str | Path, target: str | Path, request: Request, observer: Observer | None = None
) -> CopyReport:
    """Independent. Return the losses and changes of a copy, from all selected steps.

    Raises UsageError where the copy would.
    """
    name = requested_format(target, request)
    if not name:
        from quire.toolkit.text_profile import rehearse_text

        return rehearse_text(source, request, observer or Observer())
    copier = StepCopier(request, name, None, observer or Observer())
    with quire.open(source, quire.SELF, **request.source_options) as file:
        copier.suit(file)
        require_room(file, copier.request, name)
        copier.report_changes(left_out(file, name))
        copier.of_file(file)
        for step in copier.steps(file):
            check_columns(copier.request, step)
            copier.foresee(file, step)
            copier.report.steps += 1
        copier.declare_steps(file)
        copier.report.unreadable = dict(file.unreadable)
    return copier.report


def checked_rows(rows: slice | None) -> slice:
    """Independent. Return the slice of rows of all tables, by default all. Raises type and usage errors."""
    if rows is None:
        return slice(None)
    if not isinstance(rows, slice):
        raise TypeMismatchError(f"rows must be a slice, not a {type(rows).__name__}")
    rows.indices(0)  # raises errors of the slice
    return rows


@errors_in_family
def copy(
    source: str | Path,
    target: str | Path,
    *,
    comm: Any = None,
    observer: Observer | None = None,
    **keywords: Unpack[CopyKeywords],
) -> CopyReport:
    """Collective. Copy a file to another format (or the same). The ranks of `comm` share the rows.

    Blocks of 16 MiB per rank are copied, for any size of the file: tables by rows and fields by boxes of
    whole chunks. Fields that the target stores as a whole, and fields of strings, need more. Attributes
    keep types, units and texts, steps their numbers. If all steps of the target must have the same structure,
    objects that are not in all steps are left out and reported as a loss. The target appears when it is
    complete, and does not depend on the number of ranks. Damaged steps are left out if others can be read,
    see `CopyReport.unreadable`.

    Parameters
    ----------
    comm : a communicator of mpi4py, or `quire.SELF`. It is required in a program of several ranks
    observer : functions that are called during the copy
    keywords : what is copied and how it is written, all optional: format, steps, columns, rows, where, table,
        program, transport, durable, lossy, overwrite, options; see `quire.toolkit.request.CopyKeywords`

    Raises
    ------
    ConflictError : the target exists (unless `overwrite`) or is the source
    TypeMismatchError : values would change (unless `lossy`)
    UnsupportedError : the target can store none of the tables, fields and streams
    MissingError : a requested step or column does not exist; and errors of reading and writing

    >>> report = quire.copy("beam.h5", "part.h5", steps="5-15", columns=["x", "px"], where="x > 0")
    >>> report.steps, report.losses
    (3, [])
    """

    def asked() -> Request:
        request = request_of(keywords)
        requested_format(target, request)
        return request

    said = (str(target), *sorted(keywords.items()))
    request = agreed(core_comm(comm), "a copy with", asked, said)
    return carry_out(source, target, request, comm, observer or Observer())


def request_of(keywords: CopyKeywords) -> Request:
    """Independent. Return the request of a caller. Raises usage and type errors."""
    from quire.toolkit.profiles import profile_named

    for name in keywords.keys() - CopyKeywords.__annotations__.keys():
        raise UsageError(
            f"copy has no keyword {name}", advice=f"options of the writer: options={{'{name}': ...}}"
        )
    options = keywords.get("options", {})
    if not isinstance(options, Mapping):
        raise TypeMismatchError(f"options must be a mapping, not a {type(options).__name__}")
    steps, columns, program = keywords.get("steps"), keywords.get("columns"), keywords.get("program")
    if isinstance(columns, str):
        columns = parse_names(columns)
    table, where, rows = keywords.get("table", ""), keywords.get("where"), checked_rows(keywords.get("rows"))
    profile = None if program is None else profile_named(program)
    return Request(
        format=keywords.get("format"),
        options=options,
        steps=steps if isinstance(steps, StepSelection) else parse_steps(steps),
        columns=None if columns is None else [text("the name of a column", name) for name in columns],
        rows=rows,
        transport=keywords.get("transport", "posix"),
        durable=keywords.get("durable", False),
        lossy=keywords.get("lossy", False),
        overwrite=keywords.get("overwrite", False),
        where=where,
        table=text("the name of a table", table),
        only_table=names_only_table(table, where, rows, profile),
        profile=profile,
        convention=keywords.get("convention"),
        species=keywords.get("species"),
    )


def carry_out(
    source: str | Path, target: str | Path, request: Request, comm: Any, observer: Observer
) -> CopyReport:
    """Collective. Carry out a request; see `copy`."""
    name = requested_format(target, request)
    if not name:
        from quire.toolkit.text_profile import write_as_text

        return write_as_text(source, target, request, comm, observer)

    def look() -> None:
        # One rank opens the files for all.
        if comm is None or comm.rank == 0:
            refuse_overwriting(source, target, request.overwrite, name)

    agreed(core_comm(comm), "a copy to", look, str(target))
    with quire.open(source, comm=comm, **request.source_options) as file:
        return copy_open_file(file, target, StepCopier(request, name, comm, observer))


def copy_open_file(file: File, target: str | Path, copier: StepCopier) -> CopyReport:
    """Collective. Copy an open file, by the request of a copier, to a file that replaces the target."""

    def write_steps() -> None:
        with opened_target(file, target, copier) as out:
            for step in copier.steps(file):
                check_columns(copier.request, step)
                copier.copy(file, step, out)

    prepare(file, target, copier)
    write_alike(file, [copier], write_steps)
    finish(file, target, copier)
    return copier.report


def prepare(file: File, target: str | Path, copier: StepCopier) -> None:
    """Collective. Adapt the request of a copier to an open file and the format of the target."""
    copier.warn(leftover_files(target) if file.rank == 0 else [])
    copier.suit(file)
    require_room(file, copier.request, copier.format)
    options = numbering(file, copier.request, copier.format) | dict(copier.request.options)
    copier.request = replace(copier.request, options=options)


def write_alike(file: File, copiers: Sequence[StepCopier], write: Callable[[], None]) -> None:
    """Collective. Write files; if a format needs the same structure in all steps, write what is common."""
    try:
        write()
    except ConflictError:
        commons = [common_structure(copier.steps(file), partial(copier.fit, file)) for copier in copiers]
        if not any(common.changes for common in commons):
            raise
        for copier, common in zip(copiers, commons, strict=True):
            copier.begin_again(common)
        write()


def finish(file: File, target: str | Path, copier: StepCopier) -> None:
    """Collective. Complete the report after a target is written."""
    copier.report.unreadable = dict(file.unreadable)
    if copier.request.durable and copier.rank == 0:
        sync_directory(target)


def require_room(file: File, request: Request, format: str) -> None:
    """Collective. Raise UsageError before the copy if a file of one step would contain several."""
    if not format_info(format).one_step:
        return
    chosen = [step for _, step in islice(select_steps(file, request.steps), 2)]
    if len(chosen) > 1 and not request.drop_empty:
        if format_info(format).holds_streams and not chosen[0].streams:
            from quire.toolkit.streams import no_streams

            raise no_streams(file, chosen[0], format)
        raise UsageError(
            f"a file of the format {format} is one step, and there are several to convert",
            file=file.path,
            advice=f'choose one, such as steps="{chosen[0].number}"',
        )


def numbering(file: File, request: Request, format: str) -> dict[str, Any]:
    """Collective. Return the writer's options for the numbers of steps.

    If steps are counted and all are copied, the target does not store numbers either. Otherwise the type of
    the numbers is that of the source, or one that the target needs for them. Returns no options if the target
    has none, or if the request contains them.
    """
    options = {option.name for option in format_info(format).write_options} - set(request.options)
    all_steps = request.steps.is_all and not request.drop_empty
    if all_steps and file.layout.get(NUMBERING) == "0":
        return {NUMBERING: False} if NUMBERING in options else {}
    number_type = file.layout.get(NUMBER_TYPE)
    if number_type:
        return {NUMBER_TYPE: number_type} if NUMBER_TYPE in options else {}
    counts = option_texts(dict(request.options)).get(NUMBERING) == "false" or request.renumber
    is_usual = NUMBERING in file.layout
    # Reading all numbers takes time, and is not needed for formats that can store any number.
    if counts or is_usual or not fit_numbers(format, (-(1 << 63), (1 << 63) - 1)):
        return {}
    try:
        bounds: list[int] = []
        for number in file.each_number():
            if number in request.steps:
                bounds = [*bounds[:1], number]
    except BadFileError:
        return {}  # the steps before the damage may be sufficient
    return {name: value for name, value in fit_numbers(format, bounds).items() if name in options}


@contextmanager
def opened_target(file: File, target: str | Path, copier: StepCopier) -> Iterator[Writer]:
    """Collective. Create the file that replaces the target, with what belongs to no step. Checks it at the
    end.
    """
    request, comm = copier.request, copier.comm
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
            **options,
        )
        with out:
            out.title, out.contents = file.title, file.contents
            copy_attributes(out, file.attrs.info, copier.of_file(file))
            copier.add_attributes(file, out)
            copier.report_changes(copy_attachments(file, out, copier.format))
            yield out
            require_found(copier.report.steps + copier.report.dropped_steps, request.steps, file.path)
            copier.declare_steps(file, out)
            copier.require_content(file.path)
            copier.require_rows(file.path)
            if remarks := out.remarks:
                known = set(copier.report.reported.single_sentences())
                copier.warn([remark for remark in remarks if remark not in known])
            copier.closing(file, out, target)
