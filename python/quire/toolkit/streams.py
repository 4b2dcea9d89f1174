"""Pack files into streams, unpack them, and rewrite files of streams: pack, unpack, repack.

The format of streams is selected by names and options.
"""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import quire
from quire.errors import (
    BadFileError,
    ConflictError,
    MissingError,
    MissingFileError,
    UnsupportedError,
    UsageError,
)
from quire.io.fit import Fit, fit
from quire.io.formats import format_for_path, format_info, format_infos
from quire.toolkit.replacing import REPLACED, plain_replacement, refuse_overwriting
from quire.toolkit.selection import StepSelection, even_slice

if TYPE_CHECKING:
    from quire import File, Step, Stream, WriteStep, WriteStream

BLOCK_BYTES = 4 << 20

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Packing:
    """How a file of streams is written: its format, options, and chunk size.

    Without a chunk size each stream is one chunk of its size. With `same_files` a stream is written to the
    physical file of the same number as in the source.
    """

    format: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    chunk_size: int | None = None
    overwrite: bool = False
    durable: bool = False
    transport: str = "posix"
    same_files: bool = False


@dataclass
class Packed:
    """What was packed or unpacked."""

    streams: int = 0
    bytes: int = 0
    paths: list[Path] = field(default_factory=list)


def streams_format(target: str | Path, name: str | None) -> str:
    """Independent. Return the format of streams to write: the given one, that of the suffix, or the only
    one.
    """
    known = [info.name for info in format_infos() if info.holds_streams]
    chosen = name or format_for_path(target) or (known[0] if len(known) == 1 else None)
    if chosen is None:
        raise UsageError(f"no format is known by the suffix of '{target}'; name the format")
    if not format_info(chosen).holds_streams:
        raise UnsupportedError(
            f"files of the format {chosen} have no streams", advice=f"those that have are {', '.join(known)}"
        )
    return chosen


def open_with_streams(source: str | Path, comm: Any, options: Mapping[str, Any]) -> quire.File:
    """Collective. Open a file of streams, also if the contents of the streams are detected as another format.

    Raises UnsupportedError for a file without streams.
    """
    names = [info.name for info in format_infos() if info.holds_streams]
    for name in [] if "format" in options else names:
        try:
            return quire.open(source, comm=comm, format=name, **options)
        except BadFileError:
            continue  # if the bytes are damaged, their format raises an error below
    file = quire.open(source, comm=comm, **options)
    step = next(iter(file), None)
    if step is None or len(step.streams) == 0:
        file.close()
        raise UnsupportedError("the file has no streams", file=str(source))
    return file


def format_anew(
    file: quire.File, target: str | Path, name: str | None, comm: Any, options: Mapping[str, Any]
) -> str:
    """Collective. Return the format in which the streams of an open file are rewritten.

    If the suffix of the target is that of the contents of the streams, they are still written as streams.
    """
    named = format_for_path(target)
    is_for_contents = name is None and named is not None and not format_info(named).holds_streams
    if is_for_contents and hold(file, str(named), comm, options):
        return file.format
    return streams_format(target, name)


def hold(file: quire.File, format: str, comm: Any, options: Mapping[str, Any]) -> bool:
    """Collective. Return whether the streams of an open file contain another format, which has no streams.

    Options of the reader of streams do not apply to the contents. A damaged file may still be detected;
    others, such as a set of files, are scanned.
    """
    own = {option.name for option in format_info(file.format).read_options} | {"format"}
    general = {key: value for key, value in options.items() if key not in own}
    try:
        with quire.open(file.path, comm=comm, **general) as as_it_opens:
            if as_it_opens.format == format:
                return True
    except (BadFileError, UnsupportedError):
        pass  # opened without the options of the reader of streams
    try:
        with quire.open(file.path, comm=comm, format=format, **general) as contents:
            return any(True for _ in contents)
    except (BadFileError, UnsupportedError):
        return False


def merges(packing: Packing) -> bool:
    """Independent. Return whether streams are merged, so that all must be known at once."""
    return packing.options.get("mode") == "merge"


def blocks(read: Callable[[int], bytes], most: int = BLOCK_BYTES) -> Iterator[bytes]:
    """Independent. Yield the rest of a file or stream block by block."""
    while block := read(most):
        yield block


def create(target: str | Path, packing: Packing, comm: Any) -> quire.Writer:
    """Collective. Create a file of streams that replaces the target when it is complete."""
    return quire.create(
        target,
        comm=comm,
        format=streams_format(target, packing.format),
        transport=packing.transport,
        durable=packing.durable,
        replacement="whole",
        **packing.options,
    )


def put_bytes(stream: WriteStream, parts: Iterator[bytes], is_merged: bool) -> int:
    """Independent. Write a stream block by block, or at once if its size must be known."""
    if is_merged:
        return stream.write_together(b"".join(parts))
    return sum(stream.write(part) for part in parts)


# ---- Files into streams


def task_numbers(paths: Sequence[Path], from_names: bool) -> list[int]:
    """Independent. Return the numbers of the tasks: in order, or the last numbers in the names of the
    files.
    """
    if not from_names:
        return list(range(len(paths)))
    numbers = []
    for path in paths:
        found = re.findall(r"\d+", path.name)
        if not found:
            raise UsageError("there is no number in the name of the file", file=str(path))
        numbers.append(int(found[-1]))
    if len(set(numbers)) < len(numbers):
        raise UsageError("several files have the same last number in their names")
    return numbers


def pack(
    sources: Sequence[str | Path],
    target: str | Path,
    packing: Packing | None = None,
    *,
    numbers_from_names: bool = False,
    comm: Any = None,
    progress: Progress | None = None,
) -> Packed:
    """Collective. Pack files into one file of streams, a stream for each, in the order of their tasks.

    The ranks of `comm` share the files. Only one block is in memory, unless streams are merged.
    """
    packing = packing or Packing()
    paths = [Path(source) for source in sources]
    if not paths:
        raise UsageError("there is no file to pack")
    numbers = task_numbers(paths, numbers_from_names)
    for path in paths:
        refuse_overwriting(path, target, packing.overwrite)
        if path.exists() and not path.is_file():
            raise UsageError(
                "this is not a regular file, whose size is known before it is read",
                file=str(path),
                advice="give regular files",
            )
        if not path.is_file():
            raise MissingFileError("there is no such file", file=str(path))
    sizes = [path.stat().st_size for path in paths]
    first, count = even_slice(len(paths), *_place(comm))
    mine = range(first, first + count)
    is_merged = merges(packing)
    with create(target, packing, comm) as out, out.step(0) as step:
        streams = {i: step.stream(numbers[i], _room(packing, sizes[i])) for i in mine}
        if not is_merged:
            step.open()
        for i, stream in streams.items():
            with paths[i].open("rb") as file:
                done = put_bytes(stream, blocks(file.read, _piece(packing, stream)), is_merged)
            if done != sizes[i]:
                raise ConflictError("the file has changed while it was packed", file=str(paths[i]))
            if progress is not None:
                progress(done)
    return Packed(len(paths), sum(sizes), [Path(target)])


def _place(comm: Any) -> tuple[int, int]:
    return (0, 1) if comm is None else (comm.rank, comm.size)


def _room(packing: Packing, size: int) -> int:
    return packing.chunk_size if packing.chunk_size is not None else size


def _piece(packing: Packing, stream: WriteStream) -> int:
    """Return how many bytes may be written at once, since a piece is stored in one chunk."""
    if packing.chunk_size is None or merges(packing):
        return BLOCK_BYTES
    return max(1, min(BLOCK_BYTES, packing.chunk_size))


# ---- Streams into files


@dataclass(frozen=True, slots=True)
class FileNaming:
    """The names of files of streams: a prefix, and the number of the task.

    `prefix` is by default the name of the source without its suffix, and a dot; `digits` those of the number.
    `by_key` writes one file for each key of streams of records, with the values of its records, named prefix,
    task, "_" and key.
    """

    prefix: str | None = None
    digits: int = 6
    by_key: bool = False

    def names(self, source: str | Path, streams: Sequence[Stream]) -> list[str]:
        """Independent. Return a name for each stream, by its index if tasks have several."""
        start = f"{Path(source).stem}." if self.prefix is None else self.prefix
        if "/" in start:
            raise UsageError("a prefix must not contain a slash; give the directory instead")
        names = [f"{start}{stream.rank:0{self.digits}d}" for stream in streams]
        if len({*names}) == len(names):
            return names
        return [f"{start}{stream.index:0{self.digits}d}" for stream in streams]


def unpack(
    source: str | Path,
    directory: str | Path,
    *,
    naming: FileNaming | None = None,
    tasks: StepSelection | None = None,
    overwrite: bool = False,
    comm: Any = None,
    progress: Progress | None = None,
    **options: Any,
) -> Packed:
    """Collective. Write each stream to a file, or one for each key of streams of records.

    The ranks of `comm` share the streams. `options` are those of the reader. Raises ConflictError for
    existing files (unless `overwrite`), before anything is written.
    """
    named = naming or FileNaming()
    named.names(source, ())  # raises errors of the prefix before the file is opened
    folder = Path(directory)
    rank, size = _place(comm)
    done = Packed()
    with open_with_streams(source, comm, options) as file:
        step = file[0]
        wanted = _wanted(step, tasks, str(source))
        first, count = even_slice(len(wanted), rank, size)
        streams = step.streams.at(wanted[first : first + count])
        names = named.names(source, streams)
        folder.mkdir(parents=True, exist_ok=True)
        targets = [
            target
            for name, stream in zip(names, streams, strict=True)
            for target in _targets(folder / name, stream, named.by_key)
        ]
        for path, _ in targets:
            if not overwrite and os.path.lexists(path):
                raise ConflictError("the file exists already", file=str(path), advice=REPLACED)
        try:
            for path, parts in targets:
                written = _write_file(path, parts())
                done.bytes += written
                done.paths.append(path)
                if progress is not None:
                    progress(written)
        except KeyboardInterrupt as interruption:
            interruption.add_note(f"{len(done.paths)} of {len(targets)} files are complete")
            raise
    everything = [done] if comm is None else comm.allgather(done)
    paths = [path for part in everything for path in part.paths]
    return Packed(len(wanted), sum(part.bytes for part in everything), paths)


def _wanted(step: Step, tasks: StepSelection | None, source: str) -> list[int]:
    """Return the indices of the streams of some tasks, or of all. Raises MissingError for unknown tasks."""
    if tasks is None or not tasks.ranges:
        return list(range(len(step.streams)))
    ranks = step.streams.ranks
    for asked in tasks.ranges:
        if not any(rank in StepSelection((asked,)) for rank in ranks):
            raise MissingError(
                f"no task has the number {_numbers(asked)}",
                file=source,
                advice=f"the file has {len(ranks)} tasks, numbered from {min(ranks)} to {max(ranks)}",
            )
    return [place for place, rank in enumerate(ranks) if rank in tasks]


def _numbers(asked: tuple[int | None, int | None]) -> str:
    first, last = asked
    if first == last:
        return f"{first}"
    low = "" if first is None else f"{first}"
    return f"{low}-" if last is None else f"{low}-{last}"


def _targets(path: Path, stream: Stream, by_key: bool) -> list[tuple[Path, Callable[[], Iterator[bytes]]]]:
    """Return the files of a stream, and functions that read their bytes."""
    if not by_key:
        return [(path, lambda: blocks(stream.read))]
    spans: dict[int, list[tuple[int, int]]] = {}
    for record in stream.iterate_records():
        spans.setdefault(record.key, []).append((record.offset, record.size))
    return [
        (path.with_name(f"{path.name}_{key:012d}"), partial(_parts, stream, parts))
        for key, parts in spans.items()
    ]


def _parts(stream: Stream, parts: Sequence[tuple[int, int]]) -> Iterator[bytes]:
    for offset, size in parts:
        for begin in range(0, size, BLOCK_BYTES):
            yield stream.read_at(offset + begin, min(BLOCK_BYTES, size - begin))


def _write_file(path: Path, parts: Iterator[bytes]) -> int:
    """Write a temporary file that is renamed when complete. An existing symbolic link is replaced, not
    followed.
    """
    done = 0
    with plain_replacement(path) as out:
        for part in parts:
            done += out.write(part)
    return done


# ---- Streams into streams


def copy_streams(
    step: Step, target: WriteStep, packing: Packing, comm: Any = None, progress: Progress | None = None
) -> Packed:
    """Collective. Copy this rank's share of a step's streams to a step of another file, record by record if
    they have records. The step is not committed.
    """
    count = len(step.streams)
    first, mine = even_slice(count, *_place(comm))
    sources = step.streams.at(range(first, first + mine))
    is_merged = merges(packing) and not any(source.has_records for source in sources)
    places = places_of(step, range(first, first + mine)) if packing.same_files else [(None, None)] * mine
    streams = [
        target.stream(source.rank, _room(packing, source.size), *place)
        for source, place in zip(sources, places, strict=True)
    ]
    if not merges(packing):
        target.open()
    for source, stream in zip(sources, streams, strict=True):
        if source.has_records:
            for record in source.iterate_records():
                stream.write_record(record.key, source.read_at(record.offset, record.size))
        else:
            put_bytes(stream, blocks(source.read, _piece(packing, stream)), is_merged)
        if progress is not None:
            progress(source.size)
    return Packed(count, sum(source.size for source in sources))


def places_of(step: Step, wanted: Sequence[int]) -> list[tuple[int | None, int | None]]:
    """Collective. Return the physical files of streams and their indices there, by their indices in the step;
    nothing if a new set could not have the same ones.
    """
    streams = step.streams.at(range(len(step.streams)))
    files = sorted({stream.file for stream in streams})
    is_set = len(files) > 1 and files == list(range(len(files)))
    if not is_set or sorted(stream.rank for stream in streams) != list(range(len(streams))):
        return [(None, None)] * len(wanted)
    counts = Counter(stream.file for stream in streams)
    dense = [(file, i) for file in files for i in range(counts[file])]
    has_places = sorted((stream.file, stream.file_index) for stream in streams) == dense
    return [(streams[i].file, streams[i].file_index if has_places else None) for i in wanted]


def repack(
    source: str | Path,
    target: str | Path,
    packing: Packing | None = None,
    *,
    comm: Any = None,
    progress: Progress | None = None,
    **options: Any,
) -> Packed:
    """Collective. Rewrite the streams of a file: each in one chunk, with another block size or number of
    physical files, merged, or separated if the source contains the origins of merged bytes.

    Tasks keep their numbers, records their keys and order. The block size and the stored byte order of the
    data are kept. `options` are those of the reader. The ranks of `comm` share the streams.
    """
    packing = packing or Packing()
    refuse_overwriting(source, target, packing.overwrite)
    with open_with_streams(source, comm, options) as file:
        step = file[0]
        format = format_anew(file, target, packing.format, comm, options)
        packing = replace(packing, format=format, options=stream_options(file, format, packing.options))
        with create(target, packing, comm) as out, out.step(0) as anew:
            done = copy_streams(step, anew, packing, comm, progress)
    # Not before the commit, which is collective, also if a rank failed.
    total = done.bytes if comm is None else sum(comm.allgather(done.bytes))
    return Packed(done.streams, total, [Path(target)])


def stream_options(file: quire.File, format: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Independent. Return options of a writer of streams, from the layout of a file.

    A file without padding, in the compact style, has no block size to keep. The number of merged streams
    depends on the block size; that of a file without padding merges none.
    """
    known = {option.name for option in format_info(format).write_options}
    names = {"data_byte_order": "data byte order", "keys": "keys"}
    if options.get("style") != "compact" and options.get("mode") != "merge":
        names["block_size"] = "block size"
    facts = {name: file.layout.get(fact) for name, fact in names.items()}
    return {name: fact for name, fact in facts.items() if fact is not None and name in known} | dict(options)


def no_streams(file: File, step: Step, format: str) -> UnsupportedError:
    """Independent. Return the error for a step without streams that is converted to streams."""
    ways = [
        f"put what it has into streams by --format {info.name} --option {option.name}=streams"
        for info in format_infos()
        for option in info.write_options
        if "streams" in option.choices and holds(fit(info.name, file, step, {option.name: "streams"}))
    ]
    names = [info.name for info in format_infos() if info.tables and not info.holds_streams]
    if not ways and step.tables:
        ways.append(f"choose a format of tables by --format ({', '.join(names)})")
    ways.append(f"pack the file as it is by: quire pack {shlex.quote(file.path)} OUT")
    return UnsupportedError(
        f"a file of the format {format} has streams of bytes only, and this one has none",
        file=file.path,
        advice=" or ".join(ways),
    )


def holds(fitted: Fit) -> bool:
    """Independent. Return whether a format can store a table or a field."""
    return bool(fitted.fields or any(fitted.tables.values()))
