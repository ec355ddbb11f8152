"""The text of a page's bytes, by the encodings of the web only: Python has others that take minutes or run for ever."""

from __future__ import annotations

import re

import webencodings
from bs4.dammit import EncodingDetector

_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?\s*([^\s;\"']{1,40})", re.IGNORECASE)
_UTF_8 = webencodings.UTF8


def charset_of(content_type: str) -> str:
    """Return the charset that a `Content-Type` names, empty where it names none."""
    found = _CHARSET.search(content_type)
    return found.group(1) if found else ""


def text_of(body: bytes, charset: str) -> str:
    """Return bytes as text; UTF-8 where the charset is no encoding of the web."""
    return str(webencodings.decode(body, webencodings.lookup(charset) or _UTF_8, "replace")[0])


def html_of(page: bytes, charset: str) -> str:
    """Return a page as text: by its mark, the answer's charset, its own word, UTF-8, or else as most old pages are."""
    encoding = webencodings.lookup(charset)
    if encoding is None:
        encoding = webencodings.lookup(EncodingDetector.find_declared_encoding(page, is_html=True) or "")
        if encoding is not None and encoding.name.startswith("utf-16"):
            encoding = _UTF_8  # a word in ASCII can't be right about that: the HTML standard, "prescan a byte stream"
    usual = _UTF_8 if encoding is None and _is_utf_8(page) else "windows-1252"
    return str(webencodings.decode(page, encoding or usual, "replace")[0])


def _is_utf_8(page: bytes) -> bool:
    try:
        page.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"  # the page was cut
    return True
