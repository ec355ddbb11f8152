"""Text encoding of a file: detected with as little guessing as possible, and preserved on writing."""

from __future__ import annotations

from typing import NamedTuple

from inarch import ToolFailed

PROBE = 8_000  # a NUL in this many bytes at the start makes a file binary, as in git
MOST_CONTROLS = 0.1  # share of control characters above which bytes that are not UTF-8 count as binary
UTF_8_MARK = b"\xef\xbb\xbf"
MARKS = (  # UTF-32 first: its little-endian mark starts with that of UTF-16
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (UTF_8_MARK, "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_FIRST_OF_MARKS = frozenset(mark[:1] for mark, _ in MARKS)
CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\v\b\x1b"))


class Encoding(NamedTuple):
    """Storage of text: a codec and the mark at the start, which is not part of the text."""

    codec: str = "utf-8"
    mark: bytes = b""

    @property
    def unit(self) -> int:
        """Return the bytes of the smallest unit of text."""
        return 4 if "32" in self.codec else 2 if "16" in self.codec else 1

    @property
    def note(self) -> str:
        """Return a note for readers unless the encoding is plain UTF-8."""
        if self.codec == "utf-8":
            return "starts with a UTF-8 byte order mark" if self.mark else ""
        return f"decoded as {self.codec}"

    def decode(self, data: bytes) -> str:
        """Return the text of a whole file."""
        return data[len(self.mark) :].decode(self.codec)

    def encode(self, text: str, path: str) -> bytes:
        """Return text as this encoding stores it, without the mark."""
        try:
            return text.encode(self.codec)
        except UnicodeEncodeError as error:
            char = error.object[error.start]
            raise ToolFailed(
                "validation", f"{path} is stored as {self.codec}, which can't hold {char!a}; nothing was written",
                "use characters that the file's encoding has",
            ) from None  # fmt: skip


UTF_8 = Encoding()

_UNMARKED = ("cp932", "shift_jis", "euc_jp", "gb18030", "big5", "cp950", "cp949")
_SHIFTED = ("iso2022_jp", "iso2022_jp_3", "iso2022_kr")
"""Encodings in which a byte below 128 may be half of a character, without a mark in the bytes."""


def encoding_of(data: bytes, path: str) -> Encoding:
    """Return the encoding that decodes bytes without loss.

    A mark decides. Without one, UTF-8 is used if it fits, else Windows-1252, or Latin-1 for bytes that it lacks.
    """
    for mark, codec in MARKS:
        if data.startswith(mark) and _fits(data[len(mark) :], codec):
            return Encoding(codec, mark)
    if b"\0" in data[:PROBE]:
        raise binary(path, len(data))
    if _fits(data, "utf-8"):
        return UTF_8
    if len(data) - len(data.translate(None, CONTROLS)) > len(data) * MOST_CONTROLS:
        raise binary(path, len(data))
    mark = UTF_8_MARK if data.startswith(UTF_8_MARK) else b""  # damaged UTF-8: invalid bytes stay as they are
    return Encoding("cp1252" if _fits(data, "cp1252") else "latin-1", mark)


def possible_codecs(data: bytes, encoding: Encoding) -> tuple[str, ...]:
    """Return the multibyte codecs that the bytes of a file may just as well be in."""
    if encoding.codec == "utf-8":
        return tuple(codec for codec in _SHIFTED if is_shifted(data) and _fits(data, codec))
    return () if encoding.unit > 1 else tuple(codec for codec in _UNMARKED if _fits(data, codec))


def is_shifted(data: bytes) -> bool:
    """Return whether bytes are ASCII with escape sequences that switch characters, as in ISO-2022."""
    return (b"\x1b$" in data or b"\x0e" in data) and any(_fits(data, codec) for codec in _SHIFTED)


def splits_no_character(data: bytes, position: int, codec: str) -> bool:
    """Return whether a position is between two characters, and a letter inserted there stays that letter."""
    start = data.rfind(b"\n", 0, position) + 1  # in all of them each line begins anew
    try:
        return (data[start:position] + b"A").decode(codec).endswith("A")
    except UnicodeDecodeError:
        return False


def text_of(data: bytes, path: str) -> tuple[str, Encoding]:
    """Return the text of a whole file and its encoding; plain UTF-8, the usual case, is decoded only once."""
    if data[:1] not in _FIRST_OF_MARKS and b"\0" not in data[:PROBE]:
        try:
            return data.decode(), UTF_8
        except UnicodeDecodeError:
            pass
    encoding = encoding_of(data, path)
    return encoding.decode(data), encoding


def _fits(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def binary(path: str, size: int = 0) -> ToolFailed:
    """Return the failure for a file that is not text."""
    about = f" ({size:,} bytes)" if size else ""
    return ToolFailed(
        "validation", f"{path} is a binary file{about}, not text", "only text files can be shown and edited"
    )
