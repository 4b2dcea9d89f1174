"""The bytes of a text in UTF-8: compression and other encodings are undone while it is read."""

from __future__ import annotations

import codecs
import gzip
import io
from pathlib import Path
from typing import IO, Final, cast

from quire.errors import BadFileError, UsageError

UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""What texts in UTF-16 begin with."""

PIECE: Final = 1 << 20


class Recoded:
    """A text in another encoding, as bytes in UTF-8. Raises BadFileError for bytes that are none of its
    characters.
    """

    def __init__(self, file: IO[bytes], encoding: str) -> None:
        self._text = io.TextIOWrapper(file, encoding=encoding, newline="")
        self._encoding = encoding
        self._held = b""

    def _next(self) -> bytes:
        try:
            return self._text.read(PIECE).encode()
        except UnicodeError as problem:
            raise BadFileError(
                f"this is no text in {self._encoding}: {problem}", advice="give another --encoding"
            ) from None

    def read(self, size: int) -> bytes:
        """Independent. Return so many bytes, fewer at the end."""
        pieces, count = [self._held], len(self._held)
        while count < size and (piece := self._next()):
            pieces.append(piece)
            count += len(piece)
        held = b"".join(pieces)
        self._held = held[size:]
        return held[:size]

    def readline(self) -> bytes:
        """Independent. Return the rest of a line with its end."""
        while b"\n" not in self._held and (piece := self._next()):
            self._held += piece
        line, end, self._held = self._held.partition(b"\n")
        return line + end

    def close(self) -> None:
        """Independent. Close the file."""
        self._text.close()


def open_text(path: Path, encoding: str = "") -> IO[bytes] | Recoded:
    """Independent. Open a text for reading bytes in UTF-8. gzip and UTF-16 are recognised by the first bytes.

    `encoding` is that of the text if it is another one. Raises UsageError if it is not known.
    """
    with path.open("rb") as plain:
        is_gzip = plain.read(2) == b"\x1f\x8b"
    if not encoding:
        with opened(path, is_gzip) as plain:
            encoding = "utf-16" if plain.read(2) in UTF_16 else "utf-8"
    try:
        is_utf8 = codecs.lookup(encoding).name == "utf-8"
    except LookupError:
        raise UsageError(
            f"the encoding '{encoding}' is not known", advice="write for example latin-1, cp1252 or utf-16"
        ) from None
    return opened(path, is_gzip) if is_utf8 else Recoded(opened(path, is_gzip), encoding)


def opened(path: Path, is_gzip: bool) -> IO[bytes]:
    """Independent. Open a file for reading bytes."""
    return cast(IO[bytes], gzip.open(path)) if is_gzip else path.open("rb")
